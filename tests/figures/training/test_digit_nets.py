"""Networks of the classifier lab: their steps are the scalar engine's, and what they learn is what the lesson says."""

import math

import numpy as np
import pytest

from autograd import SGD, Adam
from autograd.lessons.digits import load_digits
from autograd.training.losses import softmax_cross_entropy
from figures.training import digit_nets
from figures.training.digit_nets import ADAM, DESCENT, MOMENTUM, SMALL, ZERO, DigitNet, Settings
from tests.labs import scalars


def trained(steps=None, **settings):
    """A network after some steps, or 20 epochs."""
    net = DigitNet(Settings(**settings))
    for _ in range(20 * net.a_whole_epoch if steps is None else steps):
        net.step()
    net.measure_state()
    return net


@pytest.mark.parametrize("optimizer", [DESCENT, MOMENTUM, ADAM])
def test_digit_net_matches_the_scalar_engine(optimizer):
    """Three steps on five pictures, by Values, one product at a time."""
    net = DigitNet(Settings(hidden=4, batch=5, lr=0.05, optimizer=optimizer, seed=3))
    order = np.random.RandomState(3)
    order.standard_normal(64 * 4 + 4 * 10)  # the weights
    order, data = order.permutation(1400), load_digits()
    values = [scalars(parameter.data) for parameter in net.parameters()]
    flat = [value for matrix in values for row in matrix for value in row]
    stepper = {DESCENT: SGD(flat, 0.05), MOMENTUM: SGD(flat, 0.05, 0.9), ADAM: Adam(flat, 0.05)}[optimizer]
    w1, (b1,), w2, (b2,) = values
    for step in range(3):
        rows, scores = order[5 * step : 5 * step + 5], []
        for x in data.train[rows]:
            hidden = [sum((p * row[j] for p, row in zip(x, w1)), b).relu() for j, b in enumerate(b1)]
            scores.append([sum((h * row[k] for h, row in zip(hidden, w2)), b) for k, b in enumerate(b2)])
        loss = softmax_cross_entropy(scores, data.train_labels[rows].tolist())
        stepper.zero_grad()
        loss.backward()
        before = [weights.data.copy() for weights in net.weights]
        net.step()
        assert net.curve.points()[-1][1] == pytest.approx(loss.data, rel=1e-10)
        for mine, theirs in zip(net.parameters(), values):
            found = np.array([[value.grad for value in row] for row in theirs]).reshape(mine.shape)
            assert mine.grad == pytest.approx(found, rel=1e-9, abs=1e-13)
        for way, weights, old in zip(net.moved, net.weights, before, strict=True):
            assert way == pytest.approx(np.linalg.norm(weights.data - old) / np.linalg.norm(old), rel=1e-9)
        stepper.step()
    found = np.array([[value.data for value in row] for row in w1])
    assert net.weights[0].data == pytest.approx(found, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("optimizer", [DESCENT, MOMENTUM, ADAM])
def test_digit_net_learns_the_digits(optimizer):
    net = trained(optimizer=optimizer, lr=digit_nets.RATES[optimizer])
    assert net.epochs == 20 and net.right >= 0.985 * 1400 and net.tested.right >= 0.97 * 397


def test_shuffled_labels_do_not_generalise():
    net, labels = trained(shuffled=True), load_digits().train_labels
    assert net.loss > 1.9 and net.tested.right < 0.25 * 397
    assert not np.array_equal(net.labels, labels) and sorted(net.labels) == sorted(labels)


def test_untrained_loss_is_ln_10():
    assert DigitNet(Settings(init=ZERO)).loss == pytest.approx(math.log(10), rel=1e-12) == digit_nets.GUESS
    assert DigitNet(Settings(init=SMALL)).loss == pytest.approx(math.log(10), abs=0.01)
    assert DigitNet(Settings(init="normal")).loss > 10
    zeros = trained(30, init=ZERO)
    assert not zeros.weights[0].grad.any() and not zeros.weights[1].grad.any() and zeros.biases[1].grad.any()


def test_each_picture_is_used_once_per_epoch(monkeypatch):
    sizes, net = [], DigitNet(Settings(batch=200, lr=0.01))
    step = net.recorded.backward
    monkeypatch.setattr(net.recorded, "backward", lambda *batch: sizes.append(len(batch[0])) or step(*batch))
    for _ in range(14):
        net.step()
    assert sizes == [200] * 7 * 2 and net.epochs == 2 and sorted(net.order) == list(range(1400))


def test_overflow_ends_a_run():
    net = trained(2, lr=1e300)
    assert net.exploded and (now := net.steps) < 3
    net.step()
    assert net.steps == now
