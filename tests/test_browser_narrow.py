"""Every lab on a page 800 pixels wide: no text is too small to be read, nothing is cut off, no key reaches the cell."""

import pytest

from tests import lab_server
from tests.test_browser import write_notebook

playwright = pytest.importorskip("playwright.sync_api", reason='a browser test needs: pip install -e ".[test]"')
axe = pytest.importorskip("axe_core_python.sync_playwright", reason='accessibility needs: pip install -e ".[test]"')

pytestmark = [
    pytest.mark.skipif(lab_server.CHROMIUM is None, reason="no Chromium here; to add one: apt install chromium"),
]

GRAPHS = """\
import random
import figures
from autograd import MLP, Value, half_squares
from autograd.tensor import Tensor

def labelled(value, label):
    value.label = label
    return value

def two_paths():
    a, b = Value(2, label="a"), Value(3, label="b")
    c, d = labelled(a + b, "c"), labelled(a * b, "d")
    return labelled(labelled(c + d, "s") + labelled(c * d, "p"), "y")

def network(*layers):
    return half_squares([MLP(2, list(layers), rng=random.Random(0))([1.0, 0.0])], [1.0])

def layer():
    x, w = Tensor([[1, 2, 0], [0, -1, 3]], label="X"), Tensor([[1, -1], [2, 0], [0.5, 1]], label="W")
    return (x @ w + Tensor([0.5, -0.5], label="b")).tanh().sum()
"""
CELLS = {
    "goal": "figures.goal()",
    "nudge": "figures.nudge()",
    "expression": "figures.expression('tanh(w1*x1 + w2*x2 + b) ** 2 - exp(w1) * sqrt(x1) + log(x2)')",
    "step": "figures.step_through(two_paths(), predict=True)",
    "step, wide": "figures.step_through(network(3, 1))",
    "neuron": "figures.neuron((2, 0), (-3, 1), 6.88, 1.0)",
    "drag": "figures.drag(two_paths())",
    "paths": "figures.paths(two_paths())",
    "paths, wide": "figures.paths(network(2, 1))",
    "depth_first": "figures.depth_first(network(2, 1))",
    "order": "figures.order(network(3, 1))",
    "forward_mode": "figures.forward_mode(two_paths())",
    "policy": "figures.policy()",
    "descent": "figures.descent('valley', lr=0.2)",
    "shape": "figures.shape()",
    "xor": "figures.xor([8, 8])",
    "lottery": "figures.lottery()",
    "border": "figures.border('circle')",
    "microscope": "figures.microscope(depth=30)",
    "deep_training": "figures.deep_training(30)",
    "clip": "figures.clip()",
    "matmul": "figures.matmul()",
    "matmul, graph": "figures.matmul(wants='graph')",
    "broadcast": "figures.broadcast((3, 1), (2, 3, 4))",
    "jacobian": "figures.jacobian()",
    "memory": "figures.memory()",
    "step, arrays": "figures.step_backward(layer())",
    "classifier": "figures.classifier()",
}
LEAST = 9  # pixels


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("notebooks")
    write_notebook(folder / "narrow.ipynb", GRAPHS, *CELLS.values(), "figures.draw_graph(Value(1024.0) * 0.5)")
    with playwright.sync_playwright() as running, lab_server.jupyter_lab(folder) as place:
        chromium = running.chromium.launch(executable_path=lab_server.CHROMIUM, args=lab_server.CHROMIUM_FLAGS)
        page = chromium.new_page(viewport={"width": 800, "height": 1000})
        lab_server.open_notebook(page, place, "narrow.ipynb")
        page.evaluate("() => { window.jupyterapp.shell.collapseLeft(); }")
        lab_server.run_all(page)
        page.locator(".bp-player").nth(len(CELLS)).wait_for()  # the lottery has two
        assert lab_server.errors(page) == []
        yield page
        chromium.close()


def lab(page, name):
    """The player of a cell; of the lottery, the first."""
    return page.locator(".jp-CodeCell").nth(1 + list(CELLS).index(name)).locator(".bp-player").first


def last(player):
    """Put a lab that has frames at its last one."""
    button = player.get_by_role("button", name="Last step")
    if button.is_visible() and button.get_attribute("aria-disabled") == "false":  # else it is there already
        button.click()


@pytest.mark.parametrize("name", CELLS)
def test_every_text_can_be_read(page, name):
    """The size of a drawing's texts as they stand on the screen."""
    player = lab(page, name)
    last(player)
    sizes = player.evaluate(
        """(node) => [...node.querySelectorAll('.bp-stage svg text')].filter((text) => text.textContent.trim())
             .map((text) => [parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a, text.textContent])"""
    )
    assert sizes and [text for size, text in sizes if size < LEAST] == []


@pytest.mark.parametrize("name", CELLS)
def test_nothing_is_cut_off_or_wider_than_the_page(page, name):
    """Texts that are cut with …, and parts outside of the lab that no pane scrolls to."""
    player = lab(page, name)
    last(player)
    lost = player.evaluate(
        """(node) => {
             const edge = node.getBoundingClientRect().right;
             return [...node.querySelectorAll('*')].filter((part) => part.checkVisibility({ visibilityProperty: true })
                 && !part.closest('[hidden], [aria-hidden=true]'))
               .filter((part) => (getComputedStyle(part).textOverflow === 'ellipsis' && !part.matches('.bp-below *')
                   && part.scrollWidth > part.clientWidth + 1)
                 || (part.getBoundingClientRect().right > edge + 1 && !part.closest('[data-scrolls], .bp-pane')))
               .map((part) => part.outerHTML.slice(0, 120));
           }"""
    )
    assert lost == []


def test_a_wide_drawing_scrolls_and_keeps_what_a_step_is_about_in_sight(page):
    player = lab(page, "paths, wide")
    pane = player.locator(".bp-main")
    assert pane.evaluate("(node) => node.scrollWidth > node.clientWidth + 1")
    assert pane.get_attribute("tabindex") == "0" and pane.get_attribute("role") == "group"
    inside = """(node) => {
      const pane = node.getBoundingClientRect();
      const part = node.querySelector('.node[data-state~="target"], .node[data-state~="backward"]');
      const box = part.getBoundingClientRect();
      return pane.left - 1 <= box.left && box.right <= pane.right + 1;
    }"""
    last(player)
    player.get_by_role("button", name="First step").click()
    for _ in range(2):
        player.get_by_role("button", name="Step forward").click()
        assert pane.evaluate(inside)
    step, before = player.locator(".bp-at").text_content(), pane.evaluate("(node) => (node.scrollLeft = 0)")
    pane.focus()
    page.keyboard.press("ArrowRight")  # in a pane that scrolls the arrows scroll
    page.wait_for_function("([node, before]) => node.scrollLeft > before", arg=[pane.element_handle(), before])
    assert player.locator(".bp-at").text_content() == step


def test_a_drawing_that_fits_is_no_stop_of_the_tab_key(page):
    pane = lab(page, "paths").locator(".bp-main")
    assert pane.get_attribute("tabindex") is None


def test_a_long_number_stands_beside_no_word(page):
    words = page.locator(".bp-picture .what")
    assert words.first.evaluate("(word) => [word.textContent, word.nextSibling.textContent]") == ["data", "1024.0000"]
    assert words.first.evaluate("(word) => getComputedStyle(word).visibility") == "hidden"
    assert words.nth(1).evaluate("(word) => getComputedStyle(word).visibility") == "visible"


@pytest.mark.parametrize("name", CELLS)
def test_no_key_in_any_part_of_a_lab_reaches_the_notebook(page, name):
    """d d deletes the cell in command mode."""
    count = "() => window.jupyterapp.shell.currentWidget.content.model.cells.length"
    before, player = page.evaluate(count), lab(page, name)
    words = player.locator(".bp-bar > button", has_text="Text")
    words.evaluate("(node) => node.click()")  # a list of sentences, where there are several
    parts = player.locator("[tabindex='0'], button, input:not([type='text']), select")
    for part in parts.all():
        if part.is_visible() and part.is_enabled():
            part.evaluate("(node) => node.focus({ preventScroll: true })")
            page.keyboard.press("d")
            page.keyboard.press("d")
    assert page.evaluate(count) == before
    words.evaluate("(node) => node.click()")


def test_no_accessibility_rule_is_broken(page):
    result = axe.Axe().run(page, ".jp-Notebook .jp-OutputArea-output .bp")
    assert [(one["id"], [node["target"] for node in one["nodes"]]) for one in result["violations"]] == []
