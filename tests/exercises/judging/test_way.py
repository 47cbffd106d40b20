"""The way of a wrong answer, from the call of its check to the verdict, is short enough to read."""

import sys
from pathlib import Path

import exercises
from exercises.engine_file import check

ROOT = Path(exercises.__file__).parent
OF_THE_EXERCISE = "tasks"  # its check, and what several checks share
AFTERWARDS = {"storage/progress.py", "storage/files.py"}  # the try is noted once the verdict is there
WAY = {
    "judging/grading.py",
    "sandbox/isolation.py",
    "engine_file/cells.py",
    "sandbox/guard.py",
    "judging/answers.py",
    "verdicts/results.py",
    "judging/step_counter.py",
    "explaining/search.py",
    "explaining/catalogue.py",
    "explaining/features.py",
    "content/library.py",
    "content/lessons.py",  # which notebook runs decides whether a lesson is named
}


def test_wrong_answer_passes_through_twelve_modules():
    slope, files = check.slope, set()
    given = slope.answers("def slope(f, x, h):\n    return (f(x + h) - f(x)) * h\n")

    def note(frame, event, _):
        if event == "call":
            files.add(frame.f_code.co_filename)

    sys.setprofile(note)
    try:
        text = repr(slope(*given))
    finally:
        sys.setprofile(None)
    assert "Known mistake: multiplied by h." in text
    passed = {path.relative_to(ROOT).as_posix() for path in map(Path, files) if ROOT in path.parents}
    assert {path for path in passed if not path.startswith(OF_THE_EXERCISE)} - AFTERWARDS == WAY
