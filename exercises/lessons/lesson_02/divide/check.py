"""The check of `divide`."""

from exercises.judging.grading import exercise, needs_functions
from exercises.lessons.lesson_02.shared import either_side


@exercise
def divide(divide, reflected_divide, *, engine, seed):
    """Division, with a plain number on either side."""
    needs_functions(divide=divide, reflected_divide=reflected_divide)
    return (yield from either_side(engine.Value, "/", seed))
