"""Lesson 10: the numbers of its text, from counting and from the package's Tensor, and what its cells show."""

import ast
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


def test_names_and_what_counting_achieves():
    assert (len(NAMES.train), len(NAMES.dev), len(colours.survey())) == (828, 92, 949) and 949 - 828 - 92 == 29
    pairs = colours.mean_surprise(colours.pair_shares(NAMES.train), NAMES.dev)
    LESSON.says(f"comes to {pairs:.2f} on the 92 names", f"ln 30 = {math.log(30):.4f}", "from 828 names")
    assert colours.letters_of("red") == [21, 8, 7] and len(colours.SIGNS) == 30
    rows, targets = colours.windows([21, 8, 7], 4)
    for row, target in zip(rows, targets):
        LESSON.says(f"|{' '.join(map(str, row))}|{target}|")


@pytest.fixture(scope="module")
def speller():
    return trained_windows(NAMES.train)


def test_the_speller(speller):
    assert sum(p.data.size for p in speller) == 4302
    first, on_new = ast.literal_eval("[" + LESSON.output("round(on_new, 2)").rpartition("],")[2].strip(" )\n") + "]")
    assert first == pytest.approx(3.41, abs=0.01) and on_new == pytest.approx(window_loss(speller, NAMES.dev), abs=0.02)
    assert window_loss(speller, NAMES.dev) == pytest.approx(1.48, abs=0.01) and math.exp(1.48) == pytest.approx(
        4.4, abs=0.01
    )
    LESSON.says("It begins at 3.41", "gets to 1.48", "from 30 to 4.4", "4,302 parameters")


def test_rows_that_nothing_looked_up():
    net, batch = window_network(Tensor), np.random.RandomState(0).permutation(len(X))[:64]
    window_scores(net, X[batch]).softmax_cross_entropy(Y[batch]).backward()
    missing = int((net[0].grad == 0).sum())
    assert (missing, net[0].grad.size, missing // 8) == (64, 240, 8) and all((W.grad != 0).all() for W in net[4:])
    LESSON.says("E, and 64 of its 240 numbers: eight characters")


def test_temperatures(speller):
    scores = after_windows(speller)([colours.letters_of("gre")])[0]

    def share(temperature):
        p = np.exp(scores / temperature)
        return sum(p[colours.SIGNS.index(letter)] for letter in "ye") / p.sum()

    assert share(1.6) > 0.9 > share(1.7)
    cold, warm, hot = (sum(name in NAMES.rgb for name in invent(speller, 100, t)) for t in (0.3, 1.0, 2.0))
    assert cold > 50 and 10 < warm < 30 and hot < 6 and len({*invent(speller, 100, 0.3)}) < 60
    new = invent(speller, 24, 0.9, known=NAMES.rgb)
    assert len({*new}) == 24 and not any(name in NAMES.rgb or colours.is_held_back(name) for name in new)
    LESSON.says(
        "From 1.7 on.", "At 0.3 more than half, many of them several times; at 1 about one in five; at 2 hardly any"
    )


def test_a_painter_learns_and_names_without_known_parts_have_a_colour():
    painter = Painter(Tensor, NAMES.train[:60])
    before = float(painter.loss(np.arange(60)))
    painter.loss(np.arange(60)).backward()
    for p in painter.parameters:
        p.data -= 0.5 * p.grad
    assert float(painter.loss(np.arange(60))) < before
    assert painter.colours(["red", "zzz"]).shape == (2, 3)
    assert "24 names" in LESSON.output("exercises.done(card)") or LESSON.written.count("24 names")
