"""The card of an engine: what is the learner's, a mark of it, and what it has learned, found out by running it."""

import datetime
import re

import pytest

from exercises import tasks
from exercises.content.lessons import LESSONS
from exercises.engine_file import loading, saving
from exercises.engine_file.parts import EXERCISES
from exercises.storage import blank_pages
from tests import learners_files, pictures


@pytest.fixture(autouse=True)
def begun(tmp_path, monkeypatch):
    learners_files.begin_in(tmp_path, monkeypatch)
    return tmp_path


def card(folder, *names, **rest):
    learners_files.write(folder, *names, **rest)
    return loading.load().card()


def test_card_of_an_unstarted_engine_claims_nothing(begun):
    nothing = card(begun)
    assert repr(nothing) == "Nothing in my_engine.py is yours yet. A part becomes yours when its exercise passes."
    assert nothing.svg.count("<path") == 0


@pytest.mark.long
def test_card_lists_own_parts_and_what_they_can_do(begun):
    of_the_hour = repr(card(begun, "rules", "backward")).splitlines()
    assert of_the_hour == [
        "4 of 22 parts are mine,",
        "21 lines.",
        "The rest is the course's.",
        "337 slopes in one pass: 337 of 337 are right.",
        "It learns XOR: 4 of 4 rows right, loss 0.0056.",
        "It reads digits: Not yet: lessons 08 and 09.",
    ]
    every = [part.name for part in EXERCISES if not any(part.name in other.replaces for other in EXERCISES)]
    whole = card(begun, *every)
    core = [name for lesson in LESSONS for name in tasks.EXERCISES[lesson.number] if name in every]
    for made in (whole, card(begun, *core)):
        *_, digits, colours = repr(made).splitlines()
        assert colours == "It invents colours: No list has these." and made.svg.count("engine-tile") == 8
        assert float(re.fullmatch(r"It reads digits: (\S+)% of 397 right\.", digits)[1]) > 95
    without = card(begun, *(name for name in core if name != "fit"))
    assert repr(without).splitlines()[-1] == "It invents colours: Not yet: lessons 08 and 09."
    assert "The rest" not in repr(whole) and "invents" not in repr(card(begun, "rules"))
    tree = pictures.tree(whole.svg)
    assert "042779190" in "".join(text.text for text in tree.iter(f"{pictures.SVG}text"))


def test_card_has_a_line_for_blank_page_results(begun, monkeypatch):
    monkeypatch.setenv("BACKPROP_DATA_DIR", str(begun))
    for day, mistakes in ((1, ["= instead of +="]), (4, [])):
        now = datetime.datetime(2026, 12, day, 19)
        blank_pages.begin(now)
        blank_pages.judge(now + datetime.timedelta(minutes=10 - day), f"page {day}", {}, mistakes, True)
    made = card(begun, "rules")
    assert "From memory: 9 minutes and 1 mistake, then 6 minutes and no mistake." in repr(made).splitlines()
    assert "9 minutes and 1 mistake" in made.svg


@pytest.mark.long
def test_card_shows_that_a_part_is_wrong(begun):
    assigned = [("other.grad += self.data * out.grad", "other.grad = self.data * out.grad")]
    learners_files.write(begun, "rules", "backward", changed=assigned)
    saving.keep("rules")
    wrong = repr(loading.load().card())
    assert re.search(r"337 slopes in one pass: \d+ of 337 are right\.", wrong) and "337 of 337" not in wrong
    endless = [("        self.grad = 1.0\n", "        while True:\n            pass\n")]
    learners_files.write(begun, "rules", "backward", changed=endless)
    saving.keep("backward")
    assert "It learns XOR: Tried, and not done after 2 seconds." in repr(loading.load().card())


def test_card_mark_depends_only_on_the_code(begun):
    def mark(drawn):
        return re.search(r'<path class="bars s\d" d="[^"]*"/>', drawn.svg)[0]

    first, again = card(begun, "rules"), card(begun, "rules")
    changed = [("    out._backward = _backward\n", "    out._backward = _backward  # mine\n")]
    assert mark(first) == mark(again) != mark(card(begun, "relu", "clip"))
    learners_files.write(begun, "rules", changed=changed)
    saving.keep("rules")
    assert mark(loading.load().card()) != mark(first)


@pytest.mark.long
def test_card_is_saved_as_a_standalone_svg(begun):
    place = card(begun, "rules", "backward").savefig(begun / "card.svg")
    text = place.read_text(encoding="utf-8")
    assert "prefers-color-scheme" in text and "http" not in text.replace("http://www.w3.org/2000/svg", "")
