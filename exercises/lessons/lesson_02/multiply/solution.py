"""It differs from `add` in two characters only.

One is the operation on the numbers, the other the sign that is kept.
"""


def multiply(self, other):  #: self * other, where both are Values.
    return Value(self.data * other.data, (self, other), "*")  #: The product, which remembers its two inputs.
