"""The Jacobian lab: its grid is that of nudging, v goes through it to the engine's VJP, and its counts are right."""

import re

import numpy as np
import pytest

from autograd.messages import show
from autograd.tensor import Tensor
from figures import jacobian
from figures.labs.jacobian import OPS, find
from tests.walks import ask, assert_plays, shown

H = 1e-6


def nudged(op):
    """The Jacobian by central differences: each number of the input to both sides."""
    x = np.round(np.random.RandomState(3).uniform(-1.5, 1.5, op.shape), 2)
    columns = []
    for place in np.ndindex(x.shape):
        step = np.zeros(x.shape)
        step[place] = H
        columns.append((op.made(Tensor(x + step)).data - op.made(Tensor(x - step)).data).ravel() / (2 * H))
    return np.array(columns).T


@pytest.mark.parametrize("name", OPS)
def test_the_grid_is_that_of_nudging_and_v_goes_through_it_to_the_vjp(name):
    found, right = find(OPS[name]), nudged(OPS[name])
    assert found.matrix.shape == right.shape
    np.testing.assert_allclose(found.matrix, right, atol=1e-8)
    np.testing.assert_allclose(found.v @ found.matrix, found.vjp, atol=1e-12)


@pytest.mark.parametrize("name", OPS)
def test_each_step_adds_a_row(name):
    player, found = jacobian(name), find(OPS[name])
    rows, columns = found.matrix.shape
    assert len(player.recording.frames) == rows + 2
    assert {shown(player, 0)[f"sum.{j}"] for j in range(columns)} == {"–"}
    for row in range(1, rows + 1):
        total = found.v[:row] @ found.matrix[:row]
        text = shown(player, row)
        for j in range(columns):
            assert float(text[f"sum.{j}"]) == pytest.approx(total[j], abs=6e-5)
    assert_plays(player)


@pytest.mark.parametrize("name", OPS)
def test_the_dots_are_the_numbers(name):
    """A filled dot above 0, a ring below, a point for 0."""
    matrix, stage = find(OPS[name]).matrix, jacobian(name).spec["stage"]
    kinds = re.findall(r'<circle class="(\w+)', stage)
    assert [kinds.count(kind) for kind in ("bars", "least", "done")] == [
        (matrix > 0).sum(),
        (matrix < 0).sum(),
        (matrix == 0).sum(),
    ]


def test_the_patterns():
    assert np.count_nonzero(find(OPS["tanh"]).matrix - np.diag(np.diag(find(OPS["tanh"]).matrix))) == 0
    softmax = find(OPS["softmax"]).matrix
    assert softmax[:4, :4].all() and softmax[4:, 4:].all() and not softmax[:4, 4:].any() and not softmax[4:, :4].any()
    assert np.count_nonzero(find(OPS["matmul"]).matrix) == 96 / 4
    assert (find(OPS["bias"]).matrix == np.vstack([np.eye(3)] * 2)).all()
    assert set(np.diag(find(OPS["relu"]).matrix)) == {0.0, 1.0}


@pytest.mark.parametrize("name", OPS)
def test_the_counts_on_digits_are_those_of_the_shapes(name):
    """Of the step on 50 digits, 64-32-10: how many numbers come in and go out, and how many of the grid are not 0."""
    shapes = {  # (of the outputs, of the inputs)
        "tanh": ((50, 32), (50, 32)),
        "relu": ((50, 32), (50, 32)),
        "softmax": ((50, 10), (50, 10)),
        "matmul": ((50, 32), (64, 32)),
        "bias": ((50, 32), (32,)),
        "sum": ((1,), (50, 32)),
    }
    op, (outputs, inputs) = OPS[name], shapes[name]
    assert (op.outputs, op.inputs) == (np.prod(outputs), np.prod(inputs))
    one = {"matmul": 1 / 32, "softmax": 1 / 50, "bias": 1 / 32, "sum": 1.0}.get(name, 1 / 1600)
    assert op.filled == op.outputs * op.inputs * one
    text = shown(jacobian(name))
    assert text["digits"] == f"{op.outputs * op.inputs:,}" and text["stored"] == "0"
    assert shown(jacobian(name), 1)["digits"] == "–"


def test_the_numbers_of_lesson_11():
    player = jacobian("matmul")
    text = shown(player)
    assert (text["digits"], text["bytes"], text["filled"]) == ("3,276,800", "26.2 MB", "102,400")
    assert "1,600 × 2,048 = 3,276,800 numbers, 26.2 MB" in player.recording.frames[-1].say
    assert "one product of 102,400 multiplications" in player.recording.frames[-1].say


@pytest.mark.parametrize(
    ("name", "formula"),
    [
        ("tanh", lambda x, v: v * (1 - np.tanh(x) ** 2)),
        ("relu", lambda x, v: v * (x > 0)),
        (
            "softmax",
            lambda x, v: (y := np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)) * (v - (v * y).sum(1)[:, None]),
        ),
        ("sum", lambda x, v: v * np.ones(x.shape)),
    ],
)
def test_the_formula_that_it_names_is_the_vjp(name, formula):
    op = OPS[name]
    x, found = np.round(np.random.RandomState(3).uniform(-1.5, 1.5, op.shape), 2), find(op)
    v = found.v.reshape(op.made(Tensor(x)).shape)
    np.testing.assert_allclose(formula(x, v).ravel(), found.vjp, atol=1e-12)


def test_another_operation_is_another_grid():
    player = jacobian()
    assert player.values == {"op": "matmul"}
    assert ask(player, op="softmax") == "" and shown(player)["here"] == "8 × 8 = 64"
    assert ask(player, op="conv") == "op is one of tanh, relu, softmax, matmul, bias, sum; got 'conv'."
    assert shown(player)["here"] == "8 × 8 = 64"


def test_an_operation_that_it_does_not_know_gets_a_sentence():
    with pytest.raises(ValueError, match="op is one of tanh, relu, softmax, matmul, bias, sum; got 3"):
        jacobian(3)


def test_a_row_of_zeros_adds_nothing():
    player, found = jacobian("relu"), find(OPS["relu"])
    row = int(np.argmin(found.matrix.any(axis=1)))
    assert player.recording.frames[row + 1].say == (
        f"Output {row}: all of its row is 0, so v[{row}] = {show(found.v[row])} adds nothing to any input."
    )
