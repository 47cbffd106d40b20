"""Dual numbers: the oracle must itself be right. (Each op against Value and nudging: test_ops.py.)"""

import math
import operator

import numpy as np
import pytest

from autograd import Dual, Value
from autograd.dual import forward_gradient


def both(dual):
    return dual.value, dual.derivative


def test_epsilon_squared_is_0_and_what_follows():
    """By hand: the product and the quotient rule; a constant has derivative 0."""
    assert both(Dual(0.0, 1.0) * Dual(0.0, 1.0)) == (0.0, 0.0)
    a, b = Dual(2.0, 3.0), Dual(5.0, 7.0)
    assert both(a * b) == (10.0, 3 * 5 + 2 * 7)
    assert both(a / b) == (0.4, pytest.approx((3 * 5 - 2 * 7) / 25))
    assert Dual(3).derivative == (Dual(3) * 4 + 1).derivative == 0.0


@pytest.mark.parametrize("op", [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow])
@pytest.mark.parametrize("kind", [int, float, np.float64, np.int64])
def test_numbers_on_either_side_are_constants(op, kind):
    x = Dual(3.0, 1.0)
    for result, constant in ((op(kind(2), x), op(Dual(2.0), x)), (op(x, kind(2)), op(x, Dual(2.0)))):
        assert type(result) is Dual
        assert both(result) == pytest.approx(both(constant))


@pytest.mark.parametrize("x", [1000.0, -1000.0, 400.0, 20.0])
def test_saturated_functions_do_not_overflow(x):
    """tanh' is 1/cosh², and cosh of 1000 is too large for a float: the oracle must answer all the same."""
    slope = pytest.approx(4 * math.exp(-2 * abs(x)), rel=1e-12)
    assert both(Dual(x, 1.0).tanh()) == (math.tanh(x), slope)
    assert Dual(x, 1.0).sigmoid().value == pytest.approx(0.5 + math.copysign(0.5, x), abs=1e-8)


@pytest.mark.parametrize(("function", "slope"), [(Dual.relu, 0.0), (Dual.leaky_relu, 0.01)])
def test_gates_are_shut_at_0_and_pass_nan_on(function, slope):
    assert function(Dual(0.0, 1.0)).derivative == slope
    assert math.isnan(function(Dual(math.nan, 1.0)).value)


def test_forward_gradient_runs_once_for_each_input():
    runs = []

    def f(x, y):
        runs.append((x.derivative, y.derivative))
        return x * y + x

    assert forward_gradient(f, [2.0, 5.0]) == [6.0, 2.0]
    assert runs == [(1.0, 0.0), (0.0, 1.0)]
    assert forward_gradient(lambda x: 7, [2.0]) == [0.0]


def test_repr_and_float():
    assert repr(Dual(2, 3)) == "Dual(value=2.0000, derivative=3.0000)"
    assert float(Dual(2.5)) == 2.5


@pytest.mark.parametrize(
    ("bad", "error", "sentence"),
    [
        (lambda: Dual(1) + Value(1), TypeError, r"^a Dual needs a real number, got a Value"),
        (lambda: Value(1) + Dual(1), TypeError, r"^a Value needs a real number, got a Dual"),
        (lambda: Dual(Value(1)), TypeError, r"^a Dual needs a real number, got a Value"),
        (lambda: np.array([1.0, 2.0]) * Dual(3), TypeError, r"^a Dual .* got an ndarray of shape \(2,\)"),
        (lambda: Dual(3) * np.array([1.0, 2.0]), TypeError, r"^a Dual .* got an ndarray of shape \(2,\)"),
        (lambda: Dual(-1).log(), ValueError, None),
        (lambda: Dual(-1).sqrt(), ValueError, None),
        (lambda: Dual(-1) ** 0.5, ValueError, "a negative number needs a whole exponent"),
        (lambda: Dual(1) / 0, ZeroDivisionError, None),
    ],
)
def test_what_is_refused(bad, error, sentence):
    """The two engines check each other, so neither takes the other."""
    with pytest.raises(error, match=sentence):
        bad()
