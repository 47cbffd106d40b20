"""The pictures of the trainer lab: the network, the four rows, the map, the loss, the gradients."""

import functools
import math
import textwrap
from dataclasses import dataclass

import numpy as np

from figures.charts import loss_chart
from figures.graph.network import HEIGHT, WIDTH, network, real_of
from figures.page.picture import labelled
from figures.page.style import steady
from figures.page.svg import Scale, label, power_text, step_outline, svg
from figures.training.settings import ROWS
from figures.training.surface import REACH, pixels, png

DECADES = (-8, 2)  # of the histogram's axis; below it is a bin for 0
BINS = 2 * (DECADES[1] - DECADES[0])


@dataclass(frozen=True)
class View:
    """The parts of a run on screen: a row, weights or gradients, and the epoch at which a run of Play ends."""

    row: int = 1
    shows: str = "weights"
    goal: int = 1000


# Sentences


def name_of(row):
    """Return a row by its inputs: 0, 1."""
    return ", ".join(f"{x:g}" for x in ROWS[row])


def said_of(training, i):
    output, target = training.outputs[i], training.settings.targets[i]
    return f"Row {name_of(i)}: target {target:g}, output {steady(output)}, {word_of(training, i)}"


def word_of(training, i):
    return steady(None) if training.outputs[i] is None else "right" if training.right[i] else "wrong"


def format_progress(training, view):
    """Return the text of the counters."""
    return f"epoch {training.epochs} of {view.goal} · step {training.steps}"


# The stage


def draw(pen, training, view):
    """Draw five drawings in two rows: the network, the inputs' rows and the map; the loss and the gradients."""
    rows = ((network_or_why, tiles, plane), (curve, histogram))
    drawn = ("".join(part(pen, training, view) for part in row) for row in rows)
    return "".join(f'<div class="bp-panels">{row}</div>' for row in drawn)


def network_or_why(pen, training, view):
    """Draw the network, or in its place a few lines on why it cannot be drawn."""
    if training.why:
        lines = textwrap.wrap(f"There is no drawing of your network. {training.why}", 62)
        return svg(WIDTH, HEIGHT, *(label(line, 20, 130 + 20 * i, "start") for i, line in enumerate(lines[:6])))
    return network(
        pen,
        training.net,
        training.settings.targets[view.row],
        found=training.found(view.row),
        shows=view.shows,
        known=training.known,
        kinds=training.kinds(),
        alt="The network: a line for each weight, a box for each neuron",
    )


# The four rows

TILE = (152, 58)
BAR = Scale(-0.25, 1.25, TILE[1] - 6, 6)  # of the output, as a share of the way from the lower target to 1


def tiles(pen, training, view):
    parts = [label("Outputs", 4, 16, "heading start"), *(tile(pen, training, i, i == view.row) for i in range(4))]
    return labelled(
        svg(160, 296, *parts),
        "The four rows, each with its target and output: press one to see it in the network",
        "group",
    )


def tile(pen, training, i, pressed):
    settings, output, word = training.settings, training.outputs[i], word_of(training, i)
    target, low = settings.targets[i], settings.low
    aim, top = BAR((target - low) / (1 - low)), BAR(BAR.low if output is None else (output - low) / (1 - low))
    icon = {"right": "M-5,0l4,4l7,-8", "wrong": "M-4,-4l8,8m0,-8l-8,8"}.get(word, "M0,0")
    inside = (
        f'<rect class="tile" width="{TILE[0]}" height="{TILE[1]}" rx="8"/>'
        + pen("rect", f"row.{i}.bar", "level", at={"x": TILE[0] - 21, "width": 12}, y=top, height=BAR.start - top)
        + f'<path class="mark" d="M{TILE[0] - 25},{aim:.1f}h20"/>'
        + label(f"{name_of(i)}  →  {target:g}", 10, 20, "caption start")
        + pen("text", f"row.{i}.out", "large", text=steady(output), at={"x": 10, "y": 45})
        + f'<g transform="translate(71 15)">{pen("path", f"row.{i}.icon", "icon", d=icon)}</g>'
        + pen("text", f"row.{i}.word", "word", text=word, at={"x": 82, "y": 20})
    )
    at = {"transform": f"translate(4 {28 + i * (TILE[1] + 8)})", "role": "button", "tabindex": 0}
    at |= {"data-press": f"row.{i}", "data-lm-suppress-shortcuts": "true"}
    seen = f"{name_of(i)} → {target:g} {steady(output)} {word}"  # contains the visible text, for voice control
    named = {"aria_pressed": str(pressed).lower(), "aria_label": seen}
    return pen("g", f"row.{i}", "row", inside, at=at, state=word, **named)


# The map

SIDE = 186  # of the map, in the drawing
X1 = Scale(*REACH, 26, 26 + SIDE)
X2 = Scale(*REACH, 28 + SIDE, 28)


def plane(pen, training, view):
    outputs, head = training.surface()
    size = {"x": 26, "y": 28, "width": SIDE, "height": SIDE, "preserveAspectRatio": "none"}
    x1, x2 = ROWS[view.row]
    return labelled(
        svg(
            218,
            296,
            pen("text", "map.head", "heading start", text=head, at={"x": 26, "y": 16}),
            pen("image", "map", "pixels", at=size, href=png(pixels(outputs, training.settings.low))),
            pen("circle", "map.row", "ring", at={"r": 15}, cx=X1(x1), cy=X2(x2)),
            over_map(*training.settings.targets),
            key_of_map(training.settings.low, training.settings.border),
        ),
        "The output for every pair of inputs, dark for 0, light for 1",
    )


@functools.cache
def over_map(*targets):
    parts = []
    for (x1, x2), target in zip(ROWS, targets):
        x, y = X1(x1), X2(x2)
        kind = "point true" if target == 1 else "point"
        parts.append(f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="10"/>')
        parts.append(f'<text class="{kind}" x="{x:.1f}" y="{y + 4:.1f}">{target:g}</text>')
    for tick in (0, 1):
        parts.append(label(tick, X1(tick), 28 + SIDE + 15, "tick"))
        parts.append(label(tick, 20, X2(tick) + 4, "tick y"))
    parts.append(label("x1", X1(1.5) - 8, 28 + SIDE + 15, "caption"))
    parts.append(label("x2", 20, X2(1.5) + 12, "tick y"))
    return "".join(parts)


@functools.cache
def key_of_map(low, border):
    top, bar = 28 + SIDE + 24, png(np.arange(254, dtype=np.uint8)[None, :])
    return (
        f'<image href="{bar}" x="26" y="{top}" width="{SIDE}" height="10" preserveAspectRatio="none"/>'
        + label(f"{low:g} or less", 26, top + 24, "caption start")
        + label(f"{border:g}", 26 + SIDE / 2, top + 24, "caption")
        + label("1 or more", 26 + SIDE, top + 24, "caption end")
        + label(f"white line: the output is {border:g}", 26, top + 42, "caption start")
    )


# The loss


def curve(pen, training, view):
    points = [*training.curve.points(), (training.epochs, training.total)]
    shown = None if None in training.outputs else training.total
    name = training.settings.loss.replace("_", " ").replace("binary cross", "binary cross-")
    drawn = loss_chart.losses(pen, points, shown, name, training.epochs, max(view.goal, training.epochs, 1))
    return labelled(svg(loss_chart.WIDTH, loss_chart.HEIGHT, drawn), "The loss at each epoch")


# The gradients

SIZES = Scale(*DECADES, 154, 448)  # of exponents
ZERO = 122  # the left end of the bin for 0


def bins(gradients):
    """Count the gradients that are 0, and those in each half decade of size (beyond the axis: in the last)."""
    zeros, counts = 0, [0] * BINS
    for size in map(abs, gradients):
        if size == 0:
            zeros += 1
        elif math.isfinite(size):
            counts[min(BINS - 1, max(0, math.floor(2 * (math.log10(size) - DECADES[0]))))] += 1
    return zeros, counts


def mean_sizes(training):
    """Return for each layer the mean size of its gradients, and how many are not finite, in words."""
    said = []
    for _, parameters in training.groups():
        gradients = [real_of(p, "grad") for p in parameters]
        numbers = [abs(gradient) for gradient in gradients if math.isfinite(gradient)]
        lost = len(gradients) - len(numbers) if training.known else 0
        mean = sum(numbers) / len(numbers) if training.known and numbers else None
        said.append((f"mean {steady(mean)}", f"{lost} nan or inf" if lost else ""))
    return said


def histogram(pen, training, view):
    """Draw the sizes of the gradients of each layer's weights and biases, in the same bins, one row per layer."""
    groups = training.groups()
    height, said, parts = 124 / len(groups), mean_sizes(training), []
    step = (SIZES.end - SIZES.start) / BINS
    for i, (_, parameters) in enumerate(groups):
        base, room = 28 + height * (i + 1) - 4, min(height - 12, 60)
        zeros, counts = bins([real_of(p, "grad") for p in parameters]) if training.known else (0, [0] * BINS)
        tallest = max(1, *counts, zeros)
        outline = step_outline(counts, tallest, room, step)
        tall = room * zeros / tallest
        kind = f"bars s{i % 4}"
        parts += [
            pen("text", f"hist.{i}.mean", "caption start", text=said[i][1] or said[i][0], at={"x": 2, "y": base - 1}),
            pen("rect", f"hist.{i}.zero", kind, at={"x": ZERO, "width": 22}, y=base - tall, height=tall),
            pen("path", f"hist.{i}", kind, d=f"M{SIZES.start},{base:.1f}{outline}V{base:.1f}Z"),
        ]
    names = tuple(f"{name}: {len(parameters)}" for name, parameters in groups)
    drawing = svg(458, 188, under_histogram(names), *parts)
    return labelled(drawing, "Histogram of the sizes of the gradients, one row for each layer")


@functools.cache
def under_histogram(names):
    """Draw the fixed parts of the histograms. names: of the rows."""
    rows = ", one row for each layer" if names[0].startswith("layer") else ""
    parts = [label("Gradients", 2, 16, "heading start")]
    parts.append(label(f"size of ∂loss/∂parameter{rows}", (ZERO + 448) / 2, 183, "caption"))
    for power in range(DECADES[0], DECADES[1] + 1):
        x = SIZES(power)
        parts.append(f'<path class="grid" d="M{x:.1f},28V150"/>')
        if power % 2 == 0:
            parts.append(label(power_text(power), x, 167, "tick"))
    parts.append(label("0", ZERO + 11, 167, "tick"))
    for i, name in enumerate(names):
        base = 28 + 124 / len(names) * (i + 1) - 4
        parts.append(label(name, 2, base - 16, "caption start"))
        parts.append(f'<path class="axis" d="M{ZERO},{base:.1f}H{SIZES.end}"/>')
    return "".join(parts)
