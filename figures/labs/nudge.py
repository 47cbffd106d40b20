"""The nudge lab: a slope found by nudging, the rounding that spoils it, and the error for every size of the nudge."""

import functools
import math
from dataclasses import dataclass

from autograd import Value, messages
from autograd.real import show
from figures import svg
from figures.picture import labelled
from figures.player import Control, Frame, Player, Recording
from figures.style import NOT_YET

FUNCTIONS = {  # for each: the function of a Value, and the y axis that shows it best
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

REACH = 2.5  # of the slider for x, either way: with h = 1 the chart has room for x ± h
NOTHING = 1e-18  # where the error axis puts an error of 0
UNSEEN = "M0,0"  # a path that draws nothing
STRAIGHT = 1e-12, 1e-3  # between these h the magnified curve is straight to the pixel: neither bent nor in stairs
EPSILON = 2.0**-53  # half the distance from 1 to the next float: what rounding may change, as a share


class Falling(svg.Scale):
    """A Scale with the large numbers on the left, as on the slider for h."""

    def __call__(self, number):
        return self.start + self.end - super().__call__(number)


class Errors(svg.Scale):
    """A logarithmic Scale whose lowest tick stands for 0."""

    def ticks(self, most=6):
        return [(self.low, "0"), *((10.0**power, svg.power_text(power)) for power in range(-16, 1, 4))]


WIDTH, HEIGHT, TOP, BOTTOM = 338, 306, 52, 262
ACROSS = svg.Scale(-3.6, 3.6, 40, 318)  # of x
UNITS = svg.Scale(-2.0, 2.0, 40, 312)  # of the magnifier: how far from x, in units of h
SIZES = Falling(1e-16, 1.0, 44, 314, log=True)  # of h
ERRORS = Errors(NOTHING, 100.0, BOTTOM, TOP, log=True)


@dataclass(frozen=True)
class Slope:
    """A slope found with a nudge of size h, and how far it is from the true one."""

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
        """The function of a number; each is worked out once, and most that a magnifier asks for come again."""
        function = FUNCTIONS[self.function][0]
        return functools.cache(lambda x: function(Value(x)).data)

    @functools.cached_property
    def truth(self):
        """The derivative, from the engine; at relu's kink, where there is none, its 0."""
        leaf = Value(self.x)
        FUNCTIONS[self.function][0](leaf).backward()
        return leaf.grad

    @property
    def kink(self):
        """Whether the function has no derivative here."""
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

    def slope(self, h, method):
        """The Slope by a difference quotient."""
        above = self.f(self.x + h)
        slope = (above - self.f(self.x)) / h if method == "forward" else (above - self.f(self.x - h)) / (2 * h)
        return Slope(h, slope, abs(slope - self.truth))


def nudge(function="tanh(x)", x=0.775, *, method="forward"):
    """A slope found by nudging: the secant for a nudge h from 1 to 1e-16, its slope, and its error for every h.

    function: one of FUNCTIONS. x: where the slope is taken, from -2.5 to 2.5. method: the secant that is drawn,
    "forward", (f(x + h) - f(x)) / h, or "central", (f(x + h) - f(x - h)) / 2h; the errors of both are drawn. The true
    slope is the engine's. The chart of errors grows as h shrinks. The slider through h, which is logarithmic, and Play
    need no kernel; the other inputs do.
    """
    controls = [
        Control("choice", "function", "f(x)", function, options=tuple(FUNCTIONS)),
        Control("choice", "method", "difference", method, options=METHODS),
        Control("range", "x", "x", x, min=-REACH, max=REACH, step=0.025),
    ]
    return Player(controls=controls, record=record)


def record(function="tanh(x)", x=0.775, method="forward"):
    """The Recording of a function at a point: a frame for each h in NUDGES."""
    for name, names, what in ((function, FUNCTIONS, "f(x)"), (method, METHODS, "the difference")):
        if name not in names:
            raise ValueError(f"{what} is one of {', '.join(names)}; got {name!r}.")
    x = messages.real(x, "x")
    if not -REACH <= x <= REACH:
        raise ValueError(f"x goes from -{REACH} to {REACH} here, where the chart has room for x ± h; got {x}.")
    case = Case(function, x)
    found = {name: [case.slope(h, name) for h in NUDGES] for name in METHODS}
    still, errors, frames = still_marks(case), error_marks(case, found, method), []
    for i, h in enumerate(NUDGES):
        now = {name: found[name][i] for name in METHODS}
        marks = {**still, **errors[i], **secant_marks(case, now[method], method)}
        marks |= magnifier_marks(case, now[method], method)
        marks |= {**error_now_marks(case, now, method), **reading_marks(case, now[method])}
        frames.append(Frame(sentence(case, now[method], method), f"h = {h:g}", marks))
    alt = f"{function} at x = {show(x)}: its tangent and a secant, the curve near x magnified, and the error against h."
    return Recording(
        f"The slope of {function} at x = {show(x)}, found by nudging",
        frames,
        functools.partial(stage, case),
        alt,
        slider="h",
    )


# Marks: what each part shows


def still_marks(case):
    """What is the same for every h: the curve, and its tangent."""
    y, here = case.y, case.f(case.x)
    marks = {
        "curve": {"d": curve(case.function)},
        "tangent": {"d": UNSEEN if case.kink else straight(case.x, here, case.truth, ACROSS, y)},
        "here": dot(case.x, here, ACROSS, y, 3.5),
        "here.x": {"d": f"M{ACROSS(case.x):.1f},{y(here):.1f}V{BOTTOM}"},
        "rise.tangent": {"d": UNSEEN if case.kink else straight(0.0, 0.0, case.truth, UNITS, case.rise)},
        "sum.truth": {"text": "none" if case.kink else show(case.truth)},
    }
    for place in range(-2, 3):
        marks[f"rise.{place}"] = {"text": f"{case.rise.high * place / 2:g}"}
    return marks


def error_marks(case, found, method):
    """For each h the errors down to it, and the smallest of these: which h is best is to be predicted."""
    marks = [{} for _ in NUDGES]
    for name in METHODS:
        errors = svg.growing([(one.h, height_of(one)) for one in found[name]], SIZES, ERRORS)
        for i, (one, d) in enumerate(zip(marks, errors), start=1):
            least = best(found[name][:i])
            one[f"error.{name}"] = {"d": UNSEEN if case.kink else d}
            one[f"best.{name}"] = dot(least.h, height_of(least), SIZES, ERRORS, 0 if case.kink else 9)
            if name == method:
                one["sum.best"] = {"text": NOT_YET if case.kink else show(least.error)}
                one["sum.best.of"] = {"text": f"best yet: {NOT_YET if case.kink else f'{least.h:g}'}"}
    return marks


@functools.cache
def curve(function):
    """The `d` of a function's curve."""
    f, points = Case(function, 0.0).f, [ACROSS.low + (ACROSS.high - ACROSS.low) * i / 144 for i in range(145)]
    return svg.within([(x, f(x)) for x in points], ACROSS, svg.Scale(*FUNCTIONS[function][1], BOTTOM, TOP))


def secant_marks(case, now, method):
    """The secant, and the point or points that it goes through beside x."""
    above, y = case.f(case.x + now.h), case.y
    below = case.x - now.h if method == "central" else case.x
    return {
        "secant": {"d": straight(case.x + now.h, above, now.slope, ACROSS, y)},
        "above": dot(case.x + now.h, above, ACROSS, y, 5),
        "below": dot(below, case.f(below), ACROSS, y, 5),
    }


def magnifier_marks(case, now, method):
    """The curve from x - 2h to x + 2h, both ways in units of h, as floats have it: in stairs where h is tiny."""
    y, here = case.rise, case.f(case.x)

    def rise(t):
        return (case.f(case.x + t * now.h) - here) / now.h

    fine = 5 if STRAIGHT[0] < now.h < STRAIGHT[1] else 25  # points on each side of x, for each h
    points = [(t / fine, rise(t / fine)) for t in range(-2 * fine, 2 * fine + 1)]
    left = -1 if method == "central" else 0
    return {
        "rise.curve": {"d": svg.within(points, UNITS, y)},
        "rise.secant": {"d": straight(1.0, rise(1.0), now.slope, UNITS, y)},
        "rise.above": dot(1.0, rise(1.0), UNITS, y, 5),
        "rise.below": dot(left, rise(left), UNITS, y, 5),
    }


def error_now_marks(case, now, method):
    """Where h and the two errors are in the chart of errors."""
    marks = {"now": {"d": f"M{SIZES(now[method].h):.1f},{BOTTOM}V{TOP}"}}
    for name, one in now.items():
        size = 0 if case.kink else 6 if name == method else 3.5
        marks[f"now.{name}"] = dot(one.h, height_of(one), SIZES, ERRORS, size)
    return marks


def reading_marks(case, now):
    """The numbers under the charts."""
    return {
        "sum.h": {"text": f"{now.h:g}"},
        "sum.slope": {"text": show(now.slope)},
        "sum.error": {"text": NOT_YET if case.kink else show(now.error)},
    }


def dot(x, y, across, up, size):
    """The mark of a circle at a point, which is not seen where it lies outside its chart."""
    inside = up.low <= y <= up.high
    return {"cx": f"{across(x):.1f}", "cy": f"{up(y):.1f}", "r": f"{size if inside else 0:g}"}


def straight(x, y, slope, across, up):
    """The `d` of the line through a point, to the ends of a chart."""
    points = [(end, y + slope * (end - x)) for end in (across.low, across.high)]
    return svg.within(points, across, up)


def height_of(one):
    """An error as the axis shows it: 0 at its foot."""
    return max(one.error, NOTHING)


def best(found):
    """The Slope with the smallest error; of several, the one with the largest h."""
    return min(found, key=lambda one: (one.error, -one.h))


# Sentences


def sentence(case, now, method):
    """What is seen for one h, and where the error comes from."""
    x, h = case.x, now.h
    lower, span, names = (case.f(x), h, "f(x)") if method == "forward" else (case.f(x - h), 2 * h, "f(x − h)")
    change = case.f(x + h) - lower
    said = f"h = {h:g}: f(x + h) − {names} = {show(change)}, divided by {span:g} is a slope of {show(now.slope)}."
    if case.kink:
        return f"{said} relu has a kink at 0: its slope is 0 on the left and 1 on the right, and no number at 0 itself."
    said += f" The true slope is {show(case.truth)}, so the error is {show(now.error)}."
    return f"{said} {reason(case, now, method)}"


def reason(case, now, method):
    """Where most of the error comes from."""
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
            return "Only rounding is left of the error."
        return f"Rounding does it: the two values agree in about {min(shared, 16)} of their 16 digits."
    if case.function == "relu(x)" and low < 0 < x + h:
        return "The nudge reaches over the kink at 0."
    return "The curve bends between the two points: a smaller h follows it more closely."


# The stage


def stage(case, marks):
    """Three charts, and the numbers under them, as an HTML string."""
    charts = curve_chart(case, marks) + magnifier(marks) + error_chart(marks)
    return f'<div class="bp-charts">{charts}</div>{readings(marks)}'


def part(tag, key, kind, marks, **fixed):
    """A part of a chart, as its mark has it."""
    return svg.part(tag, key, marks, class_=kind, **fixed)


def curve_chart(case, marks):
    """The function, its tangent at x, and the secant."""
    drawing = svg.svg(
        WIDTH,
        HEIGHT,
        svg.axes(ACROSS, case.y, "x", "", "", most=(8, 6)),
        svg.label(f"f(x) = {case.function}", 6, 18, "heading"),
        legend(("tangent", "tangent", 70), ("secant", "secant", 62)),
        part("path", "curve", "line curve", marks),
        part("path", "here.x", "guide", marks),
        part("path", "tangent", "line tangent", marks),
        part("path", "secant", "line secant", marks),
        part("circle", "below", "dot secant", marks),
        part("circle", "above", "dot secant", marks),
        part("circle", "here", "dot tangent", marks),
    )
    return labelled(drawing, f"{case.function} with its tangent at x and the secant of the nudge.")


def magnifier(marks):
    """The same near x, so large that h is as wide as a hand."""
    y = svg.Scale(-2, 2, BOTTOM, TOP)
    parts = []
    for place in range(-2, 3):
        parts.append(f'<path class="grid" d="M{UNITS.start},{y(place):.1f}H{UNITS.end}"/>')
        parts.append(part("text", f"rise.{place}", "tick y", marks, x=UNITS.start - 6, y=f"{y(place) + 4:.1f}"))
        text = {-2: "x − 2h", -1: "x − h", 0: "x", 1: "x + h", 2: "x + 2h"}[place]
        parts.append(f'<path class="axis" d="M{UNITS(place):.1f},{BOTTOM}v4"/>')
        parts.append(svg.label(text, UNITS(place), BOTTOM + 16, "tick x"))
    drawing = svg.svg(
        WIDTH,
        HEIGHT,
        *parts,
        f'<path class="axis" d="M{UNITS.start},{BOTTOM}H{UNITS.end}"/>',
        svg.label("the same, magnified 1/h times", 6, 18, "heading"),
        svg.label("rise above f(x), in units of h", 6, 38, "caption start"),
        part("path", "rise.curve", "line curve", marks),
        part("path", "rise.tangent", "line tangent", marks),
        part("path", "rise.secant", "line secant", marks),
        part("circle", "rise.below", "dot secant", marks),
        part("circle", "rise.above", "dot secant", marks),
    )
    return labelled(drawing, "The curve near x under a magnifier that grows as h shrinks.")


def error_chart(marks):
    """The error of both differences against h."""
    drawing = svg.svg(
        WIDTH,
        HEIGHT,
        svg.axes(SIZES, ERRORS, "h, smaller to the right", most=(5, 6)),
        svg.label("error of the slope", 6, 18, "heading"),
        legend(("s0", "forward", 68), ("s1", "central", 66), ("least", "smallest", 0)),
        part("path", "now", "guide now", marks),
        part("path", "error.forward", "line s0", marks),
        part("path", "error.central", "line s1", marks),
        part("circle", "best.forward", "least s0", marks),
        part("circle", "best.central", "least s1", marks),
        part("circle", "now.forward", "dot s0", marks),
        part("circle", "now.central", "dot s1", marks),
    )
    return labelled(drawing, "The error of the forward and the central difference against h, on logarithmic axes.")


def legend(*entries):
    """What the lines of a chart are: (kind, name, room in pixels) for each."""
    parts, left = [], 6.0
    for kind, name, room in entries:
        if kind == "least":
            parts.append(f'<circle class="least s0" cx="{left + 11:.1f}" cy="34" r="6"/>')
        else:
            parts.append(f'<path class="line {kind}" d="M{left:.1f},34h24"/>')
        parts.append(svg.label(name, left + 29, 38, "caption start"))
        left += 42 + room
    return "".join(parts)


def readings(marks):
    """The numbers of this h, as cells."""
    cells = (("h", "nudge h"), ("slope", "secant's slope"), ("truth", "true slope f′(x)"), ("error", "error"))
    made = []
    for key, heading in cells:
        plain = "" if key in ("slope", "error") else ' class="bp-plain"'
        made.append(f"<div{plain}><span>{heading}</span>{svg.part('b', f'sum.{key}', marks)}</div>")
    least = svg.part("span", "sum.best.of", marks) + svg.part("b", "sum.best", marks)
    made.append(f'<div class="bp-plain">{least}</div>')
    return f'<div class="bp-sum bp-wide">{"".join(made)}</div>'
