"""Patients: a program with one fault, its owner's complaint, its readings, and the readings that rule out a cause."""

import functools
import random
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from exercises.clinic import pictures
from exercises.clinic.instruments import DIALS, INSTRUMENTS
from exercises.clinic.program import PACKAGE, Engine, TrainingProgram, healthy_parts
from exercises.clinic.readings import Readings, finished, reading
from exercises.engine_file.trial import template_engine

ENTRIES, COMPLAINTS = (Path(__file__).with_name(f"{name}.toml") for name in ("faults", "complaints"))
SIZES, RATES = (24, 32, 40, 48), (0.8, 1.0, 1.2)  # hidden units, and shares of the usual learning rate, of new patients
TRIES = 20  # draws of a new patient, until its readings leave one cause


@dataclass(frozen=True)
class Tempting:
    """A repair that hides a fault: its name, and the part that it changes, with its text."""

    name: str
    part: str
    code: str


@dataclass(frozen=True)
class Fault:
    """An entry of faults.toml, which explains the fields."""

    key: str
    cause: str
    part: str
    code: str
    complaints: list
    says: str
    shows: list
    mistaken_for: list
    tempting: Tempting
    expects: dict
    task: str
    settings: dict = field(default_factory=dict)
    seed: int = 3
    closures: bool = False

    def may(self, dial):
        """Return the words that a dial can read with this fault."""
        return self.expects.get(dial, DIALS[dial][1].healthy)


@functools.cache
def faults():
    """Return {key: Fault}, in the order of the file. An entry with `of` is another entry with different settings."""
    entries = tomllib.loads(ENTRIES.read_text(encoding="utf-8"))
    return {key: fault(key, **{**entries.get(entry.pop("of", ""), {}), **entry}) for key, entry in entries.items()}


def fault(key, **entry):
    """Return the Fault of an entry. ValueError if a field is missing or unknown, or a change changes nothing."""
    try:
        return made(key, **entry)
    except TypeError as odd:
        raise ValueError(f"The entry {key} of faults.toml does not have the fields of one: {odd}.") from odd


def made(key, *, part, tempting, task="digits", code="", change=(), **fields):
    """Return a Fault from the fields of its entry."""
    parts = healthy_parts(task)
    parts |= {part: (code or changed(key, parts[part], change)).strip()}

    def hides(name, *, part=part, code="", change=()):
        return Tempting(name, part, code.strip() or changed(key, parts[part], change))

    return Fault(key, part=part, code=parts[part], tempting=hides(**tempting), task=task, **fields)


def changed(key, code, change):
    """Return the text of a part after an entry's changes, {old: new}."""
    for old, new in dict(change).items():
        if old not in code:
            raise ValueError(f"The entry {key} of faults.toml changes {old!r}, which is not in its part:\n{code}")
        code = code.replace(old, new)
    return code


@functools.cache
def complaints():
    """Return {name: {"says": …, and for some "misleads": a key of faults}}: the owners' words, in file order."""
    return tomllib.loads(COMPLAINTS.read_text(encoding="utf-8"))


@functools.cache
def causes():
    """Return {cause: key} of all causes that can be named, in the order of the file."""
    found = {}
    for key, each in faults().items():
        found.setdefault(each.cause, key)
    return found


class Patient:
    """A program with a fault, or a healthy one, and what its instruments have read so far.

    fault: a Fault, or None. settings: HIDDEN, LR, … that differ from the task's. seed: for its weights and batches;
    None: the fault's usual one.
    engine: what it computes with; None: the package's, or the course's if the fault shows on closures only.
    """

    def __init__(self, fault=None, seed=None, settings=None, engine=None, name="", task="digits"):
        self.fault, self.name = fault, name
        self.seed = seed if seed is not None else fault.seed if fault else 3
        self.settings = {**(fault.settings if fault else {}), **(settings or {})}
        task = fault.task if fault else task
        self.engine = engine or (Engine.from_module(template_engine()) if fault and fault.closures else PACKAGE)
        self.complaint = drawn_complaint(fault, self.seed) if fault else ""
        changes = [fault.code] if fault else []
        self.program = TrainingProgram(task, changes, settings=self.settings, seed=self.seed, engine=self.engine)
        self.readings = {}

    def reading(self, name):
        """Return a generator that yields while an instrument works, and returns its Reading, which is kept."""
        if name not in self.readings:
            self.readings[name] = yield from reading(self.program, INSTRUMENTS[name])
        return self.readings[name]

    def read(self, *names):
        """Return the Reading of an instrument, by its name; of several, Readings."""
        found = [finished(self.reading(name)) for name in names]
        return found[0] if len(found) == 1 else Readings(found)

    def words(self, names=tuple(INSTRUMENTS)):
        """Return {dial: word} of some instruments."""
        return {dial: word for name in names for dial, word in self.read(name).words.items()}

    def __repr__(self):
        return f"{self.name or 'A patient'}. {pictures.complaint(self)}"

    def _repr_mimebundle_(self, include=None, exclude=None):
        return pictures.patient_bundle(self)

    @property
    def ruled_out(self):
        """{cause: (Reading, dial)} of the causes that a reading so far rules out, with the first that does."""
        found = {cause: speaks_against(self.readings.values(), cause) for cause in causes()}
        return {cause: reading for cause, reading in found.items() if reading}


def drawn_complaint(fault, seed):
    return complaints()[random.Random(f"{fault.key}, {seed}").choice(fault.complaints)]["says"]


def speaks_against(readings, cause):
    """Return (Reading, dial) of the first reading that no fault with this cause gives; None if there is none."""
    these = [each for each in faults().values() if each.cause == cause]
    for taken in readings:
        for dial, word in taken.words.items():
            if not any(word in each.may(dial) for each in these):
                return taken, dial
    return None


def speaking(patient, cause):
    """Return a generator that finds (Reading, dial) against a cause, reading on if need be; None if there is none."""
    for name in INSTRUMENTS:
        if found := speaks_against(patient.readings.values(), cause):
            return found
        yield from patient.reading(name)
    return speaks_against(patient.readings.values(), cause)


def against(patient, key):
    """Return (Reading, dial) against the cause of a fault, as `speaking` does, but at once."""
    return finished(speaking(patient, faults()[key].cause))


def sentence(key, found):
    """Return a sentence on why a reading speaks against a cause."""
    (taken, dial), fault = found, faults()[key]
    expected, (instrument, this) = " or ".join(f"“{taken.shown(word)}”" for word in fault.may(dial)), DIALS[dial]
    return (
        f"If {fault.cause}, then {instrument.title}, {this.title}, would read {expected}. It reads "
        f"“{taken.shown(taken.words[dial])}”. {taken.says}"
    )


def is_cause(patient, key):
    """Return whether a fault's cause is what is wrong with a patient; the same cause under other settings counts."""
    return patient.fault is not None and faults()[key].cause == patient.fault.cause


def consistent(words, among=None):
    """Return the keys of the faults, of all or of those in `among`, that give these words, {dial: word}."""
    return [key for key in among or faults() if all(word in faults()[key].may(dial) for dial, word in words.items())]


def unhealthy(words, twin=None):
    """Return the dials whose word in {dial: word} neither a healthy program nor the patient's healthy twin gives."""
    return [
        dial for dial, word in words.items() if word not in DIALS[dial][1].healthy and word != (twin or {}).get(dial)
    ]


def generate(rng, keys=None, among=None):
    """Return a Patient with a fault drawn from `keys` (all, if None), and with its own sizes, rate and seed.

    Draw until its readings leave one cause `among` some (all, if None), the right one; after TRIES draws, take the
    last. rng: random.Random. All its readings are taken, which needs about a second per draw.
    """
    chosen = faults()[rng.choice(list(keys or faults()))]
    usual = chosen.settings.get("LR", TrainingProgram(chosen.task).LR)
    for _ in range(TRIES):
        rate = usual * rng.choice(RATES)
        patient = Patient(chosen, settings={"HIDDEN": rng.choice(SIZES), "LR": rate}, seed=rng.randrange(100))
        if {faults()[each].cause for each in consistent(patient.words(), among)} == {chosen.cause}:
            break
    return patient


def one_drawn(seed, place, keys=None, among=None):
    """Return the Patient at a place, from 0, in the list of patients with different causes that a seed makes.

    among: the keys of all faults in the edition that it is drawn from.
    """
    keys = keys or drawable(among)
    found = generate(random.Random(f"{seed}, {place}"), [shuffled(seed, keys)[place]], among)
    found.complaint = said_by_owner(seed, place, keys)
    return found


def drawable(among):
    return among and [key for key in causes().values() if key in among]


def table():
    """Return {key: all that a draw depends on} of the faults, for their edition."""
    kept = ("cause", "part", "code", "complaints", "expects", "task", "settings", "seed", "closures")
    return {key: [getattr(each, name) for name in kept] for key, each in faults().items()}


def said_by_owner(seed, place, keys=None):
    """Return the complaint of that Patient's owner, without taking its readings."""
    return drawn_complaint(faults()[shuffled(seed, keys)[place]], f"{seed}, {place}")


def shuffled(seed, keys=None):
    """Return the keys of faults with different causes, in an order made from a seed."""
    names = list(keys or causes().values())
    random.Random(seed).shuffle(names)
    return names


LESSON = {  # the owners' complaints, by difficulty; only the first, which the lesson works through, is out of order
    "old_parameters": "tidied",
    "sorted_rows": "new_rows",
    "missing_value": "no_better",
    "detached": "less",
    "broadcast_target": "larger",
    "leakage": "users",
    "no_zero": "worse",
    "softmax_twice": "better_elsewhere",
}
UNTOLD = {"A": "tiny_rate", "B": "old_parameters", "C": "all_zero"}  # three of the lesson; the names give nothing away


def patient(number, engine=None):
    """Return a new patient of the ward.

    number: 1, which the workshop works through, or 2 to 8; "A", "B" or "C", whose loss stands still; "healthy";
    or a fault's key.
    engine: what it computes with, a module with Tensor and softmax_cross_entropy, such as a learner's my_engine.

    Raise ValueError or TypeError if there is no such patient, or no such engine.
    """
    if engine is not None:
        lacking = [name for name in ("Tensor", "softmax_cross_entropy") if not hasattr(engine, name)]
        if lacking:
            raise TypeError(f"a patient's engine has Tensor and softmax_cross_entropy; this one has no {lacking[0]}.")
        engine = Engine.from_module(engine)
    if isinstance(number, str) and number in UNTOLD:
        return Patient(faults()[UNTOLD[number]], engine=engine, name=f"Program {number}")
    if isinstance(number, str) and number in faults():
        return Patient(faults()[number], engine=engine, name="A patient")
    return of_lesson(number, engine)


def of_lesson(number, engine=None):
    """Return a patient of the ward, by its number or "healthy". Raise ValueError or TypeError if there is none."""
    if number == "healthy":
        return Patient(engine=engine, name="The healthy program")
    if isinstance(number, bool) or not isinstance(number, int):
        raise TypeError(f'patient takes a number from 1 to {len(LESSON)}, or "healthy"; got {number!r}.')
    if not 1 <= number <= len(LESSON):
        raise ValueError(f'patients are numbered from 1 to {len(LESSON)}; got {number}. "healthy" is one, too.')
    key, says = [*LESSON.items()][number - 1]
    found = Patient(faults()[key], engine=engine, name=f"Patient {number}")
    found.complaint = complaints()[says]["says"]
    return found
