"""Comparing, formatting and converting nodes, foreign functions on them, data that is replaced, and bad calls."""

import math
import weakref

import numpy as np
import pytest

import autograd
from autograd import MLP, SGD, Dual, Value, check_gradients, record
from autograd.dual import forward_gradient
from autograd.lessons.moons import make_moons
from autograd.tensor import Tensor
from autograd.training.tensor_nn import TensorMLP, mean_squares


def test_changing_an_index_later_leaves_gradients_unchanged():
    x = Tensor(np.arange(6.0).reshape(3, 2))
    rows, columns = np.array([0, 1]), [0, 1]
    y = x[rows, columns]
    rows[0], columns[1] = 2, 0
    y.sum().backward()
    assert x.grad.tolist() == [[1, 0], [0, 1], [0, 0]]


@pytest.mark.parametrize("op", [lambda w: w * 1.0, lambda w: w.exp(), lambda w: w.reshape(2, 1), lambda w: w[:]])
def test_op_results_and_gradients_are_read_only(op):
    """Neither its numbers, which another node's VJP keeps, nor its gradient, which another node may share."""
    w = Tensor([2.0, 3.0])
    h = op(w)
    y = (h * h + h).sum()
    with pytest.raises(ValueError, match="read-only"):
        h.data *= 0
    y.backward()
    expected = w.grad.tolist()
    with pytest.raises(ValueError, match="read-only"):
        h.grad *= 0
    w.grad *= 2
    w.data -= 0.5 * w.grad  # a leaf's are the learner's to change
    assert w.grad.tolist() == [2 * number for number in expected]


@pytest.mark.parametrize("number", [np.float32(0.3), np.float64(0.3), np.array(0.3, "f4"), 3, Value])
def test_replaced_value_data_becomes_float(number):
    """A float32 once let the whole graph be computed in 32 bits, and a right engine fail its gradient check."""
    for build in (lambda v: (v * v + v.exp()).tanh(), lambda v: -v, lambda v: autograd.weighted_sum([v], [v], v)):
        v = Value(0.5)
        v.data = number
        if number is Value:
            with pytest.raises(TypeError):
                build(v)
            continue
        root = build(v)
        assert check_gradients(root).passed
        assert {type(node.data) for node in autograd.topological_order(root) if node._prev} == {float}
    if number is not Value:
        v.data = number
        assert record(lambda x: x * v, 2.0, parameters=[v])(float(number), 2.0)[1] == [2.0, float(number)]


@pytest.mark.parametrize("data", [[1, 2], np.array([1, 2]), np.array([1, 2], "f4"), (1.0, 2.0)])
def test_replaced_tensor_data_becomes_float64(data):
    w = Tensor([0.0, 0.0])
    w.data = data
    (w * w + 1).sum().backward()
    SGD([w], 0.5).step()
    assert w.data.dtype == np.float64 and w.data.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("kind", [Value, Tensor])
def test_comparison_formatting_and_conversion_work(kind):
    a, b = kind(2.0), kind(-3.0)
    assert f"{a:.2f}" == "2.00" and f"{a}" == str(a) and round(b, 1) == -3.0 and int(b) == -3
    assert max(a, b) is a and min(a, b) is b and sorted([a, b]) == [b, a]
    assert (a > b, a >= 2, a < 2, b <= a, np.float64(1) < a) == (True, True, False, True, True)
    assert weakref.ref(a)() is a
    root = abs(b) * a + np.exp(a) + np.float64(2) * np.abs(a) - np.negative(b)
    root.backward()
    assert (float(a.grad), float(b.grad)) == pytest.approx((3 + math.exp(2) + 2, -2 + 1))
    assert np.isnan(kind(math.nan)) and not math.isnan(a)


def test_functions_that_lose_the_graph_suggest_a_replacement():
    w, t = Value(1.0), Tensor([1.0, 2.0])
    from math import tanh

    for call, kind, own in (
        (lambda: w * math.tanh(w), "math.tanh", "Write x.tanh()"),
        (lambda: tanh(w), "math.tanh", "Write x.tanh()"),
        (lambda: math.pow(w, 2), "math.pow", "Build it from the operations that a Value has"),
        (lambda: np.maximum(t, 0), "numpy.maximum", "Write x.relu()"),
        (lambda: np.sum(t), "numpy.sum", "Write x.sum()"),
        (lambda: np.where(t > 0, t, 0), "numpy.where", "Build it"),
        (lambda: np.add.reduce(t), "numpy.add", "Build it"),
    ):
        with pytest.raises(TypeError) as caught:
            call()
        assert str(caught.value).startswith(f"{kind} would lose the graph of a ") and own in str(caught.value)
    with pytest.raises(TypeError, match=r"^a Tensor of shape \(2,\) is not one number"):
        float(t)
    assert math.sqrt(float(w)) == 1.0


def test_tensor_takes_priority_over_pandas():
    assert Tensor.__pandas_priority__ > 4000, "a DataFrame's"


def test_dataframes_and_foreign_nodes_are_named_in_errors():
    """A DataFrame's items are its columns' names; a class may have the name of another."""
    with pytest.raises(
        TypeError, match=r"takes one sample, a list of 2 numbers; got .* of shape \(3, 2\)\. Call it for"
    ):
        MLP(2, [1])(np.ones((3, 2)))
    with pytest.raises(TypeError, match=r"It is a Value of another engine: pass its number, value\.data\."):
        Value(type("Value", (), {"data": 1.0})())


BAD = [
    None,
    -1,
    2.5,
    10**400,
    10**9,
    math.nan,
    "x",
    [],
    {},
    1j,
    np.array([]),
    np.array([[1.0]]),
    Value,
    len,
    [None],
    True,
]
CALLS = {
    "MLP": (MLP, 2, [2, 1]),
    "Neuron": (autograd.Neuron, 2, "tanh"),
    "SGD": (SGD, [Value(1.0)], 0.1),
    "Adam": (autograd.Adam, [Value(1.0)], 0.1, (0.9, 0.999)),
    "clip_grad_norm": (autograd.clip_grad_norm, [Value(1.0)], 1.0),
    "binary_cross_entropy": (autograd.binary_cross_entropy, [0.5], [1], False),
    "softmax_cross_entropy": (autograd.softmax_cross_entropy, [[1.0, 2.0]], [1]),
    "gradcheck": (autograd.gradcheck, abs, [1.0]),
    "numerical_gradient": (autograd.numerical_gradient, abs, [1.0]),
    "forward_gradient": (forward_gradient, lambda x: x * x, [1.0]),
    "record": (record, lambda x: x * x, 1.0),
    "Dual": (Dual, 1.0, 0.0),
    "make_moons": (lambda n, seed: make_moons(n, random_state=seed), 10, 0),
    "TensorMLP": (TensorMLP, 2, [2, 1]),
    "mean_squares": (mean_squares, Tensor([[1.0]]), [[1.0]]),
    "sum": (lambda axis, keep: Tensor([[1.0]]).sum(axis, keep), 0, False),
    "reshape": (lambda shape: Tensor([[1.0]]).reshape(shape), 1),
    "backward": (lambda reset: Value(1.0).backward(reset), "all"),
}


@pytest.mark.parametrize("name", CALLS)
def test_bad_arguments_raise_the_engines_own_message(name):
    function, *given = CALLS[name]
    function(*given)
    for place in range(len(given)):
        for bad in BAD:
            arguments = [*given[:place], bad, *given[place + 1 :]]
            try:
                function(*arguments)
            except (TypeError, ValueError) as fault:
                frame = fault.__traceback__
                while frame.tb_next:
                    frame = frame.tb_next
                said = f"{name}: {bad!r:.40} gave {fault!r:.200}"
                assert "autograd" in frame.tb_frame.f_code.co_filename or callable(bad) or "one argument" in said, said
                assert "truth value" not in str(fault) and "has no attribute" not in str(fault), said


@pytest.mark.parametrize(
    ("compute", "sentence"),
    [
        (lambda: Dual(-1.0).log(), "log of -1.0: log needs a positive number."),
        (lambda: Dual(-1.0).sqrt(), "sqrt of -1.0: sqrt needs a number that is not negative."),
        (lambda: Dual(math.inf).sin(), "sin of inf: sin needs a finite number."),
        (lambda: 1 / Dual(0.0), "1.0 / 0.0: division by 0 has no value."),
        (lambda: Dual(0.0) ** -1, "0.0 ** -1.0: 0 to a negative power is a division by 0."),
    ],
)
def test_dual_outside_of_domain_raises_the_message_of_value(compute, sentence):
    with pytest.raises((ValueError, ZeroDivisionError)) as caught:
        compute()
    assert str(caught.value) == sentence


def test_dual_overflows_to_infinity_like_value():
    assert Dual(800.0, 1.0).exp().value == math.inf and (Dual(10.0, 1.0) ** 400).derivative == math.inf
    assert [Dual(x, 1.0).sqrt().derivative for x in (0.0, -0.0)] == [math.inf, -math.inf]
    assert Dual(0.0).sqrt().derivative == 0.0


def test_sqrt_slope_at_minus_zero_matches_pytorch(torch):
    x = torch.tensor(-0.0, dtype=torch.float64, requires_grad=True)
    x.sqrt().backward()
    power = torch.tensor(-0.0, dtype=torch.float64, requires_grad=True)
    (power**0.5).backward()
    leaf = Value(-0.0)
    (leaf**0.5).backward()
    assert (power.grad.item(), leaf.grad) == (-math.inf, math.inf), "a difference that README names"
    for kind in (Value, Tensor):
        leaf = kind(-0.0)
        leaf.sqrt().backward()
        assert float(leaf.grad) == x.grad.item() == -math.inf
