"""The settings of a training run on XOR, and the inputs of labs for them."""

import math
import random
from dataclasses import dataclass, replace

from autograd import MLP
from autograd.errors import validation
from autograd.training import nn
from figures.graph.network import SHOWS
from figures.page.inputs import Input, choice, switch
from figures.page.player import Control

ROWS = ((0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0))
ODD = (False, True, True, False)  # the rows for which XOR is true
HALF = "all 0.5"  # every weight ½, every bias 0: the symmetric start
INITIALISATIONS = (*nn.INITIALISATIONS, HALF)
LOSSES = ("sum_of_squares", "mean_squares", "half_squares", "binary_cross_entropy", "hinge")
MOST = 8  # neurons in a hidden layer
SPEEDS = {"2 a second": 2, "10 a second": 10, "100 a second": 100, "full speed": None}  # steps
RUNS = ("100", "500", "1000", "5000", "20000")  # epochs that one press of Play may run


@dataclass(frozen=True)
class Settings:
    """A network and how it is trained. hidden: the sizes of its hidden layers, none to two of them."""

    hidden: tuple = (4,)
    activation: str = "tanh"
    output: str = "tanh"
    init: str = "uniform"
    seed: int = 0
    loss: str = "sum_of_squares"
    lr: float = 0.1

    @property
    def sizes(self):
        """The number of inputs, and of neurons in each layer."""
        return [2, *self.hidden, 1]

    @property
    def low(self):
        """The target of a false row: -1 for the hinge loss, otherwise 0; that of the others is 1."""
        return -1.0 if self.loss == "hinge" else 0.0

    @property
    def targets(self):
        """The target of each row."""
        return [1.0 if odd else self.low for odd in ODD]

    @property
    def border(self):
        """The output between the two classes."""
        return (1.0 + self.low) / 2

    def right(self, output, target):
        """Return whether an output is on its target's side of the border."""
        return abs(output - target) < 1.0 - self.border

    def initialisation(self):
        return (lambda rng, fan_in, fan_out: 0.5) if self.init == HALF else self.init

    def mlp(self):
        return MLP(2, self.sizes[1:], self.activation, self.output, self.initialisation(), rng=random.Random(self.seed))


def rate(value):
    value = validation.real(value, "the learning rate")
    if not 0 < value < math.inf:
        raise ValueError(f"the learning rate is a positive number, got {value!r}.")
    return value


def size(value):
    """Check the size of a hidden layer; 0 means that there is none."""
    return whole(value, "the size of a hidden layer", 0, MOST)


def seed(value):
    return whole(value, "seed", 0, None)


def epochs(value):
    """Return a number of epochs as the text of a choice; raise ValueError if it is invalid."""
    if isinstance(value, str) and not (value.isdecimal() and int(value)):
        raise ValueError(f"epochs is a whole number of at least 1, got {value!r}.")
    return str(whole(int(value) if isinstance(value, str) else value, "epochs", 1, None))


def whole(n, what, low, high):
    """Return `n` as an int; raise ValueError unless it is whole and from `low` to `high` (None: no limit)."""
    if isinstance(n, bool) or not isinstance(n, (int, float)) or n != n or n in (math.inf, -math.inf) or n != int(n):
        raise ValueError(f"{what} is a whole number, got {n!r}.")
    if n < low or (high is not None and n > high):
        raise ValueError(
            f"{what} is a whole number {f'from {low} to {high}' if high else f'of at least {low}'}, got {n!r}."
        )
    return int(n)


INPUTS = {
    each.name: each
    for each in (
        Input(Control("range", "lr", "learning rate", min=-3, max=1, step=0.05, log=True), rate),
        Input(Control("range", "seed", "seed", min=0, max=99, step=1, whole=True), seed),
        Input(Control("range", "hidden1", "hidden 1", min=0, max=MOST, step=1, whole=True), size),
        Input(Control("range", "hidden2", "hidden 2", min=0, max=MOST, step=1, whole=True), size),
        choice("activation", nn.ACTIVATIONS),
        choice("output", nn.ACTIVATIONS),
        choice("init", INITIALISATIONS),
        choice("loss", LOSSES),
        choice("speed", SPEEDS),
        choice("by", ("epoch", "sample"), "step by"),
        Input(Control("choice", "epochs", "epochs a run", options=RUNS), epochs),
        choice("shows", SHOWS, "lines show"),
        switch("zero_grad", "zero_grad()"),
    )
}


def controls(values):
    """Return the controls of INPUTS at these values, {name: Control}, in the order of the values."""
    made = {name: INPUTS[name].control_at(value) for name, value in values.items()}
    if "seed" in made:
        made["seed"] = replace(made["seed"], max=max(99, made["seed"].value))
    made["epochs"] = replace(made["epochs"], options=tuple(sorted({*RUNS, made["epochs"].value}, key=int)))
    return made


def settings_of(values):
    """Return the Settings from the values of INPUTS; raise ValueError or TypeError if one is wrong."""
    found = {name: each.check(values[name]) for name, each in INPUTS.items() if name in values}
    if found["loss"] == "binary_cross_entropy" and found["output"] != "sigmoid":
        raise ValueError(
            f"binary_cross_entropy needs outputs between 0 and 1, and {found['output']} can be outside that range. "
            "Choose sigmoid as the output, or a different loss."
        )
    names = ("activation", "output", "init", "seed", "loss", "lr")
    return Settings(tuple(filter(None, (found["hidden1"], found["hidden2"]))), *(found[name] for name in names))


def checked(hidden, activation, output, init, seed, loss, lr):
    """Return the Settings from given arguments; raise ValueError or TypeError if one is wrong."""
    given = {"activation": activation, "output": output, "init": init, "seed": seed, "loss": loss, "lr": lr}
    return settings_of({**hidden_values(hidden), **given})


def hidden_values(hidden):
    """Return the values of both inputs for hidden layers: from a number for one layer, or a list for none to two."""
    found = list(hidden) if isinstance(hidden, (list, tuple)) else [hidden]
    if len(found) > 2:
        raise ValueError(f"this lab has at most two hidden layers, got {len(found)}.")
    return dict(zip(("hidden1", "hidden2"), [*found, 0, 0]))
