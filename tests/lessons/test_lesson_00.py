"""Lesson 00: runs with its exercise undone, wrong and done; its text says what the engine and the files say."""

import datetime
import fractions
import math

import numpy as np
import pytest

import autograd
from exercises.engine_file import check, keeping, store
from exercises.engine_file.places import FILE
from exercises.quizzes.quiz_data import load
from exercises.shelf import library
from exercises.shelf.lessons import LESSONS
from figures.labs import goal
from tests import notebooks
from tests.learners_files import put

LESSON = notebooks.Lesson("00")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A progress file and an engine of each test's own."""
    monkeypatch.setenv("BACKPROP_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("BACKPROP_ENGINE_DIR", str(tmp_path))
    return tmp_path


@pytest.mark.long
def test_the_goal_comes_first_then_the_self_test_and_the_map_says_what_is_done():
    LESSON.shows("✓ autograd: works", "✓ graphs: works", f"00 Start here {LESSONS[0].time} 0 of 1 0 of 7")
    assert f"{LESSONS[0].time}  1 of 1     0 of 7" in notebooks.text_of(notebooks.ran(LESSON.path, with_solutions=True))
    code = [cell.source for cell in notebooks.cells(notebooks.read(LESSON.path), "code")]
    assert code[0] == "import figures\n\nfigures.goal()" and "exercises.self_test()" in code


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (6.0, "6 is what c becomes"),
        (17, "Work out c for a = 2, then for a = 3"),
        (1.0000001, "expected a different number, got 1.0000001"),
        (math.nan, "got nan"),
        ("1", "A number was expected"),
        ([1], "A number was expected"),
        (True, "A number was expected"),
    ],
)
def test_wrong_answers_are_told_apart(answer, said):
    shown = check.first_answer(answer)
    assert not shown and said in repr(shown)


@pytest.mark.parametrize("answer", [1.0, 6 - 5, fractions.Fraction(2, 2), np.float64(1), 0.1 + 0.2 + 0.7])
def test_the_right_number_may_be_of_any_kind(answer):
    assert check.first_answer(answer)


def test_where_a_hand_is_stuck_and_what_it_says_of_the_course():
    stuck = {"a": -0.2, "b": 1.9, "c": -0.9}
    here = goal.Place(stuck).loss
    assert all(goal.Place({**stuck, dial: stuck[dial] + way}).loss > here for dial in stuck for way in (0.1, -0.1))
    LESSON.says(
        f"stuck near {here:.2f} or 0.15, no single dial, turned by a tenth, makes it better",
        f"the best of all is {goal.best():.4f}",
    )
    walked = goal.walk(dict.fromkeys("abc", 0.0))
    assert len(walked) == 1 + 4 * 10
    LESSON.says(
        f"pressed four times, turns all three at once, each against its slope, and brings the loss from "
        f"{walked[0].loss:g} to {walked[-1].loss:.4f}"
    )
    assert all((notebooks.NOTEBOOKS / lesson.file).exists() for lesson in LESSONS) and len(LESSONS) == 16
    LESSON.says(f"**{LESSONS[0].minutes} minutes.**", '9 in the first question of `exercises.quiz("00")`')
    assert 9 in [number for number, _ in load("00")["questions"][0]["number"]["wrong"]]


def test_the_numbers_of_its_graph_and_of_its_network():
    f, b = LESSON["f"], autograd.Value(3.0)
    assert (f.data, f._prev[0].data, f._prev[1].data) == (10, 5, 2)
    assert (autograd.Value(3.0) + b).data - (autograd.Value(2.0) + b).data == 1  # the exercise
    slopes = [p.grad for p in LESSON["network"].parameters()]
    LESSON.says(f"This network has {len(slopes)} dials.", f"which takes {len(slopes) + 1} runs")
    assert sum(abs(slope) < 0.2 for slope in slopes) > 0.75 * len(slopes), "Near 0: only a few dials matter much."


def test_what_it_says_of_the_learners_engine_is_so(folder):
    """A part passed stands in the file as it was written; reset gives it back, after a copy whose name has the date."""
    LESSON.says(f"`{FILE}`, a plain Python file beside the notebooks")
    code = library.solution("add").code
    assert put("add") == [([], "")]
    assert code.strip() in store.path().read_text(encoding="utf-8")
    assert "add is the course's again" in repr(keeping.reset("add"))
    assert len(list(folder.glob(f"*{datetime.date.today().isoformat()}*"))) == 1
