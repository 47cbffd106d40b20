"""The check of `rules`: everything that the nodes hold after the rules of + and * were run by hand."""

from exercises.judging.vocabulary import method_exercise
from exercises.tasks.shared.rules_seen import both_rules


@method_exercise(work=5000)
def rules(Arithmetic, *, engine, seed):
    """Write + and * with their backward rules, for two numbers with upstream gradients other than 1."""
    yield from both_rules(engine.Value, seed=seed)
    return "Both are right, also with plain numbers, and when a number is used twice or already has a gradient."
