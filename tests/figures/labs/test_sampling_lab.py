"""The sampling lab: its shares are softmax's, its default was counted, and the dart hits what NumPy's search finds."""

import itertools
import time

import numpy as np
import pytest
from matplotlib.colors import XKCD_COLORS

from autograd.errors.messages import show
from autograd.tensor import Tensor
from figures import sampling
from figures.labs.sampling import COUNTS, DARTS, read, softmax
from tests.labs import ask, message, told
from tests.walks import assert_plays, shown

SCORES = [2.0, -1.0, 0.5, 0.0]


def test_the_default_is_what_was_counted_in_the_names():
    """At temperature 1 the share of a sign is how often it follows a b."""
    names = [f"{name.removeprefix('xkcd:')}." for name in XKCD_COLORS]
    assert len(names) == 949
    behind = [b for name in names for a, b in itertools.pairwise(name) if a == "b"]
    assert {sign: behind.count(sign) for sign in sorted(set(behind))} == COUNTS and len(behind) == 327
    lab = sampling()
    assert shown(lab, 50)["share"] == show(155 / 327) == "0.4740"
    np.testing.assert_allclose(softmax(read(None, None)[1]), np.array([*COUNTS.values()]) / 327, rtol=1e-12)


@pytest.mark.parametrize("temperature", [0.1, 0.7, 1.0, 3.0])
def test_shares_and_hits_are_those_of_the_formula_at_every_place_of_the_dart(temperature):
    lab = sampling(SCORES, "abcd", temperature=temperature)
    powers = np.exp(np.array(SCORES) / temperature)
    shares = powers / powers.sum()
    assert len(lab.recording.frames) == DARTS
    hits = []
    for place in range(DARTS):
        hit = next(i for i in range(4) if place / DARTS < shares[: i + 1].sum() or i == 3)
        text = shown(lab, place)
        low, high = shares[:hit].sum(), shares[: hit + 1].sum()
        assert (text["hit"], text["share"]) == ("abcd"[hit], show(float(shares[hit])))
        assert float(text["from"]) == pytest.approx(low, abs=6e-5) and float(text["to"]) == pytest.approx(
            high, abs=6e-5
        )
        hits.append(hit)
    assert np.abs(np.bincount(hits, minlength=4) / DARTS - shares).max() <= 1 / DARTS
    assert_plays(lab)


def test_the_shares_at_1_are_what_the_engines_loss_is_made_of():
    """softmax_cross_entropy is −log of the target's share."""
    for target in range(4):
        loss = Tensor([SCORES]).softmax_cross_entropy([target]).data
        assert np.exp(-loss) == pytest.approx(softmax(np.array(SCORES))[target], rel=1e-12)


def test_scores_that_exp_cannot_take_are_taken():
    lab = sampling([800.0, 799.0, -800.0], "abc")
    assert shown(lab, 0)["share"] == show(1 / (1 + np.exp(-1))) and shown(lab, 99)["hit"] == "b"


def test_the_dart_stays_where_it_is_when_the_temperature_changes_and_the_answer_is_quick():
    lab = sampling(np.random.RandomState(0).normal(size=30), "abcdefghijklmnopqrstuvwxyz .'/", u=0.42)
    assert lab.spec["index"] == lab.index == 42
    quickest = min(timed(lab, temperature) for temperature in (0.3, 0.7, 2.0))
    assert (
        message(lab) == "" and lab.recording.title == "The next character, at temperature 2" and lab.spec["index"] == 42
    )
    assert quickest < 0.5  # 0.1 on an idle machine; tests share theirs


def timed(lab, temperature):
    """How long the lab takes to answer a temperature, in seconds."""
    begun = time.perf_counter()
    ask(lab, temperature=temperature)
    return time.perf_counter() - begun


def test_scores_come_as_a_row_of_a_network_too_and_a_space_can_be_seen():
    lab = sampling(Tensor([[1.0, 0.0, 0.0]]), ["a", " ", "."])
    assert shown(lab, 0)["hit"] == "a" and shown(lab, 70)["hit"] == "␣"
    assert "the space" in lab.recording.frames[70].say and len(lab.recording.room) >= len(lab.recording.frames[70].say)


def test_a_bad_input_gets_a_sentence_and_leaves_the_picture():
    lab = sampling()
    assert (
        told(lab, temperature=0)
        == "temperature goes from 0.1 to 5 here; near 0 the largest score gets everything; got 0.0."
    )
    assert shown(lab, 50)["share"] == "0.4740"
