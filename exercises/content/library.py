"""Reads the files of the exercises: solutions with their hints, stubs, and known mistakes.

A known mistake is a heading, a sentence, the lesson and section that treat it with words that occur there, and wrong
code that makes it, in each common spelling: `old` → `new`, or several of these separated by commas, changes the right
code wherever it contains the old text (`\\n` is a new line there); so does a ```diff block, for added or moved lines;
what a ```python block defines replaces what has its name. A ```shown block is for readers: the lines of an engine that
is written out, with one rule for each operation, as a diff from right to wrong.
"""

import ast
import difflib
import functools
import html
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from exercises.content.lessons import BY_NUMBER, link

TASKS = Path(__file__).parents[1] / "tasks"
EARLIER = {  # {an exercise: those of an earlier edition of the course that it replaced}
    "first_rules": ("collect",),
    "multiply": ("add", "multiply", "constants"),
    "rules": ("add_rule", "multiply_rule"),
    **dict.fromkeys(("relu", "functions", "sigmoid"), ("local_derivatives",)),
}


@functools.cache
def exercises():
    """Return {lesson: the names of its exercises, in order}, from `tasks/__init__.py`."""
    return ast.literal_eval(ast.parse((TASKS / "__init__.py").read_text(encoding="utf-8")).body[-1].value)


def names(lesson=None):
    """Return the exercises of a lesson ("03"), in order; without a lesson, of all lessons."""
    return [name for number, listed in exercises().items() for name in listed if lesson in (None, number)]


def replaced(name):
    """Return a sentence on what replaced an exercise of an earlier edition; "" for any other name."""
    new = [each for each, earlier in EARLIER.items() if name in earlier and name not in names()]
    if not new:
        return ""
    lesson = next(number for number, listed in exercises().items() if new[0] in listed)
    return f"{name} is now {' and '.join(new)}, in lesson {lesson}; what you had passed still counts."


def place(name, file):
    """Return the path of an exercise's file, `tasks/<name>/<file>`. Raise ValueError if there is no such exercise."""
    if name not in names():
        raise ValueError(replaced(name) or f"There is no exercise {name!r}. There are: {', '.join(names())}.")
    return TASKS / name / file


class Line(NamedTuple):
    """A line of code, its number in its file, and its explanation, "" if it has none."""

    number: int
    code: str
    says: str


def lines(text):
    """Return the Lines of a text. Explanations follow `#:`, at the end of a line and in lines that begin with `#:`."""
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        written, mark, says = line.partition("#: ")
        if mark and not written.strip():
            found[-1] = found[-1]._replace(says=f"{found[-1].says} {says}")
        else:
            found.append(Line(number, written.rstrip() if mark else line, says))
    return found


def code(lines):
    """Return the text of some Lines, without their explanations."""
    return "\n".join(line.code for line in lines).strip("\n") + "\n"


@dataclass(frozen=True)
class Solution:
    """An exercise's two hints, and the Lines of its solution, which is the content of the stub's cell."""

    hints: tuple
    lines: list

    @property
    def code(self):
        """Its text, as a learner sees it."""
        return code(self.lines)


def solution(name):
    """Return the Solution of an exercise: the file's docstring has one hint per paragraph; the rest is the code."""
    text = place(name, "solution.py").read_text(encoding="utf-8")
    docstring = ast.parse(text).body[0]
    hints = tuple(" ".join(paragraph.split()) for paragraph in ast.literal_eval(docstring.value).split("\n\n"))
    return Solution(hints, lines(text)[docstring.end_lineno :])


def exercise_of(cell):
    """Return the exercise whose stub a notebook's cell is, by its tag exercise-<name>; None for other cells."""
    tags = cell.get("metadata", {}).get("tags", [])
    return next((tag.removeprefix("exercise-") for tag in tags if tag.startswith("exercise-")), None)


def stub(name):
    return place(name, "stub.py").read_text(encoding="utf-8").strip("\n") + "\n"


@functools.cache
def asked_for():
    """Return the names of all functions and classes that the stubs of the exercises define."""
    kinds = ast.FunctionDef | ast.ClassDef
    return {node.name for name in names() for node in ast.parse(stub(name)).body if isinstance(node, kinds)}


class Hints:
    """Two hints and the solution of an exercise, each behind its own click."""

    def __init__(self, name):
        self.solution = solution(name)

    def parts(self):
        """Return (heading, HTML) of each hint and of the solution."""
        hints = [(f"Hint {i}", f"<p>{marked(hint)}</p>") for i, hint in enumerate(self.solution.hints, start=1)]
        return [*hints, ("Solution", f"<pre>{html.escape(self.solution.code)}</pre>")]

    def _repr_mimebundle_(self, **kwargs):
        details = "".join(f"<details><summary>{name}</summary>{text}</details>" for name, text in self.parts())
        return {"text/html": details, "text/plain": repr(self)}

    def __repr__(self):
        return f"Hint 1: {self.solution.hints[0]}"


def marked(text):
    """Convert plain text to HTML, with text in backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text))


def hints(name):
    """Show the hints of an exercise; call it in the last line of a cell."""
    return Hints(name)


# Known mistakes

SEE = re.compile(r"^See (?:lesson|workshop) (\w+), “(.+)”(?: \((.+)\))?\.$")
ARROW = re.compile(r"`([^`]+)` →\s`([^`]*)`")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ANSWER = re.compile(rf"{BLOCK.pattern}|^({ARROW.pattern}(?:,\s{ARROW.pattern})*)$", BLOCK.flags)


@dataclass(frozen=True)
class Mistake:
    """A misconception that explains an answer: a name, a sentence, and the lesson and section that treat it."""

    name: str
    sentence: str
    lesson: str = ""
    section: str = ""

    @classmethod
    def from_wrong_engine(cls, wrong):
        """Return the mistake of a WrongEngine."""
        return cls(wrong.name, wrong.sentence, wrong.lesson, wrong.section)

    def without_place(self):
        """Return the mistake for a reader who has not met the section."""
        return replace(self, lesson="", section="")

    def render_text(self):
        """Return the mistake as one line."""
        where = f"See {BY_NUMBER[self.lesson].name}, “{self.section}”." if self.lesson else ""
        return " ".join(filter(None, (f"{self.name}.", self.sentence, where)))

    def html(self):
        """Return the mistake as one line, with a link to the section."""
        said = f"<b>{marked(self.name)}.</b> {marked(self.sentence)}".strip()
        if not self.lesson:
            return said
        treated = BY_NUMBER[self.lesson]
        where = f"{treated.name}, “{self.section}”"
        return f'{said} See <a href="{html.escape(link(treated.link_to(self.section)))}">{html.escape(where)}</a>.'


@dataclass(frozen=True)
class Known:
    """A Mistake, and the wrong answers that make it, each as a cell's text."""

    mistake: Mistake
    changes: tuple  # ("→", "diff" or "python", text)
    words: tuple = ()  # that occur together in the section that treats it, and in few others
    shown: tuple = ()  # (right lines, wrong lines) that the bug hunt shows

    def codes(self, solution):
        """Return the wrong answers, made from the solution's text. Raise ValueError if a change does not fit it."""
        try:
            return tuple(changed(solution, *change) for change in self.changes)
        except ValueError as fault:
            raise ValueError(f"The known mistake “{self.mistake.name}” cannot be made: {fault}") from None


def mistakes_in(path):
    """Return the Known mistakes of a file, in order; () if there is no such file."""
    if not path.exists():
        return ()
    return tuple(map(read, re.split(r"^## ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]))


def read(text):
    """Return the Known mistake that a text describes."""
    blocks, text = answers(text)
    heading, _, rest = text.partition("\n")
    lines = [line.strip() for line in rest.splitlines()]
    *place, said = next((found.groups() for line in lines if (found := SEE.match(line))), (None,))
    words = " ".join(line for line in lines if line and not SEE.match(line))
    changes = tuple(block for block in blocks if block[0] != "shown")
    shown = tuple(pair for kind, code in blocks if kind == "shown" for pair in hunks(code))
    return Known(Mistake(heading.strip(), words, *place), changes, tuple(said.split(", ")) if said else (), shown)


def answers(text):
    """Return (the wrong answers of a text, each ("diff", "python" or "→", its text), and the text without them)."""
    found = [(each[1], each[2]) if each[1] else ("→", each[3]) for each in ANSWER.finditer(text)]
    return tuple(found), ANSWER.sub("", text)


def changed(solution, kind, text):
    """Return the text of a wrong answer.

    A change applies wherever its old text occurs; an empty line separates a diff's hunks. What a Python text defines
    replaces what has that name in the solution.
    """
    if kind == "python":
        return redefined(solution, text)
    if kind == "→":
        changes = [[side.replace("\\n", "\n") for side in change] for change in ARROW.findall(text)]
    else:
        changes = hunks(text)
    put = []
    for old, new in changes:
        if any(old in other and old not in gone for gone, other in put):
            raise ValueError(f"{old!r} also stands in what the change before it puts there.")
        put.append((old, new))
        if old not in solution:
            close = difflib.get_close_matches(old, [line.strip() for line in solution.splitlines()], 1)
            near = f" The line most like it is {close[0]!r}." if close else ""
            raise ValueError(f"The solution has no {old!r}.{near}")
        solution = solution.replace(old, new)
    return solution


def hunks(text):
    """Return (lines before, lines after) of each hunk of a diff; empty lines separate hunks."""
    return [sides(hunk) for hunk in re.split(r"\n\s*\n", text.strip("\n"))]


def sides(hunk):
    lines = [(line[:1], line[1:].removeprefix(" ")) for line in hunk.splitlines()]
    return tuple("\n".join(rest for sign, rest in lines if sign != other) for other in "+-")


@functools.lru_cache(maxsize=1024)
def redefined(solution, text):
    """Return the solution with a text in place of the functions and classes that it redefines.

    Put the text at the end if it defines none of these, or assigns names: those have to hold at the end.
    """
    kinds, lines, place = ast.FunctionDef | ast.ClassDef, solution.splitlines(), None
    body = ast.parse(text).body
    if any(isinstance(node, ast.Assign) for node in body):
        return f"{solution}\n\n{text}"
    names = {node.name for node in body if isinstance(node, kinds)}
    for node in reversed(ast.parse(solution).body):
        if isinstance(node, kinds) and node.name in names:
            place = min(each.lineno for each in (node, *node.decorator_list)) - 1
            del lines[place : node.end_lineno]
    place = len(lines) if place is None else place
    parts = "\n".join(lines[:place]), text, "\n".join(lines[place:])
    return "\n\n\n".join(part.strip("\n") for part in parts if part.strip()) + "\n"
