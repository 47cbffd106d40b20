"""The labs that walk over a graph, in a real JupyterLab: stepped, switched, clicked, by mouse and by keyboard."""

import pytest

import figures
from autograd import Value, topological_order
from autograd.messages import show
from figures.labs import paths
from figures.labs.order_rules import OWN
from tests import lab_server
from tests.test_browser import assert_shows, first, shown, write_notebook
from tests.walks import skip_connection, two_paths

playwright = pytest.importorskip("playwright.sync_api", reason='a browser test needs: pip install -e ".[test]"')
axe = pytest.importorskip("axe_core_python.sync_playwright", reason='accessibility needs: pip install -e ".[test]"')

pytestmark = [
    pytest.mark.skipif(lab_server.CHROMIUM is None, reason="no Chromium here; to add one: apt install chromium"),
]

GRAPHS = """\
import figures
from autograd import Value

def named(value, label):
    value.label = label
    return value

def two_paths():
    a, b = Value(2, label="a"), Value(3, label="b")
    c, d = named(a + b, "c"), named(a * b, "d")
    return named(named(c + d, "s") + named(c * d, "p"), "y")

def skip_connection():
    b = named(2 * Value(1.5, label="a"), "b")
    return named(b * named(b + 1, "c"), "y")
"""
CELLS = [
    "figures.paths(two_paths())",
    "figures.depth_first(two_paths())",
    "figures.order(two_paths())",
    "figures.policy(1)",
    "figures.order(skip_connection())",
    "figures.stale()",
    "dragged = two_paths()\nfigures.drag(dragged)",
]
PATHS, SEARCH, ORDER, POLICY, SKIP, STALE, DRAG = range(7)


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):
    """The page of a notebook with every lab, run from top to bottom. In the end nothing was raised, here or there."""
    folder = tmp_path_factory.mktemp("notebooks")
    write_notebook(folder / "walks.ipynb", GRAPHS, *CELLS)
    with lab_server.jupyter_lab(folder) as place:
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        faults = []
        page.on("pageerror", lambda fault: faults.append(str(fault)))
        lab_server.open_notebook(page, place, "walks.ipynb")
        lab_server.run_all(page)
        page.locator(".bp-player").nth(len(CELLS) - 1).wait_for()
        yield page
        assert lab_server.errors(page) == []
        assert faults == []
        page.close()
        assert "Traceback" not in place.log()


def lab_of(page, which):
    return page.locator(".bp-player").nth(which)


def last(player):
    """Put a lab at its last frame."""
    slider = player.get_by_role("slider", name="Step", exact=True)
    slider.focus()
    slider.press("End")


def place_of(player):
    """Where the drawing stands in its lab, and how large."""
    outer, inner = player.bounding_box(), player.locator(".bp-stage svg").first.bounding_box()
    return inner["x"] - outer["x"], inner["y"] - outer["y"], inner["width"], inner["height"]


def said(player):
    return player.locator("output[aria-live]").text_content()


def wait_said(player, text):
    player.locator("output[aria-live]", has_text=text).wait_for(timeout=20_000)


def assert_steps(player, recording):
    """Every frame by button, from the first to the last."""
    first(player)
    assert_shows(player, recording.frames[0])
    for frame in recording.frames[1:]:
        player.get_by_role("button", name="Step forward").click()
        assert_shows(player, frame)


@pytest.mark.parametrize("which", range(6))
def test_every_step_shows_the_recorded_frame(page, which):
    made = [
        lambda: figures.paths(two_paths()),
        lambda: figures.depth_first(two_paths()),
        lambda: figures.order(two_paths()),
        lambda: figures.policy(1),
        lambda: figures.order(skip_connection()),
        lambda: figures.stale(),
    ]
    assert_steps(lab_of(page, which), made[which]().recording)


@pytest.mark.parametrize("which", range(STALE + 1))
def test_nothing_jumps_in_play(page, which):
    """A lab is as high in every frame as in the first: what stands under it never moves."""
    slider = lab_of(page, which).locator(".bp-bar input[type=range]")
    heights = slider.evaluate(
        """(slider) => Array.from({ length: Number(slider.max) + 1 }, (_, at) => {
             slider.value = at;
             slider.dispatchEvent(new Event('input', { bubbles: true }));
             return Math.round(slider.closest('.bp-player').getBoundingClientRect().height);
           })"""
    )
    assert len(heights) > 3 and len(set(heights)) == 1


def test_paths_switch_leaf_and_assignment(page):
    player = lab_of(page, PATHS)
    last(player)
    root = two_paths()
    root.backward()
    assert shown(player, "sum") == "25.0000" == show(root._prev[0]._prev[0]._prev[0].grad)
    player.get_by_role("combobox", name="leaf").select_option("b")
    wait_said(player, "= 19.0000 = b.grad")
    how = player.get_by_role("combobox", name="contributions")
    how.focus()
    page.keyboard.press("ArrowDown")
    wait_said(player, "With = only path 1 of 4 is left: b.grad = 1.0000, where 19.0000 is right.")
    answered = figures.paths(two_paths(), "b")
    answered.request = {"values": {"leaf": "b", "how": paths.ASSIGN}, "presses": [], "number": 1}
    assert_steps(player, answered.recording)


def test_the_search_steps_by_keyboard(page):
    recording = figures.depth_first(two_paths()).recording
    player = lab_of(page, SEARCH)
    first(player)
    for frame in recording.frames[1:]:
        page.keyboard.press("ArrowRight")
        assert_shows(player, frame)
    page.keyboard.press("Home")
    assert_shows(player, recording.frames[0])


@pytest.mark.parametrize(
    ("choice", "gradients"),
    [
        ("depth-first pre-order", "8.0000"),
        ("breadth-first", "8.0000"),
        ("post-order, not reversed", "0.0000"),
        ("reverse topological", "14.0000"),
        ("naive recursion", "22.0000"),
    ],
)
def test_an_order_by_name(page, choice, gradients):
    player = lab_of(page, SKIP)
    before = place_of(player)
    player.get_by_role("combobox", name="order").select_option(choice)
    player.locator(".bp-title", has_text=choice).wait_for(timeout=20_000)
    assert_shows(player, figures.order(skip_connection(), choice=choice).recording.frames[0])
    last(player)
    assert (shown(player, "got.1"), shown(player, "right.1")) == (gradients, "14.0000")
    assert place_of(player) == before, "nothing moves"


def test_your_own_order_by_mouse(page):
    player = lab_of(page, ORDER)
    player.get_by_role("button", name="y: next turn").click()
    wait_said(player, "y is the root")
    assert player.get_by_role("combobox", name="order").input_value() == OWN
    before = place_of(player)
    for name, words in (
        ("c", "Too early: c.grad"),
        ("p", "p has heard from y"),
        ("s", "s has heard"),
        ("d", "Wrong: "),
    ):
        player.get_by_role("button", name=f"{name}: next turn").click()
        wait_said(player, words)
    assert said(player).endswith("The first dependency that it breaks: c is read before s, which uses c.")
    assert [shown(player, f"mark.{i}") for i in range(2)] == ["wrong", "wrong"]
    player.get_by_role("button", name="d: next turn").click()
    player.locator(".bp-message", has_text="d has had its turn already, as number 5").wait_for(timeout=20_000)
    assert said(player).startswith("Wrong: "), "the last picture stays"
    assert place_of(player) == before, "nothing moves under the mouse"


def test_your_own_order_by_keyboard(page):
    player = lab_of(page, ORDER)
    player.get_by_role("button", name="Clear").press("Enter")
    wait_said(player, "In which order should the nodes")
    for name in "ypsdc":
        player.get_by_role("button", name=f"{name}: next turn").press("Enter" if name in "ysc" else "Space")
        player.locator("[data-key='order']", has_text=name).wait_for(timeout=20_000)
        assert page.evaluate("() => document.activeElement.getAttribute('aria-label')") == f"{name}: next turn"
    wait_said(player, "Right: a.grad = 25.0000 and b.grad = 19.0000.")
    player.get_by_role("button", name="Undo").press("Space")
    wait_said(player, "d has heard from s and p")
    player.get_by_role("button", name="a, a leaf").click()
    player.locator(".bp-message", has_text="a is a leaf").wait_for(timeout=20_000)
    assert lab_of(page, SKIP).get_by_role("combobox", name="order").input_value() == "naive recursion"


def test_too_early_flashes_but_not_where_motion_is_unwanted(page):
    player = lab_of(page, SKIP)
    first(player)
    player.get_by_role("button", name="Step forward").click()
    player.get_by_role("button", name="Step forward").click()
    assert player.locator("[data-key='n2']").get_attribute("data-state") == "early"
    style = "(node) => getComputedStyle(node.querySelector('rect')).animationName"
    assert player.locator("[data-key='n2']").evaluate(style) == "bp-flash"
    page.emulate_media(reduced_motion="reduce")
    assert player.locator("[data-key='n2']").evaluate(style) == "none"
    page.emulate_media(reduced_motion=None)


def test_stale_slider_changes_what_the_closures_leave(page):
    player = lab_of(page, STALE)
    last(player)
    player.get_by_role("slider", name="a.data afterwards").focus()
    page.keyboard.press("ArrowLeft")
    player.locator("[data-key='cell.closures.b']", has_text="54.0000").wait_for(timeout=20_000)
    assert shown(player, "cell.numbers.b") == "24.0000"


def test_policy_sliders_change_the_table(page):
    player = lab_of(page, POLICY)
    last(player)
    k = player.get_by_role("slider", name="k, nodes between")
    k.focus()
    page.keyboard.press("End")
    player.locator("[data-key='cell.nothing.chain.2']", has_text="8.0000").wait_for(timeout=20_000)
    assert shown(player, "slot.7.name") == "y"
    assert [shown(player, f"cell.{reset}.chain.2") for reset in ("all", "intermediates")] == ["1.0000", "2.0000"]
    d = player.get_by_role("slider", name="d", exact=True)
    d.focus()
    page.keyboard.press("ArrowRight")
    a, b, d = Value(3.0), Value(2.0), Value(1.5)
    e = (a + b) * d
    e.backward(reset="nothing")
    e.backward(reset="nothing")
    text = ", ".join(show(leaf.grad) for leaf in (a, b, d))
    player.locator("[data-key='cell.nothing.passes.2']", has_text=text).wait_for(timeout=20_000)
    assert "counts 8 times with k = 6" in said(player)


def test_a_leaf_is_dragged_and_the_learners_nodes_stay_as_they_are(page):
    """By keys and by the pointer, as in test_browser_plain, with a real kernel."""
    player = lab_of(page, DRAG)
    player.get_by_role("slider", name="a", exact=True).focus()
    page.keyboard.press("ArrowUp")
    wait_said(player, "a went up by 0.1000")
    box = player.locator("[data-drag='n1']").bounding_box()
    page.mouse.move(box["x"] + 50, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + 50, box["y"] - 20, steps=5)
    page.mouse.up()
    root = two_paths()
    moved = topological_order(root)[1].data + 1.0
    player.locator("[data-key='n1.data']", has_text=show(moved)).wait_for(timeout=20_000)
    c, d = 2.1 + moved, 2.1 * moved
    assert shown(player, "n6.data") == show(c + d + c * d)
    code = "str([(node.data, node.grad) for node in (dragged, dragged._prev[0])])"
    assert said_by_the_kernel(page, code) == str([(root.data, 0.0), (root._prev[0].data, 0.0)])


def said_by_the_kernel(page, code):
    """The text that an expression gives in the kernel of the notebook in the page."""
    return page.evaluate(
        """async (code) => {
          const session = window.jupyterapp.shell.currentWidget.context.sessionContext.session;
          const reply = await session.kernel.requestExecute({ code: '', user_expressions: { said: code } }).done;
          return reply.content.user_expressions.said.data['text/plain'].replace(/^'|'$/g, '');
        }""",
        code,
    )


def test_a_cell_run_again_closes_its_earlier_lab(page):
    count = """async () => {
      const session = window.jupyterapp.shell.currentWidget.context.sessionContext.session;
      const future = session.kernel.requestExecute({ code: '', user_expressions: {
        n: 'sum(type(w).__name__ == "Order" for w in __import__("ipywidgets").widgets.widget._instances.values())' } });
      const reply = await future.done;
      return reply.content.user_expressions.n.data['text/plain'];
    }"""
    assert page.evaluate(count) == "2"
    lab_server.run_all(page)
    lab_of(page, SKIP).wait_for()
    assert page.evaluate(count) == "2"


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_no_accessibility_rule_is_broken(page, theme):
    page.evaluate(f"() => {{ window.jupyterapp.commands.execute('apputils:change-theme', {{theme: '{theme}'}}); }}")
    page.wait_for_function(f"() => document.body.dataset.jpThemeName === '{theme}'")
    for which, steps in ((PATHS, 3), (SEARCH, 8), (ORDER, 3), (POLICY, 3), (SKIP, 4)):
        player = lab_of(page, which)
        first(player)
        for _ in range(steps):
            player.get_by_role("button", name="Step forward").click()
    page.emulate_media(reduced_motion="reduce")  # colours stand still
    page.wait_for_function("() => document.getAnimations().every((one) => one.playState === 'finished')")
    found = axe.Axe().run(page, context=".bp-player")
    broken = [(rule["id"], rule["nodes"][0]["html"][:300]) for rule in found["violations"]]
    assert broken == []
    assert len(found["passes"]) > 5
