"""The check of `pick`: which character is drawn, against shares by plain floats."""

import itertools
import math
import random
import sys

import numpy as np

from exercises.judging.answers import NothingReturned
from exercises.judging.vocabulary import NUMPY, AnswerError, called, function_exercise, has, kind, make_result
from exercises.verdicts.results import TestResult

CASES = (  # (scores, temperature): a temperature of 1 hides five mistakes, and only scores of 800 show a missing shift
    *(([1.0, 0.0, -1.0], 0.5), ([0.5, 1.5, -0.5, 1.0], 2.0), ([0.0, 0.0, 0.0], 3.0), ([800.0, 799.0, 797.5], 0.8)),
    *(([-2.0, 1.0, 0.5, -1.5, 0.25], 1.0), ([-810.0, -811.0], 1.5), ([2.0, -3.0, 1.0], 0.4)),
    ([1600.0, 1599.0, -1600.0], 1.0),  # subtracting the mean and not the largest leaves 1,067
    ([-1600.0, 2.0, 1.0], 1.0),  # the first share is 0, so its part holds no u, not even 0
)
EACH = 7  # evenly spaced values of u from 0 to 1
LARGEST = math.log(sys.float_info.max)  # exp of more is inf
MARGIN = 1e-5  # between u and any edge, so that rounding does not matter


def drawn(seed):
    """Draw (scores, temperature) for the silent round."""
    luck = random.Random(f"pick {seed}")
    for _ in range(8):
        large = luck.choice((0.0, 0.0, 750.0, -750.0))
        scores = [round(large + luck.uniform(-3, 3), 3) for _ in range(luck.randint(2, 12))]
        yield scores, round(luck.uniform(0.2, 0.6) if large else luck.uniform(0.2, 3.0), 4)


def edges_of(scores, temperature):
    """Return where each part ends, by plain floats."""
    powers = [math.exp((score - max(scores)) / temperature) for score in scores]
    return list(itertools.accumulate(power / math.fsum(powers) for power in powers))


def places(scores, temperature):
    """Yield numbers u from 0 to 1 that lie on no edge, some of them close to one, each with its character."""
    edges = edges_of(scores, temperature)
    middles = [(low + high) / 2 for low, high in itertools.pairwise([0.0, *edges])]
    beside = [edge + side * 1e-4 for edge in edges for side in (-1, 1)]
    for u in sorted({0.0, *(round(u, 4) for u in (*(i / EACH for i in range(1, EACH)), *middles, *beside))}):
        if 0 <= u < 1 and (u == 0 or min(abs(u - edge) for edge in edges) > MARGIN):
            yield u, next(i for i, edge in enumerate(edges) if u < edge)


def whole_number(found, what):
    """Return a learner's result as a whole number. Raise AnswerError if it is none."""
    single = not isinstance(found, bool | np.bool_) and not (isinstance(found, np.ndarray) and found.ndim)
    is_float = isinstance(found, float | np.floating) and float(found).is_integer()
    if single and (is_float or has(found, "__index__")):
        return int(found)
    raise AnswerError(
        f"Tested: {what}.", f"The index of a character (a whole number) was expected; it returned {kind(found)}."
    )


@function_exercise(**NUMPY)
def pick(pick, *, seed=0):
    """`pick(scores, temperature, u)` gives the character that u falls on."""
    count = 0
    for scores, temperature in drawn(seed) if seed else CASES:
        characters, rights, given = [], [], np.array(scores)
        asked = list(places(scores, temperature))
        case = f"scores = np.array({scores})\n[pick(scores, {temperature}, u) for u in {[u for u, _ in asked]}]"
        for u, character in asked:
            what = f"pick(np.array({scores}), {temperature}, {u})"
            try:
                with np.errstate(all="ignore"):
                    found = called(pick, given, temperature, u, what=what, returns=object)
            except NothingReturned:
                if max(scores) / temperature < LARGEST:
                    raise
                says = f"It returned None for scores as large as {max(scores):g}, where exp overflows."
                yield TestResult(says, case=what, because=("nothing subtracted first",), ended="None")
                return ""
            characters.append(whole_number(found, what))
            rights.append(character)
        count += len(asked)
        kept = bool(np.array_equal(given, scores))
        yield make_result(
            f"At a temperature of {temperature:g}, some of the characters are wrong.",
            ("characters", rights, characters),
            ("what was passed in", "unchanged", "unchanged" if kept else "changed", kept),
            case=case,
        )
    return f"Right for {count} values of u, with scores of 800 and temperatures from 0.4 to 3."
