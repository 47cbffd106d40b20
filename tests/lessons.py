"""The lessons as data: read, run unsolved, and run with the solutions put in."""

import functools
import os
import re
import tempfile
import time
from pathlib import Path

import nbclient
import nbformat
import pytest

from exercises.explaining.known import known
from exercises.shelf import library
from exercises.shelf.library import exercise_of

NOTEBOOKS = Path(__file__).parent.parent / "notebooks"
LESSONS = sorted(NOTEBOOKS.glob("*.ipynb"))


def read(path):
    """A lesson's notebook."""
    return nbformat.read(path, as_version=4)


def cells(notebook, kind):
    """The cells of a kind, "code" or "markdown"."""
    return [cell for cell in notebook.cells if cell.cell_type == kind]


def runs_own_engine(cell):
    """Whether a code cell says, by its tag, that what it shows comes from the learner's own engine."""
    return "own-engine" in cell.metadata.get("tags", [])


def solved(notebook):
    """The notebook with each stub replaced by its solution."""
    for cell in notebook.cells:
        if exercise_of(cell):
            cell.source = library.solution(exercise_of(cell)).code
    return notebook


def wrong_answer(name):
    """The solution of an exercise with the first of its known mistakes."""
    return known(name)[0].codes(library.solution(name).code)[0]


@functools.cache
def ran(path, with_solutions=False):
    """A lesson after *Run All*, unsolved or solved: run once for all tests, and not to be changed."""
    place = Path(os.environ["BACKPROP_TEST_RUNS"]) / f"{path.stem}-{'solved' if with_solutions else 'unsolved'}.ipynb"
    return read(once(place, lambda: nbformat.writes(run(solved(read(path)) if with_solutions else read(path)))))


def once(place, text):
    """A file's place, written with what text() gives by the first worker that asks for it; the others wait."""
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


def run(notebook):
    """Run every cell, as *Run All* does, with no progress and no engine of one's own; the notebook with its outputs."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("BACKPROP_DATA_DIR", folder)
        patch.setenv("BACKPROP_ENGINE_DIR", folder)
        nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(NOTEBOOKS)}}).execute()
    return notebook


def names_of(path, with_solutions=True):
    """The names that a lesson's code cells define, run in this process."""
    notebook = read(path)
    names = {}
    for cell in cells(solved(notebook) if with_solutions else notebook, "code"):
        exec(cell.source, names)
    return names


def verdicts(notebook):
    """What the checks of a run notebook say: {exercise: text}."""
    said = {}
    for cell in cells(notebook, "code"):
        if found := re.search(r"\bcheck\.(\w+)\(", cell.source):
            said[found[1]] = "".join(output.get("data", {}).get("text/plain", "") for output in cell.outputs)
    return said


def prose_of(path):
    """All text of a lesson, and of what its cells print when it is run unsolved."""
    return "\n".join([*(cell.source for cell in cells(read(path), "markdown")), text_of(ran(path))])


def text_of(notebook):
    """All text that running the notebook printed or returned."""
    found = []
    for cell in cells(notebook, "code"):
        for output in cell.outputs:
            found.append(output.get("text", "") or output.get("data", {}).get("text/plain", ""))
    return "\n".join(found)
