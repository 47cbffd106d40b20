"""Runs a learner's code under guard: code that does not end is stopped, and an exception becomes two lines.

The guard stops code that runs Python's own instructions, or waits for a clock or a lock, even if it swallows the
exception raised in it, or ignores the alarm. A single call of a C function that never returns, such as
`sum(range(10**12))`, can only be stopped from outside: Kernel → Restart. The same holds, if Python runs in a browser,
for code that waits; for code that waits with signals blocked; and for a function that calls itself again in its handler
for every exception.

A learner's code cannot start a process: that raises. A process started in spite of that, by a library in C, ends when
it returns to the check. A thread cannot be ended; `isolation.preserved_state` reports that it runs on.
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
from exercises.sandbox import isolation
from exercises.sandbox.isolation import ProcessStarted, forbid_processes, running_budgets
from exercises.sandbox.output import MOST, Output, Printed

POLL_INTERVAL = 0.05  # seconds between two checks of the time
RERAISE_INTERVAL = 2e-5  # the same, if code swallows the exception
SLOWDOWN = 4 if sys.platform == "emscripten" else 1  # how many times as long Python may take in a browser
SECONDS = 3.0 * SLOWDOWN  # of CPU time for a learner's code in one check; code that ends needs well under 0.5 s
TIMEOUT = 20.0 * SLOWDOWN  # seconds of wall-clock time, for code that waits
ADDS = ". This engine adds into `grad`, so set it to 0.0, not to None."
NOT_CALLED_HINT = ". A function was expected and None was there. Is `f()` handed over where `f` itself is meant?"
ENDLESS = "time"  # the kind of AnswerError of code that was stopped
PYTHON_FOLDERS = [sysconfig.get_path(kind) for kind in ("stdlib", "purelib", "platlib")]
FOREIGN_FOLDERS = (str(Path(__file__).parents[1]), str(Path(autograd.__file__).parent), *PYTHON_FOLDERS)
CLEANUP_FILES = (__file__, isolation.__file__, contextlib.__file__)


class NotAttempted(Exception):
    """The exercise has not been tried yet: its stub is unchanged."""


class AnswerError(Exception):
    """A learner's code raised something or did not end: `sentences` report what was tested, and what was raised where.

    kind: the same for every answer that ends like this: the exception, ENDLESS, or the last sentence.
    """

    def __init__(self, *sentences, kind=""):
        super().__init__(" ".join(sentences))
        self.sentences, self.kind = sentences, kind or sentences[-1]


class _InputRequested(BaseException):
    """Raised if a learner's code asks for input."""


EXCEPTION_SENTENCES = {  # messages that replace those of some exceptions
    RecursionError: "It called itself over and over, until Python gave up: RecursionError.",
    _InputRequested: "It asks for input, which nobody can give while it is checked.",
    ProcessStarted: "It starts a process of its own, which it cannot while it is checked.",
    Printed: f"It printed more than {MOST:,} characters, so it was stopped. Is there a loop that never ends?",
    SystemExit: "It leaves Python with sys.exit.",
}


class TimeUp(BaseException):
    """Raised inside code that has run for too long. Not an Exception: `except Exception` must not swallow it.

    A bare `except:` swallows it, as it would a KeyboardInterrupt: then it is raised again, in its handler or after it.
    """


class Budget:
    """The time limit of a learner's code: its own work counts, the check's does not."""

    def __init__(self, seconds, timeout, processor):
        self.seconds, self.end, self.processor = seconds, time.monotonic() + timeout, processor
        self.used, self.since, self.depth, self.told = 0.0, 0.0, 0, 0

    def enter(self):
        """Start counting: the learner's code runs from here on."""
        if self.depth == 0:
            self.since = self.processor()
        self.depth += 1

    def leave(self):
        """Stop counting: the check's own code runs again."""
        self.depth -= 1
        if self.depth == 0:
            self.used += self.processor() - self.since

    def is_over(self):
        """Return whether the learner's code has worked, or everything has lasted, for too long."""
        if self.told and not self.depth:  # it was stopped: let the check end
            return False
        return (self.depth and self.worked() > self.seconds) or time.monotonic() > self.end

    def worked(self):
        """Return the seconds of work of the learner's code so far."""
        return self.used + (self.processor() - self.since if self.depth else 0.0)


def raise_in_thread(thread, exception):
    """Raise an exception in a thread soon, replacing one that has not arrived."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(exception))


def absorb_pending(thread):
    """Make the last exception sent to the current thread arrive here, so that none arrives later.

    Sending None to take it back would make Python 3.11 look for it for ever after, and hang in a profiled call.
    """
    try:
        raise_in_thread(thread, TimeUp)
        for _ in range(1000):  # each iteration checks for it
            pass
    except TimeUp:
        pass


class NoTimeout:
    """The fallback without any timeout: the check works, but code that does not end is not stopped."""

    def __init__(self, seconds, timeout):
        self.budget = Budget(seconds, timeout, time.process_time)

    @staticmethod
    def works():
        return True

    def __enter__(self):
        pass

    def __exit__(self, *_):
        pass


class SignalTimeout:
    """Checks the time by an alarm signal, which also wakes code that waits: in main threads, not on Windows.

    A watchdog in another thread checks that the alarm still works.
    """

    @staticmethod
    def works():
        """Return whether this thread may use it."""
        return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()

    def __init__(self, seconds, timeout):
        self.budget, self.is_on = Budget(seconds, timeout, thread_clock()), False
        self.dog, self.looks = None if running_budgets else ThreadTimeout(0, 0, self.budget), False

    def __enter__(self):
        self.before = signal.signal(signal.SIGALRM, self.check_time)
        self.is_on = True
        self.timer = signal.setitimer(signal.ITIMER_REAL, POLL_INTERVAL, POLL_INTERVAL)
        if self.dog:
            self.dog.__enter__()

    def check_time(self, _, frame):
        """Check the time at each tick, inside the running code; if that swallows TimeUp, ticks come thick and fast.

        Then one arrives in its handler, too. None arrives during this check, nor while the guard cleans up.
        """
        if self.looks or not self.is_on:
            return
        self.looks = True
        try:
            if frame.f_code.co_filename not in CLEANUP_FILES and self.budget.is_over():
                self.budget.told += 1
                if self.budget.told == 2:
                    signal.setitimer(signal.ITIMER_REAL, RERAISE_INTERVAL, RERAISE_INTERVAL)
                raise TimeUp
        finally:
            self.looks = False

    def __exit__(self, *_):
        self.is_on = False
        signal.setitimer(signal.ITIMER_REAL, *self.timer)
        if self.dog:
            self.dog.__exit__()
        signal.signal(signal.SIGALRM, self.before if self.before is not None else signal.SIG_DFL)


def thread_clock():
    """Return a function for the CPU time of this thread, readable from any thread if the system allows it."""
    if not hasattr(time, "pthread_getcpuclockid"):
        return time.thread_time
    clock = time.pthread_getcpuclockid(threading.get_ident())
    return lambda: time.clock_gettime(clock)


class ThreadTimeout:
    """Checks the time from another thread, and raises in the one that it watches: on Windows, and in threads.

    budget: an alarm's, for a watchdog: it raises only if the alarm has failed to, for a second.
    """

    @staticmethod
    def works():
        """Return whether this platform has threads."""
        try:
            threading.Thread(target=lambda: None, daemon=True, name="guard").start()
        except RuntimeError:
            return False
        return True

    def __init__(self, seconds, timeout, budget=None):
        self.thread, self.budget = threading.get_ident(), budget or Budget(seconds, timeout, time.process_time)
        self.left, self.lock, self.late = threading.Event(), threading.Lock(), 20 if budget else 0
        self.has_sent = False

    def __enter__(self):
        with contextlib.suppress(RuntimeError):  # for a watchdog without threads
            threading.Thread(target=self.wait, daemon=True, name="guard").start()

    def wait(self):
        """Check the time at each tick, until the code has ended."""
        over = 0
        while not self.left.wait(POLL_INTERVAL):
            with self.lock:
                over += bool(not self.left.is_set() and self.budget.is_over())
                if over > self.late:
                    self.budget.told += 1
                    self.has_sent = True
                    raise_in_thread(self.thread, TimeUp)
                    if self.late and over % 10 == 0:  # the code waits, and ignores the alarm
                        signal.pthread_kill(self.thread, signal.SIGINT)

    def __exit__(self, *_):
        while True:
            try:
                self.left.set()
                with self.lock:
                    return absorb_pending(self.thread) if self.has_sent else None
            except TimeUp:  # another one arrived just here
                continue
            except KeyboardInterrupt:
                if not self.budget.told:  # not from a watchdog
                    raise


active_monitors = []  # the active ones, the innermost last: only that one checks, as with the alarm


class MonitoringTimeout:
    """Checks the time at jumps and calls, inside the running code: if there are no threads, in a browser.

    Code that neither jumps back nor calls ends by itself. Endless recursion becomes a RecursionError sooner than
    elsewhere: an operator that calls itself fills a browser's stack, which ends Python, at some 900 calls.
    """

    DEEPEST = 700  # nested calls

    TOOL = 4  # one of Python's six tool ids, without a fixed use
    EVERY = 1000  # events between two checks of the time

    @staticmethod
    def works():
        """Return whether this Python reports its jumps, and no other tool has that id."""
        return hasattr(sys, "monitoring") and sys.monitoring.get_tool(MonitoringTimeout.TOOL) in (None, __name__)

    def __init__(self, seconds, timeout):
        self.budget, self.seen = Budget(seconds, timeout, time.monotonic), 0

    def __enter__(self):
        if not active_monitors:
            events, tool = sys.monitoring.events, sys.monitoring
            tool.use_tool_id(self.TOOL, __name__)
            for event in (events.JUMP, events.PY_START):
                tool.register_callback(self.TOOL, event, MonitoringTimeout.check_time)
            tool.set_events(self.TOOL, events.JUMP | events.PY_START)
            self.limit = sys.getrecursionlimit()
            with contextlib.suppress(RecursionError):  # the stack is deeper than that already
                sys.setrecursionlimit(min(self.limit, self.DEEPEST))
        active_monitors.append(self)

    @staticmethod
    def check_time(code, *_):
        """Check the time at an event, before the next instruction."""
        if not active_monitors:
            return
        self = active_monitors[-1]
        self.seen += 1
        if self.seen % self.EVERY == 0 and code.co_filename != __file__ and self.budget.is_over():
            raise TimeUp

    def __exit__(self, *_):
        active_monitors.remove(self)
        if not active_monitors:
            sys.monitoring.set_events(self.TOOL, 0)
            sys.monitoring.free_tool_id(self.TOOL)
            sys.setrecursionlimit(self.limit)


def run_guarded(function, seconds=None, timeout=None, *, counts=True):
    """Return the result of `function()`; raise TimeUp if it works or lasts for too long.

    seconds, timeout: the limits of CPU time and of wall-clock time; by default SECONDS and TIMEOUT.
    counts: whether all of it is the learner's; if not, only what runs inside `trying` counts as work.
    """
    watch = next(kind for kind in (SignalTimeout, ThreadTimeout, MonitoringTimeout, NoTimeout) if kind.works())(
        SECONDS if seconds is None else seconds, TIMEOUT if timeout is None else timeout
    )
    running_budgets.append(watch.budget)
    this = os.getpid()
    try:
        if counts:
            watch.budget.enter()
        with isolation.guarded_process_starts() if len(running_budgets) == 1 else contextlib.nullcontext(), watch:
            return function()
    except KeyboardInterrupt:
        if watch.budget.told:  # it came from a watchdog
            raise TimeUp from None
        raise
    finally:
        if os.getpid() != this:  # a forked copy of the check, which would go on as well
            os._exit(0)
        running_budgets.pop()


@contextlib.contextmanager
def trying(what, alone=True):
    """Run a learner's code that is tested for `what`: any exception becomes AnswerError, a stub's error NotAttempted.

    Its output goes into the object behind `as`: a check runs it hundreds of times. It cannot ask for input, nor start a
    process unless `alone` is false. Builtins and package are restored afterwards.
    """
    asking = builtins.input
    builtins.input = _refuse_input
    budget = running_budgets[-1] if running_budgets else None
    if budget:
        budget.enter()
    try:
        with contextlib.redirect_stdout(Output()) as said, forbid_processes() if alone else contextlib.nullcontext():
            yield said
    except (NotAttempted, AnswerError):
        raise
    except NotImplementedError:
        raise NotAttempted from None
    except (KeyboardInterrupt, TimeUp) as fault:
        if isinstance(fault, KeyboardInterrupt) and not (budget and budget.told):
            raise
        raise AnswerError(f"Tested: {what}.", describe_timeout(budget), kind=ENDLESS) from None
    except tuple(EXCEPTION_SENTENCES) as fault:
        said = next(words for kind, words in EXCEPTION_SENTENCES.items() if isinstance(fault, kind))
        raise AnswerError(f"Tested: {what}.", said) from None
    except BaseException as fault:
        if isinstance(fault, GeneratorExit) and not learner_frames(fault):
            raise  # nobody raised it: the check itself is being closed
        raise AnswerError(f"Tested: {what}.", describe_exception(fault), kind=type(fault).__name__) from None
    finally:
        builtins.input = asking
        if budget:
            budget.leave()
        isolation.restore_after_answer()


def _refuse_input(*_):
    raise _InputRequested


def describe_timeout(budget=None):
    """Return the sentence on stopped code: the same on a quiet machine and on a busy one, which gets little done."""
    if budget and budget.worked() < budget.seconds / 10:
        return f"It had not ended after {TIMEOUT:g} seconds, so it was stopped. Does it wait for something?"
    after = f"{SECONDS:g} seconds of work, or {TIMEOUT:g} in all"
    return f"It had not ended after {after}, so it was stopped. Is there a loop that never ends?"


def describe_exception(fault):
    """Return what an exception says and where it was raised, in one sentence: the last line of the learner's own."""
    said = f"It raised {type(fault).__name__}{f': {words}' if (words := exception_message(fault)) else ''}".rstrip(".")
    more = NOT_CALLED_HINT if "'NoneType' object is not callable" in said else ""
    for frame in reversed(learner_frames(fault)):
        if line := (frame.line or linecache.getline(frame.filename, frame.lineno)).strip():
            more = ADDS if "NoneType" in said and re.search(r"\.grad\b|operand.*_backward\(", said + line) else more
            return f"{said}, in {frame.name}, line {frame.lineno}: {line}{more}"
    return f"{said}{more or '.'}"


def learner_frames(fault):
    """Return the learner's frames that an exception has passed through, innermost last."""
    return [f for f in traceback.extract_tb(fault.__traceback__) if not f.filename.startswith(FOREIGN_FOLDERS)]


def exception_message(fault):
    """Return an exception's message, with functions by their plain names; "" if it cannot produce one."""
    try:
        return re.sub(r"\b[\w.<>]+\.<locals>\.", "", str(fault))
    except Exception:
        return ""
