"""Every lesson: runs unsolved and solved, keeps its budget, is stripped, and has the parts a lesson has."""

import ast
import re
import statistics
from pathlib import Path

import nbformat
import pytest

from tests import lessons

each_lesson = pytest.mark.parametrize("path", lessons.LESSONS, ids=lambda path: path.stem)


def test_there_is_a_lesson():
    assert lessons.LESSONS


@each_lesson
def test_a_lesson_runs_unsolved(path):
    notebook = lessons.run(lessons.read(path))
    printed = lessons.text_of(notebook)
    assert printed
    outputs = [output for cell in lessons.cells(notebook, "code") for output in cell.outputs]
    assert not [output for output in outputs if output.output_type == "error" or output.get("name") == "stderr"]


@each_lesson
def test_a_lesson_keeps_its_budget(path):
    notebook = lessons.read(path)
    code, markdown = lessons.cells(notebook, "code"), lessons.cells(notebook, "markdown")
    lines = [len([line for line in cell.source.splitlines() if line.strip()]) for cell in code]
    assert 40 <= len(notebook.cells) <= 80
    assert statistics.median(lines) <= 4
    assert sum(n <= 12 for n in lines) >= 0.9 * len(lines)
    stage = [cell for cell in code if "stage" in cell.metadata.get("tags", [])]
    assert all(n <= 25 for n, cell in zip(lines, code) if cell not in stage)
    prose = " ".join(re.sub(r"```.*?```|<[^>]+>", " ", cell.source, flags=re.DOTALL) for cell in markdown)
    assert 1200 <= len(prose.split()) <= 2500
    assert not any(line.lstrip().startswith(("%", "!")) for cell in code for line in cell.source.splitlines())


@each_lesson
def test_a_lesson_is_stripped(path):
    notebook = lessons.read(path)
    assert all(not cell.outputs and cell.execution_count is None for cell in lessons.cells(notebook, "code"))
    assert set(notebook.metadata) <= {"kernelspec", "language_info"}
    nbformat.validate(notebook)


@each_lesson
def test_a_lesson_has_every_part(path):
    notebook = lessons.read(path)
    headings = re.findall(r"^#+ .*$", "\n".join(c.source for c in lessons.cells(notebook, "markdown")), re.MULTILINE)
    assert sum(heading.startswith("# ") for heading in headings) == 1
    for part in ("Break it", "Common mistakes", "Recap", "Go on", "Exercise"):
        assert any(part in heading for heading in headings), part
    first, last = notebook.cells[0].source, notebook.cells[-1].source
    assert all(part in first for part in ("You will", "You need", "minutes", "Previous", "Next"))
    assert "For teachers" in last
    assert sum("**Predict" in cell.source for cell in lessons.cells(notebook, "markdown")) >= 3
    assert sum(map(lessons.is_exercise, notebook.cells)) >= 3


@each_lesson
def test_each_exercise_has_three_hints(path):
    notebook = lessons.read(path)
    hints = "\n".join(cell.source for cell in lessons.cells(notebook, "markdown"))
    exercises = sum(map(lessons.is_exercise, notebook.cells))
    for hint in ("Hint 1", "Hint 2", "Solution"):
        assert hints.count(f"<summary>{hint}</summary>") == exercises
    for mark in ("Difficulty", "Importance"):
        assert hints.count(mark) == exercises


@each_lesson
def test_imports_stand_in_one_cell_and_are_few(path):
    code = lessons.cells(lessons.read(path), "code")
    trees = [ast.parse(cell.source) for cell in code]
    importing = [
        i for i, tree in enumerate(trees) if any(isinstance(n, ast.Import | ast.ImportFrom) for n in ast.walk(tree))
    ]
    assert importing == [0]


@each_lesson
def test_links_lead_somewhere(path):
    for cell in lessons.cells(lessons.read(path), "markdown"):
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", cell.source):
            assert (Path(path).parent / target).exists(), target
