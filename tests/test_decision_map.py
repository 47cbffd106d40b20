"""The decision map: what it shows and says, and what it refuses."""

import random

import numpy as np
import pytest

from autograd import MLP
from autograd.tensor_nn import TensorMLP
from figures import decision_map
from figures.charts.still import as_picture

POINTS, HIGH = [[0.0, 1.0], [1.0, 0.5], [-1.0, -0.5], [0.5, -1.0]], [True, True, False, False]


def upper(sign=1.0):
    """A network whose output is x2, or -x2."""
    net = MLP(2, [1])
    for p, number in zip(net.parameters(), (0.0, sign, 0.0)):
        p.data = number
    return net


@pytest.mark.parametrize("targets", [[1, 1, -1, -1], [1.0, 1.0, -1.0, -1.0]])
def test_points_on_the_right_side_are_counted(targets):
    assert (
        "4 of 4 points are on the right side of the line where it is 0."
        in decision_map(upper(), POINTS, targets).get_label()
    )
    assert "0 of 4" in decision_map(upper(-1.0), POINTS, targets).get_label()


def test_targets_0_and_1_are_told_apart_at_one_half():
    label = decision_map(upper(), POINTS, [1, 1, 0, 0]).get_label()
    assert "3 of 4 points are on the right side of the line where it is 0.5." in label  # 0.5 itself is not above


def test_the_border_is_where_the_answer_changes():
    axes = decision_map(upper(), POINTS, [1, 1, -1, -1]).axes[0]
    line = axes.collections[1].get_paths()[0].vertices
    assert np.allclose(line[:, 1], 0.0, atol=1e-9)


def test_classes_differ_in_shape_and_wrong_points_have_a_cross():
    axes = decision_map(upper(), POINTS, [1, -1, -1, 1]).axes[0]
    high, low, wrong = axes.collections[-3:]
    assert (len(high.get_offsets()), len(low.get_offsets()), len(wrong.get_offsets())) == (2, 2, 2)
    assert not np.array_equal(high.get_paths()[0].vertices, low.get_paths()[0].vertices)


def test_a_scalar_network_and_its_twin_on_arrays_give_the_same_map():
    net = MLP(2, [5, 1], rng=random.Random(3))
    one, other = (as_picture(decision_map(n, POINTS, [1, 1, -1, -1])).svg for n in (net, TensorMLP.from_mlp(net)))
    assert one == other


def test_a_network_with_one_answer_has_no_line():
    net = upper()
    net.parameters()[1].data, net.parameters()[2].data = 0.0, 5.0
    assert "2 of 4" in decision_map(net, POINTS, [1, 1, -1, -1]).get_label()


@pytest.mark.parametrize(
    "net, points, targets, said",
    [
        (max, POINTS, [1, 1, -1, -1], "takes an MLP or a TensorMLP"),
        (MLP(3, [1]), POINTS, [1, 1, -1, -1], "two inputs and one output"),
        (upper(), POINTS, [1, 1, -1], "n points"),
        (upper(), [1.0, 2.0], [1, -1], "n points"),
        (upper(), POINTS, [1, 2, 3, 4], "targets are -1 and 1, or 0 and 1"),
    ],
)
def test_what_is_no_network_or_no_data_gets_a_sentence(net, points, targets, said):
    with pytest.raises((TypeError, ValueError), match=said):
        decision_map(net, points, targets)


def test_a_true_circle_is_a_thin_dashed_line_and_is_said():
    figure = decision_map(upper(), POINTS, [1, 1, -1, -1], circle=0.8)
    (circle,) = figure.axes[0].patches
    assert (circle.center, circle.radius, circle.get_linestyle(), circle.get_fill()) == ((0, 0), 0.8, "--", False)
    assert figure.get_label().endswith(" Dashed: the true border, a circle of radius 0.8.")
    assert not decision_map(upper(), POINTS, [1, 1, -1, -1]).axes[0].patches
    assert "stroke-dasharray" in as_picture(figure).svg
