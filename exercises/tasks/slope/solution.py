"""f is a function: `f(x + h)` runs it at x + h. How much did its answer change since `f(x)`?

The slope is that change for each unit of x. x changed by h, so divide by h. Don't forget the brackets.
"""


def slope(f, x, h):
    """The slope of the line through f at x and at x + h."""
    return (f(x + h) - f(x)) / h
