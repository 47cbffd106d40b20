"""Step 1 is a sum of two numbers, `self.data` and `other.data`, wrapped in a Value.

Step 2: the constructor takes the inputs second, as a tuple, and the sign third.
"""


class Sum(Value):  #: A class of its own, derived from Value, until the method goes into Value itself.
    def __add__(self, other):  #: self + other, where both are Values.
        return Value(self.data + other.data, (self, other), "+")  #: The sum, which remembers its two inputs.
