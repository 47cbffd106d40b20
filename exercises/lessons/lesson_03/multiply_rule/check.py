"""The check of `multiply_rule`."""

from exercises.judging.answers import needs_functions
from exercises.judging.grading import exercise
from exercises.lessons.lesson_03.shared import PASSED, rule_tests


@exercise
def multiply_rule(multiply_with_rule, *, engine, seed):
    """The backward rule of *, on products of two numbers with upstream gradients other than 1."""
    needs_functions(multiply_with_rule=multiply_with_rule)
    yield from rule_tests(engine.Value, "*", seed=seed)
    return PASSED.format("product")
