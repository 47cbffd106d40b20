"""Quizzes and the self-test in a real JupyterLab, by keyboard, and on a page without a kernel or without scripts."""

import json

import nbformat
import pytest

from exercises.quizzes.quiz_data import load
from exercises.quizzes.quiz_widget import Quiz
from tests import lab_server

playwright = pytest.importorskip("playwright.sync_api", reason='a browser test needs: pip install -e ".[test]"')
axe = pytest.importorskip("axe_core_python.sync_playwright", reason='accessibility needs: pip install -e ".[test]"')

pytestmark = [
    pytest.mark.skipif(lab_server.CHROMIUM is None, reason="no Chromium here; to add one: apt install chromium"),
]

CELLS = ["import exercises", "exercises.quiz('00')", "exercises.self_test()", "exercises.recall('01')"]
QUESTIONS = load("00")["questions"]


def right(question):
    """The place of the right option."""
    return next(i for i, option in enumerate(question["options"]) if option.get("right"))


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def page(browser, data, tmp_path_factory):
    """A notebook with a quiz, a self-test and a recall, run from top to bottom."""
    folder = tmp_path_factory.mktemp("notebooks")
    here = f"import os\nos.environ['BACKPROP_DATA_DIR'] = {str(data)!r}"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in (here, *CELLS)])
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, folder / "quiz.ipynb")
    with lab_server.jupyter_lab(folder) as place:
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        page.faults = []
        page.on("pageerror", lambda fault: page.faults.append(str(fault)))
        lab_server.open_notebook(page, place, "quiz.ipynb")
        lab_server.run_all(page)
        page.locator(".bp-quiz").nth(1).wait_for()
        yield page
        page.close()


@pytest.fixture(scope="module")
def plain_page(browser, tmp_path_factory):
    """The same quiz on a page of its own, without a kernel."""
    place = tmp_path_factory.mktemp("page") / "quiz.html"
    html = Quiz("Quiz: Start here", QUESTIONS).html()
    place.write_text(
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Quiz</title>{html}</html>',
        encoding="utf-8",
    )
    return place


def cells_of(page):
    return page.evaluate("() => window.jupyterapp.shell.currentWidget.content.model.toJSON().cells.length")


def noted(data):
    """What the progress file says of questions."""
    place = data / "progress.json"
    return json.loads(place.read_text(encoding="utf-8"))["questions"] if place.exists() else {}


def wait_until_noted(page, data, name, seen):
    """Wait for the kernel to write an answer into the progress file."""
    for _ in range(100):
        if noted(data).get(name, {}).get("seen") == seen:
            return noted(data)[name]
        page.wait_for_timeout(100)
    raise AssertionError(f"{name} was not noted: {noted(data)}")


def test_it_runs_without_an_error(page):
    assert lab_server.errors(page) == [] and page.faults == []
    assert [output for output in lab_server.outputs(page) if output.get("name") == "stderr"] == []


def test_the_live_row_of_the_self_test_says_that_widgets_work(page):
    row = page.locator(".bp-self-test tr", has_text="widgets")
    row.locator(".bp-state", has_text="works").wait_for()
    assert "the kernel answered" in row.text_content()


def test_a_quiz_is_answered_by_keyboard_and_each_first_answer_is_noted(page, data):
    """A number first wrong and then right; then an option by the arrow keys; the score; the progress file."""
    quiz = page.locator(".bp-quiz").first
    before = cells_of(page)
    entry = quiz.get_by_role("textbox", name="Your number")
    entry.focus()
    page.keyboard.type("9")
    page.keyboard.press("Enter")
    feedback = quiz.locator("form:not(.bp-off) .bp-feedback[role=status]")
    assert feedback.text_content() == "✗ Not yet. " + dict(QUESTIONS[0]["number"]["wrong"])[9]
    first = wait_until_noted(page, data, QUESTIONS[0]["id"], 1)
    assert (first["missed"], first["right"]) == (1, False)
    page.keyboard.press("Backspace")
    assert feedback.text_content() == ""
    page.keyboard.type("6")
    page.keyboard.press("Enter")
    assert feedback.text_content().startswith("✓ Right. 6. ")
    assert quiz.locator(".bp-score").text_content() == "Right at the first try: 0 of 1 answered."
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.textContent") == "Next question"
    page.keyboard.press("Enter")

    assert quiz.locator(".bp-at").text_content() == "Question 2 of 7"
    assert page.evaluate("() => document.activeElement.type") == "radio"
    page.keyboard.press("d")
    page.keyboard.press("d")  # JupyterLab's key for deleting a cell
    page.keyboard.press("Space")
    for _ in range(right(QUESTIONS[1])):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert feedback.text_content().startswith("✓ Right.")
    assert quiz.locator(".bp-option[data-state=right] .bp-sign").first.text_content() == "✓ right"
    assert quiz.locator(".bp-score").text_content() == "Right at the first try: 1 of 2 answered."
    assert wait_until_noted(page, data, QUESTIONS[1]["id"], 1)["right"]
    assert noted(data)[QUESTIONS[0]["id"]]["seen"] == 1  # the second try is not another answer
    assert cells_of(page) == before


def test_a_wrong_option_is_marked_by_word_and_another_can_be_tried(page):
    quiz = page.locator(".bp-quiz").first
    quiz.get_by_role("button", name="Question 4: not answered").click()
    form = quiz.locator("form:not(.bp-off)")
    form.get_by_role("button", name="Check").click()
    assert form.locator("[role=status]").text_content() == "Choose one of the answers first."
    wrong = 1 - right(QUESTIONS[3])
    form.get_by_role("radio").nth(wrong).check()
    form.get_by_role("button", name="Check").click()
    assert form.locator(".bp-option").nth(wrong).locator(".bp-sign").text_content() == "✗ not this"
    assert quiz.get_by_role("button", name="Question 4: not right yet").text_content() == "4 ✗"
    form.get_by_role("radio").nth(right(QUESTIONS[3])).check()
    form.get_by_role("button", name="Check").click()
    assert quiz.get_by_role("button", name="Question 4: right, not at the first try").text_content() == "4 ✓"


def test_moving_between_questions_moves_nothing_else(page):
    quiz = page.locator(".bp-quiz").first
    heights = set()
    for place in range(len(QUESTIONS)):
        quiz.locator(".bp-jumps button").nth(place).click()
        heights.add(quiz.bounding_box()["height"])
        assert quiz.locator("form:not(.bp-off)").count() == 1
    assert len(heights) == 1


def test_recall_says_where_its_questions_come_from_and_is_noted(page, data):
    recall = page.locator(".bp-quiz").nth(1)
    assert recall.locator("legend small").first.text_content() == "What this course takes as known"
    form = recall.locator("form:not(.bp-off)")
    if form.get_by_role("radio").count():
        form.get_by_role("radio").first.check()
    else:
        form.get_by_role("textbox").fill("1")
    before = sum(entry["seen"] for entry in noted(data).values())
    form.get_by_role("button", name="Check").click()
    for _ in range(100):
        if sum(entry["seen"] for entry in noted(data).values()) == before + 1:
            return
        page.wait_for_timeout(100)
    raise AssertionError("the answer was not noted")


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_accessible_in_both_themes(page, theme):
    page.evaluate(f"() => {{ window.jupyterapp.commands.execute('apputils:change-theme', {{ theme: {theme!r} }}); }}")
    page.wait_for_function(
        f"() => document.body.dataset.jpThemeLight === '{str('Light' in theme).lower()}'", timeout=10_000
    )
    page.wait_for_timeout(500)
    for part in (".bp-quiz", ".bp-self-test"):
        found = axe.Axe().run(page, context=part)
        assert [(rule["id"], rule["nodes"][0]["html"][:200]) for rule in found["violations"]] == []
        assert len(found["passes"]) > 3


def test_after_a_restart_of_the_kernel_a_quiz_goes_on_and_a_second_run_is_noted_again(page, data):
    page.evaluate(
        "async () => { await window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart(); }"
    )
    before, quiz = noted(data), page.locator(".bp-quiz").first
    quiz.locator(".bp-jumps button").nth(4).click()
    form = quiz.locator("form:not(.bp-off)")
    form.get_by_role("radio").nth(right(QUESTIONS[4])).check()
    form.get_by_role("button", name="Check").click()
    assert form.locator("[role=status]").text_content().startswith("✓ Right.")
    assert noted(data) == before  # there is no one to tell
    lab_server.run_all(page)
    page.locator(".bp-self-test .bp-state", has_text="works").nth(2).wait_for()
    seen = noted(data)[QUESTIONS[0]["id"]]["seen"]
    entry = page.locator(".bp-quiz").first.get_by_role("textbox", name="Your number")
    entry.fill("6")
    entry.press("Enter")
    assert wait_until_noted(page, data, QUESTIONS[0]["id"], seen + 1)["right"]
    assert page.faults == []


def test_a_page_without_a_kernel_asks_and_answers(browser, plain_page):
    page = browser.new_page(viewport={"width": 500, "height": 900})
    faults = []
    page.on("pageerror", lambda fault: faults.append(str(fault)))
    page.goto(plain_page.as_uri())
    for place, question in enumerate(QUESTIONS):
        form = page.locator("form:not(.bp-off)")
        if "number" in question:
            form.get_by_role("textbox").fill(question["number"]["shown"])
        else:
            form.get_by_role("radio").nth(right(question)).check()
        form.get_by_role("button", name="Check").click()
        assert form.locator("[role=status]").text_content().startswith("✓ Right.")
        if place + 1 < len(QUESTIONS):
            form.get_by_role("button", name="Next question").click()
    assert page.locator(".bp-score").text_content() == "All done: 7 of 7 at the first try."
    assert page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")
    assert faults == []
    page.close()


def test_numbers_may_be_written_in_several_ways(browser, plain_page):
    """6 is the answer: as a fraction or a product; not with a comma, not 6.4, and no number is no answer."""
    page = browser.new_page()
    page.goto(plain_page.as_uri())
    form = page.locator("form:not(.bp-off)")
    for typed, said in {
        "six": '"six" is not a number.',
        "": '"" is not a number.',
        "1/0": '"1/0" is not a number.',
        "6.4": "✗ Not yet.",
        "−6": "✗ Not yet.",
        "12/2": "✓ Right.",
        "6,00": "A decimal point is a point here",
        "2*3": "✓ Right.",
    }.items():
        page.reload()
        form.get_by_role("textbox").fill(typed)
        form.get_by_role("button", name="Check").click()
        assert form.locator("[role=status]").text_content().startswith(said), typed
    page.close()


def test_without_scripts_the_questions_and_answers_are_there(browser, plain_page):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(plain_page.as_uri())
    assert page.locator("details").count() == len(QUESTIONS)
    assert page.get_by_text("What is the derivative of x² at x = 3?").is_visible()
    answer = page.get_by_text("The derivative of x² is 2x, and 2 · 3 is 6.")
    assert not answer.is_visible()
    page.locator("summary").first.click()
    assert answer.is_visible()
    context.close()
