"""The check of `cross_entropy_gradient`: gradients of batches, against plain floats."""

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

TARGETS = {
    "one row": [2],
    "4 rows of 3": [0, 2, 2, 0],
    "3 rows of 3": [2, 1, 1],
    "scores of 1,500": [1, 0],
    "a row far below the other": [0, 2],
    "2 rows of 10": [9, 4],
}
ONE_LAST = ("4 rows of 3", "3 rows of 3", "2 rows of 10", "scores of 1,500", "a row far below the other", "one row")


def gradient_by_scores(rows, targets):
    """Return the gradient of the mean cross-entropy with respect to each score, by plain floats."""
    found = [probabilities(row) for row in rows]
    return [[(p - (j == t)) / len(rows) for j, p in enumerate(row)] for row, t in zip(found, targets)]


@function_exercise(**NUMPY)
def cross_entropy_gradient(cross_entropy_gradient, *, seed=0):
    """`cross_entropy_gradient(z, targets)` is the gradient of the batch's mean cross-entropy by z."""
    given = {words: (scores()[words], TARGETS[words]) for words in ONE_LAST}
    for words, (rows, targets) in (drawn_scores("gradient", seed) if seed else given).items():
        case = f"z, targets = np.array({rows}), np.array({targets})\ncross_entropy_gradient(z, targets)"
        what, right = f"cross_entropy_gradient(z, targets) with {words}", np.array(gradient_by_scores(rows, targets))
        found, kept = returned(cross_entropy_gradient, np.array(rows), np.array(targets), what=what)
        rows = *rows_of("gradient", right, an_array(found, what)), afterwards(kept)
        yield make_result(heading("This gradient is wrong", words, rows), *rows, case=case, because=cast(found, right))
    return "Right for six batches. Each row adds up to 0: what the target gains in probability, the other classes lose."
