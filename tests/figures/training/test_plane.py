"""Walks down a loss of two parameters: those of a plain loop and of the formulas; curvatures, those of calculus."""

import math

import numpy as np
import pytest

from autograd import numerical_gradient
from figures.training.plane import DOTS, LOSSES, Loss, walk

PLAIN = {
    "bowl": lambda u, v: 4 * u * u + v * v,
    "valley": lambda u, v: (u * v - 1) ** 2,
    "line": lambda u, v: sum((u * x + v - y) ** 2 for x, y in DOTS) / 3,
}
SLOPES = {
    "bowl": lambda u, v: (8 * u, 2 * v),
    "valley": lambda u, v: (2 * v * (u * v - 1), 2 * u * (u * v - 1)),
    "line": lambda u, v: tuple(2 * sum((u * x + v - y) * k for x, y in DOTS for k in [(x, 1)[i]]) / 3 for i in (0, 1)),
}
HESSIANS = {
    "bowl": lambda u, v: [[8, 0], [0, 2]],
    "valley": lambda u, v: [[2 * v * v, 4 * u * v - 2], [4 * u * v - 2, 2 * u * u]],
    "line": lambda u, v: [[10 / 3, 2], [2, 2]],
}


def swing(start, curvature, lr, step):
    """Where a parameter of a bowl is if gradients add up, by the difference equation: a swing without friction."""
    angle = math.acos(1 - curvature * lr / 2)
    return start * math.cos((step + 0.5) * angle) / math.cos(angle / 2)


@pytest.mark.parametrize("at", [(1.0, 3.0), (-2.5, 0.7), (0.0, 0.0), (3.5, -3.5), (0.1, -0.2)])
@pytest.mark.parametrize("name", LOSSES)
def test_loss_derivatives_match_calculus_and_differences(name, at):
    loss = LOSSES[name]
    assert loss.value_at(*at) == pytest.approx(PLAIN[name](*at), abs=1e-12)
    assert loss.gradient(*at) == pytest.approx(SLOPES[name](*at), rel=1e-12, abs=1e-12)
    assert loss.gradient(*at) == pytest.approx(numerical_gradient(loss.function, list(at)), rel=1e-6, abs=1e-6)
    steepest = float(np.linalg.eigvalsh(HESSIANS[name](*at))[-1])
    assert loss.curvature(*at) == pytest.approx(steepest, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("zero", [True, False])
@pytest.mark.parametrize("lr", [0.005, 0.05, 0.2, 0.5])
@pytest.mark.parametrize("start", [(1.0, 3.0), (-3.5, 2.0), (0.3, -0.1)])
@pytest.mark.parametrize("name", LOSSES)
def test_walk_matches_a_plain_loop(name, start, lr, zero):
    (u, v), grads = start, (0.0, 0.0)
    for place in walk(LOSSES[name], start, lr, zero, 12):
        slopes = SLOPES[name](u, v)
        grads = slopes if zero else (grads[0] + slopes[0], grads[1] + slopes[1])
        if max(map(abs, (u, v, *grads))) > 1e6:
            break  # of a walk that flies off, every digit is its own
        assert (place.u, place.v, *place.grads) == pytest.approx((u, v, *grads), rel=1e-6, abs=1e-9)
        assert place.gradient == pytest.approx(slopes, rel=1e-6, abs=1e-9)
        u, v = u - lr * grads[0], v - lr * grads[1]


@pytest.mark.parametrize("lr", [0.005, 0.125, 0.245, 0.25, 0.255, 0.49])
def test_bowl_walks_match_closed_formulas(lr):
    """At 0.125 u is done in one step, at 0.25 it jumps from side to side for ever, at 0.255 it leaves."""
    for step, place in enumerate(walk(LOSSES["bowl"], (1.0, 3.0), lr, True, 60)):
        expected = (1 - 8 * lr) ** step, 3 * (1 - 2 * lr) ** step
        assert (place.u, place.v) == pytest.approx(expected, rel=1e-9, abs=1e-9) and place.gradient == place.grads
    for step, place in enumerate(walk(LOSSES["bowl"], (1.0, 3.0), lr, False, 3000)):
        expected = swing(1.0, 8, lr, step), swing(3.0, 2, lr, step)
        assert (place.u, place.v) == pytest.approx(expected, abs=1e-8)


def test_walk_ends_at_infinity_and_minima_are_minimal():
    places = walk(LOSSES["valley"], (1.0, 3.0), 0.3, True, 60)
    assert [place.finite for place in places] == [True] * (len(places) - 1) + [False]
    places = walk(Loss("", lambda u, v: (u.log() - v) ** 2), (1.0, -3.0), 0.5, True, 60)
    assert len(places) == 2 and places[-1].u == -2 and math.isnan(places[-1].loss)
    for name, lowest in (("bowl", (0, 0)), ("valley", (2, 0.5)), ("line", (1, 1))):
        assert LOSSES[name].value_at(*lowest) == 0 and LOSSES[name].gradient(*lowest) == (0, 0)
