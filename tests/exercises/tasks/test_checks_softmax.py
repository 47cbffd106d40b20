"""The checks of softmax and its gradients: gradients by dual numbers, and sizes that tell.

Answers to them, right and wrong, are in tests/attempts.
"""

import re

import numpy as np
import pytest

from autograd.dual import forward_gradient
from exercises.content import library
from exercises.engine_file import check
from exercises.tasks.backward_by_hand import check as backward_by_hand_check
from exercises.tasks.backward_by_hand.check import by_engine, networks
from exercises.tasks.cross_entropy_gradient.check import TARGETS, gradient_by_scores
from exercises.tasks.shared.batches import scores


@pytest.mark.parametrize("words", [words for words in TARGETS if "1,500" not in words and "far" not in words])
def test_expected_gradient_matches_dual_numbers(words):
    """Nothing is subtracted first here, so rows far from 0 would overflow."""
    rows, targets = scores()[words], TARGETS[words]

    def loss(*numbers):
        found, columns = 0.0, len(rows[0])
        for i, target in enumerate(targets):
            row = numbers[i * columns : (i + 1) * columns]
            total = row[0].exp()
            for one in row[1:]:
                total = total + one.exp()
            found = found + total.log() - row[target]
        return found / len(rows)

    flat = [score for row in rows for score in row]
    assert np.ravel(gradient_by_scores(rows, targets)) == pytest.approx(forward_gradient(loss, flat), abs=1e-12)


def test_network_sizes_distinguish_wrong_rules():
    x, _, w1, _, w2, _ = networks()[backward_by_hand_check.SMALL]
    assert len({*x.shape, w1.shape[1], w2.shape[1]}) == 4
    a = x @ w1 + networks()[backward_by_hand_check.SMALL][3]
    assert (a == 0).any() and (a > 0).any() and (a < 0).any()  # open, shut, and at the edge
    assert by_engine(backward_by_hand_check.SMALL)["h"][a == 0].any()  # where a wrong slope at 0 would show


@pytest.mark.parametrize("after", ["np.round({}, 6)", "{} + 1e-8"])
def test_similar_numbers_are_shown_in_full(after):
    code = library.solution("softmax").code.replace("return powers", "return (powers").rstrip("\n") + ")"
    head, _, answer = code.rpartition("return ")
    found = check.softmax(*check.softmax.answers(f"{head}return {after.format(answer)}\n"))
    assert not found
    for expected, got in re.findall(r"expected (.+?), got (.+?)\n", found.render_text() + "\n"):
        assert expected != got
