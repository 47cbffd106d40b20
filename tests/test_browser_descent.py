"""The descent lab in a real JupyterLab: by mouse and keyboard it shows its frames and stays in its place."""

import math

import pytest

from figures import descent
from tests import lab_server
from tests.test_browser import write_notebook
from tests.test_browser_nudge_expression_clip import assert_shows, said

playwright = pytest.importorskip("playwright.sync_api", reason='a browser test needs: pip install -e ".[test]"')
axe = pytest.importorskip("axe_core_python.sync_playwright", reason='accessibility needs: pip install -e ".[test]"')

pytestmark = [
    pytest.mark.skipif(lab_server.CHROMIUM is None, reason="no Chromium here; to add one: apt install chromium"),
]

CELLS = "import figures", "figures.descent(lr=0.2)", "figures.descent(lambda u, v: u.exp() + (u - v) ** 2, lr=0.1)"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A notebook with the lab twice, run from top to bottom."""
    folder = tmp_path_factory.mktemp("notebooks")
    write_notebook(folder / "descent.ipynb", *CELLS)
    with playwright.sync_playwright() as running, lab_server.jupyter_lab(folder) as place:
        chromium = running.chromium.launch(executable_path=lab_server.CHROMIUM, args=lab_server.CHROMIUM_FLAGS)
        page = chromium.new_page(viewport={"width": 1400, "height": 1000})
        faults = []
        page.on("pageerror", lambda fault: faults.append(str(fault)))
        lab_server.open_notebook(page, place, "descent.ipynb")
        page.evaluate("() => { window.jupyterapp.shell.collapseLeft(); }")
        lab_server.run_all(page)
        page.locator(".bp-player").nth(1).wait_for()
        yield page
        assert lab_server.errors(page) == [] and faults == [] and "Traceback" not in place.log()
        chromium.close()


def test_every_step_shows_the_recorded_frame(page):
    player, recording = page.locator(".bp-player").first, descent(lr=0.2).recording
    player.get_by_role("slider", name="Step", exact=True).focus()
    page.keyboard.press("Home")
    assert_shows(player, recording.frames[0])
    for frame in recording.frames[1:]:
        page.keyboard.press("ArrowRight")
        assert_shows(player, frame)


def heights(player):
    """How high the lab is in each of its frames."""
    return player.locator(".bp-bar input[type=range]").evaluate(
        """(slider) => Array.from({ length: Number(slider.max) + 1 }, (_, at) => {
             slider.value = at;
             slider.dispatchEvent(new Event('input', { bubbles: true }));
             return Math.round(slider.closest('.bp-player').getBoundingClientRect().height);
           })"""
    )


@pytest.mark.parametrize("width", [1400, 1000, 800])
def test_nothing_jumps_in_play_nor_when_zero_grad_is_forgotten(page, width):
    page.set_viewport_size({"width": width, "height": 1000})
    player = page.locator(".bp-player").first
    box = player.get_by_role("checkbox", name="zero_grad() in each round")
    found = heights(player)
    box.click()
    said(player, "swings")
    found += heights(player)
    box.click()
    said(player, "a step multiplies")
    assert len(found) == 122 and len(set(found)) == 1
    page.set_viewport_size({"width": 1400, "height": 1000})


def test_inputs_by_key_and_by_mouse_keep_the_step(page):
    player = page.locator(".bp-player").first
    player.get_by_role("slider", name="Step", exact=True).fill("7")
    player.get_by_role("slider", name="learning rate").focus()
    for _ in range(11):
        page.keyboard.press("ArrowRight")
    said(player, "The learning rate 0.2550 is above the border 2/8.0000 = 0.2500")
    assert_shows(player, descent(lr=0.255).recording.frames[7])
    player.get_by_role("checkbox", name="zero_grad() in each round").click()
    said(player, "the sums of 8 gradients")
    assert_shows(player, descent(lr=0.255, zero=False).recording.frames[7])
    player.get_by_role("combobox", name="loss").select_option("line")
    player.locator(".bp-title", has_text="3 dots").wait_for(timeout=20_000)
    player.get_by_role("slider", name="start: u").fill("-2")
    player.get_by_role("button", name="First step").click()
    said(player, "Step 0: u = -2.0000, v = 3.0000")
    assert_shows(player, descent("line", (-2, 3), lr=0.255, zero=False).recording.frames[0])


def test_a_walk_that_ends_early_shows_its_last_step_and_a_longer_one_goes_on(page):
    player = page.locator(".bp-player").first
    player.get_by_role("checkbox", name="zero_grad() in each round").check()
    player.get_by_role("slider", name="start: u").fill("1")
    player.get_by_role("slider", name="Step", exact=True).fill("40")
    player.get_by_role("slider", name="learning rate").fill("0.3")
    player.get_by_role("combobox", name="loss").select_option("valley")
    said(player, "past the largest float")
    frames = descent("valley", lr=0.3).recording.frames
    assert_shows(player, frames[-1])
    player.get_by_role("button", name="Step back").click()
    assert_shows(player, frames[-2])
    player.get_by_role("combobox", name="loss").select_option("bowl")
    player.locator(".bp-title", has_text="4u²").wait_for(timeout=20_000)
    said(player, f"Step {len(frames) - 2}: u = ")
    player.get_by_role("button", name="Last step").click()
    said(player, "Step 60: u = 5.857e+08")


def test_a_function_of_ones_own_has_a_slider_over_powers_of_ten(page):
    player = page.locator(".bp-player").nth(1)
    rate = player.get_by_role("slider", name="learning rate")
    assert float(rate.input_value()) == pytest.approx(math.log10(0.1))
    rate.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    said(player, "The learning rate 0.1096 is")


def test_no_accessibility_rule_is_broken(page):
    result = axe.Axe().run(page, ".jp-Notebook .jp-OutputArea-output .bp")
    assert [(one["id"], [node["target"] for node in one["nodes"]]) for one in result["violations"]] == []
