"""a / b is a · b⁻¹, and a power of -1 is `** -1`.

It works like the last exercise: the reflected method makes `other` a Value and uses the division you have just written.
"""


def divide(self, other):  # self / other  #: A quotient, made of what is there already.
    return self * as_value(other) ** -1  #: Times the reciprocal.


def reflected_divide(self, other):  # other / self  #: The number stands on top.
    return as_value(other) / self  #: So it comes first here as well.
