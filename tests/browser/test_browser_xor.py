"""Labs that train live, in a real JupyterLab: played, paused, by mouse and by keyboard, with the engine's numbers."""

import re

import pytest

from autograd.errors.messages import show
from figures.graph.network import short
from figures.page.style import steady
from figures.training.run import Training
from figures.training.seeds import Outcome, Race, counts
from figures.training.settings import ROWS, checked
from tests import lab_server
from tests.lab_pages import PANEL, THEMES, assert_accessible, cells_of, lab, notebook_page, wear

page = notebook_page(
    "import figures\nfigures.xor()",
    "figures.lottery(epochs=100, speed='full speed')",
    "kept = [*globals().get('kept', []), figures.xor([8, 8], seed=3, epochs=20000, shows='gradients')]\nkept[-1]",
    "import asyncio\nbefore = [lab.training.epochs for lab in kept]\nawait asyncio.sleep(1)\n"
    "print('at work:', [lab.training.epochs > n for lab, n in zip(kept, before)])",
    **{"labs": 4, "height": 1200},
)
XOR, LOTTERY, BELOW, LARGE = range(4)  # the labs of the page

# Waits until a part has been drawn again five times.
FIVE = """(node) => new Promise((done) => {
  let left = 5;
  new MutationObserver((_, observer) => {
    left -= 1;
    if (left) return;
    observer.disconnect();
    done();
  }).observe(node, { attributes: true });
})"""


def assert_trained(lab, training):
    """Assert that the tiles, the loss and the network's boxes have the engine's numbers."""
    training.measure_state()
    lab.part("curve.loss").filter(has_text=re.compile(f"^Loss {re.escape(show(training.total))}$")).wait_for()
    for i, output in enumerate(training.outputs):
        word = "right" if training.right[i] else "wrong"
        assert [lab.shown(f"row.{i}.out"), lab.shown(f"row.{i}.word")] == [steady(output), word]
    row = next(i for i in range(4) if lab.part(f"row.{i}").get_attribute("aria-pressed") == "true")
    values = list(ROWS[row])
    for i, layer in enumerate(training.mlp.layers, start=1):
        values = layer(values)
        assert [lab.shown(f"net.n{i}.{j}.v") for j in range(len(values))] == [short(value.data) for value in values]


def new(hidden=4, activation="tanh", output="tanh", init="uniform", seed=0, loss="sum_of_squares", lr=0.1):
    """Return the engine's own training, to compare a lab with."""
    return Training(checked(hidden, activation, output, init, seed, loss, lr))


def begin(lab):
    """Go back to the start, by the button."""
    lab.press("Reset")
    lab.wait_at("epoch 0 of")


def test_notebook_runs_without_starting_to_train(page):
    printed = [output["text"] for output in lab_server.outputs(page) if output.get("name") == "stdout"]
    assert printed == ["at work: [False]\n"]
    assert [at for at in page.locator(".bp-at").all_text_contents() if not at.startswith("epoch 0 of")] == []


def test_steps_and_selected_rows_show_the_engines_numbers(page):
    xor, training = lab(page, XOR), new()
    assert_trained(xor, training)
    for key in (None, None, None, "Enter", "Space"):
        xor.button("Step").press(key) if key else xor.press("Step")
        training.step()
        xor.wait_at(f"step {training.steps}")
        assert_trained(xor, training)
    assert xor.sentence_shown().startswith("Epoch 5, on all four rows: the loss was ")
    begin(xor)
    xor.part("row.3").click()
    for row in (3, 0):
        xor.part(f"row.{row}").press("Enter")
        page.locator(f"[data-key='row.{row}'][aria-pressed='true']").first.wait_for()
        assert_trained(xor, new())
    assert xor.shown("net.t0") == "0"
    assert xor.get_by_role("button", name="0, 1 → 1 ").count() == 1


@pytest.mark.parametrize("place", [XOR, LARGE])
def test_training_runs_live_and_stops_on_pause(page, place):
    """`python -m benchmarks.lab` measures pictures per second, and how soon a pause takes effect."""
    trainer = lab(page, place)
    trainer.choice("epochs a run").select_option("20000")
    trainer.press("Play")
    trainer.button("Pause").wait_for()
    trainer.part("curve.now").evaluate(FIVE)
    trainer.press("Pause")  # it is there still: pictures came while it ran
    trainer.wait_said("Paused.")
    at = int(trainer.locator(".bp-at").text_content().split("step ")[1])
    trainer.press("Step")
    trainer.wait_at(f"step {at + 1}")


def test_run_ends_with_the_engines_numbers(page):
    xor = lab(page, XOR)
    xor.choice("epochs a run").select_option("100")
    xor.choice("speed").select_option("full speed")
    xor.press("Symmetric start")
    begin(xor)
    xor.get_by_role("checkbox", name="zero_grad()").check()
    xor.press("Play")
    xor.wait_at("epoch 100 of 100 · step 100")
    xor.button("Play").wait_for()
    training = new(2, "sigmoid", "sigmoid", "all 0.5", lr=1.0)
    for _ in range(100):
        training.step()
    assert_trained(xor, training)
    assert xor.sentence_shown().startswith("Stopped after 100 epochs. The loss is ")


# Notes the places of a lab's parts at every frame, in `seen`.
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


def test_lottery_counts_and_a_tile_opens_its_seed(page):
    lottery, below = lab(page, LOTTERY), lab(page, BELOW)
    for width in (1400, 1000, 800):
        page.set_viewport_size({"width": width, "height": 1200})
        begin(lottery)
        lottery.evaluate(WATCH)
        lottery.press("Play")
        lottery.wait_at("epoch 100 of 100")
        lottery.wait_said("After 100 epochs")
        assert page.evaluate("() => { cancelAnimationFrame(watch); return seen.size; }") == 1
    page.set_viewport_size({"width": 1400, "height": 1200})
    race = Race(checked(2, "tanh", "tanh", "uniform", 0, "sum_of_squares", 0.1), 100)
    while race.step():
        pass
    race.measure_state()
    assert lottery.shown("c0.n") == str(counts(race)[Outcome("solved")])
    for seed in (0, 8, 55, 99):
        assert lottery.part(f"s{seed}").get_attribute("aria-label") == race.sentence(seed).rstrip(".")
    lottery.part("s37").click()
    below.wait_said("A 2-2-1 network, 9 parameters, from seed 37")
    assert below.slider("seed").input_value() == "37"
    assert_trained(below, new(2, seed=37))
    below.press("Step")
    below.wait_at("epoch 1 of 100")


def test_lottery_tiles_are_one_tab_stop_and_a_grid(page):
    lottery, below, cells = lab(page, LOTTERY), lab(page, BELOW), cells_of(page)
    stops = lottery.locator("[data-press][tabindex='0']")
    assert stops.count() == 1
    lottery.part("s0").focus()
    for key, seed in (("ArrowRight", 1), ("ArrowDown", 11), ("ArrowDown", 21), ("ArrowLeft", 20), ("ArrowUp", 10),
                      ("End", 99), ("ArrowRight", 99), ("Home", 0), ("ArrowLeft", 0), ("ArrowDown", 10)):  # fmt: skip
        page.keyboard.press(key)
        assert page.evaluate("() => document.activeElement.dataset.key") == f"s{seed}"
    page.keyboard.press("d")
    page.keyboard.press("d")
    assert cells_of(page) == cells, "the notebook's own keys do not reach a tile"
    page.keyboard.press("Enter")
    below.wait_said("from seed 10")
    assert stops.count() == 1
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.dataset.press ?? 'none'") == "none"


def run_cell(page, index):
    count = f"() => {PANEL}.content.model.cells.get({index}).executionCount"
    before = page.evaluate(count)
    page.evaluate(
        f"() => {{ {PANEL}.content.activeCellIndex = {index};"
        " window.jupyterapp.commands.execute('notebook:run-cell'); }"
    )
    page.wait_for_function(f"(before) => {{ const n = ({count})(); return n !== null && n !== before; }}", arg=before)


def test_rerunning_a_cell_cancels_the_old_run(page):
    lab(page, LARGE).press("Play")
    lab(page, LARGE).button("Pause").wait_for()
    lab(page, LARGE).part("curve.now").evaluate(FIVE)
    run_cell(page, 3)
    page.get_by_text("at work: [True]").wait_for()
    run_cell(page, 2)
    run_cell(page, 3)
    page.get_by_text("at work: [False, False]").wait_for()
    lab(page, LARGE).wait_at("epoch 0 of 20000 · step 0")


def test_run_can_be_paused_by_keyboard(page):
    xor = lab(page, XOR)
    begin(xor)
    xor.choice("epochs a run").select_option("20000")
    xor.button("Play").press("Space")
    xor.button("Pause").wait_for()
    xor.part("curve.now").evaluate(FIVE)
    page.keyboard.press("Space")  # the button still has the focus
    xor.wait_said("Paused.")
    assert xor.button("Play").is_visible()


@pytest.mark.parametrize("theme", THEMES)
def test_training_labs_pass_accessibility_rules(page, theme):
    wear(page, theme)
    assert_accessible(page)
