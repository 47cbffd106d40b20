"""The Jacobian lab: its grid is that of nudging, v goes through it to the engine's VJP, and its counts are right."""

import numpy as np
import pytest

from autograd.tensor import Tensor
from figures import jacobian
from figures.labs.jacobian import OPS, find
from tests.lab_graphs import as_float, assert_plays, shown

H = 1e-6


def nudged(op):
    """The Jacobian by central differences: each number of the input to both sides."""
    x, columns = np.round(np.random.RandomState(3).uniform(-1.5, 1.5, op.shape), 2), []
    for place in np.ndindex(x.shape):
        step = np.zeros(x.shape)
        step[place] = H
        columns.append((op.made(Tensor(x + step)).data - op.made(Tensor(x - step)).data).ravel() / (2 * H))
    return np.array(columns).T


@pytest.mark.parametrize("name", OPS)
def test_jacobian_matches_differences_and_gives_the_vjp(name):
    found, right = find(OPS[name]), nudged(OPS[name])
    assert found.matrix.shape == right.shape
    np.testing.assert_allclose(found.matrix, right, atol=1e-8)
    assert ((found.matrix == 0) == (abs(right) < 1e-8)).all(), "what is 0 is exactly 0"
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
            assert as_float(text[f"sum.{j}"]) == pytest.approx(total[j], abs=6e-5)
    assert_plays(player)


@pytest.mark.parametrize(
    ("name", "outputs", "inputs", "share"),
    [
        ("tanh", (50, 32), (50, 32), 1 / 1600),
        ("relu", (50, 32), (50, 32), 1 / 1600),
        ("softmax", (50, 10), (50, 10), 1 / 50),
        ("matmul", (50, 32), (64, 32), 1 / 32),
        ("bias", (50, 32), (32,), 1 / 32),
        ("sum", (1,), (50, 32), 1.0),
    ],
)
def test_digits_counts_match_the_shapes(name, outputs, inputs, share):
    """Of the step on 50 digits, 64-32-10: how many numbers come in and go out, which share of the grid is not 0."""
    op, text, first = OPS[name], shown(jacobian(name)), shown(jacobian(name), 1)
    assert (op.outputs, op.inputs) == (np.prod(outputs), np.prod(inputs))
    assert op.filled == op.outputs * op.inputs * share
    assert text["digits"] == f"{op.outputs * op.inputs:,}" and text["stored"] == "0" and first["digits"] == "–"
