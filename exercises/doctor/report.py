"""Show a Verdict: as text, as plain data, as a badge, and in a notebook with the graph drawn."""

import html
import math
from dataclasses import dataclass, field

from exercises.content.library import marked
from exercises.explaining.identifying import truth
from exercises.verdicts.cases import is_close

RIGHT, WRONG, NOT_RUN = "right", "wrong", "not run"
UNKNOWN = "Cause unknown: no known mistakes together explain every result."
COLOURS = {RIGHT: "#2e7d32", WRONG: "#b3261e", NOT_RUN: "#5f6368"}
WIDE = 6.6  # pixels of a character of the badge


@dataclass(repr=False)
class Verdict:
    """The doctor's verdict on a file.

    engine: the names that were found, {"class", "data", "grad", "backward"}. mistakes: Mistakes. lines: where each is,
    or "". smallest: (Case, rows of (what, right, got)). why: why it was not run.
    """

    verdict: str
    why: str = ""
    engine: dict = field(default_factory=dict)
    mistakes: list = field(default_factory=list)
    lines: list = field(default_factory=list)
    smallest: tuple | None = None
    tried: int = 0
    notes: list = field(default_factory=list)
    seconds: float = 0.0

    @property
    def is_right(self):
        """Return whether every value and every gradient is right."""
        return self.verdict == RIGHT

    @property
    def is_of_file(self):
        """Return whether the engine came in a file, so that its names had to be found."""
        return "stand_ins" in self.engine

    def __repr__(self):
        return to_text(self)

    def _repr_mimebundle_(self, **kwargs):
        return {"text/html": to_html(self), "text/plain": to_text(self)}


def to_text(verdict):
    """Return the names read, the verdict, the smallest wrong graph, its causes, and notes."""
    lines = opening(verdict)
    if verdict.verdict == WRONG:
        lines += [*graph_lines(verdict), *cause_lines(verdict)]
    lines += ["", "Notes:", *(f"- {note}" for note in verdict.notes)] if verdict.notes else []
    return "\n".join(lines)


def opening(verdict):
    """Return the first sentences: the names read from a file, and the verdict."""
    read = [what_was_read(verdict.engine)] if verdict.is_of_file else []
    said = f"Right on {verdict.tried} random graphs: every value and every gradient."
    return [*read, {RIGHT: said, WRONG: "Not right.", NOT_RUN: f"Not run. {verdict.why}"}[verdict.verdict]]


def what_was_read(engine):
    """Return the names that were found, so that a wrong guess shows."""
    backward = engine["backward"] if engine["backward"].endswith(")") else f"{engine['backward']}()"
    return f"Read: class {engine['class']}, number `{engine['data']}`, gradient `{engine['grad']}`, pass `{backward}`."


def graph_lines(verdict):
    """Return the smallest wrong graph as lines of Python, and its numbers in a table."""
    if not verdict.smallest:
        return []
    case, rows = verdict.smallest
    text = case.to_source().replace("Value(", f"{verdict.engine['class']}(")
    said = [(what, *apart(right, got)) for what, right, got in rows]
    wide = max(len(right) for _, right, _ in [("", "expected", ""), *said]) + 2
    lines = [f"    {what:8}{right:>{wide}}  {got}" for what, right, got in said]
    return ["", *(f"    {line}" for line in text.splitlines()), "", f"    {'':8}{'expected':>{wide}}  got", *lines, ""]


def apart(right, got):
    """Return two numbers as text: with four digits, or with all if they differ but look alike. Texts stay unchanged."""
    if isinstance(got, str):
        return right, got
    texts = f"{right:.4f}", f"{got:.4f}"
    return texts if texts[0] != texts[1] or is_close(right, got) else (repr(right), repr(got))


def cause_lines(verdict):
    """Return each mistake in words, with its line and, for a learner's class, where the course treats it."""
    if not verdict.mistakes:
        return [UNKNOWN]
    lines = []
    for mistake, line in zip(verdict.mistakes, verdict.lines):
        said = (mistake.without_place() if verdict.is_of_file else mistake).render_text()
        place = f" ({line})" if line else ""
        lines.append(f"Mistake: {mistake.name}{place}{said.removeprefix(mistake.name)}")
    return lines


def to_html(verdict):
    """Return the verdict for a notebook, with a drawing of the smallest wrong graph that shows expected and actual."""
    return "".join(f"<p>{html.escape(line)}</p>" for line in opening(verdict)) + "".join(
        [evidence(verdict), *(f"<p>{marked(note)}</p>" for note in verdict.notes)]
    )


def evidence(verdict):
    """Return the smallest wrong graph, drawn, and its causes as HTML."""
    parts = []
    if verdict.verdict == WRONG:
        lines = [f" ({html.escape(line)})" if line else "" for line in verdict.lines]
        parts += [picture(*verdict.smallest).html()] if verdict.smallest else []
        parts += [f"<p>Mistake{line}: {each.html()}</p>" for each, line in zip(verdict.mistakes, lines)]
        parts += [] if verdict.mistakes else [f"<p>{UNKNOWN}</p>"]
    return "".join(parts)


def picture(case, rows):
    """Return the graph of a Case as a Picture that shows both numbers wherever the actual one is wrong."""
    from figures.graph import draw  # only here: it takes half of the time of a command that draws nothing

    root = case.graph()
    root.backward()
    nodes = draw.read_graph(root)
    texts, place = draw.texts_of(nodes, True), {node.name: i for i, node in enumerate(nodes)}
    raised = [got for _, right, got in rows if isinstance(got, str)]
    for what, right, got in rows if not raised else ():
        name, _, is_gradient = what.partition(".")
        if not is_close(got, right):
            told = (f"{right:.4g}", f"{got:.4g}")
            said = told if told[0] != told[1] else (repr(right), repr(got))
            texts[f"n{place[name]}.{'grad' if is_gradient else 'data'}"] = f"{said[0]}, got {said[1]}"
    note = f"It raised {raised[0]}." if raised else "Each number is the expected one; “got” is what came instead."
    return draw.picture(nodes, texts, None, False, "", note)


def as_dict(verdict):
    """Return a Verdict as plain data for --json; numbers that JSON lacks become null, with a note."""
    smallest, noted = None, []
    if verdict.smallest:
        case, rows = verdict.smallest
        value, slopes = truth(case)
        expected = dict(zip([case.root, *(f"{name}.grad" for name, _ in case.leaves)], (value, *slopes)))
        got = {what: number for what, _, number in rows if what in expected}
        noted = [f"On the smallest graph it raised {text}." for what, _, text in rows if what not in expected]
        noted += [f"{what} is {number}, which JSON has no number for." for what, number in got.items() if odd(number)]
        got = {what: None if odd(got.get(what, math.nan)) else got[what] for what in expected}
        smallest = {"expression": "; ".join(case.to_source().splitlines()), "expected": expected, "got": got}
    return {
        "verdict": verdict.verdict,
        "mistakes": [mistake.name for mistake in verdict.mistakes],
        "smallest": smallest,
        "notes": ([verdict.why] if verdict.why else []) + noted + verdict.notes,
        "seconds": verdict.seconds,
    }


def odd(number):
    """Return whether a number is infinite or nan."""
    return not math.isfinite(number)


def badge(verdict):
    """Return the verdict as a small SVG."""
    words = {RIGHT: f"right on {verdict.tried} graphs", WRONG: "not right", NOT_RUN: "not run"}[verdict.verdict]
    left, right = (round(len(text) * WIDE + 12) for text in ("gradients", words))
    text = '<text x="{}" y="14" text-anchor="middle">{}</text>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" '
        f'aria-label="gradients: {words}"><title>gradients: {words}</title>'
        f'<rect width="{left}" height="20" fill="#444"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="{COLOURS[verdict.verdict]}"/>'
        f'<g fill="#fff" font-family="Verdana,sans-serif" font-size="11">'
        f"{text.format(left / 2, 'gradients')}{text.format(left + right / 2, words)}</g></svg>\n"
    )
