"""The losses: values and gradients against PyTorch's, and by hand where PyTorch is not installed."""

import math

import numpy as np
import pytest

from autograd import (
    Value,
    binary_cross_entropy,
    half_squares,
    hinge,
    mean_squares,
    softmax_cross_entropy,
    sum_of_squares,
)
from tests.ops_table import same
from tests.said import said_by

OUTPUTS, BITS = [0.3, 0.8, 0.55, 0.01], [1, 0, 1, 0]
LOGITS, LOGIT_BITS = [-3.0, 0.0, 2.5, 800.0, -800.0, 30.0, -30.0], [1, 0, 1, 0, 1, 1, 0]
ROWS, CLASSES = [[0.5, -1.0, 3.0], [1000.0, 999.0, -1000.0], [0.0, 0.0, 0.0]], [2, 1, 0]
THREE = [[1.0, 2.0, 3.0]] * 3


def of_logits(logits, targets):
    """The cross-entropy of numbers before the sigmoid."""
    return binary_cross_entropy(logits, targets, from_logits=True)


def ours(loss, outputs, targets):
    """A loss's number and its gradients with respect to the outputs."""
    values = [[Value(x) for x in row] if isinstance(row, list) else Value(row) for row in outputs]
    result = loss(values, targets)
    result.backward()
    rows = [row if isinstance(row, list) else [row] for row in values]
    return result.data, [value.grad for row in rows for value in row]


@pytest.mark.parametrize(
    ("loss", "torch_loss", "outputs", "targets"),
    [
        (sum_of_squares, lambda t: t.nn.MSELoss(reduction="sum"), OUTPUTS, BITS),
        (mean_squares, lambda t: t.nn.MSELoss(), OUTPUTS, BITS),
        (half_squares, lambda t: lambda p, q: 0.5 * ((p - q) ** 2).sum(), OUTPUTS, BITS),
        (sum_of_squares, lambda t: t.nn.MSELoss(reduction="sum"), ROWS, THREE),
        (mean_squares, lambda t: t.nn.MSELoss(), ROWS, THREE),
        (hinge, lambda t: lambda p, q: t.relu(1 - q * p).mean(), [0.3, 2.0, -0.5, 1.0], [1, -1, -1, 1]),
        (binary_cross_entropy, lambda t: t.nn.BCELoss(), OUTPUTS, BITS),
        (of_logits, lambda t: t.nn.BCEWithLogitsLoss(), LOGITS, LOGIT_BITS),
        (softmax_cross_entropy, lambda t: t.nn.CrossEntropyLoss(), ROWS, CLASSES),
    ],
)
def test_equals_pytorch(loss, torch_loss, outputs, targets, torch):
    tensor = torch.tensor(outputs, dtype=torch.float64, requires_grad=True)
    expected = torch_loss(torch)(tensor, torch.tensor(targets, dtype=None if targets is CLASSES else torch.float64))
    expected.backward()
    number, grads = ours(loss, outputs, targets)
    assert same(number, expected.item())
    for grad, other in zip(grads, tensor.grad.flatten().tolist(), strict=True):
        assert same(grad, other, rel=1e-12, abs_tol=1e-16)


@pytest.mark.parametrize(
    ("loss", "outputs", "targets", "number", "grads"),
    [
        (sum_of_squares, [1, 4], [0, 2], 5.0, [2.0, 4.0]),
        (sum_of_squares, [[1, 2], [3, 4]], np.zeros((2, 2)), 30.0, [2.0, 4.0, 6.0, 8.0]),
        (sum_of_squares, [[1, 2], [3, 4]], ((0, 0), [Value(0)] * 2), 30.0, [2.0, 4.0, 6.0, 8.0]),
        (mean_squares, [1, 4], [0, 2], 2.5, [1.0, 2.0]),
        (mean_squares, [[1, 2], [3, 4]], np.zeros((2, 2)), 7.5, [0.5, 1.0, 1.5, 2.0]),
        (half_squares, [1, 4], [0, 2], 2.5, [1.0, 2.0]),
        (hinge, [0.5, 3, 1], [1, 1, -1], (0.5 + 0 + 2) / 3, [-1 / 3, 0.0, 1 / 3]),
        (binary_cross_entropy, [0.25, 0.25], [1, 0], -(math.log(0.25) + math.log(0.75)) / 2, [-2.0, 2 / 3]),
        (of_logits, [1e4, -1e4], [0, 0], 5e3, [0.5, 0.0]),
        (softmax_cross_entropy, [[7, 7]], [0], math.log(2), [-0.5, 0.5]),
        (softmax_cross_entropy, [[1e4, -1e4]], [1], 2e4, [1.0, -1.0]),
    ],
)
def test_by_hand(loss, outputs, targets, number, grads):
    """Targets may be Values, tuples or arrays; logits far out do not overflow."""
    assert ours(loss, outputs, targets) == (pytest.approx(number), pytest.approx(grads))


def test_what_is_taken():
    """A single prediction needs no list, logits may be arrays, and no zero is added to the graph."""
    for loss in (sum_of_squares, mean_squares, half_squares):
        assert loss(Value(3), 1).data == loss([Value(3)], [1]).data
    for row in ([1.0, 2.0], (Value(1), Value(2)), np.array([1.0, 2.0])):
        assert softmax_cross_entropy([row], [0]).data == pytest.approx(math.log(1 + math.e))
    assert sum_of_squares([Value(3)], [1])._op == "**2"


def test_sentences():
    said_by("losses_sentences")
