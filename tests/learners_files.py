"""Code shared by the tests of a learner's engine and progress: empty folders, and solutions as a learner's parts."""

import re
import subprocess
import sys

from exercises.content import library
from exercises.engine_file import loading, merging, parts, store
from exercises.engine_file.places import FILE
from exercises.engine_file.sources import Sources
from exercises.storage import progress

IMPORTS = """
import autograd, exercises, math, random
from exercises import check, progress
from exercises.engine_file import loading, store
"""
SHOW = "print(store.path().read_text())"


def begin_in(folder, monkeypatch):
    """Begin like a kernel that has just started: engine and progress are in this folder, nothing is remembered."""
    for name in ("BACKPROP_ENGINE_DIR", "BACKPROP_DATA_DIR"):
        monkeypatch.setenv(name, str(folder))
    for module in (store, loading, progress):
        for name in {"_waiting", "_endless", "_live", "_faults", "_known"} & set(vars(module)):
            monkeypatch.setattr(module, name, {})


def add_parts(*names, **texts):
    """Return the change that puts solutions, or other texts, into sources as a learner's parts."""

    def change(sources):
        for name in (*names, *texts):
            merging.merge(sources, name, texts.get(name) or library.solution(name).code, since="2026-01-31")

    return change


def put(*names, **texts):
    """Put solutions, or other texts, into the file as a learner's parts, one by one; return the message about each."""
    changes = [add_parts(name) for name in names] + [add_parts(**{name: text}) for name, text in texts.items()]
    return [store.update(change) for change in changes]


def sources_with(*names, **texts):
    """Return the Sources in which these exercises' solutions, or other texts, are the learner's."""
    sources = Sources()
    add_parts(*names, **texts)(sources)
    sources.fill()
    return sources


def write(folder, *names, changed=(), below="", **texts):
    """Put parts into a new file, and change some of its texts by hand; return its text."""
    for file in folder.glob("my_*.py"):
        file.unlink()
    put(*names, **texts)
    if not (names or texts):
        loading.load("02")
    text = text_in(folder)
    for old, new in changed:
        assert old in text
        text = text.replace(old, new, 1)
    return save(folder, text + below)


def save(folder, text):
    (folder / FILE).write_text(text, encoding="utf-8")
    return text


def text_in(folder):
    return (folder / FILE).read_text(encoding="utf-8")


def owned_in(folder):
    """Return the exercises whose parts in a folder's files are the learner's."""
    return set(store.read(folder / FILE)[0].owned())


def runs_alone(folder, *options):
    """Return whether the file in a folder learns XOR in a Python that sees nothing of this project."""
    command = [sys.executable, "-I", *options, folder / FILE]
    found = subprocess.run(command, capture_output=True, encoding="utf-8", cwd="/", timeout=60)
    assert not found.stderr, found.stderr
    lines = [line.split() for line in found.stdout.splitlines()[1:]]
    assert len(lines) == 4 and [line for line in lines if (float(line[-1]) > 0.5) != (line[-2] == "1")] == []
    return re.fullmatch(r"XOR: loss \d\.\d+ at first, 0\.0\d+ after 500 epochs\n(\[.*\n){4}", found.stdout)


def passed(name, *given):
    """Return the line that checks an exercise."""
    part = parts.BY_NAME[name]
    return f"check.{name}({', '.join(given or part.gives)})"


def is_kept(verdict):
    """Return whether a verdict says that the answer is right, and in the file."""
    return verdict.startswith("✓") and "Saved to " in verdict
