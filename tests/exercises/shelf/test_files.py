"""A learner's small files on other platforms: Windows, and file systems that know no locks or no renaming."""

import contextlib
import os
import sys
from types import SimpleNamespace

import pytest

from exercises.shelf import files


class Locks:
    """A stand-in for Windows' module of file locks: a file that is held is refused to all others."""

    LK_NBLCK = 2

    def __init__(self, refusals=0):
        self.refusals, self.calls = refusals, []

    def locking(self, descriptor, mode, size):
        self.calls.append((mode, size, os.lseek(descriptor, 0, os.SEEK_CUR)))
        if len(self.calls) <= self.refusals:
            raise PermissionError(13, "Permission denied")


@pytest.fixture
def windows(monkeypatch):
    """`files` as on Windows, without fcntl; a function that puts `Locks` in the place of msvcrt, and others of os."""
    monkeypatch.setattr(files, "os", SimpleNamespace(**vars(os) | {"name": "nt"}))
    monkeypatch.setitem(sys.modules, "fcntl", None)

    def use(locks=None, **changed):
        monkeypatch.setitem(sys.modules, "msvcrt", locks or Locks())
        for name, changed_function in changed.items():
            monkeypatch.setattr(files.os, name, changed_function)

    return use


def test_windows_locks_the_first_byte_and_tries_again_while_another_holds_it(windows, tmp_path, monkeypatch):
    """But not without end."""
    windows(locks := Locks(refusals=3))
    with files.locked(tmp_path / "progress.json"):
        assert locks.calls == [(Locks.LK_NBLCK, 1, 0)] * 4
    monkeypatch.setattr(files, "PATIENCE", 0.05)
    windows(locks := Locks(refusals=10**9))
    with files.locked(tmp_path / "progress.json"):
        assert len(locks.calls) > 1


@pytest.mark.parametrize("refusals", [2, 10**9])
def test_a_file_that_another_reads_is_replaced_when_windows_lets_it(windows, tmp_path, refusals):
    """And stays as it was where it never does."""
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
