"""The lessons as data: read, run unsolved, and run with the solutions put in."""

import re
from pathlib import Path

import nbclient
import nbformat

NOTEBOOKS = Path(__file__).parent.parent / "notebooks"
LESSONS = sorted(NOTEBOOKS.glob("*.ipynb"))

SOLUTION = re.compile(r"<summary>Solution</summary>\s*```python\n(.*?)```", re.DOTALL)


def read(path):
    """A lesson's notebook."""
    return nbformat.read(path, as_version=4)


def cells(notebook, kind):
    """The cells of a kind, "code" or "markdown"."""
    return [cell for cell in notebook.cells if cell.cell_type == kind]


def is_exercise(cell):
    """Whether a code cell is the stub of an exercise: it has a tag exercise-1, exercise-2, …"""
    return any(tag.startswith("exercise-") for tag in cell.metadata.get("tags", []))


def solved(notebook):
    """The notebook with each stub replaced by the solution in the next hints. Returns how many were replaced."""
    stub, replaced = None, 0
    for cell in notebook.cells:
        if cell.cell_type == "code" and is_exercise(cell):
            assert stub is None, "two stubs, and no solution between them"
            stub = cell
        elif cell.cell_type == "markdown" and (found := SOLUTION.search(cell.source)):
            stub.source, stub, replaced = found[1], None, replaced + 1
    assert stub is None, "a stub without a solution"
    return replaced


def run(notebook):
    """Run every cell, as *Run All* does; the notebook with its outputs."""
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(NOTEBOOKS)}}).execute()
    return notebook


def text_of(notebook):
    """All text that running the notebook printed or returned."""
    found = []
    for cell in cells(notebook, "code"):
        for output in cell.outputs:
            found.append(output.get("text", "") or output.get("data", {}).get("text/plain", ""))
    return "\n".join(found)
