"""Every lab on a page 800 pixels wide: no text is too small to read, nothing is cut off, no key reaches the cell."""

import pytest

from tests.lab_pages import THEMES, Lab, assert_accessible, cells_of, notebook_page, wear

GRAPHS = """\
import random
import exercises
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

def skip_connection():
    b = labelled(2 * Value(1.5, label="a"), "b")
    return labelled(b * labelled(b + 1, "c"), "y")

def network(*layers):
    return half_squares([MLP(2, list(layers), rng=random.Random(0))([1.0, 0.0])], [1.0])

def layer():
    x, w = Tensor([[1, 2, 0], [0, -1, 3]], label="X"), Tensor([[1, -1], [2, 0], [0.5, 1]], label="W")
    return (x @ w + Tensor([0.5, -0.5], label="b")).tanh().sum()
"""
LABS = {
    "goal": "figures.goal()",
    "nudge": "figures.nudge()",
    "expression": "figures.expression('tanh(w1*x1 + w2*x2 + b) ** 2 - exp(w1) * sqrt(x1) + log(x2)')",
    "step": "figures.step_through(two_paths(), predict=True)",
    "step, wide": "figures.step_through(network(3, 1))",
    "neuron": "figures.neuron((2, 0), (-3, 1), 6.88, 1.0)",
    "neuron, steps": "figures.neuron(steps=True)",
    "drag": "figures.drag(two_paths())",
    "paths": "figures.paths(two_paths())",
    "paths, wide": "figures.paths(network(2, 1))",
    "depth_first": "figures.depth_first(network(2, 1))",
    "order": "figures.order(network(3, 1))",
    "order, skip": "figures.order(skip_connection())",
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
    "memory": "figures.memory(8, 16, predict=True)",
    "step, arrays": "figures.step_backward(layer())",
    "classifier": "figures.classifier()",
    "embedding": "figures.embedding(predict=True)",
    "attention": "figures.attention(predict=True)",
    "attention_map": "figures.attention_map(predict=True)",
    "sampling": "figures.sampling(temperature=0.7)",
}
LEAST = 9  # pixels

page = notebook_page(
    *(GRAPHS, *LABS.values(), "figures.draw_graph(Value(1024.1234) * 0.5)"),
    **{"labs": len(LABS) + 1, "width": 800},  # the lottery has two
)


def at_its_end(page, name):
    """Return the player of a cell, at its last frame if it has several; of the lottery, the first."""
    player = page.locator(".jp-CodeCell").nth(1 + list(LABS).index(name)).locator(".bp-player").first
    player.evaluate("({ player }) => player.go(player.frames.length - 1)")
    return Lab(player)


@pytest.mark.parametrize("name", LABS)
def test_lab_text_is_readable_and_nothing_is_cut_off(page, name):
    """A drawing's texts as they are on the screen; those cut with …, and parts that no pane scrolls to."""
    small, lost, texts = at_its_end(page, name).evaluate(
        """(node, least) => {
             const texts = [...node.querySelectorAll('.bp-stage svg text')].filter((text) => text.textContent.trim());
             const edge = node.getBoundingClientRect().right;
             const lost = [...node.querySelectorAll('*')].filter((part) => !part.closest('[hidden], [aria-hidden=true]')
                 && part.checkVisibility({ visibilityProperty: true }))
               .filter((part) => (getComputedStyle(part).textOverflow === 'ellipsis' && !part.matches('.bp-below *')
                   && part.scrollWidth > part.clientWidth + 1)
                 || (part.getBoundingClientRect().right > edge + 1 && !part.closest('[data-scrolls], .bp-pane')));
             const small = texts.filter((text) =>
               parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a < least);
             const lines = lost.map((part) => part.outerHTML.slice(0, 120));
             return [small.map((text) => text.textContent), lines, texts.length];
           }""",
        LEAST,
    )
    assert (small, lost) == ([], []) and texts


@pytest.mark.parametrize("name", LABS)
def test_lab_height_is_constant_on_a_wide_page(page, name):
    page.set_viewport_size({"width": 1400, "height": 1000})
    heights = at_its_end(page, name).evaluate(
        """({ player }) => player.frames.map((_, place) => {
             player.go(place);
             return Math.round(player.section.getBoundingClientRect().height);
           })"""
    )
    page.set_viewport_size({"width": 800, "height": 1000})
    assert len(set(heights)) == 1


@pytest.mark.parametrize("name", LABS)
def test_no_key_in_a_lab_reaches_the_notebook(page, name):
    """In command mode d d deletes the cell."""
    before, player = cells_of(page), at_its_end(page, name)
    words = player.locator(".bp-bar > button", has_text="Text")
    words.evaluate("(node) => node.click()")  # a list if there are several sentences
    for part in player.locator("[tabindex='0'], button, input, select").all():
        if part.is_visible() and part.is_enabled():
            part.evaluate("(node) => node.focus({ preventScroll: true })")
            page.keyboard.press("d")
            page.keyboard.press("d")
    assert cells_of(page) == before
    words.evaluate("(node) => node.click()")


def test_wide_drawing_scrolls_to_the_current_step(page):
    player = at_its_end(page, "paths, wide")
    pane = player.locator(".bp-main")
    assert pane.evaluate("(node) => node.scrollWidth > node.clientWidth + 1")
    assert pane.get_attribute("tabindex") == "0" and pane.get_attribute("role") == "group"
    player.press("First step")
    for _ in range(2):
        player.press("Step forward")
        assert pane.evaluate(
            """(node) => {
              const pane = node.getBoundingClientRect();
              const part = node.querySelector('.node[data-state~="target"], .node[data-state~="backward"]');
              const box = part.getBoundingClientRect();
              return pane.left - 1 <= box.left && box.right <= pane.right + 1;
            }"""
        )
    told, before = player.sentence_shown(), pane.evaluate("(node) => (node.scrollLeft = 0)")
    pane.focus()
    page.keyboard.press("ArrowRight")  # in a pane that scrolls the arrows scroll
    page.wait_for_function("([node, before]) => node.scrollLeft > before", arg=[pane.element_handle(), before])
    assert player.sentence_shown() == told
    fits = at_its_end(page, "paths").locator(".bp-main")
    assert fits.get_attribute("tabindex") is None, "a drawing that fits is no stop of the Tab key"


def test_long_number_hides_the_word_next_to_it(page):
    words = page.locator(".bp-picture .what")
    assert words.first.evaluate("(word) => [word.textContent, word.nextSibling.textContent]") == ["data", "1024.1234"]
    seen = words.evaluate_all("(all) => all.map((word) => getComputedStyle(word).visibility)")
    assert seen[:2] == ["hidden", "visible"]


@pytest.mark.parametrize(("width", "side"), [(1400, "expandLeft"), (1000, "expandLeft"), (1000, "collapseLeft")])
def test_microscope_fits_one_view_with_its_controls(page, width, side):
    """A slider and what it changes are visible together, with the file browser open and closed."""
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate(f"() => window.jupyterapp.shell.{side}()")
    here = at_its_end(page, "microscope")
    fits = "(node) => node.offsetHeight <= node.closest('.jp-WindowedPanel-outer').clientHeight"
    page.wait_for_function(fits, arg=here.element_handle())
    assert here.locator(".bp-stage > svg").count() == 1
    page.evaluate("() => window.jupyterapp.shell.collapseLeft()")
    page.set_viewport_size({"width": 800, "height": 1000})


@pytest.mark.long
@pytest.mark.parametrize("theme", THEMES)
def test_narrow_labs_pass_accessibility_rules(page, theme):
    wear(page, theme)
    for back in page.get_by_role("button", name="Step back", exact=True).all():
        back.evaluate("(node) => node.click()")  # so that a step is marked
    assert_accessible(page, ".jp-Notebook .jp-OutputArea-output .bp")
