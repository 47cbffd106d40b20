"""A learner's code under guard: it stops endless loops, in a kernel too, and turns exceptions into two lines."""

import concurrent.futures
import contextlib
import os
import queue
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time

import nbformat
import numpy as np
import pytest

from exercises.engine_file import check
from exercises.sandbox import guard
from exercises.sandbox.guard import AnswerError, NotAttempted, TimeUp, run_guarded, trying
from tests import notebooks

SLOPE = "def slope(f, x, h):"


def endless():
    while True:
        pass


def careless():
    while True:
        with contextlib.suppress(Exception):
            [].pop()


def test_finished_call_returns_and_raises_nothing_later():
    for _ in range(20):
        assert run_guarded(lambda: sum(range(1000)), seconds=0.01) == 499500
    end = time.monotonic() + 0.3
    while time.monotonic() < end:  # a late exception would arrive here
        pass
    assert threading.active_count() < 20


WATCHES = [
    kind for kind in (guard.SignalTimeout, guard.ThreadTimeout, guard.MonitoringTimeout) if kind.works()
]  # one works from 3.12 on


@pytest.mark.long
@pytest.mark.parametrize("watch", WATCHES)
def test_each_timeout_engine_works_alone_and_nested(watch, monkeypatch):
    """The last is that of a page; there `tests/sites/test_site_page.py` has it stop a loop too."""
    for other in {guard.SignalTimeout, guard.ThreadTimeout, guard.MonitoringTimeout} - {watch}:
        monkeypatch.setattr(other, "works", lambda: False)

    def outer():
        for function in (endless, careless, fibonacci):
            with pytest.raises(TimeUp):
                run_guarded(function, seconds=0.2)
        assert run_guarded(lambda: 7, seconds=0.2) == 7
        endless()

    before = time.monotonic()
    with pytest.raises(TimeUp):
        run_guarded(outer, seconds=2.0)
    assert time.monotonic() - before > 1.9  # of two threads, processor time runs ahead of the clock by milliseconds
    assert run_guarded(lambda: sum(range(1000))) == 499500


def fibonacci(n=60):
    return 1 if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def test_guard_works_outside_the_main_thread():
    with concurrent.futures.ThreadPoolExecutor() as threads, pytest.raises(TimeUp):
        threads.submit(run_guarded, endless, seconds=0.2).result(20)


@pytest.mark.long
def test_endless_loop_is_stopped_and_the_kernel_stays_usable():
    texts = ["from exercises import check", f"{SLOPE}\n    while True:\n        pass", "check.slope(slope)", "6 * 7"]
    ran = notebooks.run(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in texts]))
    assert "stopped" in notebooks.verdicts(ran)["slope"]
    assert ran.cells[-1].outputs[0].data["text/plain"] == "42"


@pytest.mark.parametrize(
    "wait", [lambda: time.sleep(1000), lambda: threading.Event().wait(), lambda: held().acquire(), queue.Queue().get]
)
def test_waiting_call_is_stopped_by_wall_clock_timeout(wait):
    before = time.monotonic()
    with pytest.raises(TimeUp):
        run_guarded(wait, timeout=0.3)
    assert time.monotonic() - before < 60


def held():
    lock = threading.Lock()
    lock.acquire()
    return lock


def test_check_overhead_does_not_count_towards_the_timeout():
    def check():
        for _ in range(3):
            busy(0.15)
            with trying("a moment"):
                busy(0.02)
        return "ended"

    assert run_guarded(check, seconds=0.2, counts=False) == "ended"
    with pytest.raises(AnswerError, match="seconds of work"):
        run_guarded(lambda: tried(lambda: busy(5)), seconds=0.2, counts=False)


def tried(function):
    with trying("it"):
        return function()


def busy(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


@pytest.mark.parametrize("missing", ["signals", "signals and threads"])
def test_guard_works_without_signals_or_threads(missing, monkeypatch):
    def none(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.delattr(signal, "setitimer", raising=False)
    if missing == "signals and threads":
        monkeypatch.setattr(threading.Thread, "start", none)
    assert 1 <= guard.SECONDS <= 5
    assert run_guarded(lambda: sum(range(1000))) == 499500
    assert check.slope(lambda f, x, h: (f(x + h) - f(x)) / h)
    if missing == "signals":
        with pytest.raises(TimeUp):
            run_guarded(endless, seconds=0.2)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this platform has no alarm signals")
def test_guards_nest_and_restore_the_alarm():
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(TimeUp):
        run_guarded(lambda: run_guarded(endless, seconds=0.2))
    assert run_guarded(lambda: run_guarded(lambda: 1) + 1) == 2
    assert signal.getsignal(signal.SIGALRM) == before and signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


class Unspeakable(Exception):
    def __str__(self):
        raise ValueError


class Node:
    grad = None


def adds_to_no_gradient(*_):
    Node.grad += 1.0


def calls_an_inner_function(*_):
    def pass_on():
        """Take nothing."""

    pass_on(1)


def fails(fault):

    def run(*_):
        raise fault

    return run


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (fails(Unspeakable()), "It raised Unspeakable"),
        (fails(SystemExit(1)), "It leaves Python with sys.exit."),
        (fails(GeneratorExit()), "It raised GeneratorExit"),
        (lambda *_: input("a number: "), "It asks for input"),
        (lambda *_: recurse(), "RecursionError"),
        (adds_to_no_gradient, "Node.grad \\+= 1.0. This engine adds into `grad`, so set it to 0.0, not to None."),
        (calls_an_inner_function, r"It raised TypeError: pass_on\(\) takes 0 positional"),
    ],
)
def test_any_exception_becomes_a_message(function, said):
    with pytest.raises(AnswerError, match=said):
        tried(function)
    assert check.slope(function).state == "wrong" and re.search(said, str(check.slope(function)))


def recurse():
    return recurse()


def test_keyboard_interrupt_passes_and_stub_is_not_attempted():
    with pytest.raises(KeyboardInterrupt):
        tried(fails(KeyboardInterrupt()))
    with pytest.raises(NotAttempted):
        tried(fails(NotImplementedError()))


def test_exception_message_names_the_learners_line():
    def learners(x):
        wrong_name = x
        return wrong_name / 0

    with pytest.raises(AnswerError) as told, trying("learners(3)"):
        learners(3)
    tested, raised = told.value.sentences
    assert tested == "Tested: learners(3)."
    assert raised.startswith("It raised ZeroDivisionError: division by zero, in learners, line ")
    assert raised.endswith("return wrong_name / 0")
    with pytest.raises(AnswerError, match=r"in <lambda>, line \d+: .*broadcast_to"):  # not a line of NumPy's
        tried(lambda: np.broadcast_to(np.ones(2), (2, 3)))


def test_learners_output_is_suppressed(capsys):
    tried(lambda: print("a hundred times"))
    assert capsys.readouterr().out == ""


HOSTILE = """
import sys
from exercises import check
from exercises.sandbox import guard, isolation
guard.SECONDS, guard.TIMEOUT = 0.3, 6.0
names = {}
exec(sys.argv[1], names)
check.slope
most = lambda: __import__("resource").getrusage(0).ru_maxrss  # kilobytes
before = most()
with isolation.preserved_state() as said:
    found = check.slope.judge(names["slope"], compares=False)
print(found.state, *found.says, *said)
assert not sys.platform.startswith("linux") or most() - before < 60_000, most() - before
"""


def run_hostile(body, imports="import os, sys, signal, subprocess, multiprocessing, threading, time, builtins, pty"):
    """Return what a separate process says of a `slope` with this body; end it and what it started."""
    code = f"{imports}\n{SLOPE}\n{textwrap.indent(body, '    ')}\n"
    with subprocess.Popen(
        [sys.executable, "-c", HOSTILE, code], stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as running:
        try:
            lines = running.communicate(timeout=60)[0].splitlines()
            assert running.returncode == 0
            return lines
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)


BARE = "while True:\n    try: {}\n    except: pass"
RIGHT = "return (f(x + h) - f(x)) / h"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform cannot copy a process")
@pytest.mark.parametrize(
    ("body", "said"),
    [
        (f"os.fork()\n{RIGHT}", "starts a process"),
        (BARE.format("os.fork()"), "loop that never ends"),
        (f"os.forkpty()\n{RIGHT}", "starts a process"),
        (f"subprocess.run(['true'])\n{RIGHT}", "starts a process"),
        (f"os.popen('true').read()\n{RIGHT}", "starts a process"),
        (f"multiprocessing.get_context('fork').Process(target=print).start()\n{RIGHT}", "starts a process"),
        (f"multiprocessing.get_context('spawn').Process(target=print).start()\n{RIGHT}", "starts a process"),
        ("signal.signal(signal.SIGALRM, signal.SIG_IGN)\nwhile True: pass", "loop that never ends"),
        ("signal.setitimer(signal.ITIMER_REAL, 0)\nwhile True: pass", "loop that never ends"),
        ("signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])\nwhile True: pass", "loop that never ends"),
        ("signal.signal(signal.SIGALRM, signal.SIG_IGN)\ntime.sleep(1000)", "still running"),
        (BARE.format("f(x)"), "loop that never ends"),
        ("while True:\n  try:\n    while True:\n      try: f(x)\n      except: pass\n  except: pass",
         "loop that never ends"),
        (BARE.format("time.sleep(0.1)"), "wait for something"),
        (f"threading.Thread(target=time.sleep, args=(30,), daemon=True).start()\n{RIGHT}", "runs on"),
        ("builtins.all = lambda *a: True\nreturn 3.0", "This slope is wrong"),
        ("while True: print('x' * 10**5)", "printed more than 2,097,152 characters"),
        (BARE.format("print('x' * 10**5)"), "loop that never ends"),
        ("sys.stdout.writelines('x' * 10**5 for _ in iter(int, 1))", "printed more than"),
    ],
)  # fmt: skip
def test_code_that_tries_to_outlive_its_check_gets_one_message(body, said):
    lines = run_hostile(body)
    assert len(lines) == 1 and said in lines[0], lines


@pytest.mark.parametrize("watch", [guard.SignalTimeout, guard.ThreadTimeout])
@pytest.mark.parametrize("function", [time.time, endless], ids=["which ended", "which was stopped"])
def test_profiled_code_continues_after_a_guard(watch, function, monkeypatch):
    """Python 3.11 hung here, after one of the guard's exceptions had been taken back."""
    monkeypatch.setattr(guard, "SignalTimeout", watch)
    with contextlib.suppress(TimeUp):
        run_guarded(function, seconds=0.1)
    sys.setprofile(lambda *_: None)
    try:
        assert run_guarded(lambda: sorted([2, 1], key=abs), seconds=2) == [1, 2]
    finally:
        sys.setprofile(None)


def test_abandoned_guard_raises_nothing():
    left = trying("a test").gen
    next(left)
    left.close()


def test_abandoned_guard_leaves_processes_allowed():
    """A search does that: it leaves a generator as soon as a test has failed; and not in the order of entry."""

    def looking():
        with trying("something"):
            yield 1

    left = [run_guarded(lambda each=each: next(each) and each) for each in (looking(), looking())]
    assert processes_are_allowed()
    for each in left:
        with contextlib.suppress(AnswerError):
            each.close()
    assert processes_are_allowed()


def processes_are_allowed():
    return subprocess.run([sys.executable, "-c", "print(1)"], capture_output=True, check=True).stdout
