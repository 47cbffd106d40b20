"""The matrix product lab: its cells are the engine's and those of single Values; known wrong rules are named."""

import itertools

import numpy as np
import pytest

from autograd import Value
from autograd.messages import show
from autograd.tensor import Tensor
from figures import matmul
from figures.labs.matmul import EXAMPLE, read
from figures.labs.matmul_cells import fitting, rules
from tests.walks import ask, assert_plays, shown

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
    dw, dx = [[1, 0], [0, 1], [6, -3]], [[1, 2, 0.5], [3, 4, 0]]
    for wants, right in (("W", dw), ("X", dx)):
        text = shown(matmul(wants=wants))
        for i, row in enumerate(right):
            for j, number in enumerate(row):
                assert text[f"{wants}.{i}.{j}.grad"] == show(number)
    assert matmul().recording.frames[3].say == (
        "Column 1 of X meets column 0 of G: W.grad[1, 0] = 2.0000 · 1.0000 + (-1.0000) · 2.0000 = 0.0000. "
        "The contributions cancel."
    )
    found = read(*EXAMPLE.values())
    assert found.Y.tolist() == [[5, -1], [-0.5, 3]]


def test_a_cell_lights_its_column_of_x_and_of_g():
    marks = matmul().recording.frames[4].marks  # W.grad[1, 1]
    lit = {key: mark["state"] for key, mark in marks.items() if mark.get("state")}
    assert lit == {"W.1.1": "target", "X.0.1": "forward", "X.1.1": "forward", "Y.0.1": "backward", "Y.1.1": "backward"}
    marks = matmul(wants="X").recording.frames[6].marks  # X.grad[1, 2]
    lit = {key: mark["state"] for key, mark in marks.items() if mark.get("state")}
    assert lit == {"X.1.2": "target", "W.2.0": "forward", "W.2.1": "forward", "Y.1.0": "backward", "Y.1.1": "backward"}


@pytest.mark.parametrize(("sizes", "count"), [((2, 3, 4), 1), ((2, 3, 3), 8), ((3, 3, 3), 36)])
def test_how_many_products_fit(sizes, count):
    n, k, m = sizes
    product = read(np.ones((n, k)), np.ones((k, m)), np.ones((n, m)))
    assert fitting(product, "W") == count
    last = matmul(product.X, product.W, product.G).recording.frames[-1].say
    assert ("it alone has this shape." in last) == (count == 1) and (f"{count} have this shape" in last) == (count > 1)


# The graph of single numbers


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


# Predictions


@pytest.mark.parametrize("wants", ["W", "X", "graph"])
def test_every_cell_is_asked_and_not_in_view_before(wants):
    player = matmul(wants=wants, predict=True)
    frames = player.recording.frames
    asked = [i for i, frame in enumerate(frames) if frame.ask]
    assert asked == list(range(1, 7))
    for i in asked:
        question = frames[i].ask
        key = "w.grad" if wants == "graph" else "total"
        assert shown(player, i)[key] == question["shown"]
        assert all(show(number) != question["shown"] for number, _ in question["wrong"])
    assert not any(frame.ask for frame in matmul(wants=wants).recording.frames)


def test_the_nine_wrong_rules_are_told_apart_where_sizes_differ():
    """On 2 × 3 @ 3 × 4 none of those that fit gives the right numbers; on 1 × 1 six of nine do."""
    example = EXAMPLES["2, 3, 4"]
    product = read(*example)
    for wants, right in (("W", product.dW), ("X", product.dX)):
        found = rules(product)[wants]
        assert found and not any(g.shape == right.shape and np.allclose(g, right) for _, g in found)
    one = read([[3.0]], [[2.0]], [[5.0]])
    assert sum(np.allclose(g, one.dW) for _, g in rules(one)["W"]) == 6
    assert all(len(rules(read(*[np.eye(3) + 1] * 3))[wants]) == 9 for wants in ("W", "X"))


@pytest.mark.parametrize("wants", ["W", "X"])
def test_each_wrong_rule_of_a_square_product_is_explained(wants):
    product = read(*EXAMPLES["3, 3, 3"])
    frames = matmul(*EXAMPLES["3, 3, 3"], wants=wants, predict=True).recording.frames[1:-1]
    for sentence, gradient in rules(product)[wants]:
        named = 0
        for frame, (i, j) in zip(frames, np.ndindex(3, 3), strict=True):
            told = {show(number): said for number, said in frame.ask["wrong"]}
            wrong = show(gradient[i, j])
            assert wrong in told or wrong == frame.ask["shown"]
            named += told.get(wrong) == f"One mistake gives this: {sentence}."
        assert named >= 6, sentence


def test_one_product_alone_is_explained():
    said = dict(matmul(predict=True).recording.frames[3].ask["wrong"])  # 2·1 + (-1)·2
    assert said[2.0] == "One mistake gives this: the first product alone. All 2 add up."
    assert said[-2.0] == "One mistake gives this: the last product alone. All 2 add up."


# Inputs


def test_another_way_is_another_recording():
    player = matmul()
    assert ask(player, wants="graph") == "" and player.recording.frames[1].at == "W[0, 0], 1 of 6: edge 1 of 2"
    assert_plays(player)
    assert ask(player, wants="Y") == "wants is one of W, X, graph; got 'Y'." and player.values == {"wants": "graph"}


@pytest.mark.parametrize(
    ("arguments", "fault", "sentence"),
    [
        (([1, 2],), ValueError, r"X is a matrix, a list of rows such as \[\[1, 2\], \[3, 4\]\]; got shape \(2,\)"),
        (([[1, 2], [3]],), ValueError, "X needs rows of one length"),
        (([["a"]],), TypeError, "X needs a real number, got the str 'a'"),
        (([[float("nan")]],), ValueError, "X needs finite numbers; one of them is nan"),
        ((np.ones((50, 64)),), ValueError, r"sizes go from 1 to 4; X has shape \(50, 64\)"),
        ((np.ones((0, 2)),), ValueError, r"sizes go from 1 to 4; X has shape \(0, 2\)"),
        (([[1.0, 2.0]], [[1.0]]), ValueError, r"@ of shapes \(1, 2\) and \(1, 1\): a row of the left has 2 numbers"),
        (([[1.0]], [[1.0]]), ValueError, r"upstream has the shape of X @ W, \(1, 1\); got \(2, 2\)"),
        ((None, None, 3.0), ValueError, r"upstream is a matrix.*got shape \(\)"),
    ],
)
def test_wrong_arguments_get_a_sentence(arguments, fault, sentence):
    with pytest.raises(fault, match=sentence):
        matmul(*arguments)


def test_wants_is_one_of_three():
    with pytest.raises(ValueError, match="wants is one of W, X, graph; got 'Z'"):
        matmul(wants="Z")


def test_the_numbers_given_stay():
    x = np.array([[1.0, 2.0]])
    matmul(x, [[1.0], [2.0]], [[3.0]])
    assert x.tolist() == [[1.0, 2.0]]


def test_tensors_of_any_engine_are_taken():
    class Own:
        def __init__(self, data):
            self.data = np.array(data, dtype=float)

    right = matmul().text()
    assert matmul(*(Tensor(rows) for rows in EXAMPLE.values())).text() == right
    assert matmul(*(Own(rows) for rows in EXAMPLE.values())).text() == right
