"""The labs of arrays in a real JupyterLab: matmul, broadcast, jacobian, and a pass back through Tensors."""

import pytest

import figures
from autograd.tensor import Tensor
from tests import lab_server
from tests.test_browser import assert_shows, first, shown, write_notebook
from tests.test_browser_walks import wait_said

playwright = pytest.importorskip("playwright.sync_api", reason='a browser test needs: pip install -e ".[test]"')
axe = pytest.importorskip("axe_core_python.sync_playwright", reason='accessibility needs: pip install -e ".[test]"')

pytestmark = [
    pytest.mark.skipif(lab_server.CHROMIUM is None, reason="no Chromium here; to add one: apt install chromium"),
]

CODE = """\
import figures
from autograd.tensor import Tensor

def layer():
    x, w = Tensor([[1, 2, 0], [0, -1, 3]], label="X"), Tensor([[1, -1], [2, 0], [0.5, 1]], label="W")
    return (x @ w + Tensor([0.5, -0.5], label="b")).tanh().sum()
"""
CELLS = [
    "figures.matmul()",
    "figures.matmul(predict=True)",
    "figures.broadcast((3, 1), (2, 3, 4))",
    "figures.jacobian()",
    "figures.step_backward(layer())",
]
MATMUL, PREDICT, BROADCAST, JACOBIAN, STEP = range(5)


def layer():
    """The graph of the last cell."""
    x, w = Tensor([[1, 2, 0], [0, -1, 3]], label="X"), Tensor([[1, -1], [2, 0], [0.5, 1]], label="W")
    return (x @ w + Tensor([0.5, -0.5], label="b")).tanh().sum()


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):
    """The page of a notebook with every lab, run from top to bottom. In the end nothing was raised, here or there."""
    folder = tmp_path_factory.mktemp("notebooks")
    write_notebook(folder / "arrays.ipynb", CODE, *CELLS)
    with lab_server.jupyter_lab(folder) as place:
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        faults = []
        page.on("pageerror", lambda fault: faults.append(str(fault)))
        lab_server.open_notebook(page, place, "arrays.ipynb")
        lab_server.run_all(page)
        page.locator(".bp-player").nth(STEP).wait_for()
        yield page
        assert lab_server.errors(page) == []
        assert faults == []
        page.close()
        assert "Traceback" not in place.log()


@pytest.fixture
def lab(page):
    """A function from a place to its lab, at the first frame."""

    def at(place):
        player = page.locator(".bp-player").nth(place)
        first(player)
        return player

    return at


def press(player, name):
    player.get_by_role("button", name=name).click()


@pytest.mark.parametrize(
    ("place", "make"),
    [
        (MATMUL, lambda: figures.matmul()),
        (BROADCAST, lambda: figures.broadcast((3, 1), (2, 3, 4))),
        (JACOBIAN, lambda: figures.jacobian()),
        (STEP, lambda: figures.step_backward(layer())),
    ],
)
def test_every_step_shows_the_recorded_frame_and_nothing_jumps(lab, place, make):
    player, heights = lab(place), set()
    for i, frame in enumerate(make().recording.frames):
        if i:
            press(player, "Step forward")
        assert_shows(player, frame)
        heights.add(round(player.bounding_box()["height"]))
    assert len(heights) == 1


@pytest.mark.parametrize(
    ("place", "label", "options", "said"),
    [
        (MATMUL, "gradient of", ("X", "graph", "W"), ("X has 6 numbers", "As single numbers", "W has 6 numbers")),
        (BROADCAST, "fold by", ("mean", "sum"), ("a has the shape (3, 1)", "a has the shape (3, 1)")),
        (JACOBIAN, "operation", ("softmax", "matmul"), ("a full block for each row", "Y = X @ W by W")),
    ],
)
def test_another_choice_is_another_recording(lab, place, label, options, said):
    player = lab(place)
    choice = player.get_by_role("combobox", name=label)
    for option, sentence in zip(options, said, strict=True):
        choice.select_option(option)
        wait_said(player, sentence)


def test_what_a_mistake_leaves_is_shown_at_the_frame_in_view(page, lab):
    player = lab(BROADCAST)
    choice = player.get_by_role("combobox", name="fold by")
    press(player, "Last step")
    for fold in ("first row", "sum"):
        choice.select_option(fold)
        right = figures.broadcast((3, 1), (2, 3, 4), fold=fold).recording.frames[-1]
        wait_said(player, right.say[:30])
        number = right.marks["a.0.0.0.grad"]["text"]
        player.locator("[data-key='a.0.0.0.grad']", has_text=number).wait_for()
        assert_shows(player, right)


def test_a_cell_is_predicted_and_a_wrong_rule_named(page, lab):
    player = lab(PREDICT)
    press(player, "Step forward")
    press(player, "Step forward")
    assert shown(player, "W.1.0.grad") == "–"
    entry = player.locator(".bp-ask input")
    entry.fill("2")
    page.keyboard.press("Enter")
    verdict = player.locator(".bp-verdict")
    assert verdict.text_content() == (
        "✗ Not 2. One mistake gives this: the first product alone. All 2 add up. Try again, or step on."
    )
    entry.fill("0")
    page.keyboard.press("Enter")
    assert verdict.text_content() == "✓ Right: W.grad[1, 0] is 0.0000."
    assert shown(player, "W.1.0.grad") == "0.0000"


def test_the_keys_step_and_the_text_lists_every_cell(page, lab):
    player = lab(MATMUL)
    player.get_by_role("button", name="Step forward").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert player.locator(".bp-at").text_content() == "Cell 2 of 6"
    press(player, "Text")
    lines = player.locator(".bp-text li").all_text_contents()
    assert lines == [frame.say for frame in figures.matmul().recording.frames]
    press(player, "Text")


def test_a_press_is_answered_and_a_step_drawn_at_once(page, lab):
    """A step is drawn before the browser paints again: nothing is asked of the kernel for it."""
    player = lab(JACOBIAN)
    before = player.locator(".bp-at").text_content()
    after = player.get_by_role("button", name="Step forward").evaluate(
        "(button) => { button.click(); return button.closest('.bp-player').querySelector('.bp-at').textContent; }"
    )
    assert (before, after) == ("The Jacobian", "Row 1 of 8")


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_no_accessibility_rule_is_broken(page, lab, theme):
    page.evaluate(f"() => {{ window.jupyterapp.commands.execute('apputils:change-theme', {{theme: '{theme}'}}); }}")
    page.wait_for_function(f"() => document.body.dataset.jpThemeName === '{theme}'")
    for place in range(len(CELLS)):
        press(lab(place), "Step forward")
    page.emulate_media(reduced_motion="reduce")  # colours stand still
    page.wait_for_function("() => document.getAnimations().every((one) => one.playState === 'finished')")
    found = axe.Axe().run(page, context=".bp-player")
    broken = [(rule["id"], rule["nodes"][0]["html"][:300]) for rule in found["violations"]]
    assert broken == []
    assert len(found["passes"]) > 5
