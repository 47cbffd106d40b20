"""Lesson 08: the numbers of its text, from NumPy alone, and what its cells show."""

import time

import numpy as np
import pytest

from autograd.lessons.digits import load_digits, network
from exercises.engine_file.trial import template_engine
from tests.notebooks import Lesson

LESSON = Lesson("08_a_node")
DIGITS, MINE = load_digits(), template_engine()
PIXELS, LABELS = DIGITS.train[:50], DIGITS.train_labels[:50]


def test_node_counts_of_scalar_and_array_networks():
    w1, _, w2, _ = weights = [p.data for p in network(seed=0)]
    count = int(LESSON.output("for output in outputs)))"))
    parameters = sum(array.size for array in weights)
    # a product and a sum for each weight, and for each pixel its own leaf; `-` may make a node or three
    least = parameters + 3 * w1.size + 2 * w2.size + 42
    assert parameters == 2410 and least < count < least + 100 and count > 9_000
    assert 50 * (count - parameters) + parameters == pytest.approx(1e6 / 3, rel=0.05)
    drawn = LESSON.output("figures.draw_graph(loss, gradients=False)").splitlines()[1:]
    made = [line.split()[1] for line in drawn]
    assert (len(made), made.count("leaf")) == (14, 6)
    LESSON.says("more than nine thousand nodes", "a third of a million", "14. Six are leaves")


def test_broadcast_gradient_and_matrix_product():
    upstream = np.array([[1.0, 2, 3], [1, 0, -1], [2, 2, 2], [0, 1, 0]])
    assert LESSON.output("biases.grad") == repr(upstream.sum(axis=0)) == "array([4., 5., 4.])"
    x, w = np.array([[1.0, 2, 0], [0, -1, 3]]), np.array([[1.0, -1], [2, 0], [0.5, 1]])
    g = np.array([[1.0, 0], [2, -1]])
    assert ((x.T @ g)[[0, 2], 0] == [1 * 1 + 0 * 2, 0 * 1 + 3 * 2]).all()
    assert (g @ w.T)[1, 0] == g[1] @ w[0]
    LESSON.says("4, 5 and 4: each bias", "1 · 1 + 0 · 2 = 1", "dW[2, 0] is 0 · 1 + 3 · 2 = 6")
    assert 50 * 32 * 64 * 32 > 3e6
    LESSON.says("50 · 32 rows and 64 · 32 columns, more than three million")


def right(w1, b1, w2, b2):
    return int(((np.maximum(PIXELS @ w1 + b1, 0) @ w2 + b2).argmax(axis=1) == LABELS).sum())


def test_plain_arrays_learn_fifty_digits():
    weights, wanted = [p.data.copy() for p in network(seed=0)], np.eye(10)[LABELS]
    assert right(*weights) == 5
    for _ in range(200):
        w1, b1, w2, b2 = weights
        a = PIXELS @ w1 + b1
        h = np.maximum(a, 0)
        dz = 2 * (h @ w2 + b2 - wanted)
        da = dz @ w2.T * (a > 0)
        slopes = PIXELS.T @ da, da.sum(axis=0), h.T @ dz, dz.sum(axis=0)
        weights = [p - 0.001 * slope for p, slope in zip(weights, slopes)]
    assert right(*weights) == 49 and LESSON.output("(answers == labels).sum())") == "49"
    LESSON.says("At first the network names 5 of them correctly", "All but one. The 2,410 slopes of each step")


@pytest.mark.long
def test_array_step_is_hundreds_of_times_faster():
    weights, Value, began = [p.data for p in network(seed=0)], MINE.Value, time.perf_counter()
    total = Value(0.0)
    for column, bias in zip(weights[0].T, weights[1]):
        total = total + sum((Value(u) * x for u, x in zip(column, PIXELS[0].tolist())), Value(bias))
    total.backward()
    numbers, began = 50 * (time.perf_counter() - began), time.perf_counter()
    (MINE.Tensor(PIXELS) @ MINE.Tensor(weights[0]) + MINE.Tensor(weights[1])).sum().backward()
    assert numbers > 100 * (time.perf_counter() - began)
    LESSON.says("hundreds of times as fast")
