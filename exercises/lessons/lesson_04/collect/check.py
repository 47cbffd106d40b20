"""The check of `collect`: the rules of + and *, where contributions meet others or what is there already."""

from exercises.engines.wrong_engines import Engine
from exercises.judging.vocabulary import function_exercise, in_turn
from exercises.lessons.lesson_03.shared import rule_tests


@function_exercise
def collect(collecting_add, collecting_multiply, *, engine, seed):
    """The backward rules of + and *, on numbers that are used twice and on grads that hold something already."""
    parts = {sign: tuple(rule_tests(each, sign, True, seed) for each in (engine.Value, Engine)) for sign in "+*"}
    yield from in_turn(parts, one_of_two)
    return (
        "Both rules are right, also where something had arrived before. In a + a the input received the upstream "
        "gradient twice; in a * a it received it times 2·a, the slope of a²."
    )


def one_of_two(done, missing):
    """The sentence for rules that are not written yet."""
    if done:
        return f"The rule of {done[0]} is right. That of {missing[0]} is not written yet, or returns nothing."
    return (
        "Neither rule is written yet, or `out` is not returned. Put a rule in place of each `raise`; keep `return out`."
    )
