"""The check of three_tests: what it says of a learner's tests; and the cases that it shows can be run.

Answers to the other exercises, right and wrong, are in tests/attempts.
"""

import ast

import pytest

from exercises.content import library
from exercises.engine_file import check
from exercises.judging.grading import run_all

GOOD = (
    (lambda x, w, b: ((b + x @ w).tanh() * b).sum(), [(2, 3), (3, 4), (4,)]),
    (lambda x: (x[[1, 1, 0]].softmax() * x).sum(axis=1).tanh().sum(), [(3, 4)]),
    (lambda a, b: (a + b + a).sum(), [(2,), (2,)]),
)


def all_at_once(x, w, b):
    h = b + x @ w
    return ((h + b)[[1, 1, 0]].softmax() * (h + b)).sum(axis=1).tanh().sum() + (h * b).tanh().sum()


def test_two_tests_may_suffice():
    assert check.three_tests(list(GOOD))
    assert check.three_tests((*GOOD, None)[:3])
    two = [(all_at_once, [(3, 2), (2, 4), (4,)]), GOOD[2]]
    assert check.three_tests(two), check.three_tests(two)


def test_too_many_or_no_tests_get_a_message():
    assert "at most 3 are allowed" in check.three_tests([*GOOD, GOOD[0]]).render_text()
    assert check.three_tests([..., ...]).state == "not yet"
    assert check.three_tests([]).state == "not yet"


def test_missed_engines_are_named_with_the_reason():
    verdict = check.three_tests(list(GOOD[:2]))
    assert (
        "2 tests catch 11 of 12" in verdict.render_text() and "nothing meets its input again" in verdict.render_text()
    )
    verdict = check.three_tests([GOOD[2]])
    assert "an operation that no test uses" in verdict.render_text() and "nothing is broadcast" in verdict.render_text()


def test_reason_is_given_only_if_it_holds():
    """TM3 gets away if an upstream other than ones is 0: then the verdict must not mention ones."""
    silent = [(lambda x, w: ((x @ w) * 0.0).sum() + (x @ w).sum() * 0.0, [(2, 3), (3, 4)]), GOOD[1], GOOD[2]]
    verdict = check.three_tests(silent)
    assert verdict.state == "wrong" and "upstream is all ones" not in verdict.render_text()


@pytest.mark.parametrize("name", ["rows_vjp", "sum_vjp", "matmul_vjps"])
def test_displayed_cases_are_valid_python(name):
    checked = getattr(check, name)
    tests, _ = run_all(checked.tests(checked.answers(library.solution(name).code)))
    assert tests and [each for each in tests if not ast.parse(each.case)] == []


def test_reuse_advice_is_omitted_when_a_test_reuses_an_input():
    tests = [GOOD[0], (lambda a, b: (((a + b) + a) * (a + b).softmax() * a).sum(), [(2, 3), (2, 3)])]
    assert "nothing meets its input again" not in check.three_tests(tests).render_text()
