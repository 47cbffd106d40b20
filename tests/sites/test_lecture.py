"""The lecture as a notebook: slides, questions with their answers, notes that add up; and what the guide says of it."""

import re

import nbformat
import pytest

pytest.importorskip("myst_nb", reason='the book needs: pip install -e ".[book]"')

from autograd import Value
from site_build import lecture
from site_build.book import guide

CELLS = nbformat.read(lecture.DECK, as_version=4).cells
KINDS = [cell.metadata.slideshow.slide_type for cell in CELLS]
SLIDES = [cell.source for cell, kind in zip(CELLS, KINDS) if kind == "slide"]
NOTES = [cell.source for cell, kind in zip(CELLS, KINDS) if kind == "notes"]


def test_each_slide_has_one_idea_and_a_question_with_its_answer():
    assert len(SLIDES) == len(NOTES) == 24 and set(KINDS) == {"skip", "slide", "-", "notes"}
    asks = ["**To the room:**" in slide for slide in SLIDES]
    assert [slide for slide in SLIDES if len(re.findall("^#+ ", slide, re.MULTILINE)) != 1] == []
    assert [i for i, asked in enumerate(asks, start=1) if asked] == [1, *range(2, 23, 2), 24]
    assert [(slide, asked) for slide, asked in zip(SLIDES, asks) if asked and "?" not in slide] == []
    assert max(len(slide.split()) for slide in SLIDES) <= 60


def test_notes_give_minutes_wrong_answers_and_shortcuts():
    at = 0
    for note in NOTES:
        minutes, end = map(int, re.match(r"\*\*(\d+) minutes?, to minute (\d+)\.\*\*", note).groups())
        at += minutes
        assert end == at
    assert at == 90
    assert sum("Expected wrong answer" in note for note in NOTES) >= 9
    late = {
        int(minute): i for i, note in enumerate(NOTES, start=1) for minute in re.findall(r"\*\*If it is .*?(\d+)", note)
    }
    assert late == {30: 7, 60: 13, 75: 18}
    for minute, slide in late.items():
        begins = int(re.search(r"to minute (\d+)", NOTES[slide - 2])[1])
        assert abs(begins - minute) <= 7, "where a lecturer on time is, too"
        assert [
            number
            for number in re.findall(r"\b(?:slides? |, | and )(\d+)", NOTES[slide - 1])
            if not (int(number) > slide)
        ] == []
    assert f"Slides {late[30]}, {late[60]} and {late[75]} say" in guide.hall()


def test_guide_has_the_handout_with_the_engines_answers():
    page, handout = guide.page(), lecture.HANDOUT.read_text(encoding="utf-8")
    assert len(re.findall(r"^\*\*\d\. ", handout, re.MULTILINE)) == 3 and len(handout.split()) < 400
    assert "python -m site_build lecture" in page and "AGENTS.md" in page and handout.splitlines()[-1] in page
    a, b = Value(2.0), Value(-3.0)
    y = (a + b) * (b + 1)
    y.backward()
    moved = ((Value(2.0) + -2.99) * (Value(-2.99) + 1)).data
    said = " ".join(guide.hall().replace("−", "-").split())
    assert f"So a has {a.grad:g}, and b has -2 + (-1) = {b.grad:g}." in said
    assert f"y goes from {y.data:g} to {moved:.4f}: {moved - y.data:.4f} for 0.01" in said
