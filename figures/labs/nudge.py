"""The nudge lab: a slope found by nudging, the rounding that spoils it, and the error for every size of the nudge."""

import functools
import itertools
import math
from dataclasses import dataclass

from autograd import Value
from autograd.errors.messages import show
from figures.graph.stage import BOTTOM, TOP, chart, readings
from figures.page import svg
from figures.page.frame_recorder import FrameTemplate
from figures.page.inputs import Inputs, bounded, choice
from figures.page.player import Frame, Player, Recording
from figures.page.style import NOT_YET, steady
from figures.page.svg import UNSEEN

FUNCTIONS = {  # the function of a Value, and the y axis that shows it best
    "x²": (lambda x: x**2, (-2.0, 10.0)),
    "x³": (lambda x: x**3, (-10.0, 10.0)),
    "tanh(x)": (lambda x: x.tanh(), (-1.5, 1.5)),
    "tanh(x)²": (lambda x: x.tanh() ** 2, (-0.5, 1.5)),
    "sin(x)": (lambda x: x.sin(), (-1.5, 1.5)),
    "exp(x)": (lambda x: x.exp(), (-2.0, 10.0)),
    "relu(x)": (lambda x: x.relu(), (-1.0, 4.0)),
}
METHODS = ("forward", "central")
NUDGES = (1.0, *(float(f"{digit}e-{power}") for power in range(1, 17) for digit in (5, 2, 1)))

REACH = 2.5  # of the slider for x, both ways: with h = 1 the chart still holds x ± h
NOTHING = 1e-18  # the error axis shows an error of 0 here
STRAIGHT = 1e-12, 1e-3  # between these h the magnified curve is straight to the pixel
EPSILON = 2.0**-53  # half the distance from 1 to the next float: the largest relative rounding error

INPUTS = Inputs(
    choice("function", FUNCTIONS, "f(x)", says=f"f(x) is one of {', '.join(FUNCTIONS)}"),
    choice("method", METHODS, "difference", says=f"the difference is one of {', '.join(METHODS)}"),
    bounded("x", -REACH, REACH, 0.025, why=" here, where the chart has room for x ± h"),
)


class Falling(svg.Scale):
    """A Scale with the large numbers on the left, as on the slider for h."""

    def __call__(self, number):
        return self.start + self.end - super().__call__(number)


class Errors(svg.Scale):
    """A logarithmic Scale whose lowest tick stands for 0."""

    def ticks(self, most=6):
        return [(self.low, "0"), *((10.0**power, svg.power_text(power)) for power in range(-16, 1, 4))]


ACROSS = svg.Scale(-3.6, 3.6, 40, 318)  # of x
UNITS = svg.Scale(-2.0, 2.0, 40, 312)  # of the magnifier: how far from x, in units of h
SIZES = Falling(1e-16, 1.0, 44, 314, log=True)  # of h
ERRORS = Errors(NOTHING, 100.0, BOTTOM, TOP, log=True)


@dataclass(frozen=True)
class Slope:
    """A slope found with a nudge of size h, and its distance from the true one."""

    h: float
    slope: float
    error: float


@dataclass(frozen=True)
class Case:
    """A function at a point."""

    function: str
    x: float

    @functools.cached_property
    def f(self):
        """The function of a number, cached: the magnifier asks for most numbers more than once."""
        function = FUNCTIONS[self.function][0]
        return functools.cache(lambda x: function(Value(x)).data)

    @functools.cached_property
    def truth(self):
        """The derivative, from the engine; at relu's kink, which has none, its 0."""
        leaf = Value(self.x)
        FUNCTIONS[self.function][0](leaf).backward()
        return leaf.grad

    @property
    def kink(self):
        """True if the function has no derivative here."""
        return self.function == "relu(x)" and self.x == 0

    @property
    def y(self):
        """The Scale of f(x)."""
        return svg.Scale(*FUNCTIONS[self.function][1], BOTTOM, TOP)

    @property
    def rise(self):
        """The Scale of the magnifier's height, in units of h, so that its height at 1 is a slope."""
        needed = max(2.4 * abs(self.truth), 1.0)
        size = next(top for top in (1, 2, 5, 10, 20, 50, 100) if top >= needed)
        return svg.Scale(-size, size, BOTTOM, TOP)

    @functools.cached_property
    def found(self):
        """For each method the Slopes of all NUDGES."""
        return {method: [self.slope(h, method) for h in NUDGES] for method in METHODS}

    @functools.cached_property
    def least(self):
        """For each method and each h the Slope with the smallest error down to it."""
        return {method: list(itertools.accumulate(found, better)) for method, found in self.found.items()}

    @functools.cached_property
    def grown(self):
        """For each method and each h the `d` of the errors down to it: the learner should predict which h is best."""
        points = {method: [(one.h, height_of(one)) for one in found] for method, found in self.found.items()}
        return {method: svg.growing(line, SIZES, ERRORS) for method, line in points.items()}

    @functools.cached_property
    def tangents(self):
        """The `d` of the tangent, and of that under the magnifier; at relu's kink there is none."""
        if self.kink:
            return UNSEEN, UNSEEN
        truth = self.truth
        return straight(self.x, self.f(self.x), truth, ACROSS, self.y), straight(0.0, 0.0, truth, UNITS, self.rise)

    def slope(self, h, method):
        above = self.f(self.x + h)
        slope = (above - self.f(self.x)) / h if method == "forward" else (above - self.f(self.x - h)) / (2 * h)
        return Slope(h, slope, abs(slope - self.truth))


def nudge(function="tanh(x)", x=0.775, *, method="forward"):
    """Find a slope by nudging: the secant for a nudge h from 1 to 1e-16, its slope, and its error for every h.

    function: one of FUNCTIONS. x: where the slope is taken, from -2.5 to 2.5. method: the secant that is drawn,
    "forward", (f(x + h) - f(x)) / h, or "central", (f(x + h) - f(x - h)) / 2h; the errors of both are drawn. The true
    slope is the engine's. The chart of errors grows as h shrinks. The logarithmic slider through h, and Play,
    need no kernel; the other inputs do.
    """
    return Player(controls=INPUTS.controls(function=function, method=method, x=x), record=record)


@INPUTS.check
def record(function="tanh(x)", x=0.775, method="forward"):
    case, stage = Case(function, x), FrameTemplate(draw)
    frames = [
        Frame(sentence(case, case.found[method][i], method), f"h = {h:g}", stage.updates(case, method, i))
        for i, h in enumerate(NUDGES)
    ]
    title = f"The slope of {function} at x = {show(x)}, found by nudging"
    alt = f"{function} at x = {show(x)}: its tangent and a secant, the curve near x magnified, and the error against h."
    return Recording(title, frames, stage, alt, slider="h")


def height_of(one):
    """Return an error's height on its axis: 0 is at the foot."""
    return max(one.error, NOTHING)


def better(one, other):
    return min(one, other, key=lambda each: (each.error, -each.h))


def best(found):
    """Return the Slope with the smallest error; of several, the one with the largest h."""
    return functools.reduce(better, found)


# Sentences


def sentence(case, now, method):
    x, h = case.x, now.h
    lower, span, names = (case.f(x), h, "f(x)") if method == "forward" else (case.f(x - h), 2 * h, "f(x − h)")
    change = case.f(x + h) - lower
    said = f"h = {h:g}: f(x + h) − {names} = {show(change)}, divided by {span:g} is a slope of {show(now.slope)}."
    if case.kink:
        return f"{said} relu has a kink at 0: its slope is 0 on the left and 1 on the right, and undefined at 0 itself."
    said += f" The true slope is {show(case.truth)}, so the error is {show(now.error)}."
    return f"{said} {reason(case, now, method)}"


def reason(case, now, method):
    x, h = case.x, now.h
    low = x if method == "forward" else x - h
    if x + h == low:
        return "This h is so small that x + h is x itself in floating point: no difference is left."
    upper, lower = case.f(x + h), case.f(low)
    if now.error == 0:
        return "That is exact."
    rounding = EPSILON * (abs(upper) + abs(lower) + 2 * abs(x * case.truth)) / (x + h - low)
    if now.error <= 2 * rounding:
        largest = max(abs(upper), abs(lower))
        shared = math.floor(-math.log10(abs(upper - lower) / largest)) if upper != lower else 16
        if shared < 1:
            return "Only rounding error is left."
        return f"Rounding does it: the two values agree in about {min(shared, 16)} of their 16 digits."
    if case.function == "relu(x)" and low < 0 < x + h:
        return "The nudge reaches across the kink at 0."
    return "The curve bends between the two points: a smaller h follows it more closely."


# The stage


def draw(pen, case, method, i):
    now, least = case.found[method][i], case.least[method][i]
    charts = curve_chart(pen, case, now, method) + magnifier(pen, case, now, method) + error_chart(pen, case, method, i)
    cells = (
        ("sum.h", "nudge h", f"{now.h:g}", True),
        ("sum.slope", "secant's slope", steady(now.slope), False),
        ("sum.truth", "true slope f′(x)", "none" if case.kink else steady(case.truth), True),
        ("sum.error", "error", NOT_YET if case.kink else steady(now.error), False),
    )
    yet = pen("span", "sum.best.of", text=f"best so far: {NOT_YET if case.kink else f'{least.h:g}'}")
    yet += pen("b", "sum.best", text=NOT_YET if case.kink else steady(least.error))
    return f'<div class="bp-charts">{charts}</div>{readings(pen, cells, yet)}'


def curve_chart(pen, case, now, method):
    y, here, above = case.y, case.f(case.x), case.f(case.x + now.h)
    below = case.x - now.h if method == "central" else case.x
    return chart(
        f"f(x) = {case.function}",
        f"{case.function} with its tangent at x and the secant of the nudge.",
        svg.axes(ACROSS, y, "x", most=(8, 6)),
        (("line tangent", "tangent", 70), ("line secant", "secant", 62)),
        pen("path", "curve", "line curve", d=curve(case.function)),
        pen("path", "here.x", "guide", d=f"M{ACROSS(case.x):.1f},{y(here):.1f}V{BOTTOM}"),
        pen("path", "tangent", "line tangent", d=case.tangents[0]),
        pen("path", "secant", "line secant", d=straight(case.x + now.h, above, now.slope, ACROSS, y)),
        dot(pen, "below", "dot secant", below, case.f(below), ACROSS, y, 5),
        dot(pen, "above", "dot secant", case.x + now.h, above, ACROSS, y, 5),
        dot(pen, "here", "dot tangent", case.x, here, ACROSS, y, 3.5),
    )


def magnifier(pen, case, now, method):
    """Draw the curve from x - 2h to x + 2h in units of h, as floats give it: in stairs if h is tiny."""
    scale, y, here, parts = case.rise, svg.Scale(-2, 2, BOTTOM, TOP), case.f(case.x), []

    def rise(t):
        return (case.f(case.x + t * now.h) - here) / now.h

    fine = 5 if STRAIGHT[0] < now.h < STRAIGHT[1] else 25  # points on each side of x, for each h
    points = [(t / fine, rise(t / fine)) for t in range(-2 * fine, 2 * fine + 1)]
    left = -1 if method == "central" else 0
    for place, text in zip(range(-2, 3), ("x − 2h", "x − h", "x", "x + h", "x + 2h")):
        at = {"x": UNITS.start - 6, "y": y(place) + 4}
        parts.append(f'<path class="grid" d="M{UNITS.start},{y(place):.1f}H{UNITS.end}"/>')
        parts.append(pen("text", f"rise.{place}", "tick y", text=f"{scale.high * place / 2:g}", at=at))
        parts.append(f'<path class="axis" d="M{UNITS(place):.1f},{BOTTOM}v4"/>')
        parts.append(svg.label(text, UNITS(place), BOTTOM + 16, "tick x"))
    return chart(
        "the same, magnified 1/h times",
        "The curve near x under a magnifier that grows as h shrinks.",
        f'{"".join(parts)}<path class="axis" d="M{UNITS.start},{BOTTOM}H{UNITS.end}"/>',
        (),
        svg.label("rise above f(x), in units of h", 6, 38, "caption start"),
        pen("path", "rise.curve", "line curve", d=svg.within(points, UNITS, scale)),
        pen("path", "rise.tangent", "line tangent", d=case.tangents[1]),
        pen("path", "rise.secant", "line secant", d=straight(1.0, rise(1.0), now.slope, UNITS, scale)),
        dot(pen, "rise.below", "dot secant", left, rise(left), UNITS, scale, 5),
        dot(pen, "rise.above", "dot secant", 1.0, rise(1.0), UNITS, scale, 5),
    )


def error_chart(pen, case, method, i):
    lines, rings, dots = [], [], []
    for name, kind in zip(METHODS, ("s0", "s1")):
        now, least = case.found[name][i], case.least[name][i]
        size = 0 if case.kink else 6 if name == method else 3.5
        lines.append(pen("path", f"error.{name}", f"line {kind}", d=UNSEEN if case.kink else case.grown[name][i]))
        ring = 0 if case.kink else 9
        rings.append(dot(pen, f"best.{name}", f"least {kind}", least.h, height_of(least), SIZES, ERRORS, ring))
        dots.append(dot(pen, f"now.{name}", f"dot {kind}", now.h, height_of(now), SIZES, ERRORS, size))
    return chart(
        "error of the slope",
        "The error of the forward and the central difference against h, on logarithmic axes.",
        svg.axes(SIZES, ERRORS, "h, smaller to the right", most=(5, 6)),
        (("line s0", "forward", 68), ("line s1", "central", 66), ("least s0", "smallest", 0)),
        pen("path", "now", "guide now", d=f"M{SIZES(NUDGES[i]):.1f},{BOTTOM}V{TOP}"),
        *(lines + rings + dots),
    )


@functools.cache
def curve(function):
    f, points = Case(function, 0.0).f, [ACROSS.low + (ACROSS.high - ACROSS.low) * i / 144 for i in range(145)]
    return svg.within([(x, f(x)) for x in points], ACROSS, svg.Scale(*FUNCTIONS[function][1], BOTTOM, TOP))


def dot(pen, key, kind, x, y, across, up, size):
    """Draw a circle at a point, hidden if it lies outside its chart."""
    return pen("circle", key, kind, cx=across(x), cy=up(y), r=f"{size if up.low <= y <= up.high else 0:g}")


def straight(x, y, slope, across, up):
    points = [(end, y + slope * (end - x)) for end in (across.low, across.high)]
    return svg.within(points, across, up)
