"""From school: the derivative of xⁿ is n·xⁿ⁻¹, that of eˣ is eˣ, and that of log x is 1/x. In Python the exponent n - 1
needs parentheses.

tanh and the sigmoid are easiest to write with the output: 1 - y², and y(1 - y). relu needs only the sign of x: 1
where x is above 0, else 0.
"""


def local_derivative(op, x, y, n=None):  #: For all operations with one input.
    """∂y/∂x of one operation, from its input x and its output y; n is the exponent of **."""
    if op == "**":  #: A power …
        return n * x ** (n - 1)  #: … has the derivative n·xⁿ⁻¹.
    if op == "exp":  #: e to the power of x …
        return y  #: … is its own derivative: the output itself.
    if op == "log":  #: The natural logarithm …
        return 1 / x  #: … has the derivative 1/x.
    if op == "tanh":  #: A bend into -1 … 1:
        return 1 - y * y  #: 1 minus the square of the output.
    if op == "sigmoid":  #: A bend into 0 … 1:
        return y * (1 - y)  #: the output times (1 - output).
    if op == "relu":  #: x where it is positive, else 0:
        return 1.0 if x > 0 else 0.0  #: so the slope is 1, else 0.
