"""What holds for every check: answers of any kind, any number of them, and answers that fail get a sentence."""

import collections
import fractions
import inspect
import math
import random

import numpy as np
import pytest

from exercises import check, library, parts
from exercises.grading import UNKNOWN
from exercises.verdict import Verdict

NAMES = tuple(check.LESSON_OF)


class Hostile:
    """An object that raises whatever is done with it."""

    def __getattr__(self, name):
        raise ValueError(name)

    def __eq__(self, other):
        raise ValueError

    def __bool__(self):
        raise ValueError

    def __repr__(self):
        raise ValueError

    def __float__(self):
        raise ValueError

    __hash__ = None


def failing(*args, **named):
    raise ValueError("no")


def leaving(*args, **named):
    raise SystemExit


STRANGE = {
    "an array": lambda: np.array([-3.0, 2.0, 6.0]),
    "a scalar of NumPy": lambda: np.float64(2.5),
    "a fraction": lambda: fractions.Fraction(1, 3),
    "a text": lambda: "abc",
    "bytes": lambda: b"\x00\xff",
    "half a character": lambda: "\udc80",
    "a generator": lambda: (x for x in range(3)),
    "a deque": lambda: collections.deque([1, 2]),
    "a class": lambda: collections.OrderedDict,
    "a function of Python": lambda: sum,
    "a module": lambda: math,
    "an empty dict": dict,
    "a huge number": lambda: 10**400,
    "nan": lambda: math.nan,
    "complex": lambda: 1j,
    "hostile": Hostile,
    "its class": lambda: Hostile,
    "a function that raises": lambda: failing,
    "a function that leaves": lambda: leaving,
    "a function that gives an array": lambda: lambda *args, **named: np.array([1.0, 2.0]),
    "a function that gives a text": lambda: lambda *args, **named: "text",
    "a function that gives itself": lambda: lambda *args, **named: STRANGE,
    "a function that gives an object that fails": lambda: lambda *args, **named: Hostile(),
    "a function that gives a generator": lambda: lambda *args, **named: (x for x in ()),
    "a function of no arguments": lambda: lambda: 1.0,
}


def takes(name):
    """How many things a check takes."""
    return (
        len(parts.BY_NAME[name].gives)
        if name in parts.BY_NAME
        else len(inspect.signature(getattr(check, name)).parameters)
    )


@pytest.mark.parametrize("kind", STRANGE)
@pytest.mark.parametrize("name", NAMES)
def test_a_strange_answer_gets_a_sentence(name, kind):
    random.seed(1)
    verdict = getattr(check, name)(*(STRANGE[kind]() for _ in range(takes(name))))
    assert isinstance(verdict, Verdict) and verdict.state != "passed", verdict
    said = verdict.text()
    assert said.startswith(("✗", "○")) and verdict.html() and UNKNOWN not in said, said


@pytest.mark.parametrize("name", NAMES)
def test_any_number_of_answers_gets_a_sentence(name):
    checked = getattr(check, name)
    assert checked().state == checked(...).state == checked(None).state == "not yet"
    assert "The check is called so: check." in checked(*[1] * (takes(name) + 1)).text()


@pytest.mark.parametrize("name", NAMES)
def test_names_that_it_does_not_have_get_a_sentence(name):
    assert "The check is called so: check." in getattr(check, name)(1, nonsense=2).text()


def test_each_exercise_has_a_solution():
    assert sorted(NAMES) == sorted(library.names())
