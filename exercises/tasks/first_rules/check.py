"""The check of `first_rules`: the rules of + and *, also for a number that is used twice."""

from exercises.judging.vocabulary import method_exercise, needs_no_blanks
from exercises.tasks.shared.rules_seen import both_rules


@method_exercise(work=5000)
def first_rules(Rules, *, engine, seed):
    """Fill in the four right-hand sides of the rules of + and *."""
    needs_no_blanks(Rules)
    yield from both_rules(engine.Value, seed=seed)
    return "A sum passes on what arrived; a product passes on that times the other factor."
