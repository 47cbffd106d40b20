"""Labs with inputs in a real JupyterLab: saved and reopened, run again, after a reload, a restart, and on a page."""

import json

import pytest
from nbconvert import HTMLExporter

import autograd
import figures
from autograd.errors.messages import show
from figures.labs import neuron
from tests import lab_server
from tests.lab_pages import (
    ANYWIDGET,
    PANEL,
    THEMES,
    assert_accessible,
    changed_by_another,
    lab,
    save_and_shut_down,
    watched,
    wear,
    write_notebook,
)

CELLS = [
    "import figures, ipywidgets\nfrom IPython.display import display\nfigures.neuron(steps=True)",
    "display(figures.neuron(), figures.neuron())",
    "figures.xor()",
    "figures.lottery(epochs=100)",
    "figures.expression()",
    "print('widgets:', len(ipywidgets.widgets.widget._instances))",
]
STEPS, ONE, OTHER, XOR, LOTTERY, BELOW, EXPRESSION = range(7)  # the labs of the page
COUNT = 7
ORDER = autograd.topological_order(neuron.build({"x1": 2.0, "w1": 0.5, "b": 0.0}, "tanh", "half_squares"))
B = f"n{[node.label for node in ORDER].index('b')}.data"
RATE = show(10**-0.95)  # one step of its slider above the learning rate of the xor lab
NOT_RUN = "Run this cell again to use these inputs."
ALONE = "Run this cell in JupyterLab to use these inputs."
RESTARTED = "The kernel was restarted. Run this cell again."

# Where the stage of each lab is, and how large the lab.
PLACES = """() => [...document.querySelectorAll('.bp-player')].map((player) => {
  const [outer, stage] = [player, player.querySelector('.bp-stage')].map((part) => part.getBoundingClientRect());
  return [stage.top - outer.top, stage.height, outer.width, outer.height].map(Math.round);
})"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("notebooks")


@pytest.fixture(scope="module")
def place(folder):
    with lab_server.jupyter_lab(folder) as found:
        yield found


@pytest.fixture
def page(browser):
    page = watched(browser.new_page(viewport={"width": 1400, "height": 1000}))
    yield page
    page.close()


def opened(page, place, path, cells=CELLS):
    write_notebook(path, *cells)
    lab_server.open_notebook(page, place, path.name)
    run(page)


def run(page):
    lab_server.run_all(page)
    assert lab_server.errors(page) == []
    wait_for_inputs(page)


def wait_for_inputs(page):
    page.wait_for_function(
        "() => { const all = [...document.querySelectorAll('.bp-controls')];"
        " return all.length && all.every((controls) => !controls.disabled); }",
        timeout=20_000,
    )


def reopened(page, place, name):
    save_and_shut_down(page)
    page.faults.clear()
    lab_server.open_notebook(page, place, name)


def models(page):
    """Return how many labs have a kernel, according to the page."""
    return page.evaluate("() => globalThis[Symbol.for('backprop models')]?.models.size ?? 0")


def statuses(page):
    return page.locator(".bp-status").all_text_contents()


def assert_moves(page, place, to="10", key="End"):
    """Assert that a slider reaches the kernel, and its picture comes back."""
    lab(page, place).slider("b").press(key)
    lab(page, place).wait_shown(B, to)
    assert lab(page, place).shown(B) == to


def assert_inputs_are_off(page, sentence, count=COUNT, b=0.0):
    """Assert that the inputs are off, and each lab says what to do; frames still step. b: as in the first."""
    page.wait_for_function(
        "(count) => [...document.querySelectorAll('.bp-status')].filter((part) => part.textContent).length === count",
        arg=count,
    )
    assert set(statuses(page)) == {sentence}
    assert page.locator(".bp-controls :is(input, select, button):enabled").count() == 0
    assert models(page) == 0
    lab(page, STEPS).assert_walks(figures.neuron((2.0,), (0.5,), b, steps=True).recording)
    for words in ("model not found", "Loading widget", "Error displaying"):
        assert page.get_by_text(words).count() == 0


LATE = """const timeout = AbortSignal.timeout;
AbortSignal.timeout = (time) => timeout.call(AbortSignal, time === 2000 ? 1 : time);"""


@pytest.mark.long
def test_inputs_answer_after_an_anywidget_timeout(folder, place, page):
    """As on a busy machine, where a model takes more than the two seconds that anywidget waits."""
    faults = []
    page.on("pageerror", lambda fault: faults.append(str(fault)))
    page.add_init_script(LATE)
    opened(page, place, folder / "late.ipynb", CELLS[:1])
    assert_moves(page, STEPS)
    assert set(faults) == {ANYWIDGET}


def step(player, at):
    """Take a step of training; return where it leads."""
    player.press("Step")
    player.wait_at(at)


@pytest.mark.long
def test_reopened_lab_steps_and_untrusted_lab_is_a_picture(page, place, folder):
    opened(page, place, folder / "reopened.ipynb")
    before = page.evaluate(PLACES)
    reopened(page, place, "reopened.ipynb")
    assert_inputs_are_off(page, NOT_RUN)
    assert page.evaluate(PLACES) == before
    lab(page, LOTTERY).locator("[data-key='s37']").click(force=True)
    assert "from seed 37" not in lab(page, BELOW).sentence_shown()
    for theme in THEMES:
        wear(page, theme)
        assert_accessible(page)
    assert page.faults == []
    run(page)
    assert set(statuses(page)) == {""} and page.evaluate(PLACES) == before
    assert_moves(page, ONE)
    step(lab(page, XOR), "step 1")
    assert page.faults == []

    save_and_shut_down(page)
    changed_by_another(folder / "reopened.ipynb", folder / "untrusted.ipynb")
    page.faults.clear()
    lab_server.open_notebook(page, place, "untrusted.ipynb")
    pictures = page.locator(".jp-OutputArea-output img")
    pictures.nth(6).wait_for()
    assert pictures.count() == COUNT and page.locator(".bp-player").count() == 0
    broken = "(all) => all.filter((one) => !(one.alt && one.complete && one.naturalWidth > 0)).map((one) => one.alt)"
    assert pictures.evaluate_all(broken) == []
    assert page.get_by_text("model not found").count() == 0
    assert page.faults == []


@pytest.mark.long
def test_rerun_reload_and_restart_leave_the_lab_consistent(page, place, folder):
    """A reload finds the controls where they were, and the step that was shown; in a restart nothing moves."""
    opened(page, place, folder / "again.ipynb")
    assert_moves(page, OTHER)
    assert lab(page, ONE).shown(B) == "0", "two labs of one cell answer each for itself"
    assert_moves(page, ONE, "−10", "Home")
    assert lab(page, OTHER).shown(B) == "10"
    run(page)  # from here on each run takes the place of one before
    first = lab_server.outputs(page)[-1]["text"]
    assert models(page) == COUNT
    for _ in range(2):
        run(page)
        page.wait_for_function(f"() => globalThis[Symbol.for('backprop models')].models.size === {COUNT}")
        assert lab_server.outputs(page)[-1]["text"] == first
    page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")

    assert_moves(page, STEPS)
    lab(page, STEPS).press("Last step")
    last, xor = lab(page, STEPS).sentence_shown(), lab(page, XOR)
    xor.slider("learning rate").press("ArrowRight")
    xor.get_by_label("speed").select_option("2 a second")
    step(xor, "step 1")
    assert page.faults == []
    lab_server.open_notebook(page, place, "again.ipynb")
    page.faults.clear()
    wait_for_inputs(page)
    assert models(page) == COUNT and set(statuses(page)) == {""}
    assert lab(page, STEPS).shown(B) == "10" and lab(page, STEPS).sentence_shown() == last
    assert lab(page, STEPS).slider("b").input_value() == "10"
    assert xor.slider("learning rate").get_attribute("aria-valuetext") == RATE
    assert xor.get_by_label("speed").input_value() == "2 a second"
    assert xor.locator(".bp-at").text_content() == "epoch 1 of 1000 · step 1"
    step(xor, "step 2")
    assert_moves(page, STEPS, "−10", "Home")
    assert page.faults == []

    before = page.evaluate(PLACES)
    page.evaluate(f"() => {{ {PANEL}.context.sessionContext.session.kernel.restart(); }}")
    assert_inputs_are_off(page, RESTARTED, b=-10.0)
    assert page.evaluate(PLACES) == before
    lab_server.wait_for_kernel(page)
    run(page)
    assert set(statuses(page)) == {""} and page.evaluate(PLACES) == before
    assert_moves(page, ONE)


@pytest.mark.long
def test_labs_handle_messages_busy_kernel_box_and_second_view(page, place, folder):
    cells = ["import figures, ipywidgets, time\nfigures.xor()", "figures.expression()"]
    box = "ipywidgets.VBox([figures.neuron(), figures.neuron()])"  # there JupyterLab itself makes the view
    opened(page, place, folder / "views.ipynb", [*cells, box])
    xor, expression = lab(page, 0), lab(page, 1)
    lab(page, 3).wait_for()
    wait_for_inputs(page)

    before, entry, message = page.evaluate(PLACES), expression.get_by_role("textbox"), expression.locator(".bp-message")
    page.evaluate(
        f"() => {{ {PANEL}.context.sessionContext.session.kernel.requestExecute({{ code: 'time.sleep(5)' }}); }}"
    )
    entry.fill("x*y + 4*x")
    expression.locator(".bp-status", has_text="No answer yet").wait_for(timeout=10_000)
    expression.locator(".bp-status:empty").wait_for(state="attached", timeout=20_000)

    assert message.bounding_box()["height"] == 0
    entry.fill("x*y + 3*")
    expression.wait_message("At character")
    assert message.bounding_box()["height"] > 10 and page.evaluate(PLACES) == before
    entry.fill("x*y + 2*x")
    expression.locator(".bp-message:empty").wait_for(state="attached")
    assert page.evaluate(PLACES) == before, "a message moves nothing and goes with the next picture"

    assert_moves(page, 2)
    assert lab(page, 3).shown(B) == "0"
    xor.slider("learning rate").press("ArrowRight")
    xor.get_by_label("lines show").select_option("gradients")
    step(xor, "step 1")
    page.evaluate(
        f"() => {{ {PANEL}.content.activeCellIndex = 0;"
        " window.jupyterapp.commands.execute('notebook:create-output-view'); }"
    )
    second = lab(page, 4)
    second.wait_for()
    wait_for_inputs(page)
    assert second.locator(".bp-at").text_content() == "epoch 1 of 1000 · step 1"
    assert second.slider("learning rate").get_attribute("aria-valuetext") == RATE
    assert second.get_by_label("lines show").input_value() == "gradients"
    second.slider("hidden 1").press("ArrowRight")
    second.press("Step")
    for view in (xor, second):
        view.wait_said("Epoch 1, on all four rows")
        assert view.slider("hidden 1").input_value() == "5"
        assert view.locator("[data-key='net.n1.4.v']").count() == 1
    assert models(page) == 4
    assert page.faults == []


@pytest.mark.long
def test_saved_widget_state_does_not_replace_a_kernel(page, browser, place, folder):
    """JupyterLab can save the state of widgets; a model that it makes of that cannot answer."""
    path = folder / "state.ipynb"
    write_notebook(path, *CELLS[:3])
    lab_server.open_notebook(page, place, path.name)
    toggle = "() => window.jupyterapp.commands.execute('@jupyter-widgets/jupyterlab-manager:saveWidgetState')"
    page.evaluate(toggle)
    try:
        run(page)
        reopened(page, place, path.name)
        assert json.loads(path.read_text(encoding="utf-8"))["metadata"]["widgets"]
        page.wait_for_timeout(1500)  # a model of the saved state would be there by now
        assert_inputs_are_off(page, NOT_RUN, 4)
        assert page.faults == []
    finally:
        page.evaluate(toggle)
    body, _ = HTMLExporter().from_filename(str(path))
    path.with_suffix(".html").write_text(body, encoding="utf-8")
    alone = watched(browser.new_page(offline=True))
    alone.goto(path.with_suffix(".html").as_uri())
    assert_inputs_are_off(alone, ALONE, 4)
    assert [fault for fault in alone.faults if "require" not in fault and "net::" not in fault] == []  # nbconvert's own
    alone.close()
