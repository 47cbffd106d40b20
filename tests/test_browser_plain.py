"""Players in a plain page: a gradient that flows, numbers that are dragged, controls that are disabled."""

import pytest

import figures
from autograd import Value, topological_order
from figures.page.player import Control, Frame, Player, Recording
from figures.page.style import compact, number, style_sheet
from tests import lab_server, plain_page
from tests.walks import two_paths

playwright = pytest.importorskip("playwright.sync_api", reason='a browser test needs: pip install -e ".[test]"')
axe = pytest.importorskip("axe_core_python.sync_playwright", reason='accessibility needs: pip install -e ".[test]"')

pytestmark = [
    pytest.mark.skipif(lab_server.CHROMIUM is None, reason="no Chromium here; to add one: apt install chromium"),
]


@pytest.fixture
def page(browser):
    """A page in which nothing was thrown."""
    page = browser.new_page(viewport={"width": 1000, "height": 900})
    faults = []
    page.on("pageerror", lambda fault: faults.append(str(fault)))
    yield page
    page.close()
    assert faults == []


# A gradient that flows

# Steps forward so many times within one task, and says what flows: after it, and at the middle of its way.
STEP = """async (times) => {
  const forward = document.querySelector('[aria-label="Step forward"]');
  for (let i = 0; i < times; i += 1) forward.click();
  return [...document.querySelectorAll('.bp-flow')].map((copy) => [copy.textContent, copy.getAttribute('aria-hidden')]);
}"""
# Where the flowing number is, as a share of its edge from the input on, at each frame that the browser draws.
WAY = """async () => {
  document.querySelector('[aria-label="Step forward"]').click();
  const copy = document.querySelector('.bp-flow');
  const path = document.querySelector('.edge[data-state="backward"] path');
  const ends = [0, path.getTotalLength()].map((at) => path.getPointAtLength(at));
  const places = [];
  while (copy.isConnected && places.length < 600) {
    await new Promise(requestAnimationFrame);
    if (!copy.hasAttribute('x')) continue;
    const at = { x: Number(copy.getAttribute('x')), y: Number(copy.getAttribute('y')) - 4 };
    places.push(ends.map((end) => Math.hypot(at.x - end.x, at.y - end.y)));
  }
  return places;
}"""


def at_seed(page):
    """The step lab at the step that sets the root's gradient: the next one is the first along an edge."""
    plain_page.show(page, figures.step_backward(two_paths()))
    page.get_by_role("slider", name="Step").press("ArrowRight")


def test_a_contribution_travels_from_the_consumer_to_the_input(page):
    at_seed(page)
    places = page.evaluate(WAY)
    assert len(places) >= 2
    (from_input, from_consumer), (at_input, at_consumer) = places[0], places[-1]
    assert from_consumer < from_input and at_input < at_consumer
    assert page.locator(".bp-flow").count() == 0


def test_what_travels_is_the_contribution_and_no_part_of_what_is_read_aloud(page):
    at_seed(page)
    assert page.evaluate(STEP, 1) == [[page.locator("[data-key='sum.contribution']").text_content(), "true"]]
    page.locator(".bp-flow").wait_for(state="detached")


def test_nothing_travels_when_steps_come_fast(page):
    """The second of two steps takes it away; and nothing is left behind by either."""
    at_seed(page)
    assert page.evaluate(STEP, 2) == []
    at_seed(page)
    assert page.evaluate(STEP, 5) == []


def test_nothing_travels_at_a_jump_or_back(page):
    at_seed(page)
    slider = page.get_by_role("slider", name="Step")
    for value in ("4", "5", "2"):
        slider.evaluate("(node, value) => { node.value = value; node.dispatchEvent(new Event('input')); }", value)
        assert page.locator(".edge[data-state=backward]").count() == 1
        assert page.locator(".bp-flow").count() == 0
    page.evaluate("() => document.querySelector('[aria-label=\"Step back\"]').click()")
    assert page.locator(".bp-flow").count() == 0


def test_nothing_travels_where_motion_is_unwanted(page):
    page.emulate_media(reduced_motion="reduce")
    at_seed(page)
    assert page.evaluate(STEP, 1) == []
    assert page.locator(".edge[data-state=backward]").count() == 1


# Numbers that are dragged


def joined(page, root):
    """The drag lab of a graph in the page, with a kernel; its player."""
    player = figures.drag(root)
    plain_page.show(page, player)
    plain_page.join(page, player)
    return player


def said(page, text):
    page.locator("output[aria-live]", has_text=text).wait_for(timeout=20_000)


def assert_engine(page, root):
    """The page shows every number and gradient of this graph after its backward pass."""
    root.backward()
    for i, node in enumerate(topological_order(root)):
        assert page.locator(f"[data-key='n{i}.data']").text_content() == number(node.data)
        assert page.locator(f"[data-key='n{i}.grad']").text_content() == number(node.grad)


def product(a, b):
    """y = a·b."""
    y = Value(a, label="a") * Value(b, label="b")
    y.label = "y"
    return y


def test_arrows_change_a_leaf_and_all_that_depends_on_it(page):
    root = product(2.0, 3.0)
    joined(page, root)
    leaf = page.get_by_role("slider", name="a", exact=True)
    leaf.focus()
    page.keyboard.press("ArrowUp")
    said(page, "a went up by 0.1000")
    page.keyboard.press("Shift+ArrowDown")
    said(page, "a went up by 0.0900")
    page.keyboard.press("PageUp")
    said(page, "a went up by 1.0900")
    assert leaf.get_attribute("aria-valuetext") == "3.0900" and leaf.get_attribute("aria-valuenow") == "3.090000"
    assert page.evaluate("() => document.activeElement.dataset.drag") == "n0", "the focus stays"
    assert_engine(page, product(3.09, 3.0))
    assert [(node.data, node.grad) for node in topological_order(root)] == [(2.0, 0.0), (3.0, 0.0), (6.0, 0.0)]


def test_keys_faster_than_the_kernel_are_all_counted(page):
    joined(page, product(2.0, 3.0))
    page.evaluate(
        """() => {
             const leaf = document.querySelector('[data-drag="n0"]');
             const key = () => new KeyboardEvent('keydown', { key: 'ArrowUp', bubbles: true });
             for (let i = 0; i < 30; i += 1) leaf.dispatchEvent(key());
           }"""
    )
    said(page, "a went up by 3.0000")
    assert_engine(page, product(5.0, 3.0))


def test_a_leaf_is_dragged_by_the_pointer(page):
    """Four pixels are 0.1: 40 to the right and 20 up are 1.5; out of its box too, and no more after it is let go."""
    joined(page, product(2.0, 3.0))
    box = page.locator("[data-key='n1']").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 40, y - 20, steps=6)
    said(page, "b went up by 1.5000")
    page.mouse.move(x - 200, y, steps=6)
    said(page, "b went down by 5.0000")
    page.mouse.up()
    page.mouse.move(x, y, steps=4)
    assert_engine(page, product(2.0, -2.0))
    assert page.locator("[data-key='n1']").bounding_box() == box, "nothing moves under the pointer"
    page.get_by_role("slider", name="a", exact=True).press("ArrowDown")
    said(page, "2 leaves moved")
    page.get_by_role("button", name="Start over").click()
    said(page, "Drag a leaf")
    page.get_by_role("slider", name="a", exact=True).press("ArrowUp")
    said(page, "a went up by 0.1000")
    assert_engine(page, product(2.1, 3.0))


def test_a_number_outside_of_a_domain_is_answered_by_a_sentence(page):
    root = Value(0.05, label="x").log()
    joined(page, root)
    page.get_by_role("slider", name="x").press("ArrowDown")
    page.locator(".bp-message", has_text="log").wait_for()
    assert page.locator("[data-key='n0.data']").text_content() == "0.0500", "the last picture stays"
    page.get_by_role("slider", name="x").press("ArrowUp")
    said(page, "x went up by 0.1000")


def test_without_a_kernel_no_leaf_moves(page):
    plain_page.show(page, figures.drag(product(2.0, 3.0)))
    leaf = page.get_by_role("slider", name="a", exact=True)
    assert leaf.get_attribute("aria-disabled") == "true"
    page.locator(".bp-status", has_text="Run this cell in JupyterLab").wait_for()
    leaf.press("ArrowUp")
    box = leaf.bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + 50, box["y"] + 5)
    page.mouse.up()
    assert page.locator("[data-key='n0.data']").text_content() == "2.0000"


# Controls that are disabled

KINDS = [
    Control("range", "r", "range", 1.0, min=0, max=2, step=0.1),
    Control("choice", "c", "choice", "one", options=("one", "two")),
    Control("toggle", "g", "toggle", True),
    Control("text", "t", "text", "words"),
    Control("button", "b", "button"),
]


def with_controls(off):
    """A player with a control of each kind, of which those named are disabled, and that notes what it is asked."""

    class Noted(Player):
        asked = ()

        def answer(self, values, presses):
            self.asked = (*self.asked, (values, presses))

    controls = [Control(**{**vars(control), "disabled": control.name in off}) for control in KINDS]
    recording = Recording("Controls", [Frame("Shown.", "", {})], lambda marks: "<p>A stage.</p>", "alt")
    return Noted(recording, controls=controls)


def input_of(page, control):
    role = {"range": "slider", "choice": "combobox", "toggle": "checkbox", "text": "textbox", "button": "button"}
    return page.get_by_role(role[control.kind], name=control.label)


@pytest.mark.parametrize("control", KINDS, ids=lambda control: control.kind)
def test_a_control_that_is_disabled_asks_nothing_and_can_be_enabled(page, control):
    player = with_controls({control.name})
    plain_page.show(page, player)
    plain_page.join(page, player)
    part = input_of(page, control)
    assert part.is_disabled()
    assert [input_of(page, other).is_disabled() for other in KINDS].count(True) == 1
    part.evaluate("(node) => node.click()")
    assert player.asked == ()
    change = "(change) => document.querySelector('.bp-player').player.take({ controls: change })"
    page.evaluate(change, {control.name: {"disabled": False}})
    assert part.is_enabled()
    part.press("ArrowUp" if control.kind == "range" else "ArrowDown" if control.kind == "choice" else "Space")
    page.wait_for_function("() => !document.querySelector('.bp-player').player.requests.asked")
    assert len(player.asked) >= 1
    page.evaluate(change, {control.name: {"disabled": True}})
    assert part.is_disabled()


def test_the_tab_key_passes_over_what_is_disabled_and_is_not_caught(page):
    player = with_controls({"r", "g"})
    plain_page.show(page, player)
    plain_page.join(page, player)
    page.keyboard.press("Tab")
    reached = []
    for _ in range(3):
        reached.append(page.evaluate("() => document.activeElement.getAttribute('aria-label') ?? 'button'"))
        page.keyboard.press("Tab")
    assert reached == ["choice", "text", "button"]
    input_of(page, KINDS[1]).focus()
    page.evaluate("() => document.querySelector('.bp-player').player.take({ controls: { c: { disabled: true } } })")
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.getAttribute('aria-label')") == "text"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_accessibility_rule_is_broken(page, scheme):
    page.emulate_media(color_scheme=scheme)
    player = figures.drag(two_paths())
    plain_page.show(page, player, with_controls({"r", "g", "b"}))
    plain_page.join(page, player)
    found = axe.Axe().run(page, context=".bp-player")
    assert [(rule["id"], rule["nodes"][0]["html"][:200]) for rule in found["violations"]] == []


def test_a_sheet_without_needless_spaces_says_the_same(page):
    read = """(text) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(text);
      return [...sheet.cssRules].map((rule) => rule.cssText.replaceAll(/,\\s+/g, ','));
    }"""
    whole = page.evaluate(read, style_sheet())
    assert page.evaluate(read, compact(style_sheet())) == whole and len(whole) > 200
    assert len(compact(style_sheet())) < 0.9 * len(style_sheet())
