"""Gradients by nudging: what the check passes, what it catches, and what it cannot see."""

import math
import random

import numpy as np
import pytest

from autograd import (
    MLP,
    Value,
    check_gradients,
    gradcheck,
    numerical_gradient,
    sum_of_squares,
    topological_order,
    weighted_sum,
)
from autograd.again import run_again
from autograd.tensor import Tensor
from tests.ops_table import cases


def state(root):
    return [(node, node.data, node.grad) for node in topological_order(root)]


def wrong_square(x):
    """x² with 3x for its local derivative."""
    return Value(x.data**2, (x,), "**2", _local=(3 * x.data,), _constants=(2.0,))


# numerical_gradient


def test_numerical_gradient_of_a_function_on_floats():
    slopes = numerical_gradient(lambda x, y: x * x + 3 * x * y + 1, [3, 1])
    assert slopes == pytest.approx([9.0, 9.0], rel=1e-9)
    assert all(type(slope) is float for slope in slopes)


def test_numerical_gradient_of_a_function_that_returns_a_value():
    assert numerical_gradient(lambda x: Value(x).tanh(), [0.0]) == pytest.approx([1.0])


def test_nudges_are_central():
    """x² has no error in central differences, at any step; a one-sided difference would be off by ε."""
    assert numerical_gradient(lambda x: x * x, [3.0], epsilon=0.5) == [6.0]


@pytest.mark.parametrize("epsilon", [0, -1e-5, math.inf, math.nan])
def test_epsilon_out_of_range(epsilon):
    for call in (
        lambda: numerical_gradient(lambda x: x, [1.0], epsilon),
        lambda: gradcheck(lambda x: x * 1, [1.0], epsilon),
        lambda: check_gradients(Value(1) * 2, epsilon),
    ):
        with pytest.raises(ValueError, match=r"^epsilon is a small number above 0, such as 1e-5, got"):
            call()


def test_epsilon_that_is_not_a_number():
    with pytest.raises(TypeError, match=r"^epsilon needs a real number, got None"):
        check_gradients(Value(1) * 2, epsilon=None)


def test_inputs_that_are_not_numbers():
    with pytest.raises(TypeError, match=r"^an input needs a real number, got a list of 2"):
        numerical_gradient(lambda x: x, [[1, 2]])


# gradcheck


@pytest.mark.parametrize(("op", "point"), cases("points"))
def test_right_rules_pass(op, point):
    report = gradcheck(op.function, point)
    assert report
    assert len(report.rows) == op.arity


def test_a_wrong_local_derivative_is_caught():
    report = gradcheck(wrong_square, [2.0])
    assert not report
    assert (report.rows[0].analytic, report.rows[0].numeric) == (6.0, pytest.approx(4.0))


def test_one_wrong_input_among_right_ones_is_named():
    report = gradcheck(lambda x, y: x * y + wrong_square(y), [2.0, 3.0])
    assert [(row.name, row.passed) for row in report.rows] == [("x0", True), ("x1", False)]


@pytest.mark.parametrize("gate", [Value.relu, Value.leaky_relu])
def test_a_kink_is_seen(gate):
    """At 0 the slope from the left is not that from the right: no derivative agrees with nudging."""
    assert not gradcheck(gate, [0.0])
    assert gradcheck(gate, [1e-4])


def test_a_wrong_forward_is_not_seen():
    """By design: 1 - v coded as v - 1 has the right gradients of the wrong function."""
    assert gradcheck(lambda v: v - 1, [0.3])
    assert (Value(0.3) - 1).data != 1 - 0.3


def test_tolerance_decides():
    assert gradcheck(wrong_square, [2.0], tolerance=0.5)
    assert not gradcheck(lambda x: x**3, [1.0], epsilon=0.1, tolerance=1e-6)


def test_function_must_return_a_value():
    with pytest.raises(TypeError, match=r"^gradcheck needs a function that returns a Value, got None"):
        gradcheck(lambda x: None, [1.0])


def test_nan_never_passes():
    assert not gradcheck(lambda x: x * math.nan, [1.0])


def test_report_is_a_small_table():
    report = gradcheck(lambda x, y: x * 4 + wrong_square(y), [1.0, 2.0], epsilon=2**-10)
    assert str(report).splitlines() == [
        "input      analytic       numeric  rel. error  pass",
        "x0           4.0000        4.0000     0.0e+00  yes",
        "x1           6.0000        4.0000     3.3e-01  NO",
    ]
    assert repr(report) == str(report)


# check_gradients


@pytest.mark.parametrize(("op", "point"), cases("points"))
def test_every_op_can_be_run_again(op, point):
    """weighted_sum, a slope and an exponent too: each op is found by its name, with its constants."""
    leaves = [Value(x, label=label) for x, label in zip(point, "abcde")]
    root = op.function(*leaves) * 3
    report = check_gradients(root)
    assert report
    assert {row.name for row in report.rows} >= {leaf.label for leaf in leaves}
    assert all(row.analytic == pytest.approx(3 * local) for row, local in zip(report.rows, root._prev[0]._local))


def test_check_gradients_of_a_loss():
    net = MLP(2, [3, 1], rng=random.Random(2))
    loss = sum_of_squares([net([0, 1]), net([1, -1])], [1, 0])
    report = check_gradients(loss)
    assert report
    assert {parameter.label for parameter in net.parameters()} <= {row.name for row in report.rows}


def test_check_gradients_names_unlabelled_leaves_by_their_place():
    assert [row.name for row in check_gradients(Value(2, label="a") * 3).rows] == ["a", "v1"]


def test_check_gradients_of_a_leaf():
    (row,) = check_gradients(Value(2, label="a")).rows
    assert (row.analytic, row.numeric) == (1.0, pytest.approx(1.0))


def test_check_gradients_catches_a_wrong_rule_inside_a_graph():
    a, b = Value(2, label="a"), Value(3, label="b")
    report = check_gradients(wrong_square(a) * b + a)
    assert [(row.name, row.passed) for row in report.rows] == [("a", False), ("b", True)]


def test_check_gradients_is_not_misled_by_old_grads():
    x = Value(2.0, label="x")
    root = x**2
    root.backward()
    root.backward()
    (row,) = check_gradients(root).rows
    assert row.analytic == 4.0
    assert x.grad == 8.0


def test_check_gradients_uses_epsilon():
    x = Value(1.0, label="x")
    (row, *_) = check_gradients(x**3, epsilon=0.1).rows
    assert row.numeric == pytest.approx(3 + 0.1**2)


def test_data_and_grads_are_restored():
    a, b = Value(0.7), Value(-2.0)
    root = (a * b).tanh() + weighted_sum([a], [b], 1) ** 2
    for i, node in enumerate(topological_order(root)):
        node.grad = float(i)
    before = state(root)
    check_gradients(root)
    assert state(root) == before


def test_data_and_grads_are_restored_on_an_error():
    """Nudging a leaf below 0 takes log out of its domain: the error says so, and the graph is as it was."""
    x, y = Value(1e-6, label="x"), Value(2.0)
    root = x.log() * y
    x.grad, root.grad = 4.0, 5.0
    before = state(root)
    with pytest.raises(ValueError, match="log needs a positive number"):
        check_gradients(root)
    assert state(root) == before


def test_an_op_that_value_does_not_have():
    x = Value(2.0)
    node = Value(8.0, (x,), "cube", _local=(12.0,))
    node.label = "c"
    with pytest.raises(ValueError, match=r"^c = 8\.0 cannot be run again: Value has no operation 'cube'\.$"):
        check_gradients(node)
    assert (x.data, node.data) == (2.0, 8.0)


# Tensors


def layer(x, w, b, slope=1.0):
    """Most ops of a Tensor, with one number that is none of it."""
    h = (x @ w + b).tanh() * slope
    h = h[[0, 0, 1]].T.reshape(3, -1).sigmoid() / (w * w).sum(axis=0, keepdims=True).reshape(2).sum()
    return (h.exp() ** 1.3).mean(axis=1).leaky_relu(0.2).sum() - h.cos().softmax_cross_entropy([0, 1, 0])


def inputs():
    """Tensors of three shapes, and a number."""
    random = np.random.RandomState(0)
    return [Tensor(random.randn(2, 3)), Tensor(random.randn(3, 2), label="w"), Tensor(random.randn(2)), 0.7]


def test_gradients_of_tensors():
    """Each number of each Tensor has a row."""
    report = gradcheck(lambda *xs: layer(*xs[:3]), inputs()[:3])
    assert report and len(report.rows) == 6 + 6 + 2
    assert [report.rows[i].name for i in (0, 5, 6, 13)] == ["x0[0, 0]", "x0[1, 2]", "x1[0, 0]", "x2[1]"]


def test_numerical_gradients_have_the_shapes_of_their_inputs():
    xs = inputs()
    found = numerical_gradient(layer, xs)
    assert [np.shape(slopes) for slopes in found] == [(2, 3), (3, 2), (2,), ()]
    layer(*xs).backward()
    for x, slopes in zip(xs[:3], found):
        np.testing.assert_allclose(slopes, x.grad, rtol=1e-7, atol=1e-9)


def test_every_op_of_a_tensor_is_run_again():
    """check_gradients runs each op from its name and constants: what it gives unchanged is what was there."""
    *xs, slope = inputs()
    root = layer(*xs, slope) + xs[0].hinge([[1, -1, 1]] * 2) + xs[0].binary_cross_entropy(np.ones((2, 3))).sum()
    before = [(node, node.data.copy(), node.grad.copy()) for node in topological_order(root)]
    assert all(
        np.array_equal(run_again(node, node._prev).data, node.data)
        for node in topological_order(root)[:-1]
        if node._prev
    )
    report = check_gradients(root)
    assert report and {"w[2, 1]"} < {row.name for row in report.rows}
    for node, data, grad in before:
        assert (node.data == data).all() and (node.grad == grad).all()


def test_a_wrong_vjp_is_found():
    x = Tensor([1.0, 2.0], label="x")
    wrong = Tensor(x.data**2, (x,), "**2", "", (lambda upstream: 3 * x.data * upstream,), (2.0,))
    report = check_gradients(wrong.sum())
    assert [row.passed for row in report.rows] == [False, False]


def test_a_tensor_of_more_numbers_is_no_root():
    with pytest.raises(ValueError, match=r"^backward starts from a single number, got a Tensor of shape \(2,\)"):
        check_gradients(Tensor([1.0, 2.0]) * 2)
