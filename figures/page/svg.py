"""Charts as SVG strings: scales, axes, lines and bars, for live figures and for their stills."""

import functools
import html
import itertools
import math
import re
from dataclasses import dataclass

UNSEEN = "M0,0"  # a path that draws nothing


@dataclass(frozen=True)
class Scale:
    """A mapping from numbers to pixels: `low` to `start`, `high` to `end`; by ratio if `log`."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __post_init__(self):
        if not (self.low < self.high and math.isfinite(self.low) and math.isfinite(self.high)):
            raise ValueError(f"a scale goes from a number to a larger one, got {self.low!r} and {self.high!r}.")
        if self.log and self.low <= 0:
            raise ValueError(f"a logarithmic scale starts above 0, got {self.low!r}.")

    def __call__(self, number):
        """Return the pixel of a number; that of the nearer end, if it lies outside, and that of the low end for nan."""
        if not number > self.low:
            return float(self.start)
        if number >= self.high:
            return float(self.end)
        if self.log:
            share = math.log(number / self.low) / math.log(self.high / self.low)
        else:
            share = (number - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self, most=6):
        """Return some round numbers on the scale, at most `most`, each with its text."""
        if self.log:
            first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
            step = max(1, math.ceil((last - first + 1) / most))
            return [(10.0**power, power_text(power)) for power in range(first, last + 1, step)]
        raw = (self.high - self.low) / (most - 1)
        size = 10.0 ** math.floor(math.log10(raw))
        step = next(size * m for m in (1, 2, 5, 10) if size * m >= raw * 0.999)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [(i * step, f"{i * step:.10g}".replace("-", "−")) for i in range(first, last + 1)]


def power_text(power):
    """Return a power of ten as text: 10⁻³, 1, 10."""
    if power in (0, 1):
        return str(10**power)
    return "10" + "".join("⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".index(c)] for c in str(power))


@functools.lru_cache(maxsize=64)  # a lab draws the same axes in every frame
def axes(x, y, xlabel="", ylabel="", title="", most=(6, 5)):
    """Draw the axes of a chart between two Scales (y's start is its bottom), with grid lines, ticks and labels."""
    left, right, top, bottom = x.start, x.end, y.end, y.start
    parts = ['<g class="axes">']
    for number, text in y.ticks(most[1]):
        at = f"{y(number):.1f}"
        parts.append(f'<path class="grid" d="M{left:.1f},{at}H{right:.1f}"/>')
        parts.append(f'<text class="tick y" x="{left - 6:.1f}" y="{y(number) + 4:.1f}">{text}</text>')
    for number, text in x.ticks(most[0]):
        parts.append(f'<path class="axis" d="M{x(number):.1f},{bottom:.1f}v4"/>')
        parts.append(f'<text class="tick x" x="{x(number):.1f}" y="{bottom + 16:.1f}">{text}</text>')
    parts.append(f'<path class="axis" d="M{left:.1f},{bottom:.1f}H{right:.1f}"/>')
    if xlabel:
        parts.append(label(xlabel, (left + right) / 2, bottom + 32, "caption"))
    if ylabel:
        parts.append(label(ylabel, left - 34, top - 8, "caption start"))
    if title:
        parts.append(label(title, left - 34, top - 24, "heading"))
    return "".join([*parts, "</g>"])


@functools.lru_cache(maxsize=64)
def legend(*entries):
    """Draw the key of a chart's lines and bars, in a row: (class, name, width of the name in pixels) for each.

    The class begins with the shape: "line", "bars", or "least" for a ring.
    """
    parts, left = [], 6.0
    for kind, name, room in entries:
        if kind.startswith("least"):
            parts.append(f'<circle class="{kind}" cx="{left + 11:.1f}" cy="34" r="6"/>')
        else:
            d = f"M{left:.1f},34h24" if kind.startswith("line") else f"M{left:.1f},28h24v12h-24Z"
            parts.append(f'<path class="{kind}" d="{d}"/>')
        parts.append(label(name, left + 29, 38, "caption start"))
        left += 42 + room
    return "".join(parts)


def label(text, x, y, kind="", key=None):
    """Draw a line of text; with a key, one that marks can change."""
    keyed = f' data-key="{key}"' if key else ""
    return f'<text{keyed} class="{kind}" x="{x:.1f}" y="{y:.1f}">{html.escape(str(text))}</text>'


def line(points, x, y):
    """Return the `d` of a path through (number, number) points; broken if one is not finite."""
    return "".join(strokes(points, x, y)) or "M0,0"


def growing(points, x, y):
    """Return the `d`s of such a path through the first point, through the first two, and so on."""
    return [d or "M0,0" for d in itertools.accumulate(strokes(points, x, y))]


def strokes(points, x, y):
    """Yield what each point adds to such a path."""
    pen = "M"
    for px, py in points:
        finite = math.isfinite(px) and math.isfinite(py)
        yield f"{pen}{x(px):.1f},{y(py):.1f}" if finite else ""
        pen = "L" if finite else "M"


def bars(edges, counts, x, y):
    """Return the `d` of a histogram's outline: bars between successive edges, as high as the counts, on y's low end."""
    parts = [f"M{x(edges[0]):.1f},{y.start:.1f}"]
    for left, right, count in zip(edges, edges[1:], counts):
        parts.append(f"L{x(left):.1f},{y(count):.1f}L{x(right):.1f},{y(count):.1f}")
    return "".join([*parts, f"L{x(edges[-1]):.1f},{y.start:.1f}Z"])


def visible(sign):
    """Return a character as it is drawn: a space becomes visible."""
    return "␣" if sign == " " else sign


def svg(width, height, *parts):
    """Return an SVG drawing of this size in pixels."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}">{"".join(parts)}</svg>'
    )


def within(points, x, y):
    """Return the `d` of a path through (number, number) points, cut where it leaves the box between two Scales."""
    parts, last = [], None
    for (ax, ay), (bx, by) in itertools.pairwise(points):
        cut = clipped(ax, ay, bx, by, (x.low, x.high), (y.low, y.high))
        if cut is None:
            last = None
            continue
        (ax, ay), (bx, by) = cut
        if last != (ax, ay):
            parts.append(f"M{x(ax):.1f},{y(ay):.1f}")
        parts.append(f"L{x(bx):.1f},{y(by):.1f}")
        last = (bx, by)
    return "".join(parts) or "M0,0"


def clipped(ax, ay, bx, by, xs, ys):
    """Return the part of a segment that lies in a box, as two points; None if there is none (Liang, Barsky 1984)."""
    if xs[0] <= ax <= xs[1] and xs[0] <= bx <= xs[1] and ys[0] <= ay <= ys[1] and ys[0] <= by <= ys[1]:
        return (ax, ay), (bx, by)
    if not all(map(math.isfinite, (ax, ay, bx, by))):
        return None
    start, end, dx, dy = 0.0, 1.0, bx - ax, by - ay
    for step, room in ((-dx, ax - xs[0]), (dx, xs[1] - ax), (-dy, ay - ys[0]), (dy, ys[1] - ay)):
        if step == 0:
            if room < 0:
                return None
        elif step < 0:
            start = max(start, room / step)
        else:
            end = min(end, room / step)
    if start > end:
        return None
    first = (ax, ay) if start == 0 else (ax + start * dx, ay + start * dy)
    second = (bx, by) if end == 1 else (ax + end * dx, ay + end * dy)
    return first, second


def side_by_side(drawings, gap=20):
    """Combine several SVG drawings, each with a viewBox from 0 0, into one, from left to right."""
    parts, left, tallest = [], 0.0, 0.0
    for drawing in drawings:
        width, height = map(float, re.search(r'<svg[^>]*\sviewBox="0 0 ([\d.]+) ([\d.]+)"', drawing).groups())
        opening, rest = drawing.split(">", 1)
        opening = re.sub(r'\s(?:width|height|x|y)="[^"]*"', "", opening)
        parts.append(f'{opening} x="{left:g}" width="{width:g}" height="{height:g}">{rest}')
        left, tallest = left + width + gap, max(tallest, height)
    return svg(f"{left - gap:g}", f"{tallest:g}", *parts)


def rungs(ticks, left, right):
    """Draw the lines of a chart's grid and the texts next to them: (y, text) for each, "" for no text."""
    parts = []
    for y, text in ticks:
        parts.append(f'<path class="grid" d="M{left},{y:.1f}H{right}"/>')
        parts.append(label(text, left - 6, y + 4, "tick y") if text != "" else "")
    return "".join(parts)


def step_outline(counts, tallest, high, wide):
    """Return what each bin adds to a histogram's outline: up or down to the count, and along the bin."""
    return "".join(f"v{-high * (now - last) / tallest:.1f}h{wide:.1f}" for last, now in zip([0, *counts], counts))
