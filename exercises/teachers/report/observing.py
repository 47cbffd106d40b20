"""Runs what a learner has handed in, in a separate process, and reports observations: data, and no verdicts.

The checks are loaded before any learner's line runs, and restored before each answer. `judging.py` tests the report as
far as possible, once this process and all that it has started have ended.
"""

import os
import re
from pathlib import Path

from exercises.sandbox import supervisor
from exercises.sandbox.guard import TimeUp, run_guarded
from exercises.teachers.report.handed_in import NOTEBOOK
from exercises.teachers.report.replaying import Recorded
from exercises.teachers.report.serialization import is_plain, pack, pack_observation
from exercises.verdicts.results import Observation

AS_LOADED = {}  # {check: its attributes before any learner's line runs}
LOOP, MEMORY = "a loop", "memory"  # why a cell was stopped


def main():
    """Observe what this process received."""
    given, tell = supervisor.begin_child()
    if given["kind"] == NOTEBOOK:
        of_notebook(given["code"], given["there"], given["a_cell"], tell)
    else:
        of_engine(given["code"], given["there"], given["path"], tell)
    tell({"end": True})


def loaded(names):
    """Load the checks as {name: check}, protect the package and limit this process."""
    from exercises.engine_file import check
    from exercises.sandbox import isolation

    checks = {name: getattr(check, name) for name in names}
    for each in checks.values():
        AS_LOADED[each] = dict(vars(each))
    isolation.freeze_course()
    supervisor.limit_resources()
    return checks


def of_engine(code, there, path, tell):
    """Report what is observed of each part of a `my_engine.py` that is the learner's."""
    checks = loaded(there)
    from exercises.engine_file import trial
    from exercises.engine_file.places import slots_of
    from exercises.engine_file.sources import Sources

    tell({"at": "the file itself"})
    engine, broken = trial.build(Sources.from_texts(code, {}), Path(path))
    for name in there:
        tell({"at": f"the check of {name}"})
        why = next((why for (_, slot), why in broken.items() if slot in slots_of(name)), "")
        if why:
            tell({"exercise": name, "broken": str(why)})
        else:
            tell(observed(checks[name], trial.answers_of(name, engine.names), alone=False))


def of_notebook(code, there, a_cell, tell):
    """Report what is observed of each exercise of a notebook, after running all of its cells."""
    shell = new_shell()  # begun before the course is loaded
    checks = loaded(there)
    for i, text in enumerate(code):
        if not is_a_check(text, there):  # run below, once
            tell({"at": f"cell {i + 1} of its code", "cell": i})
            if why := run(shell, text, a_cell):
                tell({"cell": i, "stopped": why})
    for name in there:
        check = checks[name]
        if all(wanted in shell.user_ns for wanted in check.takes):
            tell({"at": f"the check of {name}"})
            tell(observed(check, [shell.user_ns[wanted] for wanted in check.takes]))
        else:
            tell({"exercise": name, "missing": True})


def observed(check, answers, alone=True):
    """Return what is observed of an answer, and the answer itself if it is nothing but plain data."""
    from exercises.engine_file import cells, parts
    from exercises.sandbox import isolation

    if held := AS_LOADED.get(check):
        vars(check).clear()
        vars(check).update(held)
    answers = check.in_order(answers, {})
    if not isinstance(answers, list):  # there is nothing to try
        found = Observation(check.name, "", answers.state, said=" ".join(answers.says))
        return {"exercise": check.name, **pack_observation(found)}
    with isolation.preserved_state():
        grown = (
            cells.rerun_in_clean_namespace(answers, parts.engine_namespace(check.name))
            if alone and check.is_part
            else None
        )
        return tried(check, list(grown or answers))


def tried(check, answers):
    """Return what is observed of these answers: the tests, and data to repeat them where they are judged."""
    from exercises.sandbox import isolation

    if is_replayed := check.determinism == "calls" and all(map(callable, answers)):
        answers = [*map(Recorded, answers)]
    found = check.observe(*answers)
    isolation.restore()  # undoes the answer's last changes
    data = {"exercise": check.name, **pack_observation(found, check.determinism)}
    if is_replayed:
        return data | {"calls": [each.calls for each in answers]}
    return data | {"answers": pack(answers)} if is_plain(answers) else data


def is_a_check(text, there):
    """Return whether a cell is the check of one of these exercises, and nothing else."""
    found = re.fullmatch(r"check\.(\w+)\([^()]*\)", text.strip())
    return bool(found) and found[1] in there


def new_shell():
    """Return an IPython shell without a history file, in which cells run as in a notebook."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    return InteractiveShell.instance(config=Config(HistoryManager={"enabled": False}))


def run(shell, text, seconds):
    """Run a cell without showing anything; return why it was stopped, or "". Later cells still run."""
    try:
        found = run_guarded(lambda: shell.run_cell(text, silent=True), seconds, seconds)
        faults = found.error_in_exec, found.error_before_exec  # the latter: stopped again during the first
        if any(isinstance(fault, TimeUp) for fault in faults):
            return LOOP
        return MEMORY if isinstance(faults[0], MemoryError) else ""
    except Exception:  # a text that IPython itself rejects
        return ""
    except BaseException:  # raised again, for a loop that swallows the first TimeUp
        return LOOP


if __name__ == "__main__":
    main()
    os._exit(0)  # despite threads that the learner's code left behind
