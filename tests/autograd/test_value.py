"""`Value`, clause by clause. What it computes: op by op in test_ops.py, on every graph in test_properties.py."""

import copy
import gc
import math
import operator
import pickle
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import autograd.value
from autograd import Dual, Value, topological_order, weighted_sum
from tests.approved_calls import check_approved_calls
from tests.ops_table import is_same_float

BINARY = [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow]
RESETS = ("intermediates", "all", "nothing")
NO_NUMBERS = [
    *("hello", b"3", None, 1 + 2j, np.complex128(1 + 2j), [1, 2, 3], (1,), {}, np.array([1.0, 2.0]), np.array([])),
    *(True, np.False_, np.array("3"), object()),
]


def grads(*values):
    return [value.grad for value in values]


# The attributes of a node


def test_new_leaf_attributes():
    for a in (Value(2, label="a"), Value(2.0, (), "", "a")):
        assert (a.data, a.grad, a.label, a._prev, a._op, a._local) == (2.0, 0.0, "a", (), "", ())
        assert type(a.data) is type(a.grad) is float and a == a != Value(2) and len({a, Value(2), a}) == 2
    with pytest.raises(AttributeError):
        a.gradient = 3.0
    a.data, a.grad = 3, 4.0
    assert repr(a) == "Value(data=3.0000, grad=4.0000, label='a')"
    assert type(float(a)) is float and float(a) == 3.0
    assert len(Path(autograd.value.__file__).read_text(encoding="utf-8").splitlines()) <= 250, "Value is small"


@pytest.mark.parametrize(
    "number",
    [
        *(3, 3.0, np.float64(3), np.float32(3), np.int64(3), np.array(3), np.array([[3]]), Fraction(1, 4)),
        *(math.nan, math.inf, -math.inf, -0.0),
    ],
)
def test_any_real_number_becomes_a_float(number):
    assert type(Value(number).data) is float
    assert is_same_float(Value(number).data, float(np.squeeze(number)))


@pytest.mark.parametrize("op", BINARY)
@pytest.mark.parametrize("kind", [int, float, np.float64, np.float32, np.int64, np.array])
def test_number_on_either_side_is_a_constant(op, kind):
    """It never becomes an array of objects, but an unlabelled leaf, except as an exponent."""
    for place in (0, 1):
        a, numbers, values = Value(3, label="a"), [kind(2), kind(2)], [Value(2), Value(2)]
        numbers[place], values[place] = a, Value(3)
        node, expected = op(*numbers), op(*values)
        assert type(node) is Value and type(node.data) is float and node.data == expected.data
        node.backward()
        expected.backward()
        assert a.grad == pytest.approx(values[place].grad, rel=1e-14)
        inputs = [(x.data, x.label, x._op, x._prev) for x in node._prev if x is not a]
        assert inputs == [(2.0, "", "", ())] * (op is not operator.pow or place == 1)
        numbers[place] = Dual(3, 1)
        dual = op(*numbers)
        assert type(dual) is Dual and (dual.value, dual.derivative) == pytest.approx((node.data, a.grad))


def test_sums_and_weighted_sums():
    a = b = Value(3)
    assert (a + a)._prev == (a, a) and sum([a, a, a]).data == 9.0
    b += 1
    b *= 2
    assert (a.data, b.data) == (3.0, 8.0) and b._prev[0]._prev[0] is a
    node = weighted_sum((2, 3.0), [4, Value(5)], 1)
    assert node.data == 24.0 and [leaf.data for leaf in node._prev] == [2.0, 3.0, 4.0, 5.0, 1.0]
    assert weighted_sum([], [], 7).data == 7.0
    assert weighted_sum((x for x in (1, 2)), np.array([3.0, 4.0]), 5).data == 16.0
    in_order = weighted_sum([1e16, 1, -1e16], [1, 1, 1], 1)  # 1 with the bias last, 2 from right to left
    assert in_order.data == 0.0


def test_local_derivatives_are_stored_when_the_op_runs():
    """A step adds local times upstream, for a leaf nothing. Stale data does no harm: the pass is that of the run."""
    a, b = Value(2.0), Value(3.0)
    c = Value(6.0, (a, b), "*", _local=(3.0, 2.0))  # made by hand
    c.grad, a.grad = 10.0, 1.0
    c._backward()
    a._backward()
    assert grads(a, b, c) == [1.0 + 3.0 * 10.0, 2.0 * 10.0, 10.0] and a.data == 2.0
    root = (a * b).exp() + a**2 / b + weighted_sum([a], [b], 0)
    root.backward("all")
    before = grads(a, b)
    a.data, b.data = -50.0, 0.0
    root.backward("all")
    assert grads(a, b) == before


# Resets


@pytest.mark.parametrize("k", [0, 1, 2, 5, 10])
def test_reset_nothing_gives_k_plus_2_times_the_gradient(k):
    """With k nodes between leaf and root, old grads flow on: the second pass leaves (k + 2) times the gradient."""
    x = Value(3.0)
    root = x * 2
    for _ in range(k):
        root = root * 2
    root.grad = 100.0
    root.backward(reset="nothing")
    assert (root.grad, x.grad) == (1.0, 2.0 ** (k + 1))
    root.backward(reset="nothing")
    assert x.grad == (k + 2) * 2.0 ** (k + 1)


@pytest.mark.parametrize(("reset", "expected"), [("intermediates", 2.0), ("all", 1.0), ("nothing", 1.0)])
def test_backward_from_a_leaf(reset, expected):
    """A leaf's own 1 adds up over passes, as in PyTorch, unless the policy clears it. Others keep theirs."""
    x, other = Value(3.0), Value(4.0)
    other.grad = 7.0
    _ = x * other
    x.backward(reset)
    x.backward(reset)
    assert grads(x, other) == [expected, 7.0]


@pytest.mark.parametrize("reset", [*RESETS, "leaves", "", None, True])
def test_failed_backward_leaves_every_grad_unchanged(reset):
    x = Value(0.7)
    u = x * -1.3
    root = (u + x).tanh() * u
    root.backward()
    before = grads(x, u, root)
    u._local = ("no number", 2.0)
    with pytest.raises(TypeError if reset in RESETS else ValueError):
        root.backward(reset)
    assert grads(x, u, root) == before


def live_values():
    return sum(type(thing) is Value for thing in gc.get_objects())


@pytest.mark.long
def test_a_million_ops():
    """A chain is built, sorted, run backward, yields its steps and is freed, without recursion or collector."""
    gc.collect()
    gc.disable()
    try:
        n, before = 1_000_000, live_values()
        x = root = Value(1.0)
        for _ in range(n):
            root = -root
        root.backward()
        assert x.grad == 1.0
        assert len(topological_order(root)) == n + 1
        assert sum(1 for _ in autograd.forward_steps(root)) == n
        assert sum(1 for _ in autograd.backward_steps(root)) == n + 1
        del root
        assert live_values() == before + 1
        assert gc.collect() == 0
    finally:
        gc.enable()


# Errors and printing


def test_value_messages():
    check_approved_calls("value_sentences")


@pytest.mark.parametrize("thing", NO_NUMBERS, ids=lambda thing: type(thing).__name__)
def test_non_numbers_raise_the_same_message_everywhere(thing):
    with pytest.raises(TypeError, match=r"^a Value needs a real number, got ") as refused:
        Value(thing)
    calls = [("a Dual", Dual, thing), ("an exponent", operator.pow, Value(3), thing)]
    calls += [("leaky_relu's slope", Value.leaky_relu, Value(3), thing)]
    for kind in (Value, Dual):
        calls += [(f"a {kind.__name__}", op, thing, kind(3)) for op in BINARY]
        calls += [(f"a {kind.__name__}", op, kind(3), thing) for op in BINARY[:-1]]
    for user, call, *given in calls:
        with pytest.raises(TypeError) as caught:
            call(*given)
        assert str(caught.value) == str(refused.value).replace("a Value", user, 1)


def test_value_accepts_scalar_torch_tensors_only(torch):
    assert Value(torch.tensor(2.5)).data == 2.5
    with pytest.raises(TypeError, match=r"got a Tensor of shape \(2,\)\. .* in tensor\.data\.tolist\(\)"):
        Value(torch.tensor([1.0, 2.0]))


# Copies


@pytest.mark.long
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))])
def test_large_graphs_copy_and_pickle(duplicate):
    x = node = Value(0.5, label="x")
    for _ in range(50_000):
        node = (node * 1.0).tanh()
    twin = duplicate(node)
    twin.backward()
    order = topological_order(twin)
    assert len(order) == 150_001 and x.grad == 0.0
    assert [(n.data, n._op, n._local) for n in order] == [(n.data, n._op, n._local) for n in topological_order(node)]
    assert sum(n.label == "x" for n in order) == 1


class Noted(Value):
    """A learner's own class."""


def test_nodes_copied_together_stay_connected():
    x = Noted(2.0)
    note = Noted(6.0, (x, Value(3.0)), "*", "n", (3.0, 2.0))
    note.seen = ["here"]
    root = note.tanh()
    twin_x, twin_root, twin = copy.deepcopy([x, root, note])
    assert topological_order(twin_root)[0] is twin_x and twin_root._prev[0] is twin
    assert type(twin) is type(twin_x) is Noted and twin.seen == ["here"] and twin.label == "n"
    twin_x, twin_root = pickle.loads(pickle.dumps([x, root]))
    assert topological_order(twin_root)[0] is twin_x


def test_overflowing_power_keeps_its_sign():
    assert [(Value(-10.0) ** n).data for n in (401, 402)] == [-math.inf, math.inf]
