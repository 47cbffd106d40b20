"""The XOR lab and the seed lottery in a real JupyterLab: live, by mouse and by keyboard, with the engine's numbers."""

from pathlib import Path

import nbformat
import pytest

from autograd.messages import show
from figures.training.run import Training
from figures.training.seeds import Outcome, Race, counts
from figures.training.settings import ROWS, checked
from tests import lab_server, one_class

playwright = pytest.importorskip("playwright.sync_api", reason='a browser test needs: pip install -e ".[test]"')
axe = pytest.importorskip("axe_core_python.sync_playwright", reason='accessibility needs: pip install -e ".[test]"')

pytestmark = [
    pytest.mark.skipif(lab_server.CHROMIUM is None, reason="no Chromium here; to add one: apt install chromium"),
]

ENGINE = Path(one_class.__file__).read_text(encoding="utf-8")
CELLS = [
    "import figures\nfigures.xor()",
    "figures.lottery(epochs=100, speed='full speed')",
    "kept = [*globals().get('kept', []), figures.xor([8, 8], seed=3, epochs=20000, shows='gradients')]\nkept[-1]",
    "import asyncio\nbefore = [lab.training.epochs for lab in kept]\nawait asyncio.sleep(0.2)\n"
    "print('at work:', [lab.training.epochs > n for lab, n in zip(kept, before)])",
    "import random\nfrom exercises import library\n"
    "mine, broken = ({'random': random} for _ in range(2))\n"
    f"parts = [{ENGINE!r}, *(library.solution(name).code for name in ('neuron', 'layer', 'mlp'))]\n"
    "exec('\\n'.join(parts), mine)\n"
    "exec('\\n'.join(parts).replace('self.grad = 1.0\\n', 'self.grad = 1.0 / 0\\n'), broken)\n"
    "figures.xor(network=mine['MLP'], epochs=100)",
    "figures.xor(network=broken['MLP'])",
]
XOR, LOTTERY, BELOW, LARGE, OWN, BROKEN = range(6)  # the labs of the page

# Waits until a part has been drawn anew five times.
FIVE = """(node) => new Promise((done) => {
  let left = 5;
  new MutationObserver((_, observer) => {
    left -= 1;
    if (left) return;
    observer.disconnect();
    done();
  }).observe(node, { attributes: true });
})"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The notebook's page, run from top to bottom; `log` is the text of the server's log, with the kernel's in it."""
    folder = tmp_path_factory.mktemp("notebooks")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, folder / "xor.ipynb")
    with lab_server.jupyter_lab(folder) as place, playwright.sync_playwright() as running:
        chromium = running.chromium.launch(executable_path=lab_server.CHROMIUM, args=lab_server.CHROMIUM_FLAGS)
        page = chromium.new_page(viewport={"width": 1400, "height": 1200})
        page.faults = []
        page.on("pageerror", lambda fault: page.faults.append(str(fault)))
        page.log = place.log
        lab_server.open_notebook(page, place, "xor.ipynb")
        lab_server.run_all(page)
        page.locator(".bp-player").nth(BROKEN).wait_for()
        yield page
        chromium.close()


def lab(page, place):
    return page.locator(".bp-player").nth(place)


def button(lab, name):
    return lab.get_by_role("button", name=name, exact=True)


def part(lab, key):
    return lab.locator(f"[data-key='{key}']")


def wait_at(lab, text):
    lab.locator(".bp-at", has_text=text).wait_for(timeout=10_000)


def assert_shows(lab, training):
    """The tiles, the loss and the network's boxes have the engine's numbers."""
    training.look()
    part(lab, "curve.loss").get_by_text(f"Loss {show(training.total)}", exact=True).or_(
        part(lab, "curve.loss").filter(has_text=f"Loss {show(training.total)}")
    ).first.wait_for(timeout=20_000)
    for i, output in enumerate(training.outputs):
        assert part(lab, f"row.{i}.out").text_content() == show(output)
        assert part(lab, f"row.{i}.word").text_content() == ("right" if training.right[i] else "wrong")
    row = next(i for i in range(4) if part(lab, f"row.{i}").get_attribute("aria-pressed") == "true")
    values = list(ROWS[row])
    for i, layer in enumerate(training.mlp.layers, start=1):
        values = layer(values)
        for j, value in enumerate(values):
            assert part(lab, f"net.n{i}.{j}.v").text_content() == show(value.data)


def new(*arguments):
    """The engine's own training, beside which a lab is held."""
    return Training(checked(*arguments))


def begin(lab):
    """Back to the start, by the button."""
    button(lab, "Reset").click()
    wait_at(lab, "epoch 0 of")


def test_the_notebook_runs_and_nothing_trains(page):
    assert lab_server.errors(page) == []
    assert [output for output in lab_server.outputs(page) if output.get("name") == "stderr"] == []
    printed = [output["text"] for output in lab_server.outputs(page) if output.get("name") == "stdout"]
    assert printed == ["at work: [False]\n"]
    for place in (XOR, LOTTERY, BELOW, LARGE, OWN, BROKEN):
        assert lab(page, place).locator(".bp-at").text_content().startswith("epoch 0 of")


def test_steps_by_mouse_and_by_keyboard_show_the_engines_numbers(page):
    xor, training = lab(page, XOR), new(4, "tanh", "tanh", "uniform", 0, "sum_of_squares", 0.1)
    assert_shows(xor, training)
    for i in range(1, 4):
        button(xor, "Step").click()
        wait_at(xor, f"step {i}")
        training.step()
        assert_shows(xor, training)
    button(xor, "Step").focus()
    for key in ("Enter", "Space"):
        page.keyboard.press(key)
        training.step()
        wait_at(xor, f"step {training.steps}")
        assert_shows(xor, training)
    assert xor.locator("output[aria-live]").text_content().startswith("Epoch 5, on all four rows: the loss was ")


def test_a_row_is_chosen_by_mouse_and_by_keyboard(page):
    xor = lab(page, XOR)
    begin(xor)
    training = new(4, "tanh", "tanh", "uniform", 0, "sum_of_squares", 0.1)
    part(xor, "row.3").click()
    page.locator("[data-key='row.3'][aria-pressed='true']").first.wait_for()
    assert_shows(xor, training)
    part(xor, "row.0").focus()
    page.keyboard.press("Enter")
    page.locator("[data-key='row.0'][aria-pressed='true']").first.wait_for()
    assert_shows(xor, training)
    assert part(xor, "net.t0").text_content() == "0.0000"
    assert xor.get_by_role("button", name="Row 0, 1: target 1, output").count() == 1


def test_controls_by_keyboard(page):
    xor = lab(page, XOR)
    begin(xor)
    xor.get_by_role("slider", name="hidden 1").press("ArrowRight")
    xor.locator("output[aria-live]", has_text="A 2-5-1 network, 21 parameters, from seed 0").wait_for()
    xor.get_by_role("slider", name="seed").press("ArrowRight")
    xor.locator("output[aria-live]", has_text="from seed 1").wait_for()
    xor.get_by_label("activation").select_option("relu")
    xor.locator("svg", has_text="hidden: relu").wait_for()
    xor.get_by_label("lines show").select_option("gradients")
    xor.get_by_role("checkbox", name="zero_grad()").press("Space")
    part(xor, "net.max").filter(has_text="|gradient| –").wait_for()
    training = new(5, "relu", "tanh", "uniform", 1, "sum_of_squares", 0.1)
    for i in (1, 2):
        button(xor, "Step").click()
        training.step(zero_grad=False)
        wait_at(xor, f"step {i}")
    assert_shows(xor, training)
    largest = max(abs(p.grad) for p in training.optimizer.parameters)
    assert part(xor, "net.max").text_content() == f"thickest line: |gradient| {show(largest)}"


def test_a_loss_that_does_not_fit_is_said_and_the_picture_stays(page):
    xor = lab(page, XOR)
    before = part(xor, "row.0.out").text_content()
    xor.get_by_label("loss", exact=True).select_option("binary_cross_entropy")
    xor.locator(".bp-message", has_text="binary_cross_entropy needs outputs between 0 and 1").wait_for()
    assert part(xor, "row.0.out").text_content() == before
    xor.get_by_label("output", exact=True).select_option("sigmoid")
    xor.locator("svg", has_text="output: sigmoid").wait_for()
    assert xor.locator(".bp-message").text_content() == ""
    assert_shows(xor, new(5, "relu", "sigmoid", "uniform", 1, "binary_cross_entropy", 0.1))


def test_the_symmetric_start_moves_the_controls(page):
    xor = lab(page, XOR)
    button(xor, "Symmetric start").click()
    xor.locator("output[aria-live]", has_text="A 2-2-1 network, 9 parameters, from weights ½").wait_for()
    assert xor.get_by_label("init").input_value() == "all 0.5"
    assert xor.get_by_role("slider", name="hidden 1").input_value() == "2"
    assert xor.get_by_label("loss", exact=True).input_value() == "sum_of_squares"
    assert_shows(xor, new(2, "sigmoid", "sigmoid", "all 0.5", 0, "sum_of_squares", 1.0))
    assert part(xor, "row.0.out").text_content() == "0.6225"
    button(xor, "Step").click()
    wait_at(xor, "step 1")
    assert part(xor, "net.n1.0.v").text_content() == part(xor, "net.n1.1.v").text_content()


@pytest.mark.parametrize("place", [XOR, LARGE])
def test_a_run_is_live_and_nothing_is_trained_after_a_pause(page, place):
    """How many pictures a second, and how soon a pause lands: `python -m benchmarks.lab`."""
    trainer = lab(page, place)
    trainer.get_by_label("epochs a run").select_option("20000")
    button(trainer, "Play").click()
    button(trainer, "Pause").wait_for()
    part(trainer, "curve.now").evaluate(FIVE)
    assert button(trainer, "Pause").is_visible(), "pictures came while it ran"
    button(trainer, "Pause").click()
    trainer.locator("output[aria-live]", has_text="Paused.").wait_for()
    after = trainer.locator(".bp-at").text_content()
    button(trainer, "Step").click()
    step = int(after.split("step ")[1])
    wait_at(trainer, f"step {step + 1}")


def test_a_run_ends_where_the_engine_ends(page):
    xor = lab(page, XOR)
    xor.get_by_label("epochs a run").select_option("100")
    xor.get_by_label("speed").select_option("full speed")
    begin(xor)
    if not xor.get_by_role("checkbox", name="zero_grad()").is_checked():
        xor.get_by_role("checkbox", name="zero_grad()").press("Space")
    button(xor, "Play").click()
    wait_at(xor, "epoch 100 of 100 · step 100")
    button(xor, "Play").wait_for()
    training = new(2, "sigmoid", "sigmoid", "all 0.5", 1, "sum_of_squares", 1.0)
    for _ in range(100):
        training.step()
    assert_shows(xor, training)
    assert xor.locator("output[aria-live]").text_content().startswith("Stopped after 100 epochs. The loss is ")


def test_a_network_of_the_learners_own_trains(page):
    own, training = lab(page, OWN), new(4, "tanh", "tanh", "uniform", 0, "sum_of_squares", 0.1)
    assert own.locator(".bp-title").text_content() == "Training on XOR: your own MLP"
    for name in ("activation: always tanh", "output: always tanh", "init: always -1 to 1"):
        assert button(own, name).get_attribute("aria-disabled") == "true"
    assert_shows(own, training)
    button(own, "activation: always tanh").click(force=True)
    button(own, "Step").click()
    wait_at(own, "step 1")
    training.step()
    assert_shows(own, training)
    button(own, "Play").click()
    wait_at(own, "epoch 100 of 100 · step 100")
    for _ in range(99):
        training.step()
    assert_shows(own, training)
    own.get_by_role("slider", name="hidden 2").press("ArrowRight")
    own.locator("output[aria-live]", has_text="Your own MLP(2, [4, 1, 1]), on your own Value: 19 parameters").wait_for()
    assert button(own, "init: always -1 to 1").get_attribute("aria-disabled") == "true"
    assert_shows(own, new([4, 1], "tanh", "tanh", "uniform", 0, "sum_of_squares", 0.1))


def test_what_a_learners_class_raises_is_said_and_the_picture_stays(page):
    broken = lab(page, BROKEN)
    before = part(broken, "row.0.out").text_content()
    button(broken, "Play").click()
    broken.locator(".bp-message", has_text="Your code raised ZeroDivisionError in Value.backward, line ").wait_for()
    assert button(broken, "Play").get_attribute("aria-disabled") == "true"
    assert part(broken, "row.0.out").text_content() == before
    assert broken.locator(".bp-at").text_content() == "epoch 0 of 1000 · step 0"
    begin(broken)
    broken.locator(".bp-message:empty").wait_for(state="attached")


def test_the_lottery_counts_and_a_tile_opens_its_seed(page):
    lottery, below = lab(page, LOTTERY), lab(page, BELOW)
    button(lottery, "Play").click()
    wait_at(lottery, "epoch 100 of 100")
    lottery.locator("output[aria-live]", has_text="After 100 epochs").wait_for()
    race = Race(checked(2, "tanh", "tanh", "uniform", 0, "sum_of_squares", 0.1), 100)
    while race.step():
        pass
    race.look()
    assert part(lottery, "c0.n").text_content() == str(counts(race)[Outcome("solved")])
    for seed in (0, 8, 55, 99):
        assert part(lottery, f"s{seed}").get_attribute("aria-label") == race.sentence(seed).rstrip(".")
    part(lottery, "s37").click()
    below.locator("output[aria-live]", has_text="A 2-2-1 network, 9 parameters, from seed 37").wait_for()
    assert below.get_by_role("slider", name="seed").input_value() == "37"
    assert_shows(below, new(2, "tanh", "tanh", "uniform", 37, "sum_of_squares", 0.1))
    button(below, "Step").click()
    wait_at(below, "epoch 1 of 100")


# Notes at every frame where the parts of a lab stand; `seen` is what was noted.
WATCH = """(node) => {
  window.seen = new Set();
  const parts = () => [...node.querySelectorAll(".bp-stage svg, .bp-say, .bp-controls > *")];
  const note = () => {
    const top = node.getBoundingClientRect().top;
    const boxes = parts().map((part) => part.getBoundingClientRect());
    seen.add(JSON.stringify(boxes.map((box) => [box.left, box.top - top, box.width, box.height].map(Math.round))));
    window.watch = requestAnimationFrame(note);
  };
  note();
}"""


@pytest.mark.parametrize("width", [1400, 1000, 800])
def test_nothing_jumps_in_play(page, width):
    lottery, size = lab(page, LOTTERY), page.viewport_size
    page.set_viewport_size({"width": width, "height": 900})
    begin(lottery)
    lottery.evaluate(WATCH)
    button(lottery, "Play").click()
    lottery.locator("output[aria-live]", has_text="After 100 epochs").wait_for()
    assert page.evaluate("() => { cancelAnimationFrame(watch); return seen.size; }") == 1
    page.set_viewport_size(size)


def test_the_tiles_by_keyboard_are_one_stop_and_a_grid(page):
    lottery, below = lab(page, LOTTERY), lab(page, BELOW)
    assert lottery.locator("[data-press][tabindex='0']").count() == 1
    count = "() => window.jupyterapp.shell.currentWidget.content.model.cells.length"
    cells = page.evaluate(count)
    part(lottery, "s0").focus()
    for key, seed in (("ArrowRight", 1), ("ArrowDown", 11), ("ArrowDown", 21), ("ArrowLeft", 20), ("ArrowUp", 10),
                      ("End", 99), ("ArrowRight", 99), ("Home", 0), ("ArrowLeft", 0), ("ArrowDown", 10)):  # fmt: skip
        page.keyboard.press(key)
        assert page.evaluate("() => document.activeElement.dataset.key") == f"s{seed}"
    page.keyboard.press("d")
    page.keyboard.press("d")
    assert page.evaluate(count) == cells, "the notebook's own keys do not reach a tile"
    page.keyboard.press("Enter")
    below.locator("output[aria-live]", has_text="from seed 10").wait_for()
    assert lottery.locator("[data-press][tabindex='0']").count() == 1
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.dataset.press ?? 'none'") == "none"


def run_cell(page, index):
    """Run one cell of the notebook, and wait until it is done."""
    count = f"() => window.jupyterapp.shell.currentWidget.content.model.cells.get({index}).executionCount"
    before = page.evaluate(count)
    page.evaluate(
        f"() => {{ window.jupyterapp.shell.currentWidget.content.activeCellIndex = {index};"
        " window.jupyterapp.commands.execute('notebook:run-cell'); }"
    )
    page.wait_for_function(f"(before) => {{ const n = ({count})(); return n !== null && n !== before; }}", arg=before)


def test_a_cell_run_again_cancels_the_old_run(page):
    button(lab(page, LARGE), "Play").click()
    button(lab(page, LARGE), "Pause").wait_for()
    run_cell(page, 3)
    page.get_by_text("at work: [True]").wait_for()
    run_cell(page, 2)
    run_cell(page, 3)
    page.get_by_text("at work: [False, False]").wait_for()
    wait_at(lab(page, LARGE), "epoch 0 of 20000 · step 0")


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_no_accessibility_rule_is_broken(page, theme):
    page.evaluate(f"() => {{ window.jupyterapp.commands.execute('apputils:change-theme', {{theme: '{theme}'}}); }}")
    page.wait_for_function(f"() => document.body.dataset.jpThemeName === '{theme}'")
    page.wait_for_timeout(500)
    found = axe.Axe().run(page, context=".bp-player")
    assert [(rule["id"], rule["nodes"][0]["html"][:200]) for rule in found["violations"]] == []
    assert len(found["passes"]) > 5


def test_no_callback_raised_and_no_script_failed(page):
    """Last in the file: after all of the above."""
    assert page.faults == []
    assert "Traceback" not in page.log()
