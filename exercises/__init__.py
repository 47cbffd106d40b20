"""The exercises: checks that name the mistake behind an answer, hints, quizzes, recall, and a learner's progress.

The rooms, and the others that each may import from; a test compares the imports with this table:

    authors      `new` exercises, and what one lacks         → explaining, engine_file, shelf
    teachers     hand-ins of a class, nbgrader, the tutor    → engine_file, verdicts, sandbox, shelf
    course       map, glossary, folded cells, installation   → doctor, quizzes, engine_file, shelf
    tasks        one folder per exercise: check and texts    → clinic, judging, engine_file, verdicts,
                                                               engines, sandbox, shelf
    clinic       faulty programs, instruments, the exam      → practice, judging, engine_file, verdicts, engines,
                                                               sandbox, shelf
    practice     the gym, the end of an evening, empty pages → quizzes, doctor, explaining, engine_file, verdicts,
                                                               engines, sandbox, shelf
    judging      how an answer is judged                     → explaining, engine_file, verdicts, engines, sandbox,
                                                               shelf
    doctor       judges an engine: a class, or any file      → explaining, verdicts, sandbox, shelf
    explaining   why an answer or an engine is wrong         → engine_file, verdicts, engines, sandbox, shelf
    engines      the wrong engines                           → engine_file, shelf
    engine_file  the learner's my_engine.py; loads checks    → verdicts, sandbox, shelf
    verdicts     cases, observations, Verdicts               → shelf
    quizzes      quizzes and recall                          → shelf
    sandbox      where a learner's code runs                 → none
    shelf        lessons, solutions, mistakes, progress      → none
"""

import importlib

PLACES = {  # {public name: the module that it is loaded from at its first use}
    "beside_pytorch": "course.pytorch",
    "blank_page": "practice.blank_page",
    "causes": "clinic.patients",
    "certificate": "clinic.certificate",
    "check": "engine_file.check",
    "compare": "clinic.comparing",
    "course_map": "course.course",
    "debug": "explaining.debugging",
    "done": "practice.done",
    "exam": "clinic.exam",
    "examine": "clinic.examine",
    "explain": "explaining.diagnosis",
    "explained": "engine_file.line_by_line",
    "folded": "course.folding",
    "glossary": "course.words",
    "gym": "practice.gym",
    "hints": "shelf.library",
    "identify": "doctor.identify",
    "in_pytorch": "course.alone",
    "keep": "engine_file.keeping",
    "my_engine": "engine_file.loading",
    "patient": "clinic.patients",
    "program": "clinic.listing",
    "progress": "shelf.progress",
    "quiz": "quizzes.questions",
    "read_engine": "engine_file.line_by_line",
    "recall": "quizzes.questions",
    "reset": "engine_file.keeping",
    "self_test": "course.selftest",
    "ward": "clinic.ward",
    "why": "explaining.why",
}

__all__ = sorted(PLACES)


def __getattr__(name):
    """Load a public name at its first use, so that lesson 00's self-test runs even with the wrong `autograd`."""
    if name not in PLACES:
        raise AttributeError(f"exercises has no {name!r}. It has: {', '.join(__all__)}.")
    if name != "self_test":
        importlib.import_module("exercises.course.selftest").demand()
    module = importlib.import_module(f"exercises.{PLACES[name]}")
    found = getattr(module, name, module)
    globals()[name] = found
    return found
