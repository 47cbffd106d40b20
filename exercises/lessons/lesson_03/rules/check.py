"""The check of `rules`: what the rules of + and *, run by hand, leave of all that the nodes keep."""

from exercises.judging.vocabulary import method_exercise
from exercises.lessons.lesson_03.shared import both_rules


@method_exercise(work=5000)
def rules(Arithmetic, *, engine, seed):
    """+ and * with their backward rules, on two numbers with upstream gradients other than 1."""
    yield from both_rules(engine.Value, seed=seed)
    return "Both are right, with whole numbers, zeros and plain numbers too, and for results of results."
