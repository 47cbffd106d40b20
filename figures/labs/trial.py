"""What a training run on XOR is made of: its settings, the run itself on the scalar engine, and its loss curve."""

import math
import random
from dataclasses import dataclass

from autograd import MLP, SGD, losses, messages, nn
from figures.style import number

ROWS = ((0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0))
ODD = (False, True, True, False)  # the rows of which XOR is true
ACTIVATIONS = ("linear", "tanh", "sigmoid", "relu", "leaky_relu")
HALF = "all 0.5"  # every weight ½, every bias 0: the symmetric start
INITIALISATIONS = (*nn.INITIALISATIONS, HALF)
LOSSES = ("sum_of_squares", "mean_squares", "half_squares", "binary_cross_entropy", "hinge")
MOST = 8  # neurons in a hidden layer


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
        """The target of a row that is false: -1 for the hinge loss, else 0. That of the others is 1."""
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
        """Whether an output is on its target's side of the border."""
        return abs(output - target) < 1.0 - self.border

    def initialisation(self):
        """What MLP takes as init."""
        return (lambda rng, fan_in, fan_out: 0.5) if self.init == HALF else self.init

    def mlp(self):
        """The network before training."""
        return MLP(2, self.sizes[1:], self.activation, self.output, self.initialisation(), rng=random.Random(self.seed))


def checked(hidden, activation, output, init, seed, loss, lr):
    """Settings from what somebody gave. ValueError or TypeError, with a sentence, if something is wrong."""
    for name, names, what in (
        (activation, ACTIVATIONS, "activation"),
        (output, ACTIVATIONS, "output"),
        (init, INITIALISATIONS, "init"),
        (loss, LOSSES, "loss"),
    ):
        chosen(name, names, what)
    if loss == "binary_cross_entropy" and output != "sigmoid":
        raise ValueError(
            f"binary_cross_entropy needs outputs between 0 and 1, and those of {output} may lie outside. "
            "Choose sigmoid as output, or another loss."
        )
    lr = messages.real(lr, "the learning rate")
    if not 0 < lr < math.inf:
        raise ValueError(f"the learning rate is a positive number, got {lr!r}.")
    return Settings(sizes(hidden), activation, output, init, whole(seed, "seed", 0, None), loss, lr)


def sizes(hidden):
    """The sizes of the hidden layers as a tuple: a number for one layer, a list for none to two."""
    found = list(hidden) if isinstance(hidden, (list, tuple)) else [hidden]
    if len(found) > 2:
        raise ValueError(f"this lab has at most two hidden layers, got {len(found)}.")
    return tuple(n for n in (whole(n, "the size of a hidden layer", 0, MOST) for n in found) if n)


def whole(n, what, low, high):
    """`n` if it is a whole number from `low` to `high` (None: no end)."""
    if isinstance(n, bool) or not isinstance(n, (int, float)) or n != n or n in (math.inf, -math.inf) or n != int(n):
        raise ValueError(f"{what} is a whole number, got {n!r}.")
    if n < low or (high is not None and n > high):
        raise ValueError(
            f"{what} is a whole number {f'from {low} to {high}' if high else f'of at least {low}'}, got {n!r}."
        )
    return int(n)


def chosen(name, names, what):
    """ValueError unless `name` is one of `names`."""
    if name not in names:
        raise ValueError(f"{what} is one of {', '.join(names)}; got {name!r}.")


class Curve:
    """A loss an epoch, kept in at most 2 · `room` pieces: of each the least and the largest loss."""

    def __init__(self, room=160):
        self.room, self.size, self.count, self.pieces = room, 1, 0, []

    def add(self, loss):
        """The loss before the next epoch."""
        if self.count // self.size == len(self.pieces):
            self.pieces.append((math.inf, -math.inf))
        low, high = self.pieces[-1]
        self.pieces[-1] = (min(low, loss), max(high, loss)) if math.isfinite(loss) else (low, high)
        self.count += 1
        if len(self.pieces) == 2 * self.room and self.count % self.size == 0:
            pairs = zip(self.pieces[::2], self.pieces[1::2])
            self.pieces = [(min(a, c), max(b, d)) for (a, b), (c, d) in pairs]
            self.size *= 2

    def points(self):
        """(epoch, loss) points; of a piece of more epochs, its largest and its least loss."""
        found = []
        for i, (low, high) in enumerate(self.pieces):
            at = i * self.size + (self.size - 1) / 2
            found += [(at, low)] if low == high else [(at, high), (at, low)]
        return found


class Training:
    """A run on the scalar engine, one update at a time."""

    def __init__(self, settings):
        self.settings = settings
        self.mlp = settings.mlp()
        self.loss = getattr(losses, settings.loss)
        self.optimizer = SGD(self.mlp.parameters(), settings.lr)
        self.epochs = self.steps = self.row = 0  # row: the next one, where each has an update of its own
        self.curve = Curve()
        self.known = False  # whether there has been a backward pass
        self.solved_at = None  # the epoch since which all rows are right
        self.fault = ""  # why it cannot go on
        self.look()

    def step(self, by="epoch", zero_grad=True):
        """One update: of the loss over all four rows, or over the next row. Returns the loss before it."""
        whole_epoch = by == "epoch"
        if whole_epoch:
            self.row = 0
        elif self.row == 0:
            self.look()
            self.curve.add(self.total)
        rows = range(4) if whole_epoch else [self.row]
        try:
            predictions = [self.mlp(ROWS[i]) for i in rows]
            loss = self.loss(predictions, [self.settings.targets[i] for i in rows])
        except ValueError as fault:  # the loss cannot take these outputs
            self.fault = str(fault)
            return math.nan
        if zero_grad:
            self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        if whole_epoch:
            self.curve.add(loss.data)
            self.judge([prediction.data for prediction in predictions])
        self.known = True
        self.steps += 1
        self.row = 0 if whole_epoch else (self.row + 1) % 4
        self.epochs += self.row == 0
        if not all(math.isfinite(p.data) for p in self.optimizer.parameters) or not math.isfinite(loss.data):
            self.look()
        return loss.data

    def look(self):
        """Take down the outputs and the loss as they are now, and whether they are numbers still."""
        self.judge([self.mlp(row).data for row in ROWS])
        try:
            self.total = self.loss(self.outputs, self.settings.targets).data
        except ValueError as fault:
            self.total, self.fault = math.nan, str(fault)
        numbers = [self.total, *self.outputs, *(p.data for p in self.optimizer.parameters)]
        if not self.fault and not all(map(math.isfinite, numbers)):
            self.fault = (
                f"The run diverged: the loss is {number(self.total)}, since its numbers have grown past the largest "
                "float, 1.8e308. Take a smaller learning rate, and press Reset."
            )

    def judge(self, outputs):
        """Which rows are right, and since when all are."""
        self.outputs, targets = outputs, self.settings.targets
        self.right = [self.settings.right(output, target) for output, target in zip(outputs, targets)]
        self.solved_at = (self.epochs if self.solved_at is None else self.solved_at) if all(self.right) else None
