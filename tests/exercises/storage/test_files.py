"""A learner's small files on other platforms: Windows, and file systems that know no locks or no renaming."""

import contextlib
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from exercises.engine_file import store
from exercises.storage import files, progress
from tests import learners_files


@pytest.fixture
def windows(monkeypatch):
    """Return a function that replaces functions of `os`, for `files` only."""
    monkeypatch.setattr(files, "os", SimpleNamespace(**vars(os)))
    return lambda **changed: [monkeypatch.setattr(files.os, *each) for each in changed.items()]


def kernel(code, *given):
    """Return another kernel that runs this code, and has printed its first line."""
    running = subprocess.Popen([sys.executable, "-c", code, *map(str, given)], stdout=subprocess.PIPE, text=True)
    running.stdout.readline()
    return running


HOLDS = """
import sys, time, pathlib
from exercises.engine_file import store
from exercises.storage import files, progress
from tests import learners_files
with files.locked(pathlib.Path(sys.argv[1])):
    print(flush=True)
    time.sleep(60)
"""


def test_file_lock_excludes_other_processes_and_dies_with_them(tmp_path):
    place, went_on = tmp_path / "progress.json", []
    with kernel(HOLDS, place) as other:
        with pytest.raises(OSError, match="another notebook is writing"), files.locked(place, 0.1):
            went_on.append(True)
        other.kill()
    with files.locked(place, 5):
        assert not went_on


def test_browser_without_locks_needs_no_filelock(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "platform", "emscripten")
    monkeypatch.setitem(sys.modules, "filelock", None)
    with files.locked(tmp_path / "progress.json"):
        assert not list(tmp_path.iterdir())


SLOW = """
import os, sys, time
from tests import learners_files
from exercises.storage import progress
fsync, last = os.fsync, sys.argv[2]
def slow(descriptor):
    print(flush=True)
    time.sleep(float(sys.argv[1]))
    fsync(descriptor)
os.fsync = slow
learners_files.put("subtract") if last == "engine" else progress.record_pass("subtract")
"""


@pytest.mark.parametrize("kind", ["engine", "progress"])
@pytest.mark.parametrize(
    ("seconds", "timeout"), [(3, 0.2), (1, 20), pytest.param(10, files.TIMEOUT, marks=pytest.mark.slow)]
)
def test_slow_write_loses_nothing_from_another_kernel(tmp_path, monkeypatch, kind, seconds, timeout):
    """Kernel A has read the file, and its disk is slow. B waits, or says that it has not saved, and saves later."""
    learners_files.begin_in(tmp_path, monkeypatch)
    monkeypatch.setattr(files, "TIMEOUT", timeout)
    save = learners_files.put if kind == "engine" else progress.record_pass
    said_by = store.in_memory if kind == "engine" else progress.in_memory
    with kernel(SLOW, seconds, kind) as other:
        save("multiply")
        waits = timeout < seconds
        assert other.poll() is None or not waits
        assert ("ot saved yet" in said_by() and "another notebook is writing" in said_by().lower()) == waits
        assert (said_by() == "") == (not waits)
        assert other.wait(60) == 0
    save("divide")
    assert said_by() == ""
    there = progress.load(progress.path())["exercises"].keys()
    there = learners_files.owned_in(tmp_path) if kind == "engine" else there
    assert there == {"subtract", "multiply", "divide"}


@pytest.mark.parametrize("refusals", [2, 10**9])
def test_replace_is_retried_while_windows_denies_access(windows, tmp_path, refusals):
    left = [PermissionError(13, "Access is denied")] * min(refusals, 10_000)

    def replace(new, old, now=os.replace):
        if left:
            raise left.pop()
        now(new, old)

    windows(replace=replace)
    place = tmp_path / "my_engine.py"
    place.write_text("old", encoding="utf-8")
    with pytest.raises(PermissionError) if refusals > 2 else contextlib.nullcontext():
        files.write(place, "σ = 1\n")
    assert place.read_bytes() == ("old" if refusals > 2 else "σ = 1\n").encode()
    assert [path.name for path in tmp_path.iterdir()] == [place.name]
