"""Labs in hosts that keep widgets apart, as far as JupyterLab and a plain page can stand for VS Code and Colab."""

import json

import nbformat
import pytest

import figures
from tests import lab_server

playwright = pytest.importorskip("playwright.sync_api", reason='a browser test needs: pip install -e ".[test]"')

pytestmark = [
    pytest.mark.skipif(lab_server.CHROMIUM is None, reason="no Chromium here; to add one: apt install chromium"),
]

CELLS = [  # with the name that VS Code puts into a notebook: JupyterLab then shows the view, as VS Code does
    "import exercises, figures\n__vsc_ipynb_file__ = 'lesson.ipynb'",
    "neuron = figures.neuron()\nneuron",
    "figures.xor(speed='10 a second')",
    "figures.lottery(epochs=100)",
    "exercises.quiz('03')",
    "exercises.self_test()",
]


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):
    """The notebook, run in JupyterLab."""
    folder = tmp_path_factory.mktemp("notebooks")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, folder / "hosts.ipynb")
    with lab_server.jupyter_lab(folder) as lab:
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        page.faults = []
        page.on("pageerror", lambda fault: page.faults.append(str(fault)))
        lab_server.open_notebook(page, lab, "hosts.ipynb")
        lab_server.run_all(page)
        page.locator(".bp-player").nth(3).wait_for()
        yield page
        page.close()


def test_each_output_is_shown_as_a_view_whose_inputs_work(page):
    assert lab_server.errors(page) == []
    assert page.locator(".jp-OutputArea-output .lm-Widget .bp-embed").count() == 4
    page.wait_for_function(
        "() => { const all = [...document.querySelectorAll('.bp-controls')];"
        " return all.length === 4 && all.every((controls) => !controls.disabled); }",
        timeout=20_000,
    )
    assert page.faults == []


def test_an_input_reaches_the_kernel_and_the_picture_comes_back(page):
    lab = page.locator(".bp-player").first
    before = lab.locator(".bp-stage").text_content()
    lab.get_by_role("slider", name="b", exact=True).press("End")
    page.wait_for_function(
        "(before) => document.querySelector('.bp-player .bp-stage').textContent !== before", arg=before, timeout=20_000
    )
    assert "10.0000" in lab.locator(".bp-stage").text_content()


def test_the_self_test_finds_its_way_to_the_kernel_and_the_quiz_stands(page):
    page.locator("[data-row='widgets'][data-state='works']").wait_for(timeout=20_000)
    assert page.locator(".bp-linked[data-mounted]").count() == 2
    assert page.faults == []


def test_a_page_whose_scripts_are_taken_out_and_run_later_still_steps(browser):
    """As Colab is reported to do: each script is cut out of the output and run by itself, data not at all."""
    x = figures.neuron(steps=True)
    page = browser.new_page()
    faults = []
    page.on("pageerror", lambda fault: faults.append(str(fault)))
    page.set_content("<!doctype html><title>An output</title><div id=output></div>")
    page.evaluate(
        """(html) => {
          const output = document.querySelector('#output');
          output.innerHTML = html;
          const scripts = [...output.querySelectorAll('script')];
          scripts.forEach((script) => script.remove());
          for (const script of scripts.filter((each) => each.type !== 'application/json')) {
            const alive = document.createElement('script');
            alive.type = script.type;
            alive.textContent = script.textContent;
            document.head.append(alive);
          }
        }""",
        json.loads(json.dumps(x.html())),
    )
    page.locator(".bp-player").wait_for()
    page.get_by_role("button", name="Step forward").click()
    assert page.locator("output[aria-live]").text_content() == x.recording.frames[1].say
    assert faults == []
    page.close()
