"""The check of `repairs`: the readings of all instruments on each patient with its repair."""

import contextlib
import functools
import time

from exercises.clinic import record
from exercises.clinic.instruments import INSTRUMENTS
from exercises.clinic.program import PARTS
from exercises.clinic.repairing import repair, title, without_fault
from exercises.judging.vocabulary import ENDLESS, AnswerError, NotAttempted, TestResult, exercise, make_result
from exercises.tasks.shared.programs import (
    CLOCK,
    NO_PART,
    NUMBERS,
    behaviour_key,
    by_number,
    examined,
    is_function,
    kept,
    part_of,
    so_far,
    tried,
)

LOOKING = 20.0  # seconds of work, after which repairs that have not been looked at wait for the next check


@functools.cache
def twin(number):
    """Return the same program without the fault, and its readings."""
    return without_fault(examined(number))


def repaired(number, function):
    """Try a repair on a patient and return the outcome, a Repair."""
    ill = examined(number)
    what = f"patient {number} with this `{function.__name__}`"
    return tried(function, ill.program, functools.partial(repair, ill, twin=twin(number)), what, number)


def fails(found):
    """Return (what to say of a wrong repair, the name of the mistake)."""
    if found.hides:
        says = "It learns more than before, but it is not repaired: some readings are still wrong."
        return says, "it learns, with a fault"
    if set(found.left) - set(found.before):
        return "A reading is wrong now that was right before.", "a different reading is wrong now"
    if set(found.left) == set(found.before):
        return "Each reading that was wrong is still wrong.", "it reads as before"
    return "Some readings are right now, but not all.", "fewer readings are wrong"


def note_repairs(verdict, given):
    """Note in the progress file which patients are repaired."""
    with contextlib.suppress(AnswerError):
        for number, function in by_number(given, "repairs").items():
            place = behaviour_key(function, examined(number).program, number) if is_function(function) else None
            if verdict or (place in kept and kept[place].is_right):
                record.repaired(number, True)


@exercise(compares=False, notes=note_repairs, timeout=CLOCK + LOOKING)
def repairs(repairs):
    """Repair patients 2 to 8: with each repair, all instruments read as they would without the fault."""
    given, begin = by_number(repairs, "repairs"), time.process_time()
    looked, wrong = [], False
    for number, function in given.items():
        if time.process_time() - begin > LOOKING and not wrong:
            raise NotAttempted(f"Right so far: {', '.join(map(str, looked))}. Run the check again for the others.")
        if wrong:
            return ""
        if part_of(function, f"the repair of patient {number}") is None:
            said = NO_PART.format(function.__name__, ", ".join(PARTS))
            yield TestResult(f"Patient {number}. {said}", because=("no part's name",), ended="no part's name")
            return ""
        try:
            found = repaired(number, function)
        except AnswerError as error:
            because = () if error.kind == ENDLESS else ("it does not run",)
            yield TestResult(" ".join(error.sentences), because=because, ended=error.kind)
            return ""
        wrong = not found.is_right
        looked.append(number)
        says, because = fails(found) if wrong else ("", ())
        left = ", ".join(map(title, found.left)) or "nothing"
        row = (f"patient {number}: what reads wrong", "nothing", left, not wrong)
        first = tuple(INSTRUMENTS[name].title for name in ("curve", "answers"))  # other instruments come first
        speaks = next((said for said in found.says if not said.startswith(first)), "".join(found.says[:1]))
        yield make_result(f"Patient {number}. {says} {speaks}", row, because=because)
    if not wrong and len(given) < len(NUMBERS):
        raise NotAttempted(so_far("Repaired so far", given, "Still to repair"))
    return "All seven: each instrument reads as it would without the fault."
