"""The check of `constants`: what as_value makes and hands back, then numbers on either side of + and *."""

from exercises.judging.vocabulary import all_right, function_exercise
from exercises.tasks.shared.nodes import handed_back, leaves_made, records, right_numbers
from exercises.tasks.shared.operators import in_the_engine


@function_exercise(retold="more")
def constants(as_value, reflected_add, reflected_multiply, *, engine, seed):
    """Plain numbers on either side of + and *; each becomes a leaf."""
    Value, kinds, done = engine.Value, ("v+n", "v*n", "n+v", "n*v", "+", "*"), []
    wrapped = [*leaves_made(Value, as_value, seed), *handed_back(Value, as_value)]
    if (yield from all_right(wrapped)):
        done = yield from right_numbers(Value, kinds, seed, "as_value is right. ")
        are_kept = yield from all_right(records(Value, done, "as_value is right, and so is every number. "))
        if done and are_kept:
            yield from in_the_engine(kinds, seed, "constants", (as_value, reflected_add, reflected_multiply))
    return f"{len(done)} operations with whole numbers and decimals on either side; each plain number is a leaf."
