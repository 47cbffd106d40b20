"""Reads what the exercises keep as files: solutions with their hints, and stubs."""

import ast
import html
import re
from dataclasses import dataclass
from pathlib import Path

from exercises.shelf import progress

SOLUTIONS = Path(__file__).with_name("solutions")
STUBS = Path(__file__).with_name("stubs")


def names(lesson=None):
    """The exercises of a lesson ("03"), in their order in it; of all lessons without one."""
    found = (p for p in SOLUTIONS.glob(f"{lesson or '[0-9][0-9]'}/*.py"))
    return [p.stem.split("_", 1)[1] for p in sorted(found)]


def place(folder, name, ending=".py"):
    """The file of an exercise: NN/<place in the lesson>_<name>.py."""
    found = [p for p in folder.glob(f"[0-9][0-9]/*{ending}") if p.stem.split("_", 1)[1] == name]
    if not found:
        raise ValueError(f"There is no exercise {name!r}. There are: {', '.join(names())}.")
    return found[0]


@dataclass(frozen=True)
class Solution:
    """An exercise's two hints, and its solution as it stands in the stub's cell."""

    hints: tuple
    code: str


def solution(name):
    """The Solution of an exercise: the docstring of its file holds the hints, one a paragraph; the rest is the code."""
    text = place(SOLUTIONS, name).read_text(encoding="utf-8")
    docstring = ast.parse(text).body[0]
    hints = tuple(" ".join(paragraph.split()) for paragraph in ast.literal_eval(docstring.value).split("\n\n"))
    code = "\n".join(text.splitlines()[docstring.end_lineno :]).strip("\n") + "\n"
    return Solution(hints, code)


def exercise_of(cell):
    """The name of the exercise whose stub a notebook's cell is, by its tag exercise-<name>; None for other cells."""
    tags = cell.get("metadata", {}).get("tags", [])
    return next((tag.removeprefix("exercise-") for tag in tags if tag.startswith("exercise-")), None)


def stub(name):
    """The stub of an exercise, as it stands in its lesson."""
    return place(STUBS, name).read_text(encoding="utf-8").strip("\n") + "\n"


class Hints:
    """Two hints and the solution of an exercise, each behind its own click."""

    def __init__(self, name):
        self.solution = solution(name)

    def parts(self):
        """(heading, HTML) of each."""
        hints = [(f"Hint {i}", f"<p>{marked(hint)}</p>") for i, hint in enumerate(self.solution.hints, start=1)]
        return [*hints, ("Solution", f"<pre>{html.escape(self.solution.code)}</pre>")]

    def _repr_mimebundle_(self, **kwargs):
        details = "".join(f"<details><summary>{name}</summary>{text}</details>" for name, text in self.parts())
        return {"text/html": details, "text/plain": repr(self)}

    def __repr__(self):
        return f"Hint 1: {self.solution.hints[0]}"


def marked(text):
    """Plain text as HTML, with `code` in backticks set as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text))


def hints(name):
    """The hints of an exercise, for the last line of a cell."""
    return Hints(name)


def reset(name=None):
    """Begin an exercise again, or give the whole engine back to the course.

    With a name: its progress is forgotten, a part of the learner's in `my_engine.py` becomes the course's again after a
    dated copy, and its stub comes back in a new cell below this one. Without: all parts become the course's.
    """
    from exercises.engine_file import own

    if name is None:
        given = own.give_back() or f"No part of {own.FILE} is yours."
        return progress.Note(f"{given} Progress is as it was; exercises.progress.reset() forgets it.")
    if name not in names():
        return progress.Note(f"There is no exercise {name!r}. There are: {', '.join(names())}.")
    text, given = stub(name), own.give_back(name)
    progress.reset(name)
    said = " ".join([f"{name} is as if never tried.", *([given] if given else [])])
    try:
        from IPython import get_ipython

        get_ipython().set_next_input(text)
    except (ImportError, AttributeError):
        return progress.Note(f"{said} Its stub:\n\n{text}")
    return progress.Note(f"{said} Its stub stands in the cell below: run that cell instead of your own.")
