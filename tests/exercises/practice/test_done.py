"""done(): the picture in the folder of my_engine.py, the days, and what cannot be saved."""

import datetime

import pytest
from matplotlib.figure import Figure

import figures
from autograd import Value
from exercises.practice import done as module
from exercises.storage import progress

DAY = datetime.date(2026, 11, 28)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("BACKPROP_ENGINE_DIR", str(tmp_path))
    monkeypatch.setenv("BACKPROP_DATA_DIR", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("picture", [Figure(), figures.draw_graph(Value(1.0) + 2)], ids=["chart", "graph"])
@pytest.mark.parametrize(("lesson", "name"), [("00", "evening_0.svg"), ("04", "evening_2.svg"), ("", "evening.svg")])
def test_done_saves_the_picture_and_names_review_days(folder, monkeypatch, picture, lesson, name):
    monkeypatch.setattr(module.lessons, "here", lambda: lesson)
    said = repr(module.done(picture, DAY))
    assert "<svg" in (folder / name).read_text(encoding="utf-8")
    assert f"Saved as {name}." in said and "tomorrow, Sunday 29 November." in said
    assert said.endswith("Sunday 29 November, Tuesday 1 December, Saturday 5 December, Saturday 19 December.")
    assert progress.noted("evenings") == ({name[8]: "2026-11-28"} if lesson else {})


def test_done_after_the_last_lesson_names_no_next_evening(folder, monkeypatch):
    monkeypatch.setattr(module.lessons, "here", lambda: "10")
    assert "next evening" not in repr(module.done(Figure(), DAY))


def test_done_reports_an_unwritable_folder(folder, monkeypatch):
    monkeypatch.setenv("BACKPROP_ENGINE_DIR", str(folder / "missing"))
    assert "could not be saved as evening" in repr(module.done(Figure(), DAY))


def test_done_requires_savefig():
    with pytest.raises(TypeError, match=r"this is a str\."):
        module.done("a picture")
