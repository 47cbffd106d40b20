"""The check of `untouched`: the number of rows of an embedding that a batch does not look up."""

from autograd.lessons.colours import SIGNS, all_windows
from exercises.judging.vocabulary import answer, exercise, make_result

NAMES = ("red", "grey")


@exercise
def untouched(untouched):
    """Check the number of the 30 rows that no window of the two names looks up."""
    got = answer(untouched, "untouched", came="it is")
    rows, _ = all_windows(NAMES, 4)
    right = len(SIGNS) - len({*rows.ravel().tolist()})
    row = ("untouched", None, f"{got:g}", got == right)
    yield make_result("That is not how many rows get nothing from this batch.", row)
    return f"{right} rows are exactly 0: the two names use {len(SIGNS) - right} characters, one of which is the end."
