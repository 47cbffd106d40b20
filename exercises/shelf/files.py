"""Small files of a learner's: held by a lock, and written whole or not at all."""

import contextlib
import errno
import os
import sys
import tempfile
import time
from pathlib import Path

OLD = 60.0  # seconds after which a file that a write began is taken for left over: a write takes milliseconds
PATIENCE = 5.0  # seconds to wait for another kernel's lock, which is held for milliseconds unless its disk is slow
BUSY = "another notebook is writing"  # why a file cannot be written now, in its OSError


@contextlib.contextmanager
def locked(place, patience=None):
    """Hold the lock that goes with a file, which the system frees when a process ends, whatever the reason.

    patience: seconds to wait for it, PATIENCE by default. Raises OSError (BUSY) if another process still holds it
    then: nothing is written without the lock.
    """
    place.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as held:
        if sys.platform != "emscripten":  # a browser has no locks: a lock file there would outlive a closed tab
            from filelock import FileLock, Timeout

            lock = FileLock(place.with_name(f".{place.stem}.lock"))
            try:
                held.enter_context(lock.acquire(PATIENCE if patience is None else patience, poll_interval=0.005))
            except Timeout:
                raise OSError(errno.EBUSY, BUSY) from None
        clear(place)
        yield


def clear(place):
    """Remove what writes of this file that were killed have left."""
    for folder in {place.parent, Path(os.path.realpath(place)).parent}:
        for left in folder.glob(f".{place.stem}.*.new"):
            with contextlib.suppress(OSError):
                if time.time() - left.stat().st_mtime > OLD:
                    left.unlink()


def write(place, text):
    """Write a file whole or not at all: under another name first, which then takes the old one's place.

    Where nothing can be renamed, as on some file systems of a browser, it is written plainly. OSError also where
    another text is read back from it.
    """
    data = text if isinstance(text, bytes) else encoded(text)
    descriptor, name = tempfile.mkstemp(dir=place.parent, prefix=f".{place.stem}.", suffix=".new")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(OSError):
            os.chmod(name, place.stat().st_mode & 0o777)
        replace(name, place)
    except NotImplementedError:
        place.write_bytes(data)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(name)
    if place.read_bytes() != data:
        raise OSError(errno.EIO, "something else stands in it than was written")


def encoded(text):
    """The bytes of a text in a file: half a character, pasted in, does not lose the rest."""
    return text.encode("utf-8", "backslashreplace")


def replace(new, old):
    """Put a file in another's place. On Windows this is refused while somebody reads the old one: then try again."""
    for pause in (0.005, 0.02, 0.1, 0.3):
        try:
            os.replace(new, old)
            return
        except PermissionError:
            time.sleep(pause)
    os.replace(new, old)


def beside(place, word):
    """A name beside a file that no file has yet: my_engine.<word>.py, my_engine.<word>-2.py, …"""
    found, number = place.with_name(f"{place.stem}.{word}{place.suffix}"), 2
    while found.exists():
        found = place.with_name(f"{place.stem}.{word}-{number}{place.suffix}")
        number += 1
    return found
