"""The check of `first_backward`: passes over random graphs, tested as in `backward`."""

from exercises.judging.vocabulary import all_right, function_exercise, needs_no_blanks
from exercises.tasks.backward.check import pass_tests


@function_exercise(work=150)
def first_backward(backward, *, engine, seed):
    """Fill in the three blanks of a backward pass, which then runs on many fresh graphs."""
    needs_no_blanks(backward)
    if not (yield from all_right(pass_tests(engine.Value, seed))):
        return None
    return "On random graphs the gradient of every node is right, on the way as well as at the leaves."
