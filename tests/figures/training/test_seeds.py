"""The lottery's hundred networks: the reference's counts, and outcomes that are what they are called."""

import random

import numpy as np
import pytest

from autograd import MLP
from autograd.training import losses
from figures.training.seeds import SEEDS, Outcome, Race, counts, plateaus
from figures.training.settings import ROWS, checked

TARGETS = [0, 1, 1, 0]


def race(*arguments, epochs=0, goal=500):
    """Networks after some epochs."""
    made = Race(checked(*arguments), goal)
    for _ in range(epochs):
        made.step()
    made.measure_state()
    return made


def kinds(race):
    return [outcome.kind for outcome in race.outcomes]


def test_dead_relu_counts_match_the_source():
    """relu everywhere, biases 0, mean squares, lr .1; of 0..39 21 are dead at first, 22 at the end; 14 solve it."""
    source_d = ([4, 4], "relu", "relu", "uniform_zero_bias", 0, "mean_squares", 0.1)
    start, end = race(*source_d, goal=1000), race(*source_d, epochs=1000, goal=1000)
    dead = [i for i, kind in enumerate(kinds(start)[:40]) if kind == "dead"]
    assert len(dead) == 21 and (start.outputs[dead] == 0).all() and (start.losses[dead] == 0.5).all()
    assert kinds(end)[:40].count("dead") == 22 and kinds(end)[:40].count("solved") == 14


@pytest.mark.parametrize(
    ("hidden", "activation", "output", "lr", "epochs", "solved"),
    [
        (2, "tanh", "tanh", 0.1, 500, 77),
        (4, "tanh", "tanh", 0.1, 500, 100),
        (2, "relu", "linear", 0.05, 300, 22),
        (4, "relu", "linear", 0.05, 300, 65),
        (8, "relu", "linear", 0.05, 300, 90),
        ([], "tanh", "tanh", 0.1, 500, 0),
    ],
)
def test_xor_outcomes_by_architecture(hidden, activation, output, lr, epochs, solved):
    """The reference's counts, within 3; every network has one outcome. Those that are stuck are on the plateaus.

    Without a hidden layer nobody solves XOR: all four rows share an output of ½, loss 1.
    """
    end = race(hidden, activation, output, "uniform", 0, "sum_of_squares", lr, epochs=epochs, goal=epochs)
    found = counts(end)
    assert abs(found[Outcome("solved")] - solved) <= 3 * bool(solved) and sum(found.values()) == SEEDS
    for loss, outcome in zip(end.losses, end.outcomes):
        assert outcome.kind != "stuck" or loss == pytest.approx(outcome.plateau, rel=0.05)
    if (hidden, activation) == (2, "relu"):
        assert min(found[Outcome("stuck", p)] for p in plateaus(end.settings)) >= 5
        assert found[Outcome("moving")] == found[Outcome("elsewhere")] == 0
    assert hidden or found[Outcome("stuck", 1.0)] == SEEDS


def test_plateaus_match_brute_force():
    """By brute force: the least loss if some rows are held equal and the others are right."""
    for name in ("sum_of_squares", "mean_squares", "half_squares", "binary_cross_entropy"):
        expected = []
        for together in ({0, 1, 2, 3}, {0, 1, 2}, {0, 1}):
            right = [min(max(target, 1e-12), 1 - 1e-12) for target in TARGETS]
            tries = [[k / 1000 if i in together else right[i] for i in range(4)] for k in range(1, 1000)]
            expected.append(min(getattr(losses, name)(outputs, TARGETS).data for outputs in tries))
        assert plateaus(checked(2, "tanh", "sigmoid", "uniform", 0, name, 0.1)) == pytest.approx(expected, abs=1e-5)
    assert plateaus(checked(2, "tanh", "tanh", "uniform", 0, "hinge", 0.1)) == []


def test_diverging_networks_do_not_affect_the_others():
    found = counts(race(4, "leaky_relu", "leaky_relu", "normal", 0, "sum_of_squares", 0.2, epochs=200))
    assert found[Outcome("diverged")] > 0 and found[Outcome("solved")] > 5 and sum(found.values()) == SEEDS
    growing = race(8, "relu", "linear", "normal", 0, "sum_of_squares", 0.3, epochs=100)
    assert counts(growing)[Outcome("diverged")] == 100 and np.isfinite(growing.losses).all()
    end = race(2, "sigmoid", "sigmoid", "all 0.5", 0, "sum_of_squares", 1.0, epochs=50)
    assert len(set(end.losses.tolist())) == 1


def test_cross_entropy_stays_in_its_domain():
    end = race(4, "tanh", "sigmoid", "uniform", 0, "binary_cross_entropy", 10.0, epochs=300)
    assert np.isfinite(end.losses).all() and ((end.outputs >= 0) & (end.outputs <= 1)).all()
    start = race(4, "tanh", "sigmoid", "uniform", 0, "binary_cross_entropy", 1.0)
    mlp = MLP(2, [4, 1], "tanh", "sigmoid", rng=random.Random(9))
    assert start.losses[9] == pytest.approx(losses.binary_cross_entropy([mlp(r) for r in ROWS], TARGETS).data)
