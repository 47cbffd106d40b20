"""The networks of many seeds, trained on XOR all at once on arrays, and their outcomes."""

import math
from dataclasses import dataclass

import numpy as np

from autograd.lessons.population import Population
from autograd.tensor import Tensor
from autograd.training.tensor_nn import LOSSES as ON_ARRAYS
from autograd.training.tensor_nn import binary_cross_entropy
from figures.page.style import steady
from figures.training.settings import ROWS

SEEDS = 100
STILL = 0.01  # a loss has come to rest if it fell by less than this share of itself over a tenth of the run
NEAR = 0.05  # and it is on a plateau if it is this close to it
FAR = 1e6  # a larger one has diverged
INPUTS = np.array(ROWS)

SOLVED, DEAD, MOVING, ELSEWHERE, LOST = "solved", "dead", "moving", "elsewhere", "diverged"


@dataclass(frozen=True)
class Twin:
    """The lottery's run on arrays of the same seed: after how many epochs, which rows were right."""

    epochs: int
    right: tuple


@dataclass(frozen=True)
class Outcome:
    """The outcome of a network: its class, and the plateau that it is stuck on."""

    kind: str
    plateau: float | None = None


class Race:
    """The networks of all seeds, trained together on arrays."""

    def __init__(self, settings, goal):
        self.settings, self.goal, self.epochs = settings, goal, 0
        self.logits = settings.loss == "binary_cross_entropy"  # its sigmoid is in the loss: no probability is ever 1
        output = "linear" if self.logits else settings.output
        self.networks = Population(
            range(SEEDS), 2, settings.sizes[1:], settings.activation, output, settings.initialisation()
        )
        self.targets = np.array(settings.targets)[:, None]
        self.plateaus = plateaus(settings)
        self.past = []  # the losses before each epoch
        self.measure_state()

    def loss(self, outputs, targets):
        if self.logits:
            return binary_cross_entropy(outputs, targets, from_logits=True)
        return ON_ARRAYS[self.settings.loss](outputs, targets)

    @property
    def done(self):
        """True at the end of the run."""
        return self.epochs >= self.goal

    def step(self):
        """Make one update of each network; return whether there is more to do."""
        self.past.append(self.networks.step(INPUTS, self.targets, self.settings.lr, self.loss))
        self.epochs += 1
        return not self.done

    def measure_state(self):
        """Note the current losses, outputs and gradients, and each network's outcome."""
        with np.errstate(all="ignore"):
            outputs = self.networks(INPUTS)
            loss = self.loss(outputs, self.targets)
            for parameter in self.networks.parameters():
                parameter.grad = np.zeros(parameter.shape)
            loss.sum().backward()
            self.losses = loss.data
            shown = Tensor(outputs.data).sigmoid().data if self.logits else outputs.data
            self.outputs = shown[:, :, 0]
            off = np.abs(self.outputs - self.targets[:, 0])
            self.right = off < 1.0 - self.settings.border
            grads = [np.abs(p.grad).reshape(SEEDS, -1).max(axis=1) for p in self.networks.parameters()]
            largest = np.max(grads, axis=0)
            before = self.past[-max(1, self.goal // 10)] if len(self.past) >= max(1, self.goal // 10) else None
            rest = np.abs(before - self.losses) < STILL * self.losses if before is not None else np.zeros(SEEDS, bool)
        with np.errstate(invalid="ignore"):
            finite = (self.losses < FAR) & np.isfinite(self.outputs).all(axis=1)
        self.outcomes = [self.outcome(i, finite[i], largest[i] == 0, rest[i]) for i in range(SEEDS)]

    def outcome(self, i, finite, silent, rest):
        if not finite:
            return Outcome(LOST)
        if self.right[i].all():
            return Outcome(SOLVED)
        if silent:
            return Outcome(DEAD)
        if not rest:
            return Outcome(MOVING)
        near = [p for p in self.plateaus if abs(self.losses[i] - p) <= NEAR * p]
        return Outcome("stuck", near[0]) if near else Outcome(ELSEWHERE)

    def sentence(self, seed):
        outcome, loss = self.outcomes[seed], steady(float(self.losses[seed]))
        right = int(self.right[seed].sum())
        said = {
            SOLVED: "solved",
            DEAD: "dead, no parameter gets a gradient",
            MOVING: "not solved yet",
            ELSEWHERE: "stuck off the plateaus",
            LOST: "diverged",
        }.get(outcome.kind, f"stuck near {steady(outcome.plateau)}")
        return f"Seed {seed}: {said}; loss {loss}, {right} of 4 rows right."


def plateaus(settings):
    """Return the losses at which some rows share their best common output, and all others are right.

    Of two, three or four rows that have both targets, a share q is true; the best common output is then their mean for
    squares, and q for cross-entropy. Largest first; none for the hinge loss.
    """
    if settings.loss == "hinge":
        return []
    shares = ((4, 0.5), (3, 1 / 3), (2, 0.5))  # rows together, and the smaller share of them
    if settings.loss == "binary_cross_entropy":
        return [n / 4 * -(q * math.log(q) + (1 - q) * math.log(1 - q)) for n, q in shares]
    scale = {"sum_of_squares": 1.0, "mean_squares": 0.25, "half_squares": 0.5}[settings.loss]
    return [scale * n * q * (1 - q) for n, q in shares]


def classes(settings):
    """Return all outcomes that these settings may have, each with its name."""
    stuck = [(Outcome("stuck", p), f"stuck near {steady(p)}") for p in plateaus(settings)]
    return [
        (Outcome(SOLVED), "solved"),
        *stuck,
        (Outcome(ELSEWHERE), "stuck elsewhere"),
        (Outcome(DEAD), "dead: no gradient"),
        (Outcome(LOST), "diverged"),
        (Outcome(MOVING), "still learning"),
    ]


def counts(race):
    return {outcome: race.outcomes.count(outcome) for outcome, _ in classes(race.settings)}
