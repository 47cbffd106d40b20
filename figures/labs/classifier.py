"""The classifier lab: a network learns ten digits; its loss, gradients, steps, weights and mistakes while it does."""

import math
from dataclasses import replace

import numpy as np

from figures.labs.classifier_picture import WORST, draw, mean_size, percent
from figures.labs.shared import BUTTONS, Trained, buttons
from figures.page.inputs import Inputs, above_zero, choice, switch, whole
from figures.page.panels import Panels
from figures.page.pen import Stage
from figures.page.player import Frame
from figures.page.style import number
from figures.training.digit_nets import BATCHES, INITS, LAYERS, OPTIMIZERS, RATES, DigitNet, Settings
from figures.training.settings import SPEEDS

RUN = 20  # epochs that a press of Play runs
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
NAMES = ("hidden", "lr", "init", "optimizer", "seed", "shuffled")  # of inputs that are settings as they stand
ROOM = (  # as long as any sentence
    "A 64-64-10 network, not trained yet. Loss 0.000e+00 on the training pictures, whose labels are shuffled; 99.9 % "
    "of them right, and 99.9 % of the test pictures. Press Play or Step."
)


def classifier(
    hidden=32,
    lr=None,
    *,
    batch=50,
    init="he",
    optimizer="SGD",
    seed=0,
    shuffled=False,
    speed="full speed",
):
    """Train a 64-hidden-10 relu network on pictures of digits, live: losses, gradients, steps, weights and mistakes.

    hidden: units in the hidden layer, 4 to 64. batch: pictures a step: 1, 10, 50, 200 or 1400. lr: the learning rate,
    above 0; None: the optimizer's usual one. optimizer: "SGD" (0.5), "momentum" (SGD with 0.9; 0.05) or "Adam" (0.01).
    init: of the weights, "he", "xavier", "normal", "N(0, 0.01²)" or "all 0"; biases begin at 0. seed: of the weights
    and of the order of the pictures, 0 to 99. shuffled: whether the training labels are mixed up at random; those of
    the test stay. speed: steps, "2 a second" to "full speed".

    Nothing is trained until a button is pressed. ValueError or TypeError, if an argument is none of these.
    """
    optimizer = choice("optimizer", OPTIMIZERS).check(optimizer)
    asked = {"hidden": hidden, "lr": RATES[optimizer] if lr is None else lr, "init": init, "optimizer": optimizer}
    asked |= {"batch": str(batch), "seed": seed, "shuffled": shuffled, "speed": speed}
    return Classifier(INPUTS.checked(asked))


class Classifier(Trained):
    """The lab of `classifier`."""

    inputs, rates, goal = INPUTS, RATES, RUN
    going = "Training, up to epoch {}. Pause stops it; the learning rate acts at once."

    def __init__(self, values):
        self.net = net_of(values)
        super().__init__(values)

    def stage(self, values):
        """The Recording of this network, and the controls."""
        stage = Stage(draw)
        self.said = f"A 64-{values['hidden']}-10 network, not trained yet. {standing(self.net)} Press Play or Step."
        recording = Panels(
            "Ten digits",
            [Frame(self.said, self.at(), stage.marks(self.net, self.goal))],
            stage,
            "A network that learns ten digits: its loss, its gradients, the size of its steps, the weights of its "
            "first layer, the pictures that it gets most wrong, and what it takes for what.",
            room=ROOM,
            places=((0, 0), (340, 0), (680, 0), (0, 232), (340, 232), (680, 232)),
        )
        return recording, [*buttons(BUTTONS), *INPUTS.controls(**values)]

    def begin(self, values):
        self.net, self.goal = net_of(values), RUN

    def take(self, values):
        self.runner.rate = SPEEDS[values["speed"]]
        self.net.settings = replace(self.net.settings, lr=values["lr"])

    def next_goal(self):
        return int(self.net.epochs / RUN) * RUN + RUN

    def look(self):
        self.net.look()

    def step(self):
        """A step on the next batch, for the runner. Returns whether there is more to do."""
        self.net.step()
        self.goal = max(self.goal, math.ceil(self.net.epochs))
        return self.net.epochs < self.goal and not self.net.exploded

    def draw(self, controls=()):
        self.net.look()
        super().draw(controls)

    def marks(self):
        return self.recording.render.marks(self.net, self.goal)

    def at(self):
        """The counter."""
        return f"epoch {self.net.epochs:.3g} of {self.goal}"

    def standing(self, begin):
        """How far it is, and what it has learned, in a sentence."""
        net = self.net
        steps = f"{net.steps} step{'s' * (net.steps != 1)}"
        if net.exploded:
            return f"Stopped after {steps}: a number is past the largest float. Take a smaller rate, and press Reset."
        epochs = f"{net.epochs:.3g}"
        words = standing(net)
        return f"{begin} {epochs} epoch{'s' * (epochs != '1')} ({steps}): {words[0].lower()}{words[1:]}"

    def text(self):
        """What the lab shows, in sentences."""
        net, test = self.net, self.net.tested
        sizes = (mean_size(gradient, net.known) for gradient in net.gradients())
        moves = (number(moved) if net.known else "–" for moved in net.moved)
        names = [f"layer {i + 1}" for i in range(LAYERS)]
        worst = "; ".join(worst_in_words(net, i) for i in test.worst[:WORST])
        wrong = sorted(((-test.confusion[a, b], a, b) for a, b in mistakes(test)))[:WORST]
        wrong = [f"a {a} taken for a {b}: {-count}" for count, a, b in wrong]
        return "\n".join(
            [
                f"{self.at().capitalize()}. {self.said}",
                f"Mean size of the gradients of the last batch: {pairs(names, sizes)}.",
                f"Last step beside the weights: {pairs(names, moves)}.",
                f"Test pictures with the largest losses: {worst}.",
                f"Most frequent mistakes: {'; '.join(wrong) or 'none'}.",
            ]
        )


def net_of(values):
    """The network of these values, not trained."""
    return DigitNet(Settings(batch=int(values["batch"]), **{name: values[name] for name in NAMES}))


# Sentences


def pairs(names, things):
    """Names with what belongs to each: layer 1 0.0132, layer 2 0.0471."""
    return ", ".join(f"{name} {thing}" for name, thing in zip(names, things))


def standing(net):
    """Loss and right answers as they are."""
    data, mixed = net.data, ", whose labels are shuffled" if net.settings.shuffled else ""
    return (
        f"Loss {number(net.loss)} on the training pictures{mixed}; {percent(net.right, len(data.train))} of them "
        f"right, and {percent(net.tested.right, len(data.test))} of the test pictures."
    )


def worst_in_words(net, i):
    """A picture of the test: what it is, what the network says, and its loss."""
    return f"a {net.data.test_labels[i]}, said {net.tested.said[i]}, loss {number(float(net.tested.losses[i]))}"


def mistakes(test):
    """(digit, other) of each digit that was taken for another."""
    return [(a, b) for a, b in np.argwhere(test.confusion).tolist() if a != b]
