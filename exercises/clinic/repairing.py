"""All effects of a repair on a program: on the instruments' readings, on each step, on the rows of the test."""

from dataclasses import dataclass

import numpy as np

from exercises.clinic.instruments import DIALS, INSTRUMENTS
from exercises.clinic.numbers import rounded, size
from exercises.clinic.patients import Patient, unhealthy
from exercises.clinic.readings import reading

MORE = 0.05  # of the training data: a repair that helps gets at least so much more of it right
STEPS, NEAR = 4, 1e-3  # steps of training that are checked; the share of a step that may differ
TITLES = {"step": "a step of training", "epoch": "rows of an epoch", "apart": "rows of the test"}  # besides the dials


@dataclass(frozen=True)
class Repair:
    """The result of a repair.

    left: dials, or names of TITLES, that still read wrong. before: those that did without it.
    says: a sentence for each in `left`. learns: whether it has learned, or clearly more than before.
    """

    left: tuple
    before: tuple
    learns: bool
    learned_before: bool
    says: tuple

    @property
    def is_right(self):
        """True if all instruments read as they would without the fault."""
        return not self.left

    @property
    def hides(self):
        """True if it learns more than before, although something is still wrong."""
        return bool(self.left) and self.learns and not self.learned_before


def without_fault(patient):
    """Return a healthy Patient that is the same program, with the same settings and seed."""
    return Patient(None, patient.seed, patient.settings, patient.engine, task=patient.program.task)


def repair(patient, program, twin=None):
    """Return a generator that runs all instruments on a repaired program of a patient, and returns the Repair.

    twin: the patient `without_fault`, if there is one already; its readings are used and kept.
    """
    twin, now = twin or without_fault(patient), {}
    usual = yield from all_words(twin)
    for name, instrument in INSTRUMENTS.items():
        now[name] = yield from reading(program, instrument)
    words = {dial: word for each in now.values() for dial, word in each.words.items()}
    dials, others = unhealthy(words, usual), beyond_dials(program, twin)
    says = tuple(dict.fromkeys([*(repr(now[DIALS[dial][0].name]) for dial in dials), *others.values()]))
    before = yield from all_words(patient)
    was = (*unhealthy(before, usual), *beyond_dials(patient.program, twin))
    could = patient.readings["answers"].numbers["train"]
    learns = words["ability"] == "learned" or now["answers"].numbers["train"] > could + MORE
    return Repair((*dials, *others), was, learns, before["ability"] == "learned", says)


def all_words(patient):
    for name in INSTRUMENTS:
        yield from patient.reading(name)
    return patient.words()


def title(name):
    return TITLES.get(name) or DIALS[name][1].title


def beyond_dials(program, twin):
    """Return {name: sentence} of faults in a program that no dial shows. twin: the Patient without its fault."""
    with np.errstate(all="ignore"):
        found = {"step": of_steps(program, twin), "epoch": of_epoch(program), "apart": of_rows(program)}
    return {name: said for name, said in found.items() if said}


def of_steps(program, twin):
    """Return a sentence if a step of training is not the rate times its loss's gradient; else ""."""
    rate = twin.program.begin().optimizer.lr
    for moves, slopes in steps(program):
        promised = size(*slopes) * rate
        share = -sum(float((m * g).sum()) for m, g in zip(moves, slopes)) * rate / promised**2 if promised else 1.0
        rest = size(*(m + share * rate * g for m, g in zip(moves, slopes))) / (promised or 1.0)
        if not abs(share - 1) < NEAR:
            return f"A step of training moves {share:.4g} times the rate times its gradient."
        if not rest < NEAR:
            return f"In a step of training there is more than its own gradient: {rounded(rest)} times as much."
    return ""


def steps(program):
    """Yield (the moves of a step, the gradient of its loss alone) of the first steps of a training, as lists."""
    run, count = program.begin(), 0
    for x, y in run.program.batches(run.x, run.y, run.rng):
        if (count := count + 1) > STEPS:
            return
        start, held = [p.data.copy() for p in run.parameters], [p.grad for p in run.parameters]
        run.clear()
        run.program.loss(run.layers, x, y).backward()
        slopes = run.gradients()
        for p, grad in zip(run.parameters, held):
            p.grad = grad
        run.step(x, y)
        yield [p.data - old for p, old in zip(run.parameters, start)], slopes


def of_epoch(program):
    """Return a sentence if the batches of an epoch leave out as many rows as a batch has, or more; else ""."""
    run = program.begin()
    used, count = sum(len(y) for _, y in program.batches(run.x, run.y, run.rng)), len(run.y)
    return f"The batches of an epoch use {used:,} of {count:,} rows." if count - used >= program.BATCH else ""


def of_rows(program):
    """Return a sentence if rows of the test, changed or not, are in the training data; else "".

    The digits' labels are replaced by the numbers of their rows. If a program cannot take that, the answer is "".
    """
    usual = program.names["load_digits"]
    x, labels, test_x, test_labels = usual()
    first, last = len(labels), len(labels) + len(test_labels)
    program.names["load_digits"] = lambda: type(usual())(x, np.arange(first), test_x, np.arange(first, last))
    try:
        _, learned, _, tested = program.data()
        shared = int(np.isin(tested, learned).sum()) if np.issubdtype(np.asarray(learned).dtype, np.integer) else 0
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return ""
    finally:
        program.names["load_digits"] = usual
    return f"{shared} of {len(tested)} test rows are among the training rows, or made from them." if shared else ""
