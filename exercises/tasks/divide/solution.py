"""a / b is a · b⁻¹, and a power of -1 is `** -1`.

It has the shape of the last exercise: the reflected one makes a Value of `other` and uses the division just written.
"""


def divide(self, other):  # self / other  #: A quotient, made of what is there already.
    return self * as_value(other) ** -1  #: Times the reciprocal.


def reflected_divide(self, other):  # other / self  #: The number stands on top.
    return as_value(other) / self  #: So it comes first here as well.
