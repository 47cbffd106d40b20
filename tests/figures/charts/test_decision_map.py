"""The decision map: what it shows and says, and what it refuses."""

import random

import numpy as np
import pytest

from autograd import MLP
from autograd.training.tensor_nn import TensorMLP
from figures import decision_map
from figures.charts.static_charts import as_picture

POINTS = [[0.0, 1.0], [1.0, 0.5], [-1.0, -0.5], [0.5, -1.0]]
TARGETS = [1, 1, -1, -1]


def network(*numbers):
    """A network of two weights and a bias."""
    net = MLP(2, [1])
    for p, number in zip(net.parameters(), numbers):
        p.data = number
    return net


UPPER = network(0.0, 1.0, 0.0)  # its output is x2


@pytest.mark.parametrize(
    "net, targets, right, border",
    [
        (UPPER, TARGETS, 4, 0),
        (UPPER, [1.0, 1.0, -1.0, -1.0], 4, 0),
        (network(0.0, -1.0, 0.0), TARGETS, 0, 0),
        (UPPER, [1, 1, 0, 0], 3, 0.5),  # 0.5 itself is not above
        (network(0.0, 0.0, 5.0), TARGETS, 2, 0),  # one answer: there is no line
    ],
)
def test_points_on_the_right_side_are_counted(net, targets, right, border):
    said = f"{right} of 4 points are on the right side of the line where it is {border}."
    assert said in decision_map(net, POINTS, targets).get_label()


def test_decision_map_draws_border_classes_and_wrong_points():
    axes = decision_map(UPPER, POINTS, [1, -1, -1, 1]).axes[0]
    assert np.allclose(axes.collections[1].get_paths()[0].vertices[:, 1], 0.0, atol=1e-9)
    high, low, wrong = axes.collections[-3:]
    assert (len(high.get_offsets()), len(low.get_offsets()), len(wrong.get_offsets())) == (2, 2, 2)
    assert not np.array_equal(high.get_paths()[0].vertices, low.get_paths()[0].vertices)
    assert not axes.patches


def test_scalar_and_tensor_networks_give_the_same_map():
    net = MLP(2, [5, 1], rng=random.Random(3))
    one, other = (as_picture(decision_map(n, POINTS, TARGETS)).svg for n in (net, TensorMLP.from_mlp(net)))
    assert one == other


def test_true_circle_is_dashed_and_described():
    figure = decision_map(UPPER, POINTS, TARGETS, circle=0.8)
    (circle,) = figure.axes[0].patches
    assert (circle.center, circle.radius, circle.get_linestyle(), circle.get_fill()) == ((0, 0), 0.8, "--", False)
    assert figure.get_label().endswith(" Dashed: the true border, a circle of radius 0.8.")
    assert "stroke-dasharray" in as_picture(figure).svg
