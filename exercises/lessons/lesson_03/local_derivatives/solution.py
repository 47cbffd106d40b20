"""From school: the derivative of xⁿ is n·xⁿ⁻¹, that of eˣ is eˣ, and that of log x is 1/x. In Python the exponent n - 1
needs parentheses.

tanh and the sigmoid are easiest from the output: 1 - y², and y(1 - y). relu needs only the sign of x: 1 where x is
above 0, else 0.
"""


def local_derivative(op, x, y, n=None):
    """∂y/∂x of one operation, from its input x and its output y; n is the exponent of **."""
    if op == "**":
        return n * x ** (n - 1)
    if op == "exp":
        return y
    if op == "log":
        return 1 / x
    if op == "tanh":
        return 1 - y * y
    if op == "sigmoid":
        return y * (1 - y)
    if op == "relu":
        return 1.0 if x > 0 else 0.0
