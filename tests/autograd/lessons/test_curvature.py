"""A gradient's derivative: the course's engine, unchanged, on dual numbers; and why lesson 09's loss leaps."""

import math
import random
from types import SimpleNamespace

import numpy as np
import pytest

import autograd
from autograd import Dual, Value, dual
from autograd.lessons.curvature import descent, dual_math, gradient, on_duals, sharpest, xor
from exercises import my_engine
from exercises.engine_file.trial import template_engine


@pytest.fixture
def engine():
    return template_engine().Value


def start(*hidden):
    return [p.data for p in autograd.MLP(2, [*hidden, 1], output="tanh", rng=random.Random(0)).parameters()]


def loss_at(engine, loss, at):
    return loss([engine(x) for x in at]).data


RNG = random.Random(1)
WAY = [RNG.uniform(-1, 1) for _ in range(17)]  # a direction


@pytest.mark.parametrize(
    "f, x, slope, second",
    [
        (lambda x: x**3, 2.0, 12.0, 12.0),
        (lambda x: x * x * x, 2.0, 12.0, 12.0),
        (lambda x: x.exp(), 0.5, math.exp(0.5), math.exp(0.5)),
        (lambda x: x.log(), 2.0, 0.5, -0.25),
        (lambda x: 1 / x, 2.0, -0.25, 0.25),
        (lambda x: x.tanh(), 0.5, 1 - math.tanh(0.5) ** 2, -2 * math.tanh(0.5) * (1 - math.tanh(0.5) ** 2)),
        (lambda x: (2 - x) * x, 2.0, -2.0, -2.0),
    ],
)
def test_dual_numbers_give_slope_and_second_derivative(engine, f, x, slope, second):
    leaf = engine(Dual(x, 1))
    with on_duals(engine):
        f(leaf).backward()
    assert (leaf.grad.value, leaf.grad.derivative) == (pytest.approx(slope), pytest.approx(second))


def test_curvature_works_on_the_learners_engine_file():
    mine = my_engine("13").Value
    slopes, turned = gradient(mine, lambda leaves: leaves[0].tanh() * leaves[0].exp(), [0.5], [1.0])
    t, e = math.tanh(0.5), math.exp(0.5)
    local = 1 - t * t
    assert slopes == pytest.approx([e * (local + t)])
    assert turned == pytest.approx([e * (local + t) + e * (local - 2 * t * local)])
    assert mine.__init__.__globals__["math"] is math


def test_dual_math_stands_in_for_math(engine):
    """math.tanh silently takes a Dual for a float; for plain numbers the stand-in is math."""
    leaf = engine(Dual(0.5, 1))
    leaf.tanh().backward()
    assert isinstance(leaf.grad, float)
    assert [
        name for name in ("exp", "log", "tanh", "sqrt") if getattr(dual_math, name)(0.3) != getattr(math, name)(0.3)
    ] == []
    with pytest.raises(TypeError, match="a Value needs a real number, got"):
        Value(Dual(2, 1))


def test_curvature_loss_matches_the_package_network(engine):
    net = autograd.MLP(2, [4, 4, 1], output="tanh", rng=random.Random(0))
    loss = autograd.sum_of_squares([net(row) for row in ([0, 0], [0, 1], [1, 0], [1, 1])], [0, 1, 1, 0])
    loss.backward()
    assert loss_at(engine, xor([4, 4]), start(4, 4)) == pytest.approx(loss.data, rel=1e-12)
    assert gradient(engine, xor([4, 4]), start(4, 4)) == pytest.approx([p.grad for p in net.parameters()], rel=1e-9)


def test_hessian_vector_product_matches_finite_differences(engine):
    loss, at, nudge = xor([4]), start(4), 1e-5
    slopes, turned = gradient(engine, loss, at, WAY)
    assert slopes == gradient(engine, loss, at) and len(at) == 17
    above, below = (gradient(engine, loss, [x + side * d for x, d in zip(at, WAY)]) for side in (nudge, -nudge))
    assert max(abs(t - (a - b) / (2 * nudge)) for t, a, b in zip(turned, above, below)) < 1.3e-9


class Counted(float):
    """A float that counts the operations on floats."""

    count = 0


def counted(function):

    def run(*numbers):
        Counted.count += 1
        return Counted(function(*map(float, numbers)))

    return run


for operation in ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "pow", "rpow", "neg"):
    setattr(Counted, f"__{operation}__", counted(getattr(float, f"__{operation}__")))
Counted.__abs__ = lambda x: Counted(abs(float(x)))  # no arithmetic


def test_hessian_vector_product_costs_three_gradients(engine, monkeypatch):
    """A Hessian times a direction takes as many operations as three gradients, the whole Hessian 17 times as many."""
    functions = SimpleNamespace(tanh=counted(math.tanh), exp=counted(math.exp))
    loss, at, counts = xor([4]), [Counted(x) for x in start(4)], []
    monkeypatch.setitem(engine.tanh.__globals__, "math", functions)
    monkeypatch.setattr(dual, "math", functions)
    monkeypatch.setattr(dual.validation, "real", lambda thing, user="": Counted(thing))
    for directions in ([], [[Counted(d) for d in WAY]]):
        Counted.count = 0
        gradient(engine, loss, at, *directions)
        counts.append(Counted.count)
    assert counts == [536, 1636] and round(counts[1] / counts[0]) == 3


@pytest.mark.long
@pytest.mark.parametrize("scale", [1, 0.3, 3])
def test_sharpest_finds_the_largest_hessian_eigenvalue(engine, scale):
    loss, at = xor([4]), [scale * x for x in start(4)]
    hessian = np.array([gradient(engine, loss, at, way)[1] for way in np.eye(17).tolist()])
    assert hessian == pytest.approx(hessian.T, abs=1e-9)
    values = np.linalg.eigvalsh(hessian)
    curvature, way = sharpest(engine, loss, at, 400)
    assert curvature == pytest.approx(values[-1], rel=1e-3)
    assert hessian @ way == pytest.approx(curvature * np.array(way), abs=0.03 * abs(values).max())


def test_sharpest_handles_saddles_and_flat_losses(engine):
    """-5·x² + y²: the second derivatives are -10 and 2."""
    found, way = sharpest(engine, lambda leaves: leaves[0] ** 2 * -5 + leaves[1] ** 2, [1.0, 1.0])
    assert found == pytest.approx(2.0) and abs(way[1]) == pytest.approx(1.0)
    assert sharpest(engine, lambda leaves: leaves[0] * 3.0, [1.0], 3)[0] == 0.0


@pytest.mark.long
def test_loss_falls_only_for_step_sizes_below_two_over_curvature(engine):
    """From the 2-4-1 network after 2,000 epochs at 0.1."""
    loss, found = xor([4]), {}
    *_, trained = descent(engine, loss, start(4), 0.1, 2001)
    curvature, _ = sharpest(engine, loss, trained)
    assert 19.8 < curvature < 20.1 and 0.00145 < loss_at(engine, loss, trained) < 0.0016
    for share in (1.5, 1.9, 2.1, 2.5):
        *_, at = descent(engine, loss, trained, share / curvature, 51)
        found[share] = loss_at(engine, loss, at)
    assert found == pytest.approx({1.5: 5.0e-4, 1.9: 5.0e-4, 2.1: 0.0237, 2.5: 0.0785}, rel=0.05)


LEAP = {  # epoch: loss and largest curvature
    **{10: (0.84, 13.2), 30: (0.57, 19.1), 40: (0.35, 28.5), 60: (0.077, 43.1), 62: (0.09, 43.0), 63: (0.29, 24.1)},
    **{64: (1.37, 38.4), 65: (1.74, 1.22), 67: (0.71, 9.5), 75: (0.25, 20.9), 90: (0.22, 14.0), 100: (0.15, 16.1)},
}


@pytest.mark.long
def test_lesson_09_loss_spikes_when_curvature_exceeds_the_limit(engine):
    """The border is 2/0.1 = 20, and from epoch 32 on the curvature is above it.

    So the slope along the sharpest direction grows threefold each epoch, by 1 - 0.1·43 = -3.3: its sign changes at each
    step. From 0.001 at epoch 56 to 1.4 at epoch 62.
    """
    loss, slopes, last = xor([4, 4]), {}, None
    course = list(descent(engine, loss, start(4, 4), 0.1, 101))
    assert len(course[0]) == 37
    for epoch, shown in LEAP.items():
        curvature = sharpest(engine, loss, course[epoch], 100 if epoch == 65 else 30)[0]
        assert (loss_at(engine, loss, course[epoch]), curvature) == pytest.approx(shown, rel=0.02, abs=0.005), epoch
    assert sharpest(engine, loss, course[31], 30)[0] < 20 < sharpest(engine, loss, course[32], 30)[0]
    for epoch in range(56, 63):
        way = sharpest(engine, loss, course[epoch], 30)[1]
        if last and sum(a * b for a, b in zip(way, last)) < 0:
            way = [-d for d in way]
        slopes[epoch], last = sum(g * d for g, d in zip(gradient(engine, loss, course[epoch]), way)), way
    assert f"{abs(slopes[56]):.3f}" == "0.001" and f"{abs(slopes[62]):.1f}" == "1.4"
    for epoch in range(58, 62):
        assert slopes[epoch + 1] / slopes[epoch] == pytest.approx(1 - 0.1 * 43, abs=0.15)
