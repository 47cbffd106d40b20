"""What the stranger's process is asked: to load a file, and to compute graphs with the engine that it found there.

A guard refuses to write files, to open connections and to begin processes. It is a guard against accidents, no sandbox.
"""

import contextlib
import inspect
import os
import random
import sys
import tempfile
from types import CodeType

from exercises.doctor.loading import load
from exercises.doctor.mapping import NoEngine, add_functions, find_engine
from exercises.explaining.recording import METHODS, record

with contextlib.suppress(ImportError):  # now: when memory is limited, it may not begin its threads any more
    import numpy

    numpy.seterr(all="ignore")

REFUSED = {"socket.connect", "socket.bind", "os.remove", "os.rename", "os.rmdir", "os.truncate", "shutil.rmtree"}
DEEP = 2000  # operations in a chain
found = {}  # the engine, once a file is loaded


def guard(event, args):
    """Refuse what a file has no business to do when its engine is judged."""
    if event in REFUSED:
        raise PermissionError(f"the doctor refused {event}")
    if event == "open" and isinstance(args[1], str) and set(args[1]) & set("wax+") and args[0] != os.devnull:
        raise PermissionError("the doctor lets a file write nothing")


def begin(path, is_whole):
    """Load a file and find its engine: {"class", "data", …}, or {"why"} if there is none."""
    os.chdir(tempfile.gettempdir())
    sys.addaudithook(guard)
    try:
        loaded = load(path, is_whole)
        engine, name = find_engine(loaded)
    except SyntaxError as fault:
        return {"why": f"It is not Python that this version reads: {fault.msg} (line {fault.lineno})."}
    except NoEngine as fault:
        return {"why": f"No engine was found: {fault.why}.", "depth": fault.depth, "failed": loaded.failed}
    failed = add_functions(engine, loaded.module)
    found["engine"] = engine
    return {
        "class": engine.cls.__name__,
        "data": engine.data,
        "grad": engine.grad,
        "backward": name,
        "functions": [name for name in engine.functions if name not in failed],
        "failed": failed,
        "methods": [name for name in METHODS if hasattr(engine.cls, name)],
        "stand_ins": loaded.stand_ins,
        "lines": lines_of(engine, name),
    }


def compute(cases, seed=None, passes=1, tape=True):
    """Return the records of some graphs, (leaves, steps)."""
    return [record(found["engine"], *case, tape=tape, passes=passes, seed=seed) for case in cases]


def compute_again(cases, times):
    """Return the records of some graphs several times over, the nodes at other addresses each time."""
    engine, rng, runs = found["engine"], random.Random(0), []
    make = engine.make
    held = []

    def scattered(number):
        held.extend(make(0.0) for _ in range(rng.randrange(4)))
        return make(number)

    engine.make = scattered
    for _ in range(times):
        runs.append([record(engine, *case, tape=False) for case in cases])
    engine.make = make
    return runs


def compute_chain():
    """Return what a chain of many additions raises; "" if nothing."""
    engine = found["engine"]
    try:
        leaf = node = engine.make(1.0)
        for _ in range(DEEP):
            node = node + leaf
        engine.backward(node)
    except Exception as fault:
        return type(fault).__name__
    return ""


def lines_of(engine, name):
    """Return {operation, or "backward": (file, first line, last line)} of an engine's code."""
    methods = {METHODS[each][0] if not each.startswith("__r") else each: each for each in reversed(METHODS)}
    named = {key: getattr(engine.cls, method, None) for key, method in methods.items()}
    named |= {**engine.functions, "backward": getattr(engine.cls, name, engine.backward)}
    lines = {}
    for key, function in named.items():
        code = getattr(inspect.unwrap(function), "__code__", None) if callable(function) else None
        if code is not None:
            lines[key] = code.co_filename, code.co_firstlineno, last_line(code)
    return lines


def last_line(code):
    """Return the last line of a function, with the functions in it."""
    inner = [last_line(each) for each in code.co_consts if isinstance(each, CodeType)]
    return max([code.co_firstlineno, *(line for *_, line in code.co_lines() if line), *inner])
