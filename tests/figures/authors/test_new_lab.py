"""Test that no lab of the course lacks anything; and names that no new lab can have."""

import pytest

import figures
from figures import gallery
from figures.authors import new
from tests.figures.labs.test_labs import LABS

ALONE = {  # for who reads the table of labs
    name: f"No lesson shows it: no cell of a notebook has figures.{name}(…). `python -m tests.caps notebooks/*.ipynb` "
    "says which has room."
    for name in ("deep_training", "drag", "paths", "sampling", "shape", "step_forward", "step_through")
}
SHOWN = [name for name in LABS if name != "writes"]  # which is what `exercises.debug` shows


@pytest.mark.parametrize("name", SHOWN)
def test_lab_is_complete(name):
    """Return the output of `python -m figures new NAME`."""
    assert new.missing(name) == ([ALONE[name]] if name in ALONE else [])


def test_missing_lab_parts_are_listed(monkeypatch):
    test, row, picture, lesson, net = new.missing("writes")
    assert test == "There is no tests/figures/labs/test_writes_lab.py."
    assert row.startswith("site_build/book/texts/labs.md has no row such as: | `writes()` | ")
    assert picture == 'figures/gallery/__init__.py has no row: "writes.svg": lambda: of(figures.writes()),'
    assert lesson.startswith("No lesson shows it: ") and net.startswith("LABS in tests/snapshots.py has no ")
    monkeypatch.setattr(figures.nudge, "__doc__", "")
    assert new.missing("nudge") == [
        "nudge or its file has no docstring: what it shows, and what each input is for.",
    ]


REFUSED = {
    "Hilltop": "'Hilltop' is no name for it: small letters, digits and underscores, as in steps_to_leave.",
    "lambda": "'lambda' is no name for it: small letters, digits and underscores, as in steps_to_leave.",
    "page": "There is figures/page already: another name is needed.",
    "dragged": "There is figures/labs/dragged.py already: another name is needed.",
    "labs": "There is figures/labs already: another name is needed.",
    "draw_graph": "figures.draw_graph is something else already.",
}


@pytest.mark.parametrize("name", REFUSED)
def test_invalid_lab_names_get_a_message(name, capsys, monkeypatch):
    monkeypatch.setattr(new, "write", None)  # should a name be free one day, nothing is written here
    assert new.main([name]) == 1
    assert capsys.readouterr().out == f"{REFUSED[name]}\n"


def test_gallery_makes_named_pictures_and_reports_unknown_ones(tmp_path, monkeypatch, capsys):
    assert [*gallery.make(tmp_path, ["nudge"])] == ["nudge.svg"] == [path.name for path in tmp_path.iterdir()]
    monkeypatch.setattr(gallery, "make", lambda names: [])
    assert gallery.main(["hilltop"]) == 1
    assert capsys.readouterr().out.startswith("The gallery has no hilltop. It has: step_backward, ")
    assert not hasattr(figures, "hilltop")
