"""Lesson 00: runs with its exercise undone, wrong and done; its text says what the engine and the files say."""

import fractions
import math
import re

import numpy as np
import pytest

import autograd
from exercises.engine_file import check
from exercises.quizzes.quiz_data import load
from exercises.shelf import progress
from exercises.shelf.lessons import LESSONS
from figures.labs import goal
from tests import lessons

PATH = lessons.NOTEBOOKS / "00_start_here.ipynb"
EXERCISES = lessons.NOTEBOOKS.parent / "exercises"


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory):
    """A progress file of this module's own, for the kernels too."""
    with pytest.MonkeyPatch.context() as patch:
        place = tmp_path_factory.mktemp("data")
        patch.setenv("BACKPROP_DATA_DIR", str(place))
        yield place


def words(notebook):
    """The text of its markdown cells."""
    return "\n".join(cell.source for cell in lessons.cells(notebook, "markdown"))


@pytest.fixture(scope="module")
def unsolved():
    return lessons.run(lessons.read(PATH))


def test_it_runs_undone_without_an_error_or_a_warning(unsolved):
    outputs = [output for cell in lessons.cells(unsolved, "code") for output in cell.outputs]
    assert not [o for o in outputs if o.output_type == "error" or o.get("name") == "stderr"]
    printed = lessons.text_of(unsolved)
    assert "first_answer: not yet" in printed
    assert "✓ autograd: works" in printed and "✓ graphs: works" in printed
    assert "00  Start here                               10  0 of 1     0 of 7" in printed


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
    progress.reset()


def test_solved_the_check_says_yes_and_the_map_shows_it():
    printed = lessons.text_of(lessons.run(lessons.solved(lessons.read(PATH))))
    assert "✓ first_answer: yes." in printed
    assert "10  1 of 1     0 of 7" in printed
    progress.reset()


def test_the_stub_is_the_one_that_reset_brings_back():
    (stub,) = [cell for cell in lessons.cells(lessons.read(PATH), "code") if lessons.exercise_of(cell)]
    assert stub.source + "\n" == (EXERCISES / "stubs" / "00" / "1_first_answer.py").read_text(encoding="utf-8")


def test_the_goal_comes_first_and_the_self_test_next_which_needs_nothing_of_it():
    code = [cell.source for cell in lessons.cells(lessons.read(PATH), "code")]
    assert code[:3] == ["import figures\n\nfigures.goal()", "import exercises", "exercises.self_test()"]


def test_where_a_hand_is_stuck(unsolved):
    text = words(unsolved)
    stuck, tenth = {"a": -0.2, "b": 1.9, "c": -0.9}, 0.1
    here = goal.Place(stuck).loss
    assert all(
        goal.Place({**stuck, dial: stuck[dial] + way}).loss > here for dial in stuck for way in (tenth, -tenth)
    )  # fmt: skip
    assert f"{here:.2f}" == "0.19" and "stuck near 0.19 or 0.15? There no dial, turned alone by a tenth" in text
    assert f"{goal.best():.4f}" == "0.0109" and "The best that any dials can do is 0.0109." in text


def test_the_numbers_of_its_graph_are_the_engines(unsolved):
    a, b = autograd.Value(2.0, label="a"), autograd.Value(3.0, label="b")
    c = a + b
    f = c * a
    f.backward()
    assert (f.data, c.grad, [*c._local, *f._local]) == (10, 2, [1, 1, 2, 5])
    text = words(unsolved)
    assert "10: c is 2 + 3 = 5, and f is 5 · 2." in text and "for c it is 2" in text and "∂f/∂c is 2" in text
    assert "beside each arrow: 1, 1, 2 and 5" in text
    assert "3. f = c · a = 5.0000 · 2.0000 = 10.0000." in lessons.text_of(unsolved)
    assert (autograd.Value(3.0) + b).data - (autograd.Value(2.0) + b).data == 1  # the exercise


def test_what_it_says_of_the_course_is_so(unsolved):
    text = words(unsolved)
    there = [lesson for lesson in LESSONS if (lessons.NOTEBOOKS / lesson.file).exists()]
    assert "Fifteen lessons, eleven hours less five minutes." in text
    assert len(there) == len(LESSONS) == 15
    assert sum(lesson.minutes for lesson in there) == 10 * 60 + 55
    assert f"**{LESSONS[0].minutes} minutes.**" in text
    first = load("00")["questions"][0]
    assert "9 in the quiz's first question" in text and 9 in [number for number, _ in first["number"]["wrong"]]


def test_the_answer_of_its_prediction_is_folded_in_a_page_and_there_as_text(unsolved):
    cell = next(c for c in lessons.cells(unsolved, "code") if "folded(" in c.source)
    (output,) = cell.outputs
    assert output["data"]["text/html"].startswith("<details><summary") and "10.0000" in output["data"]["text/plain"]


def test_what_it_says_of_the_learners_engine_is_so(unsolved, monkeypatch, tmp_path):
    """A part passed stands in the file as it was written; reset gives it back, after a copy whose name has the date."""
    from exercises.engine_file import own, store
    from exercises.shelf import library

    text = words(unsolved)
    assert f"`{own.FILE}`, a plain Python file beside the notebooks" in text and '`exercises.reset("add")`' in text
    monkeypatch.setenv("BACKPROP_ENGINE_DIR", str(tmp_path))
    mine = own.Region("add", library.solution("add").code, own.today(), own.mark_of(library.solution("add").code))
    assert store.update(lambda regions: regions.update(add=mine)) == ([], "")
    assert mine.text.strip() in store.path().read_text(encoding="utf-8") and "yours since" in store.path().read_text(
        encoding="utf-8"
    )
    said = repr(library.reset("add"))
    assert "The part add is the course's again" in said
    assert len(list(tmp_path.glob(f"*{own.today()}*"))) == 1


def test_every_word_of_the_house_is_in_its_table(unsolved):
    rows = re.findall(r"^\| (.*?) \|", words(unsolved), re.MULTILINE)
    assert [row for row in rows if row != "word or sign"] == [
        *("leaf", "root", "input", "consumer", "local derivative", "upstream gradient", "contribution", "gradient"),
        *("`node.grad`", "∂f/∂x", "–", "· and ×"),
    ]


def test_the_two_hundred_gradients_reach_as_far_as_the_text_says():
    names = lessons.names_of(PATH)
    assert max(map(abs, names["b_grads"])) < 3 and 8.5 < max(map(abs, names["a_grads"])) < 9
    assert len(names["a_grads"]) == len(names["b_grads"]) == 200
