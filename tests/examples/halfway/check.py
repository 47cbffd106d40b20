"""The check of `halfway`."""

import random

from exercises.judging.vocabulary import called, exercise, make_result


@exercise
def halfway(halfway, *, seed):
    """`halfway(a, b)` is as far from a as from b."""
    rng = random.Random(seed)
    drawn = [(round(rng.uniform(-99, 99), 6), round(rng.uniform(-9, 9), 6)) for _ in range(3)]
    for middle, way in ((2, 1), (0.75, -3.25), (-1.5, 0), (1.5, -1.5), (1.5, 1.5), *drawn):
        a, b = middle - way, middle + way
        got = called(halfway, a, b, what=f"halfway({a}, {b})")
        yield make_result("That is not the middle.", ("halfway", middle, got), case=f"halfway({a}, {b})")
    return "Right for eight pairs."
