"""The check of `divide`."""

from exercises.judging.answers import needs_functions
from exercises.judging.grading import exercise
from exercises.lessons.lesson_02.operators import either_side


@exercise
def divide(divide, reflected_divide, *, engine, seed):
    """Division, with a plain number on either side."""
    needs_functions(divide=divide, reflected_divide=reflected_divide)
    return (yield from either_side(engine.Value, "/", seed))
