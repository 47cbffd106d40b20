"""Learners' own networks, on their own Values: pictures and maps show them like the library's."""

import math
import random

import pytest

from autograd import MLP
from autograd.training import losses
from figures import decision_map, draw_network, gradient_histogram, layer_gradients
from figures.graph.network import is_tanh, neurons_of, on_arrays
from figures.page.style import number
from tests.learners_networks import ENGINES, ONE, SIGMOID, network


def twins(*sizes, engine="closures", seed=1):
    """Return a learner's network and the library's, with the same numbers, and the gradients of the same loss."""
    made = network(engine=ENGINES[engine])
    random.seed(seed)
    theirs, ours = made(2, [*sizes, 1]), MLP(2, [*sizes, 1], "tanh", "tanh", rng=random.Random(seed))
    ((theirs([1.0, -0.5]) - 1) ** 2).backward()
    losses.sum_of_squares([ours([1.0, -0.5])], [1]).backward()
    return theirs, ours


POINTS, HIGH = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]


def mapped(net):
    return decision_map(net, POINTS, HIGH)


@pytest.mark.parametrize("engine", ENGINES)
def test_learners_network_is_drawn_like_mlp(engine):
    both = twins(4, 3, engine=engine)
    for shows in ("weights", "gradients"):
        one, other = (draw_network(net, [1.0, -0.5], 1, shows=shows) for net in both)
        assert one.svg == other.svg and one.alt == other.alt
    found, expected = map(layer_gradients, both)
    assert list(found) == list(expected)
    for name, gradients in expected.items():
        assert found[name] == pytest.approx(gradients, abs=1e-12)
    assert "layer 1: 12 gradients" in gradient_histogram(found).get_label()
    one, other = map(mapped, both)
    assert one.get_label() == other.get_label()
    levels = [figure.axes[0].collections[1].get_paths()[0].vertices for figure in (one, other)]
    assert levels[0] == pytest.approx(levels[1], abs=1e-9)


def test_drawing_of_a_relu_network_does_not_mention_tanh():
    theirs = network(("total.tanh()", "total.relu()"))(2, [3, 1])
    picture = draw_network(theirs, [1.0, 2.0])
    assert ">hidden<" in picture.svg and "tanh" not in picture.svg
    assert picture.alt.endswith(f"it gives {number(theirs([1.0, 2.0]).data)}.")


def test_is_tanh_detects_tanh_networks_only():
    theirs, ours = twins(3)
    assert is_tanh(theirs) and is_tanh(ours)
    points = [[0.3, -2.0], [5.0, 1.0]]
    assert on_arrays(neurons_of(theirs), points)[:, 0] == pytest.approx([theirs(p).data for p in points], abs=1e-12)
    for swap in (SIGMOID, ("return inputs[0]", "return inputs[0] * 1.0001")):
        assert not is_tanh(network(swap)(2, [3, 1]))
    theirs.layers[0].neurons[0].bias.data = math.nan
    assert not is_tanh(theirs) and not is_tanh(object())


def test_map_of_a_non_tanh_network_evaluates_each_point():
    made = network(SIGMOID, (ONE, "inputs"))
    random.seed(2)
    theirs, ours = made(2, [4, 1]), MLP(2, [4, 1], "sigmoid", "sigmoid", rng=random.Random(2))
    assert mapped(theirs).get_label() == mapped(ours).get_label()
