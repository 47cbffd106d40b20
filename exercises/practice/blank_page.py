"""`blank_page`: an engine written from memory, with a clock, judged by the doctor, next to the pages written before."""

import datetime
import hashlib
import html
from pathlib import Path

from exercises.content.library import marked
from exercises.doctor.identify import judge, subject_of
from exercises.doctor.report import NOT_RUN, WRONG, Verdict, to_html, to_text
from exercises.engine_file import cells
from exercises.explaining.identifying import is_right
from exercises.sandbox.guard import TimeUp, describe_timeout, run_guarded
from exercises.storage import blank_pages
from exercises.storage.blank_pages import MINUTES
from exercises.storage.progress import Note
from exercises.storage.schedule import format_date
from exercises.verdicts.cases import Case
from figures.page.picture import table

TASK = (
    "An empty page. From memory, write a class of numbers: `data`, `grad`, `+`, `*` and `backward()`. Plain numbers, "
    "as in `a + 2`, and labels aren't needed. There are no hints."
)
CLOCK = f"The clock shows {MINUTES} minutes, and you need not keep to it."
NOTHING_YET = "Nothing to judge yet: write your class in the cell above and run it, then run this cell again."
KINDS = ("+", "*")
A, B = ("a", 2.0), ("b", -3.0)
PARTS = {  # what a page has right, and the graphs that show it
    "a + b": [Case((A, B), (("d", "+", ("a", "b")),))],
    "a * b": [Case((A, B), (("d", "*", ("a", "b")),))],
    "one number twice, a + a and a * a": [Case((A,), (("d", sign, ("a", "a")),)) for sign in KINDS],
    "a result used twice, d = a * b and (d + a) * d": [
        Case((A, B), (("d", "*", ("a", "b")), ("e", "+", ("d", "a")), ("f", "*", ("e", "d"))))
    ],
}


class Pages:
    """The report on empty pages: sentences, the doctor's Verdict if one was given, and all pages side by side.

    begun: when today's page was begun, if its clock is to be shown.
    """

    def __init__(self, says, verdict=None, begun=None):
        self.says, self.verdict, self.begun, self.rows = says, verdict, begun, side_by_side(blank_pages.attempts())

    def __repr__(self):
        lines = [to_text(self.verdict), ""] if self.verdict else []
        lines += [*self.says, *([f"Begun at {self.begun:%H:%M}."] if self.begun else [])]
        if self.rows:
            widths = [max(map(len, column)) for column in zip(*self.rows)]
            lines += ["", *("  ".join(map(str.ljust, row, widths)).rstrip() for row in self.rows)]
        return "\n".join(lines)

    def _repr_mimebundle_(self, **kwargs):
        parts = [to_html(self.verdict)] if self.verdict else []
        parts += [f"<p>{marked(each)}</p>" for each in self.says]
        parts += [clock(self.begun)] if self.begun else []
        parts += [table(self.rows[0], self.rows[1:])] if self.rows else []
        return {"text/html": "".join(parts), "text/plain": repr(self)}


def blank_page(Value=None, now=None):
    """Start the clock for an engine from memory; or let the doctor judge the class that you wrote.

    What each page had right at the first look, its minutes and its mistakes are kept, and shown side by side. There is
    one page a day, and a text that was judged on a day before is no new one.

    Value: the class, under whatever name; None to begin. now: a datetime.datetime, for tests.
    """
    now = now or datetime.datetime.now()
    if Value is None:
        return Pages([TASK, CLOCK], begun=blank_pages.begin(now))
    if not isinstance(Value, type):
        return Note(NOTHING_YET)
    right, mistakes = dict.fromkeys(PARTS, False), []
    try:
        right = run_guarded(lambda: parts_of(Value))
        verdict = run_guarded(lambda: judge(Value, KINDS))
    except TimeUp:
        verdict = Verdict(NOT_RUN, describe_timeout())
    if verdict.verdict == WRONG:
        mistakes = [each.name for each in verdict.mistakes] or ["cause unknown"]
    elif verdict.verdict == NOT_RUN:
        mistakes = ["not run"]
    text = cells.source_of([Value]) or f"{now.date()}"
    page = blank_pages.judge(now, digest(text), right, mistakes, verdict.is_right)
    return Pages([said_of(page)] if page or verdict.is_right else [], verdict)


def parts_of(cls):
    """Return {part: whether a class has it right, values and gradients}."""
    subject = subject_of(cls)
    return {name: all(map(is_right, cases, subject.compute(as_data(cases)))) for name, cases in PARTS.items()}


def as_data(cases):
    """Return Cases as a Subject takes them."""
    return [[case.leaves, case.steps] for case in cases]


def digest(text):
    """Return what tells one text from another."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def said_of(page):
    """Return a sentence on today's page; None stands for a text from a day before."""
    if page is None:
        return "This class was judged on a day before. To count, a page begins empty."
    took = "" if page["minutes"] is None else f", in {blank_pages.minutes(page)}"
    return f"You wrote an engine from memory{took}." if page["is_right"] else "Fix it, and run both cells again."


def side_by_side(pages):
    """Return rows of texts: what each page had right at its first look, its minutes and mistakes, a column each."""
    if not pages:
        return []
    first, *later = pages.items()
    shown = [first, *later[-2:]]  # the first one, and the last two
    rows = [["", *(format_date(datetime.date.fromisoformat(day)) for day, _ in shown)]]
    for part in PARTS:
        rows.append([part, *("right" if page["right"].get(part) else "not right" for _, page in shown)])
    rows.append(["minutes", *("–" if page["minutes"] is None else f"{page['minutes']:.0f}" for _, page in shown)])
    rows.append(["mistakes", *("; ".join(page["mistakes"]) or "none" for _, page in shown)])
    rows.append(["in the end", *("right" if page["is_right"] else "not right" for _, page in shown)])
    return rows


def clock(begun):
    """Return the clock as HTML: a sentence, and a script that counts the minutes where scripts are run."""
    says, script = f"Begun at {begun:%H:%M}.", Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
    attributes = f'data-begun="{begun.timestamp() * 1000:.0f}" data-minutes="{MINUTES}" data-says="{html.escape(says)}"'
    return f'<p class="bp-clock" {attributes}>{says}</p><script>{{{script}}}</script>'
