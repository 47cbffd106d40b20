"""Reads what the exercises keep as files: solutions with their hints, and stubs."""

import ast
import functools
import html
import re
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

LESSONS = Path(__file__).parents[1] / "lessons"


@functools.cache
def exercises():
    """{lesson: the names of its exercises, in their order}, as each lesson's `__init__` lists them."""
    found = {}
    for place in sorted(LESSONS.glob("lesson_*/__init__.py")):
        listed = ast.parse(place.read_text(encoding="utf-8")).body[-1]
        found[place.parent.name.removeprefix("lesson_")] = ast.literal_eval(listed.value)
    return found


def names(lesson=None):
    """The exercises of a lesson ("03"), in their order in it; of all lessons without one."""
    return [name for number, listed in exercises().items() for name in listed if lesson in (None, number)]


def place(name, file):
    """A file of an exercise's folder, `lessons/lesson_NN/<name>/<file>`. ValueError where there is no such exercise."""
    lesson = next((number for number, listed in exercises().items() if name in listed), None)
    if lesson is None:
        raise ValueError(f"There is no exercise {name!r}. There are: {', '.join(names())}.")
    return LESSONS / f"lesson_{lesson}" / name / file


class Line(NamedTuple):
    """A line of code, its number in its file, and what it does; "" where that is not said."""

    number: int
    code: str
    says: str


def lines(text):
    """The Lines of a text. What one does stands at its end, after `#:`, and goes on in lines that begin with `#:`."""
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        written, mark, says = line.partition("#: ")
        if mark and not written.strip():
            found[-1] = found[-1]._replace(says=f"{found[-1].says} {says}")
        else:
            found.append(Line(number, written.rstrip() if mark else line, says))
    return found


def code(lines):
    """The text of some Lines, without what they say."""
    return "\n".join(line.code for line in lines).strip("\n") + "\n"


@dataclass(frozen=True)
class Solution:
    """An exercise's two hints, and the Lines of its solution, whose code is what stands in the stub's cell."""

    hints: tuple
    lines: list

    @property
    def code(self):
        """Its text, as a learner sees it."""
        return code(self.lines)


def solution(name):
    """The Solution of an exercise: the docstring of its file holds the hints, one a paragraph; the rest is the code."""
    text = place(name, "solution.py").read_text(encoding="utf-8")
    docstring = ast.parse(text).body[0]
    hints = tuple(" ".join(paragraph.split()) for paragraph in ast.literal_eval(docstring.value).split("\n\n"))
    return Solution(hints, lines(text)[docstring.end_lineno :])


def exercise_of(cell):
    """The name of the exercise whose stub a notebook's cell is, by its tag exercise-<name>; None for other cells."""
    tags = cell.get("metadata", {}).get("tags", [])
    return next((tag.removeprefix("exercise-") for tag in tags if tag.startswith("exercise-")), None)


def stub(name):
    """The stub of an exercise, as it stands in its lesson."""
    return place(name, "stub.py").read_text(encoding="utf-8").strip("\n") + "\n"


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
