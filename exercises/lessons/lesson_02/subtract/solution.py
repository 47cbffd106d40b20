"""a - b is a + (-1 · b). Both signs in it are there already, and they record.

For the reflected one, make a Value of `other`, then use the minus that you have just written. Mind which stands first.
"""


def subtract(self, other):  # self - other
    return self + as_value(other) * -1


def reflected_subtract(self, other):  # other - self
    return as_value(other) - self
