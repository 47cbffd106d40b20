"""Wrong code as changes of right code, and known mistakes as text: a name, what to say, and code that makes them.

A mistake is a heading, what to say, the lesson and section that treat it with words that stand there, and wrong code
that makes it, in each spelling that is common: `old` → `new`, or several of these parted by commas, changes the right
code wherever that stands (`\\n` is a new line there); so does a ```diff block, where lines are added or moved; what a
```python block defines takes the place of what has its name.
"""

import ast
import functools
import re
from dataclasses import dataclass

from exercises.verdicts.verdict import Mistake

SEE = re.compile(r"^See lesson (\d\d), “(.+)”(?: \((.+)\))?\.$")
ARROW = re.compile(r"`([^`]+)` →\s`([^`]*)`")
ANSWER = re.compile(rf"^```(\w+)\n(.*?)^```$|^({ARROW.pattern}(?:,\s{ARROW.pattern})*)$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Known:
    """A Mistake, and the wrong answers that make it: the text of a cell each."""

    mistake: Mistake
    changes: tuple  # ("→", "diff" or "python", text)
    words: tuple = ()  # that stand together in the section where it is treated, and in few others

    def codes(self, solution):
        """The wrong answers, made of the solution's text."""
        return tuple(changed(solution, *change) for change in self.changes)


def mistakes_in(path):
    """The Known mistakes of a file, in its order; none where there is no such file."""
    if not path.exists():
        return ()
    return tuple(map(read, re.split(r"^## ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]))


def read(text):
    """A Known mistake from its text."""
    blocks, text = answers(text)
    heading, _, rest = text.partition("\n")
    lines = [line.strip() for line in rest.splitlines()]
    *place, said = next((found.groups() for line in lines if (found := SEE.match(line))), (None,))
    words = " ".join(line for line in lines if line and not SEE.match(line))
    return Known(Mistake(heading.strip(), words, *place), blocks, tuple(said.split(", ")) if said else ())


def answers(text):
    """(the wrong answers of a text, each ("diff", "python" or "→", its text), and the text without them)."""
    found = [(each[1], each[2]) if each[1] else ("→", each[3]) for each in ANSWER.finditer(text)]
    return tuple(found), ANSWER.sub("", text)


def changed(solution, kind, text):
    """The text of a wrong answer. A change is made wherever its old text stands; an empty line parts a diff's hunks.

    What a Python text defines takes the place of what has that name in the solution.
    """
    if kind == "python":
        return redefined(solution, text)
    hunks = re.split(r"\n\s*\n", text.strip("\n"))
    for old, new in map(unescaped, ARROW.findall(text)) if kind == "→" else map(sides, hunks):
        if old not in solution:
            raise ValueError(f"The solution has no {old!r}.")
        solution = solution.replace(old, new)
    return solution


def unescaped(change):
    """Both sides of a change, with each `\\n` as a new line."""
    return tuple(side.replace("\\n", "\n") for side in change)


def sides(hunk):
    """The lines of a hunk of a diff before and after it."""
    lines = [(line[:1], line[1:].removeprefix(" ")) for line in hunk.splitlines()]
    return tuple("\n".join(rest for sign, rest in lines if sign != other) for other in "+-")


@functools.lru_cache(maxsize=1024)
def redefined(solution, text):
    """The solution with a text in place of the functions and classes that this defines anew.

    Below it, if the text defines none of these, or gives names to something: those are to hold at the end.
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
