"""The losses: values and gradients against PyTorch's, and by hand where PyTorch is not installed."""

import math

import numpy as np
import pytest

from autograd import (
    MLP,
    Value,
    binary_cross_entropy,
    half_squares,
    hinge,
    mean_squares,
    softmax_cross_entropy,
    sum_of_squares,
)
from tests.ops_table import same

OUTPUTS = [0.3, 0.8, 0.55, 0.01]
SIGNS = [1, -1, -1, 1]
BITS = [1, 0, 1, 0]
LOGITS = [-3.0, 0.0, 2.5, 800.0, -800.0, 30.0, -30.0]
LOGIT_BITS = [1, 0, 1, 0, 1, 1, 0]
ROWS = [[0.5, -1.0, 3.0], [1000.0, 999.0, -1000.0], [0.0, 0.0, 0.0]]
CLASSES = [2, 1, 0]


def flat(outputs):
    return [x for row in outputs for x in (row if isinstance(row, list) else [row])]


def ours(loss, outputs, targets):
    """A loss's number and its gradients with respect to the outputs."""
    values = [[Value(x) for x in row] if isinstance(row, list) else Value(row) for row in outputs]
    result = loss(values, targets)
    result.backward()
    return result.data, [value.grad for value in flat(values)]


@pytest.mark.parametrize(
    ("loss", "torch_loss", "outputs", "targets"),
    [
        (sum_of_squares, lambda t: t.nn.MSELoss(reduction="sum"), OUTPUTS, BITS),
        (mean_squares, lambda t: t.nn.MSELoss(), OUTPUTS, BITS),
        (half_squares, lambda t: lambda p, q: 0.5 * ((p - q) ** 2).sum(), OUTPUTS, BITS),
        (sum_of_squares, lambda t: t.nn.MSELoss(reduction="sum"), ROWS, [[1.0, 2.0, 3.0]] * 3),
        (mean_squares, lambda t: t.nn.MSELoss(), ROWS, [[1.0, 2.0, 3.0]] * 3),
        (hinge, lambda t: lambda p, q: t.relu(1 - q * p).mean(), [0.3, 2.0, -0.5, 1.0], SIGNS),
        (binary_cross_entropy, lambda t: t.nn.BCELoss(), OUTPUTS, BITS),
        (
            lambda p, q: binary_cross_entropy(p, q, from_logits=True),
            lambda t: t.nn.BCEWithLogitsLoss(),
            LOGITS,
            LOGIT_BITS,
        ),
        (softmax_cross_entropy, lambda t: t.nn.CrossEntropyLoss(), ROWS, CLASSES),
    ],
    ids=["sum", "mean", "half", "sum of rows", "mean of rows", "hinge", "probabilities", "logits", "softmax"],
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
        (mean_squares, [1, 4], [0, 2], 2.5, [1.0, 2.0]),
        (half_squares, [1, 4], [0, 2], 2.5, [1.0, 2.0]),
        (hinge, [0.5, 3, 1], [1, 1, -1], (0.5 + 0 + 2) / 3, [-1 / 3, 0.0, 1 / 3]),
        (binary_cross_entropy, [0.25, 0.25], [1, 0], -(math.log(0.25) + math.log(0.75)) / 2, [-2.0, 2 / 3]),
        (softmax_cross_entropy, [[7, 7]], [0], math.log(2), [-0.5, 0.5]),
    ],
)
def test_by_hand(loss, outputs, targets, number, grads):
    assert ours(loss, outputs, targets) == (pytest.approx(number), pytest.approx(grads))


def test_logits_far_out_do_not_overflow():
    number, grads = ours(lambda p, q: binary_cross_entropy(p, q, from_logits=True), [1e4, -1e4], [0, 0])
    assert number == 5e3
    assert grads == [0.5, 0.0]
    number, grads = ours(softmax_cross_entropy, [[1e4, -1e4]], [1])
    assert number == 2e4
    assert grads == [1.0, -1.0]


@pytest.mark.parametrize("loss", [sum_of_squares, mean_squares, half_squares])
def test_a_single_prediction_needs_no_list(loss):
    assert loss(Value(3), 1).data == loss([Value(3)], [1]).data


def test_a_loss_of_one_term_adds_nothing():
    """No zero is added, so that the graph holds what the formula says."""
    assert sum_of_squares([Value(3)], [1])._op == "**2"


def test_targets_may_be_values_tuples_or_arrays():
    predictions = [[Value(1), Value(2)], [Value(3), Value(4)]]
    for targets in (np.zeros((2, 2)), ((0, 0), (0, 0)), [[Value(0)] * 2] * 2):
        assert sum_of_squares(predictions, targets).data == 30.0
    assert sum_of_squares(predictions, np.zeros((2, 2))).data == mean_squares(predictions, np.zeros((2, 2))).data * 4


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: sum_of_squares([1, 2], [1]), "a loss needs a target for each prediction, got 2 and 1."),
        (lambda: mean_squares([], []), "a loss needs a target for each prediction, got 0 and 0."),
        (lambda: mean_squares([[1, 2]], [[1]]), "a loss needs a target for each prediction, got 2 and 1."),
        (lambda: softmax_cross_entropy([[1, 2]], []), "a loss needs a target for each prediction, got 1 and 0."),
        (lambda: hinge([1.0], [0]), "hinge takes targets -1 and 1, got 0.0."),
        (lambda: binary_cross_entropy([0.5], [-1]), "binary_cross_entropy takes targets 0 and 1, got -1.0."),
        (
            lambda: binary_cross_entropy([Value(1.0, label="p")], [1]),
            "binary_cross_entropy takes probabilities between 0 and 1, got p = 1.0. "
            "Pass sigmoid outputs, or the numbers before the sigmoid with from_logits=True.",
        ),
        (lambda: softmax_cross_entropy([[1, 2]], [2]), "a target is the number of a class, 0 to 1, got 2."),
        (lambda: softmax_cross_entropy([[1, 2]], [-1]), "a target is the number of a class, 0 to 1, got -1."),
        (lambda: softmax_cross_entropy([[1, 2]], [1.0]), "a target is the number of a class, 0 to 1, got 1.0."),
    ],
)
def test_refusals(call, sentence):
    with pytest.raises(ValueError) as caught:
        call()
    assert str(caught.value) == sentence


NONE = "A function without a return statement gives None: did one come before?"


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: sum_of_squares(None, [1]), f"predictions come as a list, got None. {NONE}"),
        (lambda: half_squares([1], None), f"targets come as a list, got None. {NONE}"),
        (lambda: mean_squares("12", [1, 2]), "predictions come as a list, got the str '12'."),
        (
            lambda: hinge(MLP(2, [1]), [1]),
            "predictions come as a list, got an MLP. Call it with inputs, and pass what it gives.",
        ),
        (lambda: softmax_cross_entropy(None, [0]), f"logits come as a list, got None. {NONE}"),
        (lambda: softmax_cross_entropy([None], [0]), f"the logits of a row come as a list, got None. {NONE}"),
        (
            lambda: softmax_cross_entropy([[1, 2]], 0),
            "targets come as a list, got an int. One alone stands in brackets: [x].",
        ),
    ],
)
def test_what_is_no_list_gets_a_sentence(call, sentence):
    with pytest.raises(TypeError) as caught:
        call()
    assert str(caught.value) == sentence


@pytest.mark.parametrize("row", [[1.0, 2.0], (Value(1), Value(2)), np.array([1.0, 2.0])])
@pytest.mark.parametrize("targets", [0, [0], [0, 1]])
def test_one_row_of_logits_gets_a_sentence(row, targets):
    with pytest.raises(TypeError) as caught:
        softmax_cross_entropy(row, targets)
    assert str(caught.value) == (
        "softmax_cross_entropy takes a list of rows of logits, a row for each sample; got one row of 2. "
        "For one sample write softmax_cross_entropy([logits], [target])."
    )
    assert softmax_cross_entropy([row], [0]).data == pytest.approx(math.log(1 + math.e))
