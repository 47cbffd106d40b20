"""The check of `multiply`."""

from exercises.judging.answers import needs_functions
from exercises.judging.grading import exercise
from exercises.lessons.lesson_02.shared import two_steps


@exercise
def multiply(multiply, *, engine, seed):
    """Step 1: a * b is a Value with the product. Step 2: it keeps its inputs and its sign."""
    needs_functions(multiply=multiply)
    return (yield from two_steps(engine.Value, "*", seed))
