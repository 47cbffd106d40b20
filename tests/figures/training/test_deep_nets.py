"""Networks of the deep training lab: they are the engine's, and each one's description is right."""

import math

import numpy as np
import pytest

from autograd import SGD, Adam
from figures.training import deep_nets
from figures.training.deep_nets import ADAM, DESCENT, KINDS, DeepNet, Settings, moons
from tests.labs import scalars

SIGMOID, TANH, SMALL, HE, RESIDUAL = KINDS


def trained(kind, steps=1000, **settings):
    """A network after some steps."""
    net = DeepNet(kind, Settings(**settings))
    for _ in range(steps):
        net.step()
    return net


def scalar_scores(net, weights, biases, points):
    """The score of each point, by Values, one product at a time."""
    scale = {"1": 1.0, "1/√L": net.settings.depth**-0.5}[net.settings.residual_scale]
    for point in points:
        h = list(point)
        for matrix, constants in zip(weights[:-1], biases):
            z = [sum(x * row[j] for x, row in zip(h, matrix)) + b for j, b in enumerate(constants[0])]
            if net.settings.layer_norm:
                middle = sum(z) / len(z)
                spread = (sum((one - middle) ** 2 for one in z) / len(z) + 1e-5).sqrt()
                z = [(one - middle) / spread for one in z]
            a = [getattr(one, net.kind.activation)() for one in z]
            h = [x + scale * y for x, y in zip(h, a)] if net.kind.residual and len(h) == len(a) else a
        yield sum(x * row[0] for x, row in zip(h, weights[-1])) + biases[-1][0][0]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@pytest.mark.parametrize(("layer_norm", "optimizer", "scale"), [(False, DESCENT, "1"), (True, ADAM, "1/√L")])
def test_deep_net_matches_the_scalar_engine(monkeypatch, kind, layer_norm, optimizer, scale):
    points, labels = moons()
    few = points[::10], labels[::10]
    monkeypatch.setattr(deep_nets, "moons", lambda: few)
    net = DeepNet(kind, Settings(5, 3, 2, optimizer, 0.05, layer_norm, scale))
    weights, biases = ([scalars(p.data) for p in each] for each in (net.weights, net.biases))
    parameters = [value for pair in zip(weights, biases) for p in pair for row in p for value in row]
    stepper = {DESCENT: SGD, ADAM: Adam}[optimizer](parameters, 0.05)
    for _ in range(3):
        loss = 0.0
        for score, target in zip(scalar_scores(net, weights, biases, few[0]), few[1][:, 0]):
            chance = score.sigmoid()
            loss = loss - (chance if target else 1.0 - chance).log() / len(few[0])
        stepper.zero_grad()
        loss.backward()
        assert net.loss == pytest.approx(loss.data, rel=1e-10)
        for mine, theirs in ((net.weights, weights), (net.biases, biases)):
            for tensor, values in zip(mine, theirs):
                found = np.array([[value.grad for value in row] for row in values])
                assert tensor.grad == pytest.approx(found.reshape(tensor.shape), rel=1e-9, abs=1e-13)
        stepper.step()
        net.step()


def test_initial_weights_have_the_expected_spread():
    """Xavier's variance is 2 / (inputs + units), He's 2 / inputs; the small ones are of N(0, 0.01²)."""
    for kind, spread in ((TANH, 1 / 16), (HE, 2 / 16), (SMALL, 1e-4)):
        net = DeepNet(kind, Settings(30, 16))
        assert np.mean([w.data**2 for w in net.weights[1:-1]]) == pytest.approx(spread, rel=0.05)
        assert not np.any([biases.data.any() for biases in net.biases])
        assert [weights.shape for weights in net.weights] == [(2, 16), *[(16, 16)] * 28, (16, 1)]


def test_gradient_and_movement_sizes_match_their_formulas():
    net = trained(TANH, 20)
    for weights, start, size, way in zip(net.weights, net.start, net.gradients(), net.moved(), strict=True):
        assert size == pytest.approx(np.linalg.norm(weights.grad) / math.sqrt(weights.grad.size), rel=1e-12)
        assert way == pytest.approx(np.linalg.norm(weights.data - start) / np.linalg.norm(start), rel=1e-12)
    again = DeepNet(TANH, Settings())
    assert again.first == again.gradients() == net.first and again.moved() == [0.0] * 12


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_twelve_layers_three_nets_learn_and_two_stand_still(seed):
    for kind in (TANH, HE, RESIDUAL):
        net = trained(kind, 600, seed=seed)
        assert net.state == "has learned" and min(net.moved()) > 0.01
    for kind in (SIGMOID, SMALL):
        net = trained(kind, 600, seed=seed)
        assert net.state == "stands still" and net.loss == pytest.approx(math.log(2), abs=1e-4)
        assert net.moved()[0] < 1e-5
        assert trained(kind, 600, lr=(0.01, 1.0)[seed % 2]).state == "stands still", "no learning rate wakes them"
    assert net.moved()[0] == 0.0 and max(net.moved()) < 1e-7, "a step is smaller than the last digit of a weight"
    assert 0 < net.gradients()[0] < 1e-17 and max(net.first) < 1e-18 and (net.weights[0].data == net.start[0]).all()


@pytest.mark.long
def test_unscaled_residual_network_explodes_unless_rate_is_small():
    net = trained(RESIDUAL, 200, residual_scale="1")
    assert net.state == "exploded" and net.steps < 50 and not math.isfinite(net.loss)
    before = [weights.data.copy() for weights in net.weights]
    net.step()
    for old, weights in zip(before, net.weights, strict=True):
        assert np.array_equal(old, weights.data, equal_nan=True)
    assert trained(RESIDUAL, 1000, residual_scale="1", lr=0.003).state == "has learned"
    assert trained(RESIDUAL, 300, residual_scale="1", optimizer=ADAM, lr=0.003).state == "has learned"


JUDGED = {  # a state: the loss 100 steps ago and now, and how many points are right
    "stands still": [(0.7, 0.6931, 50), (0.7, 0.7069, 50), (0.69, 0.687, 50), (9.0, 9.0, 60)],
    "learns": [(0.7, 0.6929, 50)],
    "levelled off": [(0.69, 0.6855, 50), (0.3238, 0.3238, 90)],
    "gets worse": [(0.3, 0.31, 94), (0.7, 0.7071, 94)],
    "has learned": [(0.7, 9.0, 95)],
}


def test_state_compares_the_loss_with_100_steps_ago():
    net, losses = DeepNet(TANH, Settings(lr=0.01)), []
    for _ in range(130):
        losses.append(net.loss)
        net.step()
    assert net.past[0] == losses[30] and net.past[-1] == net.loss
    for state, cases in JUDGED.items():
        for before, net.loss, net.right in cases:
            net.past = [before, net.loss]
            assert net.state == state
    net.exploded = True
    assert net.state == "exploded"
