"""Numbers as readings show them, and the size of many."""

import math

import numpy as np


def rounded(x):
    """A number as readings show it, in three digits."""
    if not math.isfinite(x):
        return "no number" if math.isnan(x) else "infinite"
    if x == 0 or 1e-3 <= abs(x) < 1e5:
        return f"{x:,.0f}" if abs(x) >= 1000 else f"{x or 0.0:.3g}"  # no -0
    digits, _, power = f"{x:.2e}".partition("e")
    return f"{digits}e{int(power)}"


def numbers(xs):
    """Some numbers in a row."""
    return ", ".join(map(rounded, xs))


def size(*arrays):
    """The length of all numbers of some arrays as one vector."""
    return math.hypot(*(float(np.sqrt(np.sum(np.square(array)))) for array in arrays))
