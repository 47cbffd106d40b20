"""Deep networks that learn the two moons, on arrays: losses, gradients, and how far each layer has moved."""

import functools
import math
from dataclasses import dataclass

import numpy as np

from autograd.lessons.depth import drawn, norm
from autograd.lessons.moons import make_moons
from autograd.tensor import Tensor, quiet
from autograd.training.nn import INITIALISATIONS
from autograd.training.optim import SGD, Adam
from figures.training.run import Curve

POINTS = 100  # of the two moons
GUESS = math.log(2)  # the loss of an output that is ½ for every point
DESCENT, ADAM = "SGD", "Adam"
OPTIMIZERS = {DESCENT: SGD, ADAM: Adam}
RATES = {DESCENT: 0.1, ADAM: 0.003}  # most networks of 12 layers learn within 300 steps at these rates
SCALES = {"1": lambda depth: 1.0, "1/√L": lambda depth: 1 / math.sqrt(depth)}  # of a residual layer, for L layers
BACK = 100  # steps over which a loss is watched
STILL = 0.01  # a loss that changed by less than this share of itself over BACK steps no longer moves
ENOUGH = 95  # right points, of 100, of a network that has learned
EPSILON = 1e-5  # keeps layer normalisation from dividing by 0, as in PyTorch

BEGUN, LEARNED, LEARNS, STANDS, LEVEL, WORSE, EXPLODED = (
    *("not trained", "has learned", "learns", "stands still", "levelled off", "gets worse", "exploded"),
)


@dataclass(frozen=True)
class Kind:
    """A kind of deep network: how it differs from the others."""

    name: str
    activation: str
    init: str
    gain: float = 1.0
    residual: bool = False


KINDS = (
    Kind("sigmoid with Xavier", "sigmoid", "xavier"),
    Kind("tanh with Xavier", "tanh", "xavier"),
    Kind("relu with N(0, 0.01²)", "relu", "normal", 0.01),
    Kind("relu with He", "relu", "he"),
    Kind("residual relu with He", "relu", "he", residual=True),
)


@dataclass(frozen=True)
class Settings:
    """The settings that all networks share. depth: how many layers have weights; the last of them has one unit."""

    depth: int = 12
    width: int = 16
    seed: int = 0
    optimizer: str = DESCENT
    lr: float = RATES[DESCENT]
    layer_norm: bool = False
    residual_scale: str = "1/√L"

    @property
    def sizes(self):
        """The number of inputs, and of units in each layer."""
        return [2, *[self.width] * (self.depth - 1), 1]


@functools.cache
def moons():
    """Return points of two half-moons, shape (100, 2), and which moon each is of, 0 or 1, shape (100, 1)."""
    points, labels = make_moons(n_samples=POINTS, noise=0.1, random_state=1337)
    return points, labels[:, None].astype(float)


class DeepNet:
    """A deep network of a Kind that learns the moons; each step takes all points.

    Layer l computes z_l = h_{l-1} W_l + b_l and h_l = φ(z_l); a residual one, h_l = h_{l-1} + scale · φ(z_l), if the
    shapes of both fit. The last layer's z is the score, whose sigmoid is the probability of moon 1. Layer
    normalisation brings each z_l but the last to mean 0 and mean square 1, over its units, for each point.
    """

    def __init__(self, kind, settings):
        self.kind, self.settings = kind, settings
        rng = np.random.RandomState(settings.seed)
        shapes = list(zip(settings.sizes, settings.sizes[1:]))
        self.weights = [Tensor(kind.gain * drawn(INITIALISATIONS[kind.init], rng, *shape)) for shape in shapes]
        self.biases = [Tensor(np.zeros(units)) for _, units in shapes]
        self.start = [weights.data.copy() for weights in self.weights]
        self.sizes = [norm(start) for start in self.start]
        self.optimizer = OPTIMIZERS[settings.optimizer]([*self.weights, *self.biases], settings.lr)
        self.steps, self.curve, self.past = 0, Curve(), []
        self.measure_state()
        self.first = self.gradients()  # before the first step

    @quiet
    def scores(self, points):
        """Return the score of each point, a Tensor of shape (n, 1)."""
        h, scale = Tensor(points), SCALES[self.settings.residual_scale](self.settings.depth)
        for weights, biases in zip(self.weights[:-1], self.biases):
            z = h @ weights + biases
            a = getattr(normalised(z) if self.settings.layer_norm else z, self.kind.activation)()
            h = h + scale * a if self.kind.residual and h.shape == a.shape else a
        return h @ self.weights[-1] + self.biases[-1]

    @quiet
    def measure_state(self):
        """Compute the loss, the gradients and how many points are right, with the current parameters."""
        points, labels = moons()
        scores = self.scores(points)
        loss = scores.binary_cross_entropy(labels).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.loss, self.right = float(loss), int(((scores.data > 0) == (labels == 1)).sum())
        self.past = [*self.past[-BACK:], self.loss]
        self.exploded = not all(math.isfinite(array.sum()) for array in (loss.data, *(w.data for w in self.weights)))

    @quiet
    def step(self):
        """Move each parameter once, by the current gradients; do nothing once a number has overflowed."""
        if self.exploded:
            return
        self.curve.add(self.loss)
        self.optimizer.lr = self.settings.lr
        self.optimizer.step()
        self.steps += 1
        self.measure_state()

    def gradients(self):
        """Return the size (root mean square) of the gradient of each layer's weights."""
        return [float(norm(weights.grad)) for weights in self.weights]

    @quiet
    def moved(self):
        """Return how far each layer's weights are from their start, as a share of their size there."""
        parts = zip(self.weights, self.start, self.sizes)
        return [float(norm(weights.data - start) / size) for weights, start, size in parts]

    @property
    def state(self):
        """The network's state, judged by its loss now compared with that of 100 steps ago, or its first.

        "exploded": a number has overflowed. "has learned": at least 95 of the 100 points are right. Otherwise it
        "learns" if the loss fell by 1 % of itself, "gets worse" if it rose by that; if it did neither, it has "levelled
        off" if it is lower than a guess by 1 %, and otherwise "stands still".
        """
        if self.exploded:
            return EXPLODED
        if not self.steps:
            return BEGUN
        if self.right >= ENOUGH:
            return LEARNED
        change = self.loss - self.past[0]
        if abs(change) < STILL * self.past[0]:
            return LEVEL if self.loss < (1 - STILL) * GUESS else STANDS
        return LEARNS if change < 0 else WORSE


def normalised(z):
    """Normalise over the units: z minus its mean, divided by the root mean square of the result."""
    centred = z.data - mean(z.data)
    spread = np.sqrt(mean(centred * centred) + EPSILON)
    normal = centred / spread

    def vjp(upstream):
        return (upstream - mean(upstream) - normal * mean(upstream * normal)) / spread

    return Tensor(normal, (z,), "normalised", "", (vjp,))


def mean(array):
    """Return the mean over the units, kept as an axis of size 1."""
    return array.sum(axis=-1, keepdims=True) / array.shape[-1]
