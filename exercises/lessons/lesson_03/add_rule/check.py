"""The check of `add_rule`: what one rule, run by hand, leaves of all that the nodes keep."""

from exercises.judging.vocabulary import function_exercise
from exercises.lessons.lesson_03.shared import PASSED, rule_tests


@function_exercise
def add_rule(add_with_rule, *, engine, seed):
    """The backward rule of +, on sums of two numbers with upstream gradients other than 1."""
    yield from rule_tests(engine.Value, "+", seed=seed)
    return PASSED.format("sum")
