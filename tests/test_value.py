"""`Value`, clause by clause."""

import copy
import gc
import math
import operator
import pickle
import random
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import autograd.value
from autograd import MLP, SGD, Value, sum_of_squares, topological_order, weighted_sum
from tests.ops_table import nan, same

BINARY = [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow]


def leaves(*numbers):
    """Values with labels a, b, c, …"""
    return [Value(x, label=label) for x, label in zip(numbers, "abcdefgh")]


def grads(*values):
    return [value.grad for value in values]


# Construction


def test_new_leaf():
    a = Value(2, label="a")
    assert (a.data, a.grad, a.label, a._prev, a._op, a._local) == (2.0, 0.0, "a", (), "", ())
    assert type(a.data) is float
    assert type(a.grad) is float
    assert Value(2).label == ""


def test_arguments_stand_in_the_order_learners_know():
    a = Value(2.0, (), "", "a")
    assert (a.data, a._prev, a._op, a.label) == (2.0, (), "", "a")


def test_slots_only():
    """There is no dictionary for each Value: a misspelt attribute is an error."""
    assert not hasattr(Value(1), "__dict__")
    with pytest.raises(AttributeError):
        Value(1).gradient = 3.0


def test_data_grad_and_label_can_be_set():
    a = Value(1)
    a.data, a.grad, a.label = 2.0, 3.0, "a"
    assert repr(a) == "Value(data=2.0000, grad=3.0000, label='a')"


@pytest.mark.parametrize("number", [3, 3.0, np.float64(3), np.float32(3), np.int64(3), np.array(3), np.array([[3]])])
def test_every_kind_of_real_number_becomes_a_float(number):
    assert Value(number).data == 3.0
    assert type(Value(number).data) is float


def test_fraction_is_a_real_number():
    assert Value(Fraction(1, 4)).data == 0.25


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, -0.0])
def test_ieee_numbers_are_accepted(number):
    assert same(Value(number).data, number)


def test_value_is_small():
    """Constructor, operators and functions fit in 250 lines."""
    lines = Path(autograd.value.__file__).read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 250


# What a node remembers


@pytest.mark.parametrize(
    ("function", "op", "n_inputs"),
    [
        (lambda a, b: a + b, "+", 2),
        (lambda a, b: a - b, "-", 2),
        (lambda a, b: a * b, "*", 2),
        (lambda a, b: a / b, "/", 2),
        (lambda a, b: a**b, "**", 2),
        (lambda a, b: -a, "neg", 1),
        (lambda a, b: a**2, "**2", 1),
        (lambda a, b: a**-1, "**-1", 1),
        (lambda a, b: a**0.5, "**0.5", 1),
        (lambda a, b: a.tanh(), "tanh", 1),
        (lambda a, b: a.leaky_relu(0.1), "leaky_relu", 1),
        (lambda a, b: weighted_sum([a], [b], a), "weighted_sum", 3),
    ],
)
def test_an_op_is_a_single_node(function, op, n_inputs):
    """- neg / and ** too: none of them is made of other ops."""
    a, b = leaves(2.0, 3.0)
    node = function(a, b)
    assert node._op == op
    assert node._prev == (a, b, a)[:n_inputs]
    assert len(node._local) == n_inputs
    assert node.label == ""
    assert node.grad == 0.0


def test_a_plus_a_keeps_two_inputs():
    a = Value(3)
    b = a + a
    assert b._prev == (a, a)
    assert b._local == (1.0, 1.0)
    b.backward()
    assert a.grad == 2.0


@pytest.mark.parametrize("op", BINARY[:4])
@pytest.mark.parametrize("number", [2, 2.5])
def test_a_number_operand_becomes_an_unlabelled_leaf(op, number):
    a = Value(3, label="a")
    for node, place in ((op(a, number), 1), (op(number, a), 0)):
        leaf = node._prev[place]
        assert node._prev[1 - place] is a
        assert (leaf.data, leaf.label, leaf._op, leaf._prev) == (number, "", "", ())


def test_a_number_to_a_value_has_a_leaf_and_a_value_to_a_number_has_none():
    a = Value(3)
    assert (2**a)._prev[0].data == 2.0
    assert (2**a)._prev[1] is a
    assert (a**2)._prev == (a,)


@pytest.mark.parametrize(
    ("function", "data", "grad"),
    [
        (lambda x: 2 + x, 5.0, 1.0),
        (lambda x: x + 2, 5.0, 1.0),
        (lambda x: 2 - x, -1.0, -1.0),
        (lambda x: x - 2, 1.0, 1.0),
        (lambda x: 2 * x, 6.0, 2.0),
        (lambda x: x * 2, 6.0, 2.0),
        (lambda x: 6 / x, 2.0, -6 / 9),
        (lambda x: x / 2, 1.5, 0.5),
        (lambda x: 2**x, 8.0, 8 * math.log(2)),
        (lambda x: x**2, 9.0, 6.0),
        (lambda x: -x, -3.0, -1.0),
        (lambda x: sum([x, x, x]), 9.0, 3.0),
        (lambda x: 1 / (1 + (-x).exp()), 1 / (1 + math.exp(-3)), 0.04517665973091214),
    ],
)
def test_numbers_on_either_side(function, data, grad):
    x = Value(3)
    y = function(x)
    y.backward()
    assert y.data == pytest.approx(data, rel=1e-15)
    assert x.grad == pytest.approx(grad, rel=1e-14)


def test_in_place_operators_make_new_nodes():
    a = Value(3)
    b = a
    b += 1
    b *= 2
    assert (a.data, b.data) == (3.0, 8.0)
    assert b._prev[0]._prev[0] is a


def test_weighted_sum_is_one_node():
    """Its inputs stand as weights, inputs, bias."""
    w1, w2, x1, x2, b = leaves(2.0, 3.0, 4.0, 5.0, 6.0)
    node = weighted_sum([w1, w2], [x1, x2], b)
    assert node.data == 29.0
    assert node._prev == (w1, w2, x1, x2, b)
    assert node._local == (4.0, 5.0, 2.0, 3.0, 1.0)


def test_weighted_sum_adds_the_bias_first_then_from_left_to_right():
    """These numbers give 0 in that order, 1 with the bias last, and 2 from right to left."""
    assert weighted_sum([1e16, 1, -1e16], [1, 1, 1], 1).data == 0.0


def test_weighted_sum_of_numbers_and_of_nothing():
    node = weighted_sum((2, 3.0), [4, Value(5)], 1)
    assert node.data == 24.0
    assert [leaf.data for leaf in node._prev] == [2.0, 3.0, 4.0, 5.0, 1.0]
    assert weighted_sum([], [], 7).data == 7.0


def test_weighted_sum_needs_as_many_weights_as_inputs():
    with pytest.raises(ValueError, match="as many weights as inputs, got 1 and 2"):
        weighted_sum([1], [1, 2], 0)


def test_a_node_made_by_hand_says_its_local_derivatives():
    a, b = leaves(2.0, 3.0)
    node = Value(6.0, (a, b), "*", _local=(3.0, 2.0))
    node.backward()
    assert grads(a, b) == [3.0, 2.0]
    with pytest.raises(ValueError, match="_local"):
        Value(6.0, (a, b), "*")
    with pytest.raises(ValueError, match="For a name write label="):
        Value(6.0, "six")


# The chain rule


def test_backward_of_a_leaf_changes_nothing():
    a = Value(3)
    a.grad = 2.0
    a._backward()
    assert (a.data, a.grad) == (3.0, 2.0)


def test_backward_step_adds_local_times_upstream():
    a, b = leaves(2.0, 3.0)
    c = a * b
    c.grad, a.grad = 10.0, 1.0
    c._backward()
    assert grads(a, b, c) == [1.0 + 3.0 * 10.0, 2.0 * 10.0, 10.0]


def test_backward_gives_every_node_its_gradient():
    a, b, c, f = leaves(2, -3, 10, -2)
    e = a * b
    d = e + c
    root = d * f
    root.backward()
    assert grads(a, b, c, f, e, d, root) == [6.0, -4.0, -2.0, 4.0, -2.0, -2.0, 1.0]
    assert all(type(node.grad) is float for node in topological_order(root))


def test_stale_data_does_not_corrupt():
    """Local derivatives are taken when the op runs: the gradients are those of the pass that was run."""
    a, b = leaves(2.0, 3.0)
    root = (a * b).exp() + a**2 / b + weighted_sum([a], [b], 0)
    root.backward()
    before = grads(a, b)
    a.data, b.data, a.grad, b.grad = -50.0, 0.0, 0.0, 0.0
    root.backward()
    assert grads(a, b) == before


# Resets


def some_graph():
    """x is used three times; its neighbours stand before and after it."""
    x, y = Value(0.7, label="x"), Value(-1.3, label="y")
    u = x * y
    return x, y, u, (u + x).tanh() * u


def test_two_passes_double_the_leaves_exactly():
    x, y, u, root = some_graph()
    root.backward()
    first, inner = grads(x, y), u.grad
    root.backward()
    assert grads(x, y) == [2 * g for g in first]
    assert (u.grad, root.grad) == (inner, 1.0)


def test_two_losses_that_share_nodes_give_the_sum():
    def losses():
        x, y = Value(0.7), Value(-1.3)
        shared = (x * y).exp()
        return x, y, shared * x, shared**2

    x, y, first, second = losses()
    first.backward()
    second.backward()
    p, q, alone, _ = losses()
    alone.backward()
    r, s, _, other = losses()
    other.backward()
    assert grads(x, y) == [p.grad + r.grad, q.grad + s.grad]


def test_all_sets_the_leaves_anew():
    x, y, _, root = some_graph()
    root.backward(reset="all")
    first = grads(x, y)
    root.backward(reset="all")
    assert grads(x, y) == first


@pytest.mark.parametrize("k", [0, 1, 2, 5, 10])
def test_nothing_gives_k_plus_2_times_the_gradient(k):
    """With k nodes between leaf and root, old grads flow on: the second pass leaves (k + 2) times the gradient."""
    x = Value(3.0)
    root = x * 2
    for _ in range(k):
        root = root * 2
    root.backward(reset="nothing")
    once = x.grad
    root.backward(reset="nothing")
    assert once == 2.0 ** (k + 1)
    assert x.grad == (k + 2) * once


def test_nothing_sets_the_root_to_1_and_keeps_every_other_grad():
    x = Value(3.0)
    root = x * 2
    root.grad, x.grad = 100.0, 5.0
    root.backward(reset="nothing")
    assert (root.grad, x.grad) == (1.0, 5.0 + 2.0)


@pytest.mark.parametrize(("reset", "expected"), [("intermediates", 2.0), ("all", 1.0), ("nothing", 1.0)])
def test_a_root_that_is_a_leaf(reset, expected):
    """A leaf's own 1 adds up over passes, as in PyTorch, except where the policy sets it anew."""
    x = Value(3.0)
    x.backward(reset)
    x.backward(reset)
    assert x.grad == expected


def test_unreached_values_keep_their_grads():
    x, other = leaves(3.0, 4.0)
    other.grad = 7.0
    _ = x * other
    (x * 2).backward(reset="all")
    assert other.grad == 7.0


@pytest.mark.parametrize("reset", ["leaves", "", None, True])
def test_invalid_reset_is_refused_and_changes_nothing(reset):
    x, _, u, root = some_graph()
    root.backward()
    before = grads(x, u, root)
    with pytest.raises(ValueError, match='reset is "intermediates", "all" or "nothing", got'):
        root.backward(reset)
    assert grads(x, u, root) == before


# No cycles, any depth


def live_values():
    return sum(type(thing) is Value for thing in gc.get_objects())


@pytest.fixture
def no_collector():
    """The cycle collector is off, and has left nothing to do."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def test_a_graph_is_freed_as_soon_as_its_root_is_dropped(no_collector):
    """By reference counts alone: with the cycle collector off, and nothing for it to find afterwards."""
    before = live_values()
    net = MLP(2, [4, 1], every_op=True)
    loss = sum_of_squares([net(x) for x in ([0, 1], [1, 1])], [0, 1])
    loss.backward()
    assert live_values() > before + 50
    del net, loss
    assert live_values() == before
    assert gc.collect() == 0


def test_a_million_ops(no_collector):
    """A chain is built, sorted, run backward, yields its steps and is freed, without recursion."""
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


# Identity, printing, conversion


def test_equality_and_hash_are_identity():
    a, b = Value(2), Value(2)
    assert a == a
    assert a != b
    assert len({a, b, a}) == 2
    assert hash(a) != hash(b)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Value(2.0), "Value(data=2.0000, grad=0.0000)"),
        (Value(-0.5, label="w1"), "Value(data=-0.5000, grad=0.0000, label='w1')"),
        (Value(1e-8), "Value(data=1.000e-08, grad=0.0000)"),
        (Value(2_359_296), "Value(data=2.359e+06, grad=0.0000)"),
        (Value(math.inf), "Value(data=inf, grad=0.0000)"),
        (Value(-0.0), "Value(data=0.0000, grad=0.0000)"),
    ],
)
def test_repr(value, text):
    assert repr(value) == text


def test_float_of_a_value():
    assert float(Value(2.5)) == 2.5
    assert math.floor(float(Value(2) * 3)) == 6


def test_float_after_data_was_set_to_an_int():
    a = Value(2.5)
    a.data = 3
    assert type(float(a)) is float
    assert float(a) == 3.0


@pytest.mark.parametrize("op", BINARY)
@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64, np.array])
def test_numpy_scalars_stay_values_on_either_side(op, kind):
    """Never an array of objects."""
    for node in (op(kind(2), Value(3)), op(Value(2), kind(3))):
        assert type(node) is Value
        assert type(node.data) is float
        assert node.data == op(2.0, 3.0)


# What is refused, each in its own sentence

ARRAY = "Make one Value for each number: [Value(x) for x in array]."
NUMBERS = "Make one Value for each number: [Value(x) for x in numbers]."
WRITE = "Write 1.0 or 0.0 if you mean a number."
REAL = "This engine works with real numbers: pass the real part, or the absolute value."

NOT_NUMBERS = [
    ("hello", "the str 'hello'. Convert it first, as in float('3')."),
    (b"3", "the bytes b'3'. Convert it first, as in float('3')."),
    (None, "None. A function without a return statement gives None: did one come before?"),
    (1 + 2j, f"the complex (1+2j). {REAL}"),
    (np.complex128(1 + 2j), f"the complex128 np.complex128(1+2j). {REAL}"),
    ([1, 2, 3], f"a list of 3. {NUMBERS}"),
    ((1,), f"a tuple of 1. {NUMBERS}"),
    ({}, "a dict of 0. Pass an int or a float."),
    (np.array([1.0, 2.0]), f"an ndarray of shape (2,). {ARRAY}"),
    (np.array([]), f"an ndarray of shape (0,). {ARRAY}"),
    (True, f"the bool True. {WRITE}"),
    (np.False_, f"the bool False. {WRITE}"),
    (np.array("3"), "the str '3'. Convert it first, as in float('3')."),
    (object(), "an object. Pass an int or a float."),
]

refused = pytest.mark.parametrize(
    ("thing", "sentence"), NOT_NUMBERS, ids=[text.split(".")[0] for _, text in NOT_NUMBERS]
)


@refused
def test_leaf_refuses(thing, sentence):
    with pytest.raises(TypeError) as caught:
        Value(thing)
    assert str(caught.value) == f"a Value needs a real number, got {sentence}"


@refused
@pytest.mark.parametrize("op", BINARY[:4])
def test_operand_refuses(op, thing, sentence):
    for operands in ((Value(3), thing), (thing, Value(3))):
        with pytest.raises(TypeError) as caught:
            op(*operands)
        assert str(caught.value) == f"a Value needs a real number, got {sentence}"


@refused
def test_exponent_and_base_refuse(thing, sentence):
    with pytest.raises(TypeError) as caught:
        Value(3) ** thing
    assert str(caught.value) == f"an exponent needs a real number, got {sentence}"
    with pytest.raises(TypeError) as caught:
        thing ** Value(3)
    assert str(caught.value) == f"a Value needs a real number, got {sentence}"


@refused
def test_slope_refuses(thing, sentence):
    with pytest.raises(TypeError) as caught:
        Value(3).leaky_relu(thing)
    assert str(caught.value) == f"leaky_relu's slope needs a real number, got {sentence}"


def test_value_of_a_value_is_refused():
    with pytest.raises(TypeError, match=r"got a Value\. It is a Value already: use it as it is"):
        Value(Value(1))


def test_a_long_string_is_cut_in_the_message():
    with pytest.raises(TypeError) as caught:
        Value("x" * 10_000)
    assert len(str(caught.value)) < 150


def test_an_int_too_large_for_a_float_is_refused():
    with pytest.raises(ValueError, match="an int of 401 digits is too large"):
        Value(10**400)
    with pytest.raises(ValueError, match="an exponent holds a float"):
        Value(2) ** 10**400


def test_torch_tensors(torch):
    """A tensor of one number is that number; one of more is refused."""
    assert Value(torch.tensor(2.5)).data == 2.5
    with pytest.raises(TypeError, match=r"got a Tensor of shape \(2,\)\. .* in tensor\.data\.tolist\(\)"):
        Value(torch.tensor([1.0, 2.0]))


def test_a_domain_error_without_a_label_still_names_op_and_number():
    with pytest.raises(ValueError, match=r"^log of -1\.0: log needs a positive number\.$"):
        Value(-1).log()
    with pytest.raises(ZeroDivisionError, match=r"^\(1\.0\) / \(0\.0\): division by 0 has no value\.$"):
        1 / Value(0)


@pytest.mark.parametrize(
    ("function", "result"),
    [
        (lambda x: x.exp(), math.inf),
        (lambda x: x**200, math.inf),
        (lambda x: (-x) ** 201, -math.inf),
        (lambda x: x ** Value(200), math.inf),
        (lambda x: x**100 * x**100, math.inf),
        (lambda x: x**100 / x**-100, math.inf),
        (lambda x: (x**200) - (x**200), nan),
    ],
)
def test_overflow_gives_inf_as_in_ieee(function, result):
    x = Value(1000.0)
    y = function(x)
    assert same(y.data, result)
    y.backward()  # and no error on the way back
    assert not math.isfinite(x.grad)


# Copies


def trained():
    net = MLP(2, [3, 1], rng=random.Random(1))
    optimizer = SGD(net.parameters(), lr=0.1)
    for _ in range(5):
        optimizer.zero_grad()
        sum_of_squares([net([0, 1]), net([1, 1])], [1, 0]).backward()
        optimizer.step()
    return net


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda net: pickle.loads(pickle.dumps(net))])
def test_a_trained_mlp_can_be_copied_and_pickled(duplicate):
    net = trained()
    other = duplicate(net)
    assert other([0.3, -2]).data == net([0.3, -2]).data
    assert [repr(p) for p in other.parameters()] == [repr(p) for p in net.parameters()]
    assert not set(other.parameters()) & set(net.parameters())
    net.parameters()[0].data += 1
    assert other([0.3, -2]).data != net([0.3, -2]).data


def test_a_graph_can_be_copied():
    """A copied graph is a graph of its own."""
    x, _, _, root = some_graph()
    twin = copy.deepcopy(root)
    twin.backward()
    assert x.grad == 0.0
    assert [node.data for node in topological_order(twin)] == [node.data for node in topological_order(root)]


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda root: pickle.loads(pickle.dumps(root))])
def test_a_graph_of_100_000_nodes_can_be_copied_and_pickled(duplicate):
    x = Value(0.5, label="x")
    node = x
    for _ in range(50_000):
        node = (node * 1.0).tanh()
    twin = duplicate(node)
    twin.backward()
    order = topological_order(twin)
    assert len(order) == 150_001 and x.grad == 0.0
    assert [(n.data, n._op, n._local) for n in order] == [(n.data, n._op, n._local) for n in topological_order(node)]
    assert sum(n.label == "x" for n in order) == 1


def test_what_is_copied_together_stays_together():
    x, _, _, root = some_graph()
    twin_x, twin_root, twin_inner = copy.deepcopy([x, root, root._prev[0]])
    assert twin_x in topological_order(twin_root) and twin_root._prev[0] is twin_inner
    twin_x, twin_root = pickle.loads(pickle.dumps([x, root]))
    assert twin_x in topological_order(twin_root)


def test_a_copy_keeps_the_class_and_the_attributes_of_a_subclass():
    class Noted(Value):
        pass

    note = Noted(2.0) * 3
    note = Noted(note.data, note._prev, note._op, "n", note._local)
    note.seen = ["here"]
    twin = copy.deepcopy(note)
    assert (
        type(twin) is Noted and twin.seen == ["here"] and type(twin._prev[0]) is Noted and twin._prev is not note._prev
    )


@pytest.mark.parametrize("reset", ["intermediates", "all", "nothing"])
def test_a_pass_that_fails_leaves_every_grad_as_it_was(reset):
    x = Value(2.0)
    inner = x * 3
    root = inner.exp()
    root.backward()
    before = [node.grad for node in (x, inner, root)]
    inner._local = ("no number", 2.0)
    with pytest.raises(TypeError):
        root.backward(reset)
    assert [node.grad for node in (x, inner, root)] == before


@pytest.mark.parametrize(
    ("weights", "inputs", "sentence"),
    [
        (1, 2, "weights come as a list, got an int. One alone stands in brackets: [x]."),
        ([1], Value(2), "inputs come as a list, got a Value. One alone stands in brackets: [x]."),
        (None, [1], "weights come as a list, got None. A function without a return statement gives None"),
    ],
)
def test_a_weighted_sum_of_what_is_no_list_gets_a_sentence(weights, inputs, sentence):
    with pytest.raises(TypeError) as caught:
        weighted_sum(weights, inputs, 0)
    assert str(caught.value).startswith(sentence)


def test_a_weighted_sum_takes_what_can_be_listed():
    assert weighted_sum((x for x in (1, 2)), np.array([3.0, 4.0]), 5).data == 16.0
