"""Replies of pictures to wrong arguments: each call of `approved/figures_refused.txt`; labs, see labs/test_labs.py."""

import random

import numpy as np
import pytest

import figures
from autograd import MLP, Value
from autograd.tensor import Tensor
from figures.charts.static_charts import histogram
from figures.graph.network import neurons_of
from tests.approve import approved_calls, said_to
from tests.learners_networks import ONE, UNREAD, network
from tests.pictures import Bare, WithLocals, xyz

SQUARE, HIGH = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]


def cycle():
    """A node that depends on itself, which drawings show, and of which there is no order."""
    first = WithLocals(1.0, (), (1.0,))
    first._prev = (WithLocals(2.0, (first,), (1.0,)),)
    return first._prev[0]


def with_grad(grad):
    """A node with this grad."""
    node = Bare(1.0)
    node.grad = grad
    return node


def too_many():
    """A network with a neuron that has a weight too many."""
    net = network()(2, [2, 1])
    net.layers[0].neurons[0].weights.pop()
    net.layers[0].neurons[1].weights.append(net.layers[0].neurons[0].bias)
    return net


KNOWN = {name: getattr(figures, name) for name in figures.__all__}
KNOWN |= {each.__name__: each for each in (cycle, with_grad, too_many, histogram, neurons_of, xyz, MLP, Value, Tensor)}
KNOWN |= {
    "Bare": Bare,
    "np": np,
    "net": lambda *layers: MLP(2, [*layers, 1], "tanh", "tanh", rng=random.Random(0)),
    "mapped": lambda net, points=SQUARE, targets=HIGH: figures.decision_map(net, points, targets),
    "OWN": network(),
    "NOTHING": network((f"return {ONE}", "pass")),
    "unread": lambda way: network(*UNREAD[way][0]),
}


def test_refused_calls_get_messages():
    approved_calls("figures_refused", lambda call: said_to(call, KNOWN))


def test_cyclic_graph_is_drawn():
    assert figures.draw_graph(cycle()).svg.count("<path") and figures.graph_dot(cycle()).count("->") == 2


@pytest.mark.parametrize("data", [np.float64(2), 2, np.array([2.0])], ids=repr)
def test_any_real_number_is_drawn(data):
    assert "data 2" in figures.draw_graph(Bare(data)).source
