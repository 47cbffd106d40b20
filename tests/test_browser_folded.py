"""What is folded, in a real JupyterLab: closed after every run, opened by mouse and by key, and whole when open."""

import nbformat
import pytest

from figures.labs import neuron
from tests import lab_server
from tests.test_browser import assert_shows, write_notebook

playwright = pytest.importorskip("playwright.sync_api", reason='a browser test needs: pip install -e ".[test]"')
axe = pytest.importorskip("axe_core_python.sync_playwright", reason='accessibility needs: pip install -e ".[test]"')

pytestmark = [
    pytest.mark.skipif(lab_server.CHROMIUM is None, reason="no Chromium here; to add one: apt install chromium"),
]

CELLS = [
    "import autograd, exercises, figures",
    "exercises.folded((6.0, -3.0))",
    "exercises.folded(figures.neuron(), 'Which gradient is the largest?')",
    "h = autograd.Value(0.5, label='x')\nfor _ in range(14):\n    h = h.tanh()\n"
    "exercises.folded(figures.draw_graph(h, direction='LR'))",
    "exercises.folded((figures.step_through(h, direction='LR'), 3))",
]
PLAIN, LAB, WIDE, STEPS = range(4)
OPEN = "(details) => details.open"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("notebooks")


@pytest.fixture(scope="module")
def page(browser, folder):
    """The notebook's page, run from top to bottom; in the end nothing was raised."""
    write_notebook(folder / "folded.ipynb", *CELLS)
    with lab_server.jupyter_lab(folder) as place:
        page = browser.new_page(viewport={"width": 1000, "height": 900})
        page.folder, faults = place, []
        page.on("pageerror", lambda fault: faults.append(str(fault)))
        opened(page, "folded.ipynb")
        lab_server.run_all(page)
        page.locator("details .bp-player").nth(1).wait_for(state="attached")
        yield page
        assert lab_server.errors(page) == [] and faults == []
        page.close()


def opened(page, name):
    """Open a notebook, whose folds stand on page."""
    lab_server.open_notebook(page, page.folder, name)
    page.evaluate("() => { window.jupyterapp.shell.collapseLeft(); }")


def fold(page, place):
    return page.locator(".jp-OutputArea-output details").nth(place)


def toggle(page, place, key=None):
    """Press what is clicked; with a key, by keyboard, as JupyterLab is in command mode."""
    summary = fold(page, place).locator("summary")
    if key is None:
        summary.click()
    else:
        summary.focus()
        page.keyboard.press(key)


def are_open(page):
    return [each.evaluate(OPEN) for each in page.locator(".jp-OutputArea-output details").all()]


def test_it_is_closed_opens_by_mouse_and_by_key_and_is_closed_again_by_a_run(page):
    assert are_open(page) == [False] * 4
    assert not fold(page, PLAIN).get_by_text("(6.0, -3.0)").is_visible()
    assert not fold(page, LAB).locator(".bp-player").is_visible()
    cells = "() => window.jupyterapp.shell.currentWidget.content.model.cells.length"
    before, mode = page.evaluate(cells), "() => window.jupyterapp.shell.currentWidget.content.mode"
    toggle(page, PLAIN)
    assert fold(page, PLAIN).get_by_text("(6.0, -3.0)").is_visible()
    for key, shown in (("Enter", False), ("Space", True), ("Enter", False), ("Enter", True)):
        toggle(page, PLAIN, key)
        assert fold(page, PLAIN).evaluate(OPEN) is shown
    assert page.evaluate(mode) == "command" and page.evaluate(cells) == before
    lab_server.run_all(page)
    page.locator("details .bp-player").nth(1).wait_for(state="attached")
    assert are_open(page) == [False] * 4


def test_a_lab_in_it_steps_and_its_sliders_reach_the_kernel(page):
    toggle(page, LAB, "Enter")
    player = fold(page, LAB).locator(".bp-player")
    player.locator("fieldset:enabled").wait_for()
    player.get_by_role("slider", name="b", exact=True).press("End")
    root = neuron.build({"x1": 2.0, "w1": 0.5, "b": 10.0}, "tanh", "half_squares")
    frame = neuron.record_live(root, True, "").frames[0]
    player.locator("output[aria-live]", has_text=frame.say).wait_for(timeout=20_000)
    assert_shows(player, frame)
    toggle(page, STEPS)
    steps = fold(page, STEPS).locator(".bp-player")
    for _ in range(2):
        steps.get_by_role("button", name="Step forward").click()
    assert steps.locator(".bp-at").text_content() == "Forward: step 2 of 14"
    assert fold(page, STEPS).locator("pre").text_content() == "3"


def test_a_wide_drawing_in_it_scrolls_once_it_is_seen(page):
    """What was measured while it was hidden is measured again."""
    toggle(page, WIDE)
    page.wait_for_function(
        "() => { const place = document.querySelector('details .bp-picture');"
        " return place.tabIndex === 0 && place.scrollWidth > place.clientWidth + 1; }"
    )
    page.wait_for_function("() => document.querySelector('details .bp-main[data-scrolls]')?.tabIndex === 0")


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_no_accessibility_rule_is_broken(page, theme):
    page.evaluate(f"() => {{ window.jupyterapp.commands.execute('apputils:change-theme', {{theme: '{theme}'}}); }}")
    page.wait_for_function(f"() => document.body.dataset.jpThemeName === '{theme}'")
    page.wait_for_timeout(500)  # a theme's style sheet is loaded after its name is set
    found = axe.Axe().run(page, context=".jp-OutputArea-output")
    assert [(rule["id"], rule["nodes"][0]["html"][:200]) for rule in found["violations"]] == []


def test_in_a_reopened_notebook_it_is_closed_and_in_an_untrusted_one_too(page, folder):
    page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
    page.wait_for_function("() => !window.jupyterapp.shell.currentWidget.context.model.dirty")
    page.evaluate("() => window.jupyterapp.shell.currentWidget.context.sessionContext.shutdown()")
    notebook = nbformat.read(folder / "folded.ipynb", as_version=4)
    notebook.cells[0].source += "\n# changed by someone else"
    nbformat.write(notebook, folder / "untrusted.ipynb")
    opened(page, "folded.ipynb")
    page.locator("details .bp-player").nth(1).wait_for(state="attached")
    assert are_open(page) == [False] * 4
    toggle(page, STEPS, "Enter")
    fold(page, STEPS).get_by_role("button", name="Step forward").click()
    assert fold(page, STEPS).locator(".bp-at").text_content() == "Forward: step 1 of 14"
    opened(page, "untrusted.ipynb")
    fold(page, WIDE).wait_for()
    assert page.locator(".bp-player").count() == 0 and are_open(page) == [False] * 4
    toggle(page, PLAIN, "Enter")
    toggle(page, WIDE, "Space")
    assert fold(page, PLAIN).get_by_text("(6.0, -3.0)").is_visible()
    assert fold(page, WIDE).locator("img").is_visible()
