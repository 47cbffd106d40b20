"""The nudge, expression and clip labs in a real JupyterLab: by mouse and keyboard they show the engine's numbers."""

import math

import pytest

import autograd
import figures
from autograd.messages import show
from figures.labs import clip, nudge
from tests import lab_server
from tests.test_browser import shown, write_notebook

playwright = pytest.importorskip("playwright.sync_api", reason='a browser test needs: pip install -e ".[test]"')
axe = pytest.importorskip("axe_core_python.sync_playwright", reason='accessibility needs: pip install -e ".[test]"')

pytestmark = [
    pytest.mark.skipif(lab_server.CHROMIUM is None, reason="no Chromium here; to add one: apt install chromium"),
]

CELLS = ("import figures", "figures.nudge()", "figures.expression()", "figures.expression('a + a')", "figures.clip()")


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A notebook with the labs, run from top to bottom."""
    folder = tmp_path_factory.mktemp("notebooks")
    write_notebook(folder / "labs.ipynb", *CELLS)
    with playwright.sync_playwright() as running, lab_server.jupyter_lab(folder) as place:
        chromium = running.chromium.launch(executable_path=lab_server.CHROMIUM, args=lab_server.CHROMIUM_FLAGS)
        page = chromium.new_page(viewport={"width": 1400, "height": 1000})
        page.faults, page.log = [], place.log
        page.on("pageerror", lambda fault: page.faults.append(str(fault)))
        lab_server.open_notebook(page, place, "labs.ipynb")
        lab_server.run_all(page)
        page.locator(".bp-player").nth(3).wait_for()
        yield page
        chromium.close()


def said(player, text):
    """Wait until a lab's sentence has this text, and return the whole sentence."""
    found = player.locator("output[aria-live]", has_text=text)
    found.wait_for(timeout=20_000)
    return found.text_content()


def assert_shows(player, frame):
    """Every text and attribute of a frame's marks stands in the page, and so does its sentence."""
    found = player.evaluate(
        """(node, marks) => Object.fromEntries(Object.entries(marks).map(([key, mark]) => {
          const part = node.querySelector(`[data-key="${key}"]`);
          const read = (name) => name === "text" ? part.textContent
            : part.getAttribute(name === "state" ? "data-state" : name);
          return [key, Object.fromEntries(Object.keys(mark).map((name) => [name, read(name)]))];
        }))""",
        frame.marks,
    )
    assert found == frame.marks
    assert player.locator("output[aria-live]").text_content() == frame.say


# Nudge


def test_nudge_steps_through_h_by_key_and_by_mouse(page):
    player, recording = page.locator(".bp-player").nth(0), nudge.record()
    slider = player.get_by_role("slider", name="h", exact=True)
    slider.focus()
    page.keyboard.press("Home")
    for frame in recording.frames[:12]:
        assert_shows(player, frame)
        assert slider.get_attribute("aria-valuetext") == frame.at
        page.keyboard.press("ArrowRight")
    page.keyboard.press("End")
    assert_shows(player, recording.frames[-1])
    player.get_by_role("button", name="Step back").click()
    assert_shows(player, recording.frames[-2])


def test_nudge_draws_what_the_frame_says(page):
    player, recording = page.locator(".bp-player").nth(0), nudge.record()
    player.get_by_role("slider", name="h", exact=True).fill("3")
    for key in ("secant", "curve", "tangent", "rise.curve", "error.central"):
        assert player.locator(f"[data-key='{key}']").get_attribute("d") == recording.frames[3].marks[key]["d"]


def test_nudge_answers_its_inputs_and_keeps_h(page):
    player = page.locator(".bp-player").nth(0)
    player.get_by_role("slider", name="h", exact=True).fill("15")
    player.get_by_role("combobox", name="f(x)").select_option("exp(x)")
    player.locator("[data-key='sum.truth']", has_text=show(math.exp(0.775))).wait_for(timeout=20_000)
    x = player.get_by_role("slider", name="x", exact=True)
    x.focus()
    page.keyboard.press("End")
    player.locator("[data-key='sum.truth']", has_text=show(math.exp(2.5))).wait_for(timeout=20_000)
    player.get_by_role("combobox", name="difference").select_option("central")
    said(player, "f(x + h) − f(x − h)")
    assert_shows(player, nudge.record("exp(x)", 2.5, "central").frames[15])


# Expression


def type_over(page, player, text):
    """Put a text into the box, key by key."""
    box = player.get_by_role("textbox", name="expression")
    box.click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type(text)
    return box


def test_typing_redraws_the_graph_and_keeps_focus_and_caret(page):
    player = page.locator(".bp-player").nth(1)
    box = type_over(page, player, "tanh(w*x + b)*y")
    said(player, "8 nodes: 4 leaves (w, x, b, y) and 4 operations.")
    assert player.locator("fieldset").get_by_role("slider").count() == 4
    assert box.evaluate("(box) => box === document.activeElement && box.selectionStart === box.value.length")
    page.keyboard.press("ArrowLeft")
    page.keyboard.type("z + ")
    player.get_by_role("slider", name="z", exact=True).wait_for(timeout=20_000)
    assert box.input_value() == "tanh(w*x + b)*z + y"
    assert box.evaluate("(box) => box === document.activeElement && box.selectionStart === box.value.length - 1")


def numbers(root):
    """What a drawing shows of a graph: the data and the grad of each node."""
    order = autograd.topological_order(root)
    return [text for node in order for text in (show(node.data), show(node.grad))]


def drawn(player):
    """The data and the grad of each node in the page, by place."""
    return player.evaluate(
        """(node) => [...node.querySelectorAll(".node text[data-key]")]
             .sort((a, b) => parseInt(a.dataset.key.slice(1)) - parseInt(b.dataset.key.slice(1)))
             .map((part) => part.textContent)"""
    )


def test_the_graphs_numbers_are_the_engines(page):
    player = page.locator(".bp-player").nth(1)
    type_over(page, player, "x*y + 3*x")
    said(player, "6 nodes: 2 leaves (x, y), 1 plain number and 3 operations.")
    assert drawn(player)[1::2] == ["–"] * 6
    player.get_by_role("checkbox", name="gradients (run backward)").press("Space")
    said(player, "Backward: ")
    slider = player.get_by_role("slider", name="y", exact=True)
    slider.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    x_now = float(player.get_by_role("slider", name="x", exact=True).input_value())
    y_now = float(slider.input_value())
    x, y = autograd.Value(x_now, label="x"), autograd.Value(y_now, label="y")
    root = x * y + 3 * x
    root.backward()
    said(player, f"x.grad = {show(x.grad)}, y.grad = {show(y.grad)}.")
    assert drawn(player) == numbers(root)
    assert slider.evaluate("(slider) => slider === document.activeElement")


def test_a_plus_a_has_two_edges_and_its_lab_is_its_own(page):
    player = page.locator(".bp-player").nth(2)
    said(player, "2 nodes: 1 leaf (a) and 1 operation.")
    assert player.locator("svg .edge").count() == 2


def test_a_fault_is_pointed_at_and_the_last_graph_stays(page):
    player = page.locator(".bp-player").nth(2)
    type_over(page, player, "a*b")
    said(player, "3 nodes")
    before = drawn(player)
    page.keyboard.type("^2")
    box = player.get_by_role("textbox", name="expression")
    fault = player.locator(".bp-message", has_text="At character 4: ^ is not understood: a power is written **")
    fault.wait_for(timeout=20_000)
    assert drawn(player) == before and box.get_attribute("aria-invalid") == "true"
    caret = player.locator(".bp-caret").evaluate(
        """(caret) => {
          const range = document.createRange();
          range.setStart(caret.firstChild, 3);
          range.setEnd(caret.firstChild, 4);
          return range.getBoundingClientRect().left - caret.previousElementSibling.getBoundingClientRect().left;
        }"""
    )
    width = player.locator(".bp-caret").evaluate(
        """(caret) => {
          const range = document.createRange();
          range.setStart(caret.firstChild, 0);
          range.setEnd(caret.firstChild, 3);
          return range.getBoundingClientRect().width;
        }"""
    )
    assert abs(caret - width - 9) < 1.5, "the mark stands under the third place after the box's edge and padding"
    page.keyboard.press("Backspace")
    page.keyboard.press("Backspace")
    player.locator("[aria-invalid='false']").wait_for(timeout=20_000)
    assert player.locator(".bp-message").text_content() == ""


def test_nothing_moves_while_the_names_stay(page):
    """The place and size of the stage stay as they are while one types, with a fault and without."""
    player = page.locator(".bp-player").nth(1)
    frame = """(player) => [".bp-stage", ".bp-pane", ".bp-sum"].map((part) => {
      const box = player.querySelector(part).getBoundingClientRect();
      return [box.top - player.getBoundingClientRect().top, box.height].map(Math.round);
    })"""
    type_over(page, player, "y*x*2")
    said(player, "5 nodes")
    before = player.evaluate(frame)
    for text, message in (("x*y + 3*", "At character 9"), ("x*y + 3*x*(x - y)", "")):
        type_over(page, player, text)
        player.locator(".bp-message", has_text=message).wait_for(state="attached", timeout=20_000)
        assert player.evaluate(frame) == before
    said(player, "8 nodes")
    assert player.evaluate(frame) == before


def test_keys_typed_in_the_box_do_not_reach_the_notebook(page):
    count = "() => window.jupyterapp.shell.currentWidget.content.model.cells.length"
    before = page.evaluate(count)
    player = page.locator(".bp-player").nth(2)
    type_over(page, player, "dd + aa + bb")
    said(player, "3 leaves (dd, aa, bb)")
    assert page.evaluate(count) == before


# Clip


def test_clip_steps_and_answers(page):
    player = page.locator(".bp-player").nth(3)
    step, recording = player.get_by_role("slider", name="Step"), clip.record(clip_case(0), "by norm", 1.0, 0.1, 11)
    step.focus()
    page.keyboard.press("Home")
    for frame in recording.frames[:5]:
        assert_shows(player, frame)
        page.keyboard.press("ArrowRight")
    player.get_by_role("button", name="Last step").click()
    assert_shows(player, recording.frames[-1])
    assert shown(player, "end.without") == "× not clipped overflows at step 4"


def clip_case(place):
    """The name of a case."""
    return list(clip.CASES)[place]


def test_clipping_a_deep_sigmoid_net_changes_nothing(page):
    player = page.locator(".bp-player").nth(3)
    player.get_by_role("combobox", name="clip").select_option("by value")
    player.get_by_role("combobox", name="network").select_option(clip_case(1))
    player.get_by_role("slider", name="Step").press("End")
    said(player, "Clipping changed 0 % of the gradients in every step.")
    assert_shows(player, clip.record(clip_case(1), "by value", 1.0, 0.1, 11).frames[-1])


def test_clip_by_key_to_another_limit_and_learning_rate(page):
    player = page.locator(".bp-player").nth(3)
    player.get_by_role("combobox", name="network").select_option(clip_case(0))
    for name, keys in (("limit (max_norm)", 5), ("learning rate", 3), ("seed", 1)):
        player.get_by_role("slider", name=name, exact=True).focus()
        for _ in range(keys):
            page.keyboard.press("ArrowLeft")
    expected = clip.record(clip_case(0), "by value", 10**-0.5, 10**-1.3, 10).frames[-1]
    said(player, expected.say)
    assert_shows(player, expected)


# All


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_no_accessibility_rule_is_broken(page, theme):
    page.evaluate(f"() => {{ window.jupyterapp.commands.execute('apputils:change-theme', {{theme: '{theme}'}}); }}")
    page.wait_for_function(f"() => document.body.dataset.jpThemeName === '{theme}'")
    type_over(page, page.locator(".bp-player").nth(2), "a*")
    page.locator(".bp-player").nth(2).locator("[aria-invalid='true']").wait_for(timeout=20_000)
    page.wait_for_timeout(300)  # a theme's style sheet is loaded after its name is set
    found = axe.Axe().run(page, context=".bp-player")
    assert [(rule["id"], rule["nodes"][0]["html"][:200]) for rule in found["violations"]] == []
    assert len(found["passes"]) > 5


def test_without_a_kernel_the_frames_step_and_the_inputs_are_off(page, tmp_path):
    labs = figures.nudge(), figures.clip(), figures.expression()
    page_file = tmp_path / "page.html"
    body = "".join(lab.html() for lab in labs)
    page_file.write_text(f"<!doctype html><meta charset=utf-8><title>labs</title>{body}", encoding="utf-8")
    context = page.context.browser.new_context(offline=True)
    plain = context.new_page()
    plain.goto(page_file.as_uri())
    for i, (lab, name) in enumerate(zip(labs, ("h", "Step"))):
        player = plain.locator(".bp-player").nth(i)
        slider = player.get_by_role("slider", name=name, exact=True)
        slider.focus()
        for frame in lab.recording.frames[1:4]:
            plain.keyboard.press("ArrowRight")
            assert_shows(player, frame)
        assert player.locator("fieldset :is(input, select):enabled").count() == 0
    assert_shows(plain.locator(".bp-player").nth(2), labs[2].recording.frames[0])
    context.close()
    for lab in labs:
        lab.close()


def test_run_again_the_labs_are_new_and_work(page):
    lab_server.run_all(page)
    player = page.locator(".bp-player").nth(1)
    said(player, "6 nodes: 2 leaves (x, y), 1 plain number and 3 operations.")
    assert page.locator(".bp-player").count() == 4
    type_over(page, player, "x*y*q")
    said(player, "5 nodes: 3 leaves (x, y, q)")


def test_there_was_no_error_anywhere(page):
    assert lab_server.errors(page) == []
    assert page.faults == []
    assert page.locator(".jp-OutputArea-output[data-mime-type='application/vnd.jupyter.stderr']").count() == 0
    assert "Traceback" not in page.log()
