"""`TestResult`: one test of an answer, with all that it compares; and the `Verdict`: a check's report on all of
them.
"""

import html
import math
from collections.abc import Mapping
from dataclasses import dataclass

import figures
from autograd.errors.messages import show
from exercises.content.library import marked
from exercises.verdicts.cases import TOLERANCE

PASSED, NOT_YET, WRONG = "passed", "not yet", "wrong"
WHOLE = "Known mistake"  # it explains all results, those of passed tests included, and is in the text
ALIKE = "Your code gives the same results as this known mistake"  # the text does not show whether it has the mistake
MENDED = "Change just this, and your code passes every test"
PAIR = "Two mistakes together explain the results of all tests"
PARTLY = "This looks like a known mistake, although not all of your results match it"
SIGNS = {PASSED: "✓", NOT_YET: "○", WRONG: "✗"}
EDGE_COLOURS = {PASSED: "#009E73", NOT_YET: "#999999", WRONG: "#D55E00"}


@dataclass(frozen=True, eq=False)
class TestResult:
    """The result of one test, with everything that it compared: expected and actual.

    says: the sentence for the learner if this is the first test that fails. rows: (what, expected, got), or
    (what, expected, got, whether that will do); `got` is plain data: numbers, texts, and lists or dicts of them. If
    several answers are accepted, the fourth is a function of `got`, so that another process can call it on its own run.
    A row whose `expected` is None is compared and not shown.
    case: the test as lines of Python. graph: the root of a graph to draw, or a function that returns it.
    because: the names of the known mistakes that show if this test fails, whatever the numbers. ended: why no test
    followed, in words that are the same for every answer that ends like this.
    """

    says: str
    rows: tuple = ()
    case: str = ""
    graph: object = None
    because: tuple = ()
    ended: str = ""
    __test__ = False  # pytest takes a class of this name for tests

    @property
    def wrong_rows(self):
        """(what, expected, got) of each row that is not right."""
        return tuple(row[:3] for row in self.rows if not matches(row))

    @property
    def is_right(self):
        """True if everything was as expected."""
        return not self.ended and not self.wrong_rows


@dataclass(frozen=True)
class Observation:
    """The observations of an answer to an exercise. Comparing and reporting them is a separate step.

    source: the answer's text. state: passed, not yet or wrong. tests: a TestResult each. said: the sentence if no test
    fails. seed: of the tests; 0 for those that are always shown. unseen: for an answer that passed, the tests of the
    silent round, whose seed is then `seed`.
    """

    name: str
    source: str
    state: str
    tests: tuple = ()
    said: str = ""
    seed: int = 0
    unseen: tuple = ()


def matches(row):
    """Return whether the result in a row of a TestResult is accepted."""
    if len(row) == 3:
        return equal_results(row[2], row[1])
    return bool(row[3](row[2]) if callable(row[3]) else row[3])


def any_value(_):
    """Accept any result: it is recorded because it tells mistakes apart."""
    return True


def make_result(says, *rows, case="", graph=None, because=()):
    """Return a test that was run: `make_result("This slope is not right", ("slope", 6.5, got), case="slope(f, 3,
    0.5)")`.
    """
    return TestResult(says, rows, case, graph, (because,) if isinstance(because, str) else tuple(because))


def same_outcome(one, other):
    """Return whether two answers gave the same in a test: every number, text and length, and the way it ended."""
    if one.ended != other.ended or len(one.rows) != len(other.rows):
        return False
    return all(a[0] == b[0] and equal_results(a[2], b[2]) for a, b in zip(one.rows, other.rows))


def equal_results(got, expected):
    """Return whether two results are the same: numbers up to float noise, texts exactly, lists and dicts by item."""
    if got is expected:
        return True
    try:
        if isinstance(got, bool) or isinstance(expected, bool):
            return got is expected
        if isinstance(got, int | float) and isinstance(expected, int | float):
            close = math.isclose(got, expected, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
            return close or (math.isnan(got) and math.isnan(expected))
        if isinstance(got, list | tuple) and isinstance(expected, list | tuple):
            return len(got) == len(expected) and all(map(equal_results, got, expected))
        if isinstance(got, Mapping) and isinstance(expected, Mapping):
            return got.keys() == expected.keys() and all(equal_results(got[key], expected[key]) for key in expected)
        return bool(got == expected)
    except Exception:  # a learner's object may not be comparable
        return False


@dataclass(frozen=True)
class Verdict:
    """A check's report on an exercise.

    says: sentences. case: the first failing case as lines of Python. graph: its root, drawn below.
    rows: (what, expected, got) of that case. mistakes: what may have caused it; lead: how much of it they explain.
    offer: a line on how to look closer.
    """

    exercise: str
    state: str
    says: tuple = ()
    case: str = ""
    graph: object = None
    rows: tuple = ()
    mistakes: tuple = ()
    lead: str = WHOLE
    offer: str = ""

    def __bool__(self):
        return self.state == PASSED

    def heading(self):
        """Return symbol, exercise and state, as one line."""
        words = {PASSED: "yes", NOT_YET: "not yet", WRONG: "not right yet"}
        return f"{SIGNS[self.state]} {self.exercise}: {words[self.state]}."

    def render_text(self):
        lines = [" ".join([self.heading(), *self.says])]
        if self.case:
            lines += ["", *(f"    {line}" for line in self.case.splitlines()), ""]
        lines += [
            f"{what}: expected {format_answer(expected)}, got {format_answer(got)}" for what, expected, got in self.rows
        ]
        lines += [f"{lead}: {mistake.render_text()}" for lead, mistake in zip(self.leads(), self.mistakes)]
        return printable_text("\n".join([*lines, *([self.offer] if self.offer else [])]))

    @property
    def is_whole(self):
        """True if the mistakes explain everything that was seen."""
        return self.lead != PARTLY

    def leads(self):
        """Return the introduction of each mistake."""
        return (self.lead, *["And"] * len(self.mistakes))

    def html(self):
        parts = [f"<b>{html.escape(self.heading())}</b> {marked(' '.join(self.says))}"]
        if self.case:
            parts.append(f'<pre style="margin:.6em 0 .4em 1.2em">{html.escape(self.case)}</pre>')
        if self.rows:
            cells = "".join(
                f"<tr><td>{html.escape(str(what))}</td><td>{html.escape(format_answer(expected))}</td>"
                f"<td><b>{html.escape(format_answer(got))}</b></td></tr>"
                for what, expected, got in self.rows
            )
            parts.append(f"<table><thead><tr><th></th><th>expected</th><th>got</th></tr></thead>{cells}</table>")
        leads = zip(self.leads(), self.mistakes)
        parts += [f'<p style="margin:.5em 0">{lead}: {mistake.html()}</p>' for lead, mistake in leads]
        if self.graph is not None:
            parts.append(figures.draw_graph(self.graph, gradients=False).html())
        if self.offer:
            words, _, code = self.offer.rpartition(" ")
            parts.append(f'<p style="margin:.5em 0">{html.escape(words)} <code>{html.escape(code)}</code></p>')
        edge = EDGE_COLOURS[self.state]
        style = f"border-left:4px solid {edge};padding:.4em 0 .4em 1em;max-width:46em"
        return f'<div role="status" style="{style}">{printable_text("".join(parts))}</div>'

    def __repr__(self):
        return self.render_text()

    def _repr_mimebundle_(self, **kwargs):
        return {"text/html": self.html(), "text/plain": self.render_text()}


def printable_text(text):
    """Replace what no notebook file can hold: control characters, and lone surrogates."""
    return "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text)


def format_answer(answer):
    """Return an answer as the rows print it: a number with four decimals if these hold it, else as Python would."""
    if isinstance(answer, bool) or not isinstance(answer, int | float):
        return (answer or 'an empty string, ""') if isinstance(answer, str) else repr(answer)
    exact = f"{answer:.10g}"
    return show(answer) if float(show(answer)) == answer else exact
