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
from tests.labs import told
from tests.walks import assert_plays, shown

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
        cell = Value(0.0)
        for left, right in zip(row, (line[j] for line in nodes["W"])):
            cell = cell + left * right
        loss = loss + cell * float(upstream[i][j])
    loss.backward()
    return {name: [[node.grad for node in row] for row in rows] for name, rows in nodes.items()}


@pytest.mark.parametrize("wants", ["W", "X"])
@pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES)
def test_each_cell_is_that_of_single_values(example, wants):
    player, right = matmul(*example, wants=wants), by_values(*example)[wants]
    cells = list(np.ndindex(len(right), len(right[0])))
    for turn, (i, j) in enumerate(cells, start=1):
        text = shown(player, turn)
        assert float(text["total"]) == pytest.approx(right[i][j], abs=6e-5)
        known = [text[f"{wants}.{a}.{b}.grad"] != "–" for a, b in cells]
        assert known == [place < turn for place in range(len(cells))]
    assert len(player.recording.frames) == len(cells) + 2
    assert_plays(player)


def test_the_numbers_of_lesson_11():
    right = {"W": [[1, 0], [0, 1], [6, -3]], "X": [[1, 2, 0.5], [3, 4, 0]]}
    for wants, rows in right.items():
        text = shown(matmul(wants=wants))
        found = [[text[f"{wants}.{i}.{j}.grad"] for j in range(len(row))] for i, row in enumerate(rows)]
        assert found == [list(map(show, row)) for row in rows]
    assert (
        matmul()
        .recording.frames[3]
        .say.endswith("= 2.0000 · 1.0000 + (-1.0000) · 2.0000 = 0.0000. The contributions cancel.")
    )
    assert read(*EXAMPLE.values()).Y.tolist() == [[5, -1], [-0.5, 3]]


def test_a_cell_lights_its_column_of_x_and_of_g():
    for wants, turn, lit in (
        ("W", 4, {"target": "W.1.1", "forward": "X.0.1 X.1.1", "backward": "Y.0.1 Y.1.1"}),
        ("X", 6, {"target": "X.1.2", "forward": "W.2.0 W.2.1", "backward": "Y.1.0 Y.1.1"}),
    ):
        marks = matmul(wants=wants).recording.frames[turn].marks
        right = {key: state for state, keys in lit.items() for key in keys.split()}
        assert {key: mark["state"] for key, mark in marks.items() if mark.get("state")} == right


@pytest.mark.parametrize(("sizes", "count"), [((2, 3, 4), 1), ((2, 3, 3), 8), ((3, 3, 3), 36)])
def test_how_many_products_fit(sizes, count):
    n, k, m = sizes
    product = read(np.ones((n, k)), np.ones((k, m)), np.ones((n, m)))
    assert fitting(product, "W") == count
    last = matmul(product.X, product.W, product.G).recording.frames[-1].say
    assert ("it alone has this shape." in last) == (count == 1) and (f"{count} have this shape" in last) == (count > 1)


@pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES)
def test_the_edges_of_each_number_of_w_add_up_to_its_gradient(example):
    player, right = matmul(*example, wants="graph"), by_values(*example)["W"]
    rows = len(example[0])
    assert len(player.recording.frames) == 1 + rows * len(right) * len(right[0])
    for turn, (k, j) in enumerate(np.ndindex(len(right), len(right[0])), start=1):
        total = 0.0
        for i in range(rows):
            text = shown(player, (turn - 1) * rows + i + 1)
            total += example[0][i][k] * example[2][i][j]
            assert text["w.name"] == f"W[{k}, {j}]" and float(text["w.grad"]) == pytest.approx(total, abs=6e-5)
            assert text[f"e{i}.0.local"] == show(example[0][i][k]) and text["sum.upstream"] == show(example[2][i][j])
        assert total == pytest.approx(right[k][j], abs=1e-12)
    assert_plays(player)


@pytest.mark.parametrize("wants", ["W", "X", "graph"])
def test_every_cell_is_asked_and_not_in_view_before(wants):
    player, key = matmul(wants=wants, predict=True), "w.grad" if wants == "graph" else "total"
    asked = {i: frame.ask for i, frame in enumerate(player.recording.frames) if frame.ask}
    assert list(asked) == list(range(1, 7))
    for i, question in asked.items():
        assert shown(player, i)[key] == question["shown"]
        assert all(show(number) != question["shown"] for number, _ in question["wrong"])


@pytest.mark.parametrize("wants", ["W", "X"])
def test_each_wrong_rule_of_a_square_product_is_explained(wants):
    """Where sizes differ none of those that fit gives the right numbers; and one product alone is explained, too."""
    product, other = read(*EXAMPLES["3, 3, 3"]), read(*EXAMPLES["2, 3, 4"])
    frames = matmul(*EXAMPLES["3, 3, 3"], wants=wants, predict=True).recording.frames[1:-1]
    assert len(rules(product)[wants]) == 9
    for sentence, gradient in rules(product)[wants]:
        named = 0
        for frame, (i, j) in zip(frames, np.ndindex(3, 3), strict=True):
            told = {show(number): said for number, said in frame.ask["wrong"]}
            wrong = show(gradient[i, j])
            assert wrong in told or wrong == frame.ask["shown"]
            named += told.get(wrong) == f"Known mistake: {sentence}."
        assert named >= 6, sentence
    found, right = rules(other)[wants], getattr(other, f"d{wants}")
    assert found and not any(g.shape == right.shape and np.allclose(g, right) for _, g in found)
    said = dict(matmul(predict=True).recording.frames[3].ask["wrong"])  # 2·1 + (-1)·2
    for number, which in ((2.0, "first"), (-2.0, "last")):
        assert said[number] == f"Known mistake: only the {which} product. All 2 are added."


def test_tensors_of_any_engine_are_taken_and_the_numbers_given_stay():
    class Own:
        def __init__(self, data):
            self.data = np.array(data, dtype=float)

    x, player = np.array(EXAMPLE["X"]), matmul()
    assert matmul(*(Tensor(rows) for rows in EXAMPLE.values())).text() == player.text()
    assert matmul(*(Own(rows) for rows in EXAMPLE.values())).text() == player.text()
    assert matmul(x).text() == player.text() and x.tolist() == EXAMPLE["X"]
    assert told(player, wants="graph") == "" and player.recording.frames[1].at == "W[0, 0], 1 of 6: edge 1 of 2"
