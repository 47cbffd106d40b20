"""A learner's small files: protected by a lock, and written completely or not at all."""

import contextlib
import errno
import os
import sys
import tempfile
import time
from pathlib import Path

OLD = 60.0  # seconds after which a write's temporary file counts as abandoned: a write takes milliseconds
TIMEOUT = 5.0  # seconds to wait for another kernel's lock, which is held for milliseconds unless its disk is slow
BUSY = "another notebook is writing"  # why a file cannot be written now, in its OSError


@contextlib.contextmanager
def locked(place, timeout=None):
    """Hold the lock that goes with a file; the system releases it when a process ends, whatever the reason.

    timeout: seconds to wait for it, TIMEOUT by default. Raise OSError (BUSY) if another process still holds it then:
    nothing is written without the lock.
    """
    place.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as held:
        if sys.platform != "emscripten":  # a browser has no locks: a lock file there would outlive a closed tab
            from filelock import FileLock, Timeout

            lock = FileLock(place.with_name(f".{place.stem}.lock"))
            try:
                held.enter_context(lock.acquire(TIMEOUT if timeout is None else timeout, poll_interval=0.005))
            except Timeout:
                raise OSError(errno.EBUSY, BUSY) from None
        clear(place)
        yield


def clear(place):
    """Remove the temporary files of killed writes."""
    for folder in {place.parent, Path(os.path.realpath(place)).parent}:
        for left in folder.glob(f".{place.stem}.*.new"):
            with contextlib.suppress(OSError):
                if time.time() - left.stat().st_mtime > OLD:
                    left.unlink()


def write(place, text):
    """Write a file completely or not at all: under a temporary name first, which then replaces the old file.

    If nothing can be renamed, as on some file systems of a browser, write it directly. Raise OSError also if reading it
    back gives a different text.
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
    """Encode a text for a file; half a character, pasted in, does not lose the rest."""
    return text.encode("utf-8", "backslashreplace")


def replace(new, old):
    """Move a file over another. Windows refuses this while somebody reads the old one: then try again."""
    for pause in (0.005, 0.02, 0.1, 0.3):
        try:
            os.replace(new, old)
            return
        except PermissionError:
            time.sleep(pause)
    os.replace(new, old)


def sibling(place, word):
    """Return a new path next to a file: my_engine.<word>.py, my_engine.<word>-2.py, … until one is free."""
    found, number = place.with_name(f"{place.stem}.{word}{place.suffix}"), 2
    while found.exists():
        found = place.with_name(f"{place.stem}.{word}-{number}{place.suffix}")
        number += 1
    return found
