"""Runs a learner's code under guard: an endless loop is stopped, and an exception becomes two lines."""

import contextlib
import ctypes
import io
import linecache
import threading
import traceback
from pathlib import Path

import autograd

SECONDS = 3.0  # for the whole of one check, which takes well under 0.5 s on code that ends
AGAIN = 0.05  # seconds before the next attempt, where code swallows what is raised in it

HERE = str(Path(__file__).parent)
OWN = (HERE, str(Path(autograd.__file__).parent))  # of the course: a learner's line is in none of these


class TimeUp(BaseException):
    """Raised inside code that has run for too long. Not an Exception: `except Exception` must not swallow it.

    A loop around a bare `except:` swallows it, as it would a KeyboardInterrupt: that alone is not stopped.
    """


def send(thread, exception):
    """Have a thread raise an exception soon; None takes back what has not arrived."""
    sent = None if exception is None else ctypes.py_object(exception)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), sent)


class Unfinished(Exception):
    """The exercise has not been tried yet: its stub is as it was."""


class Trouble(Exception):
    """A learner's code raised something or did not end: `sentences` say what was tested, and what was raised where."""

    def __init__(self, *sentences):
        super().__init__(" ".join(sentences))
        self.sentences = sentences


class _Watch:
    """Raises TimeUp in the thread that made it, once the time is up, and again until that thread has left.

    It uses no signal, so it works in a kernel's main thread, in other threads, and on Windows.
    """

    def __init__(self, seconds):
        self.thread, self.seconds = threading.get_ident(), seconds
        self.left, self.lock = threading.Event(), threading.Lock()
        threading.Thread(target=self._wait, daemon=True).start()

    def _wait(self):
        pause = self.seconds
        while not self.left.wait(pause):
            with self.lock:
                if not self.left.is_set():
                    send(self.thread, TimeUp)
            pause = AGAIN

    def leave(self):
        """From now on nothing is raised, and what was sent and has not arrived is taken back."""
        self.left.set()
        with self.lock:
            send(self.thread, None)


def guarded(function, seconds=SECONDS):
    """What `function()` returns; TimeUp where it has not ended after so many seconds."""
    watch = _Watch(seconds)
    try:
        return function()
    finally:
        while True:
            try:
                watch.leave()
                break
            except TimeUp:  # one more arrived just here
                continue


@contextlib.contextmanager
def trying(what):
    """Code of a learner that is tested for `what`: anything it raises becomes Trouble, a stub's error Unfinished.

    What it prints is kept back: a check runs it hundreds of times.
    """
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    except (Unfinished, Trouble):
        raise
    except NotImplementedError:
        raise Unfinished from None
    except RecursionError:
        raise Trouble(
            f"Tested: {what}.", "It called itself over and over, until Python gave up: RecursionError."
        ) from None
    except TimeUp:
        sentence = f"It had not ended after {SECONDS:g} seconds, so it was stopped. Is there a loop that never ends?"
        raise Trouble(f"Tested: {what}.", sentence) from None
    except Exception as fault:
        raise Trouble(f"Tested: {what}.", raised(fault)) from None


def raised(fault):
    """What an exception says and where it was raised, in one sentence: the last line that is the learner's own."""
    said = f"It raised {type(fault).__name__}{f': {fault}' if str(fault) else ''}".rstrip(".")
    frames = [f for f in traceback.extract_tb(fault.__traceback__) if not f.filename.startswith(OWN)]
    for frame in reversed(frames):
        line = (frame.line or linecache.getline(frame.filename, frame.lineno)).strip()
        if line:
            return f"{said}, in {frame.name}, line {frame.lineno}: {line}"
    return f"{said}."
