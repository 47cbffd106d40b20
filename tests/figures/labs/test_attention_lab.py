"""The attention lab: its numbers are those of the formulas, of nudging, and of the three letters done by hand."""

import numpy as np
import pytest

from autograd.errors.messages import show
from figures import attention
from figures.labs.attention import EXAMPLE, opened, read
from tests.labs import ask, message, questions, told
from tests.walks import assert_plays, shown

Q, K, V = (np.array(EXAMPLE[name]) for name in "qkv")
RANDOM = np.random.RandomState(4)
GIVEN = (  # (q, k, v, letters, upstream) of other sizes
    (*RANDOM.normal(size=(3, 4, 2)), "blue", [0.5, -2.0]),
    (*RANDOM.normal(size=(3, 6, 1)), "yellow", [3.0]),
    (*RANDOM.normal(size=(2, 2, 3)), RANDOM.normal(size=(2, 1)), "to", [1.0]),
    (Q, K, V, "red", None),
)


def output(q, k, v, row, seen):
    """The output of a row, by the formulas."""
    powers = np.exp(k[seen] @ q[row])
    return powers / powers.sum() @ v[seen]


def nudged(arrays, which, row, seen, upstream, size=1e-5):
    """The gradient of one of q, k, v by central differences."""
    found = np.zeros(arrays[which].shape)
    for place in np.ndindex(found.shape):
        sides = []
        for step in (size, -size):
            moved = [array.copy() for array in arrays]
            moved[which][place] += step
            sides.append(output(*moved, row, seen) @ upstream)
        found[place] = (sides[0] - sides[1]) / (2 * size)
    return found


@pytest.mark.parametrize("mask", [True, False])
@pytest.mark.parametrize("given", GIVEN, ids=lambda given: given[3])
def test_each_row_is_that_of_the_formulas_and_its_gradients_those_of_nudging(given, mask):
    known = read(*given)
    for row in range(len(known.letters)):
        one = opened(known, row, mask)
        seen = list(range(row + 1)) if mask else list(range(len(known.letters)))
        assert one.seen == seen
        p = np.exp(known.k[seen] @ known.q[row])
        p /= p.sum()
        np.testing.assert_allclose(one.shares, p, rtol=1e-12)
        np.testing.assert_allclose(one.output, output(known.q, known.k, known.v, row, seen), rtol=1e-12)
        np.testing.assert_allclose(one.ds, (np.diag(p) - np.outer(p, p)) @ known.v[seen] @ known.upstream, atol=1e-12)
        for which, rows, found in ((0, [row], [one.dq]), (1, seen, one.dk), (2, seen, one.dv)):
            expected = nudged((known.q, known.k, known.v), which, row, seen, known.upstream)
            np.testing.assert_allclose(found, expected[rows], atol=1e-8)
            assert not np.delete(expected, rows, axis=0).any(), "nothing goes to what is not seen"


def line(lab, key, index=-1):
    """The numbers of a line under the triangle, as they are shown; what it is together comes last."""
    text = shown(lab, index)
    return [text[name] for name in text if name.startswith(f"{key}.")]


def test_the_three_letters_are_those_done_by_hand():
    lab = attention()
    assert line(lab, "shares") == ["0.4223", "0.4223", "0.1554", "1.0000"]
    assert line(lab, "dp") == ["1.0000", "0.0000", "3.0000", "0.8884"]
    assert line(lab, "ds") == ["0.0471", "-0.3752", "0.3281", "0.0000"]
    assert line(lab, "dv")[::2] == ["0.4223", "0.4223", "0.1554"]
    assert line(lab, "pulls")[-2:] == ["0.3752", "-0.7033"]
    assert line(lab, "parts")[-2:] == ["0.8884", "1.0000"]
    assert_plays(lab)


def test_the_row_opens_line_by_line_and_other_rows_are_told_last():
    lab = attention()
    filled = [
        [key for key in ("scores", "shares", "parts", "dv", "dp", "less", "ds", "dk") if "–" not in line(lab, key, i)]
        for i in range(10)
    ]
    assert [len(keys) for keys in filled] == [0, 1, 2, 3, 4, 4, 6, 7, 8, 8]  # dp's mean comes a frame after dp
    assert line(lab, "dp", 5) == ["1.0000", "0.0000", "3.0000", "–"]
    assert [shown(lab, i)["share.2.0"] for i in (1, 2)] == ["–", "0.4223"]
    assert [shown(lab, i)["share.1.0"] for i in (8, 9)] == ["–", show(1 / (1 + np.e))]
    lit = [[key for key, mark in f.marks.items() if mark.get("state")] for f in lab.recording.frames]
    assert lit[2] == ["line.powers", "line.shares"] and lit[6] == ["line.dp", "line.less"] and lit[9] == []
    assert lab.recording.frames[7].say.endswith("0.1116 · 0.4223 = 0.0471. They add up to 0.")


def test_without_a_mask_a_row_sees_the_letters_after_it():
    lab = attention(row=0)
    assert line(lab, "shares") == ["1.0000", "1.0000"] and line(lab, "ds") == ["0.0000", "0.0000"]
    assert "share.0.1" not in shown(lab)
    ask(lab, mask=False)
    assert message(lab) == "" and shown(lab)["share.0.1"] == "0.1554"
    assert "row r gives 0.5777 of its shares to letters that come after it" in lab.recording.frames[-1].say
    assert_plays(lab)


def test_predictions_are_asked_and_mistakes_explained():
    lab = attention(predict=True)
    assert [i for i, frame in enumerate(lab.recording.frames) if frame.ask] == [1, 2, 3, 5, 7, 8]
    lines = questions(lab)
    assert [text.split(": ")[1].split(". ")[0] for text in lines] == [
        *("0.0000", "0.4223", "0.8884", "3.0000", "-0.3752", "0.3752")
    ]
    wrong = dict(lab.recording.frames[7].ask["wrong"])
    softmax = [number for number, said in wrong.items() if "the plain mean" in said]
    assert softmax == pytest.approx([0.42231880 * (0 - 4 / 3)], abs=1e-6)
    assert any("not yet times its share" in said for said in wrong.values())
    for given in GIVEN:
        asked = [f.ask for f in attention(*given[:4], upstream=given[4], predict=True).recording.frames if f.ask]
        assert len(asked) == 6


def test_a_letter_that_comes_twice_is_told_by_its_place_and_a_bad_input_gets_a_sentence():
    lab = attention(*RANDOM.normal(size=(3, 3, 2)), "see")
    assert "Row e (2) looks at s, e (1) and e (2)" in lab.recording.frames[0].say
    assert told(lab, row=3) == "row is a whole number from 0 to 2, got 3."
    assert told(lab, row=1) == "" and lab.recording.title == "Attention: row e (1) of “see” opens"
