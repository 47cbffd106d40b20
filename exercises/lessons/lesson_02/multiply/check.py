"""The check of `multiply`: the products, then the records, of the lesson's cases of *."""

from exercises.judging.vocabulary import method_exercise
from exercises.lessons.lesson_02.shared import two_steps


@method_exercise
def multiply(Product, *, engine, seed):
    """Step 1: a * b is a Value with the product. Step 2: it keeps its inputs and its sign."""
    return (yield from two_steps(engine.Value, "*", seed))
