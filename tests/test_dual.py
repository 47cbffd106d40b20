"""Dual numbers: the oracle must itself be right. (Each op against Value and nudging: test_ops.py.)"""

import math
import operator

import numpy as np
import pytest

from autograd import Dual, Value, numerical_gradient
from autograd.dual import forward_gradient
from tests.ops_table import cases, same


@pytest.mark.parametrize(("op", "point"), cases("points"))
def test_derivatives_against_nudging(op, point):
    for derivative, slope in zip(forward_gradient(op.on_duals, point), numerical_gradient(op.number, point)):
        assert same(derivative, slope, rel=1e-7, abs_tol=1e-9)


def test_epsilon_squared_is_0():
    square = Dual(0.0, 1.0) * Dual(0.0, 1.0)
    assert (square.value, square.derivative) == (0.0, 0.0)


def test_product_and_quotient_rules():
    a, b = Dual(2.0, 3.0), Dual(5.0, 7.0)
    assert ((a * b).value, (a * b).derivative) == (10.0, 3 * 5 + 2 * 7)
    assert ((a / b).value, (a / b).derivative) == (0.4, pytest.approx((3 * 5 - 2 * 7) / 25))


@pytest.mark.parametrize("op", [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow])
@pytest.mark.parametrize("kind", [int, float, np.float64, np.int64])
def test_numbers_on_either_side_are_constants(op, kind):
    x = Dual(3.0, 1.0)
    for result, constant in ((op(kind(2), x), op(Dual(2.0), x)), (op(x, kind(2)), op(x, Dual(2.0)))):
        assert type(result) is Dual
        assert result.value == pytest.approx(constant.value)
        assert result.derivative == pytest.approx(constant.derivative)


def test_arrays_are_refused():
    for product in (lambda: np.array([1.0, 2.0]) * Dual(3), lambda: Dual(3) * np.array([1.0, 2.0])):
        with pytest.raises(TypeError, match=r"^a Dual needs a real number, got an ndarray of shape \(2,\)"):
            product()


def test_a_constant_has_derivative_0():
    assert Dual(3).derivative == 0.0
    assert (Dual(3) * 4 + 1).derivative == 0.0


@pytest.mark.parametrize("x", [1000.0, -1000.0, 400.0, 20.0])
def test_saturated_functions_do_not_overflow(x):
    """tanh' is 1/cosh², and cosh of 1000 is too large for a float: the oracle must answer all the same."""
    assert Dual(x, 1.0).tanh().value == math.tanh(x)
    assert Dual(x, 1.0).tanh().derivative == pytest.approx(4 * math.exp(-2 * abs(x)), rel=1e-12)
    assert Dual(x, 1.0).sigmoid().value == pytest.approx(0.5 + math.copysign(0.5, x), abs=1e-8)


@pytest.mark.parametrize("function", [Dual.relu, Dual.leaky_relu])
def test_gates_are_shut_at_0_and_pass_nan_on(function):
    assert function(Dual(0.0, 1.0)).derivative in (0.0, 0.01)
    assert math.isnan(function(Dual(math.nan, 1.0)).value)


def test_forward_gradient_runs_once_for_each_input():
    runs = []

    def f(x, y):
        runs.append((x.derivative, y.derivative))
        return x * y + x

    assert forward_gradient(f, [2.0, 5.0]) == [6.0, 2.0]
    assert runs == [(1.0, 0.0), (0.0, 1.0)]


def test_forward_gradient_of_a_constant():
    assert forward_gradient(lambda x: 7, [2.0]) == [0.0]


def test_repr_and_float():
    assert repr(Dual(2, 3)) == "Dual(value=2.0000, derivative=3.0000)"
    assert float(Dual(2.5)) == 2.5


def test_dual_shares_nothing_with_value():
    """The two check each other, so neither takes the other."""
    for mixed in (lambda: Dual(1) + Value(1), lambda: Value(1) + Dual(1), lambda: Dual(Value(1))):
        with pytest.raises(TypeError, match="needs a real number, got a"):
            mixed()


def test_out_of_domain():
    for bad in (lambda: Dual(-1).log(), lambda: Dual(-1).sqrt(), lambda: Dual(-1) ** 0.5):
        with pytest.raises(ValueError):
            bad()
    with pytest.raises(ZeroDivisionError):
        Dual(1) / 0
