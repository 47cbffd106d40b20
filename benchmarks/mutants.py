"""Find the mutants of the solutions that the checks accept: `python -m benchmarks.mutants`, or with exercises' names.

A mutant is a solution with one change: another operator, constant or name, a missing line, a negated condition; a cast,
a limit, a fixed size, a missing copy. The check must refuse it; if it does the same as the solution, it is in
equivalent_mutants.toml, with a reason.
"""

import functools
import multiprocessing
import os
import sys
import tempfile
import tomllib
from pathlib import Path

from benchmarks.operators import more
from exercises.content import library
from exercises.engine_file import check
from exercises.explaining.mutations import all_mutations
from exercises.sandbox import guard

EQUIVALENT = Path(__file__).with_name("equivalent_mutants.toml")
SECONDS = 0.6  # of work, after which a mutant counts as one that never ends


@functools.cache
def mutants(exercise):
    """Return the mutants of an exercise's solution: Slips."""
    return all_mutations(library.solution(exercise).code, more)


def survives(exercise, mutant):
    """Return whether the check accepts a mutant."""
    checked = getattr(check, exercise)
    try:
        answers = checked.answers(mutant.code)
    except Exception:
        return False
    return bool(checked.judge(*answers, compares=False))


@functools.cache
def equivalent():
    """Return {exercise: {change: reason}} of the mutants that do what the solution does; "*" if any may."""
    with EQUIVALENT.open("rb") as file:
        return tomllib.load(file)


def survivors(exercise):
    """Return (exercise, number of mutants, those that the check accepts)."""
    guard.SECONDS = SECONDS
    made = mutants(exercise)
    return exercise, len(made), [mutant for mutant in made if survives(exercise, mutant)]


def main(names):
    """Print for each exercise how many mutants are refused, and each that is not and should be."""
    for name in ("BACKPROP_DATA_DIR", "BACKPROP_ENGINE_DIR"):
        os.environ[name] = tempfile.mkdtemp()
    fine, known = True, equivalent()
    with multiprocessing.Pool() as pool:
        for exercise, count, left in pool.imap(survivors, names or list(check.LESSON_OF)):
            same = known.get(exercise, {})
            new = [mutant for mutant in left if "*" not in same and mutant.change not in same]
            gone = set(same) - {"*", *(mutant.change for mutant in left)}
            print(f"{exercise:22}{count:6} mutants, {len(left) - len(new)} equivalent, {len(new)} accepted", flush=True)
            for mutant in new:
                print(f"    {mutant.change}", flush=True)
            for change in gone:
                print(f"    in the list, but refused or not made: {change}", flush=True)
            fine = fine and not new and not gone
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
