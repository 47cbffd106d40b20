"""Lesson 00: runs with its exercise undone, wrong and done; its text says what the engine and the files say."""

import fractions
import math
import re

import numpy as np
import pytest

import autograd
from exercises.engine_file import check, keeping, regions, store
from exercises.quizzes.quiz_data import load
from exercises.shelf import library
from exercises.shelf.lessons import LESSONS
from figures.labs import goal
from tests import notebooks

LESSON = notebooks.Lesson("00")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A progress file and an engine of each test's own."""
    monkeypatch.setenv("BACKPROP_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("BACKPROP_ENGINE_DIR", str(tmp_path))
    return tmp_path


def test_the_goal_comes_first_then_the_self_test_and_the_map_says_what_is_done():
    LESSON.shows("✓ autograd: works", "✓ graphs: works", "00 Start here 10 0 of 1 0 of 7")
    assert "10  1 of 1     0 of 7" in notebooks.text_of(notebooks.ran(LESSON.path, with_solutions=True))
    code = [cell.source for cell in notebooks.cells(notebooks.read(LESSON.path), "code")]
    assert code[:3] == ["import figures\n\nfigures.goal()", "import exercises", "exercises.self_test()"]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (6.0, "6 is what c becomes"),
        (17, "Work out c for a = 2, then for a = 3"),
        (1.0000001, "expected another number, got 1.0000001"),
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
        f"stuck near {here:.2f} or 0.15? There no dial, turned alone by a tenth",
        f"The best that any dials can do is {goal.best():.4f}.",
    )
    assert all((notebooks.NOTEBOOKS / lesson.file).exists() for lesson in LESSONS) and len(LESSONS) == 15
    assert sum(lesson.minutes for lesson in LESSONS) == 10 * 60 + 55
    LESSON.says("Fifteen lessons, eleven hours less five minutes.", f"**{LESSONS[0].minutes} minutes.**")
    LESSON.says("9 in the quiz's first question")
    assert 9 in [number for number, _ in load("00")["questions"][0]["number"]["wrong"]]


def test_the_numbers_of_its_graph_are_the_engines():
    a, b = autograd.Value(2.0, label="a"), autograd.Value(3.0, label="b")
    c = a + b
    f = c * a
    f.backward()
    slopes = [*c._local, *f._local]
    assert (f.data, c.grad, slopes) == (10, 2, [1, 1, 2, 5])
    LESSON.says(
        "10: c is 2 + 3 = 5, and f is 5 · 2.", "for c it is 2", "∂f/∂c is 2", "beside each arrow: 1, 1, 2 and 5"
    )
    LESSON.shows("3. f = c · a = 5.0000 · 2.0000 = 10.0000.")
    assert (autograd.Value(3.0) + b).data - (autograd.Value(2.0) + b).data == 1  # the exercise


def test_what_it_says_of_the_learners_engine_is_so(folder):
    """A part passed stands in the file as it was written; reset gives it back, after a copy whose name has the date."""
    LESSON.says(f"`{regions.FILE}`, a plain Python file beside the notebooks", '`exercises.reset("add")`')
    code = library.solution("add").code
    mine = regions.Region("add", code, regions.today(), regions.mark_of(code))
    assert store.update(lambda regions: regions.update(add=mine)) == ([], "")
    written = store.path().read_text(encoding="utf-8")
    assert mine.text.strip() in written and "yours since" in written
    assert "The part add is the course's again" in repr(keeping.reset("add"))
    assert len(list(folder.glob(f"*{regions.today()}*"))) == 1


def test_its_two_hundred_gradients_its_table_of_words_and_its_folded_answer():
    solved = notebooks.Lesson("00", with_solutions=True)
    assert max(map(abs, solved["b_grads"])) < 3 and 8.5 < max(map(abs, solved["a_grads"])) < 9
    assert len(solved["a_grads"]) == len(solved["b_grads"]) == 200
    text = "\n".join(cell.source for cell in notebooks.read(LESSON.path).cells)
    rows = re.findall(r"^\| (.*?) \|", text, re.MULTILINE)
    assert [row for row in rows if row != "word or sign"] == [
        *("leaf", "root", "input", "consumer", "local derivative", "upstream gradient", "contribution", "gradient"),
        *("`node.grad`", "∂f/∂x", "–", "· and ×"),
    ]
    (output,) = next(c for c in notebooks.cells(notebooks.ran(LESSON.path), "code") if "folded(" in c.source).outputs
    assert output["data"]["text/html"].startswith("<details><summary") and "10.0000" in output["data"]["text/plain"]
