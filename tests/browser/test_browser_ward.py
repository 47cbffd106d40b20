"""The ward and the clinic's pictures in a real JupyterLab: by mouse, by keyboard, of constant height, no text cut."""

import pytest

from exercises.clinic.patients import patient
from tests.lab_pages import assert_accessible, lab, notebook_page

page = notebook_page(
    "import exercises\nexercises.ward(3)", "exercises.patient(4).read('rows')", **{"width": 1400, "height": 1200}
)
WRONG, RIGHT = "the weights start far too large", "one row of the data is nonsense"
LEAST = 8.5  # pixels of the smallest letters


@pytest.fixture
def ward(page):
    ward = lab(page)
    ward.press("Start over")
    ward.wait_said("Write what you think")
    return ward


def read(ward, *names):
    for name in names:
        ward.press(name)
        ward.wait_said(f"{name} has been read")


def write(ward, words):
    ward.get_by_label("What do you think is wrong?").fill(words)


def test_patient_by_mouse_keeps_the_height(ward):
    high = ward.height()
    ward.press("Row by row")
    ward.wait_message("First write what you think")
    write(ward, "the rate is too large")
    for name in ("Row by row", "One small step"):
        read(ward, name)
        assert ward.height() == high
        assert ward.button(name).get_attribute("aria-disabled") == "true"
    assert ward.locator("figcaption").all_text_contents()[1] == patient(3).read("rows").says  # the newest first
    assert ward.locator(".bp-lights i[data-state=on]").count() == 2
    ward.locator(".bp-list > div", has_text=WRONG).click()
    ward.wait_said("Crossed out, by Row by row")
    ward.locator("select").nth(1).select_option(WRONG)
    ward.press("Name it")
    ward.locator(".bp-notes", has_text=f"Not “{WRONG}”").wait_for()
    assert ward.height() == high
    ward.locator("select").nth(1).select_option(RIGHT)
    ward.press("Name it")
    ward.wait_said(f"Right, with 2 instruments: {RIGHT}.")
    assert "x[211, 6] = 999" in ward.locator(".bp-found").text_content()
    assert ward.locator(".bp-list > div[data-state=right]").text_content() == f"✓{RIGHT}this is it"


def test_patient_by_keyboard(page, ward):
    ward.get_by_label("What do you think is wrong?").press_sequentially("a row is nonsense")
    for key in ("Tab",) * 12 + ("Enter",):
        page.keyboard.press(key)
    ward.wait_said("Row by row has been read")
    focused = "document.activeElement.textContent"
    assert page.evaluate(focused) == "Row by row", "the focus is not lost with the stage"
    ward.locator(".bp-list > div").first.press("ArrowDown")
    page.keyboard.press("Enter")
    second = ward.locator(".bp-list > div span").nth(1).text_content()
    ward.wait_said("Crossed out, by Row by row")
    page.wait_for_function("text => document.activeElement.textContent.startsWith(text)", arg="✗" + second)


def test_choosing_another_patient_clears_the_fields(page, ward):
    write(ward, "something")
    for number in ("5", "3"):
        ward.locator("select").first.select_option(number)
        ward.locator(".bp-title", has_text=f"Patient {number} of 8").wait_for()
        page.wait_for_function("ward => !ward.querySelector('input[type=text]').value", arg=ward.element_handle())


def test_ward_text_is_never_cut_or_too_small(page, ward):
    write(ward, "whatever")
    read(ward, "Data sheet", "Graph of one loss", "Row by row", "Gradients")
    for width in (1400, 1000, 800):
        page.set_viewport_size({"width": width, "height": 1200})
        cut = ward.evaluate(
            """async (ward, least) => {
              for (let i = 0; i < 2; i += 1) await new Promise(requestAnimationFrame); // what is fitted is fitted
              const edge = ward.getBoundingClientRect();
              const bad = [];
              for (const drawing of ward.querySelectorAll('figure svg')) {
                const box = drawing.getBoundingClientRect();
                if (!box.width) continue; // it is folded
                const scale = box.width / drawing.viewBox.baseVal.width;
                for (const text of drawing.querySelectorAll('text')) {
                  const at = text.getBoundingClientRect();
                  const size = parseFloat(getComputedStyle(text).fontSize) * scale;
                  const inside = at.left >= box.left - 1 && at.right <= box.right + 1 && at.bottom <= box.bottom + 1;
                  if (!inside || size < least) bad.push([text.textContent, size, at.right - box.right]);
                }
                if (box.left < edge.left || box.right > edge.right) bad.push(['a drawing', box.right - edge.right]);
              }
              for (const part of ward.querySelectorAll('.bp-list > div, .bp-owner, figcaption, .bp-controls > *')) {
                if (part.scrollWidth > part.clientWidth + 1) bad.push([part.textContent, part.scrollWidth]);
              }
              return bad;
            }""",
            LEAST,
        )
        assert cut == [], width
    page.set_viewport_size({"width": 1400, "height": 1200})


def test_ward_fits_one_screen_with_code_alongside(page, ward):
    write(ward, "whatever")
    read(ward, "Loss curve", "Overfit eight rows", "Row by row")
    page.set_viewport_size({"width": 1400, "height": 1000})
    ward.evaluate("ward => ward.scrollIntoView()")
    shown = [
        ".bp-controls button >> nth=0",
        ".bp-read[open] figure",
        ".bp-list > div >> nth=0",
        ".bp-list > div >> nth=-1",
    ]
    boxes = [ward.locator(each).bounding_box() for each in shown]
    # a status bar is below
    assert [box for box in boxes if not (box["y"] >= 0 and box["y"] + box["height"] <= 970)] == [], boxes
    assert (
        "speaks against" in ward.locator(".bp-read[open] summary").text_content()
        and not ward.locator(".bp-empty").count()
    )
    ward.locator("select").nth(1).select_option(RIGHT)
    ward.press("Name it")
    code, right = (ward.locator(each).bounding_box() for each in (".bp-found", ".bp-list > div[data-state=right]"))
    assert code["y"] <= right["y"] <= code["y"] + code["height"] and code["x"] + code["width"] <= right["x"]
    page.set_viewport_size({"width": 1400, "height": 1200})


def test_single_reading_is_a_picture_with_a_caption(page):
    output = page.locator(".jp-OutputArea-output .bp-picture").first
    assert patient(4).read("rows").says in output.text_content()
    assert output.locator("svg, img").first.bounding_box()["width"] > 250


def test_ward_is_accessible(page, ward):
    write(ward, "whatever")
    read(ward, "Units")
    assert_accessible(page)
