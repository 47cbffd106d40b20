"""Real arithmetic that answers as IEEE 754 does where Python's own raises."""

import math


def exp(x):
    """Return e to the x; inf if that is too large for a float."""
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def power(x, n):
    """Return x to the n, for x ≥ 0 or whole n; ±inf if that is too large, or if x is 0 and n negative."""
    try:
        return math.pow(x, n)
    except OverflowError:
        return -math.inf if x < 0 and n % 2 == 1 else math.inf
    except ValueError:
        return math.inf  # 0 to a negative power: the slope of sqrt at 0


def sigmoid(x):
    """Return 1 / (1 + e^-x), written so that e is never raised to a large positive power."""
    if x >= 0:
        return 1.0 / (1.0 + math.exp(-x))
    return math.exp(x) / (1.0 + math.exp(x))
