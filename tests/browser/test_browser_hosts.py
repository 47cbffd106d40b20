"""Labs in hosts that keep widgets apart, as far as JupyterLab and a plain page can imitate VS Code and Colab."""

import figures
from tests.lab_pages import lab, notebook_page, plain_page

page = (
    notebook_page(  # with the name that VS Code puts into a notebook: JupyterLab then shows the view, as VS Code does
        "import exercises, figures\n__vsc_ipynb_file__ = 'lesson.ipynb'",
        "neuron = figures.neuron()\nneuron",
        "figures.xor(speed='10 a second')",
        "figures.lottery(epochs=100)",
        "exercises.quiz('03')",
        "exercises.self_test()",
        labs=4,
    )
)
alone = plain_page()


def test_each_output_is_a_view_whose_inputs_reach_the_kernel(page):
    assert page.locator(".jp-OutputArea-output .lm-Widget .bp-embed").count() == 4
    page.wait_for_function(
        "() => { const all = [...document.querySelectorAll('.bp-controls')];"
        " return all.length === 4 && all.every((controls) => !controls.disabled); }",
        timeout=20_000,
    )
    stage = lab(page).locator(".bp-stage")
    assert "data10grad" not in stage.text_content()
    lab(page).slider("b").press("End")
    stage.filter(has_text="data10grad").wait_for(timeout=20_000)


def test_self_test_reaches_the_kernel_and_quizzes_mount(page):
    page.locator("[data-row='widgets'][data-state='works']").wait_for(timeout=20_000)
    assert page.locator(".bp-linked[data-mounted]").count() == 2


def test_lab_steps_when_scripts_are_run_separately(alone):
    """Colab is reported to do that: it cuts each script out of the output and runs it by itself, data not at all."""
    player = figures.neuron(steps=True)
    alone.set_content("<!doctype html><title>An output</title><div id=output></div>")
    alone.evaluate(
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
        player.html(),
    )
    lab(alone).press("Step forward")
    assert lab(alone).sentence_shown() == player.recording.frames[1].say
