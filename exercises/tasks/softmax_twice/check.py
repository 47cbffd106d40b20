"""The check of `softmax_twice`: the floor of softmax used twice, to four decimals."""

import math

from exercises.judging.vocabulary import answer, exercise, make_result


@exercise
def softmax_twice(softmax_twice):
    """`softmax_twice` is the lowest cross-entropy of ten classes if softmax is used twice."""
    got = answer(softmax_twice, "softmax_twice", came="it is")
    right = math.log(1 + 9 / math.e)
    row = ("your number", "the lowest loss", f"{got:.6g}", abs(got - right) <= 0.00005)
    says = f"The loss {'can go lower than that' if got > right else 'cannot go that low'}."
    yield make_result("Almost: write it with four decimals." if abs(got - right) < 0.01 else says, row)
    return "1.4612 for ten classes. A loss that is stuck there reveals its mistake."
