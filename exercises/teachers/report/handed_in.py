"""The contents of a folder of handed-in work: whose it is, and of which kind. Nothing here runs a learner's code."""

import ast
import datetime
import json
import re
from dataclasses import dataclass, field
from pathlib import Path

from exercises.content import library
from exercises.content.lessons import BY_NUMBER
from exercises.engine_file import merging, store
from exercises.engine_file.places import FILE, FILES, TENSOR_FILE, slots_of
from exercises.engine_file.sources import Sources
from exercises.storage import progress

NOTEBOOK, ENGINE, PROGRESS = "notebook", "engine", "progress"
KINDS = {".ipynb": NOTEBOOK, ".py": ENGINE, ".json": PROGRESS}
MOST = 50_000_000  # bytes of a file: an executed lesson has a fiftieth of that
COPIES = re.compile(r"my_(engine|tensor)\..+\.py|progress\.set-aside-\d+\.json")  # set aside by the course itself
COURSES_NAMES = (*(Path(each.file).stem for each in BY_NUMBER.values()), "my_engine", "my_tensor", "progress")
LONG = 200  # characters that a solution adds to its stub: two people hardly write so many alike
ASKED = re.compile(r"\bcheck\.(\w+)\(")


@dataclass(frozen=True)
class File:
    """A handed-in file: whose it is, its kind, and its path."""

    learner: str
    kind: str
    path: Path


@dataclass(frozen=True)
class Work:
    """The runnable content of a file, read before any learner's code runs: its exercises, and the text of its code.

    code: the text of each code cell of a notebook; {file: its text} of an engine. cells: {exercise: the number of its
    cell}. same: the exercises whose answer is the course's solution, but for comments and layout.
    """

    kind: str
    path: str
    there: list
    code: list | dict
    cells: dict = field(default_factory=dict)
    same: list = field(default_factory=list)


class Unreadable(Exception):
    """A file that cannot be used; the message says why."""


def files(folder):
    """Return the Files in a folder, in order of learners and names.

    A folder in it belongs to a learner, with everything below. A file directly in it is named after its learner, as
    learning platforms name their downloads: "Ada Example_04_in_which_order.ipynb".
    """
    found = []
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        hidden = any(part.startswith((".", "__")) for part in parts)
        is_second = path.name == TENSOR_FILE and path.with_name(FILE).is_file()  # read together with the first
        if path.suffix in KINDS and path.is_file() and not (hidden or is_second or COPIES.fullmatch(path.name)):
            found.append(File(parts[0] if len(parts) > 1 else learner_of(path), KINDS[path.suffix], path))
    return sorted(found, key=lambda file: (file.learner.casefold(), str(file.path)))


def folders(folder):
    """Return the names of learners who have a folder in it, even an empty one."""
    return [path.name for path in folder.iterdir() if path.is_dir() and not path.name.startswith((".", "__"))]


def learner_of(path):
    """Return the learner of a file among other people's: its name without the course's own name for it."""
    name = path.stem
    for known in COURSES_NAMES:
        name = name.replace(known, "")
    return name.strip(" _-.,()") or path.parent.name


def text_of(path):
    """Return the text of a file; raise Unreadable if it is too large, no text, or cannot be read."""
    try:
        if path.stat().st_size > MOST:
            raise Unreadable(f"it is larger than {MOST // 1_000_000} MB")
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise Unreadable("it is not UTF-8 text") from None
    except OSError as fault:
        raise Unreadable(fault.strerror or str(fault)) from None


def work_in(file):
    path = str(file.path.resolve())
    if file.kind == NOTEBOOK:
        code, there, cells = code_in(file.path)
        same = [
            name for name, i in cells.items() if is_long(name) and tree(code[i]) == tree(library.solution(name).code)
        ]
        return Work(NOTEBOOK, path, there, code, cells, same)
    sources = sources_in(file.path)
    there = sources.owned()
    return Work(ENGINE, path, there, sources.texts(), same=[each for each in there if is_solution(each, sources)])


def is_long(name):
    """Return whether the solution of an exercise is too long to be written alike by chance."""
    known = set(map(str.strip, library.stub(name).splitlines()))
    lines = [line.partition("#")[0].strip() for line in library.solution(name).code.splitlines()]
    return sum(len(line) for line in lines if line not in known) >= LONG


def tree(text):
    """Return a cell's syntax as text, without comments and layout; "" if it has none."""
    try:
        return ast.dump(ast.parse(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""


def is_solution(name, sources):
    """Return whether what fills the places of an exercise in an engine is the course's solution, if that is long."""
    if not is_long(name):
        return False
    solved = Sources()
    merging.merge(solved, name, library.solution(name).code)
    pairs = [(sources.find(slot), solved.find(slot)) for slot in slots_of(name)]
    return all(mine and right and mine.tree == right.tree for mine, right in pairs)


def progress_in(path):
    """Return a progress file's entry on each exercise of the course: {name: (the day it was passed or None, tries)}.

    The file is the learner's own: an invalid day or count is not used.
    """
    try:
        found = json.loads(text_of(path))
    except (ValueError, RecursionError):
        raise Unreadable("it is not JSON, or only part of it") from None
    if not progress.is_progress(found):
        raise Unreadable("it is not a progress file of this course")
    said = {name: found["exercises"][name] for name in library.names() if name in found["exercises"]}
    return {name: (day_of(each["passed"]), min(max(0, int(each["tries"])), MOST)) for name, each in said.items()}


def day_of(passed):
    """Return the day of a pass, as 2026-01-31; None without a pass, and a word if it is no date."""
    if passed is None:
        return None
    try:
        return datetime.date.fromisoformat(passed[:10]).isoformat()
    except ValueError:
        return "no date"


def sources_in(path):
    """Return the Sources of a `my_engine.py`, with the `my_tensor.py` next to it, or of one of them alone."""
    texts = {path.name if path.name in FILES else "": text_of(path)}
    if path.name == FILE and path.with_name(TENSOR_FILE).is_file():
        texts[TENSOR_FILE] = text_of(path.with_name(TENSOR_FILE))
    sources = store.sources_of(texts)
    if sources is None:
        raise Unreadable("it is not a my_engine.py of this course")
    return sources


def code_in(path):
    """Return (the text of each code cell of a notebook, its exercises, {exercise: the number of its cell})."""
    try:
        notebook = json.loads(text_of(path))
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        code = ["".join(cell["source"]) for cell in cells]
        tagged = {library.exercise_of(cell): i for i, cell in enumerate(cells)}
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        raise Unreadable("it is not a complete notebook in the lessons' format") from None
    named = set(tagged).union(*map(ASKED.findall, code))
    if not (there := [name for name in library.names() if name in named]):
        raise Unreadable("it has no exercise of this course")
    return code, there, {name: tagged[name] for name in there if name in tagged}
