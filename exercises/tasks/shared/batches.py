"""Batches of scores, and the rows that compare arrays, for several checks."""

import functools
import math
import random

import numpy as np

from autograd.errors.messages import show
from exercises.judging.vocabulary import AnswerError, called, kind, trying


def an_array(found, what):
    """Return a learner's result as an array of float64. Raise AnswerError if it is not an array of numbers."""
    with trying(what):
        fine = isinstance(found, np.ndarray | np.number | list | tuple | float | int) and not isinstance(found, bool)
        try:
            array = np.asarray(found) if fine else None
            if array is not None and array.dtype.kind in "fiu":
                return array.astype(np.float64)
        except ValueError:  # rows of unequal length
            pass
    raise AnswerError(f"Tested: {what}.", f"An array of numbers was expected; it is {of_what(found)}.")


def of_what(found):
    """Describe something that is not an array of numbers."""
    if isinstance(found, list | tuple):
        items = [item for row in found for item in (row if isinstance(row, list | tuple | np.ndarray) else [row])]
        odd = next((f"holds {kind(item)}" for item in items if not is_number(item)), "")
        return f"{kind(found)} that {odd}" if odd else f"{kind(found)} of rows that differ in length"
    return f"an array of {found.dtype}" if isinstance(found, np.ndarray) else kind(found)


def is_number(thing):
    """Return whether something is a number, or an array of one number."""
    return isinstance(thing, int | float | np.number | np.ndarray) and np.size(thing) == 1


def close(got, right):
    """Return whether two arrays of one shape agree up to float noise."""
    return bool(np.allclose(got, right, rtol=1e-9, atol=1e-12))


def texts(right, got, is_close):
    """Return two rows as text, with all digits if they look alike and are not close."""
    shown, with_digits = (
        ["  ".join(map(as_text, np.ravel(row).tolist())) for row in (right, got)] for as_text in (show, repr)
    )
    return shown if is_close or shown[0] != shown[1] else with_digits


def is_written_right(right, same, text):
    """Return whether numbers agree, and the text written of them agrees to the digits that it has."""
    try:
        written = np.array([float(part) for part in text.split()])
    except ValueError:  # words, for something that is not an array of numbers
        return False
    fits = written.shape == np.shape(np.ravel(right))
    return bool(same and fits and np.allclose(written, np.ravel(right), rtol=1e-3, atol=1e-4, equal_nan=True))


def rows_of(name, right, got):
    """Return the rows of a test that compares arrays; if the shapes differ, one says so and one keeps the numbers."""
    if got.shape != right.shape:
        return [(f"shape of {name}", str(right.shape), str(got.shape), False), (name, "", got.tolist(), True)]
    if right.ndim < 2:
        same = close(got, right)
        return [(name, *texts(right, got, same), functools.partial(is_written_right, right, same))]
    return [row for i, (one, other) in enumerate(zip(right, got)) for row in rows_of(f"{name}[{i}]", one, other)]


def returned(function, *args, what):
    """Return (the result of a learner's function, whether it left all arrays among its arguments unchanged)."""
    before = [arg.copy() for arg in args]
    with np.errstate(all="ignore"):
        found = called(function, *args, what=what, returns=object)
    return found, all(np.array_equal(one, other) for one, other in zip(before, args))


@functools.cache
def scores():
    """Return {words: rows of scores}: one row; four rows and three; rows far from 0; rows far from each other."""
    rng = np.random.RandomState(12)
    return {
        "one row": [[2.0, 1.0, 0.0]],
        "4 rows of 3": np.round(rng.standard_normal((4, 3)), 2).tolist(),
        "3 rows of 3": np.round(2 * rng.standard_normal((3, 3)), 2).tolist(),
        "scores of 1,500": [[1500.0, 1499.0, -1500.0], [-2.0, 0.5, 1.0]],
        "a row far below the other": [[0.5, 0.0, -0.5], [-1000.0, -1001.0, -1002.0]],
        "2 rows of 10": np.round(rng.standard_normal((2, 10)), 1).tolist(),
    }


def drawn_scores(name, seed):
    """Draw {words: (rows of scores, targets)} for the silent round of an exercise."""
    luck, found = random.Random(f"{name} {seed}"), {}
    for size in (1, 1, 3, 30, 700):
        n, k = luck.randint(11, 14) if size == 3 else luck.randint(1, 7), luck.randint(2, 12)
        rows = [[round(luck.gauss(0, size), 2) for _ in range(k)] for _ in range(n)]
        found[f"{n} rows of {k}, of size {size}"] = rows, [luck.randrange(k) for _ in range(n)]
    return found


def probabilities(row):
    """Return the softmax of a list of scores, by plain floats."""
    powers = [math.exp(score - max(row)) for score in row]
    return [power / math.fsum(powers) for power in powers]


def afterwards(kept):
    """Return the row of a test that says whether the arguments are unchanged."""
    return ("what was passed in", "unchanged", "unchanged" if kept else "changed", kept)


def heading(wrong, words, rows):
    """Return the sentence over a test's rows, of which the last is that of `afterwards`: what is wrong, and where."""
    *numbers, (_, _, _, kept) = rows
    alone = not kept and all(row[3] if isinstance(row[3], bool) else row[3](row[2]) for row in numbers)
    return f"The numbers are right. But what was passed in has changed: {words}." if alone else f"{wrong}: {words}."
