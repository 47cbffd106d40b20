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
import ctypes
import linecache
import os
import re
import signal
import sys
import sysconfig
import threading
import time
import traceback
from pathlib import Path

import autograd
from exercises.sandbox import pristine
from exercises.sandbox.output import MOST, Output, Printed
from exercises.sandbox.pristine import Started, budgets, no_processes

TICK = 0.05  # seconds from one look at the time to the next
FLOOD = 2e-5  # the same, where code swallows it
SLOWER = 4 if sys.platform == "emscripten" else 1  # how many times as long Python may take in a browser
SECONDS = 3.0 * SLOWER  # of processor time for a learner's code in one check; it takes well under 0.5 s where it ends
PATIENCE = 20.0 * SLOWER  # seconds by the clock, for code that waits
ADDS = ". This engine adds into `grad`, so set it to 0.0, not to None."
NOT_CALLED = ". A function was expected and None was there. Is `f()` handed over where `f` itself is meant?"
ENDLESS = "time"  # the kind of Trouble with code that was stopped
PYTHONS = [sysconfig.get_path(kind) for kind in ("stdlib", "purelib", "platlib")]
NOT_A_LEARNERS = (str(Path(__file__).parents[1]), str(Path(autograd.__file__).parent), *PYTHONS)
CLEARING = (__file__, pristine.__file__, contextlib.__file__)


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


SAID = {  # what is said of some exceptions, in place of their own words
    RecursionError: "It called itself over and over, until Python gave up: RecursionError.",
    _Asked: "It asks for input, which nobody can give while it is checked.",
    Started: "It starts a process of its own, which it cannot while it is checked.",
    Printed: f"It printed more than {MOST:,} characters, so it was stopped. Is there a loop that never ends?",
    SystemExit: "It leaves Python with sys.exit.",
}


class TimeUp(BaseException):
    """Raised inside code that has run for too long. Not an Exception: `except Exception` must not swallow it.

    A bare `except:` swallows it, as it would a KeyboardInterrupt: then it is raised again, in its handler or behind it.
    """


class Budget:
    """The time that a learner's code may take: its own work counts, the check's does not."""

    def __init__(self, seconds, patience, processor):
        self.seconds, self.end, self.processor = seconds, time.monotonic() + patience, processor
        self.used, self.since, self.depth, self.told = 0.0, 0.0, 0, 0

    def enter(self):
        """From now on it is the learner's code that runs."""
        if self.depth == 0:
            self.since = self.processor()
        self.depth += 1

    def leave(self):
        """From now on it is the check's own again."""
        self.depth -= 1
        if self.depth == 0:
            self.used += self.processor() - self.since

    def is_over(self):
        """Whether the learner's code has worked, or all of it has lasted, for too long."""
        if self.told and not self.depth:  # it was stopped: the check may end
            return False
        return (self.depth and self.worked() > self.seconds) or time.monotonic() > self.end

    def worked(self):
        """The seconds of work of the learner's code so far."""
        return self.used + (self.processor() - self.since if self.depth else 0.0)


def send(thread, exception):
    """Have a thread raise an exception soon, in place of one that has not arrived."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(exception))


def let_arrive(thread):
    """None of the exceptions sent to this thread, the one that runs, arrives any more: the last arrives here.

    With None sent to take it back, Python 3.11 would look for it for ever after, and stand still in a profiled call.
    """
    try:
        send(thread, TimeUp)
        for _ in range(1000):  # each round looks for it
            pass
    except TimeUp:
        pass


class Unwatched:
    """Where there is none of those below: the check works, and what does not end is not stopped."""

    def __init__(self, seconds, patience):
        self.budget = Budget(seconds, patience, time.process_time)

    @staticmethod
    def works():
        """Whether it can be used here."""
        return True

    def __enter__(self):
        pass

    def __exit__(self, *_):
        pass


class Alarm:
    """Looks at the time by an alarm signal, which wakes code that waits, too: in main threads, not on Windows.

    A watchdog looks as well, from a thread: whether the alarm still works.
    """

    @staticmethod
    def works():
        """Whether this thread may use it."""
        return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()

    def __init__(self, seconds, patience):
        self.budget, self.is_on = Budget(seconds, patience, clock_of_this_thread()), False
        self.dog, self.looks = None if budgets else Waker(0, 0, self.budget), False

    def __enter__(self):
        self.before = signal.signal(signal.SIGALRM, self.look)
        self.is_on = True
        self.timer = signal.setitimer(signal.ITIMER_REAL, TICK, TICK)
        if self.dog:
            self.dog.__enter__()

    def look(self, _, frame):
        """Called at each tick, inside the code that is running; where that swallows TimeUp, ticks come thick and fast.

        Then one arrives in its handler, too. None does while this looks, nor where the guard clears up.
        """
        if self.looks or not self.is_on:
            return
        self.looks = True
        try:
            if frame.f_code.co_filename not in CLEARING and self.budget.is_over():
                self.budget.told += 1
                if self.budget.told == 2:
                    signal.setitimer(signal.ITIMER_REAL, FLOOD, FLOOD)
                raise TimeUp
        finally:
            self.looks = False

    def __exit__(self, *_):
        self.is_on = False
        signal.setitimer(signal.ITIMER_REAL, *self.timer)
        if self.dog:
            self.dog.__exit__()
        signal.signal(signal.SIGALRM, self.before if self.before is not None else signal.SIG_DFL)


def clock_of_this_thread():
    """A function for the processor's time of this thread, of any thread where that can be read."""
    if not hasattr(time, "pthread_getcpuclockid"):
        return time.thread_time
    clock = time.pthread_getcpuclockid(threading.get_ident())
    return lambda: time.clock_gettime(clock)


class Waker:
    """Looks at the time from another thread, and raises in the one that it watches: on Windows, and in threads.

    budget: that of an alarm, for a watchdog: it raises only where the alarm has not, for a second.
    """

    @staticmethod
    def works():
        """Whether this platform has threads."""
        try:
            threading.Thread(target=lambda: None, daemon=True, name="guard").start()
        except RuntimeError:
            return False
        return True

    def __init__(self, seconds, patience, budget=None):
        self.thread, self.budget = threading.get_ident(), budget or Budget(seconds, patience, time.process_time)
        self.left, self.lock, self.late = threading.Event(), threading.Lock(), 20 if budget else 0
        self.has_sent = False

    def __enter__(self):
        with contextlib.suppress(RuntimeError):  # a watchdog where there are no threads
            threading.Thread(target=self.wait, daemon=True, name="guard").start()

    def wait(self):
        """Look at each tick, until the code has ended."""
        over = 0
        while not self.left.wait(TICK):
            with self.lock:
                over += bool(not self.left.is_set() and self.budget.is_over())
                if over > self.late:
                    self.budget.told += 1
                    self.has_sent = True
                    send(self.thread, TimeUp)
                    if self.late and over % 10 == 0:  # it waits, with the alarm ignored
                        signal.pthread_kill(self.thread, signal.SIGINT)

    def __exit__(self, *_):
        while True:
            try:
                self.left.set()
                with self.lock:
                    return let_arrive(self.thread) if self.has_sent else None
            except TimeUp:  # one more arrived just here
                continue
            except KeyboardInterrupt:
                if not self.budget.told:  # no watchdog's
                    raise


monitors = []  # that look, the innermost last: it alone does, as with the alarm


class Monitor:
    """Looks at the time at jumps and calls, inside the code that is running: where there are no threads, in a browser.

    Code that neither jumps back nor calls comes to its end by itself. What calls itself without end is a RecursionError
    sooner than elsewhere: an operator that calls itself fills a browser's stack, which ends Python, at some 900 calls.
    """

    DEEPEST = 700  # calls within each other

    TOOL = 4  # of the six numbers that Python gives to such tools, one that has no fixed use
    EVERY = 1000  # of these events the time is looked at

    @staticmethod
    def works():
        """Whether this Python tells of its jumps, and nobody else listens under that number."""
        return hasattr(sys, "monitoring") and sys.monitoring.get_tool(Monitor.TOOL) in (None, __name__)

    def __init__(self, seconds, patience):
        self.budget, self.seen = Budget(seconds, patience, time.monotonic), 0

    def __enter__(self):
        if not monitors:
            events, tool = sys.monitoring.events, sys.monitoring
            tool.use_tool_id(self.TOOL, __name__)
            for event in (events.JUMP, events.PY_START):
                tool.register_callback(self.TOOL, event, Monitor.look)
            tool.set_events(self.TOOL, events.JUMP | events.PY_START)
            self.limit = sys.getrecursionlimit()
            with contextlib.suppress(RecursionError):  # it is deeper than that already
                sys.setrecursionlimit(min(self.limit, self.DEEPEST))
        monitors.append(self)

    @staticmethod
    def look(code, *_):
        """Called at each event, before what comes next."""
        if not monitors:
            return
        self = monitors[-1]
        self.seen += 1
        if self.seen % self.EVERY == 0 and code.co_filename != __file__ and self.budget.is_over():
            raise TimeUp

    def __exit__(self, *_):
        monitors.remove(self)
        if not monitors:
            sys.monitoring.set_events(self.TOOL, 0)
            sys.monitoring.free_tool_id(self.TOOL)
            sys.setrecursionlimit(self.limit)


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
        with pristine.starts_guarded() if len(budgets) == 1 else contextlib.nullcontext(), watch:
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

    What it prints is kept back, in what comes behind `as`: a check runs it hundreds of times. It cannot ask for input,
    nor start a process unless `alone` is false. Builtins and package are afterwards what they were.
    """
    asking = builtins.input
    builtins.input = _asked
    budget = budgets[-1] if budgets else None
    if budget:
        budget.enter()
    try:
        with contextlib.redirect_stdout(Output()) as said, no_processes() if alone else contextlib.nullcontext():
            yield said
    except (Unfinished, Trouble):
        raise
    except NotImplementedError:
        raise Unfinished from None
    except (KeyboardInterrupt, TimeUp) as fault:
        if isinstance(fault, KeyboardInterrupt) and not (budget and budget.told):
            raise
        raise Trouble(f"Tested: {what}.", too_long(budget), kind=ENDLESS) from None
    except tuple(SAID) as fault:
        said = next(words for kind, words in SAID.items() if isinstance(fault, kind))
        raise Trouble(f"Tested: {what}.", said) from None
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


def too_long(budget=None):
    """The sentence on what was stopped: the same on a quiet machine and on a busy one, where little work is done."""
    if budget and budget.worked() < budget.seconds / 10:
        return f"It had not ended after {PATIENCE:g} seconds, so it was stopped. Does it wait for something?"
    after = f"{SECONDS:g} seconds of work, or {PATIENCE:g} in all"
    return f"It had not ended after {after}, so it was stopped. Is there a loop that never ends?"


def raised(fault):
    """What an exception says and where it was raised, in one sentence: the last line that is the learner's own."""
    said = f"It raised {type(fault).__name__}{f': {words}' if (words := words_of(fault)) else ''}".rstrip(".")
    more = NOT_CALLED if "'NoneType' object is not callable" in said else ""
    for frame in reversed(learners_frames(fault)):
        if line := (frame.line or linecache.getline(frame.filename, frame.lineno)).strip():
            more = ADDS if "NoneType" in said and re.search(r"\.grad\b|operand.*_backward\(", said + line) else more
            return f"{said}, in {frame.name}, line {frame.lineno}: {line}{more}"
    return f"{said}{more or '.'}"


def learners_frames(fault):
    """Where an exception has come through a learner's code, innermost last."""
    return [f for f in traceback.extract_tb(fault.__traceback__) if not f.filename.startswith(NOT_A_LEARNERS)]


def words_of(fault):
    """An exception's words, functions by their plain names; none where it cannot say them."""
    try:
        return re.sub(r"\b[\w.<>]+\.<locals>\.", "", str(fault))
    except Exception:
        return ""
