"""The descent lab: gradient descent on a map of two parameters, its learning rate, and a forgotten zero_grad()."""

import functools
import itertools
import math
from dataclasses import dataclass

from autograd.errors import messages
from autograd.errors.messages import show
from figures.charts import contours
from figures.graph.stage import readings
from figures.page import svg
from figures.page.frame_recorder import FrameTemplate
from figures.page.inputs import Inputs, above_zero, bounded, choice, switch
from figures.page.picture import labelled
from figures.page.player import Frame, Player, Recording
from figures.page.style import NOT_YET, steady
from figures.page.svg import UNSEEN
from figures.training.plane import LOSSES, Loss, walk

STEPS = 60
STILL = 0.001  # a descent has arrived once a step moves neither parameter by more
NEAR = 1e-6  # closer to the border than this share of it: on the border

X, Y = svg.Scale(-3.6, 3.6, 34, 354), svg.Scale(-3.6, 3.6, 372, 52)  # the map: a unit is equally long on both axes
POINTS, LEVELS = 45, 11  # of the map: points along each axis, and bands of height
TIME, TOP, BOTTOM = svg.Scale(0, STEPS, 48, 448), 52, 236  # of the loss chart
POWERS = {  # of a loss that is never below 0, by whether gradients are zeroed
    True: svg.Scale(1e-8, 1e4, BOTTOM, TOP, log=True),
    False: svg.Scale(1e-2, 1e4, BOTTOM, TOP, log=True),
}
BAR_TOP, BAR_END = 326, 350  # of the gauge

ZONES = {  # by the border × curvature: the end of each zone of the gauge, and what happens in it
    2: ((1, "straight in"), (2, "to and fro, and in"), (2.6, "out")),
    4: ((4, "swings, and nothing slows it"), (5.2, "out")),
}
WIDEST_TEXT = (  # as long as most sentences
    "Step 60: u = -0.0000, v = -0.0000, loss 00.0000. u.grad is -0.0000 and v.grad -00.0000, the sums of 60 gradients; "
    "those here alone are -00.0000 and -00.0000. The next step moves u by -0.0000 and v by -0.0000. The learning rate "
    "0.0000 is below the limit 4/0.0000 = 0.0000: it swings, and nothing slows it. This is off the map."
)


@dataclass(frozen=True)
class Run:
    """A descent: its loss, learning rate, whether each round sets the gradients to 0, and its Places."""

    loss: Loss
    lr: float
    zero: bool
    places: list

    @property
    def limit(self):
        """The border, as a learning rate times a curvature: 2, or 4 if gradients add up."""
        return 2 if self.zero else 4

    @functools.cached_property
    def points(self):
        """The path, as (u, v)."""
        return [(place.u, place.v) for place in self.places]

    @functools.cached_property
    def trails(self):
        """For each step the `d` of the path up to it, as far as it is on the map."""
        return [svg.within(self.points[: step + 1], X, Y) for step in range(len(self.places))]

    @functools.cached_property
    def heights(self):
        """The Scale of the loss: logarithmic, or linear from the lowest to the highest if one is below 0."""
        losses = [place.loss for place in self.places if math.isfinite(place.loss)]
        if not losses or min(losses) >= 0:
            return POWERS[self.zero]
        return svg.Scale(min(losses), max(max(losses), min(losses) + 1e-9 * abs(min(losses))), BOTTOM, TOP)

    @functools.cached_property
    def stops(self):
        """For each step the `d` of a dot at every point up to it: lines of length 0 with round ends."""
        dots = (f"M{X(u):.1f},{Y(v):.1f}h0" if on_map(u, v) else "" for u, v in self.points)
        return [d or UNSEEN for d in itertools.accumulate(dots)]

    @functools.cached_property
    def curves(self):
        """For each step the `d` of the loss up to it."""
        return svg.growing([(step, place.loss) for step, place in enumerate(self.places)], TIME, self.heights)

    def step_from(self, place):
        return [-self.lr * grad for grad in place.grads]


def descent(loss="bowl", start=(1.0, 3.0), *, lr=0.05, zero=True):
    """Run gradient descent on a loss of two parameters u and v: its path on a map, and the loss after each of 60 steps.

    loss: "bowl", 4u² + v²; "valley", (u·v − 1)²; "line", the mean squared error of the line y = u·x + v on the dots
    (0, 1), (1, 2), (2, 3); or your own function of two Values. start: the first (u, v), each from -3.5 to 3.5. lr:
    the learning rate. zero: whether each round sets the gradients to 0; if not, the steps use the sum of all so far.

    A gauge compares the learning rate with the limit that the ground's curvature sets: 2 / curvature, or
    4 / curvature if gradients add up. The curvature is that of the direction in which the gradient changes fastest: the
    largest eigenvalue of the second derivatives, by central differences of the engine's gradients.
    """
    losses, rates = choices(loss)
    inputs = Inputs(
        choice("loss", losses),
        rates,
        bounded("u", -3.5, 3.5, 0.1, "start: u"),
        bounded("v", -3.5, 3.5, 0.1, "start: v"),
        switch("zero", "zero_grad() in each round"),
    )
    first, (u, v) = loss if isinstance(loss, str) else next(iter(losses)), pair(start)

    @inputs.check
    def record_for(loss, **values):
        return record(losses[loss], **values)

    return Player(controls=inputs.controls(loss=first, lr=lr, u=u, v=v, zero=zero), record=record_for)


def choices(loss):
    """Return the losses to choose from, by name, and the Input of the learning rate."""
    if isinstance(loss, str):
        return LOSSES, bounded("lr", 0.005, 0.6, 0.005, "learning rate")
    if not callable(loss) or isinstance(loss, type):
        known = ", ".join(LOSSES)
        raise TypeError(f"loss is one of {known}, or a function of u and v; got {messages.described(loss)}.")
    return {"yours": Loss("your f(u, v)", loss), **LOSSES}, above_zero("lr", (-4, 1), "learning rate", step=0.02)


def pair(start):
    try:
        u, v = start
    except (TypeError, ValueError):
        raise TypeError(f"start is a pair of numbers, as in start=(1, 3); got {start!r}.") from None
    return u, v


def record(loss, lr, u, v, zero):
    """Return the Recording of a descent: a frame before each step, and one after the last."""
    loss.value_at(u, v)  # if the loss fails at the start, the engine's error says why
    run, stage = Run(loss, lr, zero, walk(loss, (u, v), lr, zero, STEPS)), FrameTemplate(draw)
    frames = [
        Frame(sentence(run, step), f"Step {step} of {STEPS}", stage.updates(run, step))
        for step in range(len(run.places))
    ]
    title = f"Downhill{'' if zero else ' without zero_grad()'}: {loss.formula}"
    alt = f"A map of {loss.formula} with the path of a descent; its loss step by step; its learning rate on a gauge."
    return Recording(title, frames, stage, alt, room=WIDEST_TEXT)


# Sentences


def sentence(run, step):
    """Describe the current point, the next step, and on which side of the border the learning rate is."""
    now = run.places[step]
    said = f"Step {step}: u = {show(now.u)}, v = {show(now.v)}, loss {show(now.loss)}."
    if not now.finite:
        return f"{said} {ended(now)}"
    if step == STEPS:
        return f"{said} {verdict(run)} {side(run, now)}"
    return f"{said} {gradients(run, step)} {side(run, now)}{'' if on_map(now.u, now.v) else ' This is off the map.'}"


def ended(now):
    if math.isnan(now.loss) and math.isfinite(now.u) and math.isfinite(now.v):
        return "The loss has no value here, so there is no gradient to follow."
    return "A number is larger than the largest float, 1.8e308, so there is no gradient to follow."


def gradients(run, step):
    now = run.places[step]
    here, grads, moves = ([show(each) for each in pair] for pair in (now.gradient, now.grads, run.step_from(now)))
    goes = f"he next step moves u by {moves[0]} and v by {moves[1]}."
    if run.zero or step == 0:
        return f"u.grad is {grads[0]} and v.grad {grads[1]}, so t{goes}"
    return (
        f"u.grad is {grads[0]} and v.grad {grads[1]}, the sums of {step + 1} gradients; those here alone are {here[0]} "
        f"and {here[1]}. T{goes}"
    )


def side(run, now):
    if not curved(now):
        return "The ground does not curve upwards here, so there is no limit."
    share, limit = run.lr * now.curvature / run.limit, run.limit
    where = "on" if abs(share - 1) < NEAR else "below" if share < 1 else "above"
    border = f"The learning rate {show(run.lr)} is {where} the limit {limit}/{show(now.curvature)} = "
    border += show(limit / now.curvature)
    if run.zero:
        return f"{border}: a step multiplies the steepest direction by {factor(run, now)}."
    swings = {"below": "it swings, and nothing slows it", "on": "each swing goes a little further"}
    return f"{border}: {swings.get(where, 'it swings out')}."


def factor(run, now):
    """Return the factor of a step on the distance in the steepest direction, as text."""
    return show(1 - run.lr * now.curvature)


def curved(now):
    """Return whether the ground curves upwards in some direction: then there is a border."""
    return now.curvature > 1e-9


def on_map(u, v):
    return X.low <= u <= X.high and Y.low <= v <= Y.high


def verdict(run):
    moves = [abs(move) for place in run.places[-4:-1] for move in run.step_from(place)]
    if max(moves) < STILL:
        return f"It has arrived: the last steps moved u and v by less than {STILL}."
    return f"It has not arrived: the last step moved u by {show(moves[-2])} and v by {show(moves[-1])}."


# The stage


def draw(pen, run, step):
    now = run.places[step]
    drawings = terrain(pen, run, step) + labelled(
        svg.svg(460, 410, chart(pen, run, step), gauge(pen, run, now)),
        "The loss before each step, and the learning rate compared with the limit.",
    )
    return f'<div class="bp-panels">{drawings}</div>{numbers(pen, run, now)}'


def numbers(pen, run, now):
    """Show for u and v the point, the gradient, its grad and the next step; and the loss and the curvature."""
    cells, moves = [], run.step_from(now)
    curvature = NOT_YET if math.isnan(now.curvature) else steady(now.curvature)
    more = ("loss", steady(now.loss)), ("curvature", curvature)
    for i, name in enumerate("uv"):
        cells += [
            (f"sum.{name}", name, steady((now.u, now.v)[i]), True),
            (f"sum.gradient.{name}", "gradient here", steady(now.gradient[i]), True),
            (f"sum.grad.{name}", f"{name}.grad", steady(now.grads[i]), False),
            (f"sum.step.{name}", f"next step of {name}", steady(moves[i]), False),
            (f"sum.{more[i][0]}", *more[i], True),
        ]
    return readings(pen, cells, kind="bp-wide bp-twice")


@functools.lru_cache(maxsize=16)
def ground(loss):
    """Draw the bands of a loss on the map, the lowest the darkest."""
    xs, ys, heights = contours.grid(loss.value_at, X, Y, POINTS)
    drawn = contours.bands(xs, ys, heights, contours.levels(heights, LEVELS), X, Y)
    dark = (0.5 * (LEVELS - i) / LEVELS for i in range(LEVELS))
    return "".join(f'<path class="ground" fill-opacity="{share:.2f}" d="{d}"/>' for share, d in zip(dark, drawn))


def terrain(pen, run, step):
    """Draw the map: its ground, the path so far, the start, the current point, and the next step."""
    now, (u, v) = run.places[step], run.points[0]
    inside = on_map(now.u, now.v)
    names = ("line curve", "path", 28), ("line next", "next step", 58), ("least s0", "start", 20)
    parts = (
        ground(run.loss),
        svg.axes(X, Y, "u"),
        svg.label("v", 12, TOP + 10, "caption"),
        svg.label(run.loss.lowest, X.end, 38, "caption end"),
        f'<path class="grid" d="{"".join(f"M{X(u):.1f},{Y.start}V{Y.end}" for u in (-2, 0, 2))}"/>',
        pen("path", "trail", "line curve", d=run.trails[step]),
        pen("path", "stops", "stops", d=run.stops[step]),
        f'<circle class="least s0" cx="{X(u):.1f}" cy="{Y(v):.1f}" r="8"/>',
        pen("path", "next", "line next", d=arrow(run, step)),
        pen("circle", "here", "dot s1", cx=X(now.u), cy=Y(now.v), r=6),
        pen("circle", "edge", "least s1", cx=X(now.u), cy=Y(now.v), r=0 if inside else 11),
        pen("text", "off", "caption end", text="" if inside else "off the map", at={"x": X.end - 6, "y": Y.start - 8}),
    )
    heading = svg.label("The stronger the blue, the lower the loss", 6, 18, "heading")
    drawing = svg.svg(366, 410, heading, svg.legend(*names), *parts)
    return labelled(drawing, f"A map of {run.loss.formula} with the path of the descent.")


def arrow(run, step):
    """Return the `d` of the next step, an arrow from the current point, as far as it is on the map."""
    now = run.places[step]
    if step == STEPS or not now.finite:
        return UNSEEN
    moves = run.step_from(now)
    cut = svg.clipped(now.u, now.v, now.u + moves[0], now.v + moves[1], (X.low, X.high), (Y.low, Y.high))
    if cut is None:
        return UNSEEN
    (ax, ay), (bx, by) = ((X(u), Y(v)) for u, v in cut)
    long = math.hypot(bx - ax, by - ay)
    if long < 1:
        return UNSEEN
    across, up = ((end - begin) / long * min(8.0, 0.6 * long) for begin, end in ((ax, bx), (ay, by)))
    sides = [(bx - across + turn * up / 2, by - up - turn * across / 2) for turn in (1, -1)]
    head = f"M{sides[0][0]:.1f},{sides[0][1]:.1f}L{bx:.1f},{by:.1f}L{sides[1][0]:.1f},{sides[1][1]:.1f}"
    return f"M{ax:.1f},{ay:.1f}L{bx:.1f},{by:.1f}{head}"


def chart(pen, run, step):
    now, scale = run.places[step], run.heights
    return "".join(
        (
            svg.label("loss, before each step", 14, 18, "heading"),
            svg.axes(TIME, scale, "step", most=(7, 7)),
            pen("path", "loss", "line s0", d=run.curves[step]),
            pen("circle", "loss.now", "dot s1", cx=TIME(step), cy=scale(now.loss), r=5 if now.finite else 0),
            pen("text", "loss.off", "caption end", text=off_chart(now, scale), at={"x": TIME.end, "y": TOP - 10}),
        )
    )


def off_chart(now, scale):
    if not now.finite or scale.low <= now.loss <= scale.high:
        return ""
    return f"the loss is {'above' if now.loss > scale.high else 'below'} this axis"


def gauge(pen, run, now):
    """Draw the learning rate times the curvature, on a bar whose zones name the outcome."""
    zones, limit = ZONES[run.limit], run.limit
    scale = svg.Scale(0, zones[-1][0], TIME.start, TIME.end)
    ends = {end: {"x": scale(end), "y": BAR_END + 16} for end, _ in zones[:-1]}
    return "".join(
        (
            svg.label(f"learning rate and limit, {limit} / curvature", 14, 288, "heading"),
            *zone_parts(scale, zones),
            pointer(pen, run, now, scale(run.lr * now.curvature if curved(now) else 0.0)),
            *(pen("text", f"tick.{end}", "tick", text=tick(end, limit, now), at=at) for end, at in ends.items()),
            pen("text", "factor", "caption start", text=effect(run, now), at={"x": TIME.start, "y": BAR_END + 42}),
        )
    )


def pointer(pen, run, now, x):
    """Draw the mark of the learning rate over the bar; its caption is on the side that has space."""
    beside = x + 10 if x < TIME.end - 140 else x - 140
    return pen("path", "rate", "dot ink", d=f"M{x:.1f},{BAR_TOP}l-6,-10h12Z") + pen(
        "text", "rate.name", "caption start", text=rate_text(run, now), x=beside, at={"y": BAR_TOP - 5}
    )


def zone_parts(scale, zones):
    begin = 0
    for (end, words), kind in zip(zones, ("s2", "s0", "s1") if len(zones) == 3 else ("s0", "s1")):
        left, right = scale(begin), scale(end)
        yield f'<path class="bars {kind}" d="M{left:.1f},{BAR_TOP}H{right:.1f}V{BAR_END}H{left:.1f}Z"/>'
        yield svg.label(words, (left + right) / 2, BAR_TOP + 16, "value")
        begin = end


def tick(at, limit, now):
    if not curved(now):
        return NOT_YET
    return f"{'limit: ' if at == limit else ''}{at}/{show(now.curvature)} = {show(at / now.curvature)}"


def rate_text(run, now):
    if curved(now):
        return f"learning rate {show(run.lr)}"
    return "no numbers are left" if math.isnan(now.curvature) else "no limit here: the ground does not curve upwards"


def effect(run, now):
    """Return the sentence about what the learning rate does in the steepest direction."""
    if not run.zero:
        return "u.grad and v.grad hold the sum of all gradients so far."
    if not curved(now):
        return NOT_YET
    return f"Steepest direction × (1 − {show(run.lr)} × {show(now.curvature)} = {factor(run, now)})"
