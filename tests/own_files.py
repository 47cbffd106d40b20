"""What the tests of a learner's engine and progress share: empty folders, and solutions as a learner's parts."""

import importlib

from exercises.engine_file import own, store
from exercises.shelf import library

progress = importlib.import_module("exercises.shelf.progress")


def begin_in(folder, monkeypatch):
    """As a kernel does that has just started: engine and progress are in this folder, and nothing waits."""
    for name in ("BACKPROP_ENGINE_DIR", "BACKPROP_DATA_DIR"):
        monkeypatch.setenv(name, str(folder))
    for module, name in ((store, "_waiting"), (progress, "_waiting"), (progress, "_faults"), (progress, "_known")):
        monkeypatch.setattr(module, name, {})


def part(name, text=None):
    """A solution, or another text, as a learner's part."""
    text = text or library.solution(name).code
    return own.Region(name, text, "2026-01-31", own.mark_of(text))


def put(*names):
    """Put solutions into the file as a learner's parts, one by one; what is said of each."""
    return [store.update(lambda mine, name=name: mine.update({name: part(name)})) for name in names]


def write(folder, *names, changed=(), below=""):
    """Write a file with the solutions of these exercises as a learner's parts, and some texts changed; its text."""
    text = own.compose({name: part(name) for name in names})
    for old, new in changed:
        assert old in text
        text = text.replace(old, new, 1)
    return keep(folder, text + below)


def keep(folder, text):
    """Write this text as the file in a folder; the text."""
    (folder / own.FILE).write_text(text, encoding="utf-8")
    return text


def text_in(folder):
    """The text of the file in a folder."""
    return (folder / own.FILE).read_text(encoding="utf-8")


def kept_in(folder):
    """{name: Region} of the learner's parts in a folder's file."""
    return own.parse(text_in(folder))[0]
