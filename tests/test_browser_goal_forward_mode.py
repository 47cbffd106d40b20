"""The goal and the forward mode lab in a real JupyterLab: by mouse and by keyboard they show the engine's numbers."""

import pytest

import figures
from autograd.messages import show
from figures.labs.goal import Place
from tests import lab_server
from tests.test_browser import assert_shows, first, shown, write_notebook
from tests.test_browser_walks import GRAPHS, wait_said
from tests.walks import two_paths

playwright = pytest.importorskip("playwright.sync_api", reason='a browser test needs: pip install -e ".[test]"')
axe = pytest.importorskip("axe_core_python.sync_playwright", reason='accessibility needs: pip install -e ".[test]"')

pytestmark = [
    pytest.mark.skipif(lab_server.CHROMIUM is None, reason="no Chromium here; to add one: apt install chromium"),
]


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):
    """The page of a notebook with both labs, run from top to bottom. In the end nothing was raised, here or there."""
    folder = tmp_path_factory.mktemp("notebooks")
    write_notebook(folder / "labs.ipynb", GRAPHS, "figures.goal()", "figures.forward_mode(two_paths())")
    with lab_server.jupyter_lab(folder) as place:
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        faults = []
        page.on("pageerror", lambda fault: faults.append(str(fault)))
        lab_server.open_notebook(page, place, "labs.ipynb")
        lab_server.run_all(page)
        page.locator(".bp-player").nth(1).wait_for()
        yield page
        assert lab_server.errors(page) == []
        assert faults == []
        page.close()
        assert "Traceback" not in place.log()


@pytest.fixture
def goal(page):
    """The goal lab, at its start."""
    player = page.locator(".bp-player").nth(0)
    player.get_by_role("button", name="Start over").click()
    player.locator(".bp-at", has_text="By hand: 0 moves").wait_for()
    wait_loss(player, "5.0000")
    return player


@pytest.fixture
def forward(page):
    """The forward mode lab, at its start."""
    player = page.locator(".bp-player").nth(1)
    first(player)
    return player


def wait_loss(player, text):
    player.locator("[data-key='loss.number']", has_text=text).wait_for(timeout=20_000)


def press(player, name, times=1):
    for _ in range(times):
        player.get_by_role("button", name=name).click()


def wait_at(player, text):
    player.locator(".bp-at", has_text=text).wait_for(timeout=20_000)


# Goal


def test_a_dial_is_dragged_and_its_knob_follows_the_pointer(page, goal):
    knob = goal.locator("[data-key='b.knob']")
    box = knob.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y, steps=6)
    page.mouse.up()
    wait_loss(goal, show(Place({"a": 0.0, "b": 1.5, "c": 0.0}).loss))
    moved = knob.bounding_box()
    assert moved["x"] - box["x"] == pytest.approx(60, rel=0.1) and moved["y"] == box["y"]
    assert goal.locator(".bp-at").text_content() == "By hand: 1 move"


def test_a_dial_is_moved_by_keys_and_stops_at_its_end(page, goal):
    dial = goal.get_by_role("slider", name="height a")
    dial.focus()
    page.keyboard.press("ArrowDown")
    wait_loss(goal, show(Place({"a": -0.1, "b": 0.0, "c": 0.0}).loss))
    page.keyboard.press("Shift+ArrowRight")
    wait_loss(goal, show(Place({"a": -0.09, "b": 0.0, "c": 0.0}).loss))
    for _ in range(4):
        page.keyboard.press("PageUp")
    wait_loss(goal, show(Place({"a": 3.0, "b": 0.0, "c": 0.0}).loss))
    assert dial.get_attribute("aria-valuetext") == "3.0000" and dial.evaluate(
        "(part) => part === document.activeElement"
    )


def test_the_slopes_are_shown_and_followed(page, goal):
    walk = figures.goal().walk
    press(goal, "Show the slopes")
    wait_said(goal, "Now follow them.")
    assert [shown(goal, f"{name}.slope") for name in "abc"] == [show(slope) for slope in walk[0].slopes.values()]
    press(goal, "Follow them, one step")
    wait_at(goal, "Step 1 of 40")
    wait_loss(goal, show(walk[1].loss))
    press(goal, "Ten steps")
    wait_at(goal, "Step 11 of 40")
    assert shown(goal, "loss.number") == show(walk[11].loss)
    press(goal, "Step back")
    wait_at(goal, "Step 10 of 40")
    press(goal, "Follow them, one step")
    wait_at(goal, "Step 11 of 40")


def test_a_dial_is_moved_on_from_where_the_steps_have_brought_it(page, goal):
    press(goal, "Ten steps")
    wait_at(goal, "Step 10 of 40")
    dials = figures.goal().walk[10].dials
    goal.get_by_role("slider", name="bend c").focus()
    page.keyboard.press("ArrowUp")
    wait_at(goal, "The slopes")
    wait_loss(goal, show(Place({**dials, "c": dials["c"] + 0.1}).loss))


def test_the_goal_lab_never_jumps(goal):
    heights = set()
    for name in ("Show the slopes", "Ten steps", "Ten steps", "Ten steps", "Ten steps", "Ten steps", "Start over"):
        heights.add(round(goal.bounding_box()["height"]))
        press(goal, name)
        goal.page.wait_for_timeout(150)
    assert len(heights) == 1


# Forward mode


def test_every_step_of_forward_mode_shows_the_recorded_frame(forward):
    for i, frame in enumerate(figures.forward_mode(two_paths()).recording.frames):
        if i:
            press(forward, "Step forward")
        assert_shows(forward, frame)


def test_a_leaf_is_clicked_and_chosen_by_key(page, forward):
    """All passes have been seen: a leaf leads to its own."""
    press(forward, "Last step")
    forward.get_by_role("button", name="a: derivative 1").click()
    wait_said(forward, "a gets the derivative 1")
    choice = forward.get_by_role("combobox", name="derivative 1 for")
    page.wait_for_function("(choice) => choice.value === 'a'", arg=choice.element_handle())
    forward.get_by_role("button", name="b: derivative 1").focus()
    page.keyboard.press("Enter")
    wait_said(forward, "b gets the derivative 1")
    page.wait_for_function("(choice) => choice.value === 'b'", arg=choice.element_handle())
    choice.select_option("a")
    wait_said(forward, "a gets the derivative 1")
    press(forward, "Step forward", 7)
    page.wait_for_function("(choice) => choice.value === 'b'", arg=choice.element_handle())


def test_forward_mode_never_jumps(forward):
    slider = forward.locator(".bp-bar input[type=range]")
    heights = slider.evaluate(
        """(slider) => Array.from({ length: Number(slider.max) + 1 }, (_, at) => {
             slider.value = at;
             slider.dispatchEvent(new Event('input', { bubbles: true }));
             return Math.round(slider.closest('.bp-player').getBoundingClientRect().height);
           })"""
    )
    assert len(heights) == 15 and len(set(heights)) == 1


# Both


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_no_accessibility_rule_is_broken(page, goal, forward, theme):
    page.evaluate(f"() => {{ window.jupyterapp.commands.execute('apputils:change-theme', {{theme: '{theme}'}}); }}")
    page.wait_for_function(f"() => document.body.dataset.jpThemeName === '{theme}'")
    press(goal, "Show the slopes")
    press(forward, "Step forward", 3)
    page.emulate_media(reduced_motion="reduce")  # colours stand still
    page.wait_for_function("() => document.getAnimations().every((one) => one.playState === 'finished')")
    found = axe.Axe().run(page, context=".bp-player")
    broken = [(rule["id"], rule["nodes"][0]["html"][:300]) for rule in found["violations"]]
    assert broken == []
    assert len(found["passes"]) > 5
