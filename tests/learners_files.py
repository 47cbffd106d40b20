"""What the tests of a learner's engine and progress share: empty folders, and solutions as a learner's parts."""

import re
import subprocess
import sys

from exercises.engine_file import loading, regions, store
from exercises.shelf import library, progress


def begin_in(folder, monkeypatch):
    """As a kernel does that has just started: engine and progress are in this folder, and nothing is remembered."""
    for name in ("BACKPROP_ENGINE_DIR", "BACKPROP_DATA_DIR"):
        monkeypatch.setenv(name, str(folder))
    for module in (store, loading, progress):
        for name in {"_waiting", "_endless", "_faults", "_known"} & set(vars(module)):
            monkeypatch.setattr(module, name, {})


def part(name, text=None):
    """A solution, or another text, as a learner's part."""
    text = text or library.solution(name).code
    return regions.Region(name, text, "2026-01-31", regions.mark_of(text))


def put(*names):
    """Put solutions into the file as a learner's parts, one by one; what is said of each."""
    return [store.update(lambda mine, name=name: mine.update({name: part(name)})) for name in names]


def write(folder, *names, changed=(), below=""):
    """Write a file with the solutions of these exercises as a learner's parts, and some texts changed; its text."""
    text = regions.compose({name: part(name) for name in names})
    for old, new in changed:
        assert old in text
        text = text.replace(old, new, 1)
    return save(folder, text + below)


def save(folder, text):
    """Write this text as the file in a folder; the text."""
    (folder / regions.FILE).write_text(text, encoding="utf-8")
    return text


def text_in(folder):
    """The text of the file in a folder."""
    return (folder / regions.FILE).read_text(encoding="utf-8")


def kept_in(folder):
    """{name: Region} of the learner's parts in a folder's file."""
    return regions.parse(text_in(folder))[0]


def under(file, name):
    """The text under a part's heading in a file, and what the heading says."""
    found = re.search(rf"^# ── {name} · (.*?) ─+\n(.*?)(?=\n\n\n# ── )", file, re.MULTILINE | re.DOTALL)
    return found[2].strip(), found[1]


def runs_alone(file, *options):
    """Whether a file learns XOR in a Python that sees nothing of this project."""
    command = [sys.executable, "-I", *options, "-c", file]
    found = subprocess.run(command, capture_output=True, encoding="utf-8", cwd="/", timeout=60)
    assert not found.stderr, found.stderr
    lines = [line.split() for line in found.stdout.splitlines()[1:]]
    assert len(lines) == 4 and all((float(line[-1]) > 0.5) == (line[-2] == "1") for line in lines)
    return re.fullmatch(r"XOR: loss \d\.\d+ at first, 0\.0\d+ after 500 epochs\n(\[.*\n){4}", found.stdout)
