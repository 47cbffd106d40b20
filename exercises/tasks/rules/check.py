"""The check of `rules`: what the rules of + and *, run by hand, leave of all that the nodes keep."""

from exercises.judging.vocabulary import method_exercise
from exercises.tasks.shared.rules_seen import both_rules


@method_exercise(work=5000)
def rules(Arithmetic, *, engine, seed):
    """+ and * with their backward rules, on two numbers with upstream gradients other than 1."""
    yield from both_rules(engine.Value, seed=seed)
    return "Both are right, with plain numbers too, and where a number is used twice or has a gradient already."
