"""Runs what a learner has handed in, and has it judged: two processes for each file, one after the other.

The first (`observing.py`) runs the learner's code, within limits of time, memory and processes. When it and all that it
has started have ended, the second (`judging.py`) gets the observations, as data. Saved outputs in a notebook are
ignored.
"""

import dataclasses
import json

from exercises.sandbox import supervisor
from exercises.teachers.report import serialization
from exercises.teachers.report.handed_in import ENGINE, Work
from exercises.verdicts.results import NOT_YET, PASSED, WRONG

SECONDS = 180.0  # for a file: the slowest notebook needs a tenth of it
A_CELL = 60.0  # seconds for one cell of a notebook, so that the next ones still run
LOOP, MEMORY, PROCESSES, LEFT, DOUBT = "a loop", "memory", "processes", "ended Python", "not confirmed"
WHY = {
    supervisor.TIME: LOOP,
    supervisor.MEMORY: MEMORY,
    supervisor.PROCESSES: PROCESSES,
    supervisor.EXIT: LEFT,
    "": LEFT,
}
JUDGING = 10  # judging may take this many times as long as running
UNJUDGED = "What was observed could not be judged completely. Run the report again for this submission."
GIGABYTES = supervisor.MEMORY_LIMIT // 2**30
STATES = (PASSED, WRONG, NOT_YET, DOUBT)


def judged(work: Work, seconds=SECONDS):
    """Return ({exercise: what the check reports}, why it ended early or "", whether it ran apart) of a Work.

    The check reports {"state", "says", "mistakes": [[name, where it is treated]]}. Apart: see `supervisor.Ended`.
    """
    a_cell = min(A_CELL, seconds / 3)
    given = dataclasses.asdict(work) | {"a_cell": a_cell}
    ended = supervisor.run("exercises.teachers.report.observing", json.dumps(given).encode(), seconds)
    pieces = serialization.read_lines(ended.written)
    told = {piece["exercise"]: piece for piece in reversed(pieces) if piece.get("exercise") in work.there}
    stopped = {piece["cell"]: piece["stopped"] for piece in pieces if is_stop(piece, work)}
    fault = ""
    if ended.why or not any(piece.get("end") is True for piece in pieces):
        places = [piece["at"] for piece in pieces if isinstance(piece.get("at"), str)]
        fault = sentence(ended, seconds, serialization.check_text(places[-1][:60]) if places else "")
    elif stopped:
        fault = of_cell(min(stopped), stopped[min(stopped)], a_cell)
    found = {}
    for name in work.there:
        piece = told.get(name)
        if piece is None:
            found[name] = (
                clean_report(WHY[ended.why], f"{fault[:1].upper()}{fault[1:]}.") if fault else clean_report(DOUBT)
            )
        elif isinstance(piece.get("broken"), str):
            found[name] = clean_report(WRONG, f"It cannot be run: {piece['broken'][:2000]}.")
        elif piece.get("missing") is True:
            found[name] = of_missing(stopped, work.cells.get(name), a_cell)
        elif piece.get("state") == NOT_YET:
            found[name] = clean_report(NOT_YET, piece.get("said"))
    observed = {name: piece for name, piece in told.items() if name not in found}
    if observed:
        found |= verdicts(observed, work, seconds)
    return {name: found[name] for name in work.there}, fault, ended.apart


def verdicts(observed, work, seconds):
    """Return the judging process's report on each observed exercise."""
    texts = [*work.code.values()] if work.kind == ENGINE else work.code
    lines = sorted({line.strip() for text in texts for line in text.splitlines()})
    given = json.dumps({"observed": observed, "lines": lines}).encode()
    pieces = serialization.read_lines(
        supervisor.run("exercises.teachers.report.judging", given, JUDGING * seconds).written
    )
    states = pieces[0].get("states", {}) if pieces else {}  # decided before any learner's code ran
    if not states:
        return {name: clean_report(DOUBT, UNJUDGED) for name in observed}
    later = {piece.get("exercise"): piece for piece in reversed(pieces[1:]) if isinstance(piece.get("exercise"), str)}
    found = {}
    for name in observed:
        state, more = states.get(name, DOUBT), later.get(name, {})
        says, mistakes = more.get("says", ""), more.get("mistakes", [])
        found[name] = clean_report(state if state in STATES else DOUBT, says, mistakes if state == WRONG else ())
    return found


def clean_report(state, says="", mistakes=()):
    """Return the report on an exercise, with everything but texts removed."""
    fine = isinstance(mistakes, list | tuple) and all(map(is_mistake, mistakes))
    return {"state": state, "says": says if isinstance(says, str) else "", "mistakes": list(mistakes) if fine else []}


def is_mistake(thing):
    return isinstance(thing, list) and len(thing) == 2 and all(isinstance(each, str) for each in thing)


def is_stop(piece, work):
    cell, why = piece.get("cell"), piece.get("stopped")
    return type(cell) is int and 0 <= cell < len(work.code) and why in (LOOP, MEMORY)


def of_missing(stopped, cell, seconds):
    """Return the report on an exercise whose cell gave no answer: why it, or another one, was stopped."""
    if not stopped:
        return clean_report(NOT_YET)
    place = cell if cell in stopped else min(stopped)
    return clean_report(stopped[place], f"C{of_cell(place, stopped[place], seconds)[1:]}.")


def of_cell(place, why, seconds):
    """Return a sentence on why a cell was stopped."""
    words = {
        LOOP: f"had not finished after {seconds:g} seconds, and was stopped: an endless loop",
        MEMORY: f"wanted more than {GIGABYTES} GB of memory",
    }
    return f"cell {place + 1} of its code {words[why]}"


def sentence(ended, seconds, place):
    """Return a sentence on how and where a process ended early."""
    where = f", in {place}" if place else ""
    signal = f"signal {-ended.code}" if ended.code < 0 else f"exit code {ended.code}"
    return {
        supervisor.TIME: f"it had not finished after {seconds:g} seconds, and was stopped{where}: an endless loop",
        supervisor.MEMORY: f"it wanted more than {GIGABYTES} GB of memory, and was stopped{where}",
        supervisor.PROCESSES: f"it started more than {supervisor.PROCESS_LIMIT} processes, and was stopped{where}",
    }.get(ended.why, f"it ended Python itself ({signal}){where}")
