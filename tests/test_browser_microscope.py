"""The gradient microscope and the shape lab in a real JupyterLab, by mouse and by keyboard."""

import json

import pytest

from autograd.lessons.depth import deep_pass
from autograd.messages import show
from figures.labs import microscope_slides, shape, shape_picture
from tests import lab_server
from tests.test_browser import write_notebook

playwright = pytest.importorskip("playwright.sync_api", reason='a browser test needs: pip install -e ".[test]"')
axe = pytest.importorskip("axe_core_python.sync_playwright", reason='accessibility needs: pip install -e ".[test]"')

pytestmark = [
    pytest.mark.skipif(lab_server.CHROMIUM is None, reason="no Chromium here; to add one: apt install chromium"),
]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A notebook with both labs, each twice, run from top to bottom; and no fault in the page or the server's log."""
    folder = tmp_path_factory.mktemp("notebooks")
    write_notebook(
        folder / "labs.ipynb",
        "import figures",
        "figures.microscope()",
        "figures.shape()",
        "figures.microscope('relu', 'he', depth=4)",
        "figures.shape(3, [2, 1])",
    )
    faults = []
    with lab_server.jupyter_lab(folder) as place, playwright.sync_playwright() as running:
        chromium = running.chromium.launch(executable_path=lab_server.CHROMIUM, args=lab_server.CHROMIUM_FLAGS)
        page = chromium.new_page(viewport={"width": 1400, "height": 1100})
        page.on("pageerror", lambda fault: faults.append(str(fault)))
        lab_server.open_notebook(page, place, "labs.ipynb")
        lab_server.run_all(page)
        page.locator(".bp-player").nth(3).wait_for()
        yield page
        assert lab_server.errors(page) == [] and faults == []
        chromium.close()
        assert "Traceback" not in place.log()


def rows(lab, key):
    """The texts of a column, without those of rows that are not there."""
    texts = lab.locator(f"[data-key^='row'][data-key$='{key}']").all_text_contents()
    return [text for text in texts if text]


def text(lab, key):
    """The text of a part of a lab's stage."""
    return lab.locator(f"[data-key='{key}']").text_content()


def wait_for_text(lab, key, expected):
    """Wait until a part of the stage shows this text."""
    lab.locator(f"[data-key='{key}']").filter(has_text=expected).wait_for(timeout=20_000, state="attached")
    assert text(lab, key) == expected


def boxes(lab):
    """Where the pictures and the caption of a lab stand."""
    return lab.evaluate(
        "(node) => [...node.querySelectorAll('.bp-stage > *, .bp-controls, .bp-say')].map((part) => {"
        " const box = part.getBoundingClientRect(), top = node.getBoundingClientRect().top;"
        " return [box.left, box.top - top, box.width, box.height]; })"
    )


# The microscope


def test_the_microscope_shows_the_engines_numbers(page):
    lab = page.locator(".bp-player").first
    found = deep_pass()
    assert rows(lab, ".size") == [show(norm) for norm in found.gradient_norms]
    assert text(lab, "sum.ratio") == show(found.ratio) and text(lab, "sum.ratio.note") == "5 seeds: arrives"


def test_a_slider_and_a_choice_by_keyboard(page):
    lab = page.locator(".bp-player").first
    where = boxes(lab)
    depth = lab.get_by_role("slider", name="depth", exact=True)
    depth.focus()
    page.keyboard.press("End")
    found = deep_pass(depth=30)
    wait_for_text(lab, "sum.ratio", show(found.ratio))
    assert rows(lab, ".size") == [show(norm) for norm in found.gradient_norms]
    gain = lab.get_by_role("slider", name="gain", exact=True)
    gain.focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    found = deep_pass(depth=30, gain=10**0.1)
    wait_for_text(lab, "sum.ratio", show(found.ratio))
    residual = lab.get_by_role("checkbox", name="residual", exact=True)
    residual.focus()
    page.keyboard.press("Space")
    lab.get_by_role("combobox", name="residual scale").select_option("1/√(2L)")
    found = deep_pass(depth=30, gain=10**0.1, residual=True, residual_scale=60**-0.5)
    wait_for_text(lab, "sum.ratio", show(found.ratio))
    assert boxes(lab) == where, "nothing in the layout moves"
    page.keyboard.press("d")
    page.keyboard.press("d")
    assert page.locator(".bp-player").count() == 4


def test_the_presets_by_mouse(page):
    lab = page.locator(".bp-player").first
    network = lab.get_by_role("combobox", name="network", exact=True)
    network.select_option("twelve sigmoids")
    wait_for_text(lab, "sum.ratio", "3.534e-08")
    assert rows(lab, ".size")[-2:] == ["0.2342", "1.0000"]
    network.select_option("100 two-layer nets")
    wait_for_text(lab, "row0.size", "0.5963")
    assert rows(lab, ".size") == ["0.5963", "0.6291"]
    assert "53 of 100" in lab.locator("output[aria-live]").text_content()
    network.select_option("relu, he, residual")
    wait_for_text(lab, "sum.ratio", show(deep_pass("relu", "he", residual=True).ratio))
    assert lab.get_by_role("checkbox", name="residual", exact=True).is_checked()
    assert lab.get_by_role("slider", name="depth", exact=True).input_value() == "12"
    lab.get_by_role("combobox", name="activation", exact=True).select_option("tanh")
    wait_for_text(lab, "sum.ratio", show(deep_pass("tanh", "he", residual=True).ratio))
    assert network.input_value() == microscope_slides.OWN


@pytest.mark.parametrize(("width", "side"), [(1400, "expandLeft"), (1000, "expandLeft"), (1000, "collapseLeft")])
def test_the_microscope_fits_one_view_with_its_controls(page, width, side):
    """A slider and what it changes are seen together, with the file browser open and closed."""
    size = page.viewport_size
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate(f"() => window.jupyterapp.shell.{side}()")
    lab = page.locator(".bp-player").first
    fits = "(node) => node.offsetHeight <= node.closest('.jp-WindowedPanel-outer').clientHeight"
    page.wait_for_function(f"() => ({fits})(document.querySelector('.bp-player'))")
    assert lab.locator(".bp-stage > svg").count() == 1
    page.evaluate("() => window.jupyterapp.shell.expandLeft()")
    page.set_viewport_size(size)


def test_what_a_preset_ignores_cannot_be_changed(page):
    lab = page.locator(".bp-player").first
    network = lab.get_by_role("combobox", name="network", exact=True)
    network.select_option("twelve sigmoids")
    wait_for_text(lab, "sum.ratio", "3.534e-08")
    activation = lab.get_by_role("combobox", name="activation", exact=True)
    assert activation.is_disabled() and activation.input_value() == "sigmoid"
    assert lab.get_by_role("slider", name="gain", exact=True).is_disabled() and network.is_enabled()
    network.select_option(microscope_slides.OWN)
    lab.locator("select[aria-label='activation']:enabled").wait_for()
    assert lab.get_by_role("checkbox", name="residual", exact=True).is_enabled()


def test_the_second_microscope_is_its_own(page):
    lab = page.locator(".bp-player").nth(2)
    assert rows(lab, ".size") == [show(norm) for norm in deep_pass("relu", "he", depth=4).gradient_norms]


# The shape lab


def network(**changed):
    """The lab's network at the start, with changes."""
    start = {"inputs": 2, "hidden1": 4, "hidden2": 4, "hidden3": 0, "outputs": 1}
    return shape.Network({**start, "activation": "tanh", "output": "linear", **changed})


def test_a_neuron_opens_and_closes_by_mouse(page):
    lab = page.locator(".bp-player").nth(1)
    where = boxes(lab)
    assert lab.locator(".bp-shape b").all_text_contents() == ["?"] * 3
    lab.get_by_role("checkbox", name="show the counts").click()
    lab.locator(".bp-shape b").filter(has_text="103").wait_for(timeout=20_000)
    assert boxes(lab) == where, "there was room for the counts"
    assert lab.locator(".bp-shape b").all_text_contents() == ["37", "56", "103"]
    lab.locator("[data-press='neuron 1.2']").click()
    wait_for_text(lab, "fact0", "Neuron 1.2, open")
    bias, terms = shape_picture.opened_sum(network(), 1, 2)
    assert text(lab, "c.b") == show(bias)
    for i, numbers in enumerate(terms):
        assert [text(lab, f"c{i}.{what}") for what in "wxps"] == [show(number) for number in numbers]
    assert lab.locator("[data-key='c1']").is_visible() and not lab.locator("[data-key='c2']").is_visible()
    assert boxes(lab) == where, "nothing in the layout moves"
    lab.locator("[data-press='neuron 1.2']").click()
    wait_for_text(lab, "fact0", "No neuron is open")
    assert not lab.locator("[data-key='c0']").is_visible()


def test_a_neuron_opens_and_closes_by_keyboard(page):
    lab = page.locator(".bp-player").nth(1)
    neuron = lab.get_by_role("button", name="neuron 2.3", exact=False)
    neuron.focus()
    page.keyboard.press("Enter")
    wait_for_text(lab, "fact0", "Neuron 2.3, open")
    assert neuron.get_attribute("aria-expanded") == "true"
    assert neuron.evaluate("(node) => node === document.activeElement"), "the focus stays"
    page.keyboard.press("Tab")
    page.keyboard.press(" ")
    wait_for_text(lab, "fact0", "Neuron 2.4, open")
    page.keyboard.press(" ")
    wait_for_text(lab, "fact0", "No neuron is open")


def test_sliders_change_the_shape(page):
    lab = page.locator(".bp-player").nth(1)
    where = boxes(lab)
    lab.locator("[data-press='neuron 1.2']").click()
    wait_for_text(lab, "fact0", "Neuron 1.2, open")
    for name, key in (("hidden 1", "End"), ("hidden 2", "End"), ("hidden 3", "ArrowRight")):
        lab.get_by_role("slider", name=name, exact=True).focus()
        page.keyboard.press(key)
    made = network(hidden1=16, hidden2=16, hidden3=1)
    lab.locator(".bp-shape b").filter(has_text=f"{made.ops:,}").wait_for(timeout=20_000)
    assert lab.locator(".bp-shape b").all_text_contents() == [f"{n:,}" for n in (made.parameters, made.nodes, made.ops)]
    assert lab.get_by_role("button", name="neuron").count() == 34
    assert text(lab, "fact0") == "Neuron 1.2, open"
    lab.locator("[data-press='neuron 2.16']").click()
    wait_for_text(lab, "fact0", "Neuron 2.16, open")
    assert text(lab, "c15.s") == show(shape_picture.opened_sum(made, 2, 16)[1][15][3])
    assert boxes(lab) == where, "nothing in the layout moves"


# Both


@pytest.mark.parametrize("theme", ["JupyterLab Dark", "JupyterLab Light"])
def test_no_accessibility_rule_is_broken(page, theme):
    page.evaluate(f"() => {{ window.jupyterapp.commands.execute('apputils:change-theme', {{theme: '{theme}'}}); }}")
    page.wait_for_function(f"() => document.body.dataset.jpThemeName === '{theme}'")
    page.wait_for_timeout(500)
    found = axe.Axe().run(page, context=".bp-player")
    assert [(rule["id"], rule["nodes"][0]["html"][:200]) for rule in found["violations"]] == []
    assert len(found["passes"]) > 5


def test_a_cell_that_runs_again_makes_a_new_lab(page):
    page.evaluate("() => { window.jupyterapp.shell.currentWidget.content.activeCellIndex = 4; }")
    page.evaluate("() => { window.jupyterapp.commands.execute('notebook:run-cell'); }")
    lab = page.locator(".bp-player").nth(3)
    page.wait_for_function(
        "() => window.jupyterapp.shell.currentWidget.content.model.toJSON().cells[4].execution_count > 5"
    )
    lab.get_by_role("button", name="neuron 1.1").click()
    wait_for_text(lab, "fact0", "Neuron 1.1, open")
    assert page.locator(".bp-player").count() == 4
    assert json.dumps(lab_server.errors(page)) == "[]"
