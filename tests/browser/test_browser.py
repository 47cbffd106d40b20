"""A real JupyterLab in a real Chromium: labs step, and the page's numbers are the engine's."""

import json

import pytest

import autograd
from autograd.inspect.steps import backward_steps
from figures.labs import step
from figures.page.style import number
from tests import lab_server
from tests.lab_pages import (
    THEMES,
    assert_accessible,
    assert_quiet,
    cells_of,
    lab,
    save_and_shut_down,
    watched,
    wear,
    write_notebook,
)
from tests.pictures import xyz

CELLS = (
    "import figures\nfrom tests.pictures import xyz\nf = xyz()",
    "figures.step_through(f)",
)
HOSTILE = ["<script>window.hacked = 1</script>", "<img src=x onerror='window.hacked = 1'>", '"quotes"', "|{}<>", "\\N"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Yield JupyterLab over a notebook with a lab, and one with hostile labels."""
    folder = tmp_path_factory.mktemp("notebooks")
    write_notebook(folder / "labs.ipynb", *CELLS)
    labels = json.dumps(HOSTILE[:3])
    write_notebook(
        folder / "hostile.ipynb",
        f"import autograd, figures\nx, y, z = (autograd.Value(n, label=l) for n, l in zip((-2, 5, -4), {labels}))\n"
        f"q = x + y\nq.label = {HOSTILE[3]!r}\nf = q * z\nf.label = {HOSTILE[4]!r}",
        "figures.draw_graph(f)",
        "figures.step_through(f)",
    )
    with lab_server.jupyter_lab(folder) as found:
        yield found


@pytest.fixture(scope="module")
def lesson(browser, folder):
    page = watched(browser.new_page(viewport={"width": 1400, "height": 1000}))
    lab_server.open_notebook(page, folder, "labs.ipynb")
    page.faults.clear()
    lab_server.run_all(page)
    lab(page).wait_for()
    yield page
    page.close()


def test_labs_load_without_errors_or_warnings(lesson):
    assert_quiet(lesson)
    assert len(lab_server.outputs(lesson)) == 1
    assert lesson.get_by_text("model not found").count() == 0


def test_step_buttons_show_engine_numbers_and_end_with_backward(lesson):
    recording, player, root = step.record(xyz()), lab(lesson), xyz()
    player.assert_walks(recording)
    for frame in recording.frames[1:]:
        player.press("Step forward")
        player.assert_shows(frame)
    root.backward()
    for i, node in enumerate(autograd.topological_order(root)):
        assert player.shown(f"n{i}.grad") == number(node.grad)
    assert len(list(backward_steps(root))) == 5


def test_slider_and_keys_step_without_reaching_the_notebook(lesson):
    frames, player = step.record(xyz()).frames, lab(lesson)
    before = cells_of(lesson)
    player.begin()
    for key, place in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowRight", 3), ("End", -1), ("Home", 0)):
        lesson.keyboard.press(key)
        player.assert_shows(frames[place])
    player.button("Text").focus()
    for key, place in (("ArrowRight", 1), ("End", -1)):
        lesson.keyboard.press(key)
        player.assert_shows(frames[place])
    for control in (player.button("Step back"), player.slider("Step")):
        control.focus()
        for key in "ddax":
            lesson.keyboard.press(key)
    assert cells_of(lesson) == before


def test_play_runs_and_pause_stops_it(lesson):
    player = lab(lesson)
    player.begin()
    player.press("Play")
    assert player.button("Pause").get_attribute("aria-pressed") == "true"
    player.wait_said("q = x + y")
    player.press("Pause")
    told = player.sentence_shown()
    lesson.wait_for_timeout(1500)
    assert player.sentence_shown() == told


def test_text_mode_lists_every_step(lesson):
    player = lab(lesson)
    player.begin()
    player.press("Text")
    items = player.locator("ol li")
    assert items.all_text_contents() == [frame.say for frame in step.record(xyz()).frames]
    assert items.first.get_attribute("aria-current") == "step"
    player.press("Text")


@pytest.mark.parametrize("theme", THEMES)
def test_lab_passes_accessibility_rules(lesson, theme):
    wear(lesson, theme)
    assert_accessible(lesson)


def test_stepping_works_without_a_kernel(lesson):
    lesson.evaluate("() => window.jupyterapp.shell.currentWidget.context.sessionContext.shutdown()")
    lab(lesson).assert_walks(step.record(xyz()))


@pytest.mark.long
def test_hostile_labels_are_text_and_reopened_lab_steps(browser, folder):
    """In a fresh kernel that has run nothing: the recorded lab is in the notebook itself."""
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    lab_server.open_notebook(page, folder, "hostile.ipynb")
    lab_server.run_all(page)
    player = lab(page)
    for reopened in (False, True):
        player.press("Last step")
        assert sorted(player.locator("svg .node title").all_text_contents()) == sorted(HOSTILE)
        assert player.sentence_shown().endswith("goes from 0.0000 to -4.0000.")
        assert page.locator(".bp-picture > svg[role=img]").count() == 1
        assert page.evaluate("() => window.hacked") is None and lab_server.errors(page) == []
        if not reopened:
            save_and_shut_down(page)
            lab_server.open_notebook(page, folder, "hostile.ipynb")
    page.close()
