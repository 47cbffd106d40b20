"""A learner's small files on other platforms: Windows, and file systems that know no locks or no renaming."""

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
    """`files` as on Windows: with a function that puts `Locks` in the place of msvcrt, and without fcntl."""
    monkeypatch.setattr(files, "os", SimpleNamespace(**vars(os) | {"name": "nt"}))
    monkeypatch.setitem(sys.modules, "fcntl", None)

    def use(locks):
        monkeypatch.setitem(sys.modules, "msvcrt", locks)
        return locks

    return use


def test_windows_locks_the_first_byte_and_tries_again_while_another_holds_it(windows, tmp_path):
    locks = windows(Locks(refusals=3))
    with files.locked(tmp_path / "progress.json"):
        assert locks.calls == [(Locks.LK_NBLCK, 1, 0)] * 4


def test_a_lock_that_is_never_given_up_is_not_waited_for_without_end(windows, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "PATIENCE", 0.05)
    locks = windows(Locks(refusals=10**9))
    with files.locked(tmp_path / "progress.json"):
        assert len(locks.calls) > 1


def test_a_file_that_another_reads_is_replaced_when_windows_lets_it(windows, tmp_path, monkeypatch):
    refusals = iter([PermissionError(13, "Access is denied")] * 2)

    def replace(new, old, now=os.replace):
        for refusal in refusals:
            raise refusal
        now(new, old)

    monkeypatch.setattr(files.os, "replace", replace)
    place = tmp_path / "my_engine.py"
    place.write_text("old", encoding="utf-8")
    files.write(place, "σ = 1\n")
    assert place.read_bytes() == "σ = 1\n".encode() and [path.name for path in tmp_path.iterdir()] == [place.name]


def test_a_file_that_another_never_lets_go_stays_as_it_was(windows, tmp_path, monkeypatch):
    def refuse(new, old):
        raise PermissionError(13, "Access is denied")

    monkeypatch.setattr(files.os, "replace", refuse)
    place = tmp_path / "my_engine.py"
    place.write_text("old", encoding="utf-8")
    with pytest.raises(PermissionError):
        files.write(place, "new")
    assert place.read_text(encoding="utf-8") == "old" and [path.name for path in tmp_path.iterdir()] == [place.name]
