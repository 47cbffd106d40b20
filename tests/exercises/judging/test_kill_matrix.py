"""Learners' tests against the wrong engines."""

import collections
import random

import numpy as np
import pytest

import autograd
from exercises.engine_file import check, parts
from exercises.engines.wrong_engines import WRONG_ENGINES, Engine
from exercises.judging.matrices import KillMatrix


def caught_by(test):
    return [wrong.id for wrong in check.kill_matrix([test]).caught]


def test_kill_matrix_of_products_and_sums():
    assert "M10" in caught_by((lambda a, b: a + b, [2.0, 3.0]))
    assert set(caught_by((lambda a, b: a * b, [2.0, 3.0]))) == {"M10", "M12"}
    assert "M1" in caught_by((lambda a: a + a, [2.0]))
    assert "M18" in caught_by((lambda a: 1 - a, [3.0])) and "M19" in caught_by((lambda a: 1 / a, [3.0]))
    assert "M16" in caught_by((lambda a: a.relu(), [0.0])) and "M17" in caught_by((lambda a: a.relu(), [-1.0]))
    assert "M20" in caught_by((lambda a, b: (a + b).tanh() * b, [1.0, 1.0]))


def test_matrix_rows_are_engines_and_columns_are_tests():
    matrix = check.kill_matrix([(lambda a: a + a, [2.0]), (lambda a: a.exp(), [1.5])])
    assert len(matrix.killed) == 2 and [row for row in matrix.killed if len(row) != 20] == []
    assert matrix.score == len(matrix.caught) == sum(any(column) for column in zip(*matrix.killed))
    assert matrix.html().count("<tr>") == 22 and matrix.html().count('scope="col"') == 3
    assert matrix.html().count("✓") == sum(map(sum, matrix.killed)) and "✗" not in matrix.html()
    assert matrix.html().count("font-weight:bold") == 20 - matrix.score
    assert f"2 tests: {matrix.score} of 20 wrong engines caught." in repr(matrix)
    assert "M20 (nodes identified by their number)" in repr(matrix)


def test_unwritten_tests_are_named_in_one_sentence():
    matrix = check.kill_matrix([..., None, ...])
    assert repr(matrix).splitlines()[0] == "3 tests: 0 of 20 wrong engines caught."
    assert matrix.faults == ("Tests 1, 2, 3 are not written yet.",)
    assert "Not caught" not in matrix.html() and "wrong engines caught.</b></p>" in matrix.html()


def test_wrong_test_catches_nothing_and_is_reported():
    rng = random.Random(1)
    for test, said in [
        (None, "Test 1 is not written yet."),
        (..., "Test 1 is not written yet."),
        (lambda a: a, "A test is a pair (f, xs)"),
        ((lambda a: a.nothing(), [1.0]), "It raised AttributeError"),
        ((lambda a: a * rng.random(), [1.0]), "It fails on the right engine too."),
        ((lambda a: None, [1.0]), "Tested: test 1. It returned None. Is a `return` missing?"),
        ((lambda a, b: a, [1.0]), "It raised TypeError"),
        ((lambda a: 3, [1.0]), "it returned an int"),
        ((lambda a: a, 3.0), "The inputs are a list of numbers"),
        ((lambda a: a, "3"), "The inputs are a list of numbers"),
        ((lambda a: a, ["0.7"]), "one of them is the string"),
        ((lambda a: a, [b"1"]), "one of them is a bytes"),
        ((lambda a: a, [None]), "one of them is None"),
        ((lambda a, b: a * b, [float("nan"), 2.0]), "One of the inputs is nan"),
        ((lambda a, b: a * b, [2.0, -float("inf")]), "One of the inputs is -inf"),
        ((lambda a: a * float("nan"), [2.0]), "Its value or a gradient is nan"),
        ((lambda a: a * 1e308 * 10, [5.0]), "too large for a float"),
        ((lambda a: a * a.data, [5.0]), "f uses .data. f only computes"),
    ]:
        matrix = check.kill_matrix([test])
        assert matrix.score == 0 and said in repr(matrix) and said.split("(")[0] in matrix.html()


PRODUCT = (lambda a, b: a * b, [2.0, 3.0])


@pytest.mark.parametrize("keeps", [lambda call, n: call > n + 3, lambda call, n: call % n == 0], ids=["later", "each"])
@pytest.mark.parametrize("n", range(3, 13))
def test_f_that_repeats_an_earlier_result_catches_nothing(keeps, n):
    made = []

    def f(a, b):
        made.append(made[-1] if keeps(len(made) + 1, n) else a * b + a)
        return made[-1]

    assert check.kill_matrix([(f, [2.0, 3.0])]).score == 0


def test_invalid_arguments_get_messages():
    for given, said in [
        ((), "It takes one list of tests"),
        ((PRODUCT, PRODUCT), "It takes one list of tests"),
        ((PRODUCT,), "Put it in a list"),
        ((3,), "it is an int"),
        (({},), "it is a dict"),
        (("abc",), "it is the string 'abc'"),
        ((None,), "it is None"),
    ]:
        matrix = check.kill_matrix(*given)
        assert matrix.score == 0 and said in repr(matrix), matrix
        assert "<table>" not in matrix.html() and "wrong engines" not in repr(matrix)
    assert "It takes one list of tests" in repr(check.kill_matrix(tests=[PRODUCT]))


@pytest.mark.parametrize("kind", [list, tuple, collections.deque, iter])
def test_tests_may_come_in_any_sequence(kind):
    assert check.kill_matrix(kind([PRODUCT])) == check.kill_matrix([(PRODUCT[0], np.array([2.0, 3.0]))])


def test_value_in_a_test_becomes_a_leaf_of_the_tested_engine():
    names = {"Value": parts.value_class("backward"), "autograd": autograd, "two": autograd.Value(2.0)}
    plain = check.kill_matrix([(lambda a: (a * 2.0).tanh() * a, [3.0])])
    for written in ("a * Value(2.0)", "Value(2.0, label='two') * a", "autograd.Value(2) * a", "two * a", "a * two"):
        before = dict(names)
        f = eval(f"lambda a: ({written}).tanh() * a", names)
        assert check.kill_matrix([(f, [3.0])]) == check.kill_matrix([(f, [autograd.Value(3.0)])]), written
        assert check.kill_matrix([(f, [3.0])]).caught == plain.caught and not plain.faults
        assert [(name, thing) for name, thing in before.items() if names[name] is not thing] == []
    assert autograd.Value is autograd.value.Value


def test_no_tests_catch_nothing():
    assert check.kill_matrix([]) == KillMatrix(())
    assert check.kill_matrix([]).score == 0


def test_every_wrong_engine_can_be_caught_but_the_right_one_cannot():
    from exercises.judging.matrices import Scalars
    from exercises.verdicts.cases import cases

    tests = [
        (lambda *xs, case=case: case.compute(xs)[case.root], [number for _, number in case.leaves])
        for case in cases(count=16)
    ]
    matrix = check.kill_matrix(tests)
    assert matrix.score == len(WRONG_ENGINES) and not matrix.faults and "None was missed." in repr(matrix)
    for case, (f, xs) in zip(cases(count=16), tests):
        assert Scalars().agrees(f, xs, Engine, case.value, list(case.gradients().values()))
