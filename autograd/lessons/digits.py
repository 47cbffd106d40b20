"""Ten digits: 1,797 handwritten ones of 8 × 8 pixels, those of scikit-learn's `load_digits`, and a network for them.

Source: the test part of "Optical Recognition of Handwritten Digits" (Alpaydin, Kaynak 1998), UCI Machine Learning
Repository, CC BY 4.0. Each pixel counts how many of 16 points of a scanned picture have ink.
"""

import functools
import math
from pathlib import Path
from typing import NamedTuple

import numpy as np

from autograd.compile.record import record
from autograd.tensor import Tensor, quiet

FILE = Path(__file__).with_name("digits.npz")
SIDE, CLASSES = 8, 10  # pixels along each side of a picture; digits
INK = 16  # the largest pixel
TRAIN = 1400  # pictures to learn from; the other 397 are for the test


class Digits(NamedTuple):
    """Pictures as rows of pixels from 0 (paper) to 1 (ink), line by line; and which digit each shows, 0 to 9."""

    train: np.ndarray  # shape (1400, 64), float64
    train_labels: np.ndarray  # shape (1400,), whole numbers
    test: np.ndarray  # shape (397, 64)
    test_labels: np.ndarray  # shape (397,)


def load_digits():
    """Return Digits, in the same order each time: that of RandomState(0). Arrays are new; nothing is downloaded."""
    pixels, labels = read()
    order = np.random.RandomState(0).permutation(len(labels))
    train, test = order[:TRAIN], order[TRAIN:]
    return Digits(pixels[train] / INK, labels[train], pixels[test] / INK, labels[test])


@functools.cache
def read():
    """Return (pixels from 0 to 16, shape (1797, 64); labels, shape (1797,)), in the order of the source."""
    with np.load(FILE) as arrays:
        return arrays["pixels"], arrays["labels"].astype(np.int64)


# A network that learns them


def network(seed=0, hidden=32):
    """Return [w1, b1, w2, b2] of a 64-hidden-10 network, Tensors: He's initialisation from a seed, biases 0."""
    rng, parameters = np.random.RandomState(seed), []
    for inputs, units in ((SIDE * SIDE, hidden), (hidden, CLASSES)):
        parameters.append(Tensor(rng.standard_normal((inputs, units)) * math.sqrt(2 / inputs)))
        parameters.append(Tensor(np.zeros(units)))
    return parameters


@quiet
def scores(pictures, w1, b1, w2, b2):
    """Return the ten scores of each picture, shape (n, 10), of pictures of shape (n, 64)."""
    return (Tensor(pictures) @ w1 + b1).relu() @ w2 + b2


def mean_cross_entropy(z, labels):
    """Return the mean of -log softmax(row)[label] over the rows of z, in nats."""
    return z.softmax_cross_entropy(labels)


def by_hand(pictures, labels, w1, b1, w2, b2):
    """Return (the mean cross-entropy, [its gradients by w1, b1, w2, b2]) in NumPy, without an engine.

    All are arrays: pictures of shape (n, 64), labels of shape (n,), and the parameters of `network`.
    """
    hidden = np.maximum(pictures @ w1 + b1, 0.0)
    z, each = hidden @ w2 + b2, np.arange(len(labels))
    shifted = z - z.max(axis=1, keepdims=True)
    powers = np.exp(shifted)
    sums = powers.sum(axis=1, keepdims=True)
    loss = (np.log(sums[:, 0]) - shifted[each, labels]).mean()
    d_z = powers / sums
    d_z[each, labels] -= 1.0
    d_z /= len(labels)
    d_hidden = d_z @ w2.T * (hidden > 0)
    return float(loss), [pictures.T @ d_hidden, d_hidden.sum(axis=0), hidden.T @ d_z, d_z.sum(axis=0)]


@quiet
def train(parameters, optimizer, epochs=20, batch=50, *, seed=0, loss=mean_cross_entropy):
    """Train a network on the 1,400 pictures; return the loss of each step, an array of shape (steps,).

    Each epoch takes the pictures in a new order, from RandomState(seed), `batch` at a time; the last batch is smaller
    if that does not divide 1,400. loss: a function of scores and labels that returns a Tensor of one number; it is
    recorded.
    """
    data, rng, losses = load_digits(), np.random.RandomState(seed), []

    def of_batch(pictures, labels):
        return loss(scores(pictures, *parameters), labels)

    step = record(of_batch, data.train[:batch], data.train_labels[:batch], parameters=parameters)
    for _ in range(epochs):
        order = rng.permutation(TRAIN)
        for start in range(0, TRAIN, batch):
            rows = order[start : start + batch]
            optimizer.zero_grad()
            losses.append(step.backward(data.train[rows], data.train_labels[rows]))
            optimizer.step()
    return np.array(losses)


def right(parameters):
    """Return what percentages of the 1,400 training and of the 397 test pictures have their largest score right."""
    data = load_digits()
    pairs = (data.train, data.train_labels), (data.test, data.test_labels)
    return tuple(
        100 * float((scores(pictures, *parameters).data.argmax(axis=1) == labels).mean()) for pictures, labels in pairs
    )
