"""The check of `divide`: the numbers, and records of any shape from which they can be computed again."""

from exercises.judging.vocabulary import function_exercise
from exercises.tasks.shared.operators import either_side


@function_exercise(determinism="more")
def divide(divide, reflected_divide, *, engine, seed):
    """Divide, with a plain number on either side."""
    return (yield from either_side(engine.Value, "/", seed, (divide, reflected_divide)))
