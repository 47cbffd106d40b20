"""The check of `softmax`: rows of probabilities, against plain floats."""

import numpy as np

from exercises.judging.vocabulary import NUMPY, function_exercise, make_result
from exercises.tasks.shared.arrays import cast
from exercises.tasks.shared.batches import (
    afterwards,
    an_array,
    drawn_scores,
    heading,
    probabilities,
    returned,
    rows_of,
    scores,
)


@function_exercise(**NUMPY)
def softmax(softmax, *, seed=0):
    """`softmax(z)` makes each row of scores probabilities, whatever their size."""
    drawn = {words: rows for words, (rows, _) in drawn_scores("softmax", seed).items()} if seed else scores()
    for words, rows in drawn.items():
        case = f"z = np.array({rows})\nsoftmax(z)"
        z, right = np.array(rows), np.array([probabilities(row) for row in rows])
        found, kept = returned(softmax, z, what=f"softmax(z) with {words}")
        got = an_array(found, f"softmax(z) with {words}")
        rows = *rows_of("p", right, got), afterwards(kept)
        yield make_result(
            heading("These probabilities are wrong", words, rows), *rows, case=case, because=cast(found, right)
        )
    return f"Right for {len(drawn)} arrays: each row adds up to 1, even if exp alone would overflow."
