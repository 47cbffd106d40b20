"""How fast labs are in a real JupyterLab: `python -m benchmarks.lab`. Needs a Chromium.

Prints, for a graph of 25 nodes in the step lab: the time from running the cell to the picture, and from a click to the
next picture. For the trainer: how many pictures per second it draws, and how soon a pause takes effect.
"""

import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests import lab_server
from tests.browser.test_browser import write_notebook

# A neuron with 4 inputs, sigmoid, and a squared error, every op a node.
GRAPH = """\
import autograd, figures
w, x = [[autograd.Value(i / 7 - 0.3, label=f"{name}{i}") for i in range(4)] for name in "wx"]
z = sum((a * b for a, b in zip(w, x)), autograd.Value(0.1, label="b"))
root = -(0.5 * (z.sigmoid() - autograd.Value(1.0, label="y")).tanh() ** 2)
len(autograd.topological_order(root))"""

# The milliseconds of each of 24 steps from the first: until it is painted, or only of our work and the layout.
STEPS = """
async (painted) => {
  const lab = document.querySelector('.bp-player');
  const forward = lab.querySelector('[aria-label="Step forward"]');
  lab.querySelector('[aria-label="First step"]').click();
  const times = [];
  for (let i = 0; i < 24; i++) {
    const start = performance.now();
    forward.click();
    if (!painted) lab.getBoundingClientRect();
    else await new Promise((done) => requestAnimationFrame(() => { const c = new MessageChannel();
      c.port1.onmessage = done; c.port2.postMessage(0); }));
    times.push(performance.now() - start);
  }
  return times;
}"""

# The milliseconds from a click on a button until its label is another.
CLICK = """(node) => new Promise((done) => {
  const before = node.textContent;
  const start = performance.now();
  new MutationObserver((_, observer) => {
    if (node.textContent === before) return;
    observer.disconnect();
    done(performance.now() - start);
  }).observe(node, { childList: true, characterData: true, subtree: true });
  node.click();
})"""

# How many pictures of a part are drawn per second, counted over twelve of them.
RATE = """(node) => new Promise((done) => {
  const times = [];
  new MutationObserver((_, observer) => {
    times.push(performance.now());
    if (times.length < 13) return;
    observer.disconnect();
    done(12000 / (times[12] - times[0]));
  }).observe(node, { attributes: true });
})"""

SHOWN = """
async () => {
  const panel = window.jupyterapp.shell.currentWidget;
  panel.content.activeCellIndex = 1;
  const start = performance.now();
  window.jupyterapp.commands.execute('notebook:run-cell');
  while (!document.querySelector('.bp-player svg .node')) await new Promise((done) => setTimeout(done, 2));
  return performance.now() - start;
}"""


def main():
    """Measure once in a fresh JupyterLab and print."""
    with tempfile.TemporaryDirectory() as work, sync_playwright() as running:
        folder = Path(work) / "notebooks"
        folder.mkdir()
        write_notebook(folder / "step.ipynb", GRAPH, "figures.step_through(root)", "figures.xor()")
        with lab_server.jupyter_lab(folder) as address:
            browser = running.chromium.launch(executable_path=lab_server.CHROMIUM, args=lab_server.CHROMIUM_FLAGS)
            page = browser.new_page(viewport={"width": 1400, "height": 1000})
            lab_server.open_notebook(page, address, "step.ipynb")
            page.evaluate("() => { window.jupyterapp.shell.currentWidget.content.activeCellIndex = 0; }")
            page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-cell')")
            nodes = lab_server.outputs(page)[0]["data"]["text/plain"]
            shown = page.evaluate(SHOWN)
            page.wait_for_timeout(500)
            painted, work_done = (page.evaluate(STEPS, waits) for waits in (True, False))
            rates, pauses = zip(*trained(page))
            browser.close()
    print(f"graph of {nodes} nodes")
    print(f"cell run to picture:              {shown:6.0f} ms")
    print(f"click to next frame, median:      {statistics.median(painted):6.1f} ms, worst {max(painted):.1f} ms")
    print(f"of that, our work and the layout: {statistics.median(work_done):6.1f} ms, worst {max(work_done):.1f} ms")
    print(f"trainer, pictures a second:       {statistics.median(rates):6.1f}, worst {min(rates):.1f}")
    print(f"pause lands, median:              {statistics.median(pauses):6.1f} ms, worst {max(pauses):.1f} ms")


def trained(page, times=7):
    """Yield the trainer's (pictures per second, milliseconds until a pause takes effect), so many times."""
    page.evaluate("() => { window.jupyterapp.shell.currentWidget.content.activeCellIndex = 2; }")
    page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-cell')")
    trainer = page.locator(".bp-player").nth(1)
    trainer.get_by_label("epochs a run").select_option("20000")
    for _ in range(times):
        trainer.get_by_role("button", name="Play", exact=True).click()
        pause = trainer.get_by_role("button", name="Pause", exact=True)
        pause.wait_for()
        yield trainer.locator("[data-key='curve.now']").evaluate(RATE), pause.evaluate(CLICK)


if __name__ == "__main__":
    try:
        main()
    finally:
        lab_server.close()
