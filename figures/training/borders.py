"""Two tasks in the plane, two moons and a circle; runs that learn them on arrays, and points for testing."""

import functools
import math
import random
from dataclasses import dataclass

import numpy as np

from autograd import record
from autograd.lessons.moons import make_moons
from autograd.tensor import quiet
from autograd.training.nn import MLP
from autograd.training.tensor_nn import arrays
from figures.page.style import steady
from figures.training.run import Curve

MOST = 200  # training points of a task
NEW = 400  # test points that no network is trained on
DECAY = 1e-4  # the factor of the parameters' squares in the moons' loss
RAYS = 360  # the rays on which the border's distance from (0, 0) is measured


@dataclass(frozen=True)
class Task:
    """A task to learn, and how the lesson learns it.

    low: the target of the lower class; the upper one's is 1. reach: the ranges of x1 and x2 on the map. batch: whether
    an epoch is one update from all points; if not, one from each. radius: of the true border, if that is a circle
    around (0, 0); the points are then from a square around it, and half is half of its side.
    """

    name: str
    low: float
    hidden: tuple
    points: int
    lr: float
    epochs: int
    activation: str
    output: str
    init: str
    loss: str
    batch: bool
    reach: tuple
    radius: float | None = None
    half: float | None = None

    @property
    def border(self):
        """The output between the two classes."""
        return (1.0 + self.low) / 2


CIRCLE = Task(
    **{"name": "circle", "low": 0.0, "hidden": (8,), "points": 80, "lr": 0.5, "epochs": 2000},
    **{"activation": "sigmoid", "output": "sigmoid", "init": "fan_in"},
    **{"loss": "sum of squares", "batch": False, "reach": ((-2.4, 2.4), (-2.4, 2.4)), "radius": 1.0, "half": 1.5},
)
MOONS = Task(
    **{"name": "moons", "low": -1.0, "hidden": (16, 16), "points": 100, "lr": 1.0, "epochs": 100},
    **{"activation": "relu", "output": "linear", "init": "uniform_zero_bias"},
    **{"loss": "max-margin", "batch": True, "reach": ((-1.6, 2.6), (-1.85, 2.35))},
)
TASKS = {task.name: task for task in (MOONS, CIRCLE)}


# The points


def lesson_stream():
    """Return the random stream of the circle's first weights, once the points are drawn; and these points."""
    rng = random.Random(7)
    points = in_square(rng, CIRCLE.points)
    return rng, points


def in_square(rng, count):
    """Return `count` points of the circle's square, uniformly drawn, x1 first."""
    return [[rng.uniform(-CIRCLE.half, CIRCLE.half) for _ in range(2)] for _ in range(count)]


def inside(points):
    return ((points**2).sum(axis=1) < CIRCLE.radius**2).astype(float)


def moons(seed, count):
    """Return `count` points of the two moons, and their targets, -1 or 1."""
    points, upper = make_moons(n_samples=count, noise=0.1, random_state=seed)
    return points, 2.0 * upper - 1.0


@functools.cache
def data_of(name):
    """Return the points of a task and their targets: MOST for training, the lesson's first, and NEW others."""
    if name == "circle":
        points = np.array(lesson_stream()[1] + in_square(random.Random(107), MOST - CIRCLE.points))
        new = np.array(in_square(random.Random(90), NEW))
        return points, inside(points), new, inside(new)
    first, more = moons(1337, MOONS.points), moons(1338, MOST - MOONS.points)
    return *map(np.concatenate, zip(first, more)), *moons(90, NEW)


@dataclass(frozen=True)
class Settings:
    """The settings of a run. points: how many it is trained on. flipped: the percentage of them with the wrong label.

    seed: of the first weights, and of the order of the points; None: the lesson's.
    """

    task: Task
    hidden: tuple
    points: int
    flipped: int = 0
    seed: int | None = None

    @property
    def sizes(self):
        """The number of inputs, and of neurons in each layer."""
        return [2, *self.hidden, 1]

    def stream(self):
        """Return the random.Random that draws the first weights, and then the order of the points."""
        if self.seed is not None:
            return random.Random(self.seed)
        return random.Random(1337) if self.task.batch else lesson_stream()[0]

    def mlp(self, rng):
        task = self.task
        return MLP(2, self.sizes[1:], task.activation, task.output, task.init, rng)

    def data(self):
        """Return the points and targets to train on, some of them flipped, and the new points and targets."""
        points, targets, *new = data_of(self.task.name)
        points, targets = points[: self.points], targets[: self.points].copy()
        order = [i for i in random.Random(0).sample(range(MOST), MOST) if i < self.points]
        chosen = order[: round(self.flipped / 100 * self.points)]
        targets[chosen] = 1.0 + self.task.low - targets[chosen]
        return points, targets, *new


# The network


class Net:
    """A network with one output as arrays, with a handwritten backward pass.

    weights: for each layer an array of shape (inputs + 1, outputs), whose last row holds the biases.
    """

    def __init__(self, mlp):
        numbers = arrays(mlp, "data")
        self.weights = [np.vstack(pair) for pair in zip(numbers[::2], numbers[1::2])]
        self.activations = [layer.neurons[0].activation for layer in mlp.layers]

    def __call__(self, points):
        """Return the output for each point: shape (n,) from (n, 2)."""
        return self.layers(with_one(points))[-1][:, 0]

    def layers(self, inputs):
        """Return the outputs of each layer, the inputs first; all but the last have a 1 appended, like the inputs."""
        found, last = [inputs], len(self.weights) - 1
        for i, (weights, activation) in enumerate(zip(self.weights, self.activations)):
            outputs = ACTIVATIONS[activation](inputs @ weights)
            inputs = outputs if i == last else with_one(outputs)
            found.append(inputs)
        return found

    def gradients(self, layers, upstream):
        """Return the gradients of each layer's weights, the last layer's first.

        layers: the result of `layers`. upstream: the loss's slope at each output, shape (n, 1).
        """
        found = []
        for i in reversed(range(len(self.weights))):
            upstream = upstream * SLOPES[self.activations[i]](layers[i + 1][:, : upstream.shape[1]])
            found.append(layers[i].T @ upstream)
            if i:
                upstream = upstream @ self.weights[i][:-1].T
        return found

    def step(self, gradients, lr):
        for weights, gradient in zip(reversed(self.weights), gradients):
            weights -= lr * gradient

    def numbers(self):
        """Return the parameters as a list of floats, in the MLP's order: each neuron's weights, then its bias."""
        return np.concatenate([weights.T.ravel() for weights in self.weights]).tolist()

    def set_parameters(self, numbers):
        """Set the parameters from such a list."""
        for weights in self.weights:
            own, numbers = numbers[: weights.size], numbers[weights.size :]
            weights[:] = np.reshape(own, weights.T.shape).T

    def squares(self):
        return float(sum((weights**2).sum() for weights in self.weights))

    def finite(self):
        return all(np.isfinite(weights).all() for weights in self.weights)


def with_one(inputs):
    """Return inputs of shape (n, k) with a 1 appended to each row, whose weight is the bias: shape (n, k + 1)."""
    found = np.empty((inputs.shape[0], inputs.shape[1] + 1))
    found[:, :-1], found[:, -1] = inputs, 1.0
    return found


ACTIVATIONS = {
    "sigmoid": lambda z: 1.0 / (1.0 + np.exp(-z)),
    "relu": lambda z: np.maximum(z, 0.0),
    "linear": lambda z: z,
}
SLOPES = {"sigmoid": lambda a: a * (1.0 - a), "relu": lambda a: a > 0, "linear": lambda a: 1.0}  # from the output


# The run


class Learning:
    """A run, one epoch at a time. total: the loss of the last epoch, before its updates; None before the first.

    right, new_right: how many of the training points, and of the new ones, are right now. best: the most new points
    that have been right, and after how many epochs first.
    """

    def __init__(self, settings, lr):
        self.settings, self.lr, self.epochs, self.total, self.fault = settings, lr, 0, None, ""
        self.rng = settings.stream()
        self.net = Net(settings.mlp(self.rng))
        points, self.targets, new_points, self.new_targets = settings.data()
        self.points, self.new_points = with_one(points), with_one(new_points)
        self.order = list(range(settings.points))
        self.rows = [(*point, target) for point, target in zip(points.tolist(), self.targets.tolist())]
        self.curve, self.shares, self.new_shares, self.best = Curve(), Curve(), Curve(), (-1, 0)
        self.measure_state()

    @quiet
    def step(self):
        """Train for one epoch: one update from all points, or one from each."""
        self.shares.add(self.right / self.settings.points)
        self.new_shares.add(self.new_right / NEW)
        self.total = self.all_at_once() if self.settings.task.batch else self.one_by_one()
        self.curve.add(self.total)
        self.epochs += 1
        if not (math.isfinite(self.total) and self.net.finite()):
            self.fault = (
                f"The run diverged: its loss is {steady(self.total)}, because numbers have grown past the largest "
                "float, 1.8e308. Use a smaller learning rate, and press Reset."
            )
        self.measure_state()

    def all_at_once(self):
        """Make one update from all points, by the max-margin loss and weight decay; return the loss before it."""
        net, layers, signs = self.net, self.net.layers(self.points), self.targets[:, None]
        margins = 1.0 - signs * layers[-1]
        loss = float(np.maximum(margins, 0.0).mean()) + DECAY * net.squares()
        gradients = net.gradients(layers, np.where(margins > 0, -signs, 0.0) / len(signs))
        decayed = [gradient + 2 * DECAY * own for gradient, own in zip(gradients, reversed(net.weights))]
        net.step(decayed, self.lr * self.shrunk())
        return loss

    def shrunk(self):
        """Return the factor of the learning rate at this epoch: it shrinks to a tenth, and stays there."""
        return 1.0 - 0.9 * min(1.0, self.epochs / self.settings.task.epochs)

    def one_by_one(self):
        """Make an update from each point, by its squared error, in a new random order; return these losses' sum."""
        self.rng.shuffle(self.order)
        numbers, lr, total = self.net.numbers(), self.lr, 0.0
        for i in self.order:
            loss, gradients = self.recorded(*numbers, *self.rows[i])
            numbers = [number - lr * gradient for number, gradient in zip(numbers, gradients)]
            total += loss
        self.net.set_parameters(numbers)
        return total

    @functools.cached_property
    def recorded(self):
        """The squared error of one point on the scalar engine, as a Replay: faster than arrays of a single row."""
        mlp = self.settings.mlp(random.Random(0))
        return record(lambda *row: (mlp(row[:2]) - row[2]) ** 2, *self.rows[0], parameters=mlp.parameters())

    def measure_state(self):
        """Note which points are wrong now."""
        self.wrong = self.above(self.points) != (self.targets > self.settings.task.border)
        self.new_wrong = self.above(self.new_points) != (self.new_targets > self.settings.task.border)
        self.right, self.new_right = (len(wrong) - int(wrong.sum()) for wrong in (self.wrong, self.new_wrong))
        if self.new_right > self.best[0]:
            self.best = self.new_right, self.epochs

    @quiet
    def above(self, inputs):
        """Return which inputs, each with a 1 appended, the network takes for the upper class."""
        return self.net.layers(inputs)[-1][:, 0] > self.settings.task.border

    @quiet
    def outputs(self, xs, ys):
        """Return the outputs on a grid: shape (len(ys), len(xs))."""
        return self.net(np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)).reshape(len(ys), len(xs))

    def distances(self):
        """Return ((distance, degrees), (distance, degrees)): of the border's nearest and farthest places from (0, 0).

        They are among the places where each of 360 rays from (0, 0) first meets the border; inf: a ray meets none on
        the map. None if the task has no circle to compare with, or (0, 0) is not on the circle's side.
        """
        if self.settings.task.radius is None:
            return None
        found = first_change(lambda points: self.above(with_one(points)), self.settings.task.reach[0][1])
        if found is None:
            return None
        near, far = int(found.argmin()), int(found.argmax())
        return (float(found[near]), 360 * near // RAYS), (float(found[far]), 360 * far // RAYS)


def first_change(above, reach, parts=60):
    """Return how far from (0, 0) each ray first meets the border of `above`; None if (0, 0) is not above it.

    above: a function from n points to n bools. inf for a ray that meets no border up to `reach`.
    """
    turn = 2 * np.pi * np.arange(RAYS) / RAYS
    rays, steps = np.stack([np.cos(turn), np.sin(turn)], axis=1), np.linspace(0, reach, parts + 1)
    there = above((rays[:, None, :] * steps[:, None]).reshape(-1, 2)).reshape(RAYS, parts + 1)
    if not there[0, 0]:
        return None
    first, rows = there.argmin(axis=1), there.all(axis=1)
    low, high = steps[np.maximum(first - 1, 0)], steps[first]
    for _ in range(30):  # halve the interval that contains the border
        middle = (low + high) / 2
        still = above(rays * middle[:, None])
        low, high = np.where(still, middle, low), np.where(still, high, middle)
    return np.where(rows, np.inf, high)
