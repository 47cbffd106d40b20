"""The checks, one for each exercise: `check.slope(slope)` says yes, not yet, or what is wrong and why."""

import importlib

from exercises.engine_file import cells  # noqa: F401  pristine: the package as it is now, before a lesson's cells
from exercises.shelf import library
from exercises.sandbox import pristine
from exercises.judging.kill_matrix import kill_matrix
from exercises.shelf.lessons import LESSONS
from exercises.explaining.matching import predict

EXERCISES = {lesson.number: tuple(library.names(lesson.number)) for lesson in LESSONS if library.names(lesson.number)}
LESSON_OF = {name: lesson for lesson, names in EXERCISES.items() for name in names}

cells.listen(LESSON_OF)

__all__ = ["kill_matrix", "predict", *LESSON_OF]


def __getattr__(name):
    """The check of an exercise, from the module of its lesson."""
    if name not in LESSON_OF:
        raise AttributeError(f"There is no check named {name!r}. There are: {', '.join(__all__)}.")
    return getattr(importlib.import_module(f"exercises.checks.lesson_{LESSON_OF[name]}"), name)


def __dir__():
    return __all__


def judge(name, *given):
    """The Verdict of an exercise's check, without progress recorded or a part kept."""
    return __getattr__(name).judge(*given)
