"""Judges the observations of a hand-in, in a process that begins when the one that ran it has ended.

Only data arrive, and their word counts for nothing. A pass is confirmed if every number and text is what the check,
run here on the course's solution with the same seed, expects. If the answer is a number, a list or a text, the check
runs here on it; if its tests depend on the answer, on a stand-in that replays it. A state is decided before anything
made from a learner's text runs, which only finds out which mistake it is.
"""

import os
import re

from exercises.content import library
from exercises.sandbox import supervisor
from exercises.sandbox.guard import AnswerError, NotAttempted, TimeUp, run_guarded
from exercises.teachers.report import serialization
from exercises.teachers.report.replaying import Replayed
from exercises.teachers.report.serialization import InvalidData
from exercises.verdicts.results import PASSED, WRONG, equal_results, matches

DOUBT = "not confirmed"
SAYS = "It claims to be right, but what was observed does not confirm that. Read the code."
LONG = 900.0  # seconds for a check on the course's solution, which needs a hundredth of it


def main():
    """Judge the observations that this process received."""
    given, tell = supervisor.begin_child()
    from exercises.engine_file import check

    found, states = {}, {}
    for name, data in given["observed"].items():
        checked = getattr(check, name)
        try:
            found[name] = serialization.unpack_observation(name, data)
        except (InvalidData, RecursionError):
            states[name] = DOUBT
            continue
        states[name] = judged_state(checked, found[name], data, given["lines"])
    tell({"states": states})
    for name, state in states.items():
        says, mistakes = (SAYS if state == DOUBT else found[name].said), []
        if state == WRONG:
            verdict = getattr(check, name).verdict(found[name])
            says, mistakes = " ".join(verdict.says), mistakes_of(verdict)
        tell({"exercise": name, "says": says, "mistakes": mistakes})


def mistakes_of(verdict):
    """Return [[name, where it is treated]] of a Verdict. Only a mistake that explains everything counts."""
    named = verdict.mistakes if verdict.is_whole else ()
    where = [f"lesson {mistake.lesson}, “{mistake.section}”" if mistake.lesson else "" for mistake in named]
    return [[mistake.name, place] for mistake, place in zip(named, where)]


def judged_state(check, found, data, lines):
    """Return the state of an answer; DOUBT if its data do not fit together."""
    try:
        return state_of(check, found, data, lines)
    except (InvalidData, RecursionError):
        return DOUBT


def state_of(check, found, data, lines):
    """Return the reported state of an answer, or DOUBT for a pass that nothing confirms."""
    if found.state != PASSED:
        return found.state
    if "answers" in data and check.determinism != "calls":
        answers = serialization.unpack(data["answers"])
        fits = isinstance(answers, list) and len(answers) == len(check.takes)
        return PASSED if fits and check.observe(*answers).state == PASSED else DOUBT
    seeds = [(0, found.tests)]
    if check.wants_seed and found.source and (found.seed or check.determinism != "once"):
        is_theirs = set(map(str.strip, found.source.splitlines())) <= {"", *lines}
        if not is_theirs or found.seed != check.seed_of(found.source):
            return DOUBT
        seeds.append((found.seed, found.unseen))
    if check.determinism == "calls":
        stand_ins = [Replayed(calls) for calls in serialization.check_list(data.get("calls"))]
        fine = len(stand_ins) == len(check.takes) and all(passes(check, stand_ins, seed) for seed, _ in seeds)
    else:
        fine = all(is_borne_out(check, tests, seed) for seed, tests in seeds)
    return PASSED if fine else DOUBT


def passes(check, answers, seed):
    """Run the tests of a seed here; return whether these answers pass them all."""
    tests = run(check, answers, seed)
    return bool(tests) and all(test.is_right for test in tests)


def is_borne_out(check, tests, seed):
    """Return whether the results of these tests are what the check expects of the course's solution with this seed."""
    right, own = reference(check, seed), check.determinism == "own"
    least = 1 if own else len(right) - (check.determinism == "fewer")
    if not right or len(tests) < least or any(test.ended for test in tests):
        return False
    if own:
        rows = {strip_numbers(row[0]): row for test in right for row in test.rows}
        asked_for = {what for what, row in rows.items() if callable(row[-1])}
        if not asked_for <= {strip_numbers(row[0]) for test in tests for row in test.rows}:
            return False
        return all(holds_of_its_own(row, rows.get(strip_numbers(row[0]))) for test in tests for row in test.rows)
    for test, other in zip(tests, right):
        if len(test.rows) != len(other.rows) or not all(map(holds, test.rows, other.rows)):
            return False
    return all(matches(row) for test in tests[len(right) :] for row in test.rows)


def reference(check, seed):
    return run(check, check.answers(library.solution(check.name).code), seed)


def run(check, answers, seed):
    """Run the tests of answers; return [] if they do not end."""
    try:
        return run_guarded(lambda: list(check.tests(answers, seed)), LONG, LONG)
    except (TimeUp, AnswerError, NotAttempted):
        return []


def holds(row, right):
    """Return whether a row's result is accepted, compared with the same row of the course's solution."""
    if row[0] != right[0]:
        return False
    if len(right) == 3:
        return is_same_data(row[2], right[1])
    return asked(right[3], row[2]) if callable(right[3]) else is_same_data(row[2], right[2])


def holds_of_its_own(row, right):
    """Judge a row of a test that differs for every answer: the expected value came with it."""
    if right is not None and len(right) == 4 and callable(right[3]):
        return asked(right[3], row[2])
    return matches(row)


def asked(will_do, got):
    """Return whether a check's function accepts a result, which may be anything."""
    try:
        return bool(will_do(got))
    except Exception:
        return False


def is_same_data(got, expected):
    """Return whether two pieces of plain data are the same; a number written as text counts as a number."""
    return equal_results(got, expected) or (
        as_number(got) is not None and equal_results(as_number(got), as_number(expected))
    )


def as_number(thing):
    """Return a number, or the number that a text represents; None for anything else."""
    try:
        return float(thing) if isinstance(thing, int | float | str) and not isinstance(thing, bool) else None
    except (ValueError, OverflowError):
        return None


def strip_numbers(what):
    """Return the words of a row without their numbers."""
    return re.sub(r"[\d.,]+", "#", what)


if __name__ == "__main__":
    main()
    os._exit(0)
