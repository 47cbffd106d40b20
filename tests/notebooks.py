"""The notebooks as data: read, run unsolved, and run with the solutions put in."""

import ast
import functools
import os
import re
import tempfile
import time
from pathlib import Path

import nbclient
import nbformat
import pytest

from exercises.content import lessons, library
from exercises.content.library import exercise_of
from exercises.explaining.catalogue import known_mistakes

NOTEBOOKS = Path(__file__).parent.parent / "notebooks"
LESSONS = [NOTEBOOKS / each.file for each in lessons.LESSONS]
WORKSHOPS = [NOTEBOOKS / each.file for each in lessons.WORKSHOPS]
EVERY = [*LESSONS, *WORKSHOPS]

# Cells, by lesson and id, with numbers that are not the same everywhere: a browser's libm rounds tanh, exp, log and
# powers in another way, and processors add up a matrix product in another order. The last digit differs; or, of a
# program that swings or learns with a wrong rule, the loss.
NUMBER = r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?"
ROUNDED = {
    "01": {"15", "53", "60"},
    "are_my_gradients_right": {"33", "ae198fea"},
    "what_should_be_zeroed": {"44", "46", "48"},
    "why_is_this_gradient_zero": {"42"},
    "why_0_02": {"37"},
    "how_long_a_step": {"96b6a8ca", "2aa2b712", "c21c0e57", "1f7a8db1"},
    "the_shape_is_right": {"83244d9f"},
    "it_learns_is_it_right": {"bdc92e32"},
    "attention_by_hand": {"block-train", "def-diagonal-scores"},
}


def read(path):
    return nbformat.read(path, as_version=4)


def cells(notebook, kind):
    return [cell for cell in notebook.cells if cell.cell_type == kind]


def rounded(path, cell):
    """Return whether a lesson's cell shows numbers that are not the same everywhere."""
    return cell.id in ROUNDED.get(number(path), ())


def number(path):
    """Return the number of a notebook of the core, or the name of a workshop."""
    return path.stem if path in WORKSHOPS else path.name[:2]


def runs_own_engine(cell):
    """Return whether a code cell's tag says that its output comes from the learner's own engine."""
    return "own-engine" in cell.metadata.get("tags", [])


def solved(notebook):
    for cell in notebook.cells:
        if exercise_of(cell):
            cell.source = library.solution(exercise_of(cell)).code
    return notebook


def wrong_answer(name):
    """Return the solution of an exercise with the first of its known mistakes."""
    return known_mistakes(name)[0].codes(library.solution(name).code)[0]


@functools.cache
def ran(path, with_solutions=False):
    """Return a lesson after *Run All*, unsolved or solved: it runs once for all tests, and must not be changed."""
    place = Path(os.environ["BACKPROP_TEST_RUNS"]) / f"{path.stem}-{'solved' if with_solutions else 'unsolved'}.ipynb"
    return read(once(place, lambda: nbformat.writes(run(solved(read(path)) if with_solutions else read(path)))))


def once(place, text):
    """Return a file's place; the first worker that needs it writes what text() returns, the others wait."""
    begun = place.with_suffix(".begun")
    while not place.exists():
        try:
            begun.open("x").close()
        except FileExistsError:
            time.sleep(0.2)
            continue
        try:
            if not place.exists():  # another may have ended just before
                half = place.with_suffix(".half")
                half.write_text(text(), encoding="utf-8")
                half.replace(place)
        finally:
            begun.unlink()
    return place


def run(notebook, engine=""):
    """Run every cell, as *Run All* does, with no progress and this my_engine.py; return the run notebook."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        if engine:
            Path(folder, "my_engine.py").write_text(engine, encoding="utf-8")
        patch.setenv("BACKPROP_DATA_DIR", folder)
        patch.setenv("BACKPROP_ENGINE_DIR", folder)
        nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(NOTEBOOKS)}}).execute()
    return notebook


def names_of(path, with_solutions=True):
    """Return the names that a lesson's code cells define, run in this process."""
    notebook = read(path)
    names = {}
    for cell in cells(solved(notebook) if with_solutions else notebook, "code"):
        exec(cell.source, names)
    return names


def verdicts(notebook):
    """Return the verdicts of a run notebook's checks: {exercise: text}."""
    said = {}
    for cell in cells(notebook, "code"):
        if found := re.search(r"\bcheck\.(\w+)\(", cell.source):
            said[found[1]] = "".join(output.get("data", {}).get("text/plain", "") for output in cell.outputs)
    return said


def text_of(notebook):
    return "\n".join(output_of(cell) for cell in cells(notebook, "code"))


def output_of(cell):
    return "".join(each.get("text", "") or each.get("data", {}).get("text/plain", "") for each in cell.outputs)


def faults(notebook):
    """Return the outputs of a run notebook that are errors or warnings."""
    outputs = [output for cell in cells(notebook, "code") for output in cell.outputs]
    return [output for output in outputs if output.output_type == "error" or output.get("name") == "stderr"]


def joined(text):
    return " ".join(text.split())


def names_in(source):
    """Return (the names that a cell gives or changes, those that it uses)."""
    nodes = list(ast.walk(ast.parse(source)))
    gives = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    gives |= {node.asname or node.name for node in nodes if isinstance(node, ast.alias)}
    for node in nodes:
        stored = node.value if isinstance(node, ast.Attribute | ast.Subscript) else node
        if isinstance(stored, ast.Name) and isinstance(node.ctx, ast.Store):
            gives.add(stored.id)
    return gives, {node.id for node in nodes if isinstance(node, ast.Name)}


def needed(code, is_asked, names=()):
    """Return the code cells that the caller names, those that define these names, and what these need."""
    found, names = [], set(names)
    for cell in reversed(code):
        gives, uses = names_in(cell.source)
        if is_asked(cell) or gives & names:
            found.append(cell)
            names |= uses
    return found[::-1]


class Lesson:
    """A lesson by its number: what its author wrote, what its cells show, and by `[name]` what they define.

    Of a lesson that trains at length, only the cells that a name needs run: those that assign what it is made of.
    """

    def __init__(self, number, with_solutions=False, trains=False):
        self.path = next(path for path in EVERY if path.name.startswith(number))
        self.with_solutions, self.trains = with_solutions, trains
        self.partly, self.done, self.asked = {}, set(), set()  # names, the cells that were run, and what for

    @functools.cached_property
    def joined_sources(self):
        return joined("\n".join(cell.source for cell in read(self.path).cells))

    @functools.cached_property
    def printed(self):
        return joined(text_of(ran(self.path)))

    @functools.cached_property
    def names(self):
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(NOTEBOOKS)
            return names_of(self.path, self.with_solutions)

    def __getitem__(self, name):
        if not self.trains:
            return self.names[name]
        if name in self.asked:
            return self.partly[name]
        self.asked.add(name)
        code = cells(solved(read(self.path)) if self.with_solutions else read(self.path), "code")
        for cell in needed(code, lambda cell: False, {name}):
            if cell.id not in self.done:
                self.done.add(cell.id)
                exec(cell.source, self.partly)
        return self.partly[name]

    def says(self, *claims):
        """Assert that each claim, a text with the numbers that a test has computed, is in the lesson."""
        missing = [claim for claim in claims if joined(claim) not in self.joined_sources]
        assert not missing, missing

    def shows(self, *texts):
        """Assert that a cell shows each text; the engine gave the numbers in it before."""
        missing = [text for text in texts if joined(text) not in self.printed]
        assert not missing, missing

    def output(self, words):
        """Return what the first cell shows, unsolved, whose source ends with these words, or has them in it."""
        ran_cells = cells(ran(self.path), "code")
        found = [each for each in ran_cells if each.source.endswith(words)]
        return output_of((found or [each for each in ran_cells if words in each.source])[0])
