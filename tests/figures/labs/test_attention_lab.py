"""The attention lab: its numbers are those of the formulas, of nudging, and of the three letters done by hand."""

import numpy as np
import pytest

from autograd.tensor import Tensor
from figures import attention
from figures.labs.attention import EXAMPLE, opened, read
from tests.array_oracles import nudged
from tests.lab_graphs import assert_plays, shown

RANDOM = np.random.RandomState(4)
GIVEN = (  # (q, k, v, letters, upstream) of other sizes
    (*RANDOM.normal(size=(3, 4, 2)), "blue", [0.5, -2.0]),
    (*RANDOM.normal(size=(3, 6, 1)), "yellow", [3.0]),
    (*RANDOM.normal(size=(2, 2, 3)), RANDOM.normal(size=(2, 1)), "to", [1.0]),
    (*(np.array(EXAMPLE[name]) for name in "qkv"), "red", None),
)


@pytest.mark.parametrize("mask", [True, False])
@pytest.mark.parametrize("given", GIVEN, ids=lambda given: given[3])
def test_attention_rows_match_formulas_and_finite_differences(given, mask):
    known = read(*given)
    for row in range(len(known.letters)):
        one = opened(known, row, mask)
        seen = list(range(row + 1)) if mask else list(range(len(known.letters)))

        def shares(q, k, seen=seen, row=row):
            powers = np.exp(k[seen] @ q[row])
            return powers / powers.sum()

        def output(q, k, v, seen=seen, shares=shares):
            return Tensor(shares(q.data, k.data) @ v.data[seen])

        p = shares(known.q, known.k)
        assert one.seen == seen
        np.testing.assert_allclose(one.shares, p, rtol=1e-12)
        np.testing.assert_allclose(one.ds, (np.diag(p) - np.outer(p, p)) @ known.v[seen] @ known.upstream, atol=1e-12)
        value, slopes = nudged(output, None, [known.q, known.k, known.v], known.upstream, 1e-5)
        np.testing.assert_allclose(one.output, value, rtol=1e-12)
        for expected, rows, found in zip(slopes, ([row], seen, seen), ([one.dq], one.dk, one.dv)):
            np.testing.assert_allclose(found, expected[rows], atol=1e-8)
            assert not np.delete(expected, rows, axis=0).any(), "nothing goes to what is not seen"


def test_three_letter_example_matches_hand_calculation():
    text = shown(attention())
    right = {"shares": "0.4223 0.4223 0.1554 1", "ds": "0.0471 −0.3752 0.3281 0"}
    for line, numbers in right.items():
        assert [text[name] for name in text if name.startswith(f"{line}.")] == numbers.split()


def test_other_letters_can_be_predicted_and_played():
    for given in GIVEN:
        lab = attention(*given[:4], upstream=given[4], predict=True)
        assert sum(bool(frame.ask) for frame in lab.recording.frames) == 6
        assert_plays(lab)
