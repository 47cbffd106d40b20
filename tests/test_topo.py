"""The topological order: inputs before consumers, each node once, at any depth. (What is no root: test_value.py.)"""

import random

import pytest

from autograd import Value, topological_order
from tests.ops_table import random_program


def test_depth_first_inputs_from_left_to_right():
    """A node used twice stands once; nodes with equal numbers are different nodes."""
    a, b, c = Value(2), Value(3), Value(3)
    d = a * b
    e = d + c
    assert topological_order(a) == [a]
    assert topological_order(e) == [a, b, d, c, e]
    f = c + d
    assert topological_order(f) == [c, a, b, d, f]
    g = d + d
    assert topological_order(g * d)[:-1] == [a, b, d, g]


def test_a_shared_node_waits_for_nothing_but_its_inputs():
    """A skip connection: the node at the far end of a long and of a short path stands before both consumers."""
    a = Value(2)
    long = a.tanh().tanh().tanh()
    for root in (a * long, long * a):
        order = topological_order(root)
        assert order[0] is a and order[-1] is root and len(order) == 5


@pytest.mark.parametrize("seed", range(20))
def test_random_graphs(seed):
    """Every input stands before its consumer; every node that the root depends on stands once; the root is last."""
    program = random_program(random.Random(seed), n_ops=30)
    root = program.run([Value(x) for x in program.leaves], lambda op: op.function)
    order = topological_order(root)
    place = {node: i for i, node in enumerate(order)}
    assert len(place) == len(order)
    assert order[-1] is root
    assert all(place[input] < place[node] for node in order for input in node._prev)


def test_a_wide_and_deep_ladder_is_walked_once():
    """2^200 paths, 201 nodes."""
    root = Value(1.0)
    for _ in range(200):
        root = root + root
    assert len(topological_order(root)) == 201


@pytest.mark.parametrize("kind", [tuple, list, set])
def test_works_on_anything_with_inputs(kind):
    """A learner's own class has `_prev` too, and may keep a set."""

    class Node:
        def __init__(self, *inputs):
            self._prev = kind(inputs)

    a = Node()
    b = Node(a, a)
    assert topological_order(b) == [a, b]
