"""The check of `add`."""

from exercises.judging.answers import needs_functions
from exercises.judging.grading import exercise
from exercises.lessons.lesson_02.shared import two_steps

# Operations: what they record


@exercise
def add(add, *, engine, seed):
    """Step 1: a + b is a Value with the sum. Step 2: it keeps its inputs and its sign."""
    needs_functions(add=add)
    return (yield from two_steps(engine.Value, "+", seed))
