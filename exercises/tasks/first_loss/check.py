"""The check of `first_loss`: the logarithm of so many classes."""

import math
import random

from exercises.judging.vocabulary import called, function_exercise, make_result


@function_exercise
def first_loss(first_loss, *, seed=0):
    """`first_loss(k)` is the cross-entropy of a network that says 1/k for each of k classes."""
    luck = random.Random(f"first_loss {seed}")
    asked = [luck.randint(4, 10**4) for _ in range(5)] if seed else (10, 2, 3, 100, 1000)
    losses = [called(first_loss, k, what=f"first_loss({k})") for k in asked]
    because = "ten classes always" if all(math.isclose(got, math.log(10), rel_tol=2e-3) for got in losses) else ()
    for k, got in zip(asked, losses):
        case = f"first_loss({k})"
        yield make_result(
            f"Guessing among {k} classes gives a different loss.",
            ("loss", math.log(k), got),
            case=case,
            because=because,
        )
    return "Right for 2 to 1,000 classes."
