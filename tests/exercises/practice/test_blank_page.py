"""Engines from memory: forty pages in many styles are judged rightly, attempts stand side by side, days are kept."""

import datetime
import tomllib
from pathlib import Path

import pytest

from exercises import blank_page
from exercises.doctor.identify import judge
from exercises.doctor.report import RIGHT, WRONG, to_text
from exercises.practice.blank_page import KINDS, NOTHING_YET, PARTS, TASK
from exercises.quizzes.due import due_today
from exercises.storage import blank_pages, progress
from tests.engines import engine

PAGES = tomllib.loads(Path(__file__).with_name("pages.toml").read_text(encoding="utf-8"))
STYLES = PAGES["style"]
BAD = [(style, names, swaps) for style, listed in PAGES["wrong"].items() for names, *swaps in listed]
DAY = datetime.datetime(2026, 11, 29, 19, 0)
SWAPPED = (["self.grad += other.data", "self.grad += self.data"], ["other.grad += self.", "other.grad += other."])


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("BACKPROP_DATA_DIR", str(tmp_path))


def after(minutes=0, days=0):
    """Return a time after the first page was begun."""
    return DAY + datetime.timedelta(days=days, minutes=minutes)


def page(style="closures", *swaps):
    """Return the class of a page with some of its text changed."""
    return engine(STYLES[style], *swaps)


@pytest.mark.parametrize("style", STYLES)
def test_right_page_is_called_right(style):
    verdict = judge(page(style), KINDS)
    assert (verdict.verdict, verdict.tried, verdict.notes) == (RIGHT, 60, []), to_text(verdict)


@pytest.mark.parametrize("style, names, swaps", BAD, ids=str)
def test_wrong_page_is_called_wrong_and_its_mistakes_named(style, names, swaps):
    verdict = judge(page(style, *swaps), KINDS)
    assert verdict.verdict == WRONG and verdict.smallest
    assert sorted(mistake.name for mistake in verdict.mistakes) == sorted(names), to_text(verdict)
    assert len(verdict.lines) == len(names)


def test_forty_pages_exist_and_at_most_three_have_no_named_mistake():
    assert (len(STYLES), len(BAD)) == (10, 30) and len({str(each) for each in BAD}) == 30
    assert sum(not names for _, names, _ in BAD) <= 3 and sum(len(names) > 1 for _, names, _ in BAD) >= 4


def test_first_cell_starts_a_clock_once_a_day():
    shown = blank_page(now=DAY)
    assert TASK in repr(shown) and "Begun at 19:00." in repr(shown)
    assert f'data-begun="{DAY.timestamp() * 1000:.0f}"' in shown._repr_mimebundle_()["text/html"]
    assert "Begun at 19:00." in repr(blank_page(now=after(5)))
    assert repr(blank_page(...)) == NOTHING_YET and blank_pages.attempts() == {}


def test_two_pages_are_compared_by_time_and_mistakes():
    blank_page(now=DAY)
    shown = blank_page(page("closures", *SWAPPED), after(10))
    assert "Mistake: * does not swap its factors (line 22)." in repr(shown) and "expected  got" in repr(shown)
    assert "Fix it" in repr(shown)
    shown = blank_page(page(), after(14))
    assert "You wrote an engine from memory, in 14 minutes." in repr(shown)
    blank_page(now=after(days=3))
    rows = blank_page(page("tape"), after(6, days=3)).rows
    assert rows[0] == ["", "Sunday 29 November", "Wednesday 2 December"]
    told = {name: tuple(cells) for name, *cells in rows[1:]}
    assert [told[part] for part in PARTS] == [
        ("right", "right"),
        ("not right", "right"),
        ("right", "right"),  # in a * a the factors are equal
        ("not right", "right"),
    ]
    assert told["minutes"] == ("14", "6") and told["mistakes"] == ("* does not swap its factors", "none")
    assert blank_pages.summary() == "From memory: 14 minutes and 1 mistake, then 6 minutes and no mistake."


def test_page_from_an_earlier_day_is_not_a_new_attempt():
    blank_page(now=DAY)
    blank_page(page(), after(9))
    blank_page(now=after(days=3))
    assert "judged on a day before" in repr(blank_page(page(), after(days=3)))
    assert list(blank_pages.attempts()) == ["2026-11-29"]


@pytest.mark.parametrize(
    "swaps, said",
    [
        ([["self.grad = 1.0\n", "self.grad = 1.0\n        while True: pass\n"]], "Is there a loop that never ends?"),
        ([["def backward(self)", "def back(self)"]], "raises AttributeError"),
        ([["def __mul__", "def times"]], "* raises TypeError"),
        ([["self.data = data", "self.value = data"]], "raises AttributeError"),
        ([["        self.grad = 1.0\n", ""], ["_backward()\n", "_backward\n"]], "No gradient arrives in `grad`"),
    ],
)
def test_unfinished_page_is_rejected_with_a_reason(swaps, said):
    shown = blank_page(page("closures", *swaps), DAY)
    assert said in repr(shown) and "Fix it" in repr(shown)


def test_page_is_due_one_day_after_order_and_three_after_training(monkeypatch):
    assert blank_pages.due() is None and due_today(DAY.date()) == ""
    for exercise, day in (("backward", "2026-11-28"), ("train", "2026-12-01")):
        progress.update(lambda found, e=exercise, d=day: found["exercises"].update({e: {"passed": d, "tries": 0}}))
    assert due_today(datetime.date(2026, 11, 28)) == "Nothing is due today. Next: Sunday 29 November."
    assert "Due today: an empty page, in the workshop" in due_today(DAY.date())
    blank_page(page(), DAY)
    assert due_today(DAY.date()) == "Nothing is due today. Next: Friday 4 December."
    blank_page(page("tape"), after(days=5))
    assert blank_pages.due() is None


def test_invalid_progress_entries_are_ignored():
    for name, entry in (("yesterday", {}), ("2026-11-28", {"begun": 3}), ("2026-11-27", "text")):
        progress.note("blank page", name, entry)
    assert blank_pages.attempts() == {} and blank_page(now=DAY).rows == []
