"""The gym in a real JupyterLab, only by keyboard: it names and notes a wrong number, and changes the next question."""

import contextlib
import json

import pytest

import exercises
from exercises.practice.drawing import drawn
from exercises.practice.drawing import lines as written
from exercises.practice.gym import deck, gym
from exercises.practice.gym import page as page_of
from exercises.practice.questions import question
from exercises.practice.round import Round
from tests import lab_server
from tests.lab_pages import assert_accessible, assert_quiet, watched, write_notebook


class Quiz:
    """The last quiz of a page, to be answered by keyboard."""

    def __init__(self, page):
        self.page, self.node = page, page.locator(".bp-quiz").last
        self.form = self.node.locator("form:not(.bp-off)")
        self.node.wait_for()

    @property
    def reply(self):
        """Return the reply to the last answer of the question in view."""
        return self.form.locator("[role=status]").text_content()

    def begin(self):
        self.form.locator("input").first.focus()

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def type(self, text):
        self.page.keyboard.type(text)
        self.press("Enter")

    def give(self, made):
        """Answer a question right, while its input or its first option has the focus."""
        if made.options:
            self.press("Space", *["ArrowDown"] * made.options.index(made.answer), "Enter")
        else:
            self.type(f"{made.answer:.4f}")

    def next(self, key):
        self.node.get_by_role("button", name="Next", exact=True).press(key)

    def wait_score(self, *texts):
        for text in texts:
            self.node.locator(".bp-score", has_text=text).wait_for()

    def fits(self):
        return self.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@contextlib.contextmanager
def in_a_notebook(browser, folder, data, code):
    """Return the quiz of a cell, run in JupyterLab, which notes answers in the folder `data`."""
    (folder / "notebooks").mkdir()
    here = f"import os\nos.environ['BACKPROP_DATA_DIR'] = {str(data)!r}"
    write_notebook(folder / "notebooks" / "gym.ipynb", here, "import exercises", code)
    with lab_server.jupyter_lab(folder / "notebooks") as place:
        page = watched(browser.new_page(viewport={"width": 1400, "height": 1000}))
        lab_server.open_notebook(page, place, "gym.ipynb")
        page.faults.clear()
        lab_server.run_all(page)
        yield Quiz(page)
        assert_quiet(page)
        page.close()


@contextlib.contextmanager
def alone(browser, made, width=1000, scheme="light"):
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.set_content(page_of(made))
    yield Quiz(page)
    page.close()


def notes(data):
    return json.loads((data / "progress.json").read_text(encoding="utf-8"))["notes"]


@pytest.mark.long
def test_gym_round_by_keyboard(browser, tmp_path, monkeypatch):
    monkeypatch.setenv("BACKPROP_DATA_DIR", str(tmp_path / "other"))
    same = gym(9, seed=4)  # from level 8 to 9: numbers and options
    wrong = next(n for numbers in same.made[0].wrong.values() for n in numbers if n == int(n) == -same.made[0].answer)
    mistakes, planned = same.made[0].mistakes_of(wrong), same.made[1]
    same.answer(1, wrong)
    assert same.made[1] != planned and {bool(made.options) for made in same.made} == {True, False}
    with in_a_notebook(browser, tmp_path, tmp_path / "data", "exercises.gym(9, seed=4)") as quiz:
        quiz.begin()
        quiz.type(f"{wrong:.4f}")
        assert [mistake for mistake in mistakes if mistake.sentence.replace("`", "") not in quiz.reply] == []
        quiz.press("Control+a")
        quiz.node.locator(f"[data-question={same.questions[1]['id']}]").wait_for(state="attached")
        assert_accessible(quiz.page, ".bp-quiz")
        for made in same.made:
            quiz.give(made)
            assert quiz.reply.startswith("✓ Right.")
            quiz.press("Enter")
        quiz.wait_score("All done: 9 of 10 on the first try.", "Next time: level 10 (arrays")
    kept = notes(tmp_path / "data")["gym"]
    assert kept["level"] == 10 and not {mistake.name for mistake in mistakes} & set(kept["boxes"])  # a slip may be


@pytest.mark.long
def test_exam_questions_resume_with_earlier_answers(browser, tmp_path, monkeypatch):
    monkeypatch.setenv("BACKPROP_DATA_DIR", str(tmp_path))
    before = exercises.exam().questions()
    wrong = -before.made[1].answer
    before.answer(1, before.made[0].answer), before.answer(2, wrong)
    with in_a_notebook(browser, tmp_path, tmp_path, "exercises.exam().questions()") as quiz:
        assert quiz.node.locator(".bp-jumps button").all_text_contents()[:3] == ["1 ✓", "2 ✗", "3"]
        assert "Question 3 of 10" in quiz.node.locator(".bp-at").text_content()
        quiz.begin()
        quiz.give(before.made[2])
        quiz.wait_score("Right on the first try: 2 of 3 answered.")
        for made in before.made[3:]:
            quiz.press("Enter")
            quiz.give(made)
        quiz.node.locator(".bp-jumps button").nth(1).press("Enter")
        quiz.begin()
        quiz.give(before.made[1])
        quiz.wait_score("All done: 9 of 10 on the first try. 9 of 10 count as right.")
    kept = notes(tmp_path)["exam"]["questions"]
    assert kept["2"] == [False, str(wrong)] and [place for place in (1, *range(3, 11)) if not kept[str(place)][0]] == []


def test_typing_goes_to_the_current_question_after_next(browser):
    made = [question(level, 1) for level in (1, 3, 9, 5)]
    with alone(browser, Round("The gym", made)) as quiz:
        quiz.next("Enter")
        assert quiz.node.locator(".bp-at").text_content() == "Question 2 of 4"
        for each, key in ((made[1], "Space"), (made[2], "Enter")):
            quiz.give(each)
            assert quiz.reply.startswith("✓ Right.")
            quiz.next(key)
        quiz.type("0x10")
        assert quiz.reply.startswith('"0x10" is not a number')
        quiz.wait_score("Right on the first try: 2 of 2 answered.")


@pytest.mark.long
@pytest.mark.parametrize("width, scheme", [(1000, "light"), (700, "dark"), (390, "light")])
def test_code_lines_stay_visible_and_nothing_jumps(browser, width, scheme):
    made = [question(level, seed) for seed in (1, 2) for level in (1, 3, 5, 8, 10)]
    with alone(browser, Round("The gym", made), width, scheme) as quiz:
        for place, each in enumerate(made):
            lines, room, entry = quiz.form.locator(".bp-lines"), quiz.node.bounding_box(), quiz.form.locator("input")
            assert lines.text_content() == written(each) and lines.is_visible()
            assert lines.evaluate("(it) => it.scrollWidth <= it.clientWidth && it.scrollHeight <= it.clientHeight")
            assert quiz.form.locator(".bp-graph svg").get_attribute("aria-label") == drawn(each).alt
            longest = 0
            for number in (999, *(n for numbers in each.wrong.values() for n in numbers), each.answer):
                entry.fill(f"{number:.4f}")
                entry.press("Enter")
                assert quiz.node.bounding_box() == room, (each.code, number)
                said = quiz.reply
                longest = max(longest, said.count(" Or: "))
                assert [
                    one for one in each.mistakes_of(round(number, 4)) if one.sentence.replace("`", "") not in said
                ] == []
            assert longest >= 1 or each.level < 3, each.code
            if place < len(made) - 1:
                quiz.form.get_by_role("button", name="Next question").click()
        assert quiz.fits()


def test_deck_is_answered_without_a_kernel_or_jump_buttons(browser, tmp_path, monkeypatch):
    monkeypatch.setenv("BACKPROP_DATA_DIR", str(tmp_path))
    made = deck(24)
    with alone(browser, made, 400, "dark") as quiz:
        quiz.node.get_by_text("Question 1 of 24").wait_for()
        assert quiz.node.locator(".bp-jumps").count() == 0
        assert quiz.node.get_by_role("button", name="Next").is_visible()

        def order():
            forms = quiz.node.locator("form")
            return forms.evaluate_all("(forms) => forms.map((form) => form.dataset.question)")

        before = order()
        missed, *waiting = (made.asked[name] for name in before)
        most = max(len({*each.patterns} & {*missed.patterns}) for each in waiting)
        is_first = missed.options and missed.options[0] == missed.answer
        quiz.begin()
        quiz.page.keyboard.type("0.1234567")
        quiz.press(*(["ArrowDown" if is_first else "Space"] if missed.options else []), "Enter")
        assert sorted(order()) == sorted(before)
        brought = made.asked[order()[1]]
        assert len({*brought.patterns} & {*missed.patterns}) == most
        seen = set()
        quiz.press("ArrowUp" if is_first else "Control+a")
        for _ in range(24):
            name = quiz.form.get_attribute("data-question")
            seen.add(name)
            quiz.give(made.asked[name])
            quiz.press("Enter")
        quiz.wait_score("All done: 23 of 24 on the first try.")
        assert seen == set(made.asked) and quiz.fits()
