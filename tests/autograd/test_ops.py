"""Each op of the table, on Values, dual numbers and Tensors: its value, its slopes, its edges; PyTorch's answers."""

import math
import random
import warnings

import numpy as np
import pytest

from autograd import Dual, Value, check_gradients, forward_steps, gradcheck, numerical_gradient
from autograd.dual import forward_gradient
from autograd.tensor import Tensor
from tests.ops_table import ON_TENSORS, OPS, cases, is_same_float

per_op = pytest.mark.parametrize("op", OPS, ids=str)


def run(op, point):
    """Return an op's node on new leaves, after its backward pass, and those leaves' grads."""
    leaves = [Value(x, label=label) for x, label in zip(point, "abcde")]
    node = op.function(*leaves)
    node.backward()
    return node, [leaf.grad for leaf in leaves]


@pytest.mark.parametrize(("op", "point"), cases("points"))
def test_op_value_and_local_derivatives_at_a_point(op, point):
    """To a few ulp they are those of floats and of dual numbers, which share no code with Values; and those of nudging.

    The gradient checks pass: they find each op by its name, and run it again with its constants.
    """
    (node, grads), number = run(op, point), op.number(*point)
    assert is_same_float(node.data, number, rel=4e-16)
    assert is_same_float(op.on_duals(*map(Dual, point)).value, number, rel=4e-15)
    forward, slopes = forward_gradient(op.on_duals, point), numerical_gradient(op.number, point)
    for local, derivative, slope in zip(grads, forward, slopes, strict=True):
        assert is_same_float(local, derivative, rel=2e-14, abs_tol=1e-16)
        assert is_same_float(local, slope, rel=1e-7, abs_tol=1e-9) and is_same_float(
            derivative, slope, rel=1e-7, abs_tol=1e-9
        )
    report, checked = gradcheck(op.function, point), check_gradients(node * 3)
    assert report and checked and len(report.rows) == op.arity
    rows = {row.name: row.analytic for row in checked.rows}
    assert [(label, local) for label, local in zip("abcde", grads) if rows[label] != pytest.approx(3 * local)] == []


@per_op
def test_op_is_one_node_with_a_local_derivative_per_input(op):
    node, grads = run(op, op.points[0])
    assert [input.label for input in node._prev] == [*"abcde"[: op.arity]]
    assert list(node._local) == grads and (node._op, node.label) == (op.name.split("(")[0], "")
    (step,) = forward_steps(node)
    assert (step.kind, step.op, step.after, step.node) == ("value", node._op, node.data, op.arity)
    assert step.inputs == tuple(zip("abcde", op.points[0]))


@pytest.mark.parametrize(("op", "edge"), cases("edges"))
def test_op_at_edge_points(op, edge):
    point, value, locals_ = edge
    node, grads = run(op, point)
    assert is_same_float(node.data, value)
    assert [pair for pair in zip(grads, locals_) if not is_same_float(*pair)] == [], grads


@pytest.mark.parametrize(("op", "case"), cases("outside"))
def test_op_out_of_domain_names_op_number_and_label(op, case):
    point, error, sentence = case
    with pytest.raises(error) as caught:
        run(op, point)
    assert type(caught.value) is error and sentence in str(caught.value)
    with pytest.raises((ValueError, ZeroDivisionError)):
        op.on_duals(*map(Dual, point))


@per_op
def test_op_value_and_gradients_match_pytorch(op, torch):
    for point in [*op.points, *(edge[0] for edge in op.edges)]:
        node, grads = run(op, point)
        tensors = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in point]
        result = op.torch(torch)(*tensors)
        result.backward()
        assert is_same_float(node.data, result.item()), point
        assert [
            (grad, tensor)
            for grad, tensor in zip(grads, tensors, strict=True)
            if not is_same_float(grad, tensor.grad.item())
        ] == [], point


def points_of(op, count=30):
    """Return the table's points and edges of an op, and random ones of its domain."""
    rng, found = random.Random(op.name), [*op.points, *(edge[0] for edge in op.edges)]
    while len(found) < count:
        point = [rng.uniform(-3, 3) for _ in range(op.arity)]
        found += [point] if op.domain(*point) or op.name == "**0" else []
    return found


@pytest.mark.parametrize("op", ON_TENSORS, ids=str)
def test_tensor_op_matches_value_elementwise(op):
    assert not hasattr(Tensor, "weighted_sum")
    points = points_of(op)
    leaves = [Tensor(column) for column in zip(*points)]
    with warnings.catch_warnings(), np.errstate(all="warn", under="ignore"):
        warnings.simplefilter("error")
        try:
            root = op.function(*leaves)
            root.backward(gradient=np.full(len(points), 2.0))
        except RuntimeWarning as warning:
            pytest.fail(f"{op.name} warns on a Tensor: {warning}. Its method in autograd/tensor.py wants @quiet.")
    for i, point in enumerate(points):
        node, grads = run(op, point)
        assert root._op == node._op and is_same_float(root.data[i], node.data, rel=1e-14), point
        for leaf, grad in zip(leaves, grads, strict=True):
            assert is_same_float(leaf.grad[i], 2.0 * grad, rel=1e-13), point


# Dual numbers: the oracle must itself be right.


def both(dual):
    return dual.value, dual.derivative


def test_dual_arithmetic_follows_from_epsilon_squared_zero():
    assert both(Dual(0.0, 1.0) * Dual(0.0, 1.0)) == (0.0, 0.0)
    a, b = Dual(2.0, 3.0), Dual(5.0, 7.0)
    assert both(a * b) == (10.0, 3 * 5 + 2 * 7)
    assert both(a / b) == (0.4, pytest.approx((3 * 5 - 2 * 7) / 25))
    assert Dual(3).derivative == (Dual(3) * 4 + 1).derivative == 0.0
    assert repr(Dual(2, 3)) == "Dual(value=2.0000, derivative=3.0000)" and float(Dual(2.5)) == 2.5


@pytest.mark.parametrize("x", [1000.0, -1000.0, 400.0, 20.0])
def test_saturated_dual_functions_do_not_overflow(x):
    """The slope of tanh is 1/cosh², and cosh of 1000 is too large for a float: the oracle must answer all the same."""
    slope = pytest.approx(4 * math.exp(-2 * abs(x)), rel=1e-12)
    assert both(Dual(x, 1.0).tanh()) == (math.tanh(x), slope)
    assert Dual(x, 1.0).sigmoid().value == pytest.approx(0.5 + math.copysign(0.5, x), abs=1e-8)


@pytest.mark.parametrize(("function", "slope"), [(Dual.relu, 0.0), (Dual.leaky_relu, 0.01)])
def test_dual_gates_are_closed_at_0_and_propagate_nan(function, slope):
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
    """The two check each other, so neither may use the other."""
    for mixed in (lambda: Dual(1) + Value(1), lambda: Value(1) + Dual(1), lambda: Dual(Value(1))):
        with pytest.raises(TypeError, match="needs a real number, got a"):
            mixed()
