"""What the classifier lab shows: losses, gradients, moves, first weights, the worst digits, confusions."""

import functools
import math

import numpy as np

from autograd.lessons.digits import CLASSES
from figures.labs.shared import rungs, step_outline
from figures.page.panels import described
from figures.page.style import number
from figures.page.svg import Scale, label, line, power_text, svg
from figures.training import sheets
from figures.training.digit_nets import GUESS, LAYERS

WORST = 10  # pictures that are shown
BAND = (1e-3, 1e-1)  # between which a step's share of the weights usually lies where a network learns


def percent(right, count):
    """A share as a percentage with one decimal."""
    return f"{100 * right / count:.1f} %"


def mean_size(gradient, known=True):
    """The mean size of the numbers of a gradient, as text."""
    with np.errstate(all="ignore"):
        return number(float(np.abs(gradient).mean())) if known else number(None)


# The stage: six drawings in two rows

WIDTH, HEIGHT = 320, 218  # of each
LEFT, RIGHT, UP, DOWN = 40, 312, 46, 172  # of a chart


def draw(pen, net, goal):
    """The drawings."""
    rows = ((losses, gradients, moves), (first_weights, worst, confusion))
    drawn = ("".join(part(pen, net, goal) for part in row) for row in rows)
    return "".join(f'<div class="bp-panels">{row}</div>' for row in drawn)


def panel(alt, *parts):
    """A drawing, described."""
    return described(svg(WIDTH, HEIGHT, *parts), alt)


def epochs_axis(pen, key, goal):
    """The axis of a chart's epochs."""
    parts = [
        f'<path class="axis" d="M{LEFT},{DOWN}H{RIGHT}"/>',
        label("epoch", (LEFT + RIGHT) / 2, DOWN + 34, "caption"),
    ]
    for i in range(5):
        x = LEFT + (RIGHT - LEFT) * i / 4
        parts.append(f'<path class="axis" d="M{x:.1f},{DOWN}v4"/>')
        parts.append(pen("text", f"{key}.x{i}", "tick", text=f"{goal * i / 4:g}", at={"x": x, "y": DOWN + 18}))
    return "".join(parts)


LOSS = Scale(0, 3, DOWN, UP)


def losses(pen, net, goal):
    """The loss of each batch over the epochs, beside ln 10."""
    x, each = Scale(0, goal, LEFT, RIGHT), net.a_whole_epoch
    points = [(step / each, loss) for step, loss in net.curve.points()]
    now = points[-1] if points else (0.0, net.loss)
    right = (
        f"right: train {percent(net.right, len(net.data.train))}, test {percent(net.tested.right, len(net.data.test))}"
    )
    return panel(
        "The loss of each batch over the epochs",
        under_losses(),
        epochs_axis(pen, "loss", goal),
        pen("text", "loss", "heading start", text=f"Loss {number(net.loss)}", at={"x": 2, "y": 16}),
        pen("text", "right", "caption end", text=right, at={"x": RIGHT, "y": 16}),
        pen("path", "loss.curve", "line thin s0", d=line(points, x, LOSS)),
        pen("circle", "loss.now", "dot s0", cx=x(now[0]), cy=LOSS(now[1]), r=4),
    )


@functools.cache
def under_losses():
    """What stands still in the chart of the loss."""
    return (
        label("of each batch", LEFT, 36, "caption start")
        + rungs([(LOSS(tick), tick) for tick in range(4)], LEFT, RIGHT)
        + f'<path class="guide now" d="M{LEFT},{LOSS(GUESS):.1f}H{RIGHT}"/>'
        + label(f"ln 10 = {number(GUESS)}", RIGHT, LOSS(GUESS) - 5, "caption end")
    )


DECADES = (-8, 2)  # of the sizes of gradients: two bins each
SIZES = Scale(*DECADES, 92, RIGHT)
EDGES = np.linspace(*DECADES, 2 * (DECADES[1] - DECADES[0]) + 1)
BASES = (104, DOWN)  # of the two layers' bars
TALL = 44  # pixels of the highest bar


def counted(gradient):
    """(how many numbers are 0, how many have each size): those beyond the ends in the last bins; nan in none."""
    sizes = np.abs(gradient).ravel()
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log10(sizes[(sizes > 0) & np.isfinite(sizes)])
    return int((sizes == 0).sum()), np.histogram(np.clip(logs, *DECADES), EDGES)[0].tolist()


def gradients(pen, net, goal):
    """The sizes of the gradients of each layer's weights in the last batch, as histograms."""
    parts = []
    for i, (gradient, base) in enumerate(zip(net.gradients(), BASES)):
        zeros, counts = counted(gradient) if net.known else (0, [0] * (len(EDGES) - 1))
        tallest, step = max(1, zeros, *counts), (SIZES.end - SIZES.start) / len(counts)
        rises = step_outline(counts, tallest, TALL, step)
        height, mean = TALL * zeros / tallest, mean_size(gradient, net.known)
        parts += [
            pen("text", f"g{i}.mean", "caption end", text=f"mean {mean}", at={"x": RIGHT, "y": base - TALL - 3}),
            pen("rect", f"g{i}.zero", f"bars s{i}", at={"x": 56, "width": 16}, y=base - height, height=height),
            pen("path", f"g{i}", f"bars s{i}", d=f"M{SIZES.start},{base}{rises}V{base}Z"),
        ]
    return panel("Histogram of the sizes of the gradients, a row a layer", under_gradients(), *parts)


@functools.cache
def under_gradients():
    """What stands still in the histograms."""
    parts = [label("Gradients", 2, 16, "heading start"), label("last batch", RIGHT, 16, "caption end")]
    for power in range(DECADES[0], DECADES[1] + 1, 2):
        parts.append(f'<path class="grid" d="M{SIZES(power):.1f},{UP + 8}V{DOWN}"/>')
        parts.append(label(power_text(power), SIZES(power), DOWN + 18, "tick"))
    parts.append(label("0", 64, DOWN + 18, "tick"))
    parts.append(label("size", (SIZES.start + SIZES.end) / 2, DOWN + 34, "caption"))
    for i, base in enumerate(BASES):
        parts.append(label(f"layer {i + 1}", 2, base - TALL - 3, "caption start"))
        parts.append(f'<path class="axis" d="M56,{base}H{RIGHT}"/>')
    return "".join(parts)


MOVES = Scale(-6, 1, DOWN, UP)


def moves(pen, net, goal):
    """How large each step was beside the weights, over the epochs, a line a layer."""
    x, each = Scale(0, goal, LEFT, RIGHT), net.a_whole_epoch
    parts = []
    for i, (curve, moved) in enumerate(zip(net.moves, net.moved)):
        points = [(step / each, power) for step, power in curve.points()]
        said = f"layer {i + 1} {number(moved) if net.known else number(None)}"
        parts.append(pen("path", f"m{i}", f"line thin s{i}", d=line(points, x, MOVES)))
        at = {"x": LEFT + 18 + 130 * i, "y": 36}
        parts.append(pen("text", f"m{i}.now", "caption start", text=said, at=at))
    axis = epochs_axis(pen, "moves", goal)
    return panel("How large each step was beside the weights, over the epochs", under_moves(), axis, *parts)


@functools.cache
def under_moves():
    """What stands still in the chart of the steps."""
    low, high = (MOVES(math.log10(edge)) for edge in BAND)
    parts = [
        label("Step : weights", 2, 16, "heading start"),
        label("band: 10⁻³ to 10⁻¹", RIGHT, 16, "caption end"),
        f'<rect class="band" x="{LEFT}" y="{high:.1f}" width="{RIGHT - LEFT}" height="{low - high:.1f}"/>',
    ]
    for i in range(LAYERS):
        parts.append(f'<path class="line thin s{i}" d="M{LEFT - 4 + 130 * i},32h18"/>')
    ticks = [(MOVES(power), "" if power % 2 else power_text(power)) for power in range(-6, 2)]
    return "".join([*parts, rungs(ticks, LEFT, RIGHT)])


def first_weights(pen, net, goal):
    """The weights from the 64 pixels to each hidden unit, a picture each."""
    units, shown = net.settings.hidden, min(net.settings.hidden, sheets.COLUMNS * sheets.ROWS)
    which = f"{shown} units" if shown == units else f"the first {shown} of {units} units"
    size = {"x": 2, "y": 28, "width": 310, "height": 310 * 35 / 71, "preserveAspectRatio": "none"}
    return panel(
        "The weights of the first layer, a picture of 8 × 8 a unit",
        label("Weights of layer 1", 2, 16, "heading start"),
        pen("text", "units", "caption end", text=which, at={"x": RIGHT, "y": 16}),
        pen("image", "units.picture", "pixels", at=size, href=sheets.weights(net.weights[0].data)),
        label("dark: negative · light: positive", WIDTH / 2, 200, "caption"),
    )


SMALL, ACROSS = 46, 62  # pixels of a picture, and from one to the next


def worst(pen, net, goal):
    """The pictures of the test with the largest losses."""
    parts, test = [label("Worst test pictures", 2, 16, "heading start")], net.tested
    parts.append(label("is → said, loss", RIGHT, 16, "caption end"))
    for place, i in enumerate(test.worst[:WORST].tolist()):
        x, y = 8 + ACROSS * (place % 5), 28 + 94 * (place // 5)
        size = {"x": x, "y": y, "width": SMALL, "height": SMALL, "preserveAspectRatio": "none"}
        truth, loss, middle = net.data.test_labels[i], float(test.losses[i]), x + SMALL / 2
        picture = sheets.digit(net.data.test[i].tobytes())
        said, wrong = f"{truth} → {test.said[i]}", "wrong" if truth != test.said[i] else "right"
        parts += [
            f'<rect class="rim" x="{x - 1}" y="{y - 1}" width="{SMALL + 2}" height="{SMALL + 2}"/>',
            pen("image", f"worst{place}", "pixels", at=size, href=picture),
            pen("text", f"worst{place}.said", "said", text=said, state=wrong, at={"x": middle, "y": y + SMALL + 15}),
            pen("text", f"worst{place}.loss", "tick", text=number(loss), at={"x": middle, "y": y + SMALL + 29}),
        ]
    return panel("The ten test pictures with the largest losses", *parts)


CELL, CORNER = (26, 16.4), (46, 44)  # pixels of a cell of the table, and where it begins


def confusion(pen, net, goal):
    """Which digit was taken for which, in the test."""
    parts, table = [under_confusion()], net.tested.confusion.tolist()
    for a in range(CLASSES):
        for b in range(CLASSES):
            x, y, count = CORNER[0] + CELL[0] * b, CORNER[1] + CELL[1] * a, table[a][b]
            state = "none" if not count else "right" if a == b else "wrong"
            at = {"x": x, "y": y, "width": CELL[0] - 1, "height": CELL[1] - 1}
            parts.append(pen("rect", f"c{a}{b}.of", "taken", at=at, state=state))
            at = {"x": x + CELL[0] / 2, "y": y + 12}
            parts.append(pen("text", f"c{a}{b}", "took", text=count or "", at=at, state=state))
    return panel("How often each digit of the test was taken for each", *parts)


@functools.cache
def under_confusion():
    """What stands still in the table."""
    parts = [label("Taken for", 2, 16, "heading start"), label("test pictures", RIGHT, 16, "caption end")]
    parts.append(label("it is", CORNER[0] - 24, 36, "caption"))
    for digit in range(CLASSES):
        parts.append(label(digit, CORNER[0] + CELL[0] * (digit + 0.5), 38, "took"))
        parts.append(label(digit, CORNER[0] - 14, CORNER[1] + CELL[1] * digit + 12, "took"))
    return "".join(parts)
