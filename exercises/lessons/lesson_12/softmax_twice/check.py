"""The check of `softmax_twice`: a number that stands for the floor of softmax used twice."""

import math

from exercises.explaining.matching import matches
from exercises.judging.vocabulary import answer, exercise, seen


@exercise
def softmax_twice(softmax_twice):
    """Whether a number is the floor of the cross-entropy of ten classes where softmax is used twice."""
    got = answer(softmax_twice, "softmax_twice", came="it is")
    right = math.log(1 + 9 / math.e)
    row = ("your number", "the lowest loss", f"{got:.4g}", math.isfinite(got) and matches(got, right))
    yield seen(f"The loss {'can go lower than that' if got > right else 'cannot go that low'}.", row)
    return "1.4612 for ten classes. A loss that stands there names its mistake."
