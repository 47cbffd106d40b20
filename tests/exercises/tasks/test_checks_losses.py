"""The checks of losses and training: networks that have learned the moons, or have not.

Answers to the other exercises, right and wrong, are in tests/attempts.
"""

import math
import random
from fractions import Fraction

import numpy as np
import pytest

import autograd
from autograd import MLP, SGD
from autograd.dual import forward_gradient
from autograd.lessons.population import Population
from autograd.training.tensor_nn import TensorMLP
from exercises.content import library
from exercises.engine_file import check
from exercises.tasks.circle import check as circle_check
from exercises.tasks.cross_entropy import check as cross_entropy_check
from exercises.tasks.moons import check as moons_check
from exercises.tasks.revive import check as revive_check
from exercises.tasks.train import check as train_check
from exercises.verdicts.results import MENDED

ROWS, LABELS = moons_check.lesson_moons().values()


def said_of(verdict):
    assert verdict.state == "wrong", verdict.render_text()
    return verdict.render_text()


# Networks whose training is known


def sigmoid(z):
    return z.sigmoid() if hasattr(z, "sigmoid") else 1 / (1 + math.exp(-z))


def loss_of(network, pairs, numbers):
    """Return the sum of squares of a Network with one layer of sigmoids, for parameters as floats or dual numbers."""
    n, hidden = network.n_inputs, network.layers[0]
    total = 0.0
    for row, target in pairs:
        out = numbers[-1]
        for j in range(hidden):
            *weights, b = numbers[(n + 1) * j : (n + 1) * (j + 1)]
            out = out + numbers[(n + 1) * hidden + j] * sigmoid(b + sum(w * x for w, x in zip(weights, row)))
        total = total + (sigmoid(out) - target) ** 2
    return total


@pytest.mark.parametrize("step_by", [None, 1, 2])
def test_reference_training_matches_dual_numbers(step_by):
    network = train_check.Network(2, (3, 1), 5, ("sigmoid", "sigmoid"))
    pairs = [((0.5, -1), 1), ((1, 2), 0), ((-0.25, 0), 0.5)]
    numbers, losses, lr = list(network.start), [], 0.7
    for _ in range(4):
        for i in range(0, 3, step_by or 3):
            batch = pairs[i : i + (step_by or 3)]
            losses.append(loss_of(network, batch, numbers))
            slopes = forward_gradient(lambda *ps, batch=batch: loss_of(network, batch, ps), numbers)
            numbers = [n - lr * slope for n, slope in zip(numbers, slopes)]
    parameters, found = network.taught(pairs, lr, 4, step_by)
    assert parameters == pytest.approx(numbers, abs=1e-12) and found == pytest.approx(losses, abs=1e-12)


def test_training_tests_are_varied_and_robust_to_rounding():
    runs, rounds, batches = train_check.runs(), circle_check.rounds(), cross_entropy_check.batches()
    assert {0, 1} < {run.epochs for run in runs} and max(run.epochs for run in runs) > 100
    assert {1, 2, 3} <= {len(run.pairs) for run in runs} and any(0 in run.right[1] for run in runs)
    assert {1, 2, 3} < {len(each.data) for each in rounds} and runs[0] == runs[-1] and rounds[0] == rounds[-1]
    assert {1, 2, 12} < {len(batch.ts) for batch in batches} and any(batch.bent for batch in batches)
    assert [(batch, t) for batch in batches for t in batch.ts if not isinstance(t, int)] == [], (
        "the task says zeros and ones"
    )
    for run in runs:
        net = run.network.made()
        losses = check.train.answers(library.solution("train").code)[0](net, *run.given(), run.lr, run.epochs)
        assert [p.data for p in net.parameters()] == pytest.approx(run.right[0], rel=1e-11, abs=1e-11)
        assert losses == pytest.approx(run.right[1], rel=1e-11, abs=1e-11)


# Exercise 2


@pytest.mark.parametrize("output", ["linear", "sigmoid", "tanh"])
def test_revived_networks_are_right_after_all_steps(output):
    population = Population(range(revive_check.SEEDS), 2, [4, 4, 1], "relu", output, "uniform_zero_bias")
    population.train(revive_check.ROWS, revive_check.TARGETS, 1000, lr=0.1, loss="mean_squares")
    right = ((population(revive_check.ROWS).data > 0.5) == (revive_check.TARGETS > 0.5)).all(axis=(1, 2))
    assert right.sum() > revive_check.SEEDS / 2


# Exercise 3


def test_lambda_answer_is_not_repaired_by_removing_lines():
    def summed(after):
        return lambda outputs, targets: after(sum((p if t else 1 - p).log() for p, t in zip(outputs, targets)))

    assert check.cross_entropy(summed(lambda total: total)).lead != MENDED


def test_wrapped_package_loss_is_not_called_0_log_0():
    assert not check.cross_entropy(lambda o, t: autograd.binary_cross_entropy(o, t)).mistakes


# Exercise 4


def trained(
    layers=(8, 1), activation="tanh", output="linear", steps=300, lr=0.5, labels=LABELS, loss=autograd.hinge, n=100
):
    """Return a network that a learner may have trained, on ten of the first n rows per step."""
    rng = random.Random(0)
    net = MLP(2, list(layers), activation, output, rng=rng)
    optimizer = SGD(net.parameters(), abs(lr))
    for _ in range(steps):
        batch = rng.sample(range(n), 10)
        value = loss([net(ROWS[i]) for i in batch], [labels[i] for i in batch])
        optimizer.zero_grad()
        value.backward()
        if lr < 0:
            for p in net.parameters():
                p.grad *= -1
        optimizer.step()
    return net


@pytest.fixture(scope="module")
def good():
    return trained()


class OwnValue:
    """A number of another engine."""

    def __init__(self, data):
        self.data = data


def test_trained_network_passes_in_any_form(good):
    assert check.moons(good)
    assert check.moons(TensorMLP.from_mlp(good))
    assert check.moons(lambda point: good(point))
    assert check.moons(lambda point: good(point).data + 1e-12)
    assert check.moons(lambda point: [good(point)])
    assert check.moons(lambda point: OwnValue(good(point).data))
    assert check.moons(lambda point: np.sign(good(point).data))
    assert check.moons(lambda point: Fraction(good(point).data))


@pytest.mark.long
def test_other_losses_and_activations_pass():
    assert check.moons(trained((16, 16, 1), "relu", lr=0.1, steps=600, loss=autograd.mean_squares))
    assert check.moons(trained(output="tanh", loss=autograd.mean_squares))
    assert check.moons(trained((16, 1), "sin"))


def test_zero_loss_network_is_not_called_untrained():
    net = trained(n=10)
    assert autograd.hinge([net(row) for row in ROWS[:10]], LABELS[:10]).data == 0
    net.zero_grad()
    assert "never trained" not in said_of(check.moons(net))


NEGATIVE = "no output below 0"
NOT_MOONS = {
    "relu on the output, labels told apart": (lambda: trained((16, 1), output="relu"), NEGATIVE),
    "relu on one's own output": (lambda: lambda point: max(0.0, point[0]), NEGATIVE),
    "a line on arrays": (lambda: TensorMLP.from_mlp(trained((1,))), "a straight line"),
    "uphill": (lambda: trained(lr=-0.5, steps=50), "the wrong way round"),
    "guessing": (lambda: lambda point: math.sin(1e3 * point[0]), "hardly better than guessing"),
    "two outputs": (lambda: MLP(2, [8, 2]), "One output per point was expected; it returns 2"),
    "two outputs on arrays": (lambda: TensorMLP(2, [8, 2]), "One output per point was expected; it returns 2"),
    "three inputs": (lambda: MLP(3, [8, 1]), "takes 3 inputs, got 2"),
    "three inputs on arrays": (lambda: TensorMLP(3, [8, 1]), "shape (n, 3)"),
    "no output for some": (lambda: lambda point: point[0] if point[0] > 0 else None, "It returned None"),
    "a number": (lambda: 0.97, "A network was expected; this is a float"),
    "the function itself": (lambda: lambda points, labels: None, "It raised TypeError"),
}


@pytest.mark.parametrize("make, said", NOT_MOONS.values(), ids=NOT_MOONS)
def test_untrained_networks_get_an_explanation(make, said):
    assert said in said_of(check.moons(make()))
