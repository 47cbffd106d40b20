"""Drag, press and type in a lab on a page without Jupyter, answered by the lab in this process."""

import pytest

import figures
from autograd import Value, topological_order
from autograd.errors.messages import show
from figures.labs.goal import Place
from figures.labs.order_rules import OWN
from figures.page.style import number
from tests.lab_graphs import skip_connection, two_paths
from tests.lab_pages import assert_accessible, drag, join, plain_page
from tests.lab_pages import show as put
from tests.pictures import labelled

page = plain_page(viewport={"width": 1400, "height": 1000})
FOCUSED = "() => document.activeElement.getAttribute('aria-label')"

# Numbers that are dragged


def product(a, b):
    return labelled(Value(a, label="a") * Value(b, label="b"), "y")


def assert_engine(here, root):
    """Assert that the lab shows every number and gradient of this graph after its backward pass."""
    root.backward()
    for i, node in enumerate(topological_order(root)):
        assert [here.shown(f"n{i}.{what}") for what in ("data", "grad")] == [number(node.data), number(node.grad)]


def test_keys_change_a_leaf_and_its_dependents(page):
    root = product(2.0, 3.0)
    here = join(page, figures.drag(root))
    leaf = here.slider("a")
    for key, told in (("ArrowUp", "0.1000"), ("Shift+ArrowDown", "0.0900"), ("PageUp", "1.0900")):
        leaf.press(key)
        here.wait_said(f"a went up by {told}")
    assert leaf.get_attribute("aria-valuetext") == "3.09" and leaf.get_attribute("aria-valuenow") == "3.090000"
    assert page.evaluate("() => document.activeElement.dataset.drag") == "n0", "the focus stays"
    assert_engine(here, product(3.09, 3.0))
    leaf.evaluate(
        """(leaf) => {
             const key = () => new KeyboardEvent('keydown', { key: 'ArrowUp', bubbles: true });
             for (let i = 0; i < 30; i += 1) leaf.dispatchEvent(key());
           }"""
    )
    here.wait_said("a went up by 4.0900")
    assert_engine(here, product(6.09, 3.0))
    assert [(node.data, node.grad) for node in topological_order(root)] == [(2.0, 0.0), (3.0, 0.0), (6.0, 0.0)]


def test_leaf_can_be_dragged_with_the_pointer(page):
    """Four pixels are 0.1: 40 to the right and 20 up are 1.5; out of its box too, and no more after the release."""
    here = join(page, figures.drag(product(2.0, 3.0)))
    leaf = here.part("n1")
    box = leaf.bounding_box()
    for _, told in zip(drag(page, leaf, (40, -20), (-200, 0)), ("up by 1.5000", "down by 5.0000"), strict=True):
        here.wait_said(f"b went {told}")
    page.mouse.move(box["x"], box["y"], steps=4)
    assert_engine(here, product(2.0, -2.0))
    assert leaf.bounding_box() == box, "nothing moves under the pointer"
    here.slider("a").press("ArrowDown")
    here.wait_said("2 leaves moved")
    here.press("Start over")
    here.wait_said("Drag a leaf")
    here.slider("a").press("ArrowUp")
    here.wait_said("a went up by 0.1000")
    assert_engine(here, product(2.1, 3.0))


def test_drag_reports_domain_errors_and_needs_a_kernel(page):
    here = join(page, figures.drag(Value(0.05, label="x").log()))
    here.slider("x").press("ArrowDown")
    here.wait_message("log")
    assert here.shown("n0.data") == "0.05", "the last picture stays"
    here.slider("x").press("ArrowUp")
    here.wait_said("x went up by 0.1000")
    alone = put(page, figures.drag(product(2.0, 3.0)))
    leaf = alone.slider("a")
    assert leaf.get_attribute("aria-disabled") == "true"
    alone.locator(".bp-status", has_text="Run this cell in JupyterLab").wait_for()
    leaf.press("ArrowUp")
    list(drag(page, leaf, (45, 0)))
    assert alone.shown("n0.data") == "2"


def loss_at(**dials):
    """Return the goal lab's loss, as it shows it, for these dials."""
    return show(Place({"a": 0.0, "b": 0.0, "c": 0.0, **dials}).loss)


def test_dial_drags_with_its_knob_and_lab_height_is_constant(page):
    goal = join(page, figures.goal())
    knob = goal.part("b.knob")
    box, high = knob.bounding_box(), goal.height()
    list(drag(page, knob, (60, 0)))
    goal.wait_shown("loss.number", loss_at(b=1.5))
    moved = knob.bounding_box()
    assert moved["x"] - box["x"] == pytest.approx(60, rel=0.1) and moved["y"] == box["y"]
    goal.wait_at("By hand: 1 move")
    for name in ("Show the slopes", *["Ten steps"] * 5, "Start over"):
        goal.press(name)
        assert goal.height() == high


def test_dial_keys_stop_at_the_end_and_continue_after_steps(page):
    player = figures.goal()
    goal = join(page, player)
    dial = goal.slider("height a")
    for keys, a in (("ArrowDown", -0.1), ("Shift+ArrowRight", -0.09), ("PageUp PageUp PageUp PageUp", 3.0)):
        for key in keys.split():
            dial.press(key)
        goal.wait_shown("loss.number", loss_at(a=a))
    assert dial.get_attribute("aria-valuetext") == "3.0000" and page.evaluate(FOCUSED) == "height a"
    goal.press("Start over")
    goal.press("Ten steps")
    goal.wait_at("Step 10 of 40")
    dials = figures.goal().walk[10].dials
    goal.slider("bend c").press("ArrowUp")
    goal.wait_at("The slopes")
    goal.wait_shown("loss.number", loss_at(**dials | {"c": dials["c"] + 0.1}))


# Parts that are pressed


def test_pressed_leaf_is_selected_and_each_pass_selects_its_own(page):
    forward = join(page, figures.forward_mode(two_paths()))
    chosen = forward.choice("derivative 1 for")
    forward.press("Last step")
    for leaf in "ab":
        forward.button(f"{leaf}: derivative 1").press("Enter")
        forward.wait_said(f"{leaf} gets the derivative 1")
        page.wait_for_function("([choice, leaf]) => choice.value === leaf", arg=[chosen.element_handle(), leaf])
    chosen.select_option("a")
    forward.wait_said("a gets the derivative 1")
    forward.press("Step forward", 7)
    page.wait_for_function("(choice) => choice.value === 'b'", arg=chosen.element_handle())


def place_of(player):
    """Return the place of the drawing in its lab, and its size."""
    outer, inner = player.bounding_box(), player.locator(".bp-stage svg").first.bounding_box()
    return inner["x"] - outer["x"], inner["y"] - outer["y"], inner["width"], inner["height"]


def test_custom_order_by_mouse_and_keyboard(page):
    order = join(page, figures.order(two_paths()))

    def turn(name):
        return order.button(f"{name}: next turn")

    turn("y").click()
    order.wait_said("y is the root")
    assert order.choice("order").input_value() == OWN
    before = place_of(order)
    told = {"c": "Too early: c.grad", "p": "p has heard from y", "s": "s has heard", "d": "Wrong: "}
    for name, words in told.items():
        turn(name).click()
        order.wait_said(words)
    assert order.sentence_shown().endswith("The first dependency that it breaks: c is read before s, which uses c.")
    assert [order.shown(f"mark.{i}") for i in range(2)] == ["wrong", "wrong"]
    turn("d").click()
    order.wait_message("d has had its turn already, as number 5")
    assert order.sentence_shown().startswith("Wrong: "), "the last picture stays"
    assert place_of(order) == before, "nothing moves under the mouse"

    order.button("Clear").press("Enter")
    order.wait_said("In which order should the nodes")
    for name in "ypsdc":
        turn(name).press("Enter" if name in "ysc" else "Space")
        order.wait_shown("order", name)
        assert page.evaluate(FOCUSED) == f"{name}: next turn"
    order.wait_said("Right: a.grad = 25.0000 and b.grad = 19.0000.")
    order.button("Undo").press("Space")
    order.wait_said("d has heard from s and p")
    order.press("a, a leaf")
    order.wait_message("a is a leaf")


def test_early_node_flashes_unless_motion_is_reduced(page):
    order = put(page, figures.order(skip_connection(), choice="naive recursion"))
    order.press("Step forward", 2)
    early = order.part("n2")
    assert early.get_attribute("data-state") == "early"
    style = "(node) => getComputedStyle(node.querySelector('rect')).animationName"
    assert early.evaluate(style) == "bp-flash"
    page.emulate_media(reduced_motion="reduce")
    assert early.evaluate(style) == "none"


def boxes(lab):
    return lab.evaluate(
        "(node) => [...node.querySelectorAll('.bp-stage > *, .bp-controls, .bp-say')].map((part) => {"
        " const box = part.getBoundingClientRect(), top = node.getBoundingClientRect().top;"
        " return [box.left, box.top - top, box.width, box.height]; })"
    )


def test_neuron_opens_by_mouse_and_keyboard_without_layout_shift(page):
    player = figures.shape()
    here = join(page, player)
    where, neuron = boxes(here), here.get_by_role("button", name="neuron 2.3")
    neuron.click()
    here.wait_shown("fact0", "Neuron 2.3, open")
    here.assert_shows(player.recording.frames[0])
    assert [here.part(f"c{i}").is_visible() for i in (3, 4)] == [True, False] and boxes(here) == where
    neuron.press("Enter")
    here.wait_shown("fact0", "No neuron is open")
    neuron.press("Enter")
    here.wait_shown("fact0", "Neuron 2.3, open")
    assert neuron.get_attribute("aria-expanded") == "true"
    assert neuron.evaluate("(node) => node === document.activeElement"), "the focus stays"
    page.keyboard.press("Tab")
    for told in ("Neuron 2.4, open", "No neuron is open"):
        page.keyboard.press(" ")
        here.wait_shown("fact0", told)
    assert boxes(here) == where


def test_visible_memory_blocks_match_held_memory(page):
    here = put(page, figures.memory(8, 16, predict=True))
    here.begin()
    for _ in range(20):
        page.keyboard.press("ArrowRight")
    seen = here.locator(".stack path").evaluate_all(
        """(paths) => paths.filter((path) => getComputedStyle(path).visibility === 'visible')
             .map((path) => path.classList[0])"""
    )
    counts = {kind: seen.count(kind) for kind in ("hold-input", "hold-graph", "hold-grads")}
    assert counts == {"hold-input": 2, "hold-graph": 8, "hold-grads": 5}


# An expression that is typed


def type_over(player, text):
    box = player.get_by_role("textbox", name="expression")
    box.press("ControlOrMeta+a")
    box.press_sequentially(text)
    return box


HAS_CARET = "(box, end) => box === document.activeElement && box.selectionStart === box.value.length - end"


def test_typing_redraws_the_graph_and_keeps_focus_and_caret(page):
    player = figures.expression()
    here = join(page, player)
    box = type_over(here, "tanh(w*x + b)*y")
    here.wait_said("8 nodes: 4 leaves (w, x, b, y) and 4 operations.")
    assert here.locator("fieldset").get_by_role("slider").count() == 4
    assert box.evaluate(HAS_CARET, 0)
    page.keyboard.press("ArrowLeft")
    page.keyboard.type("z + ")
    here.slider("z").wait_for(timeout=20_000)
    assert box.input_value() == "tanh(w*x + b)*z + y" and box.evaluate(HAS_CARET, 1)

    type_over(here, "x*y + 3*x")
    here.wait_said("6 nodes: 2 leaves (x, y), 1 plain number and 3 operations.")
    here.get_by_role("checkbox", name="gradients (run backward)").press("Space")
    here.wait_said("Backward: ")
    for _ in range(3):
        here.slider("y").press("ArrowRight")
    x, y = (Value(float(here.slider(label).input_value()), label=label) for label in "xy")
    root = x * y + 3 * x
    root.backward()
    here.wait_said(f"x.grad = {show(x.grad)}, y.grad = {show(y.grad)}.")
    here.assert_shows(player.recording.frames[0])
    assert here.slider("y").evaluate("(slider) => slider === document.activeElement")


def test_syntax_error_is_marked_and_the_last_graph_stays(page):
    player = figures.expression("a + a")
    here = join(page, player)
    assert (
        here.sentence_shown().startswith("2 nodes: 1 leaf (a) and 1 operation.")
        and here.locator("svg .edge").count() == 2
    )
    box = type_over(here, "a*b")
    here.wait_said("3 nodes")
    before = player.recording.frames[0]
    page.keyboard.type("^2")
    here.wait_message("At character 4: ^ is not understood: a power is written **")
    here.assert_shows(before)
    assert box.get_attribute("aria-invalid") == "true"
    begins, width = here.locator(".bp-caret").evaluate(
        """(caret) => {
          const [before, mark] = [[0, 3], [3, 4]].map(([from, to]) => {
            const range = document.createRange();
            range.setStart(caret.firstChild, from);
            range.setEnd(caret.firstChild, to);
            return range.getBoundingClientRect();
          });
          return [mark.left - caret.previousElementSibling.getBoundingClientRect().left, before.width];
        }"""
    )
    assert abs(begins - width - 9) < 1.5, "the mark stands under the third place after the box's edge and padding"
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert_accessible(page)
    page.keyboard.press("Backspace")
    page.keyboard.press("Backspace")
    page.locator("[aria-invalid='false']").wait_for(timeout=20_000)
    assert page.locator(".bp-message").text_content() == ""
