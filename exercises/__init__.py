"""The exercises: checks that name the mistake behind an answer, hints, quizzes, recall, and a learner's progress.

The rooms, and the others that each may import from; a test compares the imports with this table:

    authors      `new` exercises, and what one lacks          → explaining, engine_file, content
    teachers     hand-ins of a class, nbgrader, the tutor     → engine_file, verdicts, sandbox, storage, content
    course       map, glossary, folded cells, installation    → doctor, engine_file, quizzes, storage, content
    tasks        one folder per exercise: check and texts     → clinic, judging, engines, engine_file, verdicts,
                                                                sandbox, content
    clinic       faulty programs, instruments, the exam       → practice, judging, engines, engine_file, verdicts,
                                                                sandbox, storage, content
    practice     the gym, the end of an evening, empty pages  → doctor, explaining, engines, engine_file, verdicts,
                                                                quizzes, sandbox, storage, content
    judging      how an answer is judged                      → explaining, engines, engine_file, verdicts, sandbox,
                                                                storage, content
    doctor       judges an engine: a class, or any file       → explaining, verdicts, sandbox, content
    explaining   why an answer or an engine is wrong          → engines, engine_file, verdicts, sandbox, storage,
                                                                content
    engines      the wrong engines                            → engine_file, content
    engine_file  the learner's my_engine.py; loads checks     → verdicts, sandbox, storage, content
    verdicts     cases, observations, Verdicts                → content
    quizzes      quizzes and recall                           → storage, content
    sandbox      where a learner's code runs                  → none
    storage      progress and files of a learner              → content
    content      lessons, solutions, known mistakes           → none
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
    "explain": "explaining.hand_errors",
    "explained": "engine_file.line_by_line",
    "folded": "course.details",
    "glossary": "course.glossary",
    "gym": "practice.gym",
    "hints": "content.library",
    "identify": "doctor.identify",
    "in_pytorch": "course.torch_only",
    "keep": "engine_file.saving",
    "my_engine": "engine_file.loading",
    "patient": "clinic.patients",
    "program": "clinic.code_view",
    "progress": "storage.progress",
    "quiz": "quizzes.questions",
    "read_engine": "engine_file.line_by_line",
    "recall": "quizzes.questions",
    "reset": "engine_file.saving",
    "self_test": "course.selftest",
    "ward": "clinic.ward",
    "watch": "clinic.watch",
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
