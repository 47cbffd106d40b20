"""A learner's progress: one small JSON file in their own data folder. Deleting it loses nothing else.

Whatever happens to the file, a lesson goes on: a damaged or foreign one is renamed, and if the folder is not writable,
progress stays in memory. One sentence reports either, once.
"""

import contextlib
import copy
import datetime
import errno
import itertools
import json
import os
import sys
from pathlib import Path

import platformdirs

from exercises.content import lessons, library
from exercises.storage import files

MOST = 2**21  # bytes of the file: a whole course needs some 100,000, and a larger file would slow checks down
COURSE, VERSION = "backprop-from-scratch", 1
EXERCISE = {"passed": None, "tries": 0}  # the entry of an exercise not tried, and below of a question not asked
QUESTION = {"seen": 0, "missed": 0, "last": "", "right": False}

_known = {}  # {path: (the state of the file at the last reading, its content)}
_waiting = {}  # {path that could not be written: the changes for the next write}
_faults = {}  # {path that cannot be used: why}


class Note(str):
    """A sentence that a notebook shows without quotation marks."""

    def __repr__(self):
        return str(self)


def path():
    """Return the path of the progress file: in the folder of BACKPROP_DATA_DIR, else in the user data folder.

    In a browser it is the lessons' folder: all others are gone at the next load.
    """
    folder = os.environ.get("BACKPROP_DATA_DIR")
    if not folder and sys.platform == "emscripten":
        folder = lessons.folder() or Path.cwd()
    return Path(folder or platformdirs.user_data_path(COURSE, appauthor=False)) / "progress.json"


def kept_in_memory():
    """Return whether progress lasts only as long as this kernel, because its folder is not writable."""
    return path() in _faults


def in_memory():
    """Return the sentence on progress that is only in memory; "" if all of it is in the file."""
    place = path()
    if not _waiting.get(place):
        return ""
    if _faults[place] == files.BUSY:
        return f"Progress is not saved yet: {files.BUSY} {place}. The next check that can write saves it."
    return f"Progress is in this kernel's memory only, as {place} could not be written ({_faults[place]})."


def try_again():
    """Write the changes that wait for the file."""
    if _waiting.get(path()):
        update(None)


def passed(name):
    """Return whether an exercise was ever passed."""
    return first_passed(name) is not None


def first_passed(name):
    """Return the day on which an exercise was first passed, as "2026-01-31"; None if it never was."""
    return read()["exercises"].get(name, {}).get("passed")


def tries(name):
    """Return how many answers to an exercise were checked and not right."""
    return read()["exercises"].get(name, {}).get("tries", 0)


def question(name):
    """Return a question's entry: how often it was seen and missed, the last time, and whether it was right then."""
    return dict(read()["questions"].get(name, QUESTION))


def record_pass(name):
    """Record that an exercise is passed. The first day counts."""
    if not passed(name):
        today = datetime.date.today().isoformat()

        def change(progress):
            entry = progress["exercises"].setdefault(name, {**EXERCISE})
            entry["passed"] = entry["passed"] or today

        update(change)


def record_try(name):
    """Record an answer to an exercise that was checked and not right."""

    def change(progress):
        progress["exercises"].setdefault(name, {**EXERCISE})["tries"] += 1

    update(change)


def record_answer(name, right):
    """Record the first answer to a question."""
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="microseconds")

    def change(progress):
        entry = progress["questions"].setdefault(name, {**QUESTION})
        entry |= {"seen": entry["seen"] + 1, "missed": entry["missed"] + (not right), "last": now, "right": bool(right)}

    update(change)


def reset(name=None):
    """Delete the progress in an exercise, or, without a name, all progress. Return a sentence that says so."""
    if name is None:
        update(lambda progress: [progress.get(part, {}).clear() for part in ("exercises", "questions", "notes")])
        return Note("All progress is forgotten: every exercise and every question is as on the first day.")
    if not isinstance(name, str):
        raise TypeError(f"reset takes the name of an exercise, as a text; got {type(name).__name__}.")
    if name not in read()["exercises"]:
        return Note(f"There is nothing to forget: no answer to an exercise named {name} has been checked.")
    update(lambda progress: progress["exercises"].pop(name, None))
    return Note(f"The exercise {name} counts as not done.")


def noted(section):
    """Return a copy of a section of the progress file's notes, {name: value}."""
    found = read().get("notes", {}).get(section, {})
    return copy.deepcopy(found) if isinstance(found, dict) else {}


def note(section, name, value):
    """Store a value, plain data, under a name in a section of the progress file."""
    value = copy.deepcopy(value)  # it may have to wait
    update(lambda progress: progress.setdefault("notes", {}).setdefault(section, {}).update({name: value}))


def empty():
    return {"course": COURSE, "version": VERSION, "exercises": {}, "questions": {}}


def read():
    """Return all progress. Use `update` to change it. The file is read only if it has changed."""
    place = path()
    state = state_of(place), len(_waiting.get(place, ()))
    if place not in _known or _known[place][0] != state:
        try:
            progress = load(place)
            if progress is None:
                with files.locked(place):
                    progress = load(place) or set_aside(place)
            if not _waiting.get(place):
                _faults.pop(place, None)
        except OSError as fault:
            cannot(place, fault)
            progress = empty()
        _known[place] = (state, changed(progress, _waiting.get(place, ())))
    return _known[place][1]


def changed(progress, changes):
    """Apply changes to progress and return it as it would be read back from the file."""
    for change in changes:
        change(progress)
    return json.loads(to_json(progress)) if changes else progress


def state_of(place):
    """Return what distinguishes one state of a file from the next; None if there is no file."""
    with contextlib.suppress(OSError):
        found = place.stat()
        return found.st_mtime_ns, found.st_size, found.st_ino
    return None


def load(place):
    """Return the content of the file; None if it is no progress. Raise OSError for a pipe or a device: no end."""
    if place.exists() and not place.is_file():
        raise OSError(errno.EINVAL, "it is no plain file")
    try:
        if place.stat().st_size > MOST:
            return None
        found = json.loads(place.read_bytes())
    except FileNotFoundError:
        return empty()
    except (ValueError, RecursionError):
        return None
    return renewed(found) if is_progress(found) else None


def renewed(found):
    """Return progress in which exercises passed in an earlier edition of the course count for their replacements."""
    known, counted = found["exercises"], set()
    for name, earlier in library.EARLIER.items():
        old = [known[each] for each in earlier if each in known and known[each]["passed"]]
        if len(old) == len(earlier):
            passed = {"passed": max(each["passed"] for each in old), "tries": sum(each["tries"] for each in old)}
            known.setdefault(name, passed)
            counted |= {*earlier}
    for name in counted.difference(library.EARLIER):
        del known[name]
    return found


def is_progress(found):
    """Return whether this is the complete content of a progress file of this version."""
    if not isinstance(found, dict) or (found.get("course"), found.get("version")) != (COURSE, VERSION):
        return False
    exercises, questions, notes = found.get("exercises"), found.get("questions"), found.get("notes", {})
    return (
        all(isinstance(part, dict) for part in (exercises, questions, notes))
        and all(has(e, passed=(str, type(None)), tries=int) for e in exercises.values())
        and all(has(q, seen=int, missed=int, last=str, right=bool) for q in questions.values())
        and all(isinstance(section, dict) for section in notes.values())
    )


def has(entry, **kinds):
    return isinstance(entry, dict) and all(isinstance(entry.get(name), kind) for name, kind in kinds.items())


def set_aside(place):
    """Rename a file that is no progress file, and begin again. Nothing in it is lost."""
    names = (place.with_name(f"progress.set-aside-{number}.json") for number in itertools.count(1))
    aside = place.rename(next(name for name in names if not name.exists()))
    print(
        f"The progress file held something else, was damaged or was too large: it is now {aside}, and a new one begins."
    )
    return empty()


def cannot(place, fault):
    """Print, the first time, that progress lasts only as long as this kernel runs."""
    why = fault.strerror or str(fault)
    if place not in _faults and why != files.BUSY:  # `in_memory` reports that
        print(f"Progress cannot be kept in {place} ({why}), so it lasts as long as this kernel runs.")
    _faults[place] = why


def update(change):
    """Apply a change to the progress in the file, and write it back.

    Between reading and writing no other kernel writes, so two kernels at once lose nothing. What cannot be written
    waits for the next change, and goes in before it. Data that are not plain raise a TypeError, and nothing changes.
    change: None to write only what waits.
    """
    place, changes = path(), [change] if change else []
    waiting = _waiting.get(place, [])
    try:
        with files.locked(place, 0.2 if waiting else None):
            progress = changed(load(place) or set_aside(place), [*waiting, *changes])
            there = Path(os.path.realpath(place))
            files.write(there if there.parent.is_dir() else place, to_json(progress))
            for kept in (_waiting, _faults):
                kept.pop(place, None)
            _known[place] = ((state_of(place), 0), progress)
    except OSError as fault:
        known = copy.deepcopy(read())
        found = changed(known, changes)
        cannot(place, fault)
        _waiting[place] = [*waiting, *changes]
        _known[place] = ((state_of(place), len(_waiting[place])), found)


def to_json(progress):
    """Return the text of the progress file. Raise TypeError for data that are not plain."""
    return json.dumps(progress, indent=1, sort_keys=True, ensure_ascii=False)
