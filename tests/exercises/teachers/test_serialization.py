"""Only plain data crosses from the place where a hand-in ran to its judge; and only some of it proves a pass."""

import importlib
import json
import math
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from exercises.content import library
from exercises.sandbox.guard import TimeUp
from exercises.teachers.report import judging, observing, serialization
from tests.exercises.judging.test_attempts import ATTEMPTS, attempts
from tests.sampling import sample

STRANGE = (
    [],
    {},
    {"state": "fine"},
    {"state": "passed", "seed": "1"},
    {"state": "passed", "seed": -1, "tests": [], "unseen": []},
)


@pytest.mark.parametrize("data", STRANGE, ids=range(len(STRANGE)))
def test_serialized_data_must_match_the_schema(data):
    with pytest.raises(serialization.InvalidData):
        serialization.unpack_observation("slope", data)


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
def test_plain_data_survive_serialization(thing):
    there = json.loads(json.dumps(serialization.pack(thing)))
    assert (
        serialization.is_plain(thing)
        and serialization.unpack(there) == thing
        and type(serialization.unpack(there)) is type(thing)
    )


def test_custom_object_is_serialized_as_its_kind_only():
    class Sly(float):
        __eq__ = __float__ = __pos__ = lambda *_: 1 / 0
        __hash__ = None

    assert serialization.pack([Sly(2.5), Path]) == {"list": [2.5, {"other": "type"}]}
    assert repr(serialization.unpack({"other": "type"})) == "<type>" and not serialization.is_plain(Path)
    with pytest.raises(serialization.InvalidData):
        serialization.unpack({"dict": [[["a"], 1]]})


def right_answers(name):
    others = attempts(name) if (ATTEMPTS / f"{name}.md").exists() else ()
    return [library.solution(name).code, *(each.code for each in others if each.state == "passed")]


def crossed(check, code):
    """Return (what was observed of an answer, as it comes out of JSON; the lines of the answer)."""
    data = json.loads(json.dumps(observing.observed(check, check.answers(code), alone=False)))
    return data, [line.strip() for line in code.splitlines()]


@pytest.mark.parametrize("name", library.names())
def test_right_answers_are_confirmed_by_serialized_observations(name):
    """If several answers will do, the fourth of a row is a function of what came (`verdicts/results.py`)."""
    check = getattr(importlib.import_module("exercises.engine_file.check"), name)
    for code in sample(right_answers(name), 2):
        data, lines = crossed(check, code)
        assert judging.state_of(check, serialization.unpack_observation(name, data), data, lines) == "passed", code


@pytest.mark.parametrize("name", library.names())
def test_pass_is_not_confirmed_by_missing_or_altered_data(name):
    check = getattr(importlib.import_module("exercises.engine_file.check"), name)
    data, lines = crossed(check, library.solution(name).code)
    data.pop("answers", "")
    if "calls" in data:
        data["calls"] = [[call for call in calls if call["given"] != calls[0]["given"]] for calls in data["calls"]]
    found = serialization.unpack_observation(name, data)
    others = [replace(found, tests=()), *([replace(found, seed=found.seed + 1)] if found.seed else [])]
    if check.determinism != "own":
        for row in (row for test in data["tests"] for row in test["rows"]):
            row[2] = {"other": "sphinx"}
        others.append(serialization.unpack_observation(name, data))
    for other in others:
        assert judging.judged_state(check, other, data, lines) == judging.DOUBT


@pytest.mark.parametrize("at", ["error_in_exec", "error_before_exec"])
def test_stopped_cell_is_reported_as_a_loop(at):
    result = SimpleNamespace(error_in_exec=None, error_before_exec=None)
    shell = SimpleNamespace(run_cell=lambda text, silent: result)
    assert observing.run(shell, "while True: pass", 5.0) == ""
    setattr(result, at, TimeUp())
    assert observing.run(shell, "while True: pass", 5.0) == observing.LOOP
