"""The answers of a learner to the exam, in the progress file; and the `Sheet` that a certificate is drawn from.

The entry "exam" is {"seed": 7, "begun": 2, "edition": ["27-3fa9c01b", …],
"1": {"seed": 7, "suspected": "…", "taken": ["kept"], "named": "…", "cause": "…", "right": true}, …,
"tests": {"seed": 7, "caught": [["M1", "H2"], …], "given": [["lambda a: …", [2.0]], …], "day": "2026-01-31"},
"questions": {"seed": 7, "1": [true, "-6"], …}}.
Anything of another seed or another shape is ignored.
"""

import datetime
import functools
import hashlib
import json
import random
from dataclasses import dataclass

from exercises.clinic.instruments import INSTRUMENTS, MINUTES
from exercises.clinic.patients import faults, table
from exercises.engines.wrong_engines import HELD_OUT, HUNT, WRONG_ENGINES
from exercises.judging.matrices import KillMatrix, Scalars
from exercises.practice.edition import Changed, edition, keys_of
from exercises.practice.questions import question
from exercises.storage import progress

SEEDS = 1_000_000  # of exams, from 0
PATIENTS, MOST = 5, 6  # patients; tests that are handed in
LONGEST = 200  # characters of a suspicion
FIRST = ["27-c4c3fff1", "32-2c061e96", "24-646900a3"]  # the editions of exams so old that they name none
REWORDED = {"27-c4c3fff1": "27-81666090", "28-67890ea0": "28-6b4bbd33", "24-646900a3": "24-f3162442"}  # same draws
LEVELS = (3, 4, 5, 6, 7, 8, 8, 9, 10, 10)  # the levels of the third part's questions


class ExamEngines(Scalars):
    """The wrong engines that an exam runs the tests on."""

    wrong = (*WRONG_ENGINES, *HELD_OUT)
    takes = "exam.tests({})"


class EarlierExamEngines(ExamEngines):
    """The wrong engines of older exams, from the time when H1 to H12 were held out; the bug hunt shows them now."""

    wrong = (*WRONG_ENGINES, *(wrong for wrong in HUNT if wrong.id.startswith("H")))


@dataclass(frozen=True)
class Case:
    """A learner's progress with a patient. suspected: in their own words. named, cause: keys of faults."""

    number: int
    taken: tuple = ()
    named: str = ""
    cause: str = ""
    right: bool = False
    suspected: str = ""

    @property
    def minutes(self):
        """The minutes that are left."""
        return MINUTES - len(self.taken)

    @property
    def state(self):
        """The progress in words."""
        if self.named:
            return "✓ diagnosed" if self.right else "✗ named the wrong cause"
        return f"{self.minutes} of {MINUTES} minutes left"


def begin(anew=False):
    """Draw a seed if there is none, or if a new exam is wanted."""
    if anew or kept_seed() is None:
        progress.note("exam", "begun", (begun() or 0) + 1)
        progress.note("exam", "edition", editions())
        progress.note("exam", "seed", random.SystemRandom().randrange(SEEDS))


def tables():
    """Return the tables that an exam is drawn from: faults, wrong engines, and a sample of the questions."""
    return table(), ids(ExamEngines), sample()


def ids(family):
    return {wrong.id: "" for wrong in family.wrong}


@functools.cache
def families():
    """Return {edition: family} of the wrong engines that exams have been drawn with."""
    return {edition(ids(family)): family for family in (ExamEngines, EarlierExamEngines)}


def exam_engines(editions):
    """Return the wrong engines of an exam of these editions; of an old file without any, those of FIRST."""
    return families()[(editions or FIRST)[1]]


def kept_engines():
    """Return the family of wrong engines of the current exam; the newest if its edition is not known."""
    try:
        return exam_engines(progress.noted("exam").get("edition"))
    except (LookupError, TypeError):
        return ExamEngines


@functools.cache
def sample():
    """Return {level and seed: what is asked} for a few questions: they tell one edition of the gym from another."""
    made = {f"{level} {i}": question(level, f"edition {i}") for level in sorted(set(LEVELS)) for i in range(3)}
    return {key: [each.code, each.says, len(each.wrong)] for key, each in made.items()}


def editions():
    return [*map(edition, tables())]


def drawn_from(found):
    """Return the keys of the faults that an exam with these editions was drawn from; None, of an old file, means FIRST.

    Raise Changed, with a sentence, if the exam's original questions cannot be judged.
    """
    found = FIRST if found is None else found
    now = tables()
    if not isinstance(found, list) or len(found) != len(now):
        raise Changed(f"edition is a list of {len(now)} strings; got {found!r:.60}.")
    found = [REWORDED.get(each, each) if isinstance(each, str) else each for each in found]
    if isinstance(found[1], str) and found[1] in families():
        now = now[0], ids(families()[found[1]]), now[2]
    what = "This exam"
    keys = keys_of(now[0], found[0], what)
    for there, then in zip(now[1:], found[1:]):
        if len(keys_of(there, then, what)) < len(there):
            raise Changed(
                f"{what} is from an edition ({then}) with fewer wrong engines or questions than there are now."
            )
    return keys


def kept_edition():
    """Return the keys of the faults that the current exam was drawn from; raise Changed if it cannot go on."""
    return drawn_from(progress.noted("exam").get("edition"))


def kept_seed():
    """Return the seed of the current exam; None if none has begun."""
    found = progress.noted("exam").get("seed")
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def begun():
    """Return how many exams were begun, by the progress file; None if it does not say."""
    found = progress.noted("exam").get("begun")
    return found if isinstance(found, int) and not isinstance(found, bool) and found > 0 else None


def entry(name):
    """Return what the progress file holds under a name for this exam, {} if nothing."""
    found = progress.noted("exam").get(name)
    return found if isinstance(found, dict) and found.get("seed") == kept_seed() else {}


def case(number):
    found = entry(str(number))
    taken = found.get("taken") if isinstance(found.get("taken"), list) else []
    taken = tuple(dict.fromkeys(name for name in taken if isinstance(name, str) and name in INSTRUMENTS))[:MINUTES]
    named, cause, thought = found.get("named"), found.get("cause"), found.get("suspected")
    thought = thought[:LONGEST] if isinstance(thought, str) else ""
    if not all(isinstance(key, str) and key in faults() for key in (named, cause)):
        return Case(number, taken, suspected=thought)
    return Case(number, taken, named, cause, found.get("right") is True, thought)


def note(name, **changes):
    """Add something to the entry under a name of this exam; a patient's name is its number."""
    progress.note("exam", str(name), {**entry(str(name)), "seed": kept_seed(), **changes})


def handed_in():
    """Return the KillMatrix of the tests that were handed in; None if there are none."""
    caught = entry("tests").get("caught")
    if not isinstance(caught, list) or not caught or not all(isinstance(ids, list) for ids in caught):
        return None
    wrong_engines = kept_engines().wrong
    killed = tuple(tuple(wrong.id in row for wrong in wrong_engines) for row in caught[:MOST])
    return KillMatrix(killed, (), wrong_engines)


def hand_in(matrix, given):
    """Store what some tests have caught, and each test as [text of f, xs]."""
    caught = [[wrong.id for wrong, killed in zip(matrix.wrong, row) if killed] for row in matrix.killed]
    note("tests", caught=caught, given=given, day=datetime.date.today().isoformat())


def given():
    """Return {place: (whether it was right, the answer)} of the third part's answered questions, from place 1."""
    noted = {place: entry("questions").get(str(place)) for place in range(1, len(LEVELS) + 1)}
    is_answer = [bool, str]
    return {i: tuple(x) for i, x in noted.items() if isinstance(x, list) and [*map(type, x)] == is_answer}


def note_given(place, right, text):
    """Store the first answer to a question of the third part."""
    note("questions", **{str(place): [right, text]})


def day():
    """Return the day on which the tests were handed in, as "2026-01-31"; "" if it is not known."""
    found = entry("tests").get("day")
    try:
        return datetime.date.fromisoformat(found).isoformat()
    except (TypeError, ValueError):
        return ""


def cases():
    return [case(number) for number in range(1, PATIENTS + 1)]


def as_file():
    """Return all answers of this exam as plain data, in the format of `regrade`."""
    patients = {
        str(each.number): {"suspected": each.suspected, "taken": list(each.taken), "named": each.named}
        for each in cases()
        if each.named
    }
    questions = {str(place): text for place, (_, text) in sorted(given().items())}
    exam = {"seed": kept_seed(), "edition": progress.noted("exam").get("edition") or FIRST, "begun": begun()}
    return exam | {"patients": patients, "tests": tests(), "questions": questions}


def tests():
    """Return the tests that were handed in, each as [text of f, xs]; [] if their text is not known."""
    found = entry("tests").get("given")
    return found if isinstance(found, list) else []


@dataclass(frozen=True)
class Sheet:
    """The content of a certificate. given: {place: (whether it was right, the answer)}. source: its origin."""

    seed: int
    cases: list
    matrix: KillMatrix | None
    given: dict
    begun: int | None = None
    day: str = ""
    source: str = ""

    @property
    def whole(self):
        """True if all is handed in."""
        return self.matrix is not None and all(each.named for each in self.cases) and len(self.given) == len(LEVELS)

    @property
    def fingerprint(self):
        """A hash of all answers: another answer, instrument or exam changes it."""
        told = [(each.suspected, each.taken, each.named, each.right) for each in self.cases]
        answers = json.dumps([self.seed, told, self.matrix.killed if self.matrix else None, sorted(self.given.items())])
        return hashlib.sha256(answers.encode()).hexdigest()[:12]


def sheet():
    """Return the Sheet of this exam, from the progress file."""
    return Sheet(kept_seed(), cases(), handed_in(), given(), begun(), day())
