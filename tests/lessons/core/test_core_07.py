"""Lesson 07: the numbers of its text, from formulas, from dual numbers and from passes through deep networks."""

import math

import numpy as np
import pytest

from autograd.dual import forward_gradient
from autograd.lessons.depth import deep_pass
from exercises.engine_file import check
from exercises.tasks.hold_the_range import check as hold_the_range_check
from figures.labs.deep_training import deep_training
from tests.notebooks import Lesson

LESSON = Lesson("07_thirty")


def gains(*settings):
    """Return the geometric means of the weights' and the activation's gains over the steps back."""
    found = deep_pass(*settings)
    return [float(np.exp(np.log(each).mean())) for each in (found.weights_gain[1:], found.activation_gain[:-1])]


def test_products_of_slopes_and_weights():
    sigmoid = lambda x: 1 / (1 + math.exp(-x))  # noqa: E731
    x, slopes = 0.0, []
    for _ in range(3):
        x = sigmoid(x)
        slopes.append(x * (1 - x))
    LESSON.says(
        " × ".join(f"{slope:.4f}" for slope in slopes).replace("0.2500", "0.25") + f" = {math.prod(slopes):.4f}"
    )
    assert 0.25**10 < 1e-6 and 0.5**3 == 0.125 and 3**3 == 27
    assert forward_gradient(lambda x: (x + 0.5 * x) + 0.5 * (x + 0.5 * x), [2.0]) == [2.25]
    LESSON.says("0.5³ = 0.125", "1.5² = 2.25", "it would be 0.25", "√(3² + 4²) = 5")


def test_the_two_gains_of_the_microscope():
    xavier, normal, sigmoid = gains("tanh", "xavier"), gains("tanh", "normal"), gains("sigmoid", "xavier")
    LESSON.says(f"rises from {xavier[0]:.2f} to {normal[0]:.2f}", f"falls from {xavier[1]:.2f} to {normal[1]:.2f}")
    LESSON.says(f"still {math.prod(normal):.2f} for each layer", f"{sigmoid[1]:.2f}, next to {sigmoid[0]:.2f}")
    assert deep_pass("sigmoid", "xavier").ratio == pytest.approx(1e-7, rel=0.1)
    assert round(1e-9 ** (1 / 11), 2) == 0.15
    assert gains("relu", "he")[0] * gains("relu", "he")[1] == pytest.approx(1, abs=0.1)


def test_relu_with_small_weights_is_worse_than_sigmoid():
    sigmoid, relu = deep_pass("sigmoid", "xavier").ratio, deep_pass("relu", "normal", gain=0.01).ratio
    assert LESSON.output("small_relu.ratio") == str((f"{sigmoid:.0e}", f"{relu:.0e}")) == "('1e-07', '2e-16')"
    assert 8 < math.log10(sigmoid / relu) < 9 and round(math.sqrt(32) * 0.01, 3) == 0.057
    assert LESSON.output("(4, 16, 64)]") == "[2.01, 3.96, 8.0]"
    LESSON.says("by eight powers of ten", "√32 × 0.01 = 0.057", "About 2, 4 and 8")


@pytest.mark.parametrize("code", ["1 / math.sqrt(fan_in)", "fan_in ** -0.5", "(2 / (fan_in + fan_in)) ** 0.5"])
def test_the_formulas_of_the_text_hold_the_range_whatever_network_is_drawn(code):
    answers = check.hold_the_range.answers(f"import math\n\n\ndef hold_the_range(fan_in):\n    return {code}\n")
    assert check.hold_the_range(*answers)
    for width in range(40, 60):
        low, high = hold_the_range_check.layers_of(1 / math.sqrt(width), width, 16, tuple(range(4, 10)))
        assert low > 1.2 * hold_the_range_check.LEAST and high < hold_the_range_check.MOST / 1.2


def test_what_deep_training_begins_with():
    said = deep_training().text()
    assert "Sigmoid with Xavier: not trained" in said and "Relu" in said
    LESSON.says("Five networks of twelve layers", "to about 90 of 100 points", "all begin below 10⁻¹⁸")
