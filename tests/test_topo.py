"""The topological order: inputs before consumers, each node once, at any depth."""

import random

import pytest

from autograd import MLP, Value, topological_order, weighted_sum
from tests.ops_table import random_program


def test_a_leaf_is_its_own_order():
    a = Value(1)
    assert topological_order(a) == [a]


def test_depth_first_inputs_from_left_to_right():
    a, b, c = Value(2), Value(3), Value(4)
    d = a * b
    e = d + c
    assert topological_order(e) == [a, b, d, c, e]
    assert topological_order(c + d) != topological_order(d + c)


def test_a_node_used_twice_stands_once():
    a = Value(2)
    b = a + a
    assert topological_order(b) == [a, b]
    assert topological_order(b * a)[:2] == [a, b]


def test_nodes_with_equal_numbers_are_different_nodes():
    a, b = Value(1.0), Value(1.0)
    assert len(topological_order(a + b)) == 3


def test_a_shared_node_waits_for_nothing_but_its_inputs():
    """A skip connection: the node at the far end of a long and of a short path stands before both consumers."""
    a = Value(2)
    long = a.tanh().tanh().tanh()
    for root in (a * long, long * a):
        order = topological_order(root)
        assert order[0] is a
        assert order[-1] is root
        assert len(order) == 5


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


def test_the_order_of_a_network_repeats():
    net = MLP(3, [4, 2, 1], rng=random.Random(0))
    first, second = topological_order(net([1, 2, 3])), topological_order(net([1, 2, 3]))
    assert [(node.label, node._op, node.data) for node in first] == [
        (node.label, node._op, node.data) for node in second
    ]


def test_a_wide_and_deep_ladder_is_walked_once():
    """2^200 paths, 201 nodes."""
    root = Value(1.0)
    for _ in range(200):
        root = root + root
    assert len(topological_order(root)) == 201


def test_works_on_anything_with_a_tuple_of_inputs():
    """A learner's own class has `_prev` too."""

    class Node:
        def __init__(self, *inputs):
            self._prev = inputs

    a = Node()
    b = Node(a, a)
    assert topological_order(b) == [a, b]


def test_weighted_sum_inputs_keep_their_order():
    w, x, b = Value(1), Value(2), Value(3)
    node = weighted_sum([w], [x], b)
    assert topological_order(node) == [w, x, b, node]


@pytest.mark.parametrize(
    ("root", "got"),
    [
        (None, "None. A function without a return statement gives None: did one come before?"),
        (3.0, "a float."),
        ([Value(1)], "a list of 1."),
    ],
)
def test_what_is_no_root_gets_a_sentence(root, got):
    with pytest.raises(TypeError) as caught:
        topological_order(root)
    assert str(caught.value) == f"the root of a graph is a Value, the last one computed; got {got}"
