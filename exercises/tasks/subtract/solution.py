"""a - b is a + (-1 · b). Both operators exist already, and they record.

For the reflected one, make `other` a Value, then use the minus that you have just written. Mind the order.
"""


def subtract(self, other):  # self - other  #: A difference, made of what is there already.
    return self + as_value(other) * -1  #: Both operations will have their rules, so a difference needs none.


def reflected_subtract(self, other):  # other - self  #: The number stands on the left.
    return as_value(other) - self  #: So it comes first here as well.
