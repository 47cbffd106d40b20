"""Numbers as readings show them, and the norm of arrays."""

import math

import numpy as np


def rounded(x):
    """Return a number as readings show it, with three digits."""
    if not math.isfinite(x):
        return "no number" if math.isnan(x) else "infinite"
    if x == 0 or 1e-3 <= abs(x) < 1e5:
        return f"{x:,.0f}" if abs(x) >= 1000 else f"{x or 0.0:.3g}"  # no -0
    digits, _, power = f"{x:.2e}".partition("e")
    return f"{digits}e{int(power)}"


def numbers(xs):
    """Return numbers as text, separated by commas."""
    return ", ".join(map(rounded, xs))


def size(*arrays):
    """Return the Euclidean norm of all numbers of some arrays."""
    return math.hypot(*(float(np.sqrt(np.sum(np.square(array)))) for array in arrays))
