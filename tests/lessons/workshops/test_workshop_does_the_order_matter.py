"""How deep may a graph be, and which orders fail? Its numbers are what dual numbers and counts give."""

import math

import pytest

import autograd
from autograd.dual import forward_gradient
from tests.notebooks import Lesson

WORKSHOP = Lesson("does_the_order_matter", trains=True)


def test_depth_limits_and_gradients_of_each_order():
    WORKSHOP.shows("500 500", "5000 RecursionError")
    assert forward_gradient(lambda a: 2 * a * (2 * a + 1), [1.5]) == [14]
    for name, number in (("consumers_first", 14), ("recursion", 22), ("pre_order", 8), ("breadth_first", 8)):
        a, *_, y = WORKSHOP["small"](WORKSHOP["Value"])
        WORKSHOP["run_pass"](y, WORKSHOP[name](y))
        assert a.grad == number, name
    WORKSHOP.says(
        "So a gets 8. Pre-order, which lists each node before its inputs, gives 8 too.", "for each use, gives 22"
    )


def test_order_success_on_two_hundred_random_graphs():
    ways = ("consumers_first", "breadth_first", "pre_order")
    right, *wrong = (WORKSHOP["gradients"](WORKSHOP[way]) for way in ways)
    same = [sum(map(math.isclose, found, right)) for found in wrong]
    WORKSHOP.says("it is right on {} of the 200 graphs, and pre-order on {}".format(*same))
    for seed in range(0, 200, 20):
        a, root = WORKSHOP["random_graph"](seed)
        root.backward()
        assert right[seed] == pytest.approx(a.grad)


def test_immediate_propagation_is_right_but_exponential():
    calls = {n: 2 ** (n + 1) - 1 for n in (10, 15, 18, 20)}
    for n in range(12):
        root = WORKSHOP["doublings"](n)
        assert len(autograd.topological_order(root)) == n + 1 and WORKSHOP["pass_on"](root) == 2 ** (n + 1) - 1
    WORKSHOP.shows(str(calls), "14.0")
    WORKSHOP.says("{:,}, then {:,}, {:,} and {:,}".format(*calls.values()), "For 50 it is 2·10¹⁵")
    WORKSHOP.says(f"a second that takes {2**51 / 1e6 / 3600 / 24 / 365.25:.0f} years.")
