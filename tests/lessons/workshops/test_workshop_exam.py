"""The exam's notebook: what it shows before anything is done, and its examination of a learner's program."""

import re

from exercises.clinic.answers import ExamEngines
from exercises.engine_file import check
from tests.notebooks import Lesson

LESSON = Lesson("exam")


def test_exam_notebook_outputs_and_examined_program():
    LESSON.shows("The exam: 5 programs with a fault, 6 tests of your own, 10 questions.", "Patient 1 of the exam.")
    LESSON.shows("The exam, part 3: ten questions", "Tests 1, 2, 3, 4, 5, 6 are not written yet.", "so far")
    LESSON.shows("Not everything has been handed in yet.", "These readings point to: gradients are never set to 0.")
    LESSON.says(f"There are {len(ExamEngines.wrong)} wrong engines", "first twenty", "the other twelve")
    assert len(check.kill_matrix([]).wrong) == 20 and len(ExamEngines.wrong) == 20 + 12
    assert LESSON.printed.count("Not yet: ") == 4
    dials = "course of the loss", "what it can do", "dead units", "units that differ", "kept : fresh"
    assert LESSON.printed.count("; healthy: ") == len(dials)
    assert [dial for dial in dials if not re.search(rf"{dial}: [^:;]+; healthy: ", LESSON.printed)] == []
    LESSON.shows("5 of 21 readings are not what a healthy program gives.")
