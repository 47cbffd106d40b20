"""The check of `sees`: for each letter of names packed one after the other, the letters that it sees."""

import random

import numpy as np

from exercises.judging.vocabulary import NUMPY, AnswerError, called, function_exercise, has, kind, make_result

# A single name of three letters lets two mistakes pass, one of one letter six; names of two and three letters, none.
SIZES = ((2, 3), (3,), (1, 1, 2), (3, 1, 2))


def drawn(seed):
    luck = random.Random(f"sees {seed}")
    return [tuple(luck.randint(1, 5) for _ in range(luck.randint(1, 5))) for _ in range(6)]


def packed(sizes):
    """Return the arrays (position, name), letter by letter."""
    pairs = [(position, name) for name, size in enumerate(sizes) for position in range(size)]
    return tuple(np.array(each) for each in zip(*pairs))


def right(sizes):
    """Return a text for each letter: 1 for each letter that it sees, and · for the others."""
    begins = [sum(sizes[:i]) for i in range(len(sizes))]
    return [
        "·" * begin + "1" * (position + 1) + "·" * (sum(sizes) - begin - position - 1)
        for begin, size in zip(begins, sizes)
        for position in range(size)
    ]


def marks(found, n, what):
    """Return a learner's square as such texts. Raise AnswerError if it is not an array of numbers or truth values."""
    fine = isinstance(found, np.ndarray | list | tuple) or has(found, "tolist")
    try:
        square = np.array(found) if fine else None
    except ValueError:
        square = None
    if square is None or square.dtype.kind not in "biuf":
        raise AnswerError(f"Tested: {what}.", f"A square of True and False was expected; it is {kind(found)}.")
    if square.shape != (n, n):
        return [f"an array of shape {square.shape}, not {(n, n)}"]
    if square.dtype.kind != "b" and not np.isin(square, (0, 1)).all():
        return ["numbers other than 0 and 1"]
    return ["".join("1" if entry else "·" for entry in row) for row in square.tolist()]


@function_exercise(**NUMPY)
def sees(sees, *, seed=0):
    """`sees(position, name)` lets each letter see itself and what is before it in its own name."""
    tested = drawn(seed) if seed else SIZES
    for sizes in tested:
        position, name = packed(sizes)
        given = f"position = np.array({position.tolist()})\nname = np.array({name.tolist()})"
        what = f"names of {', '.join(map(str, sizes))} letters"
        arrays = position.copy(), name.copy()
        found = marks(called(sees, *arrays, what=what, returns=object), len(name), what)
        rows = right(sizes)
        kept = np.array_equal(arrays[0], position) and np.array_equal(arrays[1], name)
        asked = [(f"letter {i}", row, found[i] if len(found) == len(rows) else found[0]) for i, row in enumerate(rows)]
        asked = asked[:1] if len(found) != len(rows) else asked
        handed_in = ("what was passed in", "unchanged", "unchanged" if kept else "changed", bool(kept))
        yield make_result(f"Some letters see the wrong letters: {what}.", *asked, handed_in, case=given)
    return f"Right for {len(tested)} batches: its own name, up to itself."
