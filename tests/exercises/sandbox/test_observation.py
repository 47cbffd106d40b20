"""Checks observe an answer in the tests that they show and in silent ones; and the answer's text decides."""

import multiprocessing
import random

import numpy as np
import pytest

from exercises.authors.sections import fault
from exercises.content import library
from exercises.engine_file import check
from exercises.explaining.catalogue import known_mistakes
from exercises.explaining.features import LIKE, SAME, SOME, possible, score
from exercises.explaining.mutations import all_mutations
from exercises.judging.grading import UNCHANGED, exercise
from exercises.verdicts.results import make_result
from tests import sampling

NAMES = tuple(check.LESSON_OF)


@exercise
def tripled(function, *, seed):
    """Made for these tests: a silent round needs a different number."""
    x = random.Random(seed).uniform(2, 9) if seed else 1.0
    yield make_result("It is not three times as much.", ("tripled", 3 * x, function(x)), case=f"tripled({x})")
    return "Three times as much."


TABLE = "def function(x):\n    return {1.0: 3.0}.get(x, 0.0)  # {}\n"


def test_lookup_table_of_shown_cases_fails_hidden_tests():
    found = [tripled(*tripled.answers(TABLE.replace("{}", str(i)))) for i in range(3)]
    assert [each for each in found if each] == []
    assert len({each.case for each in found}) == 3  # another text meets another number
    again = tripled(*tripled.answers(TABLE.replace("{}", "0")))
    assert again.render_text() == found[0].render_text()  # and the same text the same
    assert tripled(*tripled.answers("def function(x):\n    return 3 * x\n"))


def test_unchanged_message_is_only_for_the_stub_text():
    stub = library.stub("slope")
    assert UNCHANGED in check.slope(*check.slope.answers(stub)).render_text()
    begun = stub.replace("raise NotImplementedError", "x = 1\n    raise NotImplementedError")
    found = check.slope(*check.slope.answers(begun))
    assert found.state == "not yet" and UNCHANGED not in found.render_text()


RIGHT = "def f(a, b):\n    return a.relu() * b\n"
TEXTS = [  # what an answer's f(x, y) returns, what a mistake's f(a, b) returns, whether the text allows it
    ("x * y", "a * b", True),
    ("x.relu() * y", "a * b", False),
    ("x.relu() * y", "a.tanh() * b", False),
    ("-1 * x.relu()", "a.relu() * b * 1", True),
    ("no Python (", "a * b", True),
]


@pytest.mark.parametrize("answer, wrong, may_be", TEXTS)
def test_mistake_with_names_absent_from_the_text_is_ruled_out(answer, wrong, may_be):
    answer, wrong = f"def f(x, y):\n    return {answer}\n", f"def f(a, b):\n    return {wrong}\n"
    assert possible(answer, RIGHT, [wrong]) == may_be


def test_closest_text_scores_highest():
    same, like = "def f(a, b):\n    return a + b\n", "def f(one, other):\n    return one + other\n"
    assert score(same, RIGHT, [same]) == SAME > score(like, RIGHT, [same]) == LIKE
    assert score("", RIGHT, [same]) is None and score(RIGHT, RIGHT, [same]) < SOME


LOADED = ("slope", "rules", "topological_order", "unbroadcast", "softmax")


def answers():
    """Return (exercise, text) of answers that no file has: slips of solutions; of these a sample."""
    made = []
    for name in LOADED:
        texts = [mutation.code for mutation in all_mutations(library.solution(name).code)]
        made += [(name, text) for text in texts[:: len(texts) // 10][:10]]
    assert len(made) == 50
    return sampling.sample(made, 12)


def verdicts():
    for name in LOADED:
        getattr(check, name).kept.clear()
    return [getattr(check, name).judge(*getattr(check, name).answers(text)).render_text() for name, text in answers()]


def busy(stop):
    """Keep the machine busy until it is stopped."""
    while not stop.is_set():
        np.random.default_rng(0).standard_normal((200, 200)) @ np.ones((200, 200))


@pytest.mark.long
def test_verdict_is_the_same_under_load():
    spawned = multiprocessing.get_context("spawn")
    quiet, stop = verdicts(), spawned.Event()
    loads = [spawned.Process(target=busy, args=(stop,), daemon=True) for _ in range(3)]
    try:
        for each in loads:
            each.start()
        assert verdicts() == quiet and len(set(quiet)) > 10
    finally:
        stop.set()
        for each in loads:
            each.join(10)


@pytest.mark.parametrize("name", NAMES)
def test_section_on_a_mistake_contains_its_words(name):
    wrong = {each.mistake.name: said for each in known_mistakes(name) if (said := fault(each.mistake, each.words))}
    assert not wrong
