"""An engine under examination: its names, and what it gives for graphs, as plain data."""

import contextlib
import inspect
import random
import sys
from types import CodeType, FunctionType

from exercises.explaining.recording import METHODS, SIGNS, cell_is_filled, record

BINARY = {*SIGNS.values()}
DEEP = 2000  # operations in a chain


class Subject:
    """An Engine with the name of its backward pass. It answers in plain data, so it may live in another process."""

    def __init__(self, engine, backward, failed):
        self.engine, self.backward, self.failed = engine, backward, failed

    def described(self):
        """Return the names that were found, the engine's operations, and where its code is."""
        engine = self.engine
        return {
            "class": engine.cls.__name__,
            "data": engine.data,
            "grad": engine.grad,
            "backward": self.backward,
            "functions": [name for name in engine.functions if name not in self.failed],
            "failed": self.failed,
            "methods": [name for name in METHODS if hasattr(engine.cls, name)],
            "lines": lines_of(engine, self.backward),
            "rules": rules_of(engine),
        }

    def compute(self, cases, seed=None, passes=1, tape=True):
        """Return the records of some graphs, (leaves, steps)."""
        return [record(self.engine, *case, tape=tape, passes=passes, seed=seed) for case in cases]

    def compute_again(self, cases, times):
        """Return the records of some graphs for several runs, with the nodes at other addresses each time."""
        rng, make, held = random.Random(0), self.engine.make, []

        def scattered(number):
            held.extend(make(0.0) for _ in range(rng.randrange(4)))
            return make(number)

        self.engine.make = scattered
        runs = [self.compute(cases, tape=False) for _ in range(times)]
        self.engine.make = make
        return runs

    def compute_chain(self):
        """Return the name of the exception that a chain of many additions raises, or ""."""
        try:
            leaf = node = self.engine.make(1.0)
            for _ in range(DEEP):
                node = node + leaf
            self.engine.backward(node)
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
        code = getattr(undecorated(function), "__code__", None) if callable(function) else None
        if code is not None:
            lines[key] = code.co_filename, code.co_firstlineno, last_line(code)
    return lines


def undecorated(function):
    """Return the function in a decorator's wrapper, also if that does not say what it wraps."""
    function, name = inspect.unwrap(function), getattr(function, "__name__", "")
    held = [cell.cell_contents for cell in getattr(function, "__closure__", None) or () if cell_is_filled(cell)]
    inner = [each for each in held if isinstance(each, FunctionType) and each.__name__.startswith("__")]
    return inner[0] if len(inner) == 1 and not name.startswith("__") else function


def rules_of(engine):
    """Return {operation: (file, line)} of the lines that pass a gradient back through one operation, and no other."""
    found = {}
    for operation, apply in engine.operations.items():
        with contextlib.suppress(Exception, SystemExit):
            leaf, other = engine.make(1.5), engine.make(2.5)
            operands = (leaf, 2) if operation == "**" else (leaf, other)
            root = apply(*operands) if operation in BINARY else apply(leaf)
            found[operation] = changing_lines(engine, leaf, root)
    known = [place for places in found.values() for place in {*places}]
    own = {operation: [place for place in places if known.count(place) == 1] for operation, places in found.items()}
    return {operation: places[0] for operation, places in own.items() if places}


def changing_lines(engine, leaf, root):
    """Return the (file, line) that first changes a leaf's gradient in a root's pass, then those that call it."""
    before, latest, found = engine.gradient(leaf), {}, []

    def watch(frame, event, _):
        if not found and engine.gradient(leaf) != before:
            found.append((frame.f_code.co_filename, latest.get(frame, frame.f_lineno)))
            found.extend((outer.f_code.co_filename, latest[outer]) for outer in callers(frame) if outer in latest)
        latest[frame] = frame.f_lineno
        return watch

    tracing = sys.gettrace()
    sys.settrace(watch)
    try:
        engine.backward(root)
    finally:
        sys.settrace(tracing)
    return found


def callers(frame):
    """Yield the frames that called a frame, the nearest first."""
    while frame := frame.f_back:
        yield frame


def last_line(code):
    """Return the last line of a function, including the functions in it."""
    inner = [last_line(each) for each in code.co_consts if isinstance(each, CodeType)]
    return max([code.co_firstlineno, *(line for *_, line in code.co_lines() if line), *inner])
