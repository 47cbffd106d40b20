"""The check of `forward_passes`: the count for few weights, counted by nudging, and for very many."""

import contextlib
import functools
import random

from exercises.judging.vocabulary import Trouble, called, exercise, guarded, seen
from exercises.sandbox.guard import TimeUp

MANY = 2_359_296  # weights of a layer with 768 inputs and 3,072 outputs


@exercise
def forward_passes(forward_passes, *, seed):
    """`forward_passes(n)` is how often nudging up runs a function of n weights to find all slopes."""
    right = True
    for n in (3, 1, 2, 17, 337, *random.Random(seed or 1).sample(range(4, 400), 5)):
        got = called(forward_passes, n, what=f"forward_passes({n})")
        row = ("runs", f"{counted(n):,}", f"{got:,.10g}")
        yield (test := seen("Counted by nudging, with a counter in the function:", row, case=f"forward_passes({n})"))
        right = right and test.is_right
    if not right:
        return ""
    case, got = f"forward_passes({MANY})", MANY + 1
    with contextlib.suppress(Trouble, TimeUp):  # it may need long for so many, or much memory
        got = guarded(lambda: called(forward_passes, MANY, what=case), 0.3)
    yield seen("Right for few weights.", ("runs", f"{MANY + 1:,}", f"{got:,.10g}"), case=case)
    return f"For a layer of {MANY:,} weights that is {MANY + 1:,} runs. One backward pass gives the same slopes."


@functools.cache
def counted(n):
    """How often a function of n weights is run while all its slopes are found by nudging up."""
    runs = 0

    def f(weights):
        nonlocal runs
        runs += 1
        return sum(w * w for w in weights)

    weights = [i / n for i in range(n)]
    base = f(weights)
    for i in range(n):
        (f([*weights[:i], weights[i] + 1e-6, *weights[i + 1 :]]) - base) / 1e-6
    return runs
