"""Patients of the clinic and trials of a learner's functions in them, for several checks."""

import contextlib
import functools
import operator
from types import FunctionType

from exercises.clinic.patients import LESSON, patient
from exercises.clinic.program import PARTS
from exercises.clinic.readings import finished
from exercises.judging.vocabulary import ENDLESS, AnswerError, kind, names_read, run_guarded, trying

NUMBERS = range(2, len(LESSON) + 1)  # the patients that the learner examines; the lesson works through the first
SECONDS, CLOCK = (
    45.0,
    180.0,
)  # of CPU time for all instruments of a program, usually half a second; and by the clock


@functools.cache
def examined(number):
    return patient(number)


def by_number(given, what):
    """Return {number: value} of a learner's dict without those not written yet.

    Raise AnswerError if it is no such dict.
    """
    with trying(what):
        if not isinstance(given, dict):
            said = f"A dict whose keys are patient numbers was expected; it is {kind(given)}."
            raise AnswerError(f"Tested: {what}.", said)
        found = {}
        for key, value in given.items():
            number = None
            if not isinstance(key, bool):
                with contextlib.suppress(TypeError):
                    number = operator.index(key)
            if number not in NUMBERS:
                said = kind(key) if number is None else f"{number}"
                said = f"Its keys should be patient numbers, 2 to {NUMBERS[-1]}; got {said}."
                raise AnswerError(f"Tested: {what}.", said)
            if value is not None and value is not ...:
                found[number] = value
        return dict(sorted(found.items()))


def so_far(done, given, missing):
    """Return the sentence for an answer that is not finished."""
    left = ", ".join(str(number) for number in NUMBERS if number not in given)
    right = f"{done}: {', '.join(map(str, given))}. " if given else ""
    return f"{right}{missing}: {left}."


def part_of(function, what):
    """Return the name of the part that a function replaces, or None. Raise AnswerError if it is not a function."""
    if not is_function(function):
        raise AnswerError(f"Tested: {what}.", f"A function was expected; it is {kind(function)}.")
    return function.__name__ if function.__name__ in PARTS else None


def is_function(thing):
    """Return whether `def` or `lambda` made something. This looks at its type, since it may refuse to answer."""
    return type(thing) is FunctionType


NO_PART = "The function is called {!r}. Its name must be that of the part it replaces: {}."


def worked(what, work):
    """Run a generator of instruments on a program with a learner's function in it, and return its result."""

    def trial():
        with trying(what):
            return finished(work)

    try:
        return run_guarded(trial, SECONDS, CLOCK)
    except AnswerError as error:
        if error.kind != ENDLESS:
            raise
        said = f"The instruments were still running after {SECONDS:g} seconds, so they were stopped."
        raise AnswerError(f"Tested: {what}.", said, kind=ENDLESS) from None


kept = {}  # {the key from `behaviour_key`: the outcome of a function's trial}
MOST_KEPT = 100


def behaviour_key(function, program, *rest):
    """Return a key that two functions share only if they do the same; None if the code alone cannot decide that."""
    strange = {name for name in names_read(function.__code__) if name in function.__globals__} - set(program.names)
    if strange or function.__defaults__ or function.__kwdefaults__ or function.__closure__:
        return None
    return (function.__name__, function.__code__, *rest)


def tried(function, program, work, what, *rest):
    """Try a function in a program, work(the program with it), and return the outcome. The same is not tried again."""
    place = behaviour_key(function, program, *rest)
    if place is not None and place in kept:
        return kept[place]
    found = worked(what, work(program.with_functions(function)))
    if place is not None:
        if len(kept) >= MOST_KEPT:
            kept.clear()
        kept[place] = found
    return found
