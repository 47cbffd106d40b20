"""The check of `add_rule`."""

from exercises.judging.answers import needs_functions
from exercises.judging.grading import exercise
from exercises.lessons.lesson_03.shared import PASSED, rule_tests


@exercise
def add_rule(add_with_rule, *, engine, seed):
    """The backward rule of +, on sums of two numbers with upstream gradients other than 1."""
    needs_functions(add_with_rule=add_with_rule)
    yield from rule_tests(engine.Value, "+", seed=seed)
    return PASSED.format("sum")
