"""The checks of lesson 10: right answers of every kind pass, and each typical mistake is told what it is."""

import math
import time

import numpy as np
import pytest

from autograd.depth import deep_pass
from exercises import check, guard, library
from exercises.checks import lesson_10
from exercises.verdict import LESSONS, Mistake
from tests import lessons

NAMES = ("hold_the_range", "relu_vanishes", "sigmoid_survives", "residual_scale")


def answer(name, code):
    """What an exercise's cell defines."""
    names = {"math": math}
    exec(code, names)
    return names[name]


@pytest.mark.parametrize("name", NAMES)
def test_a_solution_passes_and_takes_well_under_half_a_second(name):
    given = answer(name, library.solution(name).code)
    started = time.process_time()
    verdict = getattr(check, name)(given)
    assert time.process_time() - started < 0.5
    assert verdict, verdict


@pytest.mark.parametrize("name", NAMES)
def test_an_untouched_stub_is_not_yet(name):
    verdict = getattr(check, name)(answer(name, library.stub(name)))
    assert verdict.state == "not yet" and "not yet" in verdict.text()


@pytest.mark.parametrize("name", NAMES)
def test_hints_are_two_and_the_solution_is_the_stub_filled_in(name):
    solution = library.solution(name)
    assert len(solution.hints) == 2
    first = [code.splitlines()[0].split("=")[0] for code in (library.stub(name), solution.code)]
    assert first[0] == first[1]


def orthogonal(rng, n):
    return 10 * np.linalg.qr(rng.standard_normal((n, n)))[0]


RIGHT = {
    "hold_the_range": {
        "Xavier": lambda fan_in: fan_in**-0.5,
        "Xavier, both fans": lambda fan_in: math.sqrt(2 / (fan_in + fan_in)),
        "He": lambda fan_in: math.sqrt(2 / fan_in),
        "1.1": lambda fan_in: 1.1 / math.sqrt(fan_in),
        "a NumPy number": lambda fan_in: np.float64(1.3) / np.sqrt(fan_in),
    },
    "relu_vanishes": {
        "logarithms": lambda depth: math.exp(math.log(1e-9) / (depth - 1)),
        "L for L - 1": lambda depth: 10 ** (-9 / depth),
        "1e-8": lambda depth: 10 ** (-8 / (depth - 1)),
        "1e-10": lambda depth: 1e-10 ** (1 / (depth - 1)),
    },
    "sigmoid_survives": {
        "xavier": {"init": "xavier", "gain": 10},
        "xavier 9": {"init": "xavier", "gain": 9.0, "residual": False},
        "he": {"init": "he", "gain": 7},
        "residual": {"init": "xavier", "gain": 1, "residual": True},
        "residual alone": {"residual": True},
        "residual scaled": {"residual": True, "residual_scale": 0.2},
        "a function": {"init": orthogonal},
    },
    "residual_scale": {
        "another root": lambda layers: (2 * layers) ** -0.5,
        "of a half": lambda layers: math.sqrt(0.5 / layers),
        "steps in place of layers": lambda layers: 1 / math.sqrt(2 * (layers - 1)),
        "exact": lambda layers: math.sqrt(math.exp(0.5 / layers) - 1),
        "negative": lambda layers: -1 / math.sqrt(2 * layers),
    },
}
CASES = [(name, case, given) for name, cases in RIGHT.items() for case, given in cases.items()]


@pytest.mark.parametrize("name, case, given", CASES, ids=[f"{name}: {case}" for name, case, _ in CASES])
def test_other_right_answers_pass(name, case, given):
    verdict = getattr(check, name)(given)
    assert verdict, verdict


WRONG = {
    "hold_the_range": {
        "1/n": (lambda n: 1 / n, "the variance in place of its root. 1 / fan_in"),
        "2/n": (lambda n: 2 / n, "the variance in place of its root. 2 / fan_in"),
        "root": (math.sqrt, "upside down"),
        "n": (lambda n: n, "upside down"),
        "Xavier's limit": (lambda n: math.sqrt(6 / (n + n)), "the limit in place of the spread"),
        "PyTorch's layer": (lambda n: 1 / math.sqrt(3 * n), "the spread of numbers from ±1/√fan_in"),
        "0.01": (lambda n: 0.01, "one number for every width"),
        "1": (lambda n: 1, "one number for every width"),
        "right at 32": (lambda n: 1.2 / math.sqrt(32), "one number for every width"),
        "right at 128": (lambda n: 1.2 / math.sqrt(128), "one number for every width"),
        "0.9": (lambda n: 0.9 / math.sqrt(n), "weights too small"),
        "0.95": (lambda n: 0.95 / math.sqrt(n), "weights too small"),
        "5/3": (lambda n: 5 / 3 / math.sqrt(n), "weights too large"),
        "0": (lambda n: 0, "all weights 0"),
        "negative": (lambda n: -1 / math.sqrt(n), "A finite number above 0"),
        "a list": (lambda n: [1 / math.sqrt(n)], "A number was expected; it returned a list"),
    },
    "relu_vanishes": {
        "0.1": (lambda d: 0.1, "one gain for every depth"),
        "half": (lambda d: 0.5, "one gain for every depth"),
        "0.01": (lambda d: 0.01, "one gain for every depth"),
        "whole": (lambda d: 1e-6, "the whole factor in one step"),
        "1e-9": (lambda d: 1e-9, "the whole factor in one step"),
        "share": (lambda d: 1e-9 / (d - 1), "divided by the steps"),
        "share of layers": (lambda d: 1 / d, "divided by the steps"),
        "root upside down": (lambda d: 1e9 ** (1 / (d - 1)), "a gain above 1"),
        "2": (lambda d: 2, "a gain above 1"),
        "on the edge": (lambda d: 1e-6 ** (1 / (d - 1)), "on the edge"),
        "on the edge, layers": (lambda d: 1e-6 ** (1 / d), "on the edge"),
        "a power": (lambda d: 0.5**d, "the power taken twice"),
        "a power of the steps": (lambda d: 0.5 ** (d - 1), "the power taken twice"),
        "0": (lambda d: 0.0, "all weights 0"),
    },
    "sigmoid_survives": {
        "xavier": ({"init": "xavier", "gain": 1, "residual": False}, "nothing against the ¼"),
        "he": ({"init": "he", "gain": 1.0}, "nothing against the ¼"),
        "four": ({"init": "xavier", "gain": 4}, "4 against ¼"),
        "normal": ({"init": "normal", "gain": 1.0}, "not enough yet"),
        "six": ({"gain": 6}, "not enough yet"),
        "too large": ({"init": "normal", "gain": 4.0}, "too much of it"),
        "huge": ({"init": "normal", "gain": 100}, "saturated"),
        "small": ({"init": "normal", "gain": 0.01}, "smaller weights"),
        "0": ({"gain": 0}, "all weights 0"),
        "relu": ({"activation": "relu", "init": "he"}, "another activation"),
        "shallow": ({"init": "xavier", "depth": 3}, "another size"),
        "residual scale 0": ({"residual": True, "residual_scale": 0}, "residual scale 0"),
        "residual, large": ({"init": "normal", "gain": 10, "residual": True}, "the way around is outdone"),
        "no such init": ({"init": "glorot"}, "deep_pass does not take these settings: init is one of"),
        "no such setting": ({"std": 1}, "'std' is not one of the settings that are open"),
        "a list": ([10], "A dict of settings was expected; this is a list"),
    },
    "residual_scale": {
        "1": (lambda n: 1, "not scaled"),
        "1/√L": (lambda n: 1 / math.sqrt(n), "twice the variance"),
        "1/L": (lambda n: 1 / n, "the square forgotten"),
        "1/2L": (lambda n: 1 / (2 * n), "the root forgotten"),
        "√2L": (lambda n: math.sqrt(2 * n), "upside down"),
        "no brackets": (lambda n: 1 / math.sqrt(2) * n, "brackets missing. Python works"),
        "no brackets in the root": (lambda n: math.sqrt(1 / 2 * n), "brackets missing. That is"),
        "2 outside": (lambda n: 1 / (2 * math.sqrt(n)), "the 2 outside the root"),
        "0.1": (lambda n: 0.1, "one scale for every depth"),
        "√½": (lambda n: math.sqrt(0.5), "one scale for every depth"),
        "0": (lambda n: 0, "residual scale 0"),
        "2/√L": (lambda n: 2 / math.sqrt(n), "the number before 1/√L"),
        "1/L²": (lambda n: 1 / n**2, "less and less"),
        "1/∛L": (lambda n: n ** (-1 / 3), "too much in all"),
    },
}
MISSES = [(name, case, *pair) for name, cases in WRONG.items() for case, pair in cases.items()]


@pytest.mark.parametrize("name, case, given, said", MISSES, ids=[f"{name}: {case}" for name, case, *_ in MISSES])
def test_wrong_answers_are_explained(name, case, given, said):
    verdict = getattr(check, name)(given)
    assert verdict.state == "wrong" and said in verdict.text(), verdict.text()


def test_the_first_failing_case_shows_what_a_learner_would_see():
    """The ratio beside the code is the one that this code gives, as a mean over seeds."""
    verdict = check.sigmoid_survives({"init": "xavier", "gain": 4.0})
    assert verdict.case.splitlines() == [
        "settings = dict(init='xavier', gain=4.0)",
        'deep_pass("sigmoid", **settings, depth=12).ratio',
    ]
    ratios = [deep_pass("sigmoid", init="xavier", gain=4.0, depth=12, seed=seed).ratio for seed in range(5)]
    assert float(verdict.rows[0][2]) == pytest.approx(math.prod(ratios) ** 0.2, rel=0.01)


def test_no_single_spread_suits_all_widths():
    """The exercise cannot be passed without fan_in."""
    assert not any(check.hold_the_range(lambda n, one=one: one) for one in np.geomspace(0.02, 1, 24))


def test_no_single_gain_suits_all_depths():
    assert not any(check.relu_vanishes(lambda d, one=one: one) for one in np.geomspace(1e-4, 2, 30))


def test_no_single_residual_scale_suits_all_depths():
    assert not any(check.residual_scale(lambda n, one=one: one) for one in np.geomspace(0.01, 1, 24))


@pytest.mark.parametrize(
    "verdict",
    [
        lambda: check.hold_the_range(lambda fan_in: 1 / (fan_in - fan_in)),
        lambda: check.relu_vanishes(lambda depth: undefined),  # noqa: F821
        lambda: check.sigmoid_survives({"init": lambda rng, n: rng.nothing(n)}),
        lambda: check.residual_scale(lambda: 1),
    ],
    ids=NAMES,
)
def test_an_error_in_the_answer_is_told_in_two_sentences(verdict):
    found = verdict()
    assert found.state == "wrong" and len(found.says) == 2
    assert found.says[0].startswith("Tested: ") and "It raised " in found.says[1]


def test_what_is_missing_is_not_yet():
    assert check.hold_the_range(lambda fan_in: None).state == "not yet"
    assert "each `...`" in check.sigmoid_survives({"init": "he", "gain": ...}).text()


def test_an_endless_loop_is_stopped(monkeypatch):
    monkeypatch.setattr(guard.guarded, "__defaults__", (0.3, guard.PATIENCE))

    def endless(fan_in):
        while True:
            pass

    assert "loop that never ends" in check.hold_the_range(endless).text()


def test_every_section_that_is_named_exists():
    mistakes = [each for each in vars(lesson_10).values() if isinstance(each, Mistake)]
    mistakes += [mistake for mistake, _ in (*lesson_10.SPREAD_SLIPS, *lesson_10.SCALE_SLIPS)]
    notebook = lessons.read(lessons.NOTEBOOKS / f"{LESSONS['10']}.ipynb")
    headings = [line for cell in lessons.cells(notebook, "markdown") for line in cell.source.splitlines()]
    assert len(mistakes) > 20
    for mistake in mistakes:
        assert mistake.lesson == "10" and f"## {mistake.section}" in headings, mistake


@pytest.mark.parametrize("name", NAMES)
def test_a_wrong_answer_is_never_told_the_solution(name):
    solution = library.solution(name).code.splitlines()[-1].strip().removeprefix("return ")
    for given, _ in WRONG[name].values():
        assert solution not in getattr(check, name)(given).text()
