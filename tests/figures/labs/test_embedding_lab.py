"""The embedding lab: what it adds up is the engine's gradient, and each mistake leaves what NumPy says."""

import numpy as np
import pytest

from autograd.tensor import Tensor
from figures import embedding
from figures.labs.embedding import SIGNS, TABLE, UPSTREAM
from figures.page.style import number
from tests.array_oracles import nudged
from tests.lab_graphs import assert_plays, shown

BATCHES = ("green", "e", "bubble", "eeeeeee", "blue")


def grads(lab, index=-1):
    """The gradient of the table that a frame shows, row by row; – for a number that is not there yet."""
    text = shown(lab, index)
    rows = sum(key.startswith("e") and key.endswith(".0") for key in text)
    columns = sum(key.startswith("e0.") and key.count(".") == 1 for key in text)
    return [[text[f"e{i}.{j}.grad"] for j in range(columns)] for i in range(rows)]


def as_shown(array):
    return [[number(x) for x in row] for row in array]


@pytest.mark.parametrize("letters", BATCHES)
def test_row_gradients_match_engine_one_hot_and_differences(letters):
    rows, lab = [SIGNS.index(letter) for letter in letters], embedding(letters)
    back, one_hot, table = np.array(UPSTREAM, dtype=float)[: len(rows)], np.eye(7)[rows], Tensor(TABLE)
    table[rows].backward(gradient=back)
    np.testing.assert_array_equal(table.grad, one_hot.T @ back)
    np.testing.assert_allclose(nudged(lambda t: t[rows], None, [table.data], back)[1][0], table.grad, atol=1e-8)
    assert grads(lab) == as_shown(table.grad)
    assert_plays(lab)


@pytest.mark.parametrize("letters", BATCHES)
def test_wrong_rows_are_overwritten_or_averaged(letters):
    rows = [SIGNS.index(letter) for letter in letters]
    back, last = np.array(UPSTREAM, dtype=float)[: len(rows)], np.zeros((7, 2))
    last[rows] += back
    assert grads(embedding(letters, way="gradient[rows] += g")) == as_shown(last)
    mean = [back[np.array(rows) == row].mean(axis=0) if row in rows else np.zeros(2) for row in range(7)]
    assert grads(embedding(letters, way="mean")) == as_shown(mean)


def test_repeated_letter_accumulates_and_zeros_show_only_at_the_end():
    lab = embedding()
    assert grads(lab)[1] == ["3", "2"] and grads(lab, 10)[3] == ["–", "–"]
    assert [sign for sign, row in zip(SIGNS, grads(lab)) if row == ["0", "0"]] == ["b", "l", "u"]


def test_embedding_accepts_a_custom_table():
    lab = embedding("aab", np.arange(6.0).reshape(2, 3), "ab", upstream=[[1, 2, 3], [4, 5, 6]])
    assert grads(lab) == as_shown([[5, 7, 9], [1, 2, 3]])  # upstream's rows come again
