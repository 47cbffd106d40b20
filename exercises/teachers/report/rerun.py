"""Runs what a learner has handed in, and judges it: a process of its own for each file, with a time limit.

That process runs this module with FILE and OUT: it runs the learner's code, and writes what the checks say to OUT, as
JSON. What stands in a notebook as output is not read.
"""

import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from exercises.engine_file.parts import EXERCISES
from exercises.sandbox.guard import TimeUp, guarded
from exercises.sandbox.runner import environment, stop
from exercises.teachers.report.handed_in import KINDS, NOTEBOOK, File, Unreadable, code_in, regions_in
from exercises.verdicts.seen import NOT_YET, WRONG

SECONDS = 180.0  # for a file: lesson 09, the slowest, takes a tenth of it
A_CELL = 60.0  # seconds for one cell of a notebook: then the next ones still have their turn


def judged(file: File, seconds=SECONDS):
    """({exercise: what the check says}, "") of a file, run in another process; ({}, why) where that came to nothing.

    What the check says is {"state", "says", "mistakes": [[name, where it is treated]]}.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        out = Path(folder) / "verdicts.json"
        command = [sys.executable, "-m", "exercises.teachers.report.rerun", str(file.path.resolve()), str(out)]
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment(folder),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # with what the learner's code starts
        )
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            return {}, f"it had not ended after {seconds:g} seconds, and was stopped"
        finally:
            stop(process)
        try:
            found = json.loads(out.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}, "it ended Python before it could be judged"
    return found["verdicts"], found["fault"]


# In the process of its own


def main(path, out):
    """Judge one file and write what came of it."""
    verdicts, fault = {}, ""
    try:
        verdicts = dict(of_notebook(path) if KINDS[path.suffix] == NOTEBOOK else of_engine(path))
    except Unreadable as why:
        fault = str(why)
    out.write_text(json.dumps({"verdicts": verdicts, "fault": fault}), encoding="utf-8")


def of_engine(path):
    """Yield (exercise, what the check says) for each part of a `my_engine.py` that is a learner's."""
    from exercises.engine_file import check, trial

    regions = regions_in(path)
    names, broken = trial.build(regions, path)
    for part in (part for part in EXERCISES if part.name in regions):
        if part.name in broken:
            yield part.name, {"state": WRONG, "says": f"It cannot be run: {broken[part.name]}.", "mistakes": []}
        else:
            yield part.name, plain(check.judge(part.name, *(names[each] for each in part.gives)))


def of_notebook(path):
    """Yield (exercise, what the check says) for each exercise of a notebook, after all of its cells were run."""
    code, there = code_in(path)
    shell = new_shell()
    for text in code:
        if not is_a_check(text, there):  # it comes below, once
            run(shell, text)
    from exercises.engine_file import check

    for name in there:
        judge = getattr(check, name)
        if all(wanted in shell.user_ns for wanted in judge.takes):
            yield name, plain(judge(*(shell.user_ns[wanted] for wanted in judge.takes)))
        else:
            yield name, {"state": NOT_YET, "says": "", "mistakes": []}


def is_a_check(text, there):
    """Whether a cell is the check of one of these exercises, and nothing else."""
    found = re.fullmatch(r"check\.(\w+)\([^()]*\)", text.strip())
    return bool(found) and found[1] in there


def new_shell():
    """An IPython without a history file, in which cells run as in a notebook; begun before the course is loaded."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    return InteractiveShell.instance(config=Config(HistoryManager={"enabled": False}))


def run(shell, text):
    """Run a cell, and show nothing: what it raises, or how long it takes, keeps no other cell from its turn."""
    with contextlib.suppress(TimeUp):
        guarded(lambda: shell.run_cell(text, silent=True), A_CELL, A_CELL)


def plain(verdict):
    """A Verdict as plain data. Only what gives everything that was seen counts as the mistake."""
    named = verdict.mistakes if verdict.is_whole else ()
    where = [f"lesson {mistake.lesson}, “{mistake.section}”" if mistake.lesson else "" for mistake in named]
    mistakes = [[mistake.name, place] for mistake, place in zip(named, where)]
    return {"state": verdict.state, "says": " ".join(verdict.says), "mistakes": mistakes}


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
    os._exit(0)  # whatever threads the learner's code has left
