"""The check of `windows`: the letters before each letter of a name, and the letter."""

import random

from exercises.judging.vocabulary import (
    AnswerError,
    NotAttempted,
    called,
    function_exercise,
    has,
    kind,
    make_result,
    to_plain_data,
)

NAMES = (  # (letters, context): three letters that differ and a context of two tell all known mistakes apart
    *(([1, 2, 3], 2), ([5, 6], 3), ([21, 8, 7], 4), ([9], 1), ([4, 4, 12, 4, 30], 3), ([], 2)),
)


def drawn(seed):
    """Draw (letters, context) for the silent round."""
    luck = random.Random(f"windows {seed}")
    return [
        ([luck.randint(1, 29) for _ in range(luck.randint(most // 2, most))], luck.randint(1, 6))
        for most in (2, 9, 9, 40)
    ]


def right(letters, context):
    """Return (windows, targets), letter by letter: each window is the one before it, moved on by one character."""
    window, rows = [0] * context, []
    for letter in letters:
        rows.append(window)
        window = [*window[1:], letter]
    return [*rows, window], [*letters, 0]


def items(found):
    """Return a sequence of any kind as lists; describe anything else in a few words."""
    if has(found, "tolist"):
        found = found.tolist()
    if isinstance(found, list | tuple):
        return [items(item) for item in found]
    found = to_plain_data(found)
    return int(found) if isinstance(found, float) and found.is_integer() else found


@function_exercise
def windows(windows, *, seed=0):
    """`windows(letters, context)` gives a window and a target for each letter of a name, and for its end."""
    names = drawn(seed) if seed else NAMES
    for letters, context in names:
        case = f"windows({letters}, {context})"
        found = called(windows, list(letters), context, what=case, returns=object)
        if not isinstance(found, list | tuple) or len(found) != 2:
            raise AnswerError(f"Tested: {case}.", f"A pair (windows, targets) was expected; it returned {kind(found)}.")
        if any(part is None or part is ... for part in found):
            raise NotAttempted
        (rows, targets), (own_rows, own_targets) = right(letters, context), map(items, found)
        count = ("how many windows", str(len(rows)), str(len(own_rows) if isinstance(own_rows, list) else own_rows))
        yield make_result(
            f"These windows and targets are wrong, for a name of {len(letters)} letters and a context of {context}.",
            count,
            ("windows", rows, own_rows),
            ("targets", targets, own_targets),
            case=case,
        )
    return f"Right for {len(names)} names: a window for each letter, and one for the end."
