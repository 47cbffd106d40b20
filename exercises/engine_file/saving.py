"""Changes of `my_engine.py`: put in a passed cell, accept a part unchecked, or restore the course's part."""

import contextlib
import shutil
from pathlib import Path

from autograd.lessons import digits
from exercises.content import library
from exercises.engine_file import cells, loading, merging
from exercises.engine_file.loading import ASKED
from exercises.engine_file.parts import BY_NAME, COURSE_MODULES, USABLE
from exercises.engine_file.places import FILE, FILES, file_of, order, slots_of
from exercises.engine_file.source import digest
from exercises.engine_file.sources import UNCHECKED, key_of
from exercises.engine_file.store import MOST, current, is_waiting, path, read, update
from exercises.engine_file.trial import why_not, why_not_there
from exercises.sandbox import runner
from exercises.sandbox.isolation import code_objects
from exercises.storage import files, progress

READS_DIGITS = {"softmax", "cross_entropy_gradient", "fit"}  # the parts of lesson 09 that learn digits
TRIAL = Path("<the part on trial>", FILE)  # the file name of code that is not in a file yet


# An exercise is passed


def save_part(name, given):
    """Put a learner's part into the file, now that its check has passed. Return a sentence on that, or on why not.

    given: what the check received. "" if there is nothing to say: no notebook runs, or the exercise is no part.
    """
    if name not in BY_NAME or cells.kernel_names() is None or all(map(is_in_file, given)):
        return progress.in_memory()
    said = saved(name, given)
    with contextlib.suppress(OSError):
        progress.note(ASKED, name, read(path())[0].owner(name) is None)
    return " ".join(filter(None, [said, progress.in_memory()]))


def is_in_file(thing):
    here = {str(path().with_name(file)) for file in FILES}
    return any(code.co_filename in here for code, _ in code_objects(thing))


def saved(name, given):
    """Save a learner's part; return the sentences of `save_part` about the engine's file."""
    place, before, file = path(), [], file_of(name)
    try:
        cell = cells.cell_of(given)
        sources, before = current(place)
        if stays := sources.later_in_place(name):
            return stays
        if is_saved(sources, name, cell) and not is_waiting(place):
            return f"It is in {file}."
        form, why = choose_form(name, cell, sources)  # before the file is locked: this runs the learner's code
    except cells.NoText as fault:
        why = str(fault)
    except SyntaxError as fault:
        why = f"There it would be a SyntaxError: {fault.msg}."
    except OSError:
        form, why = merging.MOVED, ""  # `update` says what is wrong with the file
    if why:
        return " ".join([f"It is not in {file}, though. {why}", *before])

    def change(sources):
        merging.merge(sources, name, cells.drop_trial_statements(cell.text, cell.names), cell.names, form)
        for file, item in sources.exercise_items(name):
            sources.note(file, item, cell=digest(cell.text))
        return ""

    replaced = " and ".join(sources.later_parts(name))
    notes, copy = update(change)
    if name in READS_DIGITS <= {*current(place)[0].owned(), name}:
        notes = [*notes, *copy_digits(place)]
    loading.refresh()
    before = [said for said in before if not any(each.startswith(said) for each in notes)]  # such as: it was set aside
    copied = [f"What you had changed there by hand is in {copy}."] if copy and not any(copy in n for n in notes) else []
    where = file if place.parent == Path.cwd() else place.with_name(file)
    has = [] if is_waiting(place) else [f"Saved to {where}."]  # it was read back
    has += [f"It replaces what your {replaced} had put there."] if has and replaced else []
    return " ".join([*has, *copied, *before, *notes])


def is_saved(sources, name, cell):
    """Return whether the file has the text of this very cell."""
    items = sources.exercise_items(name)
    return bool(items) and all(
        sources.is_noted(file, item) and sources.records[file][key_of(item)].get("cell") == digest(cell.text)
        for file, item in items
    )


def copy_digits(place):
    """Put the digits next to the engine's files, which learn to read them when run alone; yield a sentence once."""
    beside = place.with_name(digits.FILE.name)
    with contextlib.suppress(OSError):
        if not beside.exists():
            shutil.copyfile(digits.FILE, beside)
            yield f"{beside.name} is next to it now: `python {file_of('fit')}` learns to read digits."


def choose_form(name, cell, sources):
    """Return (the form in which a cell's text goes into the file, why none works, or "")."""
    text = cells.drop_trial_statements(cell.text, cell.names)
    if why := refuse_text(text, file_of(name)):
        return merging.MOVED, why
    without = sources.without(sources.unnoted())
    first = ""
    for form in (merging.MOVED, merging.ASSIGNED):
        tried = without.copy()
        try:
            merging.merge(tried, name, text, cell.names, form)
        except merging.CannotMove:
            continue
        tried.fill()
        if any(len(files.encoded(text)) > MOST for text in tried.texts().values()):
            return form, f"With it {FILE} would have more than {MOST // 2**20} MB, and that is not read."
        why = why_not(tried, [(file, key_of(item)) for file, item in tried.exercise_items(name)], TRIAL)
        if not why:
            return form, ""
        first = first or why
    return merging.MOVED, f"Run alone in the engine, this came of it: {first}."


def refuse_text(text, file):
    """Return why a cell's text cannot be in the file, whatever it computes; "" if it can."""
    compile(text, file, "exec")
    missing = cells.undefined_names(text, USABLE)
    for verb, names in (("imports", cells.imported(text)), ("uses", missing)):
        if ours := [name for name in names if name in COURSE_MODULES or (verb, name) == ("uses", "check")]:
            return f"{file} imports nothing of the course, and your part {verb} `{ours[0]}`."
    if "mine" in missing:
        return f"{file} does not know `mine`, a name of the notebook: write out here what that line does."
    if missing:
        listed = ", ".join(f"`{name}`" for name in missing)
        them = "it" if len(missing) == 1 else "them"
        return f"Your part uses {listed} from another cell: move {them} into its cell, and run both cells again."
    return ""


# A learner asks for something else in the file


def items_of(sources, name):
    """Return [(file, item)] of the learner's items under an exercise's or a method's name."""
    if name in BY_NAME:
        found = sources.exercise_items(name)
        theirs = not found and sources.owner(name) and not sources.later_parts(name)
        items = [sources.find(slot) for slot in slots_of(name)] if theirs else []
        return found or [(file_of(name), item) for item in items if item]
    return [(file, item) for file, item in sources.theirs() if item.name == name]


def slots_in_use(name):
    return slots_of(name) if name in BY_NAME else (name,)


def is_known(name):
    """Return whether a name is an exercise's or has a place in the files."""
    return name in library.names() or any(name in order(file) for file in FILES)


def accept_unchecked(name):
    """Use a part that you changed by hand, although its check refuses it.

    name: an exercise's, or a method's, such as "Value.__add__".
    """
    if name not in BY_NAME and not is_known(name):
        return progress.Note(f"The engine has no {name!r}. It has: {', '.join(loading.engine_names())}.")

    def change(sources):
        if not (items := items_of(sources, name)):
            return sources.later_in_place(name) or f"{name} in {FILE} is the course's: there is nothing to keep."
        changed = [(file, key_of(item)) for file, item in items if not sources.is_noted(file, item)]
        if runner.is_available() and changed:
            try:
                with runner.Runner() as process:
                    others = sources.unnoted().keys() - {*changed}
                    why_not_there(process, sources.without(others), changed, path())
            except runner.Ended as why:
                return f"Your {name} cannot be used, because a lesson would end with it: {why}."
        for file, item in items:
            sources.note(file, item, owner=UNCHECKED)
        return ""

    said, _ = update(change)
    loading.refresh()
    return progress.Note(" ".join(said) or f"Your {name} is used as it is from now on, unchecked.")


keep = accept_unchecked  # its public name


def reset(name=None):
    """Begin an exercise again, or give the whole engine back to the course.

    name: an exercise's: its progress is deleted, the learner's part in `my_engine.py` becomes the course's again after
    a dated copy, and its stub comes back in a new cell below this one. Or a method's, such as "Value.__add__", which
    becomes the course's again. Without a name, all parts do.
    """
    if name is None:
        given = restore_default() or f"Nothing in {FILE} is yours."
        return progress.Note(f"{given} Progress is unchanged; exercises.progress.reset() forgets it.")
    if name not in library.names():
        if is_known(name):
            return progress.Note(restore_default(name) or f"{name} in {FILE} is the course's.")
        return progress.Note(f"There is no exercise {name!r}. There are: {', '.join(library.names())}.")
    text, given = library.stub(name), restore_default(name)
    progress.reset(name)
    said = " ".join(filter(None, [f"{name} is as if never tried.", given]))
    if (shell := cells.shell()) is None:
        return progress.Note(f"{said} Its stub:\n\n{text}")
    shell.set_next_input(text)
    return progress.Note(f"{said} Its stub is in the cell below: run that cell instead of your own.")


def restore_default(name=None):
    """Restore the course's items for a part, or for all, after a dated copy; "" if nothing was the learner's."""
    given = []

    def change(sources):
        given[:] = [*sources.theirs()] if name is None else items_of(sources, name)
        helpers = {}
        for file, item in given:
            if name is None or item.name in slots_in_use(name):
                sources.give_back(file, item)
            else:
                helpers.setdefault(file, []).append(item)
        for file, items in helpers.items():
            merging.drop(sources, file, items)
        return "" if given else " "

    notes, copy = update(change, copy=True)
    loading.refresh()
    if not given:
        return " ".join(notes).strip()
    what = f"{name} is" if name else "All parts are"
    where = f"; {copy} is a copy of the file before that" if copy else "; no copy could be made"
    return " ".join([f"{what} the course's again{where}.", *notes])
