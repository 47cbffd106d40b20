"""The gym in a real JupyterLab, by keyboard alone: a wrong number is named, noted, and changes the next question."""

import contextlib
import json

import nbformat
import pytest

import exercises
from exercises.practice.drawing import drawn
from exercises.practice.drawing import lines as written
from exercises.practice.gym import deck, gym
from exercises.practice.gym import page as page_of
from exercises.practice.questions import question
from exercises.practice.round import Round
from tests import lab_server

axe = pytest.importorskip("axe_core_python.sync_playwright", reason='accessibility needs: pip install -e ".[test]"')

pytestmark = [
    pytest.mark.skipif(lab_server.CHROMIUM is None, reason="no Chromium here; to add one: apt install chromium")
]


def choose(page, made):
    """Choose the right option of a question, whose first option has the focus."""
    page.keyboard.press("Space")
    for _ in range(made.options.index(made.answer)):
        page.keyboard.press("ArrowDown")


@contextlib.contextmanager
def shown(browser, tmp_path, data, *code):
    """(the page, the last of its quizzes) of a JupyterLab in which these cells have been run."""
    code = (f"import os\nos.environ['BACKPROP_DATA_DIR'] = {str(data)!r}", "import exercises", *code)
    notebook = nbformat.v4.new_notebook(cells=list(map(nbformat.v4.new_code_cell, code)))
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    folder = tmp_path / "notebooks"
    folder.mkdir()
    nbformat.write(notebook, folder / "gym.ipynb")
    with lab_server.jupyter_lab(folder) as place:
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        lab_server.open_notebook(page, place, "gym.ipynb")
        lab_server.run_all(page)
        lab = page.locator(".bp-quiz").last
        lab.wait_for()
        yield page, lab
        assert lab_server.errors(page) == []
        page.close()


def give(page, made):
    """Answer a question right by keyboard, its input or its first option having the focus."""
    if made.options:
        choose(page, made)
    else:
        page.keyboard.type(f"{made.answer:.4f}")
    page.keyboard.press("Enter")


def test_a_round_by_keyboard(browser, tmp_path, monkeypatch):
    data = tmp_path / "data"
    monkeypatch.setenv("BACKPROP_DATA_DIR", str(tmp_path / "other"))
    same = gym(9, seed=4)  # from level 8 to 9: numbers and options
    wrong = next(
        n for numbers in same.made[0].wrong.values() for n in numbers if n == int(n) == same.made[0].answer * -1
    )
    mistakes = same.made[0].named(wrong)
    planned = same.made[1]
    same.answer(1, wrong)
    assert same.made[1] != planned and {bool(made.options) for made in same.made} == {True, False}
    with shown(browser, tmp_path, data, "exercises.gym(9, seed=4)") as (page, lab):
        said = lab.locator("form:not(.bp-off) .bp-feedback[role=status]")
        lab.get_by_role("textbox", name="Your number").first.focus()
        page.keyboard.type(f"{wrong:.4f}")
        page.keyboard.press("Enter")
        assert all(mistake.sentence.replace("`", "") in said.text_content() for mistake in mistakes)
        page.keyboard.press("Control+a")
        lab.locator(f"[data-question={same.questions[1]['id']}]").wait_for(state="attached")
        broken = axe.Axe().run(page, context=".bp-quiz")["violations"]
        assert [(rule["id"], rule["nodes"][0]["html"][:200]) for rule in broken] == []
        for made in same.made:
            give(page, made)
            assert said.text_content().startswith("✓ Right.")
            page.keyboard.press("Enter")
        lab.locator(".bp-score", has_text="All done: 9 of 10 at the first try.").wait_for()
        lab.locator(".bp-score", has_text="Next time: level 10 (arrays").wait_for()
    notes = json.loads((data / "progress.json").read_text(encoding="utf-8"))["notes"]["gym"]
    assert notes["level"] == 10 and not {mistake.name for mistake in mistakes} & set(notes["boxes"])  # a slip may be


def test_the_exams_questions_go_on_where_they_were(browser, tmp_path, monkeypatch):
    data = tmp_path / "data"
    monkeypatch.setenv("BACKPROP_DATA_DIR", str(data))
    before = exercises.exam().questions()
    wrong = -before.made[1].answer
    before.answer(1, before.made[0].answer), before.answer(2, wrong)
    with shown(browser, tmp_path, data, "exercises.exam().questions()") as (page, lab):
        assert [mark.text_content() for mark in lab.locator(".bp-jumps button").all()[:3]] == ["1 ✓", "2 ✗", "3"]
        assert "Question 3 of 10" in lab.locator(".bp-at").text_content()
        lab.locator("form:not(.bp-off) input").first.focus()
        give(page, before.made[2])
        lab.locator(".bp-score", has_text="Right at the first try: 2 of 3 answered.").wait_for()
        for made in before.made[3:]:
            page.keyboard.press("Enter")
            give(page, made)
        lab.locator(".bp-jumps button").nth(1).press("Enter")
        lab.locator("form:not(.bp-off) input").first.focus()
        give(page, before.made[1])
        lab.locator(".bp-score", has_text="All done: 9 of 10 at the first try. 9 of 10 count as right.").wait_for()
    kept = json.loads((data / "progress.json").read_text(encoding="utf-8"))["notes"]["exam"]["questions"]
    assert kept["2"] == [False, str(wrong)] and all(kept[str(place)][0] for place in (1, *range(3, 11)))


@contextlib.contextmanager
def alone(browser, tmp_path, made, width=1000, scheme="light"):
    """(the page, its quiz) with these questions, without a kernel."""
    (tmp_path / "round.html").write_text(page_of(Round("The gym", made)), encoding="utf-8")
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.goto((tmp_path / "round.html").as_uri())
    lab = page.locator(".bp-quiz")
    lab.wait_for()
    yield page, lab
    page.close()


def test_after_next_by_key_what_is_typed_is_for_the_question_in_view(browser, tmp_path):
    made = [question(level, 1) for level in (1, 3, 9, 5)]
    with alone(browser, tmp_path, made) as (page, lab):
        lab.get_by_role("button", name="Next", exact=True).press("Enter")
        assert lab.locator(".bp-at").text_content() == "Question 2 of 4"
        give(page, made[1])
        assert lab.locator("form:not(.bp-off) [role=status]").text_content().startswith("✓ Right.")
        lab.get_by_role("button", name="Next", exact=True).press("Space")
        give(page, made[2])
        assert lab.locator("form:not(.bp-off) [role=status]").text_content().startswith("✓ Right.")
        lab.get_by_role("button", name="Next", exact=True).press("Enter")
        page.keyboard.type("0x10")
        page.keyboard.press("Enter")
        assert lab.locator("form:not(.bp-off) [role=status]").text_content().startswith('"0x10" is not a number')
        assert lab.locator(".bp-score").text_content() == "Right at the first try: 2 of 2 answered."


@pytest.mark.parametrize("width, scheme", [(1000, "light"), (700, "dark"), (390, "light")])
def test_the_lines_are_in_view_and_nothing_jumps_whatever_is_said(browser, tmp_path, width, scheme):
    made = [question(level, seed) for seed in (1, 2) for level in (1, 3, 5, 8, 10)]
    with alone(browser, tmp_path, made, width, scheme) as (page, lab):
        for place, each in enumerate(made):
            form, longest = lab.locator("form:not(.bp-off)"), 0
            lines, room = form.locator(".bp-lines"), lab.bounding_box()
            assert lines.text_content() == written(each) and lines.is_visible()
            assert lines.evaluate("(it) => it.scrollWidth <= it.clientWidth && it.scrollHeight <= it.clientHeight")
            assert form.locator(".bp-graph svg").get_attribute("aria-label") == drawn(each).alt
            for number in (999, *(n for numbers in each.wrong.values() for n in numbers), each.answer):
                form.locator("input").fill(f"{number:.4f}")
                form.locator("input").press("Enter")
                said = form.locator("[role=status]")
                assert lab.bounding_box() == room, (each.code, number)
                longest = max(longest, said.text_content().count(" Or: "))
                told = each.named(round(number, 4))
                assert all(mistake.sentence.replace("`", "") in said.text_content() for mistake in told)
            assert longest >= 1 or each.level < 3, each.code
            if place < len(made) - 1:
                form.get_by_role("button", name="Next question").click()
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_the_deck_is_answered_without_a_kernel_and_has_no_button_for_each_question(browser, tmp_path, monkeypatch):
    monkeypatch.setenv("BACKPROP_DATA_DIR", str(tmp_path))
    made = deck(24)
    (tmp_path / "deck.html").write_text(page_of(made), encoding="utf-8")
    page = browser.new_page(viewport={"width": 400, "height": 800}, color_scheme="dark")
    page.goto((tmp_path / "deck.html").as_uri())
    lab = page.locator(".bp-quiz")
    lab.get_by_text("Question 1 of 24").wait_for()
    assert lab.locator(".bp-jumps").count() == 0 and lab.get_by_role("button", name="Next").is_visible()
    order = [form.get_attribute("data-question") for form in lab.locator("form").all()]
    missed, *waiting = (made.asked[name] for name in order)
    most = max(len({*each.patterns} & {*missed.patterns}) for each in waiting)
    lab.locator("form:not(.bp-off) input").first.focus()
    page.keyboard.type("0.1234567")
    if missed.options:
        page.keyboard.press("Space" if missed.options[0] != missed.answer else "ArrowDown")
    page.keyboard.press("Enter")
    assert sorted(form.get_attribute("data-question") for form in lab.locator("form").all()) == sorted(order)
    brought = made.asked[lab.locator("form").nth(1).get_attribute("data-question")]
    assert len({*brought.patterns} & {*missed.patterns}) == most
    seen = set()
    page.keyboard.press("ArrowUp" if missed.options and missed.options[0] == missed.answer else "Control+a")
    for _ in range(24):
        name = lab.locator("form:not(.bp-off)").get_attribute("data-question")
        seen.add(name)
        give(page, made.asked[name])
        page.keyboard.press("Enter")
    lab.locator(".bp-score", has_text="All done: 23 of 24 at the first try.").wait_for()
    assert seen == set(made.asked)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.close()
