"""The check of `subtract`."""

from exercises.judging.answers import needs_functions
from exercises.judging.grading import exercise
from exercises.lessons.lesson_02.operators import either_side


@exercise
def subtract(subtract, reflected_subtract, *, engine, seed):
    """Minus, with a plain number on either side."""
    needs_functions(subtract=subtract, reflected_subtract=reflected_subtract)
    return (yield from either_side(engine.Value, "-", seed))
