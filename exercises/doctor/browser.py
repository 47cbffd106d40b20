"""The doctor in a browser, where Python has no processes: a second Python on the page runs the examined file."""

import html
import json
import textwrap
from pathlib import Path

from exercises.content.library import marked
from exercises.doctor.examination import examined, lacks_engine
from exercises.doctor.report import NOT_RUN, RIGHT, WRONG, evidence, graph_lines, what_was_read
from exercises.sandbox.runner import Ended


class Neighbour:
    """A Runner whose questions another Python answers. The page ends both if they take too long.

    answer: the page's function from a question to its answer; both are JSON.
    """

    def __init__(self, answer):
        self.answer = answer

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """Leave the other Python to the page."""

    def ask(self, function, *given, **_):
        """Return what `function`, "module:name", gives there. Raise Ended without an answer."""
        try:
            return json.loads(self.answer(json.dumps({"function": function, "given": given})))
        except Exception:  # of JavaScript: what the file raises is an answer
            raise Ended("it ended Python itself, or broke it") from None


def examine(path, is_whole, answer):
    """Return the verdict on a file as JSON for the page: {"verdict", "said", "html", "lacks_engine"}.

    is_whole: whether to run all of it, not only its definitions. answer: as in Neighbour.
    """
    verdict = examined(Path(path), is_whole, lambda: Neighbour(answer))
    said = {
        RIGHT: f"is right on {verdict.tried} random graphs: every value and every gradient.",
        WRONG: "is not right.",
        NOT_RUN: f"was not run. {marked(verdict.why)}",
    }[verdict.verdict]
    parts = [f'<p class="read">{marked(what_was_read(verdict.engine))}</p>'] if verdict.is_of_file else []
    if verdict.verdict == WRONG:
        parts += [f"<pre>{html.escape(textwrap.dedent(chr(10).join(graph_lines(verdict))).strip())}</pre>"]
    parts.append(evidence(verdict))
    if verdict.notes:
        parts.append(f"<h2>Notes</h2><ul>{''.join(f'<li>{marked(note)}</li>' for note in verdict.notes)}</ul>")
    told = {"verdict": verdict.verdict, "said": said, "html": "".join(parts), "lacks_engine": lacks_engine(verdict)}
    return json.dumps(told)
