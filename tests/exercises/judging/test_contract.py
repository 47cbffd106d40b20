"""The contract of every exercise: its solution, stub and hints, its known mistakes, and answers of any kind."""

import collections
import fractions
import math
import os
import random
import subprocess
import sys
import time

import numpy as np
import pytest

from exercises.authors import missing
from exercises.content import library
from exercises.engine_file import check
from exercises.explaining.catalogue import known_mistakes
from exercises.judging.grading import UNKNOWN
from exercises.verdicts.results import Verdict
from tests import sampling

NAMES = tuple(check.LESSON_OF)
MISTAKES = [(name, each) for name in NAMES for each in known_mistakes(name)]
TRAINS = ("repairs",)  # a check of these trains seven programs, twice each
each_exercise = pytest.mark.parametrize("name", NAMES)


@each_exercise
def test_solution_passes_in_time(name):
    """A third of a second is the aim (`python -m benchmarks.checks`); here the test machine may be busy."""
    checked, code = getattr(check, name), library.solution(name).code
    assert (found := missing.verdict(name, code)), found
    answers, before = checked.answers(code), time.process_time()
    assert checked(*answers)
    assert time.process_time() - before < 1.0 or name in TRAINS


@each_exercise
def test_exercise_is_complete(name):
    """By `python -m exercises new LESSON NAME`, except for the known mistakes, which the next test covers."""
    assert [*missing.of_files(name), *missing.of_lesson(name)] == []


@pytest.mark.parametrize("name, each", MISTAKES, ids=lambda x: x if isinstance(x, str) else x.mistake.name)
def test_known_mistake_is_named(name, each):
    assert [*missing.of_mistake(name, each)] == []


@each_exercise
def test_two_hints_and_the_solution_unfold_separately(name):
    shown = library.hints(name)._repr_mimebundle_()
    assert shown["text/html"].count("<details>") == 3
    assert library.solution(name).code.strip() not in shown["text/plain"]  # in text, only the first hint


ONE_MISTAKE_EACH = """
import hashlib
from exercises import check
from exercises.content import library
from exercises.explaining.catalogue import known_mistakes
for name in {}:
    checked = getattr(check, name)
    for each in known_mistakes(name)[:1]:
        code = each.codes(library.solution(name).code)[0]
        print(name, hashlib.sha256(checked(*checked.answers(code)).html().encode()).hexdigest())
"""


@pytest.mark.long
def test_verdict_is_the_same_in_fresh_processes(tmp_path):
    said, code = set(), ONE_MISTAKE_EACH.format(sampling.sample(NAMES, 6))
    for seed in "123":
        places = {"BACKPROP_DATA_DIR": str(tmp_path / seed), "BACKPROP_ENGINE_DIR": str(tmp_path / seed)}
        environment = os.environ | places | {"PYTHONHASHSEED": seed}
        ran = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", env=environment)
        assert ran.returncode == 0, ran.stderr
        said.add(ran.stdout)
    assert len(said) == 1 and len(said.pop().splitlines()) == len(sampling.sample(NAMES, 6))


class Hostile:
    """An object that raises whatever anybody does with it."""

    def fail(self, *others):
        raise ValueError(*others)

    __getattr__ = __eq__ = __bool__ = __repr__ = __float__ = fail
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


@pytest.mark.parametrize("kind", STRANGE)
@each_exercise
def test_strange_answer_gets_a_message(name, kind):
    random.seed(1)
    checked = getattr(check, name)
    found = checked(*(STRANGE[kind]() for _ in checked.takes))
    assert isinstance(found, Verdict) and found.state != "passed", found
    said = found.render_text()
    assert said.startswith(("✗", "○")) and found.html() and UNKNOWN not in said, said


@each_exercise
def test_wrong_number_of_answers_or_unknown_name_gets_a_message(name):
    checked = getattr(check, name)
    assert checked().state == checked(...).state == checked(None).state == "not yet"
    assert checked(*[...] * len(checked.takes)).state == "not yet"
    assert "Call it like this: `check." in checked(*[1] * (len(checked.takes) + 1)).render_text()
    assert "Call it like this: `check." in checked(1, nonsense=2).render_text()
