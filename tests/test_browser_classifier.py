"""The classifier lab in a real JupyterLab: live, by mouse and by keyboard, as high in every frame."""

import re

import pytest

from figures.training.digit_nets import DigitNet, Settings
from tests import lab_server
from tests.test_browser import write_notebook

playwright = pytest.importorskip("playwright.sync_api", reason='a browser test needs: pip install -e ".[test]"')
axe = pytest.importorskip("axe_core_python.sync_playwright", reason='accessibility needs: pip install -e ".[test]"')

pytestmark = [
    pytest.mark.skipif(lab_server.CHROMIUM is None, reason="no Chromium here; to add one: apt install chromium"),
]

CELLS = ["import figures\nfigures.classifier()"]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The notebook's page, run from top to bottom."""
    folder = tmp_path_factory.mktemp("notebooks")
    write_notebook(folder / "classifier.ipynb", *CELLS)
    with lab_server.jupyter_lab(folder) as place, playwright.sync_playwright() as running:
        chromium = running.chromium.launch(executable_path=lab_server.CHROMIUM, args=lab_server.CHROMIUM_FLAGS)
        page = chromium.new_page(viewport={"width": 1400, "height": 1200})
        lab_server.open_notebook(page, place, "classifier.ipynb")
        lab_server.run_all(page)
        page.locator(".bp-player").first.wait_for()
        assert lab_server.errors(page) == []
        yield page
        chromium.close()


@pytest.fixture
def lab(page):
    """The lab, reset."""
    lab = page.locator(".bp-player").first
    button(lab, "Reset").click()
    lab.locator(".bp-at", has_text="epoch 0 of 20").wait_for()
    return lab


def button(lab, name):
    return lab.get_by_role("button", name=name, exact=True)


def text_of(lab, key):
    return lab.locator(f"[data-key='{key}']").text_content()


def net_of(steps):
    """The network of the lab's own settings after some steps."""
    net = DigitNet(Settings())
    for _ in range(steps):
        net.step()
    net.look()
    return net


def test_step_by_keyboard_shows_the_networks_numbers(lab):
    button(lab, "Step").focus()
    for steps in (1, 2, 3):
        lab.page.keyboard.press("Enter")
        lab.locator("output[aria-live]", has_text=f"({steps} step").wait_for()
    net = net_of(3)
    assert text_of(lab, "loss") == f"Loss {net.loss:.4f}"
    assert text_of(lab, "m0.now") == f"layer 1 {net.moved[0]:.4f}"
    worst = net.tested.worst[0]
    assert text_of(lab, "worst0.said") == f"{net.data.test_labels[worst]} → {net.tested.said[worst]}"


def test_play_runs_to_the_end_and_nothing_moves(lab):
    before = lab.bounding_box()
    button(lab, "Play").click()
    lab.locator(".bp-at", has_text=re.compile("^epoch 20 of 20$")).wait_for(timeout=30_000)
    lab.locator("output[aria-live]", has_text="After 20 epochs (560 steps)").wait_for()
    assert text_of(lab, "loss") == f"Loss {net_of(560).loss:.4f}"
    assert lab.bounding_box()["height"] == before["height"]


def test_pause_by_keyboard_and_play_on(lab):
    lab.locator("label", has_text="speed").locator("select").select_option("100 a second")
    button(lab, "Play").focus()
    lab.page.keyboard.press("Space")
    button(lab, "Pause").wait_for()
    lab.page.wait_for_function(
        "lab => parseFloat(lab.querySelector('.bp-at').textContent.split(' ')[1]) > 0.3", arg=lab.element_handle()
    )
    lab.page.keyboard.press("Space")
    lab.locator("output[aria-live]", has_text="Paused after").wait_for()
    assert button(lab, "Play").is_visible()
    lab.locator("label", has_text="speed").locator("select").select_option("full speed")


def test_shuffled_labels_begin_a_new_network_of_the_same_height(lab):
    before = lab.bounding_box()["height"]
    box = lab.get_by_role("checkbox", name="labels shuffled")
    box.click()
    lab.locator("output[aria-live]", has_text="whose labels are shuffled").wait_for()
    assert lab.bounding_box()["height"] == before
    box.click()
    lab.locator("output[aria-live]", has_text="on the training pictures;").wait_for()


@pytest.mark.parametrize("width", [1400, 1000, 800])
def test_no_drawing_is_cut_at_any_width(page, lab, width):
    page.set_viewport_size({"width": width, "height": 1200})
    page.wait_for_timeout(200)
    inside = lab.evaluate(
        """(lab) => {
          const edge = lab.getBoundingClientRect();
          return [...lab.querySelectorAll('.bp-stage svg')].every((drawing) => {
            const box = drawing.getBoundingClientRect();
            return box.width > 100 && box.left >= edge.left && box.right <= edge.right;
          });
        }"""
    )
    page.set_viewport_size({"width": 1400, "height": 1200})
    assert inside


def test_accessible(page):
    result = axe.Axe().run(page, ".bp-player")
    assert [(found["id"], found["nodes"][0]["html"][:200]) for found in result["violations"]] == []
