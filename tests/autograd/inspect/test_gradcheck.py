"""Gradients by nudging: what the check passes, catches, and cannot see.

That it passes right ops, test_ops.py shows.
"""

import math
import random
from contextlib import nullcontext

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
from autograd.operations import rerun
from autograd.tensor import Tensor
from tests.approved_calls import check_approved_calls


def passed(report):
    return {row.name: row.passed for row in report.rows}


def wrong_square(x):
    """Return x² with 3x for its local derivative."""
    return Value(x.data**2, (x,), "**2", _local=(3 * x.data,), _constants=(2.0,))


def test_gradcheck_messages():
    check_approved_calls("gradcheck_sentences", wrong_square=wrong_square)


def test_numerical_gradient():
    """x² has no error in central differences; one-sided differences would be off by ε."""
    slopes = numerical_gradient(lambda x, y: x * x + 3 * x * y + 1, [3, 1])
    assert slopes == pytest.approx([9.0, 9.0], rel=1e-9)
    assert [slope for slope in slopes if type(slope) is not float] == []
    assert numerical_gradient(lambda x: Value(x).tanh(), [0.0]) == pytest.approx([1.0])
    assert numerical_gradient(lambda x: x * x, [3.0], epsilon=0.5) == [6.0]


def test_gradcheck_catches_wrong_derivatives_kinks_and_nan():
    """A wrong local derivative, by name; a kink, where the slopes from both sides differ; nan, always."""
    report = gradcheck(wrong_square, [2.0])
    assert not report and gradcheck(wrong_square, [2.0], tolerance=0.5)
    assert (report.rows[0].analytic, report.rows[0].numeric) == (6.0, pytest.approx(4.0))
    assert passed(gradcheck(lambda x, y: x * y + wrong_square(y), [2.0, 3.0])) == {"x0": True, "x1": False}
    for gate in (Value.relu, Value.leaky_relu):
        assert not gradcheck(gate, [0.0]) and gradcheck(gate, [1e-4])
    assert not gradcheck(lambda x: x**3, [1.0], epsilon=0.1, tolerance=1e-6)
    assert not gradcheck(lambda x: x * math.nan, [1.0])


# check_gradients


def test_check_gradients_finds_a_wrong_rule_in_a_graph():
    net = MLP(2, [3, 1], rng=random.Random(2))
    report = check_gradients(sum_of_squares([net([0, 1]), net([1, -1])], [1, 0]))
    assert report and {parameter.label for parameter in net.parameters()} <= passed(report).keys()
    (row,) = check_gradients(Value(2, label="a")).rows
    assert (row.analytic, row.numeric) == (1.0, pytest.approx(1.0))
    a, b = Value(2, label="a"), Value(3)
    assert passed(check_gradients(wrong_square(a) * b + a)) == {"a": False, "v2": True}


def test_check_gradients_ignores_old_grads_and_uses_epsilon():
    x = Value(1.0, label="x")
    root = x**3
    root.backward()
    root.backward()
    (row,) = check_gradients(root, epsilon=0.1).rows
    assert (row.analytic, x.grad) == (3.0, 6.0)
    assert row.numeric == pytest.approx(3 + 0.1**2)


def test_check_gradients_restores_data_and_grads():
    """On an error too: nudging x below 0 takes log out of its domain, and an op that Value lacks stops the check."""
    a, x = Value(-2.0), Value(1e-6, label="x")
    good, bad = (a * x).tanh() + weighted_sum([a], [x], 1) ** 2, x.log() * a
    unknown = Value(8.0, (a,), "cube", _local=(12.0,))
    for root, fails in ((good, None), (bad, "log needs a positive number"), (unknown, "has no operation 'cube'")):
        for i, node in enumerate(topological_order(root)):
            node.grad = float(i)
        before = [(node, node.data, node.grad) for node in topological_order(root)]
        with pytest.raises(ValueError, match=fails) if fails else nullcontext():
            check_gradients(root)
        assert [(node, node.data, node.grad) for node in topological_order(root)] == before


# Tensors


def layer(x, w, b, slope=1.0):
    """Return a number from most ops of a Tensor, with one number that is not part of it."""
    h = (x @ w + b).tanh() * slope
    h = h[[0, 0, 1]].T.reshape(3, -1).sigmoid() / (w * w).sum(axis=0, keepdims=True).reshape(2).sum()
    return (h.exp() ** 1.3).mean(axis=1).leaky_relu(0.2).sum() - h.cos().softmax_cross_entropy([0, 1, 0])


def inputs():
    random = np.random.RandomState(0)
    return [Tensor(random.randn(2, 3)), Tensor(random.randn(3, 2), label="w"), Tensor(random.randn(2)), 0.7]


def test_gradcheck_works_on_tensors():
    *xs, slope = inputs()
    report = gradcheck(layer, xs)
    assert report and len(report.rows) == 6 + 6 + 2
    assert [report.rows[i].name for i in (0, 5, 6, 13)] == ["x0[0, 0]", "x0[1, 2]", "x1[0, 0]", "x2[1]"]
    found = numerical_gradient(layer, [*xs, slope])
    assert [np.shape(slopes) for slopes in found] == [(2, 3), (3, 2), (2,), ()]
    layer(*xs, slope).backward()
    for x, slopes in zip(xs, found):
        np.testing.assert_allclose(slopes, x.grad, rtol=1e-7, atol=1e-9)


def test_check_gradients_reruns_tensor_ops_and_finds_a_wrong_vjp():
    """check_gradients runs each op from its name and constants: unchanged inputs give the same number again."""
    *xs, slope = inputs()
    root = layer(*xs, slope) + xs[0].hinge([[1, -1, 1]] * 2) + xs[0].binary_cross_entropy(np.ones((2, 3))).sum()
    before = [(node, node.data.copy(), node.grad.copy()) for node in topological_order(root)]
    made = [node for node, _, _ in before if node._prev]
    assert [node for node in made if not np.array_equal(rerun(node, node._prev).data, node.data)] == []
    report = check_gradients(root)
    assert report and "w[2, 1]" in passed(report)
    for node, data, grad in before:
        assert (node.data == data).all() and (node.grad == grad).all()
    x = Tensor([1.0, 2.0], label="x")
    wrong = Tensor(x.data**2, (x,), "**2", "", (lambda upstream: 3 * x.data * upstream,), (2.0,))
    assert passed(check_gradients(wrong.sum())) == {"x[0]": False, "x[1]": False}
