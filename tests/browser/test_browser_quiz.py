"""Quizzes and the self-test in a real JupyterLab, by keyboard, and on a page without a kernel or without scripts."""

import json
import tempfile
from pathlib import Path

import pytest

from exercises.quizzes.quiz_data import load
from exercises.quizzes.quiz_widget import Quiz
from tests import lab_server
from tests.lab_pages import PANEL, THEMES, assert_accessible, cells_of, notebook_page, plain_page, wear

QUESTIONS = [each for each in load("01")["questions"] if each["part"] == "quiz"]
HTML = f'<!doctype html><html lang="en"><title>Quiz</title>{Quiz("Quiz", QUESTIONS).html()}</html>'

DATA = Path(tempfile.mkdtemp())

page = notebook_page(
    f"import os\nos.environ['BACKPROP_DATA_DIR'] = {str(DATA)!r}\nimport exercises",
    *("exercises.quiz('01')", "exercises.self_test()", "exercises.recall('01')"),
    **{"labs": 2, "kind": ".bp-quiz"},
)
plain = plain_page(viewport={"width": 500, "height": 900})


def right(question):
    return next(i for i, option in enumerate(question["options"]) if option.get("right"))


def noted():
    """Return the questions in the progress file."""
    place = DATA / "progress.json"
    return json.loads(place.read_text(encoding="utf-8"))["questions"] if place.exists() else {}


def seen(name=None):
    """Return how often a question, or any, has been answered."""
    return sum(entry["seen"] for each, entry in noted().items() if name in (each, None))


def wait_until_noted(page, times, name=None):
    """Wait for the kernel to write an answer into the progress file; return the question's entry there."""
    for _ in range(100):
        if seen(name) == times:
            return noted().get(name)
        page.wait_for_timeout(100)
    raise AssertionError(f"{name} was not noted: {noted()}")


def question(quiz):
    return quiz.locator("form:not(.bp-off)")


def answer(quiz, option=None, number=None):
    """Answer the question in view by an option or a number; return the reply."""
    form = question(quiz)
    if option is None:
        form.get_by_role("textbox").fill(number)
    else:
        form.get_by_role("radio").nth(option).check()
    form.get_by_role("button", name="Check").click()
    return feedback(quiz)


def feedback(quiz):
    return question(quiz).locator(".bp-feedback[role=status]").text_content()


def score(quiz):
    return quiz.locator(".bp-score").text_content()


def test_self_test_reports_that_widgets_work(page):
    row = page.locator(".bp-self-test tr", has_text="widgets")
    row.locator(".bp-state", has_text="works").wait_for()
    assert "the kernel answered" in row.text_content()


def test_quiz_by_keyboard_records_each_first_answer(page):
    """A number first wrong and then right; then an option by the arrow keys; the score; the progress file."""
    quiz, keys = page.locator(".bp-quiz").first, page.keyboard
    before = cells_of(page)
    quiz.get_by_role("textbox", name="Your number").focus()
    keys.type("6")
    keys.press("Enter")
    assert feedback(quiz) == "✗ Not yet. " + dict(QUESTIONS[0]["number"]["wrong"])[6]
    first = wait_until_noted(page, 1, QUESTIONS[0]["id"])
    assert (first["missed"], first["right"]) == (1, False)
    keys.press("Backspace")
    assert feedback(quiz) == ""
    keys.type("-6")
    keys.press("Enter")
    assert feedback(quiz).startswith("✓ Right. -6. ")
    assert score(quiz) == "Right on the first try: 0 of 1 answered."
    keys.press("Tab")
    assert page.evaluate("() => document.activeElement.textContent") == "Next question"
    keys.press("Enter")

    assert quiz.locator(".bp-at").text_content() == "Question 2 of 4"
    assert page.evaluate("() => document.activeElement.type") == "radio"
    keys.press("d")
    keys.press("d")  # JupyterLab's key for deleting a cell
    keys.press("Space")
    for _ in range(right(QUESTIONS[1])):
        keys.press("ArrowDown")
    keys.press("Enter")
    assert feedback(quiz).startswith("✓ Right.")
    assert quiz.locator(".bp-option[data-state=right] .bp-sign").first.text_content() == "✓ right"
    assert score(quiz) == "Right on the first try: 1 of 2 answered."
    assert wait_until_noted(page, 1, QUESTIONS[1]["id"])["right"]
    assert seen(QUESTIONS[0]["id"]) == 1  # the second try is not another answer
    assert cells_of(page) == before


def test_wrong_option_is_marked_and_another_can_be_tried(page):
    quiz, wrong = page.locator(".bp-quiz").first, right(QUESTIONS[3]) - 1
    quiz.get_by_role("button", name="Question 4: not answered").click()
    question(quiz).get_by_role("button", name="Check").click()
    assert feedback(quiz) == "Choose one of the answers first."
    answer(quiz, wrong)
    assert question(quiz).locator(".bp-option").nth(wrong).locator(".bp-sign").text_content() == "✗ not this"
    assert quiz.get_by_role("button", name="Question 4: not right yet").text_content() == "4 ✗"
    answer(quiz, right(QUESTIONS[3]))
    assert quiz.get_by_role("button", name="Question 4: right, not on the first try").text_content() == "4 ✓"


def test_moving_between_questions_keeps_the_height(page):
    quiz, heights = page.locator(".bp-quiz").first, set()
    for jump in quiz.locator(".bp-jumps button").all():
        jump.click()
        heights.add(quiz.bounding_box()["height"])
        assert question(quiz).count() == 1
    assert len(heights) == 1


def test_recall_names_its_source_and_is_recorded(page):
    recall, before = page.locator(".bp-quiz").nth(1), seen()
    assert recall.locator("legend small").first.text_content() == "What this course takes as known"
    answer(recall, 0 if question(recall).get_by_role("radio").count() else None, "1")
    wait_until_noted(page, before + 1)


@pytest.mark.parametrize("theme", THEMES)
def test_quiz_and_self_test_are_accessible_in_both_themes(page, theme):
    wear(page, theme)
    for part in (".bp-quiz", ".bp-self-test"):
        assert_accessible(page, part, 4)


def test_quiz_continues_after_a_kernel_restart(page):
    page.evaluate(f"async () => {{ await {PANEL}.sessionContext.session.kernel.restart(); }}")
    before, quiz = noted(), page.locator(".bp-quiz").first
    quiz.locator(".bp-jumps button").nth(2).click()
    assert answer(quiz, number="4").startswith("✓ Right.")
    assert noted() == before  # there is no one to tell
    lab_server.run_all(page)
    page.locator(".bp-self-test .bp-state", has_text="works").nth(2).wait_for()
    times = seen(QUESTIONS[0]["id"])
    answer(quiz, number="-6")
    assert wait_until_noted(page, times + 1, QUESTIONS[0]["id"])["right"]


def test_quiz_answers_without_a_kernel(plain):
    """For the ways to write a number see tests/js/typed.json."""
    plain.set_content(HTML)
    for place, each in enumerate(QUESTIONS):
        told = answer(plain, number=each["number"]["shown"]) if "number" in each else answer(plain, right(each))
        assert told.startswith("✓ Right.")
        if place + 1 < len(QUESTIONS):
            question(plain).get_by_role("button", name="Next question").click()
    assert score(plain) == "All done: 4 of 4 on the first try."
    assert plain.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")
    plain.set_content(HTML)
    assert answer(plain, number="six").startswith('"six" is not a number.')
    assert answer(plain, number="-12/2").startswith("✓ Right.")


def test_questions_and_answers_are_readable_without_scripts(browser):
    page = browser.new_page(java_script_enabled=False)
    page.set_content(HTML)
    assert page.locator("details").count() == len(QUESTIONS)
    assert page.get_by_text("What is the slope of the line through these two points?").is_visible()
    found = page.get_by_text("it falls six times as fast as x rises.")
    assert not found.is_visible()
    page.locator("summary").first.click()
    assert found.is_visible()
    page.close()
