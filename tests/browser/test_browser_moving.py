"""The moving picture of README.md in a browser: it plays in an <img>, frame by frame, with all text in its place."""

import pytest

from figures import gallery
from figures.gallery import animated
from figures.labs import step
from tests import pictures
from tests.lab_pages import plain_page

KEPT = gallery.HERE / "backward_pass.svg"

blank = plain_page(viewport={"width": animated.WIDTH, "height": 560})


@pytest.fixture
def page(blank):
    blank.goto(KEPT.as_uri())
    return blank


def test_animation_shows_one_frame_at_a_time(page):
    """In the middle of each frame's time it is complete, and no visible frame covers it."""
    at = 0.0
    times = animated.seconds(step.record(pictures.xyz(), forward=False).frames)
    for i, time in enumerate(times):
        opacities = page.evaluate(
            """(seconds) => {
              for (const each of document.getAnimations()) { each.pause(); each.currentTime = 1000 * seconds; }
              return [...document.querySelectorAll('.frame')].map((frame) => Number(getComputedStyle(frame).opacity));
            }""",
            at + time / 2,
        )
        assert opacities == [1.0] + [float(j == i) for j in range(1, len(times))]
        at += time


def test_animation_text_stays_in_place_and_does_not_overlap(page):
    """Sentences stay on the card, cells hold their text, no number lies on another."""
    faults = page.evaluate(
        """() => [...document.querySelectorAll('.frame')].flatMap((frame) => {
          const card = frame.querySelector('.card').getBoundingClientRect();
          const texts = [...frame.querySelectorAll('text')].filter((text) => text.textContent)
            .map((text) => ({ text: text.textContent, box: text.getBoundingClientRect() }));
          return texts.flatMap(({ text, box }, i) => {
            const inside = box.left > card.left + 10 && box.right < card.right - 10 && box.bottom < card.bottom - 10;
            const under = texts.slice(i + 1).filter(({ box: other }) =>
              Math.min(box.right, other.right) > Math.max(box.left, other.left)
                && Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top) > 6);
            return [...(inside ? [] : [['outside', text]]), ...under.map((other) => [text, other.text])];
          });
        })"""
    )
    assert faults == []


@pytest.mark.long
def test_animation_plays_in_an_img_element(blank, tmp_path):
    (tmp_path / "page.html").write_text(f'<img src="{KEPT.as_uri()}">', encoding="utf-8")
    blank.goto((tmp_path / "page.html").as_uri())
    first = blank.screenshot()
    blank.wait_for_timeout(1000 * (animated.READING[0] + 3))  # it plays by its own clock
    assert blank.screenshot() != first


def test_animation_respects_reduced_motion_and_dark_mode(page):
    count, card = "document.getAnimations().length", page.locator(".card").last
    assert page.evaluate(count) > 5
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate(count) == 0
    assert page.locator(".frame").last.evaluate("(frame) => getComputedStyle(frame).opacity") == "1"
    for scheme, colour in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(27, 30, 35)")):
        page.emulate_media(color_scheme=scheme)
        assert card.evaluate("(card) => getComputedStyle(card).fill") == colour
