"""The check of `functions`: exp, log and tanh, one after the other, each with its value and its rule."""

import functools

from exercises.engines.wrong_engines import Engine
from exercises.judging.vocabulary import in_turn, method_exercise, still_to
from exercises.tasks.shared.rules_seen import function_tests


@method_exercise(work=5000)
def functions(Functions, *, engine, seed):
    """Write `a.exp()`, `a.log()` and `a.tanh()`, each with value, record and rule."""
    classes = (engine.Value, Engine)
    tests = {name: tuple(function_tests(each, name, seed) for each in classes) for name in ("exp", "log", "tanh")}
    yield from in_turn(tests, functools.partial(still_to, "write"))
    return "All three are right, also below 0 for those that allow it, and what arrives is added to what is there."
