"""A real JupyterLab in a real Chromium: the lesson runs, its labs step, and the page's numbers are the engine's."""

import json
import shutil
from pathlib import Path

import nbformat
import pytest

import autograd
import figures
from autograd.steps import backward_steps
from figures.labs import neuron, step
from tests import lab_server

playwright = pytest.importorskip("playwright.sync_api", reason='a browser test needs: pip install -e ".[test]"')
axe = pytest.importorskip("axe_core_python.sync_playwright", reason='accessibility needs: pip install -e ".[test]"')

pytestmark = [
    pytest.mark.skipif(lab_server.CHROMIUM is None, reason="no Chromium here; to add one: apt install chromium"),
]

LESSON = "03_local_rules_one_step_at_a_time.ipynb"
HOSTILE = ["<script>window.hacked = 1</script>", "<img src=x onerror='window.hacked = 1'>", '"quotes"', "|{}<>", "\\N"]


def xyz(labels=("x", "y", "z")):
    """(x + y) · z at (-2, 5, -4), as in the lesson."""
    x, y, z = (autograd.Value(n, label=label) for n, label in zip((-2.0, 5.0, -4.0), labels))
    q = x + y
    q.label = "q"
    f = q * z
    f.label = "f"
    return f


def write_notebook(path, *cells):
    """A notebook with these code cells."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, path)


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """JupyterLab over a copy of the lessons, and of a notebook with hostile labels."""
    folder = tmp_path_factory.mktemp("notebooks")
    for lesson in (Path(__file__).parent.parent / "notebooks").glob("*.ipynb"):
        shutil.copy(lesson, folder)
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
def lesson(browser, lab):
    """The lesson's page, run from top to bottom."""
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.faults = []
    page.on("pageerror", lambda fault: page.faults.append(str(fault)))
    lab_server.open_notebook(page, lab, LESSON)
    lab_server.run_all(page)
    page.locator(".bp-player").nth(3).wait_for()
    yield page
    page.close()


def shown(player, key):
    """The text of a part of a lab's stage."""
    return player.locator(f"[data-key='{key}']").text_content()


def assert_shows(player, frame):
    """Every text and state of a frame stands in the page, and so does its sentence."""
    marks = player.evaluate(
        "(node) => Object.fromEntries([...node.querySelectorAll('[data-key]')].map((part) => [part.dataset.key, "
        "{ text: part.childElementCount ? null : part.textContent, state: part.dataset.state ?? null }]))"
    )
    for key, mark in frame.marks.items():
        for what, expected in mark.items():
            assert marks[key][what] == expected, (frame.say, key)
    assert player.locator("output[aria-live]").text_content() == frame.say


def first(player):
    """Put a lab at its first frame."""
    slider = player.get_by_role("slider", name="Step")
    slider.focus()
    slider.press("Home")


def test_the_lesson_runs_without_an_error_or_a_warning(lesson):
    assert lab_server.errors(lesson) == []
    outputs = lab_server.outputs(lesson)
    assert len(outputs) >= 18
    assert [output for output in outputs if output.get("name") == "stderr"] == []
    assert lesson.get_by_text("model not found").count() == 0
    assert lesson.faults == []


def test_every_step_by_button_shows_the_engines_numbers(lesson):
    recording = step.record(xyz())
    player = lesson.locator(".bp-player").first
    first(player)
    for i, frame in enumerate(recording.frames):
        if i:
            player.get_by_role("button", name="Step forward").click()
        assert_shows(player, frame)
    for frame in recording.frames[-2::-1]:
        player.get_by_role("button", name="Step back").click()
        assert_shows(player, frame)


def test_the_last_frame_has_the_gradients_of_backward(lesson):
    player, root = lesson.locator(".bp-player").first, xyz()
    player.get_by_role("button", name="Last step").click()
    root.backward()
    for i, node in enumerate(autograd.topological_order(root)):
        assert shown(player, f"n{i}.grad") == f"{node.grad:.4f}"
    assert len(list(backward_steps(root))) == 5


def test_the_slider_and_the_keys_step(lesson):
    recording = step.record(xyz())
    player = lesson.locator(".bp-player").first
    first(player)
    slider = player.get_by_role("slider", name="Step")
    slider.focus()
    for i in (1, 2, 3):
        lesson.keyboard.press("ArrowRight")
        assert_shows(player, recording.frames[i])
    lesson.keyboard.press("End")
    assert_shows(player, recording.frames[-1])
    lesson.keyboard.press("Home")
    assert_shows(player, recording.frames[0])
    player.get_by_role("button", name="Text").focus()
    lesson.keyboard.press("ArrowRight")
    assert_shows(player, recording.frames[1])
    lesson.keyboard.press("End")
    assert_shows(player, recording.frames[-1])


def test_keys_in_a_lab_do_not_reach_the_notebook(lesson):
    count = "() => window.jupyterapp.shell.currentWidget.content.model.cells.length"
    before = lesson.evaluate(count)
    player = lesson.locator(".bp-player").first
    for control in (player.get_by_role("button", name="Step back"), player.get_by_role("slider", name="Step")):
        control.focus()
        for key in "ddax":
            lesson.keyboard.press(key)
    assert lesson.evaluate(count) == before


def test_play_goes_to_the_end_and_pause_stops_it(lesson):
    player = lesson.locator(".bp-player").first
    first(player)
    player.get_by_role("button", name="Play").click()
    pause = player.get_by_role("button", name="Pause")
    assert pause.get_attribute("aria-pressed") == "true"
    player.locator("output[aria-live]", has_text="q = x + y").wait_for(timeout=20_000)
    pause.click()
    said = player.locator("output[aria-live]").text_content()
    lesson.wait_for_timeout(1500)
    assert player.locator("output[aria-live]").text_content() == said


def test_text_mode_lists_every_step(lesson):
    player = lesson.locator(".bp-player").first
    first(player)
    player.get_by_role("button", name="Text").click()
    items = player.locator("ol li")
    assert items.all_text_contents() == [frame.say for frame in step.record(xyz()).frames]
    assert items.first.get_attribute("aria-current") == "step"
    player.get_by_role("button", name="Text").click()


def test_a_slider_of_the_neuron_moves_the_numbers(lesson):
    player = lesson.locator(".bp-player", has_text="A tanh neuron").first
    bias = player.get_by_role("slider", name="b", exact=True)
    bias.focus()
    lesson.keyboard.press("End")
    numbers = {"x1": 2.0, "x2": 0.0, "w1": -3.0, "w2": 1.0, "b": 10.0}
    root = neuron.build(numbers, "tanh", "half_squares")
    root.backward()
    order = autograd.topological_order(root)
    z = next(i for i, node in enumerate(order) if node.label == "z")
    player.locator(f"[data-key='n{z}.data']", has_text="4.0000").wait_for(timeout=20_000)
    for i, node in enumerate(order):
        assert shown(player, f"n{i}.data") == f"{node.data:.4f}"
        assert shown(player, f"n{i}.grad") == autograd.messages.show(node.grad)
    player.get_by_role("checkbox", name="gradients").press("Space")
    player.locator(f"[data-key='n{z}.grad']", has_text="–").wait_for(timeout=20_000)


def test_the_neuron_in_eight_steps_keeps_its_step_while_a_slider_moves(lesson):
    player = lesson.locator(".bp-player", has_text="A sigmoid neuron and its loss, step by step").first
    player.get_by_role("button", name="Last step").click()
    target = player.get_by_role("slider", name="y", exact=True)
    target.focus()
    for _ in range(6):
        lesson.keyboard.press("ArrowLeft")
    root = neuron.build({"x1": 2, "x2": 3, "w1": 0.5, "w2": -0.5, "b": 0.1, "y": 0.4}, "sigmoid", "half_squares")
    root.backward()
    order = autograd.topological_order(root)
    y = next(i for i, node in enumerate(order) if node.label == "y")
    player.locator(f"[data-key='n{y}.data']", has_text="0.4000").wait_for(timeout=20_000)
    for i, node in enumerate(order):
        assert shown(player, f"n{i}.grad") == autograd.messages.show(node.grad)


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_no_accessibility_rule_is_broken_in_a_lab(lesson, theme):
    lesson.evaluate(f"() => {{ window.jupyterapp.commands.execute('apputils:change-theme', {{theme: '{theme}'}}); }}")
    lesson.wait_for_function(f"() => document.body.dataset.jpThemeName === '{theme}'")
    lesson.wait_for_timeout(500)
    found = axe.Axe().run(lesson, context=".bp-player")
    broken = [(rule["id"], rule["nodes"][0]["html"][:200]) for rule in found["violations"]]
    assert broken == []
    assert len(found["passes"]) > 5


def test_hostile_labels_are_shown_as_text_and_run_nothing(browser, lab):
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    lab_server.open_notebook(page, lab, "hostile.ipynb")
    lab_server.run_all(page)
    player = page.locator(".bp-player")
    player.wait_for()
    player.get_by_role("button", name="Last step").click()
    titles = player.locator("svg .node title").all_text_contents()
    assert sorted(titles) == sorted(HOSTILE)
    assert page.evaluate("() => window.hacked") is None
    assert lab_server.errors(page) == []
    page.close()


def test_steps_go_on_when_the_kernel_is_gone(browser, lab):
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    lab_server.open_notebook(page, lab, LESSON)
    lab_server.run_all(page)
    player = page.locator(".bp-player").first
    player.wait_for()
    page.evaluate("() => window.jupyterapp.shell.currentWidget.context.sessionContext.shutdown()")
    recording = step.record(xyz())
    first(player)
    for frame in recording.frames[1:]:
        player.get_by_role("button", name="Step forward").click()
        assert_shows(player, frame)
    page.close()


def test_a_plain_page_steps_without_a_kernel_or_a_network(browser, tmp_path):
    root = xyz()
    page_file = tmp_path / "page.html"
    players = figures.step_through(root).html() + figures.step_backward(root).html()
    page_file.write_text(f"<!doctype html><meta charset=utf-8><title>two labs</title>{players}", encoding="utf-8")
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.goto(page_file.as_uri())
    for i, recording in enumerate((step.record(root), step.record(root, forward=False))):
        player = page.locator(".bp-player").nth(i)
        for frame in recording.frames[1:]:
            player.get_by_role("button", name="Step forward").click()
            assert_shows(player, frame)
    context.close()


def test_predictions_are_judged_explained_and_scored(browser, tmp_path):
    def explain(root, one):
        yield one.local, "That is the local derivative alone."

    root = xyz()
    page_file = tmp_path / "predict.html"
    lab_html = figures.step_through(root, predict=True, explain=explain).html()
    page_file.write_text(f"<!doctype html><meta charset=utf-8><title>predict</title>{lab_html}", encoding="utf-8")
    page = browser.new_page()
    page.goto(page_file.as_uri())
    player, entry, verdict = page.locator(".bp-player"), page.locator(".bp-ask input"), page.locator(".bp-verdict")
    forward = player.get_by_role("button", name="Step forward")
    for _ in range(3):
        forward.click()
    chain = [one for one in backward_steps(root) if one.kind == "chain"]
    entry.fill("-4.00")  # q.grad, right, with two decimals
    player.get_by_role("button", name="Check").click()
    assert verdict.text_content() == "✓ Right: q.grad is -4.0000."
    entry.fill("2")  # z.grad is 3
    entry.press("Enter")
    assert verdict.text_content() == (
        "✗ Not 2. f is a product. Which number stands in its other factor, q? And which number stands in f.grad, to "
        "multiply it by? Try again, or step on."
    )
    player.get_by_role("button", name="Text").click()
    lines = player.locator("ol li")
    assert [line.is_visible() for line in lines.all()] == [True] * 5 + [False] * 3, "what comes are answers"
    assert player.locator("[data-key='e4.0.local']").text_content() == "-4.0000", "used already"
    assert player.locator("[data-key='e4.1.local']").text_content() == "", "not yet"
    entry.fill("three")
    entry.press("Enter")
    assert "is not a number" in verdict.text_content()
    entry.fill(str(chain[1].after))
    entry.press("Enter")
    assert verdict.text_content() == "✓ Right: z.grad is 3.0000."
    entry.fill(str(chain[2].local))
    entry.press("Enter")
    assert "That is the local derivative alone." in verdict.text_content()
    forward.click()
    forward.click()
    assert "Predicted at the first try: 1 of 4. Skipped: 1." in page.locator(".bp-ask").text_content()
    page.close()


def test_a_saved_notebook_that_is_reopened_still_steps(browser, lab):
    """In a fresh kernel that has run nothing: the recorded lab is in the notebook itself."""
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    lab_server.open_notebook(page, lab, "hostile.ipynb")
    lab_server.run_all(page)
    page.locator(".bp-player").wait_for()
    page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
    page.wait_for_function("() => !window.jupyterapp.shell.currentWidget.context.model.dirty")
    page.evaluate("() => window.jupyterapp.shell.currentWidget.context.sessionContext.shutdown()")
    lab_server.open_notebook(page, lab, "hostile.ipynb")
    player = page.locator(".bp-player")
    player.wait_for()
    assert page.locator(".bp-picture > svg[role=img]").count() == 1
    player.get_by_role("button", name="Last step").click()
    assert player.locator("output[aria-live]").text_content().endswith("goes from 0.0000 to -4.0000.")
    assert page.evaluate("() => window.hacked") is None
    page.close()
