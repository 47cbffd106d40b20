"""The ward and the clinic's pictures in a real JupyterLab: by mouse, by keyboard, as high throughout, no text cut."""

import pytest

from exercises.clinic.patients import patient
from tests import lab_server
from tests.test_browser import write_notebook

playwright = pytest.importorskip("playwright.sync_api", reason='a browser test needs: pip install -e ".[test]"')
axe = pytest.importorskip("axe_core_python.sync_playwright", reason='accessibility needs: pip install -e ".[test]"')

pytestmark = [
    pytest.mark.skipif(lab_server.CHROMIUM is None, reason="no Chromium here; to add one: apt install chromium"),
]

CELLS = ["import exercises\nexercises.ward(3)", "exercises.patient(4).read('rows')"]
WRONG, RIGHT = "the weights begin far too large", "one row of the data is nonsense"
LEAST = 8.5  # pixels of the smallest letters


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The notebook's page, run from top to bottom."""
    folder = tmp_path_factory.mktemp("notebooks")
    write_notebook(folder / "ward.ipynb", *CELLS)
    with lab_server.jupyter_lab(folder) as place, playwright.sync_playwright() as running:
        chromium = running.chromium.launch(executable_path=lab_server.CHROMIUM, args=lab_server.CHROMIUM_FLAGS)
        page = chromium.new_page(viewport={"width": 1400, "height": 1200})
        lab_server.open_notebook(page, place, "ward.ipynb")
        lab_server.run_all(page)
        page.locator(".bp-player").first.wait_for()
        assert lab_server.errors(page) == []
        yield page
        chromium.close()


@pytest.fixture
def lab(page):
    """The lab, begun anew."""
    lab = page.locator(".bp-player").first
    button(lab, "Start over").click()
    lab.locator("output[aria-live]", has_text="Look at the curve").wait_for()
    return lab


def button(lab, name):
    return lab.get_by_role("button", name=name, exact=True)


def says(lab, text):
    lab.locator("output[aria-live]", has_text=text).wait_for()


def write(lab, words):
    lab.get_by_label("What do you think is wrong?").fill(words)


def test_a_patient_by_mouse_and_nothing_jumps(lab):
    height = lab.bounding_box()["height"]
    button(lab, "Row by row").click()
    lab.locator(".bp-message", has_text="First write what you think").wait_for()
    write(lab, "the rate is too large")
    for name in ("Row by row", "One small step"):
        button(lab, name).click()
        says(lab, f"{name} has been read")
        assert lab.bounding_box()["height"] == height
        assert button(lab, name).get_attribute("aria-disabled") == "true"
    assert lab.locator("figcaption").all_text_contents()[1] == patient(3).read("rows").says
    assert lab.locator(".bp-lights i[data-state=on]").count() == 2
    lab.locator(".bp-list > div", has_text=WRONG).click()
    lab.page.wait_for_function(
        "([lab, cause]) => lab.querySelectorAll('select')[1].value === cause", arg=[lab.element_handle(), WRONG]
    )
    button(lab, "Name it").click()
    lab.locator(".bp-notes", has_text=f"Not “{WRONG}”").wait_for()
    assert lab.bounding_box()["height"] == height
    lab.locator("select").nth(1).select_option(RIGHT)
    button(lab, "Name it").click()
    says(lab, f"Right, with 2 instruments: {RIGHT}.")
    assert "x[211, 6] = 999" in lab.locator(".bp-found").text_content()
    assert lab.locator(".bp-list > div[data-state=right]").text_content() == f"✓{RIGHT}this is it"


def test_a_patient_by_keyboard(lab):
    keys = lab.page.keyboard
    lab.get_by_label("What do you think is wrong?").focus()
    keys.type("a row is nonsense")
    for _ in range(10):
        keys.press("Tab")
    keys.press("Enter")
    says(lab, "Row by row has been read")
    focused = "document.activeElement.textContent"
    assert lab.page.evaluate(focused) == "Row by row", "the focus is not lost with the stage"
    lab.locator(".bp-list > div").first.focus()
    keys.press("ArrowDown")
    keys.press("Enter")
    second = lab.locator(".bp-list > div span").nth(1).text_content()
    lab.page.wait_for_function(
        "([lab, cause]) => lab.querySelectorAll('select')[1].value === cause", arg=[lab.element_handle(), second]
    )
    assert lab.page.evaluate(focused).startswith(("○" + second, "✗" + second))


def test_another_patient_empties_the_fields(lab):
    write(lab, "something")
    lab.locator("select").first.select_option("5")
    lab.locator(".bp-title", has_text="Patient 5 of 8").wait_for()
    lab.page.wait_for_function("lab => lab.querySelector('input[type=text]').value === ''", arg=lab.element_handle())
    lab.locator("select").first.select_option("3")
    lab.locator(".bp-title", has_text="Patient 3 of 8").wait_for()


@pytest.mark.parametrize("width", [1400, 1000, 800])
def test_no_text_is_cut_or_too_small_at_any_width(page, lab, width):
    write(lab, "whatever")
    for name in ("Data sheet", "Graph of one loss", "Row by row", "Gradients"):
        button(lab, name).click()
        says(lab, f"{name} has been read")
    page.set_viewport_size({"width": width, "height": 1200})
    page.wait_for_timeout(200)
    cut = lab.evaluate(
        """(lab, least) => {
          const edge = lab.getBoundingClientRect();
          const bad = [];
          for (const drawing of lab.querySelectorAll('figure svg')) {
            const box = drawing.getBoundingClientRect();
            if (!box.width) continue; // an empty place, where it is narrow
            const scale = box.width / drawing.viewBox.baseVal.width;
            for (const text of drawing.querySelectorAll('text')) {
              const at = text.getBoundingClientRect();
              const size = parseFloat(getComputedStyle(text).fontSize) * scale;
              const inside = at.left >= box.left - 1 && at.right <= box.right + 1 && at.bottom <= box.bottom + 1;
              if (!inside || size < least) bad.push([text.textContent, size, at.right - box.right]);
            }
            if (box.left < edge.left || box.right > edge.right) bad.push(['a drawing', box.right - edge.right]);
          }
          for (const part of lab.querySelectorAll('.bp-list > div, .bp-owner, figcaption, .bp-controls > *')) {
            if (part.scrollWidth > part.clientWidth + 1) bad.push([part.textContent, part.scrollWidth]);
          }
          return bad;
        }""",
        LEAST,
    )
    page.set_viewport_size({"width": 1400, "height": 1200})
    assert cut == [], cut


def test_a_reading_alone_is_a_picture_with_its_sentence(page):
    reading = patient(4).read("rows")
    output = page.locator(".jp-OutputArea-output .bp-picture").first
    assert reading.says in output.text_content()
    assert output.locator("svg, img").first.bounding_box()["width"] > 250


def test_accessible(page, lab):
    write(lab, "whatever")
    button(lab, "Units").click()
    says(lab, "Units has been read")
    result = axe.Axe().run(page, ".bp-player")
    assert [(found["id"], found["nodes"][0]["html"][:200]) for found in result["violations"]] == []
