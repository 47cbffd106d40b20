"""The check of `relu`: its value and its rule, at numbers on both sides of 0 and at 0."""

from exercises.judging.vocabulary import method_exercise, trying
from exercises.tasks.shared.rules_seen import function_tests

OPEN_AT_0 = " Your relu's gate is open at 0: a convention, not an error; this course takes 0, as PyTorch does."


@method_exercise
def relu(Relu, *, engine, seed):
    """Write `a.relu()` with value, record and rule."""
    yield from function_tests(engine.Value, "relu", seed)
    with trying("relu at 0"):
        a = engine.Value(0.0)
        out = a.relu()
        out.grad = 1.0
        out._backward()
    return f"Right on both sides of 0, and what arrives is added to what is there.{OPEN_AT_0 if a.grad else ''}"
