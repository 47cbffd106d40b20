"""SGD, momentum, Adam: how long a step? Its numbers are what formulas and trainings give."""

import numpy as np
import pytest

import autograd
from autograd.dual import forward_gradient
from autograd.lessons.digits import network, right, train
from tests.notebooks import Lesson

WORKSHOP = Lesson("how_long_a_step", trains=True)
WAYS = (  # of the package, each at its usual rate
    lambda net: autograd.SGD(net, lr=0.5),
    lambda net: autograd.SGD(net, lr=0.05, momentum=0.9),
    lambda net: autograd.Adam(net, lr=0.01),
)


def test_valley_paths_match_formulas():
    path, u, v = WORKSHOP["path"], 1.0, 10.0
    for _ in range(99):  # plain descent by its formula: each step multiplies by 1 - rate · curvature
        u, v = u * (1 - 0.018 * 100), v * (1 - 0.018 * 2)
    plain, momentum, adam = (path(WORKSHOP[name])[-1] for name in ("plain", "momentum", "adam"))
    assert plain == pytest.approx(50 * u * u + v * v)
    WORKSHOP.says(f"{plain:.4f}, {momentum:.4f} and {adam:.4f}", f"shrinks by {100 * 0.018 * 2:.1f} % a step")
    WORKSHOP.shows("(9.9997", "[0.7000000000", "'plain': 1.947", "9.700000000")
    curvatures = [forward_gradient(f, [1.0])[0] for f in (lambda u: u * u * 50.0, lambda v: v * v)]
    assert curvatures == [100, 2] and WORKSHOP["valley"](1.0, 10.0) == 150


@pytest.mark.long
def test_digits_with_mean_or_sum_and_three_optimizers():
    WORKSHOP.shows("'mean, 0.5': 95.7", "'sum, 0.5': 9.3, 'sum, 0.01': 95.7", "'SGD, 0.05': 84.4")
    shares = []
    for seed in range(5):
        for way in WAYS:
            train((net := network(seed)), way(net), epochs=5, seed=seed)
            shares.append(right(net)[1])
    shares = np.reshape(shares, (5, 3))
    assert shares.min() >= 94 and shares.max() <= 98 and {*shares.argmax(axis=1)} == {0, 1, 2}


@pytest.mark.parametrize("seed", range(3))
def test_adam_steps_start_at_lr_and_get_shorter(seed):
    optimizer, moves = autograd.Adam(network(seed), lr=0.01), []
    step = optimizer.step

    def watched():
        before = [p.data.copy() for p in optimizer.parameters]
        step()
        moves.append(np.concatenate([np.abs(b - p.data).ravel() for b, p in zip(before, optimizer.parameters)]) / 0.01)

    optimizer.step = watched
    train(optimizer.parameters, optimizer, epochs=1)
    assert np.median(moves[0][moves[0] > 0]) == pytest.approx(1, rel=0.01) and np.median(moves[-1]) < 0.25


def test_learning_rate_limit_of_a_network():
    found = np.abs(WORKSHOP["steps"]["gradient"])
    assert (found == 0).sum() == 30 and found.max() / found[found > 0].min() == pytest.approx(1e4, rel=0.1)
    assert WORKSHOP.output("largest, direction = ") in ("20.02", "19.91")
    WORKSHOP.shows("1.5: 0.0005, 1.9: 0.0005, 2.1: 0.02", "{10: 13.2, 30: 19.1, 40: 28.5, 60: 43.1}")
