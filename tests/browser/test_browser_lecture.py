"""The deck of the lecture, exported and opened from a file without a network: each lab steps, nothing is cut off."""

import re

import nbformat
import pytest

from figures.labs import goal
from site_build import lecture
from tests.lab_pages import assert_accessible, lab, watched

LABS = (2, 3, 5, 11, 15, 21)  # the slides with one
PARTS = "h1, h2, p, li, pre, img, svg, .bp-player, .bp-main"
CUT_OFF = """(slide, parts) => [...slide.querySelectorAll(parts)].filter((part) => {
  const box = part.getBoundingClientRect();
  if (!box.width || getComputedStyle(part).display === 'none' || part.closest('.notes')) return false;
  const { left, right, top, bottom } = document.querySelector('main').getBoundingClientRect();
  const out = box.left < left - 1 || box.right > right + 1 || box.top < top - 1 || box.bottom > bottom + 1;
  return out || part.scrollWidth > part.clientWidth + 1 && part.matches('pre, .bp-main');
}).map((part) => part.outerHTML.slice(0, 100))"""


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    return lecture.build(tmp_path_factory.mktemp("stick"))


@pytest.fixture(scope="module")
def deck(exported, browser):
    """Yield the deck, opened offline; it may request nothing but itself."""
    context = browser.new_context(viewport={"width": 1280, "height": 720}, offline=True, reduced_motion="reduce")
    page, asked = watched(context.new_page()), []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(exported.as_uri())
    page.locator(".slide:not([hidden])").wait_for()
    yield page
    assert page.faults == []
    assert {url.split("#")[0] for url in asked if not url.startswith("data:")} == {exported.as_uri()}
    context.close()


def go_to(page, number):
    page.evaluate("document.activeElement.blur()")  # a lab takes Home and End, too
    page.keyboard.press("Home")
    for _ in range(number - 1):
        page.keyboard.press("PageDown")
    assert page.locator("footer output").text_content() == f"{number} of 24"
    return page.locator(".slide:not([hidden])")


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (1024, 768)])
def test_no_slide_is_cut_off_and_type_is_large(deck, size):
    deck.set_viewport_size({"width": size[0], "height": size[1]})
    for number in range(1, 25):
        slide = go_to(deck, number)
        assert slide.evaluate(CUT_OFF, PARTS) == [], number
        least = slide.evaluate(
            "(one) => Math.min(...[...one.querySelectorAll('.text > p')].map((p) => "
            "parseFloat(getComputedStyle(p).fontSize)))"
        )
        assert least >= 25, number
    deck.set_viewport_size({"width": 1280, "height": 720})


@pytest.mark.parametrize("number", LABS)
def test_lecture_lab_steps_by_key_without_a_kernel(deck, number):
    slide = go_to(deck, number)
    here, said = lab(slide), []
    for _ in range(60):
        said.append(f"{here.locator('.bp-at').text_content()}: {here.sentence_shown()}")
        if here.button("Step forward").is_disabled():
            break
        deck.keyboard.press("ArrowRight")
    assert here.button("Step forward").is_disabled() and len(said) == len({*said}) >= 2, said
    assert not slide.evaluate(CUT_OFF, PARTS)
    deck.keyboard.press("ArrowLeft")
    assert said[-2].endswith(here.sentence_shown())
    assert_accessible(deck, ".slide:not([hidden])")
    deck.keyboard.press("PageDown")
    assert deck.locator("footer output").text_content() == f"{number + 1} of 24"


def test_slide_states_the_loss_that_the_dials_reach(deck):
    slide = go_to(deck, 3)
    here, reached = lab(slide), goal.walk({"a": 0.0, "b": 0.0, "c": 0.0})[40].loss
    here.press("Show the slopes")
    here.press("Ten steps", 4)
    here.wait_at("Step 40")
    assert f"{reached:.4f}" in here.sentence_shown() and f"{reached:.4f}" in slide.locator(".text").text_content()


def test_speaker_notes_open_by_key_and_in_a_synced_window(deck):
    go_to(deck, 7)
    notes = deck.locator(".slide:not([hidden]) .notes")
    assert not notes.is_visible()
    deck.keyboard.press("n")
    assert notes.is_visible() and "later than minute 30" in notes.text_content()
    deck.keyboard.press("n")
    with deck.context.expect_page() as opened:
        deck.keyboard.press("w")
    window = opened.value
    window.locator("footer output", has_text="7 of 24").wait_for()
    deck.keyboard.press("PageDown")
    window.locator("footer output", has_text="8 of 24").wait_for()
    assert window.locator(".slide:not([hidden]) .notes").is_visible()
    window.close()


def test_last_slide_shows_the_stored_output_of_the_notebook(deck):
    slide = go_to(deck, 23)
    shown = slide.locator("pre").text_content()
    answers = [float(number) for number in re.findall(r"\): +(-?[\d.]+)", shown)]
    assert [round(answer) for answer in answers] == [0, 1, 1, 0] and slide.locator(".shown img, .shown svg").count()
    before, after = map(float, re.search(r"loss: +([\d.]+) → ([\d.]+)", shown).groups())
    assert after < 0.05 < before
    cells = nbformat.read(lecture.DECK, as_version=4).cells
    (kept,) = [cell for cell in cells if cell.cell_type == "code" and cell.outputs]
    assert kept.outputs[0].text.strip() == shown.strip(), "and nothing else is stored"


def test_handout_is_one_page_with_three_exercises(exported, browser):
    page = watched(browser.new_page())
    page.goto((exported.parent / "handout.html").as_uri())
    assert page.get_by_text(re.compile(r"^[123]\. ")).count() == 3
    pdf = page.pdf(format="A4", prefer_css_page_size=True)
    page.close()
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == 1
