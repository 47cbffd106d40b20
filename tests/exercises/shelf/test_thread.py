"""The thread of the course: its exercises are there, and what is passed is ticked."""

import autograd
from exercises import course_map
from exercises.engine_file import loading
from exercises.shelf import library, progress, thread
from tests import learners_files


def test_each_milestone_is_an_exercise_of_its_lesson_and_is_ticked_when_it_is_passed(tmp_path, monkeypatch):
    learners_files.begin_in(tmp_path, monkeypatch)
    assert all(set(one.exercises) <= {*library.names(one.lesson)} for one in thread.MILESTONES)
    assert thread.told().count("○") == 5 and "✓" not in thread.told() and thread.begun() == []
    progress.record_pass("backward")  # as after lesson 00, whose network has other slopes
    assert "✓" not in thread.told()
    progress.record_pass("topological_order")
    said = "337 slopes, lesson by lesson: ○ nudged one at a time (01) · ✓ found in one pass (04) · ○ trained with (06)"
    assert thread.told().startswith(said)
    assert thread.told() in repr(course_map()) and thread.told() in course_map().html()
    shown = loading.load("05")._repr_mimebundle_()
    assert all(thread.told() in shown[kind] for kind in shown)
    assert len(autograd.MLP(2, [16, 16, 1]).parameters()) == 337
