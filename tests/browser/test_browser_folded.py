"""Folds in a real JupyterLab: closed after every run, opened by mouse and by key, and complete when open."""

import pytest

from figures.labs import neuron
from tests import lab_server
from tests.lab_pages import (
    PANEL,
    THEMES,
    Lab,
    assert_accessible,
    cells_of,
    changed_by_another,
    lab,
    notebook_page,
    save_and_shut_down,
    wear,
)

page = notebook_page(
    "import autograd, exercises, figures",
    "exercises.folded((6.0, -3.0))",
    "exercises.folded(figures.neuron(), 'Which gradient is the largest?')",
    "h = autograd.Value(0.5, label='x')\nfor _ in range(14):\n    h = h.tanh()\n"
    "exercises.folded(figures.draw_graph(h, direction='LR'))",
    "exercises.folded((figures.step_through(h, direction='LR'), 3))",
    **{"labs": 2, "width": 1000, "height": 900},
)
PLAIN, LAB, WIDE, STEPS = range(4)


def fold(page, place):
    return Lab(page.locator(".jp-OutputArea-output details").nth(place))


def toggle(page, place, key=None):
    """Press the summary; with a key, by keyboard, while JupyterLab is in command mode."""
    summary = fold(page, place).locator("summary")
    summary.press(key) if key else summary.click()


def are_open(page):
    return page.locator(".jp-OutputArea-output details").evaluate_all("(all) => all.map((details) => details.open)")


def test_folds_open_by_mouse_and_key_and_close_after_a_run(page):
    assert are_open(page) == [False] * 4
    plain, before = fold(page, PLAIN).get_by_text("(6.0, -3.0)"), cells_of(page)
    assert not plain.is_visible() and not fold(page, LAB).locator(".bp-player").is_visible()
    presses = ((None, True), ("Enter", False), ("Space", True), ("Enter", False), ("Enter", True))
    for key, is_open in presses:
        toggle(page, PLAIN, key)
        assert are_open(page)[PLAIN] is plain.is_visible() is is_open
    assert page.evaluate(f"() => {PANEL}.content.mode") == "command" and cells_of(page) == before
    lab_server.run_all(page)
    lab(page, 1).wait_for(state="attached")
    assert are_open(page) == [False] * 4


def test_lab_in_a_fold_steps_and_its_sliders_reach_the_kernel(page):
    toggle(page, LAB, "Enter")
    player = lab(fold(page, LAB))
    player.locator("fieldset:enabled").wait_for()
    player.slider("b").press("End")
    root = neuron.build({"x1": 2.0, "w1": 0.5, "b": 10.0}, "tanh", "half_squares")
    frame = neuron.record_live(root, True, "").frames[0]
    player.wait_said(frame.say)
    player.assert_shows(frame)
    toggle(page, STEPS)
    fold(page, STEPS).press("Step forward", 2)
    fold(page, STEPS).wait_at("Forward: step 2 of 14")
    assert fold(page, STEPS).locator("pre").text_content() == "3"


def test_wide_drawing_in_a_fold_scrolls_once_visible(page):
    """Sizes measured while it was hidden are measured again."""
    toggle(page, WIDE)
    page.wait_for_function(
        """() => {
          const [place, stage] = ['picture', 'main[data-scrolls]'].map((name) =>
            document.querySelector(`details .bp-${name}`));
          return place.tabIndex === 0 && place.scrollWidth > place.clientWidth + 1 && stage?.tabIndex === 0;
        }"""
    )


@pytest.mark.parametrize("theme", THEMES)
def test_folds_pass_accessibility_rules(page, theme):
    wear(page, theme)
    assert_accessible(page, ".jp-OutputArea-output")


def test_folds_are_closed_in_reopened_and_untrusted_notebooks(page):
    save_and_shut_down(page)
    changed_by_another(page.folder / "labs.ipynb", page.folder / "untrusted.ipynb")
    lab_server.open_notebook(page, page.place, "labs.ipynb")
    lab(page, 1).wait_for(state="attached")
    assert are_open(page) == [False] * 4
    toggle(page, STEPS, "Enter")
    fold(page, STEPS).press("Step forward")
    fold(page, STEPS).wait_at("Forward: step 1 of 14")
    lab_server.open_notebook(page, page.place, "untrusted.ipynb")
    fold(page, WIDE).wait_for()
    assert page.locator(".bp-player").count() == 0 and are_open(page) == [False] * 4
    toggle(page, PLAIN, "Enter")
    toggle(page, WIDE, "Space")
    assert fold(page, PLAIN).get_by_text("(6.0, -3.0)").is_visible()
    assert fold(page, WIDE).locator("img").is_visible()
