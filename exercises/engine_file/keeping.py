"""What stands in `my_engine.py`: a passed cell is put in, a part is kept as it is, or given back to the course."""

import builtins
import contextlib
import shutil
from pathlib import Path

from autograd.lessons import digits
from exercises.engine_file import cells
from exercises.engine_file.loading import ASKED
from exercises.engine_file.parts import (
    BY_NAME,
    COURSES_MODULES,
    EXERCISES,
    IMPORTS,
    NAMES,
    OPERATORS,
    PARTS,
    USABLE,
    used,
)
from exercises.engine_file.regions import FILE, KEPT, Region, compose, mark_of, parse, part_names, slot_owner, today
from exercises.engine_file.store import MOST, current, is_waiting, path, read, update
from exercises.engine_file.trial import why_not, why_not_there
from exercises.sandbox import runner
from exercises.sandbox.pristine import code_of
from exercises.shelf import files, library, progress

READS_DIGITS = {"softmax", "cross_entropy_gradient", "fit"}  # the parts of lesson 12 that learn digits
TRIAL = "<the part on trial>"  # the file name of code that is in no file yet


# An exercise is passed


def take(name, given):
    """Put a learner's part into the file, now that its check has passed; says so in a sentence, or why not.

    given: what the check was handed. "" where there is nothing to say: no notebook runs, or the exercise is no part.
    """
    if name not in BY_NAME or cells.kernel_names() is None or all(map(is_in_file, given)):
        return progress.in_memory()
    said = taken(name, given)
    with contextlib.suppress(OSError):
        progress.note(ASKED, name, slot_owner(BY_NAME[name], read(path())[0]) is None)
    return " ".join(filter(None, [said, progress.in_memory()]))


def is_in_file(thing):
    """Whether a thing comes from the engine's file already."""
    return any(code.co_filename == str(path()) for code, _ in code_of(thing))


def taken(name, given):
    """What `take` says of the engine's file."""
    part, place, before = BY_NAME[name], path(), []
    try:
        cell = cells.cell_of(given)
        text = cell.text + "".join(
            f"\n{wanted} = {bound}  # the name that the engine has for it\n"
            for wanted, bound in zip(part.gives, cell.names)
            if wanted != bound
        )
        own, _, before = current(place)
        if (later := slot_owner(part, own)) not in (None, name) and name in BY_NAME[later].replaces:
            return f"{FILE} has a later part of yours in its place: {later}."
        region = region_for(part, text, own)
        if name in own and own[name].is_noted and own[name].text == region.text and not is_waiting(place):
            return f"It is in {FILE}."
        why = fault_alone(region, own, cell.text)  # before the file is locked: this runs the learner's code
    except cells.NoText as fault:
        why = str(fault)
    except SyntaxError as fault:
        why = f"There it would be a SyntaxError: {fault.msg}."
    except OSError:
        why = ""  # `update` says what is wrong with the file
    if why:
        return " ".join([f"It is not in {FILE}, though. {why}", *before])

    def change(own):
        own[name] = region_for(part, text, own)
        for earlier in part.replaces:
            own.pop(earlier, None)
        return ""

    notes, copy = update(change)
    if name in READS_DIGITS <= {*own, name}:
        notes = [*notes, *digits_beside(place)]
    notes = [
        *(said for said in before if not any(each.startswith(said) for each in notes)),
        *notes,
    ]  # such as: it was set aside
    kept = [f"What you had changed there by hand is in {copy}."] if copy and not any(copy in n for n in notes) else []
    where = FILE if place.parent == Path.cwd() else place
    has = [] if is_waiting(place) else [f"Saved to {where}."]  # it was read back
    return " ".join([*has, *kept, *notes])


def digits_beside(place):
    """Lay the digits beside the engine's file, which learns them when it is run alone; a sentence if they are new."""
    beside = place.with_name(digits.FILE.name)
    with contextlib.suppress(OSError):
        if not beside.exists():
            shutil.copyfile(digits.FILE, beside)
            yield f"{beside.name} lies beside it now: `python {FILE}` learns to read digits."


def region_for(part, text, own):
    """A part's region for a cell's text, which is wrapped in a function where it has to be."""
    body = imports(text, part) + wrapped(as_operators(text, part) + text, part, own)
    return Region(part.name, body.strip() + "\n", today(), mark_of(body))


def imports(text, part):
    """The imports of its lesson's first cell that a part's text relies on, and that no part before it has."""
    earlier = "".join(other.text for other in PARTS[: PARTS.index(part)] if other.is_given)
    found = [IMPORTS[name] for name in cells.lacking(text, NAMES) if name in IMPORTS and IMPORTS[name] not in earlier]
    return "".join(f"{line}\n" for line in found) + ("\n\n" if found else "")


def as_operators(text, part):
    """Return the lines by which `add(a, b)` in a later part of lesson 02 means a + b, whatever rule that has."""
    is_later = part.lesson == "02" and part.name not in OPERATORS
    used = [name for name in cells.lacking(text, ()) if name in OPERATORS and is_later]
    return "".join(f"{name} = lambda self, other: self {OPERATORS[name]} other\n" for name in used) + "\n" * bool(used)


def wrapped(text, part, own):
    """A cell's text, in a function of its own where it gives a name that another part, or Python, gives too."""
    names = set(cells.names_of(text)) - set(part.gives)
    others = {name for other in used(own) if other.name != part.name for name in part_names(other, own)}
    others |= {name for name in NAMES if name not in part.gives} | set(vars(builtins))
    return cells.in_a_function(text, f"_{part.name}", part.gives) if names & others else text


def fault_alone(region, own, text):
    """Why a part does not work in the engine alone, without the notebook; "" where it does."""
    with_it = {**{name: each for name, each in own.items() if each.is_noted}, region.name: region}
    for earlier in BY_NAME[region.name].replaces:
        with_it.pop(earlier, None)
    file = compose(with_it)
    if len(files.encoded(file)) > MOST:
        return f"With it {FILE} would have more than {MOST // 2**20} MB, and that is not read."
    compile(file, FILE, "exec")
    found, extra, again = parse(file)
    if region.name not in found or found[region.name].text != region.text or extra.text.strip() or again:
        return f"A line of that cell looks like a heading of {FILE}: take it out."
    missing = cells.lacking(text, USABLE)
    for verb, names in (("imports", cells.imported(text)), ("uses", missing)):
        if ours := [name for name in names if name in COURSES_MODULES or (verb, name) == ("uses", "check")]:
            return f"{FILE} imports nothing of the course, and your part {verb} `{ours[0]}`."
    if missing:
        listed = ", ".join(f"`{name}`" for name in missing)
        them = "it" if len(missing) == 1 else "them"
        return f"Your part uses {listed} from another cell: move {them} into its cell, and run both cells again."
    without = {name: each for name, each in with_it.items() if name != region.name}
    why = why_not(without, region, TRIAL)
    return why and f"Run alone in the engine, this came of it: {why}."


# A learner asks for something else in the file


def keep(name):
    """Use a part that was changed by hand as it is, though its check refuses it."""
    if name not in BY_NAME:
        return progress.Note(f"The engine has no part {name!r}. It has: {', '.join(part.name for part in EXERCISES)}.")

    def change(own):
        if name not in own:
            return f"The part {name} in {FILE} is the course's: there is nothing to keep."
        if runner.works() and not own[name].is_noted:
            try:
                with runner.Runner() as process:
                    why_not_there(process, {}, own[name], path())
            except runner.Ended as why:
                return f"Your part {name} cannot be used, as a lesson would end with it: {why}."
        own[name] = own[name].noted(KEPT)
        return ""

    said, _ = update(change)
    return progress.Note(" ".join(said) or f"Your part {name} is used as it is from the next load on, unchecked.")


def reset(name=None):
    """Begin an exercise again, or give the whole engine back to the course.

    With a name: its progress is forgotten, a part of the learner's in `my_engine.py` becomes the course's again after a
    dated copy, and its stub comes back in a new cell below this one. Without: all parts become the course's.
    """
    if name is None:
        given = give_back() or f"No part of {FILE} is yours."
        return progress.Note(f"{given} Progress is as it was; exercises.progress.reset() forgets it.")
    if name not in library.names():
        return progress.Note(f"There is no exercise {name!r}. There are: {', '.join(library.names())}.")
    text, given = library.stub(name), give_back(name)
    progress.reset(name)
    said = " ".join(filter(None, [f"{name} is as if never tried.", given]))
    if (shell := cells.shell()) is None:
        return progress.Note(f"{said} Its stub:\n\n{text}")
    shell.set_next_input(text)
    return progress.Note(f"{said} Its stub stands in the cell below: run that cell instead of your own.")


def give_back(name=None):
    """Put the course's part, or all of them, into the file, after a dated copy; "" if nothing there was theirs."""
    given = []

    def change(own):
        given[:] = [each for each in own if name in (None, each)]
        for each in given:
            del own[each]
        return "" if given else " "

    notes, copy = update(change, copy=True)
    if not given:
        return " ".join(notes).strip()
    what = f"The part {name} is" if name else "All parts are"
    where = f"; {copy} is a copy of {FILE} as it was" if copy else "; no copy could be made"
    return " ".join([f"{what} the course's again{where}.", *notes])
