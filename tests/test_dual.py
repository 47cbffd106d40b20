"""Dual numbers: the oracle must itself be right. (Op by op: test_ops.py; with numbers: test_value.py.)"""

import math

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
    assert repr(Dual(2, 3)) == "Dual(value=2.0000, derivative=3.0000)" and float(Dual(2.5)) == 2.5


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


def test_dual_shares_nothing_with_value():
    """The two check each other, so neither takes the other."""
    for mixed in (lambda: Dual(1) + Value(1), lambda: Value(1) + Dual(1), lambda: Dual(Value(1))):
        with pytest.raises(TypeError, match="needs a real number, got a"):
            mixed()
