"""The checks of first weights: what passes is what the labs call so, and no number suits all widths.

Answers to them, right and wrong, are in tests/attempts.
"""

import math

import numpy as np
import pytest

from autograd.lessons.depth import deep_pass
from exercises.engine_file import check
from exercises.tasks.hold_the_range import check as hold_the_range_check
from exercises.tasks.sigmoid_survives import check as sigmoid_survives_check
from figures.labs import microscope


def test_failing_case_shows_the_ratio_that_its_code_gives():
    """The ratio next to the code is the one that this code gives, as a mean over seeds."""
    verdict = check.sigmoid_survives({"init": "xavier", "gain": 4.0})
    assert verdict.case.splitlines() == [
        "settings = dict(init='xavier', gain=4.0)",
        'deep_pass("sigmoid", **settings, depth=12).ratio',
    ]
    ratios = [deep_pass("sigmoid", init="xavier", gain=4.0, depth=12, seed=seed).ratio for seed in range(5)]
    assert float(verdict.rows[0][2]) == pytest.approx(math.prod(ratios) ** 0.2, rel=0.01)


@pytest.mark.long
def test_no_constant_spread_passes_at_all_widths():
    assert [one for one in np.geomspace(0.02, 1, 24) if check.hold_the_range(lambda n, one=one: one)] == []


@pytest.mark.parametrize("gain", [1.0, 1.2, math.sqrt(2), 1.5])
def test_right_spread_is_far_from_the_limits_at_every_width(gain):
    found = [hold_the_range_check.widths(), *map(hold_the_range_check.widths, range(1, 60))]
    for width, batch, seeds in sorted({test for tests in found for test in tests}, key=str):
        low, high = hold_the_range_check.layers_of(gain / math.sqrt(width), width, batch, seeds)
        assert low > 1.2 * hold_the_range_check.LEAST and 1.2 * high < hold_the_range_check.MOST, (width, low, high)


def test_logarithmic_spread_fails():
    """It is near enough at widths of 32 to 128, so only a wider network tells them apart."""
    assert [log for log in (math.log, math.log2) if check.hold_the_range(lambda n, log=log: 1 / log(n))] == []


@pytest.mark.long
@pytest.mark.parametrize("init", ["xavier", "he", "normal", "fan_in"])
@pytest.mark.parametrize("residual", [False, True])
def test_check_and_microscope_lab_agree(init, residual):
    """The check passes what the lab calls arriving with 12 and with 20 layers, whichever seed it shows."""
    for place, gain in enumerate((0.5, 1.0, 1.6, 2.0, 2.5, 4.0, 5.8, 6.4, 7.0, 7.7, 8.0, 9.0, 10.0, 14.0, 20.0)):
        settings = {"init": init, "gain": gain, "residual": residual}
        slides = [
            microscope.microscope("sigmoid", **settings, depth=depth, seed=place).slide
            for depth in sigmoid_survives_check.SIGMOID_DEPTHS
        ]
        arrives = ["it arrives." in slide.say for slide in slides]
        assert [slide.judged == "5 seeds: arrives" for slide in slides] == arrives
        assert bool(check.sigmoid_survives(settings)) == all(arrives), settings


@pytest.mark.parametrize("p", [-2, -1, -0.5, -1 / 3, 0, 0.5, 1])
@pytest.mark.parametrize("k", [-3, 1e-9, 1, 1e9])
def test_power_recovers_exponent(p, k):
    assert hold_the_range_check.power((32, 58, 192), [k * n**p for n in (32, 58, 192)]) == round(p, 6)


def test_power_returns_none_for_other_sequences():
    for numbers in ([1, 2, 4], [1, -1, 1], [0.1, 0.09, 0.02], [1e-300, 1, 1e300]):
        assert hold_the_range_check.power((32, 58, 192), numbers) is None
