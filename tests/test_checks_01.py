"""The checks of lesson 01: right answers in any form pass, and each typical mistake is called by its name."""

import math
import time

import pytest

from exercises import check, library
from exercises.checks import lesson_01
from exercises.guard import SECONDS
from exercises.verdict import NOT_YET, PASSED, WRONG
from tests import lessons

EXERCISES = check.EXERCISES["01"]
PATH = lessons.NOTEBOOKS / "01_nudges_and_slopes.ipynb"
CALLS = {"slope": ("slope",), "choose_h": ("central", "chosen_h"), "forward_passes": ("forward_passes",)}


def answers(name, code):
    """What the lesson passes to a check, from the code in an exercise's cell."""
    names = {"math": math}
    exec(code, names)
    return [names[each] for each in CALLS[name]]


def central(f, x, h):
    return (f(x + h) - f(x - h)) / (2 * h)


@pytest.mark.parametrize("name", EXERCISES)
def test_the_solution_passes_in_well_under_half_a_second(name):
    given = answers(name, library.solution(name).code)
    verdict = getattr(check, name)(*given)
    assert verdict.state == PASSED, verdict
    started = time.process_time()
    getattr(check, name)(*given)
    assert time.process_time() - started < 0.5


@pytest.mark.parametrize("name", EXERCISES)
def test_the_untouched_stub_is_not_yet(name):
    assert getattr(check, name)(*answers(name, library.stub(name))).state == NOT_YET


@pytest.mark.parametrize("name", EXERCISES)
def test_nothing_and_dots_are_not_yet(name):
    assert getattr(check, name)().state == NOT_YET
    assert getattr(check, name)(*[...] * len(CALLS[name])).state == NOT_YET
    assert getattr(check, name)(lambda *_: None, *[0.1] * (len(CALLS[name]) - 1)).state == NOT_YET


@pytest.mark.parametrize("name", EXERCISES)
def test_the_lesson_calls_the_check_with_the_names_of_its_stub(name):
    sources = [cell.source for cell in lessons.cells(lessons.read(PATH), "code")]
    assert f"check.{name}({', '.join(CALLS[name])})" in sources


@pytest.mark.parametrize(
    "slope",
    [
        lambda f, x, h: (f(x + h) - f(x)) / ((x + h) - x),
        lambda f, x, h: f(x + h) / h - f(x) / h,
        lambda f, x, h: (f(float(x) + h) - f(x)) * (1 / h),
        lambda f, x, h: (f(x) - f(x + h)) / -h,
    ],
)
def test_any_way_of_writing_the_slope_passes(slope):
    assert check.slope(slope)


SLOPES = {
    "not divided by h": lambda f, x, h: f(x + h) - f(x),
    "multiplied by h": lambda f, x, h: (f(x + h) - f(x)) * h,
    "brackets missing": lambda f, x, h: f(x + h) - f(x) / h,
    "the wrong way round": lambda f, x, h: (f(x) - f(x + h)) / h,
    "nothing subtracted": lambda f, x, h: f(x + h) / h,
    "divided by x": lambda f, x, h: (f(x + h) - f(x)) / x,
    "divided by x + h": lambda f, x, h: (f(x + h) - f(x)) / (x + h),
    "the output nudged": lambda f, x, h: ((f(x) + h) - f(x)) / h,
    "nudged down": lambda f, x, h: (f(x) - f(x - h)) / h,
    "nudged both ways": central,
    "nudged both ways, divided by h": lambda f, x, h: (f(x + h) - f(x - h)) / h,
    "divided with //": lambda f, x, h: (f(x + h) - f(x)) // h,
    "an h of its own": lambda f, x, h: (f(x + 1e-4) - f(x)) / 1e-4,
    "rounded": lambda f, x, h: round((f(x + h) - f(x)) / h, 4),
}

CENTRALS = {
    "nudged up only": lambda f, x, h: (f(x + h) - f(x)) / h,
    "nudged down only": lambda f, x, h: (f(x) - f(x - h)) / h,
    "divided by h": lambda f, x, h: (f(x + h) - f(x - h)) / h,
    "/ 2 * h": lambda f, x, h: (f(x + h) - f(x - h)) / 2 * h,
    "brackets missing": lambda f, x, h: f(x + h) - f(x - h) / (2 * h),
    "the wrong way round": lambda f, x, h: (f(x - h) - f(x + h)) / (2 * h),
    "not divided": lambda f, x, h: f(x + h) - f(x - h),
    "added": lambda f, x, h: (f(x + h) + f(x - h)) / (2 * h),
    "an h of its own": lambda f, x, h: (f(x + 1e-5) - f(x - 1e-5)) / 2e-5,
}

NUDGES = {
    0.1: "h is too large",
    1e-3: "h is too large",
    5e-5: "h is too large",
    1e-8: "the h for a nudge one way",
    1e-10: "h is too small",
    1e-13: "h is too small",
    1e-17: "no nudge is left",
    0: "h = 0",
}

COUNTS = {
    "the first run left out": lambda n: n,
    "two runs a weight": lambda n: 2 * n,
    "two nudges a weight": lambda n: 2 * n + 1,
    "all at once": lambda n: 2,
    "a backward pass": lambda n: 1,
    "every pair": lambda n: n**2,
    "every combination": lambda n: 2**n,
    "one too few": lambda n: n - 1,
}


@pytest.mark.parametrize("name", SLOPES)
def test_a_wrong_slope_is_called_by_its_name(name):
    says_only(check.slope(SLOPES[name]), name)


@pytest.mark.parametrize("name", CENTRALS)
def test_a_wrong_central_difference_is_called_by_its_name(name):
    verdict = check.choose_h(CENTRALS[name], 5e-6)
    says_only(verdict, name)
    assert "First `central`" in verdict.text()


@pytest.mark.parametrize("h", NUDGES)
def test_a_bad_nudge_is_called_by_its_name(h):
    says_only(check.choose_h(central, h), NUDGES[h])


@pytest.mark.parametrize("name", COUNTS)
def test_a_wrong_count_is_called_by_its_name(name):
    says_only(check.forward_passes(COUNTS[name]), name)


def says_only(verdict, name):
    """The verdict is wrong, shows a case, and names this one mistake and a section that the lesson has."""
    assert verdict.state == WRONG and verdict.case
    assert [mistake.name for mistake in verdict.mistakes] == [name]
    assert verdict.mistakes[0].section.replace("-", " ") in headings()
    assert f"This is what one mistake gives: {name}. " in verdict.text()
    assert verdict.mistakes[0].sentence in verdict.text()


def headings():
    """The headings of the lesson."""
    lines = "\n".join(cell.source for cell in lessons.cells(lessons.read(PATH), "markdown")).splitlines()
    return [line.lstrip("# ") for line in lines if line.startswith("#")]


@pytest.mark.parametrize("error", [1e-3, -1e-3])
def test_an_error_of_a_thousandth_never_passes_and_float_noise_does(error):
    assert not check.slope(lambda f, x, h: (f(x + h) - f(x)) / h + error)
    assert not check.choose_h(lambda f, x, h: central(f, x, h) + error, 5e-6)
    assert not check.forward_passes(lambda n: n + 1 + error)
    assert check.slope(lambda f, x, h: (f(x + h) - f(x)) / h + error * 1e-7)


@pytest.mark.parametrize("digits", range(8))
def test_a_rounded_slope_never_passes(digits):
    assert not check.slope(lambda f, x, h: round((f(x + h) - f(x)) / h, digits))


def test_a_fixed_answer_to_the_first_test_does_not_pass():
    assert not check.slope(lambda f, x, h: 6.5)
    assert not check.forward_passes(lambda n: 4)
    assert not check.forward_passes(lambda n: n + 1 if n < 1000 else 0)


@pytest.mark.parametrize("h", [1e-6, 2e-6, 5e-6, 1e-5, -5e-6])
def test_every_h_in_the_valley_passes(h):
    assert check.choose_h(central, h)
    assert check.choose_h(lambda f, x, h: (f(x + h) - f(x - h)) / ((x + h) - (x - h)), h)


@pytest.mark.parametrize("seed", range(20))
def test_the_valley_is_as_wide_with_other_random_points(seed):
    for text, f, x, truth in lesson_01.points(seed):
        for h in (1e-6, 1e-5):
            assert abs(central(f, x, h) - truth) <= 1e-9 * abs(truth), (text, x, h)


def test_the_true_slopes_of_the_tests_are_those_of_nudging():
    for f, x, h in lesson_01.secants():
        assert f.between(x, x + h) == pytest.approx((f(x + h) - f(x)) / h, rel=1e-9, abs=1e-9)
        assert eval(f.text(), {"x": x}) == pytest.approx(f(x))
    for text, f, x, _ in lesson_01.points():
        assert eval(text, {"x": x, "math": math}) == f(x)


def test_the_tests_have_whole_and_other_numbers_rising_and_falling():
    tests = lesson_01.secants()
    assert any(isinstance(x, int) for _, x, _ in tests) and any(x % 1 for _, x, _ in tests)
    assert {f.between(x, x + h) > 0 for f, x, h in tests} == {True, False} == {h > 0 for _, _, h in tests}


def test_the_runs_are_counted():
    assert [lesson_01.counted(n) for n in (1, 2, 337)] == [2, 3, 338]


@pytest.mark.parametrize("h", ["1e-5", None, True, [1e-5], math.nan, math.inf])
def test_an_h_that_is_no_number_gets_a_sentence(h):
    verdict = check.choose_h(central, h)
    assert verdict.state == (NOT_YET if h is None else WRONG)
    assert h is None or "should be a" in verdict.text()


def test_an_error_in_the_learners_code_is_two_lines():
    verdict = check.slope(lambda f, x, h: (f(x + h) - f(x)) / width)  # noqa: F821
    assert verdict.state == WRONG and len(verdict.says) == 2
    assert verdict.says[0] == "Tested: slope(f, 3, 0.5) with f(x) = x**2."
    assert verdict.says[1].startswith("It raised NameError: name 'width' is not defined")
    assert "not callable" in check.slope(6.5).says[1]
    assert "A number was expected" in check.slope(lambda f, x, h: [f(x)]).says[1]


def test_a_loop_that_never_ends_is_stopped():
    def forever(n):
        while True:
            n += 1

    started = time.monotonic()
    verdict = check.forward_passes(forever)
    assert verdict.state == WRONG and "loop that never ends" in verdict.text()
    assert time.monotonic() - started < SECONDS + 5
    assert check.forward_passes(lambda n: n + 1)
