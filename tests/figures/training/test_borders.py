"""Runs of the border lab's networks: those of the lessons, on the scalar engine; its points; and where borders are."""

import math
import random

import numpy as np
import pytest

import autograd
from autograd import MLP
from autograd.errors.messages import show
from autograd.lessons.moons import make_moons
from exercises.tasks.moons.check import new_moons
from figures.training.borders import CIRCLE, MOONS, MOST, NEW, RAYS, TASKS, Learning, Net, Settings, first_change


def losses_of(learning, epochs):
    """The losses of the next epochs."""
    return [(learning.step(), learning.total)[1] for _ in range(epochs)]


def trained(task, epochs, points=None, flipped=0, seed=None):
    """A run of so many epochs."""
    learning = Learning(Settings(task, task.hidden, points or task.points, flipped, seed), task.lr)
    losses_of(learning, epochs)
    return learning


def circle_on_the_engine(epochs):
    """Source A's loop, written out: the network, its points, and for each epoch the sum of the losses."""
    rng = random.Random(7)
    points = [(rng.uniform(-1.5, 1.5), rng.uniform(-1.5, 1.5)) for _ in range(80)]
    data = [(point, float(point[0] ** 2 + point[1] ** 2 < 1)) for point in points]
    net, totals = MLP(2, [8, 1], "sigmoid", "sigmoid", init="fan_in", rng=rng), []
    for _ in range(epochs):
        rng.shuffle(data)
        totals.append(0.0)
        for point, target in data:
            loss = (net(point) - target) ** 2
            totals[-1] += loss.data
            net.zero_grad()
            loss.backward()
            for p in net.parameters():
                p.data -= 0.5 * p.grad
    return net, points, totals


def moons_on_the_engine(steps):
    """The lesson's loop for the moons: the network, its points, and each step's loss."""
    points, labels = make_moons(n_samples=100, noise=0.1, random_state=1337)
    points, labels = points.tolist(), (2 * labels - 1).tolist()
    net, totals = MLP(2, [16, 16, 1], "relu", "linear", init="uniform_zero_bias", rng=random.Random(1337)), []
    parameters = net.parameters()
    for step in range(steps):
        outputs = [net(point) for point in points]
        loss = autograd.hinge(outputs, labels) + 1e-4 * autograd.weighted_sum(parameters, parameters, 0)
        net.zero_grad()
        loss.backward()
        for p in parameters:
            p.data -= (1.0 - 0.9 * step / 100) * p.grad
        totals.append(loss.data)
    return net, points, totals


@pytest.mark.long
def test_circle_run_matches_the_engine_and_the_source():
    """A recorded one: to the last bit. Source A: loss 17.1256 first, 70 % right after it; .3585 later, all right."""
    learning, (net, points, totals) = trained(CIRCLE, 1), circle_on_the_engine(120)
    assert (show(learning.total), learning.right) == ("17.1256", 56)
    assert [learning.total, *losses_of(learning, 119)] == totals
    assert learning.net.numbers() == [p.data for p in net.parameters()]
    assert learning.net(np.array(points)) == pytest.approx([net(point).data for point in points], abs=1e-12)
    losses = losses_of(learning, 81)
    assert (show(losses[-1]), learning.right, learning.new_right) == ("0.3585", 80, 376)


@pytest.mark.long
def test_moons_run_matches_the_engine_and_the_lesson():
    learning, (net, points, totals) = trained(MOONS, 0), moons_on_the_engine(100)
    assert losses_of(learning, 100) == pytest.approx(totals, rel=1e-8)
    assert learning.net(np.array(points)) == pytest.approx([net(point).data for point in points], abs=1e-7)
    assert (show(learning.total), learning.right, learning.new_right) == ("0.0110", 100, 400)


@pytest.mark.parametrize("activation", ["sigmoid", "relu", "linear"])
@pytest.mark.parametrize("hidden", [(), (3,), (4, 5)])
def test_manual_gradients_match_the_engine(activation, hidden):
    mlp = MLP(2, [*hidden, 1], activation, "sigmoid", rng=random.Random(5))
    points, slopes = [[0.3, -1.2], [1.1, 0.4], [-0.7, 0.9]], [0.5, -2.0, 1.5]
    net = Net(mlp)
    found = net.gradients(net.layers(np.column_stack([points, np.ones(3)])), np.array(slopes)[:, None])
    sum((slope * mlp(point) for slope, point in zip(slopes, points)), autograd.Value(0.0)).backward()
    for layer, gradient in zip(reversed(mlp.layers), found, strict=True):
        expected = [[p.grad for p in (*neuron.weights, neuron.bias)] for neuron in layer.neurons]
        assert pytest.approx(np.array(expected), abs=1e-12) == gradient.T


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_points_are_a_prefix_and_labels_are_flipped_by_share(task):
    points, targets, new, of_new = Settings(task, (), MOST).data()
    few, of_few, again, _ = Settings(task, (), 10).data()
    assert (len(points), len(new)) == (MOST, NEW) and again is new
    assert few.tolist() == points[:10].tolist() and of_few.tolist() == targets[:10].tolist()
    assert not {tuple(p) for p in points} & {tuple(p) for p in new} and set(of_new) == {task.low, 1.0}
    for flipped in (0, 10, 30):
        _, wrong, _, of_these = Settings(task, (), 80, flipped).data()
        assert (wrong != targets[:80]).sum() == round(0.8 * flipped) and set(wrong) == {task.low, 1.0}
        assert np.array_equal(of_new, of_these)


def test_moons_match_the_check_and_seeds_vary_only_the_network():
    expected = (*new_moons(1337, 100), *new_moons())
    for found, right in zip(Settings(MOONS, (), 100).data(), expected, strict=True):
        assert np.array_equal(found, right)
    one, other = (trained(CIRCLE, 0, seed=seed) for seed in (1, 2))
    assert not np.array_equal(one.net.weights[0], other.net.weights[0]) and np.array_equal(one.points, other.points)
    net = Net(MLP(2, [8, 1], "sigmoid", "sigmoid", "fan_in", random.Random(2)))
    assert net.weights[1] == pytest.approx(other.net.weights[1])


@pytest.mark.long
def test_few_points_and_wrong_labels_are_overfitted():
    few, wrong, long = trained(CIRCLE, 200, points=10), trained(CIRCLE, 300, flipped=20), trained(CIRCLE, 400)
    assert few.right == 10 and few.new_right < (few.new_targets == 0).sum() == 263  # less than "outside" to all
    assert wrong.right > 66 and wrong.new_right < wrong.best[0] - 30
    assert long.right == 80 and long.best[0] > long.new_right + 5 and long.best[1] < 120
    moons = trained(MOONS, 100, flipped=20)
    assert moons.right < 83 and moons.new_right > 390, "these take no wrong label for right"


def test_border_of_a_circle_has_its_radius_in_every_direction():
    found = first_change(lambda points: (points**2).sum(axis=1) < 0.64, 2.4)
    assert len(found) == RAYS and found == pytest.approx(0.8, abs=1e-8)
    assert first_change(lambda points: points[:, 0] > 0.1, 2.4) is None
    assert math.isinf(first_change(lambda points: points[:, 0] < 1, 2.4).max())
