"""The matrix product lab: its cells are the engine's and those of single Values; known wrong rules are named."""

import itertools

import numpy as np
import pytest

from autograd import Value
from autograd.errors.messages import show
from autograd.tensor import Tensor
from figures import matmul
from figures.labs.matmul import EXAMPLE, read
from figures.labs.matmul_cells import fitting, rules
from figures.page.style import number
from tests.lab_graphs import as_float, assert_plays, shown

RANDOM = np.random.RandomState(0)
EXAMPLES = {
    "the lesson's": tuple(EXAMPLE.values()),
    "2, 3, 4": tuple(RANDOM.uniform(-2, 2, size) for size in ((2, 3), (3, 4), (2, 4))),
    "1, 1, 1": ([[3.0]], [[2.0]], [[-1.0]]),
    "4, 1, 3": tuple(RANDOM.uniform(-2, 2, size) for size in ((4, 1), (1, 3), (4, 3))),
    "3, 3, 3": tuple(RANDOM.uniform(-2, 2, (3, 3)) for _ in range(3)),
}


def by_values(x, w, upstream):
    """{name: the gradient of X and W} by the scalar engine, a Value for each number."""
    nodes = {name: [[Value(float(v)) for v in row] for row in rows] for name, rows in (("X", x), ("W", w))}
    loss = Value(0.0)
    for (i, row), j in itertools.product(enumerate(nodes["X"]), range(len(w[0]))):
        for left, right in zip(row, (line[j] for line in nodes["W"])):
            loss = loss + left * right * float(upstream[i][j])
    loss.backward()
    return {name: np.array([[node.grad for node in row] for row in rows]) for name, rows in nodes.items()}


@pytest.mark.parametrize("wants", ["W", "X"])
@pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES)
def test_each_cell_matches_single_values(example, wants):
    player, right = matmul(*example, wants=wants), by_values(*example)[wants]
    cells = list(np.ndindex(right.shape))
    for turn, cell in enumerate(cells, start=1):
        text = shown(player, turn)
        assert as_float(text["total"]) == pytest.approx(right[cell], abs=6e-5)
        known = [text[f"{wants}.{a}.{b}.grad"] != "–" for a, b in cells]
        assert known == [place < turn for place in range(len(cells))]
    assert len(player.recording.frames) == len(cells) + 2
    assert_plays(player)


@pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES)
def test_edges_of_a_weight_add_up_to_its_gradient(example):
    (x, _, upstream), right, rows = example, by_values(*example)["W"], len(example[0])
    player = matmul(*example, wants="graph")
    assert len(player.recording.frames) == 1 + rows * right.size
    for turn, (k, j) in enumerate(np.ndindex(right.shape), start=1):
        for i in range(rows):
            text = shown(player, (turn - 1) * rows + i + 1)
            assert (text[f"e{i}.0.local"], text["sum.upstream"]) == (number(x[i][k]), show(upstream[i][j]))
        assert text["w.name"] == f"W[{k}, {j}]" and as_float(text["w.grad"]) == pytest.approx(right[k, j], abs=6e-5)
    assert_plays(player)


@pytest.mark.parametrize(("sizes", "count"), [((2, 3, 4), 1), ((2, 3, 3), 8), ((3, 3, 3), 36)])
def test_fitting_products_are_counted(sizes, count):
    n, k, m = sizes
    product = read(np.ones((n, k)), np.ones((k, m)), np.ones((n, m)))
    last = matmul(product.X, product.W, product.G).recording.frames[-1].say
    assert fitting(product, "W") == count
    assert ("only this one has the shape" if count == 1 else f"{count} of them have the shape") in last


@pytest.mark.parametrize("wants", ["W", "X"])
def test_wrong_rules_of_a_square_product_are_explained(wants):
    """Where sizes differ none of those that fit gives the right numbers."""
    product, other = read(*EXAMPLES["3, 3, 3"]), read(*EXAMPLES["2, 3, 4"])
    frames = matmul(*EXAMPLES["3, 3, 3"], wants=wants, predict=True).recording.frames[1:-1]
    assert len(rules(product)[wants]) == 9
    for sentence, gradient in rules(product)[wants]:
        said = [dict((show(n), text) for n, text in frame.ask["wrong"]) for frame in frames]
        named = [told.get(show(number)) for told, number in zip(said, gradient.flat, strict=True)]
        assert named.count(f"Known mistake: {sentence}.") >= 6, sentence
    right = getattr(other, f"d{wants}")
    same = [np.allclose(g, right) for _, g in rules(other)[wants] if g.shape == right.shape]
    assert not np.any(same)


def test_tensors_of_any_engine_are_accepted():
    class Own:
        def __init__(self, data):
            self.data = np.array(data, dtype=float)

    for made in (Tensor, Own, np.array):
        assert matmul(*(made(rows) for rows in EXAMPLE.values())).render_text() == matmul().render_text()
