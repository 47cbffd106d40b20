"""The checks of check_gradients, dual and six_tests: their tests, and what they say of a learner's own tests.

Answers to the first two, right and wrong, are in tests/attempts.
"""

import math

import pytest

import autograd
from autograd.dual import forward_gradient
from exercises.content import library
from exercises.engine_file import check
from exercises.engines.wrong_engines import WRONG_ENGINES, Engine
from exercises.judging.kills import kill_matrix
from exercises.tasks.check_gradients import check as check_gradients_check
from exercises.tasks.dual import check as dual_check
from exercises.tasks.six_tests import check as six_tests_check
from exercises.verdicts.cases import FLOATS


@pytest.fixture(autouse=True)
def own_progress(tmp_path, monkeypatch):
    monkeypatch.setenv("BACKPROP_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("BACKPROP_ENGINE_DIR", str(tmp_path))


def verdict(name, *changes):
    checked, code = getattr(check, name), library.solution(name).code
    for old, new in changes:
        assert old in code
        code = code.replace(old, new)
    return checked(*checked.answers(code))


def names_in(found):
    return [mistake.name for mistake in found.mistakes]


# The gradient check


def test_failing_gradient_check_shows_case_graph_and_numbers():
    found = verdict("check_gradients", ("(2 * epsilon)", "epsilon"))
    assert found.case.startswith("def f(a):\n    b = a**3\n    return b") and found.case.endswith("f, [1.5], 0.5)")
    assert found.rows == (("largest difference", 0.25, pytest.approx(2 * 7.0 - 6.75)),)  # slope 7, gradient 6.75
    assert "Computation graph" in found.html()


def test_gradient_check_is_tested_on_wrong_engines():
    tests = check_gradients_check.gradient_tests()
    tried = {each.id for each in WRONG_ENGINES for test in tests if test.engine is each.engine}
    assert tried == {*check_gradients_check.TESTED, "M18"}
    assert [
        test
        for test in tests
        if (test.name and test.case is not check_gradients_check.TURNED) and not (test.answer > 1e-2)
    ] == []
    turned = next(test for test in tests if test.case is check_gradients_check.TURNED)
    assert turned.answer < 1e-4 and turned.numbers == [3.0]  # backward fits the wrong function that nudging finds


def test_expected_differences_match_dual_numbers_and_floats():
    for test in check_gradients_check.gradient_tests():
        if test.engine is Engine:
            case, step = test.case, test.epsilon or 1e-5

            def output(*xs, case=case):
                return case.compute(xs, FLOATS)[case.root]

            true = forward_gradient(lambda *xs, case=case: case.compute(xs)[case.root], test.numbers)
            nudged = autograd.numerical_gradient(output, test.numbers, step)
            assert test.is_near(max(abs(g - s) for g, s in zip(true, nudged)))


# Dual numbers


@pytest.mark.long
def test_two_combined_mistakes_are_both_named():
    product = "self.derivative * other.value + self.value * other.derivative"
    found = verdict("dual", (product, "self.derivative * other.derivative"), ("(y, y * self.derivative)", "(y, y)"))
    [both] = names_in(found)
    assert set(both.split(", and ")) == {"the derivatives are multiplied", "the derivative that comes in is left out"}


def test_first_dual_tests_are_single_operations():
    assert [len(test.case.steps) for test in dual_check.forwards()[:10]] == [1] * 10
    found = verdict("dual", ("(1 - y * y)", "(1 - y)"))
    assert found.case == "a = Dual(0.5, 2.0)\nc = a.tanh()" and len(found.rows) == 1


def test_expected_derivatives_match_finite_differences():
    for test in dual_check.forwards():
        seeds, step = [seed or 0.0 for seed in test.seeds], 1e-6
        ends = [
            test.case.compute([x + way * step * seed for (_, x), seed in zip(test.case.leaves, seeds)], FLOATS)
            for way in (1, -1)
        ]
        slope = (ends[0][test.case.root] - ends[1][test.case.root]) / (2 * step)
        assert test.answers[test.case.root].derivative == pytest.approx(slope, rel=1e-5, abs=1e-6)


def test_dual_rejects_instances_and_the_course_class():
    assert "The class itself was expected" in check.dual(dual_check.Forward((), ())).render_text()
    assert "comes from the course itself" in check.dual(autograd.Dual).render_text()


# Six tests


def shared(a, b):
    h = a * b
    return h.tanh() * h + h.exp() * h


SHARED = (shared, [0.5, 0.8])
SUMS = (lambda a, b: (a + a * b) * (a * b + b), [2.0, 3.0])
WEAK = {  # and what is named, at least
    "equal factors": ([(lambda a, b: (a * b + a).tanh(), [0.5, 0.5])], "no result is used twice"),
    "few operations": ([SHARED], "an operation that no test uses"),
    "relu times relu": ([SHARED, (lambda a: ((a - 1) ** 2 / 2).relu() * (-a).relu(), [0.5])], "no gradient arrives"),
    "numbers on the right": (
        [SHARED, SUMS, (lambda a: ((a - 1) ** 2 / 2).relu() + (-a).relu(), [0.5])],
        "no number stands on the left",
    ),
    "relu above 0": (
        [SHARED, (lambda a: (1 - a).relu() * (1 / a) ** 3 + (2 - a), [0.5])],
        "relu is never used below 0",
    ),
    "a number before / alone": (
        [SHARED, SUMS, (lambda a: (2 / a).relu() + a**2, [0.5])],
        "no number stands before a minus",
    ),
    "1 - v squared": ([SHARED, SUMS, (lambda a: (1 - a) ** 2 * 3 + 1 / a, [0.5])], "a minus that does not matter"),
    "behind a closed gate": ([SHARED, SUMS, (lambda a: (-a - a**2).relu() + a, [0.5])], "no gradient arrives"),
}


@pytest.mark.parametrize("tests, mistake", WEAK.values(), ids=WEAK)
def test_weak_tests_get_their_shared_weakness_named(tests, mistake):
    found = check.six_tests(tests)
    assert found.state == "wrong" and mistake in names_in(found), found.render_text()
    away = [w for w in WRONG_ENGINES if w not in kill_matrix(tests).caught]
    assert len(away) > 2 and f"Not caught, for example: {away[0].id}, {away[0].name}." in found.render_text()


def test_advice_never_mentions_things_the_tests_already_do():
    both = check.six_tests([SHARED, SUMS, (lambda a: (a - 1).relu() * 2 + (1 - a).relu(), [0.5])])
    assert both.state == "wrong" and "below 0" not in both.render_text()  # relu is used on both sides
    squared = check.six_tests(WEAK["1 - v squared"][0])
    assert [name for name in names_in(squared) if name.startswith("no number stands")] == []
    exponents = check.six_tests([SHARED, (lambda a: a**2.3456789 * 2, [100.0])])
    assert [w for w in WRONG_ENGINES if w.name in exponents.render_text() and "**" in w.name] == []


GOOD = [
    SHARED,
    (lambda a, b: (a + a * b) * (a * b + b) * a**2, [2.0, 3.0]),
    (lambda a: a.exp() * a.exp() + (1 - a).relu() * a + 1 / a, [2.0]),
]


@pytest.mark.parametrize("tests", [[*GOOD, ..., None], tuple(GOOD), (test for test in GOOD), [list(t) for t in GOOD]])
def test_three_tests_may_suffice_and_missed_engines_are_named(tests):
    found = check.six_tests(tests)
    assert found and "3 tests catch" in found.render_text()
    assert 18 <= kill_matrix(GOOD).score < 20
    assert [w for w in WRONG_ENGINES if w not in kill_matrix(GOOD).caught and w.name not in found.render_text()] == []


def test_too_many_or_invalid_tests_are_rejected():
    assert "at most 6" in check.six_tests([*GOOD, *GOOD, *GOOD]).render_text()
    for bad, said in (
        ((lambda a: a, 3.0), "The inputs are a list of numbers"),
        (3, "A test is a pair (f, xs)"),
        ((lambda a: a / 0, [1.0]), "ZeroDivisionError"),
        ((lambda a: 3, [1.0]), "it returned an int"),
        ((lambda a: a * 1e308 * 10, [5.0]), "too large for a float"),
    ):
        found = check.six_tests([bad])
        assert found.state == "wrong" and said in found.render_text(), found.render_text()
    assert "A list of pairs" in check.six_tests(3).render_text()
    assert "Put it in a list" in check.six_tests((lambda a: a, [3.0])).render_text()


def test_assertions_and_assignments_inside_f_are_reported():
    def asserts(a):
        a.backward()
        return a

    def compares(a):
        assert (a * a) == 4
        return a

    def sets(a):
        a.data = 5.0
        return a * a

    def sets_a_constant(a):
        two = autograd.Value(2.0)
        two.data = 3.0
        return a * two

    for f in (asserts, compares, sets, sets_a_constant, lambda a: a * a.data, lambda a: a * len(a._prev)):
        assert names_in(check.six_tests([(f, [2.0])])) == ["more than computing inside f"]


def test_solution_catches_all_twenty_engines():
    (tests,) = check.six_tests.answers(library.solution("six_tests").code)
    assert kill_matrix(tests).score == 20 and len(tests) <= six_tests_check.MOST
    for f, xs in tests:
        assert [each for each in forward_gradient(f, xs) if not math.isfinite(each)] == []
