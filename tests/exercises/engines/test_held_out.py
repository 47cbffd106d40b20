"""The held-out engines and those of the bug hunt: each is wrong in its own way, and good tests catch it."""

import pytest

import autograd
from exercises.content import library
from exercises.engines.wrong_engines import HELD_OUT, HUNT, WRONG_ENGINES, Engine
from exercises.judging.matrices import Scalars, matrix_of
from exercises.verdicts import cases
from tests.behaviour import agree, behaviour_or_none

ALL = (*WRONG_ENGINES, *HELD_OUT)


class Both(Scalars):
    """All thirty-two."""

    wrong = ALL


@pytest.fixture(scope="module")
def seen():
    """Return what each engine gives on each of some graphs: {id: [behaviour or None]}; "right" is the right one's."""
    found = [case for seed in range(3) for case in cases.cases(count=16, seed=seed)]
    engines = {"right": Engine, **{wrong.id: wrong.engine for wrong in (*ALL, *HUNT)}}
    return {id: [behaviour_or_none(engine, case) for case in found] for id, engine in engines.items()}


@pytest.mark.parametrize("wrong", (*HELD_OUT, *HUNT), ids=lambda wrong: wrong.id)
def test_each_wrong_engine_differs_from_all_others(wrong, seen):
    alike = [
        other
        for other in seen
        if other != wrong.id and all(agree(one, two) for one, two in zip(seen[wrong.id], seen[other]))
    ]
    assert alike == []


def test_engine_names_are_complete_and_unique():
    assert [wrong.id for wrong in HELD_OUT] == [f"K{i}" for i in range(1, 13)]
    assert [wrong.id for wrong in HUNT] == [*(f"H{i}" for i in range(1, 13)), *(f"X{i}" for i in range(1, 5))]
    assert len({wrong.name for wrong in (*ALL, *HUNT)}) == 48


def used_twice(a, b):
    h = a * b
    return h.relu() * -h + h.tanh() * h + h.exp() * h - (h * 3) ** 3


GOOD = [  # six tests; that lesson 06's six do not catch all of the twelve is what makes them worth holding out
    (used_twice, [0.5, 0.8]),
    (lambda a, b: (a + a * b) * (a * b + b) / (b * b + 2), [2.0, 3.0]),
    (lambda a: (a.exp() * a.exp() + a * a) ** 2 + a.log().sigmoid(), [0.5]),
    (lambda a: ((1 - a).relu() * a + 1 / a) + a * 5, [2.0]),
    (lambda a, b: a * b + (a - b).relu() * 3, [1.0, 1.0]),
    (lambda a, b: (a + b).tanh() * b - (a * b * b).relu() * 2, [1.0, 1.0]),
]


def test_good_test_catches_every_wrong_engine():
    matrix = matrix_of((GOOD,), {}, Both())
    assert not matrix.faults and [wrong.id for wrong in ALL if wrong not in matrix.caught] == []
    for f, xs in GOOD:
        leaves = [autograd.Value(x) for x in xs]
        root = f(*leaves)
        root.backward()
        assert Both().agrees(f, xs, Engine, root.data, [leaf.grad for leaf in leaves])


def test_six_tests_of_lesson_06_miss_only_unlisted_engines():
    found = {}
    exec(library.solution("six_tests").code, found)
    away = [wrong.id for wrong in ALL if wrong not in matrix_of((found["six_tests"],), {}, Both()).caught]
    assert away and not set(away) & {wrong.id for wrong in WRONG_ENGINES}
