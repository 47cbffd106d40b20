"""The embedding lab: what it adds up is the engine's gradient, and each mistake leaves what NumPy says."""

import numpy as np
import pytest

from autograd.errors.messages import show
from autograd.tensor import Tensor
from figures import embedding
from figures.labs.embedding import SIGNS, TABLE, UPSTREAM
from tests.labs import ask, message, questions, told
from tests.walks import assert_plays, shown

BATCHES = ("green", "e", "bubble", "eeeeeee", "blue")


def grads(lab, index=-1):
    """The gradient of the table that a frame shows, row by row; – for a number that is not there yet."""
    text = shown(lab, index)
    rows = sum(key.startswith("e") and key.endswith(".0") for key in text)
    columns = sum(key.startswith("e0.") and key.count(".") == 1 for key in text)
    return [[text[f"e{i}.{j}.grad"] for j in range(columns)] for i in range(rows)]


def by_hand(letters, signs=SIGNS, upstream=UPSTREAM):
    """The same by the engine, by a one-hot product, and by nudging each number of the table."""
    rows = [signs.index(letter) for letter in letters]
    back = np.array(upstream, dtype=float)[: len(rows)]
    table = Tensor(TABLE)
    looked = table[rows]
    looked.backward(gradient=back)
    one_hot = np.eye(len(signs))[rows]
    np.testing.assert_array_equal(looked.data, one_hot @ np.array(TABLE))
    np.testing.assert_array_equal(table.grad, one_hot.T @ back)
    nudged = np.zeros(table.shape)
    for place in np.ndindex(table.shape):
        more, less = np.array(TABLE), np.array(TABLE)
        more[place] += 1e-4
        less[place] -= 1e-4
        nudged[place] = ((more[rows] - less[rows]) * back).sum() / 2e-4
    np.testing.assert_allclose(nudged, table.grad, atol=1e-9)
    return table.grad


@pytest.mark.parametrize("letters", BATCHES)
def test_the_gradient_of_each_row_is_the_engines_and_that_of_a_one_hot_product(letters):
    lab = embedding(letters)
    assert grads(lab) == [[show(x) for x in row] for row in by_hand(letters)]
    assert_plays(lab)


def test_green_uses_e_twice_and_leaves_three_rows_at_exactly_0():
    lab = embedding()
    assert grads(lab)[1] == ["3.0000", "2.0000"]
    unused = [sign for sign, row in zip(SIGNS, grads(lab)) if row == ["0.0000", "0.0000"]]
    assert unused == ["b", "l", "u"] and not by_hand("green")[[0, 3, 6]].any()
    assert lab.recording.frames[-1].say.endswith("Nothing looked up b, l or u: their rows are exactly 0.")
    text = shown(lab, 10)
    assert (text["uses"], text["came"]) == ("2 times", "[1.0000, -1.0000] + [2.0000, 3.0000]")
    assert (text["kept"], text["right"]) == ("[3.0000, 2.0000]", "[3.0000, 2.0000]")
    assert lab.recording.frames[10].say == (
        "G[3] goes to row e and is added: [1.0000, -1.0000] + [2.0000, 3.0000] = [3.0000, 2.0000]."
    )
    assert grads(lab, 10)[3] == ["–", "–"], "whether something comes back to a row is not told before the end"


def test_an_arrow_is_drawn_forward_then_turned_and_the_look_up_is_lit_in_all_three_arrays():
    lab = embedding()
    frames = [frame.marks for frame in lab.recording.frames]
    states = [frames[index]["arrow3"]["state"] for index in (0, 3, 4, 5, 6, 9, 10, 11, 12)]
    assert states == ["off", "off", "forward", "", "", "", "back backward", "back used", "back used"]
    lit = {key for key, mark in frames[4].items() if mark.get("state") == "forward"}
    assert lit == {"hot3", "y3.0.box", "y3.1.box", "e1.0.box", "e1.1.box", "arrow3"}
    assert "the same row again" in lab.recording.frames[4].say and shown(lab, 3)["y3.0"] == "–"


@pytest.mark.parametrize("letters", BATCHES)
def test_a_mistake_leaves_what_numpy_leaves(letters):
    rows = [SIGNS.index(letter) for letter in letters]
    back = np.array(UPSTREAM, dtype=float)[: len(rows)]
    last = np.zeros((7, 2))
    last[rows] += back
    assert grads(embedding(letters, way="gradient[rows] += g")) == [[show(x) for x in row] for row in last]
    mean = [back[np.array(rows) == row].mean(axis=0) if row in rows else np.zeros(2) for row in range(7)]
    assert grads(embedding(letters, way="mean")) == [[show(x) for x in row] for row in mean]


def test_a_mistake_is_said_and_only_a_letter_that_comes_twice_shows_it():
    lab = embedding(way="gradient[rows] += g")
    assert grads(lab)[1] == ["2.0000", "3.0000"]
    assert "is written over [1.0000, -1.0000]" in lab.recording.frames[10].say
    assert lab.recording.frames[-1].say.startswith("1 of 7 rows is wrong: e. NumPy reads every row before it writes")
    assert [lab.recording.frames[10].marks[f"arrow{i}"]["state"] for i in (2, 3)] == ["back lost", "back backward"]
    for way in ("gradient[rows] += g", "mean"):
        said = embedding("blue", way=way).recording.frames[-1].say
        assert said.startswith("No row of this batch got a wrong gradient.")


def test_predictions_are_asked_where_a_row_has_something_already_and_of_a_row_that_was_not_looked_up():
    lab = embedding(predict=True)
    asked = [index for index, frame in enumerate(lab.recording.frames) if frame.ask]
    assert asked == [7, 8, 9, 10, 11, 12]
    by_name = dict(line.split(": ", 1) for line in questions(lab))
    assert by_name["E.grad[1, 0], in the row of e,"].startswith("3.0000. 2: Known mistake: only what came last")
    assert by_name["E.grad[0, 0], in the row of b,"].startswith("0.0000.")
    assert sum(bool(frame.ask) for frame in embedding("eeeeeee", predict=True).recording.frames) == 6
    assert not any(frame.ask for frame in embedding(predict=True, way="mean").recording.frames)


def test_letters_are_typed_and_a_bad_one_gets_a_sentence():
    lab = embedding()
    ask(lab, letters="blue")
    assert message(lab) == "" and lab.recording.title == "“blue” looks rows up in a table"
    assert told(lab, letters="blux") == "the table has rows for b, e, g, l, n, r, u; there is none for 'x'."
    assert told(lab, letters="") == "a batch has 1 to 7 letters here; '' has 0."
    assert lab.recording.title == "“blue” looks rows up in a table"


def test_a_table_of_ones_own():
    table = np.arange(6.0).reshape(2, 3)
    lab = embedding("aab", table, "ab", upstream=[[1, 2, 3], [4, 5, 6]])
    assert grads(lab) == [["5.0000", "7.0000", "9.0000"], ["1.0000", "2.0000", "3.0000"]]  # its rows come again
    assert lab.recording.frames[-1].say.endswith("Row a was looked up 2 times and has the sum.")
    assert_plays(lab)
