"""`exam`: five programs with a fault, six tests of one's own against thirty-two wrong engines, ten gym questions.

What is done stands in the progress file: a reload finds the same exam.
"""

import difflib
import functools
import html
from dataclasses import dataclass

from exercises.clinic.answers import (
    LEVELS,
    MOST,
    PAID,
    PATIENTS,
    ThirtyTwo,
    begin,
    case,
    cases,
    given,
    hand_in,
    handed_in,
    kept_seed,
    note_case,
)
from exercises.clinic.certificate import certificate
from exercises.clinic.instruments import ALL as INSTRUMENTS
from exercises.clinic.instruments import INSTRUMENTS as BY_NAME
from exercises.clinic.patients import Patient, causes, faults, is_cause, one_drawn, sentence, shuffled
from exercises.clinic.third_part import ThirdPart
from exercises.judging.matrices import listed, matrix_of
from exercises.sandbox.guard import Trouble
from exercises.shelf.library import marked
from exercises.shelf.progress import Note
from exercises.verdicts.seen import EDGES, PASSED, WRONG, writable


@dataclass(frozen=True)
class Page:
    """Something to read: as text, and as HTML."""

    text: str
    html: str

    def __repr__(self):
        return self.text

    def _repr_mimebundle_(self, **kwargs):
        return {"text/html": self.html, "text/plain": self.text}


def exam(*, anew=False):
    """The exam as it stands. anew: whether five other patients and an empty sheet are wanted."""
    begin(anew)
    return Exam()


@functools.lru_cache(maxsize=PATIENTS)
def whole(seed, number):
    """A patient of the exam with all its readings."""
    found = one_drawn(seed, number - 1)
    found.name = f"Patient {number} of the exam"
    return found


def as_known(number, names):
    """A patient of the exam with the readings of these instruments, and of those that are free."""
    found = whole(kept_seed(), number)
    known = Patient(found.fault, found.seed, found.settings, found.engine, found.name)
    known.readings = {name: found.read(name) for name in BY_NAME if name in names or name not in PAID}
    return known


class Exam:
    """The exam. Any of its methods can be called again, in any order."""

    def patient(self, number):
        """A patient: complaint, loss curve, and what the instruments have read so far."""
        if says := not_a_number(number):
            return says
        now = case(number)
        known = as_known(number, now.taken)
        parts = [shown(known)] if hasattr(known, "_repr_mimebundle_") else [shown(known.read("curve"))]
        if known.fault.complaint not in parts[0].text:
            parts.insert(0, said(f"{known.name}. “{known.fault.complaint}”"))
        parts += [shown(known.read(name)) for name in now.taken]
        parts.append(said(f"{capital(now.state)}." if now.named else f"{capital(now.state)}. {ways(number)}"))
        return together(parts)

    def use(self, number, instrument):
        """The Reading of an instrument, for a minute; a second look is free, and so are all after the diagnosis."""
        if says := not_a_number(number):
            return says
        if instrument is ...:
            return Note("Not yet: write the name of an instrument in the place of the dots.")
        asked, instrument = instrument, named_or_titled(instrument)
        if instrument is None:
            return Note(f"There is no instrument {asked!r:.80}. There are: {', '.join(BY_NAME)}.")
        now = case(number)
        if instrument in now.taken or instrument not in PAID or now.named:
            return whole(kept_seed(), number).read(instrument)
        if not now.minutes:
            return Note(
                f"No minutes are left for patient {number}: {titles(now.taken)} have been read. "
                f'What is the cause? exam.name({number}, "…")'
            )
        found = whole(kept_seed(), number).read(instrument)
        note_case(number, taken=[*now.taken, instrument])
        return found

    def name(self, number, cause):
        """Name the cause of a patient, by its key or in the words of the list. The first one counts."""
        if says := not_a_number(number):
            return says
        now, key = case(number), key_of(cause)
        if now.named:
            return outcome(now, f"You named it before: {faults()[now.named].cause}. That stands.")
        if cause is ...:
            return Note("Not yet: write a cause, or its key, in the place of the dots.")
        if key is None:
            return Note(
                f"There is no cause {cause!r:.80}.{alike(cause)} exam.causes() lists them all. Nothing is noted."
            )
        found = whole(kept_seed(), number)
        right = is_cause(found, key) or key not in found.ruled_out
        note_case(number, taken=list(now.taken), named=key, cause=found.fault.key, right=right)
        return outcome(case(number))

    def causes(self):
        """All that can be named: a key, and what it means."""
        return listing(("key", "cause"), [(key, cause) for cause, key in causes().items()])

    def instruments(self):
        """All instruments: the name, the title, and what each asks."""
        rows = [(each.name, each.title, each.asks, "free" if not each.minutes else "1") for each in INSTRUMENTS]
        return listing(("name", "instrument", "it asks", "minutes"), rows)

    def tests(self, tests=None):
        """Hand in six tests, each `(f, xs)`. The first six that run count; `check.kill_matrix` is to try them."""
        before = handed_in()
        if tests is None:
            return before or Note(
                "No tests are handed in yet: exam.tests([…]) takes them, as exercise 3 of lesson 06 did."
            )
        try:
            tests = listed(tests, ThirtyTwo)
        except Trouble as trouble:
            return Note(f"Not handed in. {' '.join(trouble.sentences)}")
        if not [test for test in tests if test is not None and test is not ...]:
            return before or Note("Not yet: no test is written.")
        if len(tests) > MOST:
            return Note(
                f"Not handed in. There are {len(tests)} tests; at most {MOST} are taken. Which catch nothing new?"
            )
        matrix = matrix_of((tests,), {}, ThirtyTwo())
        if matrix.faults:
            return Note(f"Not handed in. {' '.join(matrix.faults)}")
        if len(tests) < MOST:
            here = f"Of {MOST} tests {len(tests)} are here."
            return Note(f"Not handed in. {here} They count once, so nothing is noted yet.")
        if before is None:
            hand_in(matrix)
        elif before != matrix:
            says = (
                f"Your tests were handed in before, and they count as they were: {before.score} of {len(matrix.wrong)}."
            )
            return together([said(f"{says} These catch as much as this:"), shown(matrix)])
        return matrix

    def questions(self):
        """The ten questions of the third part, as a page; its answer(1, -6) answers one from a cell."""
        begin()
        return ThirdPart()

    def certificate(self, name=""):
        """One picture: which test catches which engine, and what was diagnosed. name: whose it is."""
        return certificate(name)

    def overview(self):
        """What is done, and what is next, as a Page."""
        keys, matrix = shuffled(kept_seed()), handed_in()
        rows = [
            (str(each.number), faults()[each.cause or keys[each.number - 1]].complaint, each.state) for each in cases()
        ]
        of_tests = f"{matrix.score} of {len(matrix.wrong)} wrong engines caught" if matrix else "not handed in yet"
        told = given()
        right = sum(each for each, _ in told.values())
        of_questions = f"{right} of {len(told)} answered are right" if told else "not begun"
        return together(
            [
                said(f"The exam: {PATIENTS} programs with a fault, {MOST} tests of your own, {len(LEVELS)} questions."),
                listing(("patient", "complaint", ""), rows),
                said(f"Tests: {of_tests}. Questions: {of_questions}. {following()}"),
            ]
        )

    def __repr__(self):
        return self.overview().text

    def _repr_mimebundle_(self, **kwargs):
        return self.overview()._repr_mimebundle_()


def named_or_titled(instrument):
    """The name of an instrument from its name or its title, in capitals or not; None if it is neither."""
    asked = instrument.strip().casefold() if isinstance(instrument, str) else None
    return next((each.name for each in INSTRUMENTS if asked in (each.name.casefold(), each.title.casefold())), None)


def following():
    """What is next in the exam, as a sentence."""
    waiting = [each.number for each in cases() if not each.named]
    if waiting:
        return f"Next: {ways(waiting[0])}"
    if not handed_in():
        return "Next: exam.tests([…])"
    return "Next: exam.questions()" if len(given()) < len(LEVELS) else "All is done: exam.certificate()"


def not_a_number(number):
    """A sentence, where this is not the number of a patient; else None."""
    if number is ...:
        return Note(f"Not yet: write the number of a patient, 1 to {PATIENTS}, in the place of the dots.")
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= PATIENTS:
        return Note(f"The patients of the exam are numbered from 1 to {PATIENTS}; got {number!r:.80}.")
    return None


def key_of(cause):
    """The key of a fault, from a key or a cause as a learner writes it; None, where there is none."""
    if not isinstance(cause, str):
        return None
    text = " ".join(cause.casefold().split()).strip(" .")
    known = {**{key: key for key in faults()}, **{words.casefold(): key for words, key in causes().items()}}
    return known.get(text) or known.get(text.replace(" ", "_"))


def alike(cause):
    """A sentence with the causes that are written much like this."""
    if not isinstance(cause, str):
        return ""
    found = difflib.get_close_matches(cause.casefold(), [*causes(), *causes().values()], 3, 0.5)
    keys = dict.fromkeys(causes().get(each, each) for each in found)
    return f" Written much like it, with whatever meaning: {', '.join(map(repr, keys))}." if keys else ""


def outcome(now, first=""):
    """What is said once a cause is named: whether it is right, which reading speaks against it, and the code."""
    right, fault = now.right, faults()[now.cause]
    says = [f"{'✓' if right else '✗'} Patient {now.number}: {'yes' if right else 'no'}, {faults()[now.named].cause}."]
    if first:
        says.append(first)
    if not right:
        says[0] = f"✗ Patient {now.number}: not so: {faults()[now.named].cause}."
        for names, which in ((now.taken, "You have a reading"), (PAID, "There is a reading")):
            if found := as_known(now.number, names).ruled_out.get(now.named):
                says.append(f"{which} that speaks against it. {sentence(now.named, found)}")
                break
        says.append(f"The cause: {fault.cause}.")
    elif fault.cause != faults()[now.named].cause:
        says.append(
            f"The cause is another, {fault.cause}; no instrument tells the two apart here, so it counts as right."
        )
    says.append(fault.says)
    heading = f"Its `{fault.part}`:"
    code = fault.code.strip()
    edge = EDGES[PASSED if right else WRONG]
    paragraphs = "".join(f'<p style="margin:.3em 0">{marked(each)}</p>' for each in (*says, heading))
    return Page(
        "\n".join([*says, heading, "", code]),
        f'<div role="status" style="border-left:4px solid {edge};padding:.3em 0 .3em 1em;max-width:52em">{paragraphs}'
        f'<pre style="margin:.3em 0 0">{html.escape(code)}</pre></div>',
    )


def ways(number):
    """What can be typed for a patient."""
    return (
        f'exam.patient({number}) shows the patient, exam.use({number}, "kept") reads an instrument, '
        f'exam.name({number}, "…") names the cause.'
    )


def titles(names):
    """The titles of instruments, in a row."""
    return ", ".join(BY_NAME[name].title for name in names)


def capital(text):
    """A text with a capital at its beginning."""
    return text[:1].upper() + text[1:]


def said(text):
    """A sentence as a Page."""
    return Page(text, f'<p style="margin:.5em 0;max-width:52em">{html.escape(text)}</p>')


def shown(thing):
    """What a notebook shows of a thing, as a Page."""
    bundle = thing._repr_mimebundle_() if hasattr(thing, "_repr_mimebundle_") else {}
    text = bundle.get("text/plain") or repr(thing)
    return Page(text, bundle.get("text/html") or said(text).html)


def listing(headings, rows):
    """A table as a Page."""
    left = 'style="text-align:left;vertical-align:top"'
    head = "".join(f'<th scope="col" {left}>{html.escape(heading)}</th>' for heading in headings)
    body = "".join("<tr>" + "".join(f"<td {left}>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    widths = [max(len(row[i]) for row in (headings, *rows)) for i in range(len(headings))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in (headings, *rows)]
    return Page("\n".join(lines), f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")


def together(pages):
    """Some Pages as one."""
    return Page(writable("\n".join(page.text for page in pages)), "".join(page.html for page in pages))
