"""The checks of lesson 01: right answers in any form pass, wrong ones of other kinds than the known do not."""

import fractions
import functools
import math

import numpy as np
import pytest

from exercises.engine_file import check
from exercises.lessons.lesson_01 import shared
from exercises.lessons.lesson_01.choose_h import check as choose_h_check
from exercises.lessons.lesson_01.forward_passes import check as forward_passes_check
from exercises.sandbox import guard
from exercises.verdicts.verdict import NOT_YET, WRONG


def central(f, x, h):
    return (f(x + h) - f(x - h)) / (2 * h)


@pytest.mark.parametrize(
    "slope",
    [
        lambda f, x, h: (f(x + h) - f(x)) / ((x + h) - x),
        lambda f, x, h: f(x + h) / h - f(x) / h,
        lambda f, x, h: (f(float(x) + h) - f(x)) * (1 / h),
        lambda f, x, h: (f(x) - f(x + h)) / -h,
        lambda f, x, h: np.float64(f(x + h) - f(x)) / h,
        lambda f, x, h: np.array((f(x + h) - f(x)) / h),
        lambda f, x, h: fractions.Fraction(f(x + h) - f(x)) / fractions.Fraction(h),
        lambda f, x, h, memory=[]: (f(x + h) - f(x)) / h,
    ],
)
def test_any_way_of_writing_the_slope_passes(slope):
    assert check.slope(slope)


@pytest.mark.parametrize(
    "slope, cause",
    [
        (lambda f, x, h: (f(x + 1e-6) - f(x - 1e-6)) / 2e-6, "the slope at x itself"),
        (lambda f, x, h: round((f(x + h) - f(x)) / h), "rounded"),
        (lambda f, x, h: (f(x) - f(x + h)) / abs(h), ""),
        (lambda f, x, h: 2 * (f(x + h) - f(x)) / h, ""),
        (lambda f, x, h: 6.5, ""),
        (functools.lru_cache(lambda f, x, h: 6.5), ""),
        (functools.cache(lambda f, x, h, known={}: known.setdefault(x, (f(x + h) - f(x)) / h)), ""),
    ],
)
def test_a_cause_is_named_where_it_gives_everything_and_no_other(slope, cause):
    verdict = check.slope(slope)
    assert verdict.state == WRONG and [m.name for m in verdict.mistakes if verdict.is_whole] == [cause][: bool(cause)]


@pytest.mark.parametrize("error", [1e-3, -1e-3])
def test_an_error_of_a_thousandth_never_passes_and_float_noise_does(error):
    assert not check.slope(lambda f, x, h: (f(x + h) - f(x)) / h + error)
    assert not check.choose_h(lambda f, x, h: central(f, x, h) + error, 5e-6)
    assert not check.forward_passes(lambda n: n + 1 + error)
    assert check.slope(lambda f, x, h: (f(x + h) - f(x)) / h + error * 1e-7)


@pytest.mark.parametrize("digits", range(8))
def test_a_rounded_slope_never_passes(digits):
    assert not check.slope(lambda f, x, h: round((f(x + h) - f(x)) / h, digits))


@pytest.mark.parametrize("h", [1e-6, 2e-6, 5e-6, 1e-5, -5e-6])
def test_every_h_in_the_valley_passes(h):
    assert check.choose_h(central, h)
    assert check.choose_h(lambda f, x, h: (f(x + h) - f(x - h)) / ((x + h) - (x - h)), h)


@pytest.mark.parametrize("seed", range(20))
def test_the_valley_is_as_wide_with_other_random_points(seed):
    for text, f, x, truth in choose_h_check.points(seed):
        for h in (1e-6, 1e-5):
            assert abs(central(f, x, h) - truth) <= 1e-9 * abs(truth), (text, x, h)


def test_the_true_slopes_of_the_tests_are_those_of_nudging():
    for f, x, h in shared.secants():
        assert f.between(x, x + h) == pytest.approx((f(x + h) - f(x)) / h, rel=1e-9, abs=1e-9)
        assert eval(f.text(), {"x": x}) == pytest.approx(f(x))
    for text, f, x, _ in choose_h_check.points():
        assert eval(text, {"x": x, "math": math}) == f(x)


def test_the_tests_have_whole_and_other_numbers_rising_and_falling():
    tests = shared.secants()
    assert any(isinstance(x, int) for _, x, _ in tests) and any(x % 1 for _, x, _ in tests)
    assert {f.between(x, x + h) > 0 for f, x, h in tests} == {True, False} == {h > 0 for _, _, h in tests}


def test_counting_runs_honestly_passes():
    def by_counting(n):
        runs, f = [], lambda w: runs.append(sum(w))
        weights = [0.5] * n
        f(weights)
        for i in range(n):
            f([*weights[:i], weights[i] + 1e-6, *weights[i + 1 :]])
        return len(runs)

    def by_recursion(n):
        return 1 + by_recursion(n - 1) if n else 1

    assert (
        [by_counting(n) for n in (1, 2, 337)] == [2, 3, 338] == [forward_passes_check.counted(n) for n in (1, 2, 337)]
    )
    assert check.forward_passes(by_counting) and check.forward_passes(by_recursion)


@pytest.mark.parametrize("h", ["1e-5", None, True, [1e-5], math.nan, math.inf])
def test_an_h_that_is_no_number_gets_a_sentence(h):
    verdict = check.choose_h(central, h)
    assert verdict.state == (NOT_YET if h is None else WRONG)
    assert h is None or "should be a" in verdict.text()


def test_an_h_is_judged_only_once_central_is_right():
    verdict = check.choose_h(lambda f, x, h: (f(x + h) - f(x)) / h, 0.1)
    assert "First `central`" in verdict.text() and [m.name for m in verdict.mistakes] == ["nudged up only"]


def test_an_error_in_the_learners_code_is_said_with_its_line():
    said = check.slope(lambda f, x, h: (f(x + h) - f(x)) / width).text()  # noqa: F821
    assert "Tested: slope(f, 3, 0.5) with f(x) = x**2. It raised NameError: name 'width' is not defined" in said
    assert "not callable" in check.slope(6.5).text()
    assert "A number was expected" in check.slope(lambda f, x, h: [f(x)]).text()


def test_a_loop_that_never_ends_is_stopped(monkeypatch):
    monkeypatch.setattr(guard, "SECONDS", 0.3)

    def forever(n):
        while True:
            n += 1

    verdict = check.forward_passes(forever)
    assert verdict.state == WRONG and "loop that never ends" in verdict.text()


def test_a_count_that_stops_somewhere_is_wrong_and_a_slow_one_is_not():
    assert "Right for few weights." in check.forward_passes(lambda n: n + 1 if n < 1000 else n).text()
    assert check.forward_passes(lambda n: len([[i] for i in range(n)]) + 1)
    assert check.choose_h(central, fractions.Fraction(1, 100_000))


@pytest.mark.parametrize(
    "body",
    ["(f(x + h) - f(x)) / h if x else 0.0", "(f(x + h) - f(x)) / (x + h - x) if x + h else 1.0"],
)
def test_a_slope_is_asked_for_where_x_or_its_neighbour_is_0(body):
    names = {}
    exec(f"def slope(f, x, h):\n    return {body}\n", names)
    assert check.judge("slope", names["slope"]).state == WRONG


def test_a_good_h_is_not_blamed_for_a_central_that_goes_wrong_at_small_ones():
    branch = "def central(f, x, h):\n    h = h if abs(h) > 1e-3 else 1e-3\n    return (f(x + h) - f(x - h)) / (2 * h)\n"
    for h, is_named in ((5e-6, False), (1e-12, True)):
        found = check.choose_h(*check.choose_h.answers(f"{branch}chosen_h = {h}"))
        assert found.state == WRONG and ("h is too small" in [each.name for each in found.mistakes]) is is_named
