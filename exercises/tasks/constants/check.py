"""The check of `constants`: what as_value makes and hands back, then numbers on either side of + and *."""

import random

from exercises.judging.vocabulary import all_right, called, function_exercise, plain, seen, stranger
from exercises.tasks.shared.nodes import changes, member, records, right_numbers, state
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


def leaves_made(Value, as_value, seed):
    """Yield what is seen of what as_value makes of plain numbers, some of them twice."""
    rng, earlier = random.Random(seed or 2), []
    numbers = [2, 2.5, -1, 0, 0.0, 1, *(rng.uniform(-9, 9) for _ in range(6)), *(rng.randint(-9, 9) for _ in range(6))]
    for number in [*numbers, 2, 2.5]:
        case = f"as_value({number})"
        leaf = called(as_value, number, what=case, returns=object)
        is_new = all(leaf is not other for other in earlier)
        rows, says = [(case, "a Value", stranger(leaf))], "as_value does not make a Value of this number."
        if isinstance(leaf, Value):
            found, says = state(leaf, {}), "That is not a new leaf with this number."
            rows = [(case, "a Value", "a Value"), (f"{case} is new", True, is_new)]
            rows += [(f"{case}.data", number, found["data"], found["data"] == number)]
            rows += [(f"{case}._prev", "()", found["_prev"]), (f"{case}._op", "''", found["_op"])]
        yield seen(says, *rows, case=case)
        earlier.append(leaf)


def handed_back(Value, as_value):
    """Yield what is seen of what as_value makes of Values: a leaf, one of 0, and one that is no leaf."""
    made = Value(5.0, (Value(2.0, label="a"), Value(3.0, label="b")), "+", "v")
    for given, line in ((Value(2.0), "Value(2.0)"), (Value(0, label="v"), "Value(0)"), (made, "a + b")):
        before, what = state(given, {}), f"v = {line}; as_value(v)"
        found = called(as_value, given, what=what, returns=object)
        after, data = state(given, {}), member(found, "data")
        rows = [("as_value(v) is v", True, found is given), ("as_value(v)", "Value", type(found).__name__)]
        rows += [("its data", before["data"], plain(found if data is None else data))]
        rows += changes("v", before, after)
        yield seen("as_value should hand back a Value as it is.", *rows, case=what.replace("; ", "\n"))
