"""The classifier lab: a network learns ten digits; its loss, gradients, steps, weights and mistakes while it does."""

import functools
import math
from dataclasses import replace

import numpy as np

from autograd.lessons.digits import CLASSES
from figures.page.frame_recorder import FrameTemplate
from figures.page.inputs import Inputs, above_zero, choice, switch, whole
from figures.page.panels import Panels
from figures.page.picture import labelled
from figures.page.player import Frame, buttons
from figures.page.style import steady
from figures.page.svg import Scale, label, line, power_text, rungs, step_outline, svg
from figures.training import sheets
from figures.training.digit_nets import BATCHES, GUESS, INITS, LAYERS, OPTIMIZERS, RATES, DigitNet, Settings
from figures.training.session import BUTTONS, Trained, with_rate
from figures.training.settings import SPEEDS

RUN = 20  # epochs that one press of Play runs
INPUTS = Inputs(
    whole("hidden", 4, 64, "hidden units"),
    above_zero("lr", (-4, 1), "learning rate", step=0.05, what="the learning rate"),
    choice("batch", BATCHES),
    choice("init", INITS, "initialisation"),
    choice("optimizer", OPTIMIZERS),
    whole("seed", 0, 99),
    switch("shuffled", "labels shuffled"),
    choice("speed", SPEEDS),
)
NAMES = ("hidden", "lr", "init", "optimizer", "seed", "shuffled")  # inputs that are settings unchanged
WORST = 10  # pictures that the lab shows
BAND = (1e-3, 1e-1)  # the usual size of a step relative to the weights, if a network learns

WIDEST_TEXT = (  # as long as the longest sentence
    "A 64-64-10 network, not trained yet. Loss 0.000e+00 on the training pictures, whose labels are shuffled; 99.9 % "
    "of them right, and 99.9 % of the test pictures. Press Play or Step."
)


def classifier(hidden=32, lr=None, *, batch=50, init="he", optimizer="SGD", seed=0, shuffled=False, speed="full speed"):
    """Train a 64-hidden-10 relu network on pictures of digits, live: losses, gradients, steps, weights and mistakes.

    hidden: units in the hidden layer, 4 to 64. batch: pictures per step: 1, 10, 50, 200 or 1400. lr: the learning rate,
    above 0; None: the optimizer's usual one. optimizer: "SGD" (0.5), "momentum" (SGD with 0.9; 0.05) or "Adam" (0.01).
    init: of the weights, "he", "xavier", "normal", "N(0, 0.01²)" or "all 0"; biases begin at 0. seed: of the weights
    and of the order of the pictures, 0 to 99. shuffled: whether the training labels are shuffled at random; those of
    the test stay. speed: steps, "2 a second" to "full speed".

    Nothing is trained until the learner presses a button. Raise ValueError or TypeError if an argument is invalid.
    """
    optimizer = choice("optimizer", OPTIMIZERS).check(optimizer)
    asked = {"hidden": hidden, "lr": RATES[optimizer] if lr is None else lr, "init": init, "optimizer": optimizer}
    asked |= {"batch": str(batch), "seed": seed, "shuffled": shuffled, "speed": speed}
    return Classifier(INPUTS.checked(asked))


class Classifier(Trained):
    """The lab of `classifier`."""

    inputs, goal = INPUTS, RUN
    going = "Training, up to epoch {}. Pause stops it; the learning rate acts at once."

    def __init__(self, values):
        self.net = net_of(values)
        super().__init__(values)

    def set_up(self, values):
        stage = FrameTemplate(draw)
        self.said = f"A 64-{values['hidden']}-10 network, not trained yet. {standing(self.net)} Press Play or Step."
        recording = Panels(
            "Ten digits",
            [Frame(self.said, self.format_progress(), stage.updates(self.net, self.goal))],
            stage,
            "A network that learns ten digits: its loss, its gradients, the size of its steps, the weights of its "
            "first layer, the pictures that it gets most wrong, and which digits it confuses.",
            room=WIDEST_TEXT,
            places=((0, 0), (340, 0), (680, 0), (0, 232), (340, 232), (680, 232)),
        )
        return recording, [*buttons(BUTTONS), *INPUTS.controls(**values)]

    def begin(self, values):
        self.net, self.goal = net_of(values), RUN

    def apply_controls(self, values):
        self.runner.rate = SPEEDS[values["speed"]]
        self.net.settings = replace(self.net.settings, lr=values["lr"])

    def usual(self, values):
        return with_rate(values, self.values, RATES)

    def next_goal(self):
        return int(self.net.epochs / RUN) * RUN + RUN

    def prepare_view(self):
        self.net.measure_state()

    def step(self):
        """Take a step on the next batch, for the runner; return whether there is more to do."""
        self.net.step()
        self.goal = max(self.goal, math.ceil(self.net.epochs))
        return self.net.epochs < self.goal and not self.net.exploded

    def draw(self, moved=()):
        self.net.measure_state()
        super().draw(moved)

    def updates(self):
        return self.recording.render.updates(self.net, self.goal)

    def format_progress(self):
        return f"epoch {self.net.epochs:.3g} of {self.goal}"

    def standing(self, begin):
        net = self.net
        steps = f"{net.steps} step{'s' * (net.steps != 1)}"
        if net.exploded:
            return (
                f"Stopped after {steps}: a number is larger than the largest float. Use a smaller rate, and "
                "press Reset."
            )
        epochs = f"{net.epochs:.3g}"
        words = standing(net)
        return f"{begin} {epochs} epoch{'s' * (epochs != '1')} ({steps}): {words[0].lower()}{words[1:]}"

    def render_text(self):
        net, test = self.net, self.net.tested
        sizes = (mean_size(gradient, net.known) for gradient in net.gradients())
        moves = (steady(moved) if net.known else "–" for moved in net.moved)
        names = [f"layer {i + 1}" for i in range(LAYERS)]
        worst = "; ".join(worst_in_words(net, i) for i in test.worst[:WORST])
        wrong = sorted(((-test.confusion[a, b], a, b) for a, b in mistakes(test)))[:WORST]
        wrong = [f"a {a} taken for a {b}: {-count}" for count, a, b in wrong]
        return "\n".join(
            [
                f"{self.format_progress().capitalize()}. {self.said}",
                f"Mean size of the gradients of the last batch: {pairs(names, sizes)}.",
                f"Last step compared with the weights: {pairs(names, moves)}.",
                f"Test pictures with the largest losses: {worst}.",
                f"Most frequent mistakes: {'; '.join(wrong) or 'none'}.",
            ]
        )


def net_of(values):
    return DigitNet(Settings(batch=int(values["batch"]), **{name: values[name] for name in NAMES}))


# Sentences


def pairs(names, things):
    """Join each name with its value: layer 1 0.0132, layer 2 0.0471."""
    return ", ".join(f"{name} {thing}" for name, thing in zip(names, things))


def standing(net):
    data, mixed = net.data, ", whose labels are shuffled" if net.settings.shuffled else ""
    return (
        f"Loss {steady(net.loss)} on the training pictures{mixed}; {percent(net.right, len(data.train))} of them "
        f"right, and {percent(net.tested.right, len(data.test))} of the test pictures."
    )


def worst_in_words(net, i):
    return f"a {net.data.test_labels[i]}, said {net.tested.said[i]}, loss {steady(float(net.tested.losses[i]))}"


def mistakes(test):
    """Return each (digit, answer) pair that occurred with a wrong answer."""
    return [(a, b) for a, b in np.argwhere(test.confusion).tolist() if a != b]


def percent(right, count):
    return f"{100 * right / count:.1f} %"


def mean_size(gradient, known=True):
    with np.errstate(all="ignore"):
        return steady(float(np.abs(gradient).mean())) if known else steady(None)


# The stage: six drawings in two rows

WIDTH, HEIGHT = 320, 218  # of each
LEFT, RIGHT, UP, DOWN = 40, 312, 46, 172  # of a chart


def draw(pen, net, goal):
    rows = ((losses, gradients, moves), (first_weights, worst, confusion))
    drawn = ("".join(part(pen, net, goal) for part in row) for row in rows)
    return "".join(f'<div class="bp-panels">{row}</div>' for row in drawn)


def panel(alt, *parts):
    return labelled(svg(WIDTH, HEIGHT, *parts), alt)


def epochs_axis(pen, key, goal):
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
        pen("text", "loss", "heading start", text=f"Loss {steady(net.loss)}", at={"x": 2, "y": 16}),
        pen("text", "right", "caption end", text=right, at={"x": RIGHT, "y": 16}),
        pen("path", "loss.curve", "line thin s0", d=line(points, x, LOSS)),
        pen("circle", "loss.now", "dot s0", cx=x(now[0]), cy=LOSS(now[1]), r=4),
    )


@functools.cache
def under_losses():
    return (
        label("of each batch", LEFT, 36, "caption start")
        + rungs([(LOSS(tick), tick) for tick in range(4)], LEFT, RIGHT)
        + f'<path class="guide now" d="M{LEFT},{LOSS(GUESS):.1f}H{RIGHT}"/>'
        + label(f"ln 10 = {steady(GUESS)}", RIGHT, LOSS(GUESS) - 5, "caption end")
    )


DECADES = (-8, 2)  # the sizes of gradients, two bins per decade
SIZES = Scale(*DECADES, 92, RIGHT)
EDGES = np.linspace(*DECADES, 2 * (DECADES[1] - DECADES[0]) + 1)
BASES = (104, DOWN)  # of the two layers' bars
TALL = 44  # the height of the highest bar, in pixels


def counted(gradient):
    """Count (zeros, numbers of each size); sizes beyond the ends count in the last bins, nan in none."""
    sizes = np.abs(gradient).ravel()
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log10(sizes[(sizes > 0) & np.isfinite(sizes)])
    return int((sizes == 0).sum()), np.histogram(np.clip(logs, *DECADES), EDGES)[0].tolist()


def gradients(pen, net, goal):
    """Draw histograms of the sizes of the gradients of each layer's weights in the last batch."""
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
    return panel("Histogram of the sizes of the gradients, one row per layer", under_gradients(), *parts)


@functools.cache
def under_gradients():
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
    """Draw the size of each step relative to the weights, over the epochs, one line per layer."""
    x, each = Scale(0, goal, LEFT, RIGHT), net.a_whole_epoch
    parts = []
    for i, (curve, moved) in enumerate(zip(net.moves, net.moved)):
        points = [(step / each, power) for step, power in curve.points()]
        said = f"layer {i + 1} {steady(moved) if net.known else steady(None)}"
        parts.append(pen("path", f"m{i}", f"line thin s{i}", d=line(points, x, MOVES)))
        at = {"x": LEFT + 18 + 130 * i, "y": 36}
        parts.append(pen("text", f"m{i}.now", "caption start", text=said, at=at))
    axis = epochs_axis(pen, "moves", goal)
    return panel("How large each step was compared with the weights, over the epochs", under_moves(), axis, *parts)


@functools.cache
def under_moves():
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
    """Draw the weights from the 64 pixels to each hidden unit, one picture per unit."""
    units, shown = net.settings.hidden, min(net.settings.hidden, sheets.COLUMNS * sheets.ROWS)
    which = f"{shown} units" if shown == units else f"the first {shown} of {units} units"
    size = {"x": 2, "y": 28, "width": 310, "height": 310 * 35 / 71, "preserveAspectRatio": "none"}
    return panel(
        "The weights of the first layer, one 8 × 8 picture per unit",
        label("Weights of layer 1", 2, 16, "heading start"),
        pen("text", "units", "caption end", text=which, at={"x": RIGHT, "y": 16}),
        pen("image", "units.picture", "pixels", at=size, href=sheets.weights(net.weights[0].data)),
        label("dark: negative · light: positive", WIDTH / 2, 200, "caption"),
    )


SMALL, ACROSS = 46, 62  # pixels: the side of a picture, and the distance from one to the next


def worst(pen, net, goal):
    parts, test = [label("Worst test pictures", 2, 16, "heading start")], net.tested
    parts.append(label("is → guess, loss", RIGHT, 16, "caption end"))
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
            pen("text", f"worst{place}.loss", "tick", text=steady(loss), at={"x": middle, "y": y + SMALL + 29}),
        ]
    return panel("The ten test pictures with the largest losses", *parts)


CELL, CORNER = (26, 16.4), (46, 44)  # pixels: a cell of the table, and where the table begins


def confusion(pen, net, goal):
    parts, table = [under_confusion()], net.tested.confusion.tolist()
    for a in range(CLASSES):
        for b in range(CLASSES):
            x, y, count = CORNER[0] + CELL[0] * b, CORNER[1] + CELL[1] * a, table[a][b]
            state = "none" if not count else "right" if a == b else "wrong"
            at = {"x": x, "y": y, "width": CELL[0] - 1, "height": CELL[1] - 1}
            parts.append(pen("rect", f"c{a}{b}.of", "taken", at=at, state=state))
            at = {"x": x + CELL[0] / 2, "y": y + 12}
            parts.append(pen("text", f"c{a}{b}", "took", text=count or "", at=at, state=state))
    return panel("Confusion matrix: how often each test digit was taken for each digit", *parts)


@functools.cache
def under_confusion():
    parts = [label("Taken for", 2, 16, "heading start"), label("test pictures", RIGHT, 16, "caption end")]
    parts.append(label("it is", CORNER[0] - 24, 36, "caption"))
    for digit in range(CLASSES):
        parts.append(label(digit, CORNER[0] + CELL[0] * (digit + 0.5), 38, "took"))
        parts.append(label(digit, CORNER[0] - 14, CORNER[1] + CELL[1] * digit + 12, "took"))
    return "".join(parts)
