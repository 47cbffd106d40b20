"""The files my_engine.py and my_tensor.py on disk, and the records of their items: read, kept in memory, written."""

import datetime
import errno
import json
import os
import re
import stat
from pathlib import Path

from exercises.content import lessons
from exercises.engine_file import migration
from exercises.engine_file.places import FILE, FILES
from exercises.engine_file.source import HEAD, IMPORT, NODES, digest
from exercises.engine_file.sources import YOURS, Sources, key_of, version
from exercises.storage import files, progress

MOST = 2**20  # bytes of a file; a finished engine has some 6,000
DAMAGED = "{} has characters that are not in UTF-8: they are read as Latin-1. Save it as UTF-8 in your editor."
NEW_FORM = f"{FILE} is one class now, with your code in it."
_waiting = {}  # {each file that could not be written: (why, [(change, copy)] for the next write)}


def path():
    """Return the path of the file: in the folder of BACKPROP_ENGINE_DIR, else next to the notebooks."""
    if folder := os.environ.get("BACKPROP_ENGINE_DIR"):
        return Path(folder) / FILE
    return (lessons.folder() or Path.cwd()) / FILE


def records_path():
    """Return the path of the records of what was judged: next to the progress file."""
    return progress.path().with_name("engine.json")


class NotAnEngine(Exception):
    """A file holds something else, so it has to be set aside."""


def read(place):
    """Return (Sources, sentences on what was wrong with the files), as they are now.

    A file of another kind is set aside, under the lock. Raise OSError if one can be neither read nor set aside.
    """
    try:
        return read_held(place, replaces=False)
    except NotAnEngine:
        with files.locked(place):
            return read_held(place)


def read_held(place, replaces=True):
    """Read as `read` does, while the lock is held. Unless it replaces, raise NotAnEngine for a file of another kind."""
    texts, notes = {}, []
    for file, node in zip(FILES, NODES):
        texts[file], damaged = read_text(place.with_name(file))
        if texts[file] is None:
            texts[file] = ""
        elif not migration.is_old(texts[file]) and not re.search(rf"^class {node}\b", texts[file], re.MULTILINE):
            if not replaces:
                raise NotAnEngine
            there = place.with_name(file)
            aside = files.sibling(there, "set-aside")
            there.rename(aside)
            notes.append(f"{file} held something else or was damaged: it is now {aside.name}, and a new one begins.")
            texts[file], damaged = "", []
        notes += damaged
    if migration.is_old(texts[FILE]):
        return migration.migrated(texts[FILE]), [*notes, NEW_FORM]
    sources = Sources.from_texts(texts, recorded().get(str(place), {}))
    sources.claim()
    return sources, notes


def read_text(place):
    """Return (the text of a file or None, sentences on it). Each byte that is not part of UTF-8 is read as Latin-1."""
    if place.exists() and not place.is_file():  # reading a pipe would wait for ever
        raise OSError(errno.EINVAL, "it is no file")
    try:
        if (size := place.stat().st_size) > MOST:
            raise OSError(errno.EFBIG, f"it has {size / 2**20:.1f} MB, and more than {MOST // 2**20} is not read")
        text = place.read_bytes().decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        gone = f"{place.name} is a link to {os.path.realpath(place)}, and no file is there."
        return None, [gone] if place.is_symlink() else []
    fixed = re.sub("[\udc80-\udcff]", lambda byte: chr(ord(byte[0]) - 0xDC00), text)
    return fixed, [DAMAGED.format(place.name)] * (fixed != text)


def recorded():
    """Return {path of an engine: its records}; {} if their file is missing or damaged."""
    try:
        engines = json.loads(records_path().read_bytes())["engines"]
        entries = [entry for engine in engines.values() for file in FILES for entry in engine[file].values()]
        return engines if all(isinstance(entry["tree"], str) for entry in entries) else {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def record(place, sources):
    """Write the records of an engine, next to those of others. Raise OSError if they cannot be written."""
    there = records_path()
    with files.locked(there):
        engines = recorded()
        if engines.get(str(place)) != sources.records:
            engines[str(place)] = sources.records
            files.write(there, json.dumps({"version": version(), "engines": engines}, indent=1, sort_keys=True))


def current(place):
    """Read as `read` does, and apply the changes that wait for the file."""
    sources, notes = read(place) if not is_waiting(place) else readable(place)
    for change, _ in _waiting.get(place, ("", ()))[1]:
        change(sources)
    return sources, notes


def is_waiting(place):
    """Return whether changes are in memory only."""
    return place in _waiting


def readable(place):
    """Read as `read` does; if the file cannot be read, return an engine without a learner's part."""
    try:
        return read(place)
    except OSError:
        return Sources(), []


def in_memory():
    """Return the sentence on what is only in this kernel's memory; "" if all is in the file."""
    place = path()
    if not is_waiting(place):
        return ""
    saved, now = readable(place)[0], current(place)[0]
    there = {(file, item.code) for file, item in saved.theirs()}
    names = [item.name for file, item in now.theirs() if (file, item.code) not in there and item.name]
    what = ", ".join(f"`{name}`" for name in names) or f"A change to {FILE}"
    if (why := _waiting[place][0]) == files.BUSY:
        return f"Not saved yet: {what}. {why.capitalize()} {place}. The next check or load that can write saves it."
    return (
        f"In this kernel's memory only: {what}, because {place} could not be written ({why}). "
        "The next write that works takes in all of it."
    )


def update(change, copy=False, waits=True):
    """Apply `change(sources)` to the current files, after all that waits for them.

    Between reading and writing no other kernel writes, so two lessons at once lose no part. `change` may return a
    sentence, and then it is left out. A dated copy is made first if `copy` asks for it, or if code that is in no cell
    would be lost. What cannot be written waits for the next write, if `waits`. Return (sentences on what went wrong,
    the name of the copy).
    """
    place = path()
    _, waiting = _waiting.get(place, ("", []))
    try:
        with files.locked(place, 0.2 if waiting else None):
            sources, notes = read_held(place)
            before = sources.copy()
            for each, _ in waiting:
                each(sources)
            if (said := change(sources)) and not waiting:
                return [*notes, said], ""
            sources.fill()
            sources.note_courses()
            is_copied = copy or NEW_FORM in notes or any("UTF-8" in note for note in notes)
            name = put(place, sources, before, is_copied or any(asked for _, asked in waiting))
            saved = f" The file as it was is now {name}." if name else ""
            notes = [note + saved if note == NEW_FORM or "UTF-8" in note else note for note in notes]
            _waiting.pop(place, None)
            record(place, sources)
            return [*notes, *([said] if said else [])], name
    except OSError as fault:
        sources, _ = current(place) if is_waiting(place) else readable(place)
        why = fault.strerror or str(fault)
        if said := change(sources):
            return [said, *filter(None, [in_memory()])], ""
        if waits or waiting:
            _waiting[place] = why, [*waiting, *([(change, copy)] if waits else [])]
            return [in_memory()], ""
        return [f"{place} cannot be written ({why}): new parts last as long as this kernel runs."], ""


def put(place, sources, before, copy):
    """Write the files that change; return the name of the copy of the old engine, "" if none was needed.

    Raise OSError if one cannot be written.
    """
    name, texts = "", sources.texts()
    copied = FILES if copy else {file for file in FILES if is_lost(file, before, sources)}
    for file in reversed(FILES):
        there, data = place.with_name(file), files.encoded(texts.get(file, ""))
        if there.exists():
            old = there.read_bytes()
            if old == data:
                continue
            if not there.stat().st_mode & stat.S_IWUSR:
                raise PermissionError(errno.EACCES, "it is read-only")
            if file in copied:
                beside = files.sibling(there, datetime.datetime.now().strftime("%Y-%m-%d-%H%M"))
                files.write(beside, old)
                name = beside.name
        if data or there.exists():
            files.write(Path(os.path.realpath(there)), data)
    return name


def is_lost(file, before, after):
    """Return whether the new text of a file lacks code that its learner has written, and not in a cell."""
    there = {line for item, _ in after.documents[file].all() for line in item.code.split("\n")}
    for item, _ in before.documents[file].all():
        known = before.records[file].get(key_of(item), {})
        is_from_cell = known.get("owner") == YOURS and known["text"] == digest(item.code)
        is_kept = item.name in (HEAD, IMPORT) or {*item.code.split("\n")} <= there
        if not (item.is_courses or is_from_cell or is_kept):
            return True
    return False


def sources_of(texts):
    """Return the Sources of {file: text}, in the earlier form or the new one; None if they are no engine.

    A text under another name counts as the file whose class it has.
    """
    found = {}
    for file, text in texts.items():
        if migration.is_old(text):
            return migration.migrated(text)
        there = [name for name, node in zip(FILES, NODES) if re.search(rf"^class {node}\b", text, re.MULTILINE)]
        if there:
            found[file if file in there else there[0]] = text
    if not found:
        return None
    sources = Sources.from_texts(found, {})
    sources.claim()
    return sources
