"""What a learner has done with each patient of the ward, kept in the progress file under "clinic"."""

from exercises.shelf import progress

SECTION = "clinic"


def of(number):
    """What is known of a patient: {"taken": [instruments], "named": [wrong keys], "diagnosed", "repaired"}; a copy."""
    found = progress.noted(SECTION).get(str(number))
    found = found if isinstance(found, dict) else {}
    lists = {name: names(found.get(name)) for name in ("taken", "named")}
    return {**lists, **{name: found.get(name) is True for name in ("diagnosed", "repaired")}}


def names(found):
    """The names in what the file has for a list of names; whatever else stands there is left out."""
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


def change(number, **what):
    """Note what is new of a patient. Where nothing is, the file is left as it is."""
    before = of(number)
    if (after := {**before, **what}) != before:
        progress.note(SECTION, str(number), after)


def taken(number, instrument):
    """Note that an instrument has been used on a patient."""
    before = of(number)["taken"]
    change(number, taken=before if instrument in before else [*before, instrument])


def note_cause(number, key, right):
    """Note a cause that was named: a right one is the diagnosis, of wrong ones each is kept once."""
    before = of(number)["named"]
    if right:
        change(number, diagnosed=True)
    elif key not in before:
        change(number, named=[*before, key])


def diagnosed(number):
    """Whether the right cause of a patient was ever named."""
    return of(number)["diagnosed"]


def repaired(number, done=None):
    """Whether a patient was ever repaired. done: True, to note that it is."""
    if done:
        change(number, repaired=True)
    return of(number)["repaired"]
