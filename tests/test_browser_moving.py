"""The moving picture of README.md in a browser: it plays in an <img>, a frame at a time, with all text in its place."""

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason='a browser test needs: pip install -e ".[test]"')

from figures import gallery  # noqa: E402
from figures.gallery import moving
from figures.labs import step  # noqa: E402
from tests import lab_server, pictures  # noqa: E402

pytestmark = pytest.mark.skipif(
    lab_server.CHROMIUM is None, reason="no Chromium here; to add one: apt install chromium"
)

KEPT = gallery.HERE / "backward_pass.svg"
SIZE = {"width": moving.WIDTH, "height": 560}


@pytest.fixture
def page(browser):
    page = browser.new_page(viewport=SIZE)
    yield page
    page.close()


def test_one_frame_at_a_time(page):
    """In the middle of each frame's time it is whole, and none that covers it is to be seen."""
    page.goto(KEPT.as_uri())
    at = 0.0
    times = moving.seconds(step.record(pictures.xyz(), forward=False).frames)
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


def test_no_text_leaves_its_place(page):
    """Sentences stay on the card, cells hold their text, no number lies on another."""
    page.goto(KEPT.as_uri())
    out = page.evaluate(
        """() => {
          const faults = [];
          for (const frame of document.querySelectorAll('.frame')) {
            const card = frame.querySelector('.card').getBoundingClientRect();
            const texts = [...frame.querySelectorAll('text')].filter((text) => text.textContent);
            const boxes = texts.map((text) => text.getBoundingClientRect());
            boxes.forEach((box, i) => {
              const inside = box.left > card.left + 10 && box.right < card.right - 10 && box.bottom < card.bottom - 10;
              if (!inside) faults.push(['outside', texts[i].textContent]);
              boxes.slice(i + 1).forEach((other, j) => {
                const across = Math.min(box.right, other.right) - Math.max(box.left, other.left);
                const down = Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top);
                if (across > 0 && down > 6) faults.push([texts[i].textContent, texts[i + 1 + j].textContent]);
              });
            });
          }
          return faults;
        }"""
    )
    assert out == []


def test_it_plays_in_an_img(page, tmp_path):
    (tmp_path / "page.html").write_text(f'<img src="{KEPT.as_uri()}">', encoding="utf-8")
    page.goto((tmp_path / "page.html").as_uri())
    first = page.screenshot()
    page.wait_for_timeout(1000 * (moving.READING[0] + 3))
    assert page.screenshot() != first


def test_it_stands_still_where_less_motion_is_asked_for(page):
    page.emulate_media(reduced_motion="reduce")
    page.goto(KEPT.as_uri())
    assert page.evaluate("document.getAnimations().length") == 0
    last = page.locator(".frame").last
    assert last.evaluate("(frame) => getComputedStyle(frame).opacity") == "1"
    page.emulate_media(reduced_motion="no-preference")
    assert page.evaluate("document.getAnimations().length") > 5


def test_dark_paper_in_the_dark(page):
    colours = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.goto(KEPT.as_uri())
        colours.append(page.locator(".card").last.evaluate("(card) => getComputedStyle(card).fill"))
    assert colours == ["rgb(255, 255, 255)", "rgb(17, 17, 17)"]
