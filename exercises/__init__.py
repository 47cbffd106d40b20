"""The exercises: checks that say which mistake gives an answer, hints, quizzes, recall, and a learner's progress."""

import importlib

PLACES = {  # each public name, and the module that it is read from when it is first asked for
    "beside_pytorch": "pytorch",
    "causes": "clinic.patients",
    "certificate": "clinic.certificate",
    "check": "check",
    "course_engine": "parts",
    "course_map": "course",
    "debug": "debugging",
    "exam": "clinic.exam",
    "examine": "clinic.examine",
    "explain": "diagnosis",
    "explained": "line_by_line",
    "folded": "folding",
    "glossary": "words",
    "gym": "practice.gym",
    "hints": "library",
    "identify": "identifying",
    "keep": "own",
    "my_engine": "own",
    "patient": "clinic.patients",
    "program": "clinic.listing",
    "progress": "progress",
    "quick_check": "questions",
    "quiz": "questions",
    "read_engine": "engine_source",
    "recall": "questions",
    "reset": "library",
    "self_test": "selftest",
    "ward": "clinic.ward",
    "why": "why",
}

__all__ = sorted(PLACES)


def __getattr__(name):
    """A public name, loaded now: so the self-test of lesson 00 can run where the wrong `autograd` is installed."""
    if name not in PLACES:
        raise AttributeError(f"exercises has no {name!r}. It has: {', '.join(__all__)}.")
    if name != "self_test":
        importlib.import_module("exercises.course.selftest").demand()
    module = importlib.import_module(f"exercises.{PLACES[name]}")
    found = getattr(module, name, module)
    globals()[name] = found
    return found
