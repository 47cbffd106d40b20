"""The goal lab: three dials bend a curve; lower a loss by hand, then follow the slopes that show the way."""

import functools
import itertools
import math
from pathlib import Path

import numpy as np

from autograd import Value
from autograd.errors import validation
from autograd.errors.messages import show
from figures.graph.stage import chart, handle, join_words, plural
from figures.page import scripts, svg
from figures.page.frame_recorder import FrameTemplate
from figures.page.inputs import Inputs, bounded
from figures.page.panels import Panels
from figures.page.picture import labelled
from figures.page.player import Frame, Player, buttons, embedded
from figures.page.svg import UNSEEN

DOTS = ((-0.5, -1.7), (-0.1, -0.5), (0.3, 0.4), (0.7, 0.9), (1.1, 0.8), (1.5, 0.5))  # no dials fit all of them
DIALS = {"a": "height a", "b": "tilt b", "c": "bend c"}
REACH = 3  # of a dial, on both sides of 0
RATE = 0.06  # the share of its slope that a step moves a dial by
STEPS = 40  # in a walk

INPUTS = Inputs(*(bounded(name, -REACH, REACH, 0.1) for name in DIALS))
BUTTONS = {"slopes": "Show the slopes", "one": "Follow them, one step", "ten": "Ten steps", "over": "Start over"}
FOLLOW = {"one": 1, "ten": 10}

X, Y = svg.Scale(-0.7, 1.7, 40, 326), svg.Scale(-2.5, 1.5, 262, 52)
LOSS = svg.Scale(0.001, 1000, 86, 400, log=True)
WIDE, TALL, ROW, FIRST, BAR = 500, 306, 66, 34, 250  # of the dials: the drawing, a row's height, the top row, the bar
TRACK = svg.Scale(-REACH, REACH, 86, 326)  # 4 pixels are 0.1: dragging by 4 pixels moves a dial by that
ENDS = (TRACK.start - 16, TRACK.end + 16)  # the furthest ends of an arrow
WIDEST_TEXT = (  # as long as the longest sentence
    "Step 40: each dial went against its slope, by 0.06 × the slope: a to -1.0000, b to -1.0000, c to -1.0000. The "
    "loss is 100.0000 (it was 100.0000); the best any dials can do is 0.0109. These words are not seen here, ever."
)

SCRIPT = scripts.joined(*scripts.LINK, Path(__file__).with_suffix(".js"))  # lets a page answer without a kernel


def goal(a=0.0, b=0.0, c=0.0):
    """Show three dials and a loss to lower by hand; a button shows the slopes, others follow them.

    The curve a + b·x + c·x² goes past six dots; the loss is the sum of the squared distances. Drag the dials, or
    move them by arrow keys. a, b, c: where they begin, from -3 to 3.
    """
    return Goal(INPUTS.checked({"a": a, "b": b, "c": c}))


class Goal(Player):
    """The lab. Frames: the dials as the learner set them, their slopes, then steps that follow these.

    hand: what the learner did by hand. walk: the Place of each step, the first where the dials were set.
    """

    def __init__(self, start):
        self.start, self.heard, self.hand, self.walk = start, {}, Hand(start), walk(start)
        super().__init__(record(self.walk, self.hand), controls=buttons(BUTTONS))

    def answer(self, values, presses):
        """Handle moved dials and pressed buttons; a press comes with the dials' numbers, too."""
        for press in presses:
            if press not in BUTTONS:
                raise ValueError(f"a press names one of {join_words(BUTTONS, 'or')}; got {press!r}.")
        index, heard, self.heard = self.index, self.heard, dict(values)
        dials = self.walk[max(index - 1, 0)].dials
        moved = {**dials, **within(values)}
        if values != heard and moved != dials:
            self.begin(moved, self.hand.moved(dials, moved, followed=index > 1))
            index = min(index, 1)
        for press in presses:
            index = self.pressed(press, index)
        self.index = index
        self.load(self.recording, jump=index, number=self.reply)

    def without_kernel(self):
        """Embed the new lab in a page whose script, SCRIPT, answers: the page holds only its first frames.

        Two with the same start in one page are two views of one lab.
        """
        recording = record(walk(self.start), Hand(self.start))
        spec = self._spec(recording)
        name = " ".join(["goal", *(f"{number:g}" for number in self.start.values())])
        return embedded({**spec, "frames": spec["frames"][:2]}, recording.still(recording.alt, 0), model=name)

    def begin(self, dials, hand):
        self.walk, self.hand = walk(dials), hand
        self.recording = record(self.walk, hand)

    def pressed(self, press, index):
        if press == "over":
            self.begin(self.start, Hand(self.start))
            return 0
        if press == "slopes":
            return max(index, 1)
        if index > STEPS:
            raise ValueError(f"This walk has {STEPS} steps. Move a dial to begin another, or start over.")
        return min(max(index, 1) + FOLLOW[press], STEPS + 1)


class Hand:
    """The learner's work by hand before following slopes: moves (repeated moves of one dial are one), lowest loss."""

    def __init__(self, start):
        self.moves, self.dial, self.lowest, self.rests = 0, "", Place(start).loss, False

    def moved(self, before, after, followed):
        """Record a move of a dial and return the hand. followed: whether steps were followed, which ends its work."""
        self.rests = self.rests or followed
        dial = next(name for name in DIALS if after[name] != before[name])
        if not self.rests:
            self.moves += dial != self.dial
            self.dial, self.lowest = dial, min(self.lowest, Place(after).loss)
        return self


def within(values):
    """Check numbers for dials and stop them at the dials' ends; raise ValueError or TypeError for anything else."""
    if strange := values.keys() - DIALS.keys():
        raise ValueError(f"the dials are {join_words(DIALS)}; there is no {join_words(sorted(strange))}.")
    known = [each for each in INPUTS if each.name in values]
    return {each.name: each.check(stopped(validation.real(values[each.name], each.name))) for each in known}


def stopped(number):
    return min(max(number, -REACH), REACH)


# Record


class Place:
    """Three dials, {name: number}; their loss, and its slope for each, by a backward pass of the engine."""

    def __init__(self, dials):
        a, b, c = leaves = [Value(dials[name], label=name) for name in DIALS]
        loss = sum((a + b * x + c * x**2 - y) ** 2 for x, y in DOTS)
        loss.backward()
        self.dials, self.loss, self.slopes = dials, loss.data, {leaf.label: leaf.grad for leaf in leaves}

    def step(self):
        return {name: stopped(self.dials[name] - RATE * slope) for name, slope in self.slopes.items()}


def best():
    """Return the lowest loss that any dials give, by least squares."""
    x, y = np.array(DOTS).T
    rows = np.stack([x**0, x, x**2], axis=1)
    return float(((rows @ np.linalg.lstsq(rows, y, rcond=None)[0] - y) ** 2).sum())


BEST = best()


def walk(dials):
    """Return the Place of these dials, and of each step from there."""
    places = [Place(dials)]
    for _ in range(STEPS):
        places.append(Place(places[-1].step()))
    return places


def record(places, hand):
    """Return the Recording of a walk: the dials as the learner set them, their slopes, then a frame for each step."""
    stage, first = FrameTemplate(draw), places[0]
    frames = [
        Frame(by_hand(first, hand), moves(hand), stage.updates(first, hand, False)),
        Frame(slopes(first), "The slopes", stage.updates(first, hand, True)),
    ]
    for step, (before, now) in enumerate(itertools.pairwise(places), start=1):
        frames.append(Frame(followed(step, before, now), f"Step {step} of {STEPS}", stage.updates(now, hand, True)))
    words = "Six dots and a curve that three dials bend; next to it the dials and the loss."
    return Panels("Lower the loss", frames, stage, words, room=WIDEST_TEXT, places=((0, 0), (358, 0)))


def moves(hand):
    return f"By hand: {plural(hand.moves, 'move')}"


def by_hand(now, hand):
    if not hand.moves:
        return (
            "Drag the three dials, or press ↑ and ↓ on one, so that the curve gets close to the dots. The loss, "
            "the sum "
            f"of the squared distances, is {show(now.loss)}. How low can you get it?"
        )
    end = "your lowest so far." if now.loss <= hand.lowest else f"your lowest so far was {show(hand.lowest)}."
    return f"The loss is {show(now.loss)}, {end} When you are stuck, show the slopes."


def slopes(now):
    if all(abs(slope) < 5e-5 for slope in now.slopes.values()):
        return f"The loss is {show(now.loss)}, and all slopes are 0: no small move of a dial lowers it."
    ways = [f"{'lower' if slope > 0 else 'raise'} {name} ({show(slope)})" for name, slope in now.slopes.items()]
    return (
        f"The loss is {show(now.loss)}. A slope is how fast it rises when you raise a dial; below 0, it falls. Each "
        f"arrow points to where the loss falls: {join_words(ways)}. Now follow them."
    )


def followed(step, before, now):
    went = join_words(f"{name} to {show(number)}" for name, number in now.dials.items())
    end = " or to its end" if any(abs(number) == REACH for number in now.dials.values()) else ""
    said = f"Step {step}: each dial went against its slope, by {RATE} × the slope{end}: {went}. "
    said += f"The loss is {show(now.loss)} (it was {show(before.loss)})"
    return f"{said}; the best any dials can do is {show(BEST)}." if step == STEPS else f"{said}."


# The stage


def draw(pen, now, hand, known):
    """Draw the curve among the dots, and the dials with the loss. known: whether to show the slopes."""
    return f'<div class="bp-panels">{curve(pen, now)}{dials(pen, now, hand, known)}</div>'


def height(now, x):
    return now.dials["a"] + now.dials["b"] * x + now.dials["c"] * x**2


def curve(pen, now):
    points = [(x, height(now, x)) for x in (X.low + (X.high - X.low) * i / 30 for i in range(31))]
    gaps = "".join(f"M{X(x):.1f},{Y(y):.1f}V{Y(height(now, x)):.1f}" for x, y in DOTS)
    names = (("line s0", "curve", 42), ("line gap", "distance", 56))
    dots = "".join(f'<circle class="dot now" cx="{X(x):.1f}" cy="{Y(y):.1f}" r="5.5"/>' for x, y in DOTS)
    return chart(
        "the curve a + b·x + c·x², and six dots",
        "Six dots, a curve, and the distance from each dot to the curve.",
        svg.axes(X, Y, "x"),
        names,
        pen("path", "gaps", "line gap", d=gaps),
        pen("path", "curve", "line s0", d=svg.within(points, X, Y)),
        dots,
    )


def dials(pen, now, hand, known):
    column = {"x": WIDE - 8, "y": 18}
    parts = [svg.label("three dials", 6, 18, "heading"), pen("text", "slope", "end", text="slope" * known, at=column)]
    for i, name in enumerate(DIALS):
        parts.append(dial(pen, name, now.dials[name], now.slopes[name] if known else None, FIRST + 22 + ROW * i))
    drawing = svg.svg(WIDE, TALL, *parts, bar(pen, now, hand, known))
    return labelled(drawing, "Three dials, and the loss under them", "group")


def dial(pen, name, number, slope, y):
    """Draw a dial: track, knob and number; if the slope is known, the slope and an arrow to where the loss falls."""
    x, text = TRACK(number), "" if slope is None else show(slope)
    size = {"x": TRACK.start - 14, "y": y - 15, "width": TRACK.end - TRACK.start + 28, "height": 30, "rx": 7}
    parts = (
        track(name, y),
        pen("path", f"{name}.arrow", "slope", d=arrow(x, slope, y - 21)),
        pen("rect", f"{name}.knob", "knob", at={"y": y - 12, "width": 14, "height": 24, "rx": 5}, x=x - 7),
        handle(pen, name, DIALS[name], number, size, "grip", f"{show(number)}{text and ', slope '}{text}"),
        pen("text", f"{name}.number", "large end", text=show(number), at={"x": 412, "y": y + 5}),
        pen("text", f"{name}.slope", "large grad", text=text, at={"x": WIDE - 8, "y": y + 5}),
    )
    return "".join(parts)


@functools.cache
def track(name, y):
    ticks = "".join(svg.label(tick, TRACK(tick), y + 27, "tick") for tick in (-REACH, 0, REACH))
    line = f'<path class="axis" d="M{TRACK.start},{y}H{TRACK.end}"/>'
    return svg.label(DIALS[name], 6, y + 4, "heading start") + line + ticks


def arrow(x, slope, y):
    """Return the `d` of an arrow from a knob to where the loss falls; the steeper the longer, up to the dial's ends."""
    if not slope:
        return UNSEEN
    way = -math.copysign(1, slope)
    tip = min(max(x + way * (8 + 90 * abs(slope) / (abs(slope) + 4)), ENDS[0]), ENDS[1])
    return f"M{x:.1f},{y:.1f}H{tip:.1f}m{-6 * way:.1f},-5l{6 * way:.1f},5l{-6 * way:.1f},5"


def bar(pen, now, hand, known):
    """Draw the loss as a number and a bar, with the lowest loss reached by hand, and the lowest possible."""
    low, best = LOSS(hand.lowest), LOSS(BEST)
    lowest, least = f"lowest by hand {show(hand.lowest)}", f"the best any dials can do {show(BEST)}" * known
    under = {"x": best, "y": BAR + 51}
    parts = [
        beside_bar(),
        pen("rect", "loss", "bars s0", at={"x": LOSS.start, "y": BAR, "height": 18}, width=LOSS(now.loss) - LOSS.start),
        pen("path", "low", "guide now", d=f"M{low:.1f},{BAR - 6}v30"),
        pen("text", "low.name", "caption start", text=lowest, at={"y": BAR - 9}, x=min(low, 345.0)),
        pen("path", "best", "line limit", d=f"M{best:.1f},{BAR - 6}v30" if known else UNSEEN),
        pen("text", "best.name", "caption start", text=least, at=under),
        pen("text", "loss.number", "large end", text=show(now.loss), at={"x": WIDE - 8, "y": BAR + 14}),
    ]
    return "".join(parts)


@functools.cache
def beside_bar():
    parts = [svg.label("loss", 6, BAR + 13, "heading start")]
    for number in (0.001, 0.01, 0.1, 1, 10, 100, 1000):
        parts.append(f'<path class="grid" d="M{LOSS(number):.1f},{BAR - 4}v26"/>')
        parts.append(svg.label(number, LOSS(number), BAR + 35, "tick"))
    return "".join(parts)
