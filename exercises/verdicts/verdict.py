"""`Verdict`: what a check says: passed, not yet, or wrong, with the first failing case and what the mistake may be."""

import html
from dataclasses import dataclass

import figures
from exercises.shelf.lessons import BY_NUMBER
from exercises.shelf.library import marked
from figures.page.style import number

PASSED, NOT_YET, WRONG = "passed", "not yet", "wrong"
WHOLE = "This is what one mistake gives"  # everything that was seen, the tests that passed included
MENDED = "With this alone changed, your own code is right in every test"
PAIR = "The course's solution with two mistakes in it gives all of this"
PARTLY = "One mistake gives this here, though not all the rest"
SIGNS = {PASSED: "✓", NOT_YET: "○", WRONG: "✗"}
EDGES = {PASSED: "#009E73", NOT_YET: "#999999", WRONG: "#D55E00"}


@dataclass(frozen=True)
class Mistake:
    """A misconception that gives just this answer: a name, a sentence, and the lesson and section that treat it."""

    name: str
    sentence: str
    lesson: str = ""
    section: str = ""

    @classmethod
    def of(cls, wrong):
        """The mistake of a WrongEngine."""
        return cls(wrong.name, wrong.sentence, wrong.lesson, wrong.section)

    def text(self):
        """The mistake as one line."""
        where = f"See lesson {self.lesson}, “{self.section}”." if self.lesson else ""
        return " ".join(filter(None, (f"{self.name}.", self.sentence, where)))

    def html(self):
        """The mistake as one line, with a link to the section."""
        said = f"<b>{marked(self.name)}.</b> {marked(self.sentence)}".strip()
        if not self.lesson:
            return said
        target = BY_NUMBER[self.lesson].at(self.section)
        return f'{said} See <a href="{html.escape(target)}">lesson {self.lesson}, “{html.escape(self.section)}”</a>.'


@dataclass(frozen=True)
class Verdict:
    """What a check says of an exercise.

    says: sentences. case: the first failing case as lines of Python. graph: its root, drawn below.
    rows: (what, expected, got) of that case. mistakes: what may have made it; lead: how much of it they give.
    offer: a line that says how to look closer.
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
        """Sign, exercise and state, as one line."""
        words = {PASSED: "yes", NOT_YET: "not yet", WRONG: "not right yet"}
        return f"{SIGNS[self.state]} {self.exercise}: {words[self.state]}."

    def text(self):
        """The verdict as lines of text."""
        lines = [" ".join([self.heading(), *self.says])]
        if self.case:
            lines += ["", *(f"    {line}" for line in self.case.splitlines()), ""]
        lines += [f"{what}: expected {shown(expected)}, got {shown(got)}" for what, expected, got in self.rows]
        lines += [f"{lead}: {mistake.text()}" for lead, mistake in zip(self.leads(), self.mistakes)]
        return writable("\n".join([*lines, *([self.offer] if self.offer else [])]))

    @property
    def is_whole(self):
        """Whether the mistakes give everything that was seen."""
        return self.lead != PARTLY

    def leads(self):
        """What introduces each mistake."""
        return (self.lead, *["And"] * len(self.mistakes))

    def html(self):
        """The verdict as HTML."""
        parts = [f"<b>{html.escape(self.heading())}</b> {marked(' '.join(self.says))}"]
        if self.case:
            parts.append(f'<pre style="margin:.6em 0 .4em 1.2em">{html.escape(self.case)}</pre>')
        if self.rows:
            cells = "".join(
                f"<tr><td>{html.escape(str(what))}</td><td>{html.escape(shown(expected))}</td>"
                f"<td><b>{html.escape(shown(got))}</b></td></tr>"
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
        edge = EDGES[self.state]
        style = f"border-left:4px solid {edge};padding:.4em 0 .4em 1em;max-width:46em"
        return f'<div role="status" style="{style}">{writable("".join(parts))}</div>'

    def __repr__(self):
        return self.text()

    def _repr_mimebundle_(self, **kwargs):
        return {"text/html": self.html(), "text/plain": self.text()}


def writable(text):
    """Text without what no notebook file can hold: control characters, and halves of characters."""
    return "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text)


def shown(answer):
    """An answer as the rows print it: a number as every picture does, anything else as Python would."""
    if isinstance(answer, bool) or not isinstance(answer, int | float):
        return answer if isinstance(answer, str) else repr(answer)
    exact = f"{answer:.10g}"
    return number(float(answer)) if float(number(float(answer))) == answer else exact
