"""`Tensor` against nudging, PyTorch and the scalar engine; its life; its messages. Op by op: test_ops.py."""

import copy
import gc
import math
import operator
import pickle
import warnings
import weakref
from functools import partial

import hypothesis.extra.numpy as arrays
import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from autograd import Value, check_gradients, hinge, softmax_cross_entropy, topological_order
from autograd.tensor import Tensor
from tests.approved_calls import check_approved_calls
from tests.array_oracles import by_pytorch, compare, gradients, nudged, numbers
from tests.ops_table import ON_TENSORS, is_same_float

QUICK = settings(max_examples=60, deadline=None)
ELEMENTWISE = (operator.add, operator.sub, operator.mul, operator.truediv, operator.pow)
RESETS = ("intermediates", "all", "nothing")


def ones(*shape):
    return Tensor(np.ones(shape))


@pytest.fixture(scope="module", params=["nudging", "PyTorch"])
def check(request):
    """Run `compare` with each of the two oracles."""
    if request.param == "nudging":
        return partial(compare, nudged, 1e-7)
    return partial(compare, partial(by_pytorch, request.getfixturevalue("torch")), 1e-12)


# Broadcasting, matrix products, sums and arrangements, in random shapes.


@QUICK
@given(arrays.mutually_broadcastable_shapes(num_shapes=2, max_dims=4, max_side=3), st.sampled_from(ELEMENTWISE))
def test_broadcasting(check, shapes, op):
    check(op, *[numbers(shape, 0.5, 2.0, seed=k) for k, shape in enumerate(shapes.input_shapes)])


@QUICK
@given(arrays.mutually_broadcastable_shapes(signature="(m?,n),(n,p?)->(m?,p?)", max_dims=2, max_side=3))
def test_matrix_products(check, shapes):
    check(operator.matmul, *[numbers(shape, seed=k) for k, shape in enumerate(shapes.input_shapes)])


@QUICK
@given(st.data())
def test_sum_and_mean_over_axes(check, data):
    shape = data.draw(arrays.array_shapes(min_dims=1, max_dims=4, max_side=3))
    axis = data.draw(st.none() | st.integers(-len(shape), len(shape) - 1) | arrays.valid_tuple_axes(len(shape)))
    if axis == ():
        axis = None  # PyTorch takes no axes for all of them; NumPy, and a Tensor, for none
    keep, name = data.draw(st.booleans()), data.draw(st.sampled_from(["sum", "mean"]))
    every = tuple(range(len(shape))) if axis is None else axis
    check(
        lambda t: getattr(t, name)(axis, keepdims=keep),
        numbers(shape),
        other=lambda torch, t: getattr(t, name)(every, keepdim=keep),
    )


@QUICK
@given(arrays.array_shapes(min_dims=0, max_dims=4, max_side=3))
def test_reshape_and_transpose(check, shape):
    x = numbers(shape)
    row = np.arange(x.size)
    check(lambda t: t.reshape(-1) * row, x, other=lambda torch, t: t.reshape(-1) * torch.tensor(row))
    check(lambda t: t.T, x, other=lambda torch, t: t.permute(tuple(range(len(shape)))[::-1]))
    check(lambda t: t.reshape((1, x.size, 1)), x)


@pytest.mark.parametrize(
    "rows",
    [
        *(1, -1, slice(1, 3), slice(None, None, 2), [0, 2, 2, 2], np.array([[0, 1], [1, 1]]), (1, 2)),
        *(([0, 0, 3], [2, 2, 1]), ..., numbers((4, 3)) > 0, np.array([True, False, False, True])),
    ],
    ids=str,
)
def test_indexing(rows, check):
    check(lambda t: t[rows], numbers((4, 3)))


ROWS = {"softmax": lambda torch, t: t.softmax(-1), "normalise": lambda torch, t: normalised(torch, t)}


def normalised(torch, t):
    """Run PyTorch's layer normalisation, without gain and bias, and with its default epsilon."""
    return torch.nn.functional.layer_norm(t, t.shape[-1:])


@QUICK
@given(arrays.array_shapes(min_dims=1, max_dims=3, max_side=5))
@pytest.mark.parametrize("name", ROWS)
def test_softmax_and_normalise_along_rows(name, check, shape):
    check(operator.methodcaller(name), numbers(shape, -3, 3), other=ROWS[name])


def test_softmax_and_normalise_edge_cases():
    """Scores that are masked or would overflow; a row of equal numbers, whose spread is only the epsilon."""
    p = Tensor([[800.0, 799.0, -math.inf], [-900.0, -math.inf, -math.inf]]).softmax()
    np.testing.assert_allclose(p.data, [[1 / (1 + math.exp(-1)), 1 / (1 + math.e), 0], [1, 0, 0]], rtol=1e-15)
    p.sum().backward()
    assert np.abs(p._prev[0].grad).max() < 1e-16  # each row's sum stays 1, whatever the scores are
    assert Tensor([[2.0, 2.0]]).normalise().data.tolist() == [[0.0, 0.0]]
    compare(nudged, 1e-5, lambda t: t.normalise(0.5), [[1.0, 3.0, -2.0], [7.0, 7.0, 7.0]])
    x = Tensor([[1.0, 3.0]]).normalise(3.0)
    assert x.data.tolist() == [[-0.5, 0.5]] and x._constants == (3.0,)  # the variance is 1: √(1 + 3) = 2
    assert check_gradients((x * [[1.0, 5.0]]).sum() + Tensor([[1.0, 3.0]], label="z").softmax()[0, 1])


LOSSES = {  # scores, targets, the loss of Values and PyTorch's
    "softmax_cross_entropy": (
        *(numbers((5, 3), -3, 3), [0, 2, 1, 1, 0], softmax_cross_entropy),
        lambda torch, t, targets: torch.nn.functional.cross_entropy(t, targets),
    ),
    "hinge": (
        *(numbers((6, 1), -3, 3), [[1], [-1], [-1], [1], [1], [-1]], hinge),
        lambda torch, t, targets: (1 - targets * t).relu().mean(),
    ),
}


@pytest.mark.parametrize("name", LOSSES)
def test_tensor_losses(name, check):
    """Logits of ±1000 do not overflow; a margin of exactly 0 has no slope, as in relu."""
    scores, targets, scalar, other = LOSSES[name]
    loss = operator.methodcaller(name, targets)
    check(loss, scores, other=lambda torch, t: other(torch, t, torch.tensor(targets)))
    values, tensor = [[Value(z) for z in row] for row in scores.tolist()], Tensor(scores)
    expected, root = scalar(values, targets), loss(tensor)
    expected.backward()
    root.backward()
    assert float(root) == pytest.approx(expected.data, rel=1e-12)
    np.testing.assert_allclose(tensor.grad, [[z.grad for z in row] for row in values], rtol=1e-12, atol=1e-14)
    assert float(Tensor([[1000.0, -1000.0]]).softmax_cross_entropy([1])) == 2000.0
    at_the_kink = Tensor([1.0, -1.0])
    at_the_kink.hinge([1, -1]).backward()
    assert at_the_kink.grad.tolist() == [0.0, 0.0]


# The life of a Tensor: the same contract as a Value's.


def shared(a, b, d):
    c = a + b
    return (c * d + c * c.tanh()) / (b * b + 1)


@pytest.mark.parametrize("reset", RESETS)
def test_tensor_reset_matches_the_scalar_engine(reset):
    values, tensors = [Value(x) for x in (3.0, 2.0, 1.0)], [Tensor(x) for x in (3.0, 2.0, 1.0)]
    scalar, root = shared(*values), shared(*tensors)
    others = scalar * values[0], root * tensors[0]
    orders = [topological_order(other) for other in others]
    for each in (scalar, root, values[2], tensors[2], *others) * 3:
        each.backward(reset)
        if isinstance(each, Tensor):
            for value, tensor in zip(*orders, strict=True):
                assert value._op == tensor._op and float(tensor.grad) == pytest.approx(value.grad, rel=1e-14)


def test_backward_accepts_a_gradient_for_non_scalar_roots():
    """The same as backward from (root · gradient).sum(), and a leaf adds up over passes, to the last digit."""
    w, v = Tensor(numbers((5, 4), seed=1)), Tensor(numbers((4, 3), seed=2))
    loss = ((w @ v).tanh() ** 2 + w @ v).mean()
    loss.backward()
    once = v.grad
    loss.backward()
    assert (v.grad == 2 * once).all() and (w.grad != 0).all()
    x, y = Tensor([1.0, 2.0, 3.0]), Tensor([1.0, 2.0, 3.0])
    x.exp().backward(gradient=[1.0, 0.0, -2.0])
    (y.exp() * [1.0, 0.0, -2.0]).sum().backward()
    assert x.grad.tolist() == y.grad.tolist()
    x.backward(gradient=np.ones(3))
    np.testing.assert_allclose(x.grad, y.grad + 1)
    one = Tensor([[5.0]])
    (one * 3).backward()  # one number, of whatever shape, needs none
    assert one.grad.tolist() == [[3.0]]


def test_grads_match_data_shape_and_share_no_memory():
    """Clipping one in place must not change another. A leaf's own step does nothing."""
    x, w, a, b = (Tensor(numbers(shape)) for shape in ((5, 4), (4,), (5,), (5,)))
    product = x @ w
    z = product + (a + b)
    loss = z.sum()
    x._backward()
    assert x._prev == () and x._op == "" and x == x and len({x, w, Tensor(1.0)}) == 3
    for node in topological_order(loss):
        assert node.grad.shape == node.data.shape and not node.grad.any()
    loss.backward()
    for node in topological_order(loss):
        assert node.grad.shape == node.data.shape and node.grad.dtype == node.data.dtype == np.float64
    b.grad *= 100
    assert product.grad.tolist() == a.grad.tolist() == z.grad.tolist() == [1.0] * 5


ARRANGED = {
    "matrices": lambda a, b: a @ b,
    "a vector": lambda a, b: a @ b[0],
    "T": lambda a, b: a.T @ b,
    "reshape": lambda a, b: a.reshape(2, 2) * b.T,
    "rows": lambda a, b: a[[0, 0]] * b[0:1],
    "hinge": lambda a, b: (a * b).hinge([[1, -1], [1, -1]]),
    "cross-entropy": lambda a, b: (a * b).softmax_cross_entropy([0, 1]),
    "softmax": lambda a, b: a.softmax() + b.normalise(),
}


@pytest.mark.parametrize("change", ["assign", "in place"])
@pytest.mark.parametrize("name", [*ON_TENSORS, *ARRANGED], ids=str)
def test_changing_a_leaf_does_not_corrupt_the_graph(name, change):
    """VJPs keep the numbers that the op saw."""
    f, arity = (ARRANGED[name], 2) if name in ARRANGED else (name.function, name.arity)
    inputs = [numbers((2, 2), 0.5, 2.0, seed=k) for k in range(arity)]
    value, upstream, expected = gradients(f, inputs)
    leaves = [Tensor(x) for x in inputs]
    root = f(*leaves)
    for leaf in leaves:
        if change == "assign":
            leaf.data = leaf.data * 100
        else:
            leaf.data -= 7.0
    root.backward(gradient=upstream)
    assert (root.data == value).all()
    assert [
        (leaf, gradient) for leaf, gradient in zip(leaves, expected, strict=True) if not (leaf.grad == gradient).all()
    ] == []


def test_tensor_copies_given_data_and_indices():
    given, rows = np.array([1.0, 2.0, 3.0]), [0, 0]
    x = Tensor(given)
    y = x[rows]
    given[0], rows[1] = 99.0, 2
    y.sum().backward()
    assert x.data.tolist() == [1.0, 2.0, 3.0] and x.grad.tolist() == [2.0, 0.0, 0.0]


def test_tensor_graph_is_freed_by_reference_counting():
    """Dropping the root drops every node and every array that a VJP holds; gc.collect() then finds nothing."""
    gc.collect()
    gc.disable()
    try:
        x, w = Tensor(numbers((6, 4), 0.5, 2)), Tensor(numbers((4, 3), 0.5, 2))
        h = x @ w + 1
        everything = [
            *(h.exp().log(), h.tanh().sigmoid(), h.relu() * h.leaky_relu(), h**2 / h, 2**h, -h.T.reshape(3, 6).T),
            *(h.mean(axis=0) - h.sum(axis=1, keepdims=True), h[[0, 0]] @ h[0], h @ h.T),
            h.softmax() + h.normalise(),
            h.softmax_cross_entropy([0] * 6) + h.hinge(np.ones(h.shape)),
        ]
        loss = sum((root.sum() for root in everything), Tensor(0.0))
        loss.backward()
        inner = [weakref.ref(node.data) for node in topological_order(loss) if node._prev]
        assert len(inner) > 30 and [array for array in inner if array() is None] == []
        del h, everything, loss
        assert [array for array in inner if array() is not None] == []
        assert gc.collect() == 0
    finally:
        gc.enable()


@pytest.mark.long
def test_tensor_pickles_and_deep_graphs_copy():
    x = y = Tensor([1.0, 2.0], label="x")
    for _ in range(20_000):
        y = y * 1.00001
    root = y.sum()
    twin = copy.deepcopy(root)
    twin_x = topological_order(twin)[0]
    root.backward()
    np.testing.assert_allclose(x.grad, 1.00001**20_000, rtol=1e-9)
    assert not twin_x.grad.any() and twin_x.data is not x.data
    twin.backward()
    for other in (twin_x, pickle.loads(pickle.dumps(x)), copy.deepcopy(x)):
        assert (other.data == x.data).all() and (other.grad == x.grad).all() and other.label == "x"
    del root, twin, y


# Inputs and outputs.


@pytest.mark.parametrize("op", ELEMENTWISE)
@pytest.mark.parametrize(
    "other", [2, 2.5, np.float64(3), np.int32(2), np.array([1.0, 2.0]), np.ones((3, 1)), [1.0, 3.0]], ids=repr
)
def test_tensor_accepts_numbers_and_arrays_on_either_side(op, other):
    x, numbers_of_x = Tensor([2.0, 5.0]), np.array([2.0, 5.0])
    for result, expected in [
        (op(x, other), op(numbers_of_x, other)),
        (op(other, x), op(np.asarray(other, float), numbers_of_x)),
    ]:
        assert type(result) is Tensor and result.data.dtype == float
        np.testing.assert_allclose(result.data, expected, rtol=1e-15)
    product = np.ones((3, 2)) @ x
    product.sum().backward()
    assert product.data.tolist() == [7.0, 7.0, 7.0] and x.grad.tolist() == [3.0, 3.0]


@pytest.mark.parametrize(
    "data", [3, 3.5, [1, 2], [[1, 2.5]], (1, 2), np.float32(2), np.arange(3), 10**30, [10**30], [[]]]
)
def test_tensor_data_is_a_float64_array(data):
    x = Tensor(data)
    assert isinstance(x.data, np.ndarray) and x.data.dtype == np.float64
    assert x.data.tolist() == np.array(data, dtype=float).tolist()
    assert isinstance((x + 1).sum().data, np.ndarray)


@pytest.mark.parametrize(
    ("compute", "expected"),
    [
        (lambda: Tensor([[1e200]]) @ Tensor([1e200]), math.inf),
        (lambda: Tensor([1e308, 1e308]).sum(), math.inf),
        (lambda: Tensor([1e308, 1e308]).mean(), math.inf),
        (lambda: Tensor([math.inf, -math.inf]).sum(), math.nan),
        (lambda: Tensor([[math.inf, 1.0]]).softmax_cross_entropy([0]), math.nan),
        (lambda: Tensor([-math.inf]).leaky_relu(0.0), math.nan),
        (lambda: Tensor([]).mean(), math.nan),
        (lambda: Tensor([]).sum() + Tensor(np.zeros((3, 0))).mean(axis=0).sum(), 0.0),
    ],
)
def test_overflow_gives_inf_or_nan_and_no_warning(compute, expected):
    with warnings.catch_warnings(), np.errstate(all="warn", under="ignore"):
        warnings.simplefilter("error")
        root = compute()
        root.sum().backward()
        assert is_same_float(float(root), expected)
        assert np.geterr()["over"] == "warn"  # as NumPy had it before


def test_tensor_messages():
    assert float(Tensor(2)) == float(Tensor([[2.0]])) == 2.0
    check_approved_calls("tensor_sentences", ones=ones, pickle=pickle)
    with pytest.raises(ValueError, match=r"^a Tensor needs rows of one length, got a list of 2: "):  # and NumPy's words
        Tensor([[1.0, 2], [3]])


@pytest.mark.parametrize("reset", [*RESETS, "leaves", "many numbers", "a gradient of another shape"])
def test_failed_tensor_backward_leaves_grads_unchanged(reset):
    x = Tensor([1.0, 2.0])
    inner = x * 3
    root = inner.sum()
    root.backward()
    before = [node.grad.copy() for node in (x, inner, root)]
    if reset in RESETS:
        inner._vjps = (lambda upstream: upstream[:, :, None], inner._vjps[1])
    fails = {"many numbers": inner.backward, "a gradient of another shape": lambda: inner.backward(gradient=[1.0])}
    with pytest.raises(IndexError if reset in RESETS else ValueError):
        fails.get(reset, lambda: root.backward(reset))()
    assert [(node, grad) for node, grad in zip((x, inner, root), before) if not (node.grad == grad).all()] == []


def test_functions_record_their_own_name():
    for name in ("exp", "log", "sqrt", "sin", "cos", "tanh", "sigmoid", "relu", "softplus", "softmax", "normalise"):
        assert getattr(Tensor([0.5]), name)()._op == name
