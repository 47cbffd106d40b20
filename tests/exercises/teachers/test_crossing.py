"""What crosses from where a hand-in ran to where it is judged: plain data; and which of it bears out a pass."""

import importlib
import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from exercises.shelf import library
from exercises.teachers.report import crossing, judging

STRANGE = (
    [],
    {},
    {"state": "fine"},
    {"state": "passed", "seed": "1"},
    {"state": "passed", "seed": -1, "tests": [], "unseen": []},
)


@pytest.mark.parametrize("data", STRANGE, ids=range(len(STRANGE)))
def test_what_crosses_is_held_to_its_schema(data):
    with pytest.raises(crossing.Strange):
        crossing.observation("slope", data)


PLAIN = (
    None,
    True,
    1,
    -0.5,
    math.inf,
    "é",
    [1, [2.0]],
    (1, "a"),
    {1, 2},
    frozenset("a"),
    {"a": [1], 2: None},
    ...,
    [..., ()],
)


@pytest.mark.parametrize("thing", PLAIN, ids=map(repr, PLAIN))
def test_plain_data_cross_as_they_are(thing):
    there = json.loads(json.dumps(crossing.packed(thing)))
    assert (
        crossing.is_plain(thing) and crossing.unpacked(there) == thing and type(crossing.unpacked(there)) is type(thing)
    )


def test_a_learners_object_crosses_as_its_kind_alone():
    class Sly(float):
        __eq__ = __float__ = __pos__ = lambda *_: 1 / 0
        __hash__ = None

    assert crossing.packed([Sly(2.5), Path]) == {"list": [2.5, {"other": "type"}]}
    assert repr(crossing.unpacked({"other": "type"})) == "<type>" and not crossing.is_plain(Path)
    with pytest.raises(crossing.Strange):
        crossing.unpacked({"dict": [[["a"], 1]]})


@pytest.mark.parametrize("name", library.names())
def test_the_right_answers_are_borne_out_by_what_was_observed_of_them(name):
    """And none that tells less, or other numbers."""
    check = getattr(importlib.import_module("exercises.engine_file.check"), name)
    code = library.solution(name).code
    answers = check.answers(code)
    found = check.observe(*answers)
    data = json.loads(json.dumps(crossing.of_observation(found)))
    lines, given = [line.strip() for line in code.splitlines()], answers if crossing.is_plain(answers) else None
    assert judging.state_of(check, crossing.observation(name, data), given, lines) == "passed"
    fewer = replace(crossing.observation(name, data), tests=())
    assert judging.state_of(check, fewer, None, lines) == judging.DOUBT
    if check.wants_seed and found.seed:
        other = replace(crossing.observation(name, data), seed=found.seed + 1)
        assert judging.state_of(check, other, None, lines) == judging.DOUBT
    if name not in crossing.OF_THE_ANSWER:
        for test in data["tests"]:
            for row in test["rows"]:
                row[2] = {"other": "sphinx"}
        assert judging.state_of(check, crossing.observation(name, data), None, lines) == judging.DOUBT
