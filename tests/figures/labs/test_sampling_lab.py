"""The sampling lab: its shares are softmax's, its default was counted, and the dart hits what NumPy's search finds."""

import itertools

import numpy as np
import pytest
from matplotlib.colors import XKCD_COLORS

from autograd.errors.messages import show
from autograd.tensor import Tensor
from figures import sampling
from figures.labs.sampling import COUNTS, DARTS, read, softmax
from tests.lab_graphs import shown
from tests.labs import message_after

SCORES = [2.0, -1.0, 0.5, 0.0]


def test_default_counts_match_the_colour_names():
    """At temperature 1 the share of a sign is how often it follows a b."""
    names = [f"{name.removeprefix('xkcd:')}." for name in XKCD_COLORS]
    assert len(names) == 949
    behind = [b for name in names for a, b in itertools.pairwise(name) if a == "b"]
    assert {sign: behind.count(sign) for sign in sorted(set(behind))} == COUNTS and len(behind) == 327
    assert shown(sampling(), 50)["share"] == show(155 / 327)
    np.testing.assert_allclose(softmax(read(None, None)[1]), np.array([*COUNTS.values()]) / 327, rtol=1e-12)


@pytest.mark.parametrize("temperature", [0.1, 0.7, 1.0, 3.0])
def test_shares_and_hits_match_the_formula(temperature):
    lab, powers = sampling(SCORES, "abcd", temperature=temperature), np.exp(np.array(SCORES) / temperature)
    shares = powers / powers.sum()
    ends = np.cumsum(shares)
    for place in range(DARTS):
        hit, text = min(np.searchsorted(ends, place / DARTS, side="right"), 3), shown(lab, place)
        assert (text["hit"], text["share"]) == ("abcd"[hit], show(float(shares[hit])))
        numbers = float(text["from"]), float(text["to"])
        assert numbers == pytest.approx((ends[hit] - shares[hit], ends[hit]), abs=6e-5)
    assert len(lab.recording.frames) == DARTS


def test_shares_at_temperature_1_match_softmax_cross_entropy():
    """softmax_cross_entropy is −log of the target's share."""
    for target in range(4):
        loss = Tensor([SCORES]).softmax_cross_entropy([target]).data
        assert np.exp(-loss) == pytest.approx(softmax(np.array(SCORES))[target], rel=1e-12)
    lab = sampling([800.0, 799.0, -800.0], "abc")
    assert shown(lab, 0)["share"] == show(1 / (1 + np.exp(-1))) and shown(lab, 99)["hit"] == "b"


def test_dart_keeps_its_place_and_spaces_are_visible():
    lab = sampling(Tensor([[1.0, 0.0, 0.0]]), ["a", " ", "."], u=0.7)
    assert lab.spec["index"] == lab.index == 70 and shown(lab, 70)["hit"] == "␣"
    assert message_after(lab, temperature=2.0) == "" and lab.spec["index"] == 70
