"""A chart of a run's loss over its epochs, on an axis of powers of ten; the axis of its epochs."""

import math

from figures.page.style import steady
from figures.page.svg import Scale, label, line, power_text

LOSSES = (-4, 1)  # the powers of ten on the axis, or more, if a run needs them
LOWEST = -320  # the power of ten below every float but 0
UP, LEFT, RIGHT = (148, 32), 46.0, 416.0
WIDTH, HEIGHT = 438, 188  # of the chart


def power_of(loss):
    """Return a loss as a power of ten; 0 becomes one below every axis."""
    return math.nan if not math.isfinite(loss) else math.log10(loss) if loss > 0 else LOWEST


def decades(points, span=LOSSES):
    """Return the powers of ten at the six ticks of an axis that holds all losses, and this span."""
    powers = [math.log10(loss) for _, loss in points if math.isfinite(loss) and loss > 0]
    low, high = min(powers, default=0), max(powers, default=0)
    low, high = min(span[0], max(math.floor(low), LOWEST)), max(span[1], math.ceil(high))
    step = math.ceil((high - low) / 5)
    return [low + step * i for i in range(6)]


def losses(pen, points, shown, name, epochs, goal, span=LOSSES):
    """Draw the parts of a chart of a run's loss over its epochs, and how much of the run is done.

    points: (epoch, loss), the last one now; without any there is no dot. shown: the loss in the heading, or
    None. name: of the loss. span: the powers of ten on the axis, or more.
    """
    powers, now = decades(points, span), power_of(points[-1][1]) if points else math.nan
    x, y = Scale(0, goal, LEFT, RIGHT), Scale(powers[0], powers[-1], *UP)
    path, parts = line([(epoch, power_of(loss)) for epoch, loss in points], x, y), []
    for i, power in enumerate(powers):
        parts.append(f'<path class="grid" d="M{LEFT},{y(power):.1f}H{RIGHT}"/>')
        at = {"x": LEFT - 6, "y": y(power) + 4}
        parts.append(pen("text", f"curve.y{i}", "tick y", text=power_text(power), at=at))
    done, end = {"x": LEFT, "y": UP[0] - 1, "height": 3}, x(points[-1][0]) if points else -9.0
    return "".join(
        [
            *parts,
            epochs_axis(pen, "curve", goal, UP[0]),
            pen("rect", "curve.done", "done", at=done, width=x(epochs) - LEFT),
            pen("text", "curve.loss", "heading start", text=f"Loss {steady(shown)}", at={"x": LEFT - 34, "y": 16}),
            label(name, RIGHT, 16, "caption end"),
            pen("path", "curve", "line s0", d=path),
            pen("circle", "curve.now", "dot s0", at={"r": 4.5}, cx=end, cy=y(now) if now == now else y.end),
            label("epoch", (LEFT + RIGHT) / 2, UP[0] + 35, "caption"),
        ]
    )


def epochs_axis(pen, key, goal, bottom):
    """Draw the axis of a chart's epochs, from 0 to `goal`; key: the prefix of its ticks' keys."""
    parts = []
    for i in range(5):
        at = LEFT + (RIGHT - LEFT) * i / 4
        parts.append(f'<path class="axis" d="M{at:.1f},{bottom}v4"/>')
        parts.append(pen("text", f"{key}.x{i}", "tick", text=f"{goal * i / 4:g}", at={"x": at, "y": bottom + 19}))
    return "".join([*parts, f'<path class="axis" d="M{LEFT},{bottom}H{RIGHT}"/>'])
