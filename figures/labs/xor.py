"""The XOR lab: the scalar engine trains a network on four rows, and everything that changes is seen as it does.

The engine and the network may be the learner's own: `Own` is a run of those.
"""

import functools
import math
import textwrap
from dataclasses import dataclass, replace

import numpy as np

from figures.charts import losses as chart
from figures.graph.draw import clean
from figures.graph.network import HEIGHT, WIDTH, network, real_of
from figures.page.inputs import choice
from figures.page.panels import Panels, described
from figures.page.pen import Stage
from figures.page.player import Control, Frame
from figures.page.style import number
from figures.page.svg import Scale, label, power_text, svg
from figures.training.own import Own, usable
from figures.training.run import Training
from figures.training.session import Session
from figures.training.settings import HALF, INPUTS, ROWS, SPEEDS, controls, hidden_values, settings_of
from figures.training.surface import REACH, pixels, png

DECADES = (-8, 2)  # of the histogram's axis; below stands a bin for 0
BINS = 2 * (DECADES[1] - DECADES[0])
ROOM = (  # a sentence as long as any but of a run that ends otherwise than its twin in the lottery
    "A 2-8-8-1 network, 105 parameters, from weights ½ and biases 0, all hidden neurons alike; nothing is trained yet. "
    "The loss is 0.000e+00. 0 of 4 rows are right. Press Play or Step."
)
OWN_ROOM = (  # the same for a network of the learner's own
    "Your own MLP(2, [8, 8, 1]), on your own Value: 105 parameters, from seed 99. Nothing is trained yet. Its neurons "
    "are always tanh, its first weights lie between -1 and 1. The loss is 0.000e+00. 0 of 4 rows are right. Press Play "
    "or Step."
)
FIXED = {"activation": "tanh", "output": "tanh", "init": "uniform"}  # what the classes of lesson 08 do, and xor's own
SYMMETRIC = {
    **{"hidden1": 2, "hidden2": 0, "activation": "sigmoid", "output": "sigmoid", "init": HALF},
    **{"loss": "sum_of_squares", "lr": 1.0},
}


def xor(
    hidden=4,
    activation="tanh",
    output="tanh",
    init="uniform",
    seed=0,
    lr=0.1,
    loss="sum_of_squares",
    *,
    network=None,
    zero_grad=True,
    epochs=1000,
    by="epoch",
    speed="100 a second",
    shows="weights",
):
    """Train a network on XOR, live: outputs, loss curve, decision map, network and gradients, while it runs.

    hidden: neurons in the hidden layer, 0 to 8; a list for two layers, [4, 4]; [] for none. activation, output: of the
    hidden layers and of the last one. init: a name of autograd.nn.INITIALISATIONS, or "all 0.5" with biases 0.
    seed: of random.Random. loss: a name in autograd.losses; "hinge" has targets -1 and 1. zero_grad: False leaves old
    gradients in place, so that they add up. epochs: how many a press of Play runs. by: "epoch" makes one update from
    all four rows, "sample" one from each. speed: steps, "2 a second", "10 a second", "100 a second" or "full speed".
    shows: what the lines of the network stand for, "weights" or "gradients".

    network: a class of your own such as MLP, which is called as MLP(2, [4, 1]) after random.seed(seed). Then your own
    network is trained on your own Value; it decides activation, output and init itself, and loss is one of squares.

    Nothing is trained until a button is pressed. ValueError or TypeError, if an argument is none of these.
    """
    asked = {"lr": lr, "seed": seed, **hidden_values(hidden), "activation": activation, "output": output, "init": init}
    asked |= {"loss": loss, "speed": speed, "by": by, "epochs": epochs, "shows": shows, "zero_grad": zero_grad}
    return Trainer(asked, network)


@dataclass(frozen=True)
class View:
    """What of a run is shown, and how: a row, weights or gradients, and the epoch at which a run of Play ends."""

    row: int = 1
    shows: str = "weights"
    goal: int = 1000


class Trainer(Session):
    """The lab of `xor`. twin: of a run that the lottery has loaded, for as long as it is the same run.

    network: the class of the learner's own network, or None for the engine's MLP.
    """

    twin = None

    def __init__(self, values, network=None):
        self.network = usable(network)
        self.training = self.new(self.settings_of(values))
        self.view = View(shows=values["shows"], goal=int(values["epochs"]))
        super().__init__({**values, "epochs": str(values["epochs"])})
        if self.network is not None:
            self.draw()  # tells the page which controls are fixed, and what the class raised

    def new(self, settings):
        """A run that has not begun."""
        return Training(settings) if self.network is None else Own(settings, self.network)

    def settings_of(self, values):
        """Settings from the values of the controls; ValueError or TypeError, with a sentence, if one is wrong."""
        if self.network is not None:
            for name, value in FIXED.items():
                if values[name] != value:
                    raise ValueError(f"with a network of your own {name} is what your class has: leave it out.")
            choice(
                "loss", Own.losses, says=f"the loss of a network of your own is one of {', '.join(Own.losses)}"
            ).check(values["loss"])
        return settings_of(values)

    def stage(self, values):
        """The Recording of a network of this shape, and the controls."""
        training, stage = self.training, Stage(draw)
        self.said = opening(training)
        shape, own = "-".join(map(str, training.settings.sizes)), isinstance(training, Own)
        recording = Panels(
            f"Training on XOR: your own {training.name}" if own else "Training on XOR",
            [Frame(self.said, at(training, self.view), stage.marks(training, self.view))],
            stage,
            f"{'Your own' if own else 'A'} {shape} network that is trained on XOR: its weights, its outputs for the "
            "four rows, its output over the plane, its loss and its gradients.",
            room=OWN_ROOM if own else ROOM,
            places=((0, 0), (536, 0), (712, 0), (0, 308), (470, 308)),
        )
        return recording, controls_of(values, training)

    # What was asked for

    def answer(self, values, presses):
        """A change of the controls, and presses of the buttons and of the rows."""
        presses, values = self.paused_by(presses), {**self.values, **values}  # a control that is fixed sends no value
        if "symmetric" in presses:
            values = {**values, **SYMMETRIC}
        settings = self.settings_of(values)
        anew = "reset" in presses or "symmetric" in presses
        if anew or replace(settings, lr=1.0) != replace(self.training.settings, lr=1.0):
            self.begin(settings, values, moved="symmetric" in presses)
        self.take(settings, values)
        for press in presses:
            if press.startswith("row.") and press[4:] in ("0", "1", "2", "3"):
                self.view = replace(self.view, row=int(press[4:]))
            elif press == "step":
                self.pause()
                self.one_step()
            elif press == "play":
                self.play()
        self.draw(told="symmetric" in presses)

    def begin_with(self, twin=None, **changed):
        """Begin anew with some controls changed, as if they had been moved by hand. Nothing is trained."""
        values = {**self.values, **changed, "by": "epoch", "zero_grad": True}
        settings = self.settings_of(values)
        self.begin(settings, values, moved=True)
        self.take(settings, values)
        self.twin = twin
        self.draw(told=True)

    def begin(self, settings, values, moved=False):
        """A new network, not trained; a new stage too, unless all is as before. moved: as `restage` has it."""
        self.runner.stop()
        before, self.training = self.training, self.new(settings)
        as_before = settings == before.settings and self.training.shape() == before.shape()
        self.twin = self.twin if as_before else None
        self.view, self.playing = replace(self.view, goal=int(values["epochs"])), False
        self.said = opening(self.training)
        if not as_before:
            self.restage(values, moved)

    def take(self, settings, values):
        """The controls that change a run without ending it."""
        if any(values[name] != self.values[name] for name in ("lr", "by", "zero_grad")):
            self.twin = None
        self.training.settings = settings
        self.training.optimizer.lr = settings.lr
        self.runner.rate = SPEEDS[values["speed"]]
        if values["epochs"] != self.values["epochs"]:
            length = int(values["epochs"])
            self.view = replace(self.view, goal=max(length, self.training.epochs))
        self.view = replace(self.view, shows=values["shows"])
        self.values = dict(values)

    def text(self):
        """What the lab shows, in sentences."""
        training = self.training
        rows = [said_of(training, i) for i in range(len(ROWS))]
        means = [
            ", ".join(filter(None, (name, *said))) for (name, _), said in zip(training.groups(), mean_sizes(training))
        ]
        inside = "; ".join(", ".join(map(number, layer)) for layer in training.found(self.view.row)[1:])
        return "\n".join(
            [
                f"{at(training, self.view).capitalize()}. {self.said}",
                *([training.fault] if training.fault and training.fault != self.said else []),
                *(f"{said}." for said in rows),
                f"Activations for {name_of(self.view.row)}, layer by layer: {inside}.",
                f"Sizes of gradients: {'; '.join(means)}.",
            ]
        )

    # Work

    def play(self):
        """Run on, to the next goal."""
        if self.training.fault:
            return
        if self.training.epochs >= self.view.goal:
            self.view = replace(self.view, goal=self.training.epochs + int(self.values["epochs"]))
        self.playing = True
        self.said = f"Training, up to epoch {self.view.goal}. Pause stops it; learning rate and zero_grad act at once."
        self.runner.start()

    def pause(self):
        """Stop, if it runs."""
        if self.runner.running:
            self.runner.stop()
            self.training.look()
            self.said = f"Paused. {standing(self.training)}"
        self.playing = False

    def one_step(self):
        """One update, and a sentence about it."""
        training, by = self.training, self.values["by"]
        if training.fault:
            return
        row = training.row
        before = training.step(by, self.values["zero_grad"])
        if by == "sample":
            self.view = replace(self.view, row=row)
            what = f"Step {training.steps}, on the row {name_of(row)} alone: its loss was {number(before)} before."
        else:
            what = f"Epoch {training.epochs}, on all four rows: the loss was {number(before)} before."
        self.view = replace(self.view, goal=max(self.view.goal, training.epochs))
        training.look()
        what = f"Stopped after {training.epochs} epochs." if training.fault else what
        self.said = f"{what} {standing(training)}"

    def step(self):
        """A piece of work for the runner."""
        training = self.training
        training.step(self.values["by"], self.values["zero_grad"])
        return not training.fault and training.epochs < self.view.goal

    def draw(self, told=False):
        """Show the run as it is. told: also what the controls stand at, where that was not the learner's doing."""
        training = self.training
        training.look()
        if training.fault:
            self.runner.stop()
        if self.ended():
            self.said = f"Stopped after {training.epochs} epochs. {standing(training)}{beside(self.twin, training)}"
        elif self.playing and training.solved_at is not None:
            self.said = (
                f"Training, up to epoch {self.view.goal}. All four rows are right since epoch {training.solved_at}."
            )
        elif self.playing and self.said.startswith("Training, up to") and "right since" in self.said:
            self.said = f"Training, up to epoch {self.view.goal}. A row has gone wrong again."
        controls = {name: {"value": value} for name, value in self.values.items()} if told else {}
        controls["play"] = {"label": "Pause" if self.playing else "Play", "disabled": bool(training.fault)}
        controls["step"] = {"disabled": bool(training.fault)}
        if self.network is not None:
            controls |= {name: {"disabled": True} for name in FIXED}
        marks = self.recording.render.marks(training, self.view)
        self.show(marks, self.said, at(training, self.view), controls, training.fault)


# Controls


def controls_of(values, training):
    """The controls, with these values. Those that a network of the learner's own decides are buttons, always off."""
    habits = {name: Control("button", name, title) for name, title in training.habits().items()}
    made = controls({name: values[name] for name in INPUTS}) | habits
    made["loss"] = replace(made["loss"], options=training.losses)
    buttons = {"play": "Play", "step": "Step", "reset": "Reset"} | ({} if habits else {"symmetric": "Symmetric start"})
    return [*(Control("button", name, title) for name, title in buttons.items()), *made.values()]


# Sentences


def name_of(row):
    """A row by its inputs: 0, 1."""
    return ", ".join(f"{x:g}" for x in ROWS[row])


def opening(training):
    """The sentence before the first step."""
    settings = training.settings
    count = len(training.optimizer.parameters)
    if isinstance(training, Own):
        return own_opening(training)
    start = "weights ½ and biases 0, all hidden neurons alike" if settings.init == HALF else f"seed {settings.seed}"
    return (
        f"A {'-'.join(map(str, settings.sizes))} network, {count} parameters, from {start}; nothing is trained yet. "
        f"{standing(training)} Press Play or Step."
    )


def own_opening(run):
    """The same of a network of the learner's own."""
    if run.fault:
        return run.fault
    parameters, first = run.optimizer.parameters, run.settings.sizes[1:]
    if run.tanh and run.small:
        habits = "Its neurons are always tanh, its first weights lie between -1 and 1."
    else:
        habits = "Its activations and its first weights are what your classes make them."
    return (
        f"Your own {run.name}(2, {first}), on your own {clean(type(parameters[0]).__name__, 16)}: "
        f"{len(parameters)} parameters, from seed {run.settings.seed}. Nothing is trained yet. {habits} "
        f"{standing(run)} Press Play or Step."
    )


def standing(training):
    """The loss and the rows as they are."""
    right = sum(training.right)
    rows = "All four rows are right" if right == 4 else f"{right} of 4 rows {'is' if right == 1 else 'are'} right"
    return f"The loss is {number(training.total)}. {rows}."


def beside(twin, training):
    """What to say where this run has come to another end than its twin in the lottery."""
    if twin is None or twin.epochs != training.epochs or twin.right == tuple(training.right):
        return ""
    return (
        f" In the lottery {sum(twin.right)} of 4 rows are right for this seed: there arrays add the same numbers in "
        "another order, and training makes much of differences in the last digit."
    )


def said_of(training, i):
    """A row's output, and whether it is right."""
    output, target = training.outputs[i], training.settings.targets[i]
    return f"Row {name_of(i)}: target {target:g}, output {number(output)}, {word_of(training, i)}"


def word_of(training, i):
    """Whether a row is right, in a word; – if it is not known."""
    return number(None) if training.outputs[i] is None else "right" if training.right[i] else "wrong"


def at(training, view):
    """The counters."""
    return f"epoch {training.epochs} of {view.goal} · step {training.steps}"


# The stage


def draw(pen, training, view):
    """The five drawings in two rows: the network, the inputs' rows and the map; the loss and the gradients."""
    rows = ((network_or_why, tiles, plane), (curve, histogram))
    drawn = ("".join(part(pen, training, view) for part in row) for row in rows)
    return "".join(f'<div class="bp-panels">{row}</div>' for row in drawn)


def network_or_why(pen, training, view):
    """The network, or in its place why it cannot be drawn, in a few lines."""
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
BAR = Scale(-0.25, 1.25, TILE[1] - 6, 6)  # of the share of the way from the lower target to 1


def tiles(pen, training, view):
    """The four rows as four tiles to press, each with its output and whether it is right."""
    parts = [label("Outputs", 4, 16, "heading start"), *(tile(pen, training, i, i == view.row) for i in range(4))]
    return described(svg(160, 296, *parts), "The four rows: press one to see it in the network", "group")


def tile(pen, training, i, pressed):
    """The tile of a row."""
    settings, output, word = training.settings, training.outputs[i], word_of(training, i)
    target, low = settings.targets[i], settings.low
    aim, top = BAR((target - low) / (1 - low)), BAR(BAR.low if output is None else (output - low) / (1 - low))
    icon = {"right": "M-5,0l4,4l7,-8", "wrong": "M-4,-4l8,8m0,-8l-8,8"}.get(word, "M0,0")
    inside = (
        f'<rect class="tile" width="{TILE[0]}" height="{TILE[1]}" rx="8"/>'
        + pen("rect", f"row.{i}.bar", "level", at={"x": TILE[0] - 21, "width": 12}, y=top, height=BAR.start - top)
        + f'<path class="mark" d="M{TILE[0] - 25},{aim:.1f}h20"/>'
        + label(f"{name_of(i)}  →  {target:g}", 10, 20, "caption start")
        + pen("text", f"row.{i}.out", "large", text=number(output), at={"x": 10, "y": 45})
        + f'<g transform="translate(71 15)">{pen("path", f"row.{i}.icon", "icon", d=icon)}</g>'
        + pen("text", f"row.{i}.word", "word", text=word, at={"x": 82, "y": 20})
    )
    at = {"transform": f"translate(4 {28 + i * (TILE[1] + 8)})", "role": "button", "tabindex": 0}
    at |= {"data-press": f"row.{i}", "data-lm-suppress-shortcuts": "true"}
    named = {"aria_pressed": str(pressed).lower(), "aria_label": said_of(training, i)}
    return pen("g", f"row.{i}", "row", inside, at=at, state=word, **named)


# The map

SIDE = 186  # of the map, in the drawing
X1 = Scale(*REACH, 26, 26 + SIDE)
X2 = Scale(*REACH, 28 + SIDE, 28)


def plane(pen, training, view):
    """The output over the plane of the inputs, with the four rows and their targets on it."""
    outputs, head = training.surface()
    size = {"x": 26, "y": 28, "width": SIDE, "height": SIDE, "preserveAspectRatio": "none"}
    x1, x2 = ROWS[view.row]
    return described(
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
    """The four rows with their targets, and the axes."""
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
    """What the colours mean."""
    top, bar = 28 + SIDE + 24, png(np.arange(254, dtype=np.uint8)[None, :])
    return "".join(
        [
            f'<image href="{bar}" x="26" y="{top}" width="{SIDE}" height="10" preserveAspectRatio="none"/>',
            label(f"{low:g} or less", 26, top + 24, "caption start"),
            label(f"{border:g}", 26 + SIDE / 2, top + 24, "caption"),
            label("1 or more", 26 + SIDE, top + 24, "caption end"),
            label(f"white line: the output is {border:g}", 26, top + 42, "caption start"),
        ]
    )


# The loss


def curve(pen, training, view):
    """The loss over the epochs of the run, and how much of the run is done."""
    points = [*training.curve.points(), (training.epochs, training.total)]
    shown = None if None in training.outputs else training.total
    name = training.settings.loss.replace("_", " ").replace("binary cross", "binary cross-")
    drawn = chart.losses(pen, points, shown, name, training.epochs, max(view.goal, training.epochs, 1))
    return described(svg(chart.WIDTH, chart.HEIGHT, drawn), "The loss at each epoch")


# The gradients

SIZES = Scale(*DECADES, 154, 448)  # of exponents
ZERO = 122  # where the bin for 0 stands


def bins(gradients):
    """How many gradients are 0, and how many fall in each half decade of size (beyond: in the last)."""
    zeros, counts = 0, [0] * BINS
    for size in map(abs, gradients):
        if size == 0:
            zeros += 1
        elif math.isfinite(size):
            counts[min(BINS - 1, max(0, math.floor(2 * (math.log10(size) - DECADES[0]))))] += 1
    return zeros, counts


def mean_sizes(training):
    """For each layer the mean size of its gradients, and how many are no number, in words."""
    said = []
    for _, parameters in training.groups():
        gradients = [real_of(p, "grad") for p in parameters]
        numbers = [abs(gradient) for gradient in gradients if math.isfinite(gradient)]
        lost = len(gradients) - len(numbers) if training.known else 0
        mean = sum(numbers) / len(numbers) if training.known and numbers else None
        said.append((f"mean {number(mean)}", f"{lost} nan or inf" if lost else ""))
    return said


def histogram(pen, training, view):
    """The sizes of the gradients of each layer's weights and biases, in the same bins, a row a layer."""
    groups = training.groups()
    height, said, parts = 124 / len(groups), mean_sizes(training), []
    step = (SIZES.end - SIZES.start) / BINS
    for i, (_, parameters) in enumerate(groups):
        base, room = 28 + height * (i + 1) - 4, min(height - 12, 60)
        zeros, counts = bins([real_of(p, "grad") for p in parameters]) if training.known else (0, [0] * BINS)
        tallest = max(1, *counts, zeros)
        outline = "".join(f"v{-room * (c - b) / tallest:.1f}h{step:.1f}" for b, c in zip([0, *counts], counts))
        tall = room * zeros / tallest
        kind = f"bars s{i % 4}"
        parts += [
            pen("text", f"hist.{i}.mean", "caption start", text=said[i][1] or said[i][0], at={"x": 2, "y": base - 1}),
            pen("rect", f"hist.{i}.zero", kind, at={"x": ZERO, "width": 22}, y=base - tall, height=tall),
            pen("path", f"hist.{i}", kind, d=f"M{SIZES.start},{base:.1f}{outline}V{base:.1f}Z"),
        ]
    names = tuple(f"{name}: {len(parameters)}" for name, parameters in groups)
    drawing = svg(458, 188, under_histogram(names), *parts)
    return described(drawing, "Histogram of the sizes of the gradients, a row a layer")


@functools.cache
def under_histogram(names):
    """What stands still in the drawing of the gradients. names: of the rows."""
    rows = ", a row a layer" if names[0].startswith("layer") else ""
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
