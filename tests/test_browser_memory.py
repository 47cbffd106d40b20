"""The memory lab in a real JupyterLab: stepped by key, other segments by its control, the best one predicted."""

from dataclasses import replace

import pytest

import figures
from tests import lab_server
from tests.test_browser import assert_shows, first, shown, write_notebook

playwright = pytest.importorskip("playwright.sync_api", reason='a browser test needs: pip install -e ".[test]"')
axe = pytest.importorskip("axe_core_python.sync_playwright", reason='accessibility needs: pip install -e ".[test]"')

pytestmark = pytest.mark.skipif(
    lab_server.CHROMIUM is None, reason="no Chromium here; to add one: apt install chromium"
)

CELLS = "import figures", "figures.memory(8, 16, predict=True)", "figures.torch_graph('detached')"


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):
    """The page of a notebook with the lab, run. In the end nothing was raised, here or there."""
    folder = tmp_path_factory.mktemp("notebooks")
    write_notebook(folder / "memory.ipynb", *CELLS)
    with lab_server.jupyter_lab(folder) as place:
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        faults = []
        page.on("pageerror", lambda fault: faults.append(str(fault)))
        lab_server.open_notebook(page, place, "memory.ipynb")
        lab_server.run_all(page)
        page.locator(".bp-player").wait_for()
        yield page
        assert lab_server.errors(page) == [] and faults == []
        page.close()
        assert "Traceback" not in place.log()


def assert_at(player, frame):
    """Every text and state of a frame stands in the page; where its lines and bars end, the other tests say."""
    marks = {key: {what: mark[what] for what in ("text", "state") if what in mark} for key, mark in frame.marks.items()}
    assert_shows(player, replace(frame, marks=marks))


def test_every_moment_shows_the_recorded_frame(page):
    player, recording = page.locator(".bp-player"), figures.memory(8, 16, predict=True).recording
    first(player)
    for frame in recording.frames[:-1]:
        assert_at(player, frame)
        page.keyboard.press("ArrowRight")


def test_the_blocks_that_are_seen_are_what_is_held(page):
    player = page.locator(".bp-player")
    first(player)
    for _ in range(20):
        page.keyboard.press("ArrowRight")
    seen = player.locator(".stack path").evaluate_all(
        """(paths) => paths.filter((path) => getComputedStyle(path).visibility === 'visible')
             .map((path) => path.classList[0])"""
    )
    counts = {kind: seen.count(kind) for kind in ("hold-input", "hold-graph", "hold-grads")}
    assert counts == {"hold-input": 2, "hold-graph": 8, "hold-grads": 5}


def test_the_best_segment_is_predicted(page):
    player, entry, verdict = page.locator(".bp-player"), page.locator(".bp-ask input"), page.locator(".bp-verdict")
    slider = player.get_by_role("slider", name="Step", exact=True)
    slider.focus()
    slider.press("Home")
    assert "the segment length with the lowest peak" in page.locator(".bp-ask").text_content()
    assert shown(player, "peak 2") == "?"
    entry.fill("4")
    entry.press("Enter")
    verdict.get_by_text("√16 would be right if a layer kept one array").wait_for()
    entry.fill("2")
    player.get_by_role("button", name="Check").click()
    verdict.get_by_text("✓ Right").wait_for()
    assert shown(player, "peak 2") == "?"
    slider.press("End")
    player.locator("[data-key='peak 2']", has_text="6.1 MB").wait_for()
    assert "Predicted at the first try: 0 of 1. Skipped: 0." in page.locator(".bp-ask").text_content()


def test_another_segment_by_the_control(page):
    player = page.locator(".bp-player")
    player.get_by_role("combobox", name="layers in a segment").select_option("4")
    player.locator(".bp-title", has_text="segments of 4").wait_for(timeout=20_000)
    layers = player.get_by_role("combobox", name="layers", exact=True)
    layers.select_option("64")
    player.locator(".bp-title", has_text="64 layers, segments of 4").wait_for(timeout=20_000)
    first(player)
    assert_at(player, figures.memory(4, 64, predict=True).recording.frames[0])
    slider = player.get_by_role("slider", name="Step", exact=True)
    heights = slider.evaluate(
        """(slider) => Array.from({ length: Number(slider.max) + 1 }, (_, at) => {
             slider.value = at;
             slider.dispatchEvent(new Event('input', { bubbles: true }));
             return Math.round(slider.closest('.bp-player').getBoundingClientRect().height);
           })"""
    )
    assert len(heights) == 190 and len(set(heights)) == 1, "nothing jumps in play"


@pytest.mark.parametrize("theme, width", [("JupyterLab Light", 1400), ("JupyterLab Dark", 1000)])
def test_no_accessibility_rule_is_broken(page, theme, width):
    page.evaluate(f"() => {{ window.jupyterapp.commands.execute('apputils:change-theme', {{theme: '{theme}'}}); }}")
    page.wait_for_function(f"() => document.body.dataset.jpThemeName === '{theme}'")
    page.set_viewport_size({"width": width, "height": 1000})
    page.wait_for_function("() => document.getAnimations().every((one) => one.playState === 'finished')")
    found = axe.Axe().run(page, context=".bp-player")
    assert [(rule["id"], rule["nodes"][0]["html"][:300]) for rule in found["violations"]] == []
    assert len(found["passes"]) > 5
