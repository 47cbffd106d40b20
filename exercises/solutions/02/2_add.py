"""Step 1 is what the class of stage 1 did: add the two numbers, `self.data` and `other.data`, and wrap them in a Value.

Step 2: the constructor takes the inputs second, as a tuple, and the sign third.
"""


def add(self, other):
    return Value(self.data + other.data, (self, other), "+")


Value.__add__ = add
