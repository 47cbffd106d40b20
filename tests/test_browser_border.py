"""The border lab in a real JupyterLab: live, by mouse and by keyboard, as high in every frame."""

import pytest

from figures.training.borders import CIRCLE, MOONS, Learning, Settings
from tests import lab_server
from tests.test_browser import write_notebook

playwright = pytest.importorskip("playwright.sync_api", reason='a browser test needs: pip install -e ".[test]"')
axe = pytest.importorskip("axe_core_python.sync_playwright", reason='accessibility needs: pip install -e ".[test]"')

pytestmark = [
    pytest.mark.skipif(lab_server.CHROMIUM is None, reason="no Chromium here; to add one: apt install chromium"),
]

CELLS = ["import figures\nfigures.border('circle')", "figures.border('moons', speed='full speed')"]
CIRCLES, MOONS_LAB = range(2)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The notebook's page, run from top to bottom."""
    folder = tmp_path_factory.mktemp("notebooks")
    write_notebook(folder / "border.ipynb", *CELLS)
    with lab_server.jupyter_lab(folder) as place, playwright.sync_playwright() as running:
        chromium = running.chromium.launch(executable_path=lab_server.CHROMIUM, args=lab_server.CHROMIUM_FLAGS)
        page = chromium.new_page(viewport={"width": 1400, "height": 1200})
        lab_server.open_notebook(page, place, "border.ipynb")
        lab_server.run_all(page)
        page.locator(".bp-player").nth(MOONS_LAB).wait_for()
        assert lab_server.errors(page) == []
        yield page
        chromium.close()


@pytest.fixture
def lab(page, request):
    """A lab of the page, reset."""
    lab = page.locator(".bp-player").nth(request.param)
    button(lab, "Reset").click()
    lab.locator(".bp-at", has_text="epoch 0 of").wait_for()
    return lab


def button(lab, name):
    return lab.get_by_role("button", name=name, exact=True)


def text_of(lab, key):
    return lab.locator(f"[data-key='{key}']").text_content()


def shows(page, select, value):
    """Wait until a control has this value."""
    page.wait_for_function("([node, value]) => node.value === value", arg=[select.element_handle(), value])


def run_of(task, epochs):
    """The run of the lesson's settings."""
    run = Learning(Settings(task, task.hidden, task.points), task.lr)
    for _ in range(epochs):
        run.step()
    return run


@pytest.mark.parametrize("lab", [CIRCLES], indirect=True)
def test_step_by_keyboard_shows_the_runs_numbers(page, lab):
    button(lab, "Step").focus()
    for epoch in (1, 2, 3):
        page.keyboard.press("Enter")
        lab.locator(".bp-at", has_text=f"epoch {epoch} of 2000").wait_for()
    run = run_of(CIRCLE, 3)
    assert text_of(lab, "curve.loss") == f"Loss {run.total:.4f}"
    assert text_of(lab, "shares.new.now").startswith(f"new: {run.new_right} of 400")
    assert f"Epoch 3: its loss was {run.total:.4f}." in lab.locator("output[aria-live]").text_content()


@pytest.mark.parametrize("lab", [MOONS_LAB], indirect=True)
def test_play_runs_to_the_end_and_nothing_moves(page, lab):
    before = lab.bounding_box()
    button(lab, "Play").click()
    lab.locator(".bp-at", has_text="epoch 100 of 100").wait_for(timeout=20_000)
    lab.locator("output[aria-live]", has_text="After 100 epochs").wait_for()
    run = run_of(MOONS, 100)
    assert text_of(lab, "shares.training.now") == f"training: {run.right} of 100, 100.0%"
    assert text_of(lab, "best") == "new points at best: {} after epoch {}".format(*run.best)
    assert lab.bounding_box()["height"] == before["height"]


@pytest.mark.parametrize("lab", [CIRCLES], indirect=True)
def test_pause_by_keyboard_and_play_on(page, lab):
    button(lab, "Play").focus()
    page.keyboard.press("Space")
    button(lab, "Pause").wait_for()
    page.wait_for_function(
        "lab => parseInt(lab.querySelector('.bp-at').textContent.split(' ')[1]) > 20", arg=lab.element_handle()
    )
    page.keyboard.press("Space")
    lab.locator("output[aria-live]", has_text="Paused after").wait_for()
    assert button(lab, "Play").is_visible()


@pytest.mark.parametrize("lab", [CIRCLES], indirect=True)
def test_other_data_change_the_controls_and_the_height_stays(page, lab):
    before = lab.bounding_box()["height"]
    data, hidden = (lab.locator("label", has_text=name).locator("select") for name in ("data", "hidden layers"))
    data.select_option("moons")
    lab.locator(".bp-title", has_text="Two moons").wait_for()
    shows(page, hidden, "16, 16")
    assert data.input_value() == "moons" and lab.bounding_box()["height"] == before
    data.select_option("circle")
    lab.locator(".bp-title", has_text="A circle").wait_for()
    shows(page, hidden, "8")
    hidden.select_option("none")
    lab.locator("output[aria-live]", has_text="A 2-1 network, 3 parameters").wait_for()
    hidden.select_option("8")
    lab.locator("output[aria-live]", has_text="A 2-8-1 network").wait_for()


def test_accessible(page):
    result = axe.Axe().run(page, ".bp-player")
    assert [(found["id"], found["nodes"][0]["html"][:200]) for found in result["violations"]] == []
