"""Lesson 09: the numbers of its text, from the package's Tensor, and what its cells show."""

import math

import numpy as np
import pytest

from autograd.lessons.digits import load_digits, network, scores
from figures.training.digit_nets import DigitNet, Settings
from tests.notebooks import Lesson

LESSON = Lesson("09_ten")
DIGITS = load_digits()


def test_softmax_shift_and_overflow():
    powers = np.exp([2.0, 1.0, 0.0])
    assert [round(each, 4) for each in (powers[0] / powers.sum(), powers.sum())] == [0.6652, 11.1073]
    assert LESSON.output("(three + 100).sum()") == repr(powers / powers.sum())
    assert LESSON.output("shares") == "array([nan,  0.])"
    LESSON.says("7.389 of 11.107 is 0.6652", "ln 10 = 2.3026")
    assert round(math.log(10), 4) == 2.3026


def test_initial_losses():
    nets = [network(seed) for seed in range(5)]
    losses = [float(scores(DIGITS.train, *net).softmax_cross_entropy(DIGITS.train_labels)) for net in nets]
    assert LESSON.output("digits.train_labels).data), 2))").split() == [f"{loss:.2f}" for loss in losses]
    LESSON.says(f"Above, from {min(losses):.2f} to {max(losses):.2f}")


def test_gradient_of_one_picture():
    powers = np.exp([2.0, 1.0, 0.0])
    slopes = powers / powers.sum() - [1, 0, 0]
    shown = LESSON.output("for z in three_scores], (np.exp(three)")
    assert shown.startswith(f"({[round(float(each), 4) for each in slopes]}") and (slopes < 0).tolist() == [
        True,
        False,
        False,
    ]
    LESSON.says("z0's: raising the right class's score lowers the loss")


def test_exactly_zero_gradients_are_counted():
    w1, b1, w2, b2 = network(seed=0)
    scores(DIGITS.train[:50], w1, b1, w2, b2).softmax_cross_entropy(DIGITS.train_labels[:50]).backward()
    zeros = int((w1.grad == 0).sum())
    LESSON.says(f"{zeros} of them, or {zeros / 2048:.0%}".replace("%", " %"), "w1's 2,048 gradients")
    assert f"w1: {2048 - zeros + 0} gradients" in LESSON.output(
        'figures.gradient_histogram(gradients, kind="ridge", scale="log")'
    )


def trained(lr, epochs):
    """Train as the lesson does, only with arrays."""
    (w1, b1, w2, b2), rng = [p.data.copy() for p in network(seed=0)], np.random.RandomState(0)
    for _ in range(epochs):
        order = rng.permutation(1200)
        for start in range(0, 1200, 50):
            rows = order[start : start + 50]
            x, t = DIGITS.train[rows], np.eye(10)[DIGITS.train_labels[rows]]
            a = x @ w1 + b1
            h = np.maximum(a, 0)
            z = h @ w2 + b2
            p = np.exp(z - z.max(axis=1, keepdims=True))
            dz = (p / p.sum(axis=1, keepdims=True) - t) / len(rows)
            da = dz @ w2.T * (a > 0)
            w1, b1 = w1 - lr * x.T @ da, b1 - lr * da.sum(axis=0)
            w2, b2 = w2 - lr * h.T @ dz, b2 - lr * dz.sum(axis=0)
    return lambda x, labels: (np.argmax(np.maximum(x @ w1 + b1, 0) @ w2 + b2, axis=1) == labels).mean()


def test_learning_rate_is_chosen_by_validation_and_tested_once():
    shares = [trained(lr, 10)(DIGITS.train[1200:], DIGITS.train_labels[1200:]) for lr in (0.05, 0.5)]
    assert shares == pytest.approx([0.865, 0.97], abs=0.011)
    assert trained(0.5, 20)(DIGITS.test, DIGITS.test_labels) == pytest.approx(0.98, abs=0.01)
    assert LESSON.output("digits.test_labels), 2)") == "0.98"
    LESSON.says("97 % against 86.5 % after ten epochs", "your engine reads 98 %", f"{len(DIGITS.test)} pictures")


def learned(seed):
    net = DigitNet(Settings(shuffled=True, seed=seed))
    for _ in range(560):
        net.step()
    net.measure_state()
    return net


@pytest.mark.long
def test_shuffled_labels_do_not_generalise():
    """The lab's seed alone says little about the test; on the training pictures all ten networks agree."""
    nets = [learned(seed) for seed in range(10)]
    on_test = [net.tested.right / 3.97 for net in nets]
    assert nets[0].loss == pytest.approx(2.16, abs=0.02)
    assert [net for net in nets if not (18 < net.right / 14 < 23)] == []
    assert (min(on_test), max(on_test), sum(on_test) / 10) == pytest.approx((2.8, 18.1, 9.7), abs=0.6)
    LESSON.says("falls, to about 2.16, and a fifth", "with ten seeds 3 to 18 % are right, on average 10 %")
