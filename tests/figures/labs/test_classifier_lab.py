"""The classifier lab: what it shows is what its network does, which training/test_digit_nets.py holds."""

import base64
import io
import math

import numpy as np
import pytest
from PIL import Image

from autograd.errors.messages import show
from figures import classifier
from figures.labs.classifier import LOSS, MOVES, counted, mistakes
from figures.training.digit_nets import ZERO
from tests.labs import ask


def steps(lab, count):
    """So many steps of a lab, drawn once."""
    for _ in range(count):
        lab.step()
    lab.draw()
    return lab.recording.frames[-1].updates


def test_counts_and_worst_digit_match_the_scores():
    lab = classifier()
    updates, test, labels = steps(lab, 40), lab.net.tested, lab.net.data.test_labels
    scores = lab.net.scores(lab.net.data.test).data
    chances = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    losses = -np.log(chances[np.arange(397), labels])
    worst = sorted(range(397), key=lambda i: -losses[i])[:10]
    assert test.losses == pytest.approx(losses, rel=1e-9) and list(test.worst[:10]) == worst
    counts = np.zeros((10, 10), int)
    np.add.at(counts, (labels, scores.argmax(axis=1)), 1)
    assert np.array_equal(test.confusion, counts) and test.right == np.trace(counts)
    assert [[updates[f"c{a}{b}"]["text"] for b in range(10)] for a in range(10)] == [
        [str(count or "") for count in row] for row in counts.tolist()
    ]
    for place, i in enumerate(worst):
        said = updates[f"worst{place}.said"]["text"], updates[f"worst{place}.loss"]["text"]
        assert said == (f"{labels[i]} → {scores[i].argmax()}", show(float(losses[i])))
    pairs = [pair for pair in np.ndindex(10, 10) if pair[0] != pair[1]]
    assert counts[max(mistakes(test), key=lambda pair: counts[pair])] == max(counts[pair] for pair in pairs)


def test_curves_match_their_numbers_and_sizes_are_counted():
    """The loss begins above the line of ln 10; a line of steps is as high as its power of ten."""
    lab = classifier()
    updates = lab.recording.frames[-1].updates
    assert float(updates["loss.now"]["cy"]) == pytest.approx(LOSS(lab.net.loss), abs=0.06)
    assert LOSS(lab.net.loss) < LOSS(math.log(10)) and f"M40,{LOSS(math.log(10)):.1f}H312" in lab.spec["stage"]
    updates = steps(lab, 1)
    for i, size in enumerate(lab.net.moved):
        assert updates[f"m{i}"]["d"] == f"M40.0,{MOVES(math.log10(size)):.1f}"
    assert steps(classifier(init=ZERO), 5)["m0"]["d"] == "M0,0"
    zeros, counts = counted(np.array([[0.0, 3e-8, -0.5], [1e-30, 1e9, math.inf], [math.nan, 0.0, -0.4]]))
    assert zeros == 2 and [(i, n) for i, n in enumerate(counts) if n] == [(0, 2), (15, 2), (len(counts) - 1, 1)]


def opened(address):
    """The pixels of a PNG's data address."""
    return np.array(Image.open(io.BytesIO(base64.b64decode(address.removeprefix("data:image/png;base64,")))))


def test_images_show_the_weights_and_digits():
    lab = classifier(4)
    updates = steps(lab, 20)
    sheet = opened(updates["units.picture"]["href"]).astype(int)
    assert sheet.shape == (35, 71, 4) and (sheet[:8, 8, 3] == 0).all() and (sheet[9:, :, 3] == 0).all()
    unit, order = sheet[:8, 9:17, :3].sum(axis=2).ravel(), np.argsort(lab.net.weights[0].data[:, 1])
    assert (np.diff(unit[order]) >= -6).all() and unit[order[-1]] > unit[order[0]]  # lighter for larger
    drawn = opened(updates["worst0"]["href"])
    assert drawn == pytest.approx(255 * (1 - lab.net.data.test[lab.net.tested.worst[0]].reshape(8, 8)), abs=0.6)
    assert ask(classifier(), hidden=64)["units"]["text"] == "the first 32 of 64 units"
