"""A learner's progress with each patient of the ward, in the progress file under "clinic"."""

from exercises.storage import progress

SECTION = "clinic"


def read_entry(number):
    """Return a copy of a patient's entry: {"taken": [instruments], "named": [wrong keys], "diagnosed", "repaired"}."""
    found = progress.noted(SECTION).get(str(number))
    found = found if isinstance(found, dict) else {}
    lists = {name: names(found.get(name)) for name in ("taken", "named")}
    return {**lists, **{name: found.get(name) is True for name in ("diagnosed", "repaired")}}


def names(found):
    """Return the texts in a list of the file, without anything else in it; [] if it is no list."""
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


def change(number, **what):
    """Update a patient's entry; if nothing changes, leave the file untouched."""
    before = read_entry(number)
    if (after := {**before, **what}) != before:
        progress.note(SECTION, str(number), after)


def taken(number, instrument):
    """Note that an instrument has been used on a patient."""
    before = read_entry(number)["taken"]
    change(number, taken=before if instrument in before else [*before, instrument])


def note_cause(number, key, right):
    """Record a cause that the learner named: a right one is the diagnosis, a wrong one is kept once."""
    before = read_entry(number)["named"]
    if right:
        change(number, diagnosed=True)
    elif key not in before:
        change(number, named=[*before, key])


def diagnosed(number):
    """Return whether the learner ever named the right cause of a patient."""
    return read_entry(number)["diagnosed"]


def repaired(number, done=None):
    """Return whether the learner ever repaired a patient. done: True, to record that they have."""
    if done:
        change(number, repaired=True)
    return read_entry(number)["repaired"]
