"""The lines and axes that the clinic's pictures share."""

import math

from figures.page.svg import Scale, label, power_text

LEFT, RIGHT, TOP = 42, 300, 48  # of a drawing in it; where it ends below is up to the words there


# Charts


def baseline(y, left=LEFT, right=RIGHT):
    """A horizontal axis."""
    return f'<path class="axis" d="M{left},{y}H{right}"/>'


def decades(scale, y, top, every=2):
    """Grid lines and names of powers of ten, on a Scale of exponents."""
    parts = []
    for power in range(math.ceil(scale.low), math.floor(scale.high) + 1, every):
        x = scale(power)
        parts.append(f'<path class="grid" d="M{x:.1f},{top}V{y}"/>')
        parts.append(label(power_text(power), x, y + 15, "tick"))
    return parts


def exponent(x):
    """log10 of a number; of 0 and of what is no number, None."""
    return math.log10(x) if 0 < x < math.inf else None


def levels(losses, *others):
    """The Scale of a chart of losses: even, or over powers of ten where they go far."""
    finite = [loss for loss in losses if math.isfinite(loss)] or [1.0]
    high = max(*finite, *others)
    if high <= 8:
        return lambda bottom, top: Scale(0, 1.08 * high, bottom, top)
    low = max(min(x for x in (*finite, *others) if x > 0), 1e-4)
    return lambda bottom, top: Scale(low / 1.5, high * 1.5, bottom, top, log=True)
