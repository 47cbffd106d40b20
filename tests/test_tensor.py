"""`Tensor`: its values and gradients against nudging, the scalar engine and PyTorch; its life; its sentences."""

import copy
import gc
import math
import operator
import subprocess
import sys
import warnings
import weakref

import hypothesis.extra.numpy as arrays
import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from autograd import Value, hinge, softmax_cross_entropy, topological_order
from autograd.tensor import Tensor, unbroadcast
from tests.ops_table import OPS, cases, same

SCALAR_ONLY = ("weighted_sum",)
QUICK = settings(max_examples=60, deadline=None)


def numbers(shape, low=-2.0, high=2.0, seed=0):
    """Numbers drawn evenly from low to high, an array of this shape."""
    return np.random.RandomState(seed).uniform(low, high, shape)


def gradients(f, *inputs, upstream=None):
    """The value of f(*Tensors) and the gradient by each input, for a given (or random) gradient at the output."""
    leaves = [Tensor(x) for x in inputs]
    root = f(*leaves)
    upstream = numbers(root.shape, seed=9) if upstream is None else upstream
    root.backward(gradient=upstream)
    return root.data, upstream, [leaf.grad for leaf in leaves]


def nudged(f, inputs, upstream, epsilon=1e-6):
    """The same gradients by central differences."""
    found = []
    for k, x in enumerate(inputs):
        gradient = np.zeros(x.shape)
        for place in np.ndindex(x.shape):
            sides = []
            for step in (epsilon, -epsilon):
                moved = [y.copy() for y in inputs]
                moved[k][place] += step
                sides.append((f(*map(Tensor, moved)).data * upstream).sum())
            gradient[place] = (sides[0] - sides[1]) / (2 * epsilon)
        found.append(gradient)
    return found


def check_nudging(f, *inputs):
    """f's gradients equal central differences to 1e-7 of the largest, and have their inputs' shapes."""
    inputs = [np.asarray(x, float) for x in inputs]
    _, upstream, got = gradients(f, *inputs)
    for x, gradient, expected in zip(inputs, got, nudged(f, inputs, upstream), strict=True):
        assert gradient.shape == x.shape
        np.testing.assert_allclose(gradient, expected, rtol=1e-7, atol=1e-7 * max(1.0, np.abs(expected).max(initial=0)))


def check_torch(torch, f, *inputs, other=None):
    """f's value and gradients equal PyTorch's float64 to 1e-12. `other` is the function there, where it differs."""
    value, upstream, got = gradients(f, *inputs)
    leaves = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in inputs]
    root = (other or f)(*leaves)
    root.backward(torch.tensor(upstream))
    np.testing.assert_allclose(value, root.detach().numpy(), rtol=1e-12, atol=1e-13)
    assert value.shape == tuple(root.shape)
    for gradient, leaf in zip(got, leaves, strict=True):
        expected = leaf.grad.numpy()
        assert gradient.shape == expected.shape
        np.testing.assert_allclose(gradient, expected, rtol=1e-12, atol=1e-12 * max(1, np.abs(expected).max(initial=0)))


# Ops on each number.


@pytest.mark.parametrize(("op", "entry"), [*cases("points"), *cases("edges")])
def test_each_number_is_as_in_the_scalar_engine(op, entry):
    """Values and local derivatives, at ordinary points and at the edges (0, ±1000, inf, nan)."""
    if op.name in SCALAR_ONLY:
        assert not hasattr(Tensor, op.name)
        return
    point = entry[0] if isinstance(entry[0], tuple) else entry
    values = [Value(x) for x in point]
    tensors = [Tensor([x, x]) for x in point]
    scalar, root = op.function(*values), op.function(*tensors)
    scalar.backward()
    root.backward(gradient=[1.0, 1.0])
    assert root._op == scalar._op
    assert all(same(x, scalar.data, rel=1e-14) for x in root.data)
    for value, tensor in zip(values, tensors, strict=True):
        assert all(same(x, value.grad, rel=1e-13) for x in tensor.grad)


@pytest.mark.parametrize("base", [math.nan, 5e-324, math.inf])
def test_an_exponent_of_0_cuts_the_base_off(base):
    """x ** 0 is 1 for every x, nan and those with an infinite 1 / x too, so that its slope is 0, as for Values."""
    tensor, value = (Tensor(base), Tensor(0.0)), (Value(base), Value(0.0))
    for x, y in (tensor, value):
        (x**y).backward()
    assert float(tensor[0].grad) == value[0].grad == 0.0
    assert same(float(tensor[1].grad), value[1].grad, rel=1e-14)


@pytest.mark.parametrize("op", [op for op in OPS if op.name not in SCALAR_ONLY], ids=lambda op: op.name)
def test_each_number_against_nudging(op):
    """On a 3 × 2 array: each op is used inside its domain, away from its kinks."""
    low = 0.5 if op.name in ("**", "log", "sqrt", "**0.5", "**1.5", "**-2.5", "**-1", "/") else 0.1
    inputs = [numbers((3, 2), low, 2.0, seed=k) for k in range(op.arity)]
    check_nudging(op.function, *inputs)
    if low == 0.1:
        check_nudging(op.function, *[-x for x in inputs])


@pytest.mark.parametrize("op", [op for op in OPS if op.name not in SCALAR_ONLY], ids=lambda op: op.name)
def test_each_number_against_pytorch(op, torch):
    low = 0.1 if op.name in ("**", "log", "sqrt", "**0.5", "**1.5", "**-2.5") else -3.0
    inputs = [numbers((7, 5), low, 3.0, seed=k) for k in range(op.arity)]
    check_torch(torch, op.function, *inputs, other=op.torch(torch))


# Broadcasting and matrix products, in random shapes.

ELEMENTWISE = (operator.add, operator.sub, operator.mul, operator.truediv, operator.pow)
two_shapes = arrays.mutually_broadcastable_shapes(num_shapes=2, max_dims=4, max_side=3)
matmul_shapes = arrays.mutually_broadcastable_shapes(signature="(m?,n),(n,p?)->(m?,p?)", max_dims=2, max_side=3)
one_shape = arrays.array_shapes(min_dims=0, max_dims=4, max_side=3)


@QUICK
@given(two_shapes, st.sampled_from(ELEMENTWISE))
def test_broadcasting_against_nudging(shapes, op):
    check_nudging(op, *[numbers(shape, 0.5, 2.0, seed=k) for k, shape in enumerate(shapes.input_shapes)])


@QUICK
@given(two_shapes, st.sampled_from(ELEMENTWISE))
def test_broadcasting_against_pytorch(torch, shapes, op):
    check_torch(torch, op, *[numbers(shape, 0.5, 2.0, seed=k) for k, shape in enumerate(shapes.input_shapes)])


@QUICK
@given(matmul_shapes)
def test_matrix_products_against_nudging(shapes):
    """Vectors, matrices and batches of them, on either side."""
    check_nudging(operator.matmul, *[numbers(shape, seed=k) for k, shape in enumerate(shapes.input_shapes)])


@QUICK
@given(matmul_shapes)
def test_matrix_products_against_pytorch(torch, shapes):
    check_torch(torch, operator.matmul, *[numbers(shape, seed=k) for k, shape in enumerate(shapes.input_shapes)])


@QUICK
@given(two_shapes)
def test_unbroadcast_is_the_adjoint_of_broadcasting(shapes):
    """⟨broadcast(x), y⟩ = ⟨x, unbroadcast(y)⟩ for every x and y: that is what adjoint means."""
    x, y = numbers(shapes.input_shapes[0], seed=1), numbers(shapes.result_shape, seed=2)
    gradient = unbroadcast(y, x.shape)
    assert gradient.shape == x.shape
    np.testing.assert_allclose((np.broadcast_to(x, y.shape) * y).sum(), (x * gradient).sum(), rtol=1e-12, atol=1e-12)


def test_a_bias_gets_the_sum_over_the_batch():
    x, b = Tensor(np.zeros((4, 3))), Tensor([1.0, 2.0, 3.0])
    (x + b).sum().backward()
    assert b.grad.tolist() == [4.0, 4.0, 4.0]


def test_a_matrix_product_is_that_of_scalar_values():
    """Each entry a sum of products of Values: values and gradients to 1e-12."""
    a, b = numbers((3, 4), seed=1), numbers((4, 2), seed=2)
    left, right = [[Value(x) for x in row] for row in a], [[Value(x) for x in row] for row in b]
    entries = [sum((left[i][k] * right[k][j] for k in range(4)), Value(0)) for i in range(3) for j in range(2)]
    sum((entry.tanh() for entry in entries), Value(0)).backward()
    x, y = Tensor(a), Tensor(b)
    product = x @ y
    product.tanh().sum().backward()
    np.testing.assert_allclose(product.data.ravel(), [entry.data for entry in entries], rtol=1e-12)
    np.testing.assert_allclose(x.grad, [[value.grad for value in row] for row in left], rtol=1e-12)
    np.testing.assert_allclose(y.grad, [[value.grad for value in row] for row in right], rtol=1e-12)


# Sums and arrangements.


@QUICK
@given(st.data())
def test_sum_and_mean_over_axes(torch, data):
    """Over all axes, one, or several, kept or not."""
    shape = data.draw(arrays.array_shapes(min_dims=1, max_dims=4, max_side=3))
    axis = data.draw(st.none() | st.integers(-len(shape), len(shape) - 1) | arrays.valid_tuple_axes(len(shape)))
    if axis == ():
        axis = None  # PyTorch takes no axes for all of them; NumPy, and a Tensor, for none
    keep, name = data.draw(st.booleans()), data.draw(st.sampled_from(["sum", "mean"]))
    x = numbers(shape)
    check_nudging(lambda t: getattr(t, name)(axis, keepdims=keep), x)
    every = tuple(range(len(shape))) if axis is None else axis
    check_torch(
        torch,
        lambda t: getattr(t, name)(axis, keepdims=keep),
        x,
        other=lambda t: getattr(t, name)(every, keepdim=keep),
    )


def test_the_mean_of_nothing_is_nan_and_says_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert math.isnan(float(Tensor([]).mean()))
        assert Tensor(np.zeros((3, 0))).mean(axis=0).shape == (0,)
    assert float(Tensor([]).sum()) == 0.0


@QUICK
@given(one_shape)
def test_reshape_and_transpose(torch, shape):
    x = numbers(shape)
    check_torch(
        torch, lambda t: t.reshape(-1) * np.arange(x.size), x, other=lambda t: t.reshape(-1) * torch.arange(x.size)
    )
    check_torch(torch, lambda t: t.T, x, other=lambda t: t.permute(tuple(range(len(shape)))[::-1]))
    check_nudging(lambda t: t.reshape(x.size, 1).T.reshape((1, x.size, 1)), x)


@pytest.mark.parametrize(
    "rows",
    [
        1,
        -1,
        slice(1, 3),
        slice(None, None, 2),
        [0, 2, 2, 2],
        np.array([[0, 1], [1, 1]]),
        (1, 2),
        ([0, 0, 3], [2, 2, 1]),
        ...,
    ],
    ids=str,
)
def test_indexing(rows, torch):
    x = numbers((4, 3))
    check_nudging(lambda t: t[rows], x)
    check_torch(torch, lambda t: t[rows], x)


def test_indexing_by_a_mask():
    x = numbers((4, 3))
    check_nudging(lambda t: t[x > 0], x)
    check_nudging(lambda t: t[np.array([True, False, False, True])], x)


def test_repeated_rows_accumulate():
    x = Tensor([1.0, 2.0, 3.0])
    x[[2, 0, 2, 2]].sum().backward()
    assert x.grad.tolist() == [1.0, 0.0, 3.0]


def test_a_list_of_rows_may_be_changed_afterwards():
    x, rows = Tensor([1.0, 2.0, 3.0]), [0, 0]
    y = x[rows]
    rows[1] = 2
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 0.0, 0.0]


# Losses.


def test_softmax_cross_entropy(torch):
    """Against nudging, PyTorch, and the scalar loss; logits of ±1000 do not overflow."""
    logits, targets = numbers((5, 3), -3, 3), [0, 2, 1, 1, 0]
    check_nudging(lambda t: t.softmax_cross_entropy(targets), logits)
    check_torch(
        torch,
        lambda t: t.softmax_cross_entropy(targets),
        logits,
        other=lambda t: torch.nn.functional.cross_entropy(t, torch.tensor(targets)),
    )
    values = [[Value(z) for z in row] for row in logits.tolist()]
    loss, tensor = softmax_cross_entropy(values, targets), Tensor(logits)
    loss.backward()
    root = tensor.softmax_cross_entropy(np.array(targets))
    root.backward()
    assert float(root) == pytest.approx(loss.data, rel=1e-12)
    np.testing.assert_allclose(tensor.grad, [[z.grad for z in row] for row in values], rtol=1e-12, atol=1e-14)
    assert float(Tensor([[1000.0, -1000.0]]).softmax_cross_entropy([1])) == 2000.0


def test_hinge(torch):
    """Against nudging, PyTorch, and the scalar loss; a margin of exactly 0 has no slope, as relu."""
    scores, targets = numbers((6, 1), -3, 3), np.array([[1], [-1], [-1], [1], [1], [-1]])
    check_nudging(lambda t: t.hinge(targets), scores)
    check_torch(
        torch, lambda t: t.hinge(targets), scores, other=lambda t: (1 - torch.tensor(targets) * t).relu().mean()
    )
    values, tensor = [Value(s) for s in scores.ravel()], Tensor(scores)
    loss, root = hinge(values, targets.ravel().tolist()), tensor.hinge(targets)
    loss.backward()
    root.backward()
    assert float(root) == pytest.approx(loss.data, rel=1e-12)
    np.testing.assert_allclose(tensor.grad.ravel(), [s.grad for s in values], rtol=1e-12)
    at_the_kink = Tensor([1.0, -1.0])
    at_the_kink.hinge([1, -1]).backward()
    assert at_the_kink.grad.tolist() == [0.0, 0.0]


# The life of a Tensor: the same contract as a Value's.


def shared(a, b, d):
    """A graph with an inner node that is used twice, on Values and on Tensors alike."""
    c = a + b
    return (c * d + c * c.tanh()) / (b * b + 1)


@pytest.mark.parametrize("reset", ["intermediates", "all", "nothing"])
@pytest.mark.parametrize("n_passes", [1, 2, 3])
def test_reset_is_as_in_the_scalar_engine(reset, n_passes):
    """Every node's grad after one, two and three passes, and after a pass from another root that shares nodes."""
    values, tensors = [Value(x) for x in (3.0, 2.0, 1.0)], [Tensor(x) for x in (3.0, 2.0, 1.0)]
    scalar, root = shared(*values), shared(*tensors)
    other_scalar, other = scalar * values[0], root * tensors[0]
    for _ in range(n_passes):
        scalar.backward(reset)
        root.backward(reset)
    other_scalar.backward(reset)
    other.backward(reset)
    orders = topological_order(other_scalar), topological_order(other)
    assert [node._op for node in orders[0]] == [node._op for node in orders[1]]
    for value, tensor in zip(*orders, strict=True):
        assert float(tensor.grad) == pytest.approx(value.grad, rel=1e-14)


def test_the_three_resets_on_the_lessons_example():
    """a 3, b 2, c = a + b, d 1, e = c · d: the grads of a, b, d after one pass and after two."""
    expected = {
        "nothing": ([1, 1, 5], [3, 3, 10]),
        "all": ([1, 1, 5], [1, 1, 5]),
        "intermediates": ([1, 1, 5], [2, 2, 10]),
    }
    for reset, after in expected.items():
        a, b, d = Tensor(3.0), Tensor(2.0), Tensor(1.0)
        e = (a + b) * d
        for grads in after:
            e.backward(reset=reset)
            assert [float(leaf.grad) for leaf in (a, b, d)] == grads


def test_two_passes_double_a_leafs_grad_to_the_last_digit():
    x, w = Tensor(numbers((5, 4), seed=1)), Tensor(numbers((4, 3), seed=2))
    loss = ((x @ w).tanh() ** 2 + x @ w).mean()
    loss.backward()
    once = w.grad
    loss.backward()
    assert (w.grad == 2 * once).all() and (x.grad != 0).all()


def test_a_leaf_that_is_the_root_adds_1():
    x = Tensor(2.0)
    x.backward()
    x.backward()
    assert float(x.grad) == 2.0
    x.backward("all")
    assert float(x.grad) == 1.0


def test_two_losses_that_share_nodes_give_the_sum():
    w = Tensor([1.0, 2.0])
    h = w * w
    h.sum().backward()
    (3 * h).sum().backward()
    assert w.grad.tolist() == [8.0, 16.0]


def test_a_gradient_for_a_root_of_many_numbers():
    """The same as backward from (root · gradient).sum(), and a leaf adds up over passes."""
    x, y = Tensor([1.0, 2.0, 3.0]), Tensor([1.0, 2.0, 3.0])
    x.exp().backward(gradient=[1.0, 0.0, -2.0])
    (y.exp() * [1.0, 0.0, -2.0]).sum().backward()
    assert x.grad.tolist() == y.grad.tolist()
    x.backward(gradient=np.ones(3))
    np.testing.assert_allclose(x.grad, y.grad + 1)
    one = Tensor([[5.0]])
    (one * 3).backward()  # one number, of whatever shape, needs none
    assert one.grad.tolist() == [[3.0]]


def test_the_same_tensor_twice_has_two_edges():
    a = Tensor([3.0])
    b = a + a
    assert b._prev == (a, a) and b._op == "+"
    b.backward()
    assert a.grad.tolist() == [2.0]


def test_a_leafs_backward_changes_nothing():
    x = Tensor([1.0, 2.0])
    x._backward()
    assert x._prev == () and x._op == "" and x.grad.tolist() == [0.0, 0.0]


def test_grads_have_the_shape_of_their_data_before_and_after():
    x, w = Tensor(numbers((5, 4))), Tensor(numbers((4,)))
    loss = (x @ w).sum()
    for node in topological_order(loss):
        assert node.grad.shape == node.data.shape and not node.grad.any()
    loss.backward()
    for node in topological_order(loss):
        assert node.grad.shape == node.data.shape and node.grad.dtype == node.data.dtype == np.float64


def test_grads_share_no_memory():
    """Clipping one in place must not change another."""
    x, y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
    z = x + y
    z.sum().backward()
    x.grad *= 100
    assert y.grad.tolist() == z.grad.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("change", ["assign", "in place", "one number"])
@pytest.mark.parametrize("op", [op for op in OPS if op.name not in SCALAR_ONLY], ids=lambda op: op.name)
def test_a_changed_leaf_does_not_corrupt_the_graph(op, change):
    """VJPs hold the numbers that the op saw."""
    inputs = [numbers((2, 2), 0.5, 2.0, seed=k) for k in range(op.arity)]
    _, upstream, expected = gradients(op.function, *inputs)
    leaves = [Tensor(x) for x in inputs]
    root = op.function(*leaves)
    spoil(leaves, change)
    root.backward(gradient=upstream)
    for leaf, gradient in zip(leaves, expected, strict=True):
        assert (leaf.grad == gradient).all()


@pytest.mark.parametrize("change", ["assign", "in place", "one number"])
@pytest.mark.parametrize(
    "f",
    [
        lambda a, b: a @ b,
        lambda a, b: a @ b[0],
        lambda a, b: a.T @ b,
        lambda a, b: a.reshape(2, 2) * b.T,
        lambda a, b: a[[0, 0]] * b[0:1],
        lambda a, b: (a * b).hinge([[1, -1], [1, -1]]),
        lambda a, b: (a * b).softmax_cross_entropy([0, 1]),
    ],
)
def test_a_changed_leaf_does_not_corrupt_products_and_arrangements(f, change):
    inputs = [numbers((2, 2), 0.5, 2.0, seed=k) for k in range(2)]
    _, upstream, expected = gradients(f, *inputs)
    leaves = [Tensor(x) for x in inputs]
    root = f(*leaves)
    value = root.data.copy()
    spoil(leaves, change)
    root.backward(gradient=upstream)
    assert (root.data == value).all()
    for leaf, gradient in zip(leaves, expected, strict=True):
        assert (leaf.grad == gradient).all()


def spoil(leaves, change):
    """Change the data of leaves, in one of three ways."""
    for leaf in leaves:
        if change == "assign":
            leaf.data = leaf.data * 100
        elif change == "in place":
            leaf.data -= 7.0
        else:
            leaf.data[0, 0] = 1e6


def test_a_new_tensor_copies_its_numbers():
    given = np.array([1.0, 2.0])
    x = Tensor(given)
    given[0] = 99.0
    assert x.data.tolist() == [1.0, 2.0]


def test_a_chain_of_100_000_ops():
    """It builds, sorts, runs backward and is freed, with no recursion."""
    x = Tensor([1.0, 2.0])
    y = x
    for _ in range(100_000):
        y = y * 1.00001
    y.sum().backward()
    np.testing.assert_allclose(x.grad, 1.00001**100_000, rtol=1e-9)
    del y
    assert x.grad.shape == (2,)


def test_a_graph_is_freed_without_the_cycle_collector():
    """Dropping the root drops every node and every array that a VJP holds; gc.collect() then finds nothing."""
    gc.collect()
    gc.disable()
    try:
        x, w = Tensor(numbers((6, 4), 0.5, 2)), Tensor(numbers((4, 3), 0.5, 2))
        h = x @ w + 1
        everything = [
            *(h.exp().log(), h.tanh().sigmoid(), h.relu() * h.leaky_relu(), h**2 / h, 2**h, -h.T.reshape(3, 6).T),
            *(h.mean(axis=0) - h.sum(axis=1, keepdims=True), h[[0, 0]] @ h[0], h @ h.T),
            h.softmax_cross_entropy([0] * 6) + h.hinge(np.ones(h.shape)),
        ]
        loss = sum((root.sum() for root in everything), Tensor(0.0))
        loss.backward()
        inner = [weakref.ref(node.data) for node in topological_order(loss) if node._prev]
        assert len(inner) > 30 and all(array() is not None for array in inner)
        del h, everything, loss
        assert all(array() is None for array in inner)
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_a_leaf_can_be_pickled_and_copied():
    import pickle

    x = Tensor([[1.0, 2.0]], label="x")
    x.sum().backward()
    for twin in (pickle.loads(pickle.dumps(x)), copy.deepcopy(x)):
        assert twin.data.tolist() == [[1.0, 2.0]] and twin.grad.tolist() == [[1.0, 1.0]] and twin.label == "x"


# What goes in, and what comes out.


@pytest.mark.parametrize(
    "op",
    [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow],
    ids=["+", "-", "*", "/", "**"],
)
@pytest.mark.parametrize(
    "other", [2, 2.5, np.float64(3), np.int32(2), np.array([1.0, 2.0]), np.ones((3, 1)), [1.0, 3.0]], ids=repr
)
def test_numbers_and_arrays_on_either_side(op, other):
    x, numbers_of_x = Tensor([2.0, 5.0]), np.array([2.0, 5.0])
    for result, expected in [
        (op(x, other), op(numbers_of_x, other)),
        (op(other, x), op(np.asarray(other, float), numbers_of_x)),
    ]:
        assert type(result) is Tensor and result.data.dtype == float
        np.testing.assert_allclose(result.data, expected, rtol=1e-15)


def test_a_matrix_of_numpy_on_the_left():
    x = Tensor([1.0, 2.0])
    result = np.ones((3, 2)) @ x
    assert type(result) is Tensor and result.data.tolist() == [3.0, 3.0, 3.0]
    result.sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]


@pytest.mark.parametrize(
    "data", [3, 3.5, [1, 2], [[1, 2.5]], (1, 2), np.float32(2), np.arange(3), 10**30, [10**30], [[]]]
)
def test_data_is_a_float64_array(data):
    x = Tensor(data)
    assert isinstance(x.data, np.ndarray) and x.data.dtype == np.float64
    assert x.data.tolist() == np.array(data, dtype=float).tolist()
    assert isinstance((x + 1).sum().data, np.ndarray)


def test_repr_and_float():
    x = Tensor([[1, -0.5], [1e-9, 1e9]], label="x")
    assert repr(x).startswith("Tensor(data=[[1.0000, -0.5000],\n [1.000e-09, 1.000e+09]], grad=[[0.0000")
    assert repr(x).endswith("label='x')")
    assert repr(Tensor(2)) == "Tensor(data=2.0000, grad=0.0000)"
    assert "..." in repr(Tensor(np.zeros(1000))) and len(repr(Tensor(np.zeros(1000)))) < 200
    assert float(Tensor(2)) == float(Tensor([[2.0]])) == 2.0


def test_equality_and_hash_are_identity():
    x, y = Tensor([1.0]), Tensor([1.0])
    assert x == x and x != y and len({x, y}) == 2


@pytest.mark.parametrize(
    ("compute", "expected"),
    [
        (lambda: Tensor([1000.0]).exp(), math.inf),
        (lambda: Tensor([1e200]) * 1e200, math.inf),
        (lambda: Tensor([1e308]) + 1e308, math.inf),
        (lambda: Tensor([-1e308]) - 1e308, -math.inf),
        (lambda: Tensor([1e200]) ** 2, math.inf),
        (lambda: Tensor([-1e200]) ** 3, -math.inf),
        (lambda: Tensor([1e308]) / 0.1, math.inf),
        (lambda: Tensor([[1e200]]) @ Tensor([1e200]), math.inf),
        (lambda: Tensor([math.inf]) - math.inf, math.nan),
        (lambda: Tensor([0.0]) * math.inf, math.nan),
        (lambda: Tensor([1e308, 1e308]).sum(), math.inf),
        (lambda: Tensor([1e308, 1e308]).mean(), math.inf),
        (lambda: Tensor([math.inf, -math.inf]).sum(), math.nan),
        (lambda: Tensor([[math.inf, 1.0]]).softmax_cross_entropy([0]), math.nan),
        (lambda: Tensor([-math.inf]).leaky_relu(0.0), math.nan),
        (lambda: Tensor([math.nan]).relu(), math.nan),
        (lambda: Tensor([1e200]) ** Tensor([2.0]), math.inf),
        (lambda: Tensor([-1000.0]).sigmoid(), 0.0),
        (lambda: Tensor([-1000.0]).exp(), 0.0),
    ],
)
def test_overflow_gives_inf_or_nan_and_no_warning(compute, expected):
    """Forward and back."""
    with warnings.catch_warnings(), np.errstate(all="warn", under="ignore"):
        warnings.simplefilter("error")
        root = compute()
        root.sum().backward()
        assert same(float(root), expected)
    assert np.geterr()["over"] == "warn"  # as NumPy had it before


def ones(*shape):
    """A Tensor of ones."""
    return Tensor(np.ones(shape))


@pytest.mark.parametrize(
    ("do", "error", "sentence"),
    [
        (lambda: Tensor([[1.0, 2], [3]]), ValueError, "a Tensor needs rows of one length, got a list of 2"),
        (lambda: Tensor("3"), TypeError, "got the str '3'. Convert it first"),
        (lambda: Tensor([1.0, "two"]), TypeError, "got the str 'two'. Convert it first"),
        (lambda: Tensor(None), TypeError, "got None. A function without a return statement gives None"),
        (lambda: Tensor([1.0, None]), TypeError, "got None"),
        (lambda: Tensor(1j), TypeError, "got the complex 1j. This engine works with real numbers"),
        (lambda: Tensor(np.array([1j, 2])), TypeError, "got the complex 1j"),
        (lambda: Tensor(True), TypeError, "got the bool True. Write 1.0 or 0.0"),
        (lambda: Tensor(np.array([1.0]) > 0), TypeError, "got the bool True"),
        (lambda: Tensor({"a": 1}), TypeError, "got a dict of 1"),
        (lambda: Tensor(object()), TypeError, "got an object"),
        (lambda: Tensor(10**400), ValueError, "an int of 401 digits is too large"),
        (lambda: Tensor(Tensor(1.0)), TypeError, "got a Tensor: use it as it is, or tensor.data"),
        (lambda: Tensor([Tensor(1.0)]), TypeError, "NumPy's functions would lose a Tensor's graph"),
        (lambda: Tensor([Value(1.0)]), TypeError, "got a Value: pass value.data"),
        (lambda: Tensor(1.0) + Value(1.0), TypeError, "got a Value: pass value.data"),
        (lambda: Tensor(1.0, (Tensor(2.0),)), ValueError, "needs a vector-Jacobian product for each of them"),
        (lambda: Tensor(1.0, "x"), ValueError, "For a name write label="),
        (lambda: np.array(Tensor(1.0)), TypeError, "tensor.data is the plain array"),
        (lambda: np.exp(Tensor(1.0)), TypeError, "does not support ufuncs"),
        (lambda: ones(2, 3) + np.ones(2), ValueError, r"\+ of shapes \(2, 3\) and \(2,\): compared from"),
        (lambda: ones(2, 3) - np.ones(2), ValueError, r"- of shapes \(2, 3\) and \(2,\)"),
        (lambda: np.ones(2) * ones(2, 3), ValueError, r"\* of shapes \(2,\) and \(2, 3\)"),
        (lambda: ones(2, 3) / np.ones((3, 2)), ValueError, r"/ of shapes \(2, 3\) and \(3, 2\)"),
        (lambda: ones(2, 3) ** np.ones(2), ValueError, r"\*\* of shapes \(2, 3\) and \(2,\)"),
        (
            lambda: ones(2, 3) @ np.ones((2, 3)),
            ValueError,
            r"@ of shapes \(2, 3\) and \(2, 3\): a row of the left has 3 numbers, a column of the right 2\.",
        ),
        (lambda: ones(3) @ np.ones(2), ValueError, r"@ of shapes \(3,\) and \(2,\): a row .* has 3"),
        (lambda: ones(2, 1, 1) @ np.ones((3, 1, 1)), ValueError, r"axes before the last two, \(2,\) and \(3,\)"),
        (lambda: ones(3) @ 2, ValueError, r"@ of shapes \(3,\) and \(\): a single number is multiplied with \*"),
        (lambda: ones(6).reshape(4, 2), ValueError, r"reshape of shape \(6,\) to \(4, 2\)"),
        (lambda: ones(6).reshape((4, -1)), ValueError, r"reshape of shape \(6,\) to \(4, -1\)"),
        (lambda: ones(2, 3).sum(axis=2), ValueError, "axis 2 is out of bounds"),
        (lambda: ones(3)[[0, 3]], IndexError, "index 3 is out of bounds"),
        (
            lambda: Tensor([[2, 1.0], [-1, 3]]).log(),
            ValueError,
            r"log of entry \[1, 0\] = -1.0: log needs positive numbers",
        ),
        (lambda: Tensor([1.0, 0.0], label="p").log(), ValueError, r"log of p\[1\] = 0.0"),
        (lambda: Tensor(-1.0, label="p").log(), ValueError, "log of p = -1.0"),
        (lambda: 1 / Tensor([2.0, 0.0]), ZeroDivisionError, r"\(entry \[1\] = 1.0\) / \(entry \[1\] = 0.0\)"),
        (lambda: Tensor(1.0) / 0, ZeroDivisionError, r"\(1.0\) / \(0.0\): division by 0 has no value"),
        (lambda: Tensor([1.0, 0.0]) ** -1, ZeroDivisionError, r"\(entry \[1\] = 0.0\) \*\* -1.0"),
        (
            lambda: Tensor([1.0, -2.0]) ** 0.5,
            ValueError,
            r"\(entry \[1\] = -2.0\) \*\* 0.5: a negative number needs a whole",
        ),
        (lambda: Tensor([-1.0]) ** Tensor([2.0, 3]), ValueError, r"Tensor \*\* Tensor of entry \[0\] = -1.0"),
        (lambda: Tensor(1.0) ** "2", TypeError, "an exponent needs a real number, got the str '2'"),
        (lambda: Tensor(1.0).leaky_relu(None), TypeError, "leaky_relu's slope needs a real number, got None"),
        (
            lambda: Tensor([1.0, 2.0]).backward(),
            ValueError,
            r"a single number, got a Tensor of shape \(2,\)\. Take .sum",
        ),
        (
            lambda: Tensor([1.0, 2.0]).backward(gradient=[1.0]),
            ValueError,
            r"gradient of shape \(1,\) for a Tensor of shape \(2,\)",
        ),
        (lambda: Tensor([1.0, 2.0]).backward(np.ones(2)), ValueError, "A gradient is passed by name: gradient=…"),
        (
            lambda: Tensor(1.0).backward("leaves"),
            ValueError,
            'reset is "intermediates", "all" or "nothing", got \'leaves\'',
        ),
        (
            lambda: ones(3, 1).hinge([1, 1, -1]),
            ValueError,
            r"hinge of shapes \(3, 1\) and \(3,\): .* targets.reshape\(3, 1\)",
        ),
        (lambda: ones(3).hinge([1, 0, -1]), ValueError, "hinge takes targets -1 and 1, got 0.0"),
        (lambda: Tensor([]).hinge([]), ValueError, "it needs a target for each output"),
        (lambda: ones(2, 3).softmax_cross_entropy([0]), ValueError, r"shapes \(2, 3\) and \(1,\)"),
        (lambda: ones(3).softmax_cross_entropy([0, 1, 2]), ValueError, r"needs logits of shape \(n, k\) and n targets"),
        (lambda: ones(2, 3).softmax_cross_entropy([0, 3]), ValueError, "number of a class, 0 to 2, got 3"),
        (lambda: ones(2, 3).softmax_cross_entropy([0, -1]), ValueError, "number of a class, 0 to 2, got -1"),
        (lambda: ones(2, 3).softmax_cross_entropy([0.0, 1.0]), ValueError, "number of a class, 0 to 2, got 0.0"),
        (lambda: float(Tensor([1.0, 2.0])), ValueError, "size 1"),
    ],
)
def test_sentences(do, error, sentence):
    with pytest.raises(error, match=sentence):
        do()


def test_a_failed_backward_leaves_grads_alone():
    x = Tensor([1.0, 2.0])
    y = x * 3
    y.sum().backward()
    for wrong in (lambda: y.backward(), lambda: y.backward("leaves"), lambda: y.backward(gradient=[1.0])):
        with pytest.raises(ValueError):
            wrong()
    assert x.grad.tolist() == [3.0, 3.0] and y.grad.tolist() == [1.0, 1.0]


def test_import_autograd_loads_no_numpy():
    """The scalar engine is the standard library only; autograd.tensor brings NumPy in."""
    code = (
        "import sys, autograd; assert 'numpy' not in sys.modules, 'numpy'; "
        "import autograd.tensor; assert 'numpy' in sys.modules; assert 'torch' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr


def test_a_deep_graph_of_tensors_can_be_copied():
    x = Tensor([0.5, -0.5])
    node = x
    for _ in range(2_000):
        node = node.tanh()
    root = node.sum()
    twin = copy.deepcopy(root)
    root.backward()
    before = x.grad.copy()
    twin.backward()
    twin_x = topological_order(twin)[0]
    assert (x.grad == before).all() and (twin_x.grad == before).all() and twin_x.data is not x.data


def test_a_tensor_that_an_operation_made_says_why_it_cannot_be_pickled():
    import pickle

    with pytest.raises(TypeError, match=r"Pickle the leaves, such as a network's parameters\(\)"):
        pickle.dumps(Tensor([1.0]) * 2)


@pytest.mark.parametrize("reset", ["intermediates", "all", "nothing"])
def test_a_pass_that_fails_leaves_every_array_as_it_was(reset):
    x = Tensor([1.0, 2.0])
    inner = x * 3
    root = inner.sum()
    root.backward()
    before = [node.grad.copy() for node in (x, inner, root)]
    inner._vjps = (lambda upstream: upstream[:, :, None], inner._vjps[1])
    with pytest.raises(IndexError):
        root.backward(reset)
    assert all((node.grad == grad).all() for node, grad in zip((x, inner, root), before))
