"""The way of a wrong answer, from the call of its check to the verdict, is short enough to be read."""

import sys
from pathlib import Path

import exercises
from exercises.engine_file import check

ROOT = Path(exercises.__file__).parent
OF_THE_EXERCISE = "lessons"  # its check, and what the checks of its lesson share
AFTERWARDS = {"shelf/progress.py", "shelf/files.py"}  # the try is noted once the verdict is there
WAY = {
    "judging/grading.py",
    "sandbox/pristine.py",
    "engine_file/cells.py",
    "sandbox/guard.py",
    "judging/answers.py",
    "verdicts/seen.py",
    "judging/step_counter.py",
    "explaining/search.py",
    "explaining/known.py",
    "explaining/features.py",
    "shelf/library.py",
    "shelf/lessons.py",  # which notebook runs decides whether a lesson is named
}


def test_a_wrong_answer_to_slope_passes_twelve_modules_on_its_way_to_the_verdict():
    slope, passed = check.slope, set()
    given = slope.answers("def slope(f, x, h):\n    return (f(x + h) - f(x)) * h\n")

    def note(frame, event, _):
        path = Path(frame.f_code.co_filename)
        if event == "call" and ROOT in path.parents:
            passed.add(path.relative_to(ROOT).as_posix())

    sys.setprofile(note)
    try:
        text = repr(slope(*given))
    finally:
        sys.setprofile(None)
    assert "Known mistake: multiplied by h." in text
    assert {path for path in passed if not path.startswith(OF_THE_EXERCISE)} - AFTERWARDS == WAY
