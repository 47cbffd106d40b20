"""Labs with inputs in a real JupyterLab: saved and reopened, run again, after a reload, a restart, and on a page."""

import json

import nbformat
import pytest
from nbconvert import HTMLExporter

import autograd
import figures
from autograd.messages import show
from figures.labs import neuron
from tests import lab_server

playwright = pytest.importorskip("playwright.sync_api", reason='a browser test needs: pip install -e ".[test]"')
axe = pytest.importorskip("axe_core_python.sync_playwright", reason='accessibility needs: pip install -e ".[test]"')

pytestmark = [
    pytest.mark.skipif(lab_server.CHROMIUM is None, reason="no Chromium here; to add one: apt install chromium"),
]

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
B = [node.label for node in ORDER].index("b")
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
    """A page that keeps what its scripts complained of."""
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.faults = []
    page.on("pageerror", lambda fault: page.faults.append(str(fault)))
    page.on("console", lambda said: page.faults.append(said.text) if said.type == "error" else None)
    yield page
    page.close()


def write(path, cells=CELLS):
    """A notebook with these code cells."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, path)
    return path.name


def opened(page, place, name):
    """Open a notebook, run it, and wait until its inputs work."""
    lab_server.open_notebook(page, place, name)
    run(page)


def run(page):
    """Run all cells, and wait until the inputs of each lab work."""
    lab_server.run_all(page)
    assert lab_server.errors(page) == []
    wait_for_inputs(page)


def wait_for_inputs(page):
    page.wait_for_function(
        "() => { const all = [...document.querySelectorAll('.bp-controls')];"
        " return all.length && all.every((controls) => !controls.disabled); }",
        timeout=20_000,
    )


def save(page):
    page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
    page.wait_for_function("() => !window.jupyterapp.shell.currentWidget.context.model.dirty")


def shut_down(page):
    """End the kernel, as when JupyterLab is closed."""
    page.evaluate("() => window.jupyterapp.shell.currentWidget.context.sessionContext.shutdown()")


def saved(page, place, name):
    """Run a notebook, save it, end its kernel, and open it again."""
    opened(page, place, name)
    places = page.evaluate(PLACES)
    save(page)
    shut_down(page)
    page.faults.clear()
    lab_server.open_notebook(page, place, name)
    page.locator(".bp-status", has_text=ALONE).first.wait_for()
    return places


def lab(page, place):
    return page.locator(".bp-player").nth(place)


def models(page):
    """How many labs have a kernel, as the page knows it."""
    return page.evaluate("() => globalThis[Symbol.for('backprop models')]?.models.size ?? 0")


def said(page, place):
    return lab(page, place).locator("output[aria-live]").text_content()


def statuses(page):
    return page.locator(".bp-status").all_text_contents()


def bias(page, place):
    """The data of the node b in a neuron's graph."""
    return lab(page, place).locator(f"[data-key='n{B}.data']")


def assert_moves(page, place, to="10.0000", key="End"):
    """A slider reaches the kernel, and its picture comes back."""
    lab(page, place).get_by_role("slider", name="b", exact=True).press(key)
    bias(page, place).filter(has_text=to).wait_for(timeout=20_000)
    assert bias(page, place).text_content() == to


def assert_inputs_are_off(page):
    """The inputs cannot be used, and a sentence says what to do; frames step all the same."""
    assert statuses(page) and len(set(statuses(page))) == 1
    assert page.locator(".bp-controls :is(input, select, button):enabled").count() == 0
    assert models(page) == 0
    frames = figures.neuron(steps=True).recording.frames
    lab(page, STEPS).get_by_role("slider", name="Step").press("Home")
    for frame in frames[1:]:
        lab(page, STEPS).get_by_role("button", name="Step forward").click()
        assert said(page, STEPS) == frame.say
    for words in ("model not found", "Loading widget", "Error displaying"):
        assert page.get_by_text(words).count() == 0


def test_a_reopened_lab_steps_and_waits_for_its_cell(page, place, folder):
    before = saved(page, place, write(folder / "reopened.ipynb"))
    page.wait_for_function(
        f"() => [...document.querySelectorAll('.bp-status')].filter((part) => part.textContent).length === {COUNT}"
    )
    assert set(statuses(page)) == {ALONE}
    assert page.evaluate(PLACES) == before
    assert_inputs_are_off(page)
    lab(page, LOTTERY).locator("[data-key='s37']").click(force=True)
    assert "from seed 37" not in said(page, BELOW)
    assert page.faults == []
    run(page)
    assert set(statuses(page)) == {""}
    assert page.evaluate(PLACES) == before
    assert_moves(page, ONE)
    lab(page, XOR).get_by_role("button", name="Step", exact=True).click()
    lab(page, XOR).locator(".bp-at", has_text="step 1").wait_for()
    assert page.faults == []


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_a_reopened_lab_breaks_no_accessibility_rule(page, place, folder, theme):
    saved(page, place, write(folder / f"axe{theme[-4:]}.ipynb", CELLS[:3]))
    page.evaluate(f"() => {{ window.jupyterapp.commands.execute('apputils:change-theme', {{theme: '{theme}'}}); }}")
    page.wait_for_function(f"() => document.body.dataset.jpThemeName === '{theme}'")
    page.wait_for_timeout(500)
    found = axe.Axe().run(page, context=".bp-player")
    assert [(rule["id"], rule["nodes"][0]["html"][:200]) for rule in found["violations"]] == []
    assert len(found["passes"]) > 5


def test_two_labs_of_one_cell_answer_each_for_itself(page, place, folder):
    opened(page, place, write(folder / "two.ipynb", CELLS[:2]))
    assert_moves(page, OTHER)
    assert bias(page, ONE).text_content() == "0.0000"
    assert_moves(page, ONE, "-10.0000", "Home")
    assert bias(page, OTHER).text_content() == "10.0000"
    assert page.faults == []


def test_a_cell_that_runs_again_leaves_nothing_behind(page, place, folder):
    """Neither in the kernel nor in the page, and its labs work."""
    opened(page, place, write(folder / "again.ipynb"))
    run(page)  # from here on each run takes the place of one before
    first, count = lab_server.outputs(page)[-1]["text"], models(page)
    assert count == COUNT
    for _ in range(2):
        run(page)
        page.wait_for_function(
            f"() => globalThis[Symbol.for('backprop models')].models.size === {COUNT}", timeout=10_000
        )
        assert lab_server.outputs(page)[-1]["text"] == first
    assert_moves(page, ONE)
    assert page.faults == []


def test_a_reload_finds_the_kernel_again(page, place, folder):
    """With the controls where they were, and the step that was shown."""
    name = write(folder / "reload.ipynb")
    opened(page, place, name)
    save(page)
    assert_moves(page, STEPS)
    lab(page, STEPS).get_by_role("button", name="Last step").click()
    last = said(page, STEPS)
    xor = lab(page, XOR)
    xor.get_by_role("slider", name="learning rate").press("ArrowRight")
    xor.get_by_label("speed").select_option("2 a second")
    xor.get_by_role("button", name="Step", exact=True).click()
    xor.locator(".bp-at", has_text="step 1").wait_for()
    page.faults.clear()
    lab_server.open_notebook(page, place, name)
    wait_for_inputs(page)
    assert models(page) == COUNT and set(statuses(page)) == {""}
    assert bias(page, STEPS).text_content() == "10.0000" and said(page, STEPS) == last
    assert lab(page, STEPS).get_by_role("slider", name="b", exact=True).input_value() == "10"
    rate = xor.get_by_role("slider", name="learning rate").get_attribute("aria-valuetext")
    assert rate == show(10**-0.95)
    assert xor.get_by_label("speed").input_value() == "2 a second"
    assert xor.locator(".bp-at").text_content() == "epoch 1 of 1000 · step 1"
    xor.get_by_role("button", name="Step", exact=True).click()
    xor.locator(".bp-at", has_text="step 2").wait_for()
    assert_moves(page, STEPS, "-10.0000", "Home")
    assert page.faults == []


def test_a_second_view_begins_where_the_first_one_is_and_goes_with_it(page, place, folder):
    opened(page, place, write(folder / "views.ipynb", ["import figures\nfigures.xor()"]))
    first, second = lab(page, 0), lab(page, 1)
    first.get_by_role("slider", name="learning rate").press("ArrowRight")
    first.get_by_label("lines show").select_option("gradients")
    first.get_by_role("button", name="Step", exact=True).click()
    first.locator(".bp-at", has_text="step 1").wait_for()
    page.evaluate(
        "() => { window.jupyterapp.shell.currentWidget.content.activeCellIndex = 0;"
        " window.jupyterapp.commands.execute('notebook:create-output-view'); }"
    )
    second.wait_for()
    wait_for_inputs(page)
    rate = show(10**-0.95)
    assert second.locator(".bp-at").text_content() == "epoch 1 of 1000 · step 1"
    assert second.get_by_role("slider", name="learning rate").get_attribute("aria-valuetext") == rate
    assert second.get_by_label("lines show").input_value() == "gradients"
    second.get_by_role("slider", name="hidden 1").press("ArrowRight")
    second.get_by_role("button", name="Step", exact=True).click()
    for view in (first, second):
        view.locator("output[aria-live]", has_text="Epoch 1, on all four rows").wait_for()
        assert view.get_by_role("slider", name="hidden 1").input_value() == "5"
        assert view.locator("[data-key='net.n1.4.v']").count() == 1
    assert models(page) == 1
    assert page.faults == []


def test_a_restart_is_said_and_nothing_moves(page, place, folder):
    opened(page, place, write(folder / "restart.ipynb"))
    before = page.evaluate(PLACES)
    page.evaluate("() => { window.jupyterapp.shell.currentWidget.context.sessionContext.session.kernel.restart(); }")
    page.wait_for_function(
        f"() => [...document.querySelectorAll('.bp-status')].filter((part) => part.textContent).length === {COUNT}"
    )
    assert set(statuses(page)) == {RESTARTED}
    assert page.evaluate(PLACES) == before
    assert_inputs_are_off(page)
    page.wait_for_function(
        "() => window.jupyterapp.shell.currentWidget.context.sessionContext.session.kernel.status === 'idle'"
    )
    run(page)
    assert set(statuses(page)) == {""} and page.evaluate(PLACES) == before
    assert_moves(page, ONE)


def test_a_kernel_at_other_work_is_said_until_it_answers(page, place, folder):
    opened(page, place, write(folder / "busy.ipynb", ["import figures\nfigures.neuron()", "import time"]))
    page.evaluate(
        "() => { window.jupyterapp.shell.currentWidget.context.sessionContext.session.kernel"
        ".requestExecute({ code: 'time.sleep(5)' }); }"
    )
    lab(page, 0).get_by_role("slider", name="b", exact=True).press("End")
    page.locator(".bp-status", has_text="No answer yet").wait_for(timeout=10_000)
    bias(page, 0).filter(has_text="10.0000").wait_for(timeout=20_000)
    assert statuses(page) == [""]


def test_a_message_moves_nothing_and_goes_with_the_next_picture(page, place, folder):
    opened(page, place, write(folder / "message.ipynb", ["import figures\nfigures.expression()"]))
    before, entry = page.evaluate(PLACES), lab(page, 0).get_by_role("textbox")
    message = page.locator(".bp-message")
    assert message.bounding_box()["height"] == 0
    entry.fill("x*y + 3*")
    message.filter(has_text="At character").wait_for()
    assert message.bounding_box()["height"] > 10
    assert page.evaluate(PLACES) == before
    entry.fill("x*y + 2*x")
    page.wait_for_function("() => document.querySelector('.bp-message').textContent === ''")
    assert page.evaluate(PLACES) == before


def test_widget_state_in_the_notebook_is_not_a_kernel(page, place, folder):
    """JupyterLab can save the state of widgets; a model that it makes of that cannot answer."""
    name = write(folder / "state.ipynb", CELLS[:3])
    lab_server.open_notebook(page, place, name)
    toggle = "() => window.jupyterapp.commands.execute('@jupyter-widgets/jupyterlab-manager:saveWidgetState')"
    page.evaluate(toggle)
    try:
        saved(page, place, name)
        assert json.loads((folder / name).read_text(encoding="utf-8"))["metadata"]["widgets"]
        page.wait_for_timeout(1500)  # a model of the saved state would be there by now
        assert_inputs_are_off(page)
        assert set(statuses(page)) == {ALONE}
        assert page.faults == []
    finally:
        page.evaluate(toggle)


def test_an_untrusted_notebook_shows_still_pictures(page, place, folder):
    name = write(folder / "trusted.ipynb", CELLS[:3])
    opened(page, place, name)
    save(page)
    shut_down(page)
    notebook = nbformat.read(folder / name, as_version=4)
    notebook.cells[0].source += "\n# changed by someone else"
    nbformat.write(notebook, folder / "untrusted.ipynb")
    page.faults.clear()
    lab_server.open_notebook(page, place, "untrusted.ipynb")
    pictures = page.locator(".jp-OutputArea-output img")
    pictures.first.wait_for()
    assert pictures.count() == 4 and page.locator(".bp-player").count() == 0
    assert all(picture.get_attribute("alt") for picture in pictures.all())
    assert page.evaluate("() => [...document.images].every((image) => image.complete && image.naturalWidth > 0)")
    assert page.get_by_text("model not found").count() == 0
    assert page.faults == []


def test_an_exported_page_steps_without_a_kernel_or_a_network(page, browser, place, folder, tmp_path):
    name = write(folder / "exported.ipynb", CELLS[:4])
    opened(page, place, name)
    save(page)
    body, _ = HTMLExporter().from_filename(str(folder / name))
    (tmp_path / "exported.html").write_text(body, encoding="utf-8")
    context = browser.new_context(offline=True)
    alone = context.new_page()
    alone.faults = []
    alone.on("pageerror", lambda fault: alone.faults.append(str(fault)))
    alone.goto((tmp_path / "exported.html").as_uri())
    alone.locator(".bp-status", has_text=ALONE).nth(BELOW).wait_for()
    assert_inputs_are_off(alone)
    assert [fault for fault in alone.faults if "require" not in fault] == []  # nbconvert's own, from the network
    context.close()


def test_a_lab_in_a_box_of_another_widget(page, place, folder):
    """There JupyterLab itself makes the view."""
    cell = "import figures, ipywidgets\nipywidgets.VBox([figures.neuron(), figures.neuron()])"
    opened(page, place, write(folder / "box.ipynb", [cell]))
    assert_moves(page, 0)
    assert bias(page, 1).text_content() == "0.0000"
    assert page.faults == []
