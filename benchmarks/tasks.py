"""The workloads W1 to W4, W6 and W8 as tasks in plain numbers: each engine gets the same work, digit for digit."""

import math
import random
from itertools import pairwise

OPS, SIZES = 100_000, (1_000, 10_000, 100_000, 1_000_000)  # of W1, of W6
MEMORY_OPS = 20_000  # of W1: tracing memory takes ever longer in deep recursion, and some engines recurse
STEPS = 100  # of W8, in one run
RATE = {"xor": 0.05, "moons": 1.0}


def graph(shape, ops=OPS):
    """Return W1, W6: `ops` operations on 16 numbers, four × and four + per tanh and relu; a "chain" or "balanced"."""
    rng = random.Random(1)
    return {"kind": "graph", "shape": shape, "ops": ops, "leaves": [rng.uniform(0.2, 0.9) for _ in range(16)]}


def xor(epochs=100):
    """Return W2: XOR by MLP(2, [4, 4, 1]), tanh on each layer, sum of squares; each epoch builds the graph again."""
    return {
        "kind": "train",
        "sizes": [2, 4, 4, 1],
        "activation": "tanh",
        "output": "tanh",
        "loss": "sum of squares",
        "rows": [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]],
        "targets": [-1.0, 1.0, 1.0, -1.0],
        "parameters": uniform_parameters([2, 4, 4, 1], seed=1),
        "rates": [RATE["xor"]] * epochs,
    }


def moons(n=100, steps=1, hidden=(16, 16), decay=1e-4):
    """Return W3: two moons, MLP(2, [16, 16, 1]), relu, linear output, max-margin loss + 1e-4 L2; full-batch steps.

    With 16 hidden units and without L2 it is part of W8.
    """
    rows, targets = two_moons(n)
    sizes = [2, *hidden, 1]
    return {
        "kind": "train",
        "sizes": sizes,
        "activation": "relu",
        "output": "linear",
        "loss": "max margin",
        "decay": decay,
        "rows": rows,
        "targets": targets,
        "parameters": uniform_parameters(sizes, seed=1),
        "rates": [RATE["moons"]] * steps,
    }


def deep(depth=20, width=32, batch=16):
    """Return W4: `depth` layers tanh(h W) of `width` units, L = Σ h v; forward, and back to each weight."""
    rng = random.Random(1)

    def normal(rows, columns, scale=1.0):
        return [[rng.gauss(0, scale) for _ in range(columns)] for _ in range(rows)]

    weights = [normal(width, width, width**-0.5) for _ in range(depth)]
    return {"kind": "deep", "weights": weights, "rows": normal(batch, width), "v": normal(width, 1), "rates": [None]}


def digits(n=50, steps=STEPS):
    """Return W8: 50 pictures of digits, MLP(64, [32, 10]), relu, softmax cross-entropy."""
    from autograd.lessons.digits import load_digits

    data = load_digits()
    return {
        "kind": "train",
        "sizes": [64, 32, 10],
        "activation": "relu",
        "output": "linear",
        "loss": "cross entropy",
        "rows": data.train[:n].tolist(),
        "targets": data.train_labels[:n].tolist(),
        "parameters": [x / 4 for x in uniform_parameters([64, 32, 10], seed=1)],
        "rates": [0.1] * steps,
    }


def windows(n=64, steps=STEPS):
    """Return W8: lesson 10's network of windows: 4 letters, 8 numbers for each, 64 tanh units, 30 scores."""
    from autograd.lessons.spelling import window_network

    rng = random.Random(1)
    return {
        "kind": "windows",
        "loss": "cross entropy",
        "rows": [[rng.randrange(30) for _ in range(4)] for _ in range(n)],
        "targets": [rng.randrange(30) for _ in range(n)],
        "parameters": [parameter.tolist() for parameter in window_network(lambda array: array)],
        "rates": [0.1] * steps,
    }


def uniform_parameters(sizes, seed):
    """Return an MLP's parameters, neuron by neuron: weights from U(-1, 1), in order, then the bias, 0."""
    rng = random.Random(seed)
    parameters = []
    for n_inputs, n_outputs in pairwise(sizes):
        for _ in range(n_outputs):
            parameters += [*(rng.uniform(-1, 1) for _ in range(n_inputs)), 0.0]
    return parameters


def two_moons(n):
    """Return n points and their targets, -1 or 1: scikit-learn's make_moons, or the same half circles and noise."""
    try:
        from sklearn.datasets import make_moons
    except ImportError:
        return plain_moons(n)
    rows, labels = make_moons(n, noise=0.1, random_state=1337)
    return rows.tolist(), [2.0 * label - 1.0 for label in labels.tolist()]


def plain_moons(n):
    """Return make_moons' points without its random stream: an upper half circle, and a lower one reaching into it."""
    rng = random.Random(1337)
    outer = [(math.cos(t), math.sin(t)) for t in angles(n // 2)]
    inner = [(1 - math.cos(t), 0.5 - math.sin(t)) for t in angles(n - n // 2)]
    points = [(point, -1.0) for point in outer] + [(point, 1.0) for point in inner]
    rng.shuffle(points)
    return [[x + rng.gauss(0, 0.1), y + rng.gauss(0, 0.1)] for (x, y), _ in points], [target for _, target in points]


def angles(n):
    """Return n angles from 0 to π, evenly spread."""
    return [math.pi * i / max(1, n - 1) for i in range(n)]


def layers(numbers, sizes):
    """Return an MLP's parameters, which come neuron by neuron, as layers of neurons (weights, bias)."""
    found, start = [], 0
    for n_inputs, n_outputs in pairwise(sizes):
        ends = range(start + n_inputs, start + n_outputs * (n_inputs + 1), n_inputs + 1)
        found.append([(numbers[end - n_inputs : end], numbers[end]) for end in ends])
        start += n_outputs * (n_inputs + 1)
    return found


def to_matrices(numbers, sizes):
    """Return an MLP's parameters as nested lists: per layer weights of shape (inputs, outputs), then the biases."""
    found = []
    for layer in layers(numbers, sizes):
        found.append([list(row) for row in zip(*(weights for weights, _ in layer))])
        found.append([bias for _, bias in layer])
    return found


def from_matrices(matrices):
    """Invert `to_matrices`: return, neuron by neuron, the weights and the bias."""
    numbers = []
    for weights, biases in zip(matrices[::2], matrices[1::2]):
        for column, bias in zip(zip(*weights), biases):
            numbers += [*column, bias]
    return numbers
