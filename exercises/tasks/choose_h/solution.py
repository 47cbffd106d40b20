"""For `central`, start from `f(x + h) - f(x - h)`. How far apart are x - h and x + h?

In the chart of errors, find the lowest point of the central line. It is well to the left of the other line's lowest
point.
"""


def central(f, x, h):
    """The slope of the line through f at x - h and at x + h."""
    return (f(x + h) - f(x - h)) / (2 * h)


chosen_h = 5e-6
