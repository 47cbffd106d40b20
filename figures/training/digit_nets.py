"""`DigitNet`: a network that learns the ten digits, a batch at a time: losses, gradients and steps by layer."""

import functools
import math
from dataclasses import dataclass

import numpy as np

from autograd.compile.record import record
from autograd.lessons.depth import drawn, norm
from autograd.lessons.digits import CLASSES, SIDE, load_digits
from autograd.tensor import Tensor, quiet
from autograd.training.nn import INITIALISATIONS
from autograd.training.optim import SGD, Adam
from figures.training.run import Curve

GUESS = math.log(CLASSES)  # the loss of outputs that are all 1/10
DESCENT, MOMENTUM, ADAM = "SGD", "momentum", "Adam"
OPTIMIZERS = {DESCENT: SGD, MOMENTUM: functools.partial(SGD, momentum=0.9), ADAM: Adam}
RATES = {DESCENT: 0.5, MOMENTUM: 0.05, ADAM: 0.01}  # 64-32-10 learns in 20 epochs at these rates
SMALL, ZERO = "N(0, 0.01²)", "all 0"
INITS = {  # (a name in autograd.training.nn.INITIALISATIONS, a factor of each weight)
    "he": ("he", 1.0),
    "xavier": ("xavier", 1.0),
    "normal": ("normal", 1.0),
    SMALL: ("normal", 0.01),
    ZERO: ("normal", 0.0),
}
BATCHES = ("1", "10", "50", "200", "1400")
LAYERS = 2  # that have weights


@dataclass(frozen=True)
class Settings:
    """A 64-hidden-10 network with relu, and how it is trained. shuffled: whether its training labels are shuffled."""

    hidden: int = 32
    batch: int = 50
    lr: float = RATES[DESCENT]
    init: str = "he"
    optimizer: str = DESCENT
    seed: int = 0
    shuffled: bool = False

    @property
    def sizes(self):
        """The number of inputs, hidden units and outputs."""
        return [SIDE * SIDE, self.hidden, CLASSES]


@functools.cache
def digits():
    return load_digits()


@dataclass(frozen=True)
class Tested:
    """A network's answers for the test pictures. worst: numbers of pictures, the one with the largest loss first.

    confusion[i, j]: how many pictures of an i it takes for a j, shape (10, 10). said: its answers, shape (397,).
    losses: -log of the probability of the right digit, in nats, shape (397,).
    """

    right: int
    said: np.ndarray
    losses: np.ndarray
    worst: np.ndarray
    confusion: np.ndarray


class DigitNet:
    """A network while it learns: h = relu(x W₁ + b₁), scores h W₂ + b₂; the loss is the batch's mean cross-entropy.

    Weights are drawn from RandomState(seed), biases begin at 0; the same stream then orders the pictures of each
    epoch. The last batch of an epoch is smaller if the batch size does not divide 1,400.
    """

    def __init__(self, settings):
        self.settings, self.data = settings, digits()
        rng = self.rng = np.random.RandomState(settings.seed)
        name, gain = INITS[settings.init]
        shapes = list(zip(settings.sizes, settings.sizes[1:]))
        self.weights = [Tensor(gain * drawn(INITIALISATIONS[name], rng, *shape)) for shape in shapes]
        self.biases = [Tensor(np.zeros(units)) for _, units in shapes]
        labels = self.data.train_labels
        self.labels = np.random.RandomState(settings.seed).permutation(labels) if settings.shuffled else labels
        self.optimizer = OPTIMIZERS[settings.optimizer](self.parameters(), settings.lr)
        self.steps, self.order, self.at = 0, [], 0  # at: the start of the next batch in this epoch's order
        self.curve, self.moves = Curve(), [Curve(60) for _ in shapes]
        self.moved = [math.nan] * LAYERS  # the size of each layer's last step, relative to its weights
        self.known = self.exploded = False  # known: whether there has been a backward pass
        self.measure_state()

    def parameters(self):
        return [parameter for pair in zip(self.weights, self.biases) for parameter in pair]

    @property
    def a_whole_epoch(self):
        """The steps of an epoch."""
        return math.ceil(len(self.labels) / self.settings.batch)

    @property
    def epochs(self):
        """The number of epochs trained so far, a float."""
        return self.steps / self.a_whole_epoch

    @quiet
    def scores(self, pictures):
        """Return the ten scores of each picture, a Tensor of shape (n, 10)."""
        hidden = (Tensor(pictures) @ self.weights[0] + self.biases[0]).relu()
        return hidden @ self.weights[1] + self.biases[1]

    @functools.cached_property
    def recorded(self):
        """The loss of a batch, as an ArrayReplay: each step gives the engine's numbers, to the last bit."""
        batch = self.data.train[: self.settings.batch], self.labels[: self.settings.batch]
        return record(
            lambda pictures, labels: self.scores(pictures).softmax_cross_entropy(labels),
            *batch,
            parameters=self.parameters(),
        )

    @quiet
    def step(self):
        """Take one step, on the next batch; do nothing once a number has overflowed."""
        if self.exploded:
            return
        if self.at >= len(self.order):
            self.order, self.at = self.rng.permutation(len(self.labels)), 0
        rows = self.order[self.at : self.at + self.settings.batch]
        self.at += self.settings.batch
        self.optimizer.zero_grad()
        loss = self.recorded.backward(self.data.train[rows], self.labels[rows])
        before = [weights.data.copy() for weights in self.weights]
        self.optimizer.lr = self.settings.lr
        self.optimizer.step()
        self.steps, self.known = self.steps + 1, True
        self.curve.add(loss)
        self.moved = [ratio(norm(w.data - old), norm(old)) for w, old in zip(self.weights, before)]
        for curve, moved in zip(self.moves, self.moved):
            curve.add(math.log10(moved) if moved > 0 else -math.inf)
        self.exploded = not all(map(math.isfinite, (loss, *(weights.data.sum() for weights in self.weights))))

    @quiet
    def measure_state(self):
        """Compute the loss on all training pictures, how many are right, and the results on the test."""
        train, labels = self.scores(self.data.train), self.labels
        self.loss = float(train.softmax_cross_entropy(labels))
        self.right = int((train.data.argmax(axis=1) == labels).sum())
        self.tested = tested(self.scores(self.data.test).data, self.data.test_labels)

    def gradients(self):
        """Return the gradient of the last batch by each layer's weights, as arrays."""
        return [weights.grad for weights in self.weights]


def ratio(part, whole):
    """Return part / whole; inf for a whole of 0, nan for 0 of 0."""
    return float(part / whole) if whole else math.inf if part else math.nan


def tested(scores, labels):
    """Return the Tested of scores of shape (n, 10); a probability of 0 has the loss inf."""
    said = scores.argmax(axis=1)
    shifted = scores - scores.max(axis=1, keepdims=True)
    losses = np.log(np.exp(shifted).sum(axis=1)) - shifted[np.arange(len(labels)), labels]
    worst = np.argsort(-np.nan_to_num(losses, nan=np.inf), kind="stable")
    confusion = np.zeros((CLASSES, CLASSES), int)
    np.add.at(confusion, (labels, said), 1)
    return Tested(int((said == labels).sum()), said, losses, worst, confusion)
