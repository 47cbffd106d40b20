"""The thread of the course: its exercises are there, and what is passed is ticked."""

import autograd
from exercises import course_map
from exercises.content import library
from exercises.engine_file import loading
from exercises.storage import milestones, progress
from tests import learners_files


def test_milestones_are_ticked_when_their_exercises_pass(tmp_path, monkeypatch):
    learners_files.begin_in(tmp_path, monkeypatch)
    assert [one for one in milestones.MILESTONES if not (set(one.exercises) <= {*library.names(one.lesson)})] == []
    assert (
        milestones.describe().count("○") == 5
        and "✓" not in milestones.describe()
        and milestones.describe_if_begun() == []
    )
    progress.record_pass("backward")  # as after lesson 00, whose network has other slopes
    assert "✓" not in milestones.describe()
    progress.record_pass("topological_order")
    said = "Slopes, lesson by lesson: ○ 337 nudged one at a time (01) · ✓ found in one pass (04) · ○ trained with (06)"
    assert milestones.describe().startswith(said)
    assert milestones.describe() in repr(course_map()) and milestones.describe() in course_map().html()
    shown = loading.load("05")._repr_mimebundle_()
    assert [kind for kind in shown if milestones.describe() not in shown[kind]] == []
    assert len(autograd.MLP(2, [16, 16, 1]).parameters()) == 337
