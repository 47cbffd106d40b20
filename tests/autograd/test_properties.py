"""Test properties of every graph: random expressions from the table of ops, and the topological order."""

import math
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograd import Value, topological_order
from autograd.dual import forward_gradient
from autograd.tensor import Tensor
from tests.ops_table import is_same_float, random_program

programs = st.builds(
    lambda rng, n_leaves, n_ops: random_program(rng, n_leaves, n_ops),
    st.randoms(use_true_random=False),
    st.integers(1, 4),
    st.integers(1, 12),
)


def on_every_program(test):
    return settings(max_examples=200, deadline=None, derandomize=True)(given(programs)(test))


def build(program):
    leaves = [Value(x) for x in program.leaves]
    return leaves, program.run(leaves, lambda op: op.function)


def gradients(leaves, root, reset="intermediates"):
    root.backward(reset)
    return [leaf.grad for leaf in leaves]


@on_every_program
def test_reverse_mode_matches_floats_and_forward_mode(program):
    leaves, root = build(program)
    assert is_same_float(root.data, program.run(program.leaves, lambda op: op.number), rel=1e-10, abs_tol=1e-10)
    reverse = gradients(leaves, root)
    forward = forward_gradient(lambda *xs: program.run(xs, lambda op: op.on_duals), program.leaves)
    size = max(map(abs, reverse), default=0.0)
    assert [
        (r, f)
        for r, f in zip(reverse, forward, strict=True)
        if not is_same_float(r, f, rel=1e-9, abs_tol=1e-10 * max(1, size))
    ] == []


@on_every_program
def test_second_backward_doubles_or_repeats_gradients(program):
    leaves, root = build(program)
    once = gradients(leaves, root)
    assert gradients(leaves, root) == [2 * g for g in once]
    assert gradients(leaves, root, "all") == once


@pytest.mark.parametrize("block", range(10))
def test_gradients_match_pytorch_on_random_graphs(block, torch):
    """Values and every leaf's gradient to a relative 1e-9; if contributions cancel, to 1e-12 of the largest."""
    for seed in range(50 * block, 50 * block + 50):
        program = random_program(random.Random(seed), n_leaves=3, n_ops=12)
        values = [Value(x) for x in program.leaves]
        tensors = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in program.leaves]
        root = program.run(values, lambda op: op.function)
        other = program.run(tensors, lambda op: op.torch(torch))
        root.backward()
        other.backward()
        expected = [0.0 if tensor.grad is None else tensor.grad.item() for tensor in tensors]
        largest = max(abs(node.grad) for node in topological_order(root))
        assert is_same_float(root.data, other.item(), rel=1e-9, abs_tol=1e-12)
        for value, grad in zip(values, expected, strict=True):
            assert is_same_float(value.grad, grad, rel=1e-9, abs_tol=1e-12 * largest), seed


@pytest.mark.parametrize("root", [lambda x: x.relu().sqrt(), lambda x: 3 * x.relu() ** 0.25])
@pytest.mark.parametrize("start", [-1.0, 0.0, 4.0])
def test_closed_relu_after_infinite_slope_differs_from_pytorch(root, start, torch):
    """PyTorch's relu selects, and the root's infinite slope does not count; here ∞ · 0 is nan. README says so."""
    there = torch.tensor(start, dtype=torch.float64, requires_grad=True)
    root(there).backward()
    for here in (Value(start), Tensor(start)):
        root(here).backward()
        if start > 0:
            assert float(here.grad) == pytest.approx(there.grad.item(), rel=1e-12)
        else:
            assert math.isnan(here.grad) and there.grad.item() == 0


PRINT_ORDERS = """
import random
from tests.ops_table import random_program
from autograd import MLP, Value, sum_of_squares, topological_order

net = MLP(2, [3, 1], rng=random.Random(0))
roots = [sum_of_squares([net(x) for x in ([0, 1], [1, 1])], [0, 1])]
for seed in range(20):
    program = random_program(random.Random(seed))
    roots.append(program.run([Value(x) for x in program.leaves], lambda op: op.function))
for root in roots:
    root.backward()
    print([(node._op, node.data, node.grad) for node in topological_order(root)])
"""


def test_order_and_numbers_do_not_depend_on_hash_seed():
    """Two fresh interpreters with different hash seeds: nothing depends on addresses or hashes."""
    found = []
    for seed in ("0", "12345"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[2])}
        command = [sys.executable, "-c", PRINT_ORDERS]
        ran = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", check=True)
        found.append(ran.stdout)
    assert found[0].count("\n") == 21 and found[0] == found[1]


def test_random_programs_cover_ops_and_leaves():
    """The generator must reach every leaf and every op often enough, or the tests that use it see nothing."""
    programs = [random_program(random.Random(seed)) for seed in range(300)]
    used = {op.name for program in programs for op, _ in program.lines}
    graphs = [build(program) for program in programs]
    with_gradient = sum(any(gradients(leaves, root)) for leaves, root in graphs)
    shared = sum(
        sum(len(n._prev) for n in order) >= len(order) for order in map(topological_order, [r for _, r in graphs])
    )
    assert len(used) >= 23
    assert with_gradient >= 200
    assert shared >= 200


# The topological order.


def test_topological_order_is_depth_first_left_to_right():
    a, b, c = Value(2), Value(3), Value(3)
    d = a * b
    e = d + c
    assert topological_order(a) == [a]
    assert topological_order(e) == [a, b, d, c, e]
    f = c + d
    assert topological_order(f) == [c, a, b, d, f]
    g = d + d
    assert topological_order(g * d)[:-1] == [a, b, d, g]


@pytest.mark.parametrize("seed", range(20))
def test_topological_order_puts_inputs_before_consumers(seed):
    program = random_program(random.Random(seed), n_ops=30)
    root = program.run([Value(x) for x in program.leaves], lambda op: op.function)
    order = topological_order(root)
    place = {node: i for i, node in enumerate(order)}
    assert len(place) == len(order)
    assert order[-1] is root
    assert [(node, input) for node in order for input in node._prev if not (place[input] < place[node])] == []


def test_topological_order_visits_shared_nodes_once():
    """2^200 paths, 201 nodes."""
    root = Value(1.0)
    for _ in range(200):
        root = root + root
    assert len(topological_order(root)) == 201


@pytest.mark.parametrize("kind", [tuple, list, set])
def test_topological_order_works_on_any_class_with_prev(kind):
    """A learner's own class has `_prev` too, and may keep a set."""

    class Node:
        def __init__(self, *inputs):
            self._prev = kind(inputs)

    a = Node()
    b = Node(a, a)
    assert topological_order(b) == [a, b]
