"""Runs a learner's code under guard: what does not end is stopped, and an exception becomes two lines.

Stopped is what runs Python's own instructions, or waits for a clock or a lock; also if it swallows what is raised in
it, or has set the alarm to be ignored. A single call of a function in C that never returns, such as
`sum(range(10**12))`, can be stopped from outside only: Kernel → Restart. So can, where Python runs in a browser, what
waits; what waits with signals blocked; and a function that calls itself anew in its handler for every exception.

A process that a learner's code starts is not started: that raises. What gets round this, by a library in C, ends where
it comes back to the check. A thread cannot be ended; `pristine.world` says that it runs on.
"""

import builtins
import contextlib
import io
import linecache
import os
import sys
import traceback
from pathlib import Path

import autograd
from exercises.sandbox import pristine
from exercises.sandbox.clocks import Alarm, Monitor, TimeUp, Unwatched, Waker, budgets

try:
    import _posixsubprocess  # what multiprocessing starts processes with, of which Python tells no audit hook
except ImportError:
    _posixsubprocess = None


SECONDS = 3.0  # of the processor's time for a learner's code in one check, which takes well under 0.5 s where it ends
PATIENCE = 20.0  # seconds by the clock, for code that waits
ENDLESS = "time"  # the kind of Trouble with code that was stopped
HERE = str(Path(__file__).parents[1])
OWN = (HERE, str(Path(autograd.__file__).parent))  # of the course: a learner's line is in none of these


class Unfinished(Exception):
    """The exercise has not been tried yet: its stub is as it was."""


class Trouble(Exception):
    """A learner's code raised something or did not end: `sentences` say what was tested, and what was raised where.

    kind: what is the same for every answer that ends so: the exception, ENDLESS, or the last sentence.
    """

    def __init__(self, *sentences, kind=""):
        super().__init__(" ".join(sentences))
        self.sentences, self.kind = sentences, kind or sentences[-1]


class _Asked(BaseException):
    """Raised where a learner's code asks for input."""


class Started(BaseException):
    """Raised where a learner's code starts a process of its own."""


STARTS = {"os.fork", "os.forkpty", "os.system", "os.spawn", "os.posix_spawn", "os.exec", "os.startfile"}


STARTS |= {"subprocess.Popen", "pty.spawn"}


_refusing = []  # an entry for each `no_processes` that lasts; one that was left in the middle may stay


def refuses():
    """Whether no process may be started now: while a guarded answer runs."""
    return bool(_refusing and budgets)


def _audit(event, _):
    """Called by Python before what might be of interest to a guard."""
    if event in STARTS and refuses():
        raise Started


sys.addaudithook(_audit)


if _posixsubprocess:
    _fork_exec = _posixsubprocess.fork_exec

    def _guarded_fork_exec(*given):
        """What starts a process, unless an answer asks for it."""
        if refuses():
            raise Started
        return _fork_exec(*given)

    _posixsubprocess.fork_exec = _guarded_fork_exec


@contextlib.contextmanager
def no_processes():
    """While it lasts no process can be started; one that was started all the same ends here."""
    this = os.getpid()
    _refusing.append(True)
    try:
        yield
    finally:
        if os.getpid() != this:
            os._exit(0)
        _refusing.pop()


def guarded(function, seconds=None, patience=None, *, counts=True):
    """What `function()` returns; TimeUp where it has worked for so many seconds, or lasted for so long by the clock.

    seconds, patience: SECONDS and PATIENCE, where nothing else is given.
    counts: whether all of it is the learner's; if not, only what runs inside `trying` counts as work.
    """
    watch = next(kind for kind in (Alarm, Waker, Monitor, Unwatched) if kind.works())(
        SECONDS if seconds is None else seconds, PATIENCE if patience is None else patience
    )
    budgets.append(watch.budget)
    this = os.getpid()
    try:
        if counts:
            watch.budget.enter()
        with watch:
            return function()
    except KeyboardInterrupt:
        if watch.budget.told:  # it was a watchdog's
            raise TimeUp from None
        raise
    finally:
        if os.getpid() != this:  # a copy of the check, which would go on as well
            os._exit(0)
        budgets.pop()


@contextlib.contextmanager
def trying(what, alone=True):
    """Code of a learner that is tested for `what`: anything it raises becomes Trouble, a stub's error Unfinished.

    What it prints is kept back: a check runs it hundreds of times. It cannot ask for input, nor start a process unless
    `alone` is false. Builtins and package are afterwards what they were.
    """
    asking = builtins.input
    builtins.input = _asked
    budget = budgets[-1] if budgets else None
    if budget:
        budget.enter()
    try:
        with contextlib.redirect_stdout(io.StringIO()), no_processes() if alone else contextlib.nullcontext():
            yield
    except (Unfinished, Trouble):
        raise
    except KeyboardInterrupt:
        if not (budget and budget.told):
            raise
        raise Trouble(f"Tested: {what}.", too_long(budget), kind=ENDLESS) from None
    except NotImplementedError:
        raise Unfinished from None
    except RecursionError:
        raise Trouble(
            f"Tested: {what}.", "It called itself over and over, until Python gave up: RecursionError."
        ) from None
    except TimeUp:
        raise Trouble(f"Tested: {what}.", too_long(budget), kind=ENDLESS) from None
    except _Asked:
        raise Trouble(f"Tested: {what}.", "It asks for input, which nobody can give while it is checked.") from None
    except Started:
        raise Trouble(
            f"Tested: {what}.", "It starts a process of its own, which it cannot while it is checked."
        ) from None
    except SystemExit:
        raise Trouble(f"Tested: {what}.", "It leaves Python with sys.exit.") from None
    except BaseException as fault:
        if isinstance(fault, GeneratorExit) and not learners_frames(fault):
            raise  # nobody raised it: the check itself is left here
        raise Trouble(f"Tested: {what}.", raised(fault), kind=type(fault).__name__) from None
    finally:
        builtins.input = asking
        if budget:
            budget.leave()
        pristine.after_an_answer()


def _asked(*_):
    """What `input` does meanwhile."""
    raise _Asked


def too_long(budget):
    """The sentence on what was stopped: the same on a quiet machine and on a busy one, where little work is done."""
    if budget and budget.worked() < budget.seconds / 10:
        return f"It had not ended after {PATIENCE:g} seconds, so it was stopped. Does it wait for something?"
    said = f"It had not ended after {SECONDS:g} seconds of work, or {PATIENCE:g} in all, so it was stopped."
    return f"{said} Is there a loop that never ends?"


def raised(fault):
    """What an exception says and where it was raised, in one sentence: the last line that is the learner's own."""
    said = f"It raised {type(fault).__name__}{f': {words}' if (words := words_of(fault)) else ''}".rstrip(".")
    for frame in reversed(learners_frames(fault)):
        line = (frame.line or linecache.getline(frame.filename, frame.lineno)).strip()
        if line:
            return f"{said}, in {frame.name}, line {frame.lineno}: {line}"
    return f"{said}."


def learners_frames(fault):
    """Where an exception has come through a learner's code, innermost last."""
    return [f for f in traceback.extract_tb(fault.__traceback__) if not f.filename.startswith(OWN)]


def words_of(fault):
    """An exception's words; none where it cannot say them."""
    try:
        return str(fault)
    except Exception:
        return ""
