"""`exam`: five programs with a fault, six tests by the learner against thirty-two wrong engines, ten gym questions.

The progress file holds what is done, so a reload finds the same exam.
"""

import difflib
import functools
import html
import json
from dataclasses import dataclass
from pathlib import Path

from exercises.clinic.answers import (
    LEVELS,
    LONGEST,
    MOST,
    PATIENTS,
    as_file,
    begin,
    case,
    cases,
    given,
    hand_in,
    handed_in,
    kept_edition,
    kept_engines,
    kept_seed,
    note,
)
from exercises.clinic.certificate import capital, certificate
from exercises.clinic.exam_quiz import ExamQuiz
from exercises.clinic.instruments import INSTRUMENTS
from exercises.clinic.patients import Patient, causes, drawable, faults, one_drawn, said_by_owner, sentence
from exercises.clinic.regrade import counts_as_right, text_of_test
from exercises.content.library import marked
from exercises.judging.matrices import matrix_of, require_tests
from exercises.practice.edition import Changed
from exercises.sandbox.guard import AnswerError
from exercises.storage import files
from exercises.storage.progress import Note
from exercises.verdicts.results import EDGE_COLOURS, PASSED, WRONG, printable_text


@dataclass(frozen=True)
class Page:
    """A page to read, as text and as HTML."""

    text: str
    html: str

    def __repr__(self):
        return self.text

    def _repr_mimebundle_(self, **kwargs):
        return {"text/html": self.html, "text/plain": self.text}


def exam(*, anew=False):
    """Return the exam so far. anew: start a new one, with five other patients and an empty sheet."""
    begin(anew)
    try:
        kept_edition()
    except Changed as fault:
        return Closed(f"{fault} Your answers are kept until you start a new one: exam(anew=True).")
    return Exam()


class Closed(Note):
    """An exam that cannot go on: every method answers with the same Note."""

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda *_, **__: self


@functools.lru_cache(maxsize=PATIENTS)
def whole(seed, number):
    """Return a patient of the exam with all its readings."""
    found = one_drawn(seed, number - 1, among=kept_edition())
    found.name = f"Patient {number} of the exam"
    return found


def as_known(number, names):
    """Return a patient of the exam with the readings of these instruments alone."""
    found = whole(kept_seed(), number)
    known = Patient(found.fault, found.seed, found.settings, found.engine, found.name)
    known.complaint = found.complaint
    known.readings = {name: found.read(name) for name in names}
    return known


class Exam:
    """The exam. Any of its methods can be called again, in any order."""

    def patient(self, number):
        """Show a patient: the complaint, what you suspect, and what the instruments have read so far."""
        if says := not_a_number(number):
            return says
        now = case(number)
        known = as_known(number, now.taken)
        state = f"{capital(now.state)}."
        return joined(
            [
                page_of(known),
                *([paragraph(f"You suspect: {now.suspected}")] if now.suspected else ()),
                *(page_of(known.read(name)) for name in now.taken),
                paragraph(state if now.named else f"{state} {ways(number)}"),
            ]
        )

    def suspect(self, number, words):
        """Write down what you think is wrong. You can change it until you use the first instrument."""
        if says := not_a_number(number):
            return says
        if words is ... or not isinstance(words, str) or not words.strip():
            return Note("Not yet: write what you think is wrong, as a string, instead of the dots.")
        now = case(number)
        if now.taken or now.named:
            return Note(
                f"You have already started on patient {number}. Your suspicion stands: {now.suspected or 'nothing'}."
            )
        note(number, suspected=" ".join(words.split())[:LONGEST])
        return Note(f"You suspect: {case(number).suspected}")

    def use(self, number, instrument):
        """Return the Reading of an instrument, for a minute. A second look is free; after the diagnosis, all are."""
        if says := not_a_number(number):
            return says
        if instrument is ...:
            return Note("Not yet: write the name of an instrument instead of the dots.")
        now, name = case(number), named_or_titled(instrument)
        if name is None:
            return Note(f"There is no instrument {instrument!r:.80}. There are: {', '.join(INSTRUMENTS)}.")
        if name not in now.taken and not now.named:
            if not now.suspected:
                return Note(f'First write down what you suspect, in your own words: exam.suspect({number}, "…")')
            if not now.minutes:
                titles = ", ".join(INSTRUMENTS[each].title for each in now.taken)
                says = f"No minutes are left for patient {number}: {titles} have been read. What is the cause?"
                return Note(f'{says} exam.name({number}, "…")')
            note(number, taken=[*now.taken, name])
        return whole(kept_seed(), number).read(name)

    def name(self, number, cause):
        """Name the cause of a patient, by its key or in the words of the list. The first one counts."""
        if says := not_a_number(number):
            return says
        now, key = case(number), key_of(cause)
        if now.named:
            return outcome(now, f"You named it before: {faults()[now.named].cause}. That stands.")
        if cause is ...:
            return Note("Not yet: write a cause, or its key, instead of the dots.")
        if key is None:
            return Note(
                f"There is no cause {cause!r:.80}.{alike(cause)} exam.causes() lists them all. Nothing is noted."
            )
        found = whole(kept_seed(), number)
        right = counts_as_right(found, key)
        note(number, taken=list(now.taken), named=key, cause=found.fault.key, right=right)
        return outcome(case(number))

    def causes(self):
        """List all causes that you can name: a key, and what it means."""
        return table(("key", "cause"), [(key, cause) for cause, key in causes().items()])

    def instruments(self):
        """List all instruments: the name, the title, and what each asks."""
        rows = [(name, each.title, each.asks) for name, each in INSTRUMENTS.items()]
        return table(("name", "instrument", "it asks"), rows)

    def tests(self, tests=None):
        """Hand in six tests, each `(f, xs)`. The first six that run count; try them out with `check.kill_matrix`."""
        before = handed_in()
        if tests is None:
            says = "You have not handed in any tests yet: exam.tests([…]) takes them, six pairs (f, xs)."
            return before or Note(says)
        try:
            tests = require_tests(tests, kept_engines())
        except AnswerError as error:
            return Note(f"Not handed in. {' '.join(error.sentences)}")
        if all(test is None or test is ... for test in tests):
            return before or Note("Not yet: no test is written.")
        count = len(tests)
        if count > MOST:
            return Note(f"Not handed in. There are {count} tests; at most {MOST} are taken. Which catch nothing new?")
        matrix = matrix_of((tests,), {}, kept_engines()())
        says = " ".join(matrix.faults)
        if not says and count < MOST:
            says = f"You have written {count} of {MOST} tests. They count only once, so nothing is noted yet."
        if says:
            return Note(f"Not handed in. {says}")
        if before is None:
            hand_in(matrix, [text_of_test(*test) for test in tests])
        elif before != matrix:
            says = f"You have handed in your tests already, and those count: {before.score} of"
            return joined([paragraph(f"{says} {len(matrix.wrong)}. These would catch:"), page_of(matrix)])
        return matrix

    def questions(self):
        """Show the ten questions of the third part as a page; its answer(1, -6) answers one from a cell."""
        begin()
        return ExamQuiz()

    def certificate(self, name=""):
        """Draw a picture of which test catches which engine, and of the diagnoses. name: whose it is."""
        return certificate(name)

    def save(self, path="answers.json"):
        """Write your answers to a file; `python -m exercises certificate SEED answers.json` judges them again."""
        begin()
        path = Path(path)
        files.write(path, json.dumps(as_file(), indent=1, ensure_ascii=False) + "\n")
        return Note(f"Saved: {path}. Anyone can check it: python -m exercises certificate {kept_seed()} {path.name}")

    def overview(self):
        """Return a Page that lists what is done and what comes next."""
        matrix, answered = handed_in(), given()
        keys = drawable(kept_edition())
        rows = [(str(each.number), said_by_owner(kept_seed(), each.number - 1, keys), each.state) for each in cases()]
        of_tests = f"{matrix.score} of {len(matrix.wrong)} wrong engines caught" if matrix else "not handed in yet"
        right = sum(each for each, _ in answered.values())
        of_questions = f"{right} of {len(answered)} answered are right" if answered else "not begun"
        about = f"The exam: {PATIENTS} programs with a fault, {MOST} tests of your own, {len(LEVELS)} questions."
        done = f"Tests: {of_tests}. Questions: {of_questions}. {following()}"
        return joined([paragraph(about), table(("patient", "complaint", ""), rows), paragraph(done)])

    def __repr__(self):
        return self.overview().text

    def _repr_mimebundle_(self, **kwargs):
        return self.overview()._repr_mimebundle_()


def named_or_titled(instrument):
    """Return the name of an instrument, given its name or its title in any case; None if it is neither."""
    asked = instrument.strip().casefold() if isinstance(instrument, str) else None
    return next((name for name, each in INSTRUMENTS.items() if asked in (name, each.title.casefold())), None)


def following():
    waiting = [each.number for each in cases() if not each.named]
    if waiting:
        return f"Next: {ways(waiting[0])}"
    if not handed_in():
        return "Next: exam.tests([…])"
    return "Next: exam.questions()" if len(given()) < len(LEVELS) else "All done: exam.certificate()"


def not_a_number(number):
    """Return a Note if this is not the number of a patient; None if it is."""
    if number is ...:
        return Note(f"Not yet: write the number of a patient, 1 to {PATIENTS}, instead of the dots.")
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= PATIENTS:
        return Note(f"The patients of the exam are numbered from 1 to {PATIENTS}; got {number!r:.80}.")
    return None


def key_of(cause):
    """Return the key of a fault, given a key or a cause as a learner writes it; None if there is none."""
    if not isinstance(cause, str):
        return None
    text = " ".join(cause.casefold().split()).strip(" .")
    known = {**{key: key for key in faults()}, **{words.casefold(): key for words, key in causes().items()}}
    return known.get(text) or known.get(text.replace(" ", "_"))


def alike(cause):
    """Return a sentence that lists causes with a similar spelling; "" if there are none."""
    if not isinstance(cause, str):
        return ""
    found = difflib.get_close_matches(cause.casefold(), [*causes(), *causes().values()], 3, 0.5)
    keys = dict.fromkeys(causes().get(each, each) for each in found)
    return f" Similar spellings, whatever they mean: {', '.join(map(repr, keys))}." if keys else ""


def outcome(now, first=""):
    """Return the Page for a named cause: whether it is right, which reading speaks against it, and the code."""
    fault, cause = faults()[now.cause], faults()[now.named].cause
    if now.right:
        says = [f"✓ Patient {now.number}: yes, {cause}.", first]
        if fault.cause != cause:
            same = "no instrument tells the two apart here, so it counts as right."
            says.append(f"The actual cause is different, {fault.cause}; {same}")
    else:
        says = [f"✗ Patient {now.number}: not so: {cause}.", first]
        for names, which in ((now.taken, "You have a reading"), (INSTRUMENTS, "There is a reading")):
            if found := as_known(now.number, names).ruled_out.get(cause):
                says.append(f"{which} that speaks against it. {sentence(now.named, found)}")
                break
        says.append(f"The cause: {fault.cause}.")
    says = [*filter(None, says), fault.says, f"Its `{fault.part}`:"]
    edge = EDGE_COLOURS[PASSED if now.right else WRONG]
    paragraphs = "".join(f'<p style="margin:.3em 0">{marked(each)}</p>' for each in says)
    return Page(
        "\n".join([*says, "", fault.code]),
        f'<div role="status" style="border-left:4px solid {edge};padding:.3em 0 .3em 1em;max-width:52em">{paragraphs}'
        f'<pre style="margin:.3em 0 0">{html.escape(fault.code)}</pre></div>',
    )


def ways(number):
    return (
        f'exam.suspect({number}, "…") notes what you suspect, exam.use({number}, "kept") reads an instrument, '
        f'exam.name({number}, "…") names the cause.'
    )


def paragraph(text):
    return Page(text, f'<p style="margin:.5em 0;max-width:52em">{html.escape(text)}</p>')


def page_of(thing):
    bundle = thing._repr_mimebundle_()
    return Page(bundle["text/plain"], bundle["text/html"])


def table(headings, rows):
    """Return a table as a Page."""
    left = 'style="text-align:left;vertical-align:top"'
    head = "".join(f'<th scope="col" {left}>{html.escape(heading)}</th>' for heading in headings)
    body = "".join("<tr>" + "".join(f"<td {left}>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    widths = [max(len(row[i]) for row in (headings, *rows)) for i in range(len(headings))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in (headings, *rows)]
    return Page("\n".join(lines), f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")


def joined(pages):
    return Page(printable_text("\n".join(page.text for page in pages)), "".join(page.html for page in pages))
