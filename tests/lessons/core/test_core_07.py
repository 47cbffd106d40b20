"""Notebook 07: what its text says of its numbers, from formulas, six engines and deep networks."""

import math
from unittest.mock import MagicMock

import numpy as np
import pytest

from autograd import Value
from autograd.lessons.depth import deep_pass
from exercises.engine_file import check
from exercises.tasks.hold_the_range import check as hold_the_range_check
from figures.training import deep_nets
from tests.lessons.core.engines import TRIED, mine, names_after
from tests.notebooks import Lesson

LESSON = Lesson("07_thirty")


def gains(*settings):
    """Return the geometric means of the weights' and the activation's gains over the steps back."""
    found = deep_pass(*settings)
    return [float(np.exp(np.log(each).mean())) for each in (found.weights_gain[1:], found.activation_gain[:-1])]


def test_three_sigmoids_multiply_slopes():
    x = h = Value(0.0)
    slopes = [(h := h.sigmoid())._local[0] for _ in range(3)]
    h.backward()
    assert x.grad == pytest.approx(math.prod(slopes)) and slopes[0] == 0.25 and round(0.25**10, 6) == 1e-6
    LESSON.says(f"0.25 × {slopes[1]:.4f} × {slopes[2]:.4f} = {x.grad:.4f}", f"0.25³ = {0.25**3:.4f}")


@pytest.mark.parametrize("name", TRIED)
def test_three_open_relus_and_two_residual_layers(name):
    for cell, slope in (("c07-0022", 0.5**3), ("59", 1.5**2)):
        names = names_after("07", mine(name), cell, check=MagicMock())
        names["open_relus" if cell == "c07-0022" else "around"].backward()
        assert names["x"].grad == slope
    LESSON.says("0.5³ = 0.125. With weights of 3 it would be 27", "1.5² = 2.25", f"1.5³⁰ = {1.5**30:,.0f}")


def test_microscope_gains_match_the_text():
    xavier, normal, sigmoid = map(gains, ("tanh", "tanh", "sigmoid"), ("xavier", "normal", "xavier"))
    LESSON.says(f"from {xavier[0]:.2f} to {normal[0]:.2f}", f"from {xavier[1]:.2f} down to {normal[1]:.2f}")
    LESSON.says(f"is {math.prod(normal):.3f} at each", f"It is {sigmoid[1]:.2f}, and the weights' is {sigmoid[0]:.2f}")
    assert normal[0] > 5


def test_layer_gradients_differ_by_powers_of_ten():
    sigmoid, relu = deep_pass("sigmoid", "xavier"), deep_pass("relu", "normal", gain=0.01)
    sizes = [np.log10(np.abs(sigmoid.gradients[i]).mean()) for i in (0, 5, 11)]
    assert [step for step in np.diff(sizes) if not (3 < step < 4)] == [] and (sigmoid.gradients != 0).all()
    assert f"sigmoid: {sigmoid.ratio:.1e}, relu with small weights: {relu.ratio:.1e}" in LESSON.output("small_relu.rat")
    assert 8 < math.log10(sigmoid.ratio / relu.ratio) < 9 and round(math.sqrt(32) * 0.01, 3) == 0.057
    assert LESSON.output("(4, 16, 64)]") == "[2.01, 3.96, 8.0]"
    assert np.finfo("float32").max == pytest.approx(3.4e38, rel=0.01) and 1.7e308 < np.finfo(float).max < 1.8e308


@pytest.mark.parametrize("code", ["1 / math.sqrt(fan_in)", "fan_in ** -0.5", "(2 / (fan_in + fan_in)) ** 0.5"])
def test_formulas_of_the_text_hold_the_range_for_any_network(code):
    answers = check.hold_the_range.answers(f"import math\n\n\ndef hold_the_range(fan_in):\n    return {code}\n")
    assert check.hold_the_range(*answers)
    for width in range(40, 60):
        low, high = hold_the_range_check.layers_of(1 / math.sqrt(width), width, 16, tuple(range(4, 10)))
        assert low > 1.2 * hold_the_range_check.LEAST and high < hold_the_range_check.MOST / 1.2


@pytest.mark.long
def test_two_deep_networks_stand_still():
    kinds = [kind for kind in deep_nets.KINDS if kind.name.startswith(("sigmoid", "relu with N"))]
    sigmoid, small = (deep_nets.DeepNet(kind, deep_nets.Settings()) for kind in kinds)
    for net in (sigmoid, small):
        for _ in range(1000):
            net.step()
    assert (sigmoid.moved()[0], small.moved()[0]) == (pytest.approx(2.3e-6, rel=0.2), 0)
    assert [net.state for net in (sigmoid, small)] == ["stands still"] * 2
    LESSON.says("has moved by 0.0000023 of its size, and the small relus' not at all", "shows both, and three others")
