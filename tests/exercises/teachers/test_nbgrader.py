"""The lessons as nbgrader's source notebooks: their metadata, what they leave to learners, and the points."""

import json
import re
from pathlib import Path

import nbformat
import pytest

from exercises.content import library
from exercises.content.lessons import BY_NUMBER, LESSONS
from exercises.teachers import nbgrader
from tests import notebooks

WITH_EXERCISES = [lesson for lesson in BY_NUMBER.values() if library.names(lesson.number)]
FIELDS = {"schema_version", "grade", "locked", "solution", "task", "grade_id"}  # nbgrader's schema, version 3


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    folder = tmp_path_factory.mktemp("course")
    assert nbgrader.main([str(folder)]) == 0
    return folder


def source(course, lesson):
    path = Path(lesson.file)
    return notebooks.read(course / "source" / path.stem / path.name)


def marked(notebook):
    """Return {grade_id: cell} of the cells that nbgrader looks at."""
    found = [cell for cell in notebook.cells if "nbgrader" in cell.metadata]
    ids = [cell.metadata.nbgrader.grade_id for cell in found]
    assert len(ids) == len(set(ids))
    return dict(zip(ids, found))


def released(text):
    """Return a solution cell as nbgrader gives it out with the course's settings: the solution is removed."""
    return re.sub(rf"{nbgrader.BEGIN}.*?{nbgrader.END}", "", text, flags=re.DOTALL)


@pytest.mark.parametrize("lesson", WITH_EXERCISES, ids=lambda lesson: lesson.number)
def test_source_notebook_has_solution_cells_and_locked_points(course, lesson):
    """Without the points, and with the solutions taken out, it is the lesson, cell by cell."""
    notebook, names = source(course, lesson), library.names(lesson.number)
    nbformat.validate(notebook)
    cells = marked(notebook)
    assert list(cells) == [part for name in names for part in (name, f"{name}-point")]
    for grade_id, cell in cells.items():
        meta = cell.metadata.nbgrader
        assert set(meta) - {"points"} == FIELDS and meta.schema_version == 3
        assert re.fullmatch(r"[a-zA-Z0-9_\-]+", grade_id) and cell.cell_type == "code"
        kind = (meta.solution, meta.grade, meta.locked, meta.task, meta.get("points"))
        point = (False, True, True, False, 1)
        assert kind == (point if grade_id.endswith("-point") else (True, False, False, False, None))
    kept = [cell for cell in notebook.cells if not cell.metadata.get("nbgrader", {}).get("grade")]
    begun = [released(cell.source).strip() if "nbgrader" in cell.metadata else cell.source for cell in kept]
    original = notebooks.read(notebooks.NOTEBOOKS / lesson.file)
    assert begun == [c.source.strip() if notebooks.exercise_of(c) else c.source for c in original.cells]
    assert [name for name in names if library.solution(name).code.strip() not in cells[name].source] == []


@pytest.mark.long
@pytest.mark.parametrize("solved", [True, False], ids=["solved", "unsolved"])
def test_point_is_given_only_for_a_right_answer(course, solved):
    notebook = source(course, WITH_EXERCISES[1])
    for name in library.names("01"):
        cell = marked(notebook)[name]
        cell.source = cell.source if solved else released(cell.source)
    ran = notebooks.run(notebook)
    points = {name: cell.outputs[-1]["data"]["text/plain"] for name, cell in marked(ran).items() if "-point" in name}
    assert points == {f"{name}-point": "1" if solved else "0" for name in library.names("01")}


def test_existing_settings_are_kept_and_the_needed_ones_printed(course, tmp_path, capsys):
    assert "code_stub" in (course / nbgrader.CONFIG).read_text(encoding="utf-8")
    (tmp_path / nbgrader.CONFIG).write_text("# mine", encoding="utf-8")
    assert nbgrader.main([str(tmp_path)]) == 0
    assert (tmp_path / nbgrader.CONFIG).read_text(encoding="utf-8") == "# mine"
    shown = capsys.readouterr().out
    assert (
        nbgrader.SETTINGS in shown
        and f"Next, there: nbgrader generate_assignment {Path(LESSONS[0].file).stem}" in shown
    )


def test_unwritable_target_or_missing_lessons_get_a_message(tmp_path, capsys, monkeypatch):
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert nbgrader.main([str(tmp_path / "file")]) == 1
    assert capsys.readouterr().out.startswith(f"{tmp_path / 'file'} cannot be written to: ")
    monkeypatch.setattr(nbgrader.lessons, "folder", lambda: None)
    assert nbgrader.main([str(tmp_path / "course")]) == 1
    assert capsys.readouterr().out.startswith("The lessons are not here: ")


def test_settings_are_valid_python_and_minimal():
    class Section(dict):
        __setattr__ = dict.__setitem__

        def __getattr__(self, name):
            return self.setdefault(name, Section())

    c = Section()
    exec(nbgrader.SETTINGS, {"get_config": lambda: c})
    assert json.loads(json.dumps(c)) == {
        "CourseDirectory": {"course_id": "backpropagation"},
        "ClearSolutions": {"code_stub": {"python": ""}},
        "Execute": {"timeout": 120},
    }
