"""The check of `subtract`."""

from exercises.judging.grading import exercise, needs_functions
from exercises.lessons.lesson_02.shared import either_side


@exercise
def subtract(subtract, reflected_subtract, *, engine, seed):
    """Minus, with a plain number on either side."""
    needs_functions(subtract=subtract, reflected_subtract=reflected_subtract)
    return (yield from either_side(engine.Value, "-", seed))
