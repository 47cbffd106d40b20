"""The course's map if the project is installed without its notebooks, as in a class or on the page."""

import pytest

from exercises import course_map
from exercises.content.lessons import LESSONS
from exercises.engine_file import store


@pytest.mark.parametrize("below", ["", "workshops"])
def test_course_map_finds_lessons_in_the_current_folder_or_above(below, tmp_path, monkeypatch):
    (tmp_path / LESSONS[3].file).touch()
    (tmp_path / "workshops").mkdir()
    monkeypatch.chdir(tmp_path / below)
    monkeypatch.delenv("BACKPROP_ENGINE_DIR", raising=False)
    assert [row.number for row in course_map().rows if row.notebook] == ["03"]
    assert store.path() == tmp_path / "my_engine.py"


def test_course_map_lists_the_project_lessons_elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert [row.notebook for row in course_map().rows][:11] == [lesson.file for lesson in LESSONS[:11]]
