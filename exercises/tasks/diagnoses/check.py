"""The check of `diagnoses`: the cause named for each patient, and a reading that speaks against it."""

import contextlib
import difflib

from exercises.clinic import record
from exercises.clinic.patients import against, causes, faults, is_cause, sentence
from exercises.judging.vocabulary import AnswerError, NotAttempted, exercise, kind, make_result, trying
from exercises.tasks.shared.programs import CLOCK, NUMBERS, by_number, examined, so_far

MISTAKEN = {  # {a mistake: the causes that are named in haste}
    "the rate is blamed": ("tiny_rate",),
    "the start is blamed": ("all_zero", "equal_weights", "exploding"),
    "the sign is blamed": ("wrong_sign",),
    "labels are blamed": ("shuffled_labels",),
    "the engine is blamed": ("wrong_engine",),
    "the axis is blamed": ("wrong_axis",),
    "the scale is blamed": ("not_scaled", "other_scale"),
    "the optimizer is blamed": ("left_out", "old_parameters"),
    "depth is blamed": ("vanishing",),
    "zero_grad is blamed": ("no_zero",),
}


def key_of(cause):
    """Return the key of a cause, given as in the list of causes or by its key. Raise AnswerError if there is none."""
    if not isinstance(cause, str):
        raise AnswerError("Tested: diagnoses.", f"A cause is a string from the list of causes; got {kind(cause)}.")
    plain = {" ".join(name.lower().split()): key for name, key in causes().items()}
    wanted = " ".join(cause.lower().strip(" .").split())
    if wanted in faults():
        return wanted
    if wanted in plain:
        return plain[wanted]
    near = difflib.get_close_matches(wanted, plain, 1, 0.8)
    hint = (
        f" Of those in the list, “{near[0]}” is spelled most like it, but it may mean something different."
        if near
        else ""
    )
    raise AnswerError(
        "Tested: diagnoses.", f"The list of causes has no {cause[:80]!r}.{hint} The ward shows all of them."
    )


def keys_of(given):
    found = by_number(given, "diagnoses")
    with trying("diagnoses"):
        return {number: key_of(cause) for number, cause in found.items()}


def note_diagnoses(verdict, given):
    """Note in the progress file which causes were named."""
    with contextlib.suppress(AnswerError):
        for number, key in keys_of(given).items():
            record.note_cause(number, key, is_cause(examined(number), key))


@exercise(compares=False, notes=note_diagnoses, timeout=CLOCK)
def diagnoses(diagnoses):
    """Name what is wrong with patients 2 to 8; a wrong cause is answered by a reading that speaks against it."""
    given, wrong = keys_of(diagnoses), False
    for number, key in given.items():
        ill, name = examined(number), faults()[key].cause
        right = is_cause(ill, key)
        wrong = wrong or not right
        says, because = "", ()
        if not right:
            found = against(ill, key)
            says = sentence(key, found) if found else "No instrument contradicts it, but the cause is a different one."
            because = [mistake for mistake, keys in MISTAKEN.items() if key in keys]
        row = (f"patient {number}", "its cause", name if right else f"“{name}”", right)
        yield make_result(f"Patient {number} has a different cause. {says}", row, because=because)
    if not wrong and len(given) < len(NUMBERS):
        raise NotAttempted(so_far("Right so far", given, "Still to name"))
    return "All seven. `exercises.program(2)` now shows the code of patient 2, and likewise for the others."
