"""Notebook 10: what its text says of its numbers, from counting, from the package's Tensor and from its outputs."""

import collections
import math

import numpy as np
import pytest

from autograd.lessons import colours
from autograd.lessons.painting import Painter
from autograd.lessons.spelling import after_windows, invent, trained_windows, window_loss, window_network, window_scores
from autograd.tensor import Tensor
from tests.notebooks import Lesson

LESSON = Lesson("10_your")
NAMES = colours.load_colours()
X, Y = colours.all_windows(NAMES.train, 4)


@pytest.fixture(scope="module")
def speller():
    return trained_windows(NAMES.train)


def test_windows_and_losses_of_counting():
    assert (len(NAMES.train), len(NAMES.dev), len(colours.survey())) == (828, 92, 949) and 949 - 828 - 92 == 29
    pairs = [pair for name in NAMES.train for pair in zip("." + name, name + ".")]
    both, first = collections.Counter(pairs), collections.Counter(a for a, _ in pairs)
    new = [pair for name in NAMES.dev for pair in zip("." + name, name + ".")]
    counted = -np.mean([math.log((both[pair] + 0.1) / (first[pair[0]] + 3)) for pair in new])
    assert LESSON.output("colours.mean_surprise(shares, names.dev)") == f"{counted:.2f}"
    assert max(colours.SIGNS, key=lambda sign: both["e", sign]) == "."  # after an e a name often ends
    LESSON.says("Counting gets as far as 2.24", f"ln 30 = {math.log(30):.4f}", "from 828 names", "named 949 colours")
    assert colours.letters_of("red") == [21, 8, 7] and colours.letters_of("gre") == [10, 21, 8]
    rows, targets = colours.windows([21, 8, 7], 4)
    LESSON.says(*(f"| {' '.join(map(str, row))} | {target} |" for row, target in zip(rows, targets)))


@pytest.mark.long
def test_speller_beats_counting_on_new_names(speller):
    assert sum(p.data.size for p in speller) == 4302 and len(colours.SIGNS) == 30
    first, known, new = map(float, LESSON.output("def loss_of(rows").rpartition("[")[2].strip("] \n").split(", "))
    assert first == 3.41 and known == pytest.approx(window_loss(speller, NAMES.train), abs=0.02)
    assert new == pytest.approx(window_loss(speller, NAMES.dev), abs=0.02)
    LESSON.says(
        f"The first loss is {first}", f"it is {known} on the names", f"it is {new}, where counted pairs have 2.24"
    )
    LESSON.says(f"e¹·⁴⁸ = {math.exp(new):.1f} characters")


def test_unused_embedding_rows_have_zero_gradient():
    net, batch = window_network(Tensor), np.random.RandomState(0).permutation(len(X))[:64]
    window_scores(net, X[batch]).softmax_cross_entropy(Y[batch]).backward()
    missing = int((net[0].grad == 0).sum())
    assert (missing, net[0].grad.size, missing // 8) == (64, 240, 8)
    assert [W for W in net[4:] if not (W.grad != 0).all()] == []
    LESSON.says("Of its 240 numbers 64 are missing, which is eight rows")


def test_temperature_changes_the_sampled_names(speller):
    letters = after_windows(speller)([colours.letters_of("gre")])[0].argsort()[-2:]
    assert {colours.SIGNS[letter] for letter in letters} == {"y", "e"}  # and no end
    cold, warm, hot = (sum(name in NAMES.rgb for name in invent(speller, 300, t)) for t in (0.3, 1.0, 2.0))
    assert 0.58 < cold / 300 < 0.72 and 0.1 < warm / 300 < 0.35 and hot < 12
    LESSON.says("At 0.3, about two in three", "At 2 there are hardly any")
    new = invent(speller, 24, 0.9, known=NAMES.rgb)
    assert len({*new}) == 24 and [name for name in new if name in NAMES.rgb or colours.is_held_back(name)] == []


@pytest.mark.long
def test_painter_error_and_colour_card():
    train, dev = map(float, LESSON.output("painter.off_by(part)").strip("[] \n").split(", "))
    rgb = colours.rgb_of(NAMES.dev)
    mean = float(np.sqrt(((colours.rgb_of(NAMES.train).mean(axis=0) - rgb) ** 2).mean()))
    assert train == 0.07 and dev == pytest.approx(0.17, abs=0.01)
    LESSON.says(
        "It is off by 0.07 on names it knows (root mean square), and by about 0.17",
        f"Always giving the mean colour would be off by {mean:.2f}",
    )
    painter = Painter(Tensor, NAMES.train[:60])
    assert painter.colours(["red", "zzz"]).shape == (2, 3) and float(painter.loss(np.arange(60))) > 0
    assert len(LESSON.output("exercises.done(card)").splitlines()) >= 25
