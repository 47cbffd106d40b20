"""The file my_engine.py on disk: read, held in memory until a learner agrees, written with what it held before."""

import copy as copies
import datetime
import errno
import os
import re
import stat
from dataclasses import replace
from pathlib import Path

from exercises.engine_file.regions import FILE, NO_EXTRA, compose, lost, mark_of, parse
from exercises.shelf import files, lessons

MOST = 2**20  # bytes of the file; a finished engine has some 30,000
DAMAGED = f"{FILE} has characters that are not in UTF-8: they are read as Latin-1. Save it as UTF-8 in your editor."
_waiting = {}  # for each file that could not be written: why, and [(change, copy)] that the next write takes in


def path():
    """Where the file is: in the folder of BACKPROP_ENGINE_DIR, else beside the notebooks."""
    if folder := os.environ.get("BACKPROP_ENGINE_DIR"):
        return Path(folder) / FILE
    return (lessons.folder() or Path.cwd()) / FILE


class NotAnEngine(Exception):
    """The file is not a learner's engine, so it has to be set aside."""


# The file on the disk, and what waits for it


def read(place):
    """(own regions, what is below them, sentences on what was wrong with the file) as they stand in it now.

    A file of another kind is set aside, under the lock. OSError where it can be neither read nor set aside.
    """
    try:
        return read_held(place, replaces=False)
    except NotAnEngine:
        with files.locked(place):
            return read_held(place)


def read_held(place, replaces=True):
    """What `read` gives while the lock is held. NotAnEngine, unless it replaces, for a file of another kind."""
    if place.exists() and not place.is_file():  # reading a pipe would wait for ever
        raise OSError(errno.EINVAL, "it is no file")
    try:
        if (size := place.stat().st_size) > MOST:
            raise OSError(errno.EFBIG, f"it has {size / 2**20:.1f} MB, and more than {MOST // 2**20} is not read")
        text, is_damaged = decoded(place.read_bytes())
    except FileNotFoundError:
        gone = f"{FILE} is a link to {os.path.realpath(place)}, and no file is there."
        return {}, NO_EXTRA, [gone] if place.is_symlink() else []
    if (found := parse(text)) is None:
        if not replaces:
            raise NotAnEngine
        aside = files.beside(place, "set-aside")
        place.rename(aside)
        said = f"{FILE} held something else or was damaged: it is now {aside.name}, and a new one begins."
        return {}, NO_EXTRA, [said]
    own, extra, again = found
    said = f"In {FILE} the heading above {', '.join(again)} is missing. What stands there was found all the same."
    return own, extra, [said] * bool(again) + [DAMAGED] * is_damaged


def decoded(data):
    """(the text of a file, whether it is not UTF-8). Each byte that is not part of UTF-8 is read as Latin-1."""
    text = data.decode("utf-8", "surrogateescape")
    fixed = re.sub("[\udc80-\udcff]", lambda byte: chr(ord(byte[0]) - 0xDC00), text)
    return fixed, fixed != text


def current(place):
    """What `read` gives, with what waits for the file put over it."""
    own, extra, notes = read(place) if not is_waiting(place) else readable(place)
    for change, _ in _waiting.get(place, ("", ()))[1]:
        change(own)
    return own, extra, notes


def is_waiting(place):
    """Whether something is in memory only."""
    return place in _waiting


def readable(place):
    """What `read` gives; an engine without a learner's part where the file cannot be read."""
    try:
        return read(place)
    except OSError:
        return {}, NO_EXTRA, []


def in_memory():
    """The sentence on what is in this kernel's memory only; "" where all is in the file."""
    place = path()
    if not is_waiting(place):
        return ""
    kept, now = readable(place)[0], current(place)[0]
    names = [name for name in now if name not in kept or kept[name].text != now[name].text]
    what = ", ".join(names) or f"A change to {FILE}"
    if (why := _waiting[place][0]) == files.BUSY:
        return f"Not saved yet: {what}. {why.capitalize()} {place}. The next check or load that can write saves it."
    return (
        f"In this kernel's memory only: {what}, as {place} could not be written ({why}). "
        "The next write that works takes in all of it."
    )


def update(change, copy=False, waits=True, below=""):
    """Apply `change(own)` to the learner's regions as they stand in the file now, after all that waits for it.

    Between reading and writing no other kernel writes, so that two lessons at once lose no part. `change` may return a
    sentence, and then it is left out. A dated copy is made first if `copy` asks for it, or if something that is in no
    cell would be lost. What cannot be written waits for the next write, if `waits`. below: what was tried of what
    stands below the parts. Returns (sentences on what went wrong, the name of the copy).
    """
    place, said = path(), ""
    _, waiting = _waiting.get(place, ("", []))
    try:
        with files.locked(place, 0.2 if waiting else None):
            own, extra, notes = read_held(place)
            before = dict(own)
            for each, _ in waiting:
                each(own)
            if (said := change(own)) and not waiting:
                return [*notes, said], ""
            if below and below == extra.text:
                extra = replace(extra, mark=mark_of(below))
            wants_copy = copy or DAMAGED in notes or any(asked for _, asked in waiting)
            name = put(place, compose(own, extra), before, wants_copy)
            notes = [f"{each} The file as it was is now {name}." if each == DAMAGED else each for each in notes]
            _waiting.pop(place, None)
            return [*notes, *([said] if said else [])], name
    except OSError as fault:
        own, *_ = current(place) if is_waiting(place) else readable(place)
        why = fault.strerror or str(fault)
        if said := change(copies.copy(own)):
            return [said, *filter(None, [in_memory()])], ""
        if waits or waiting:
            _waiting[place] = why, [*waiting, *([(change, copy)] if waits else [])]
            return [in_memory()], ""
        return [f"{place} cannot be written ({why}): new parts last as long as this kernel runs."], ""


def put(place, text, own, copy):
    """Write the file, unless that is what it holds; the name of the copy of the old one, "" where none was needed.

    OSError where it cannot be written.
    """
    name, data = "", files.encoded(text)
    if place.exists():
        old = place.read_bytes()
        if old == data:
            return name
        if not place.stat().st_mode & stat.S_IWUSR:
            raise PermissionError(errno.EACCES, "it is read-only")
        if copy or lost(old.decode("utf-8", "replace"), text, own):
            beside = files.beside(place, datetime.datetime.now().strftime("%Y-%m-%d-%H%M"))
            files.write(beside, old)
            name = beside.name
    files.write(Path(os.path.realpath(place)), data)
    return name
