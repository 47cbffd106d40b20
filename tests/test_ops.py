"""Each op of the table: its value, its local derivatives, its edges and its domain, and PyTorch's answers."""

import pytest

from autograd import Dual, Value, numerical_gradient
from autograd.dual import forward_gradient
from tests.ops_table import OPS, by_name, cases, same

per_op = pytest.mark.parametrize("op", OPS, ids=by_name)
per_point = pytest.mark.parametrize(("op", "point"), cases("points"))
per_edge = pytest.mark.parametrize(("op", "edge"), cases("edges"))


def run(op, point):
    """An op's node on new leaves, after its backward pass, and those leaves' grads."""
    leaves = [Value(x, label=label) for x, label in zip(point, "abcde")]
    node = op.function(*leaves)
    node.backward()
    return node, [leaf.grad for leaf in leaves]


@per_point
def test_value_is_that_of_floats(op, point):
    """An op computes what plain floats compute, to a few ulp."""
    assert same(run(op, point)[0].data, op.number(*point), rel=4e-16)


@per_point
def test_dual_number_has_the_same_value(op, point):
    assert same(op.on_duals(*map(Dual, point)).value, op.number(*point), rel=4e-15)


@per_point
def test_local_derivatives_against_dual_numbers(op, point):
    """Forward mode, which shares no code with Value, gives the same derivatives."""
    for local, derivative in zip(run(op, point)[1], forward_gradient(op.on_duals, point), strict=True):
        assert same(local, derivative, rel=2e-14, abs_tol=1e-16)


@per_point
def test_local_derivatives_against_nudging(op, point):
    """Central differences of the function on floats give the same derivatives."""
    for local, slope in zip(run(op, point)[1], numerical_gradient(op.number, point), strict=True):
        assert same(local, slope, rel=1e-7, abs_tol=1e-9)


@per_op
def test_is_one_node_with_a_local_derivative_for_each_input(op):
    node, grads = run(op, op.points[0])
    assert len(node._prev) == op.arity == len(node._local)
    assert not any(input._prev for input in node._prev)
    assert list(node._local) == grads


@per_op
def test_op_is_named_as_in_the_table(op):
    """`_op` names the op; a slope is not part of the name, an exponent is."""
    assert run(op, op.points[0])[0]._op == op.name.split("(")[0]


@per_edge
def test_edge(op, edge):
    """At kinks, at infinities and at nan: the value and the local derivatives that the table states."""
    point, value, locals_ = edge
    node, grads = run(op, point)
    assert same(node.data, value)
    assert all(map(same, grads, locals_)), grads


@pytest.mark.parametrize(("op", "case"), cases("outside"))
def test_out_of_domain_names_op_number_and_label(op, case):
    point, error, sentence = case
    with pytest.raises(error) as caught:
        run(op, point)
    assert type(caught.value) is error
    assert sentence in str(caught.value)


@per_point
def test_parity_with_pytorch(op, point, torch):
    """Value and gradients equal PyTorch's float64."""
    assert_parity(op, point, torch)


@per_edge
def test_parity_with_pytorch_at_an_edge(op, edge, torch):
    """They do at kinks, infinities and nan as well."""
    assert_parity(op, edge[0], torch)


def assert_parity(op, point, torch):
    node, grads = run(op, point)
    tensors = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in point]
    result = op.torch(torch)(*tensors)
    result.backward()
    assert same(node.data, result.item())
    for grad, tensor in zip(grads, tensors, strict=True):
        assert same(grad, tensor.grad.item())
