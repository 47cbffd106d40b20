"""`identify`: run the doctor on a class in this notebook, on an engine, or on a file."""

import functools
import linecache
import types
from pathlib import Path

from exercises.doctor.examination import Examination, examine
from exercises.doctor.mapping import OPERATORS, add_functions
from exercises.doctor.report import NOT_RUN, Verdict
from exercises.doctor.subject import Subject
from exercises.explaining.recording import Engine
from exercises.sandbox.guard import TimeUp, describe_timeout, run_guarded


def identify(Value):
    """Judge an engine on random graphs, and say which mistakes explain what it gives.

    Value: a class with `data`, `grad` and `backward()`; an engine that has one (`my_engine`); or the path of a .py or
    .ipynb file with any scalar engine in it, which runs in its own process. Raises TypeError if it is none of these.
    """
    if isinstance(Value, str | Path):
        return examine(Value)
    if isinstance(Value, types.ModuleType) or not isinstance(Value, type):
        Value = getattr(Value, "Value", Value)
    if not isinstance(Value, type):
        raise TypeError(f"identify takes a class such as your Value, or a file; got {Value!r}.")
    try:
        return run_guarded(lambda: judge(Value))
    except TimeUp:
        return Verdict(NOT_RUN, describe_timeout())


def judge(cls, wanted=()):
    """Return the Verdict on a class with `data`, `grad` and `backward()`, which runs here and without a time limit.

    wanted: the kinds of steps that it must have, and the only ones tried; () for those that it has.
    """
    subject = subject_of(cls)
    ask = functools.partial(ask_here, subject)
    return Examination(ask, subject.described(), text_of, is_own=True, wanted=wanted).verdict()


def subject_of(cls):
    """Return the Subject of a class with `data`, `grad` and `backward()`."""
    engine = Engine(cls, cls, lambda root: root.backward(), {**OPERATORS})
    return Subject(engine, "backward", add_functions(engine, types.ModuleType(cls.__name__)))


def ask_here(subject, method, *given):
    return getattr(subject, method)(*given)


def text_of(file):
    return "".join(linecache.getlines(file))
