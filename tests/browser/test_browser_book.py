"""The book, built by its command: its pages in a Chromium without a network, on a desktop and on a phone."""

import html
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from figures import goal
from tests import sampling
from tests.book_pages import A4, LINES, NARROW, PAPER, PRINTED
from tests.lab_pages import axe, watched
from tests.labs import ask

pytest.importorskip("myst_nb", reason='the book needs: pip install -e ".[book]"')
from exercises.content.lessons import LESSONS
from site_build.book import run  # after the package that it needs

pytestmark = pytest.mark.timeout(1200)  # the book is built, and each of its pages is opened three times

ROOT = Path(__file__).parents[2]
DESK, PHONE = {"width": 1400, "height": 900}, {"width": 390, "height": 800}
SERIOUS = ("serious", "critical")
NAMED = [
    "label-content-name-mismatch",
    "landmark-unique",
]  # axe's rules that are outside the sets that the test runs

# Every player is taken one step on, and to its end; what it then shows. Of a recorded run each frame is shown: whether
# its sentence, its stage and its inputs are those of the frame.
STEP = """() => [...document.querySelectorAll('.bp-player')].map((section) => {
  const { player } = section;
  const press = (name) => section.querySelector(`[aria-label="${name}"]`).click();
  const said = () => section.querySelector('output[aria-live]').textContent;
  const found = { title: player.title.textContent, frames: player.frames.length, run: Boolean(player.run), wrong: [] };
  player.go(0);
  for (let i = 0; player.run && i < player.frames.length; i += 1) {
    const frame = player.frames[i];
    const chips = [...section.querySelectorAll('.bp-chips li')].filter((chip) => chip.style.visibility !== 'hidden');
    const shown = chips.map(({ textContent }) => textContent).sort().join();
    const held = frame.panel.map((place) => player.run[1][place]).filter(({ kind }) => kind !== 'button');
    if (said() !== frame.say || shown !== held.map(TOLD).sort().join()) found.wrong.push(i);
    if (!section.querySelector('.bp-stage svg')) found.wrong.push(`${i}: no drawing`);
    if (i < player.frames.length - 1) press('Step forward');
  }
  player.go(0);
  press('Step forward');
  found.stepped = player.index;
  press('Last step');
  found.last = player.index;
  return found;
})""".replace(
    "TOLD",
    """(({ kind, label, value }) => `${label} ${kind === 'toggle' ? (value ? 'on' : 'off') : typeof value === 'number'
      ? String(+value.toPrecision(4)).replace('-', '−') : value}`)""",
)
# Each quiz gets an answer to the question that it shows; what it says to that.
ANSWER = """() => [...document.querySelectorAll('.bp-quiz')].map((quiz) => {
  const form = quiz.querySelector('.bp-question:not(.bp-off)');
  const radio = form.querySelector('input[type=radio]');
  if (radio) radio.click();
  else form.querySelector('input').value = '12345';
  form.querySelector('.bp-check').click();
  return form.querySelector('.bp-said [role=status]').textContent;
})"""
COUNTS = """() => [['.bp-embed', '.bp-player'], ['.bp-linked', '.bp-linked[data-mounted]']].map(
  (pair) => pair.map((selector) => document.querySelectorAll(selector).length))"""
OPEN = "() => document.querySelectorAll('details').forEach((part) => { part.open = true; })"
TOO_WIDE = "() => document.documentElement.scrollWidth - innerWidth"
TOGGLE = """() => {
  [...document.querySelectorAll('.theme-toggle')].find((button) => button.offsetParent).click();
  return document.body.dataset.theme;
}"""
# The layout shift of a page since it was opened, as browsers count it.
SHIFTS = """window.shift = 0;
new PerformanceObserver((list) => list.getEntries().forEach((entry) => { window.shift += entry.value; })).observe(
  { type: 'layout-shift', buffered: true });"""
HEIGHT = "() => document.body.scrollHeight"
SAMPLE = """([stack, text]) => {
  document.body.innerHTML = '<p id="sample"></p>';
  const sample = document.querySelector('#sample');
  sample.style.fontFamily = `var(${stack})`;
  sample.textContent = text;
}"""
FIRST = Path(LESSONS[0].file).stem
XOR = "lessons/06_a_network_of_your_own.html"
INK = "() => { const part = document.querySelector('.bp'); return part && getComputedStyle(part).color; }"


@pytest.fixture(scope="module")
def shown():
    always = [FIRST, Path(XOR).stem]
    others = [place for place in run.places() if place.stem not in always]
    return [place for place in run.places() if place.stem in always] + sampling.sample(others, 1)


@pytest.fixture(scope="module")
def book(shown, tmp_path_factory):
    """Return the book, built outside the project's folder. Only what the tests visit runs for it."""
    out = tmp_path_factory.mktemp("site") / "book"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "site_build", "book", "--out", str(out), "--runs", str(out.parent / "runs")]
    if not sampling.Drawing.everything:
        kept, copied = out.parent / "runs" / run.state_of_sources(), out.parent / "notebooks"
        for folder in (kept, copied):  # some lessons write files next to themselves
            shutil.copytree(run.NOTEBOOKS, folder, ignore=shutil.ignore_patterns(*run.NO_SOURCES))
        for place in shown:
            nbformat.write(run.run(copied / place, out.parent / place.stem), kept / place)
    ran = subprocess.run(command, cwd=out.parent, env=environment, capture_output=True, encoding="utf-8")
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-4000:]
    assert ran.stdout.splitlines()[-1] == f"Open {out / 'index.html'}"
    return out


@pytest.fixture(scope="module")
def pages(book):
    return sorted(path for path in book.rglob("*.html") if path.name != "bughunt.html")  # it has its own tests


@pytest.fixture(scope="module")
def visits(book, shown, pages, browser):
    """Return what was seen on each page of a sample: {name: facts}, all in one go."""
    page = watched(browser.new_page())
    page.add_init_script("localStorage.clear()")  # where the toggle's choice is kept
    page.add_init_script(SHIFTS)
    page.clock.install()
    page.on("request", lambda request: request.url.startswith(("file:", "data:")) or page.faults.append(request.url))
    seen = {}
    always = {"index", *(place.stem for place in (shown if sampling.Drawing.everything else shown[1:]))}
    others = [place for place in pages if place.stem not in always.union(place.stem for place in run.places())]
    drawn = sampling.sample(others, 1, lambda place: place.stem)
    for place in [*(place for place in pages if place.stem in always), *drawn]:
        page.faults.clear()
        seen[place.relative_to(book).as_posix()] = {**visit(page, place), "faults": list(page.faults)}
    page.close()
    return seen


def visit(page, place):
    """Return what is seen on a page: in light on a desktop, in dark on a phone."""
    page.set_viewport_size(DESK)
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    page.goto(place.as_uri())
    before = page.evaluate(HEIGHT)
    page.clock.fast_forward(5_000)  # all that a page may do late
    facts = {"grown": page.evaluate(HEIGHT) - before, "moved": [page.evaluate("window.shift")]}
    page.evaluate(OPEN)
    facts |= {"counts": page.evaluate(COUNTS), "light": page.evaluate(INK), "wide": [page.evaluate(TOO_WIDE)]}
    facts["axe"] = serious(page, whole=True)
    page.emulate_media(media="print")
    facts["printed"] = page.evaluate(PRINTED)
    page.emulate_media(media="screen")
    while page.evaluate(TOGGLE) != "dark":
        pass
    facts |= {"dark": page.evaluate(INK), "steps": page.evaluate(STEP), "answers": page.evaluate(ANSWER)}
    facts["wide"].append(page.evaluate(TOO_WIDE))
    page.set_viewport_size(PHONE)
    facts["wide"].append(page.evaluate(TOO_WIDE))
    facts["axe"] += serious(page, whole=False)
    page.goto(place.as_uri())
    return facts | {"narrow": page.evaluate(NARROW), "moved": [*facts["moved"], page.evaluate("window.shift")]}


def serious(page, whole):
    """Return the serious faults that axe finds; whole: all rules, else only contrast, which differs in the dark.

    Drawings and code, which have thousands of parts, have separate tests: labs theirs, code in lesson 00.
    """
    rules = {"runOnly": ["wcag2a", "wcag2aa", "wcag21aa"] if whole else ["color-contrast"]}
    less = [] if FIRST in page.url else [[".highlight"]]
    found = axe.Axe().run(page, {"exclude": [["svg"], [".bp-text"], *less]}, {"resultTypes": ["violations"], **rules})
    broken = [rule for rule in found["violations"] if rule["impact"] in SERIOUS or rule["id"].startswith("landmark")]
    if whole:
        named = axe.Axe().run(page, {"exclude": []}, {"runOnly": NAMED})
        broken += named["violations"]
    return [(rule["id"], node["html"][:200]) for rule in broken for node in rule["nodes"]]


def each(visits, name):
    """Return a fact of each page that has it: {page: fact}."""
    return {page: facts[name] for page, facts in visits.items() if facts[name]}


def test_book_pages_have_no_errors_requests_overflow_or_axe_faults(visits):
    assert each(visits, "faults") == {}
    assert {page: wide for page, wide in each(visits, "wide").items() if max(wide) > 0} == {}
    assert each(visits, "axe") == {}


def test_every_lab_and_quiz_mounts(visits, pages):
    counts = each(visits, "counts")
    assert [
        (pairs, there, mounted) for pairs in counts.values() for there, mounted in pairs if there != mounted
    ] == [], counts
    text = "".join(path.read_text(encoding="utf-8") for path in pages)
    embedded, linked = text.count('class="bp-embed"'), text.count('class="bp-linked"')
    assert not sampling.Drawing.everything or (embedded >= 28 and linked >= 40)
    assert embedded >= 3 and linked >= 1  # those of 00 and of 06


def test_every_book_lab_steps_to_its_end(visits):
    labs = [lab for labs in each(visits, "steps").values() for lab in labs]
    for lab in labs:
        assert lab["frames"] > 1 and lab["stepped"] == 1 and lab["last"] == lab["frames"] - 1, lab
    runs = [lab for lab in labs if lab["run"]]
    assert [lab for lab in runs if lab["wrong"]] == []
    titles = " ".join(lab["title"] for lab in runs)
    assert "XOR" in titles and "Seed lottery" in titles


def test_every_book_quiz_answers(visits):
    answers = [said for page in each(visits, "answers").values() for said in page]
    assert answers and [said for said in answers if not said.startswith(("✓ Right.", "✗ Not yet."))] == []


@pytest.mark.parametrize("name", ["index.html", f"lessons/{FIRST}.html"])
def test_goal_lab_works_without_a_kernel(book, browser, name):
    page, lab = watched(browser.new_page(viewport=DESK)), goal()
    page.goto((book / name).as_uri())
    player = page.locator(".bp-player").first
    said, at = player.locator("output[aria-live]"), player.locator(".bp-at")

    def held(index):
        frame = lab.recording.frames[index]
        assert (said.text_content(), at.text_content()) == (frame.say, frame.at)

    held(0)
    dial = player.locator("[data-drag=b]")
    dial.scroll_into_view_if_needed()
    box = dial.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 40, y)
    page.mouse.up()
    ask(lab, a=0.0, b=1.0, c=0.0)
    held(0)
    dial.press("Shift+ArrowUp")
    ask(lab, b=1.01)
    held(0)
    player.get_by_role("button", name="Ten steps").click()
    ask(lab, "ten")
    held(11)
    page.wait_for_timeout(1500)  # longer than a page waits before it says that there is no kernel
    assert player.locator(".bp-status").text_content() == "" and page.faults == []
    page.close()


@pytest.mark.parametrize("form", ["test_a", "test_b"])
def test_printable_test_fits_two_sheets(book, browser, form):
    page = browser.new_page(viewport=DESK)
    page.goto((book / f"{form}.html").as_uri())
    rows = [each.bounding_box()["y"] for each in page.locator(".test label:has([type=radio])").all()]
    assert len(rows) == 48 and rows == sorted(set(rows)), "each option has a line of its own"
    page.locator(".test fieldset").first.get_by_label("b)").check()
    assert page.locator(".test :checked").count() == 1
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4"))) <= 2
    page.close()


def test_labs_follow_the_page_theme(visits):
    inks = {page: (facts["light"], facts["dark"]) for page, facts in visits.items() if facts["light"]}
    assert (
        len(inks) >= (3 if sampling.Drawing.everything else 2)
        and [(light, dark) for light, dark in inks.values() if light == dark] == []
    ), inks


def test_pages_have_no_layout_shift(visits):
    """Layout shift as browsers count it; above 0.1 they call a page restless."""
    assert {page: moved for page, moved in each(visits, "moved").items() if max(moved) > 0.02} == {}
    assert each(visits, "grown") == {}


def test_on_a_phone_no_word_is_broken_no_button_covered_and_the_inputs_of_recorded_runs_are_one_line(visits):
    narrow = each(visits, "narrow")
    fine = {"broken": [], "covered": [], "loose": 0}
    assert {page: found for page, found in narrow.items() if found != fine} == {}


def test_print_shows_every_question_and_no_buttons(visits):
    assert each(visits, "printed") == {}


def test_on_paper_no_lab_is_higher_than_a_page_and_the_answers_are_at_the_end(book, shown, browser):
    page = watched(browser.new_page(viewport=A4))
    page.emulate_media(media="print")
    for place in shown:
        page.goto((book / "lessons" / place.with_suffix(".html")).as_uri())
        paper = page.evaluate(PAPER)
        assert paper["lost"] == 0 and paper["answers"] and paper["tall"] == [], (place, paper)
        page.evaluate("() => dispatchEvent(new Event('afterprint'))")
        assert page.locator(".bp-printed").count() == 0
    assert page.faults == []
    page.close()


def test_text_lines_are_readable_and_xor_lab_fits(book, browser):
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.goto((book / XOR).as_uri())
    lines = page.evaluate(LINES)
    assert len(lines) > 30 and 65 <= lines[len(lines) // 2] <= 72 and lines[len(lines) * 9 // 10] <= 75
    lab = page.locator(".bp-player").first.bounding_box()
    text = page.locator("article section > p").last.bounding_box()
    assert lab["height"] < 1000 and lab["width"] > 1.5 * text["width"]
    page.close()


def test_book_fonts_cover_every_character(pages, browser):
    """The fonts come with the pages, and no request leaves them."""
    letters = {letter for path in pages for letter in html.unescape(path.read_text(encoding="utf-8"))}
    page = browser.new_page()
    page.goto(pages[0].as_uri())
    chrome = page.context.new_cdp_session(page)
    for part in ("DOM", "CSS"):
        chrome.send(f"{part}.enable")
    for stack in ("--book-text", "--font-stack", "--font-stack--monospace"):
        shown = "".join(sorted(letter for letter in letters if letter.isprintable() and not letter.isspace()))
        page.evaluate(SAMPLE, [stack, shown])
        page.evaluate("document.fonts.ready")  # the fonts of rare characters load when they are needed
        root = chrome.send("DOM.getDocument")["root"]["nodeId"]
        lacking = []
        for letter in shown:
            page.evaluate("(letter) => { document.querySelector('#sample').textContent = letter; }", letter)
            node = chrome.send("DOM.querySelector", {"nodeId": root, "selector": "#sample"})["nodeId"]
            fonts = chrome.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
            lacking += [letter for font in fonts if not font["isCustomFont"]]
        assert lacking == [], (stack, lacking)
    page.close()


def test_lesson_pages_stay_within_size_limits(book):
    sizes = sorted(path.stat().st_size for path in book.glob("lessons/*.html"))
    assert sizes[len(sizes) * 2 // 3] < 500_000 and sizes[-1] < 1_000_000


def test_book_has_no_local_paths_and_no_broken_links(book, pages):
    texts = {path: path.read_text(encoding="utf-8") for path in pages}
    for place in (str(ROOT), sys.prefix, str(book.parent), "/tmp/"):
        assert [path for path, text in texts.items() if place in text] == [], place
    ids = {path: set(re.findall(r'\bid="([^"]+)"', text)) for path, text in texts.items()}
    for path, text in texts.items():
        for target, heading in re.findall(r'href="([^"#:?]*)(?:#([^"]*))?"', text):
            place = (path.parent / target).resolve() if target else path
            assert place.exists(), (path.name, target)
            if heading and place in ids:
                assert heading in ids[place], (path.name, target, heading)


def test_the_cheat_sheet_is_one_printed_page_and_a_search_finds_lessons_by_words_and_by_operators(book, browser):
    page = browser.new_page()
    page.goto((book / "cheat_sheet.html").as_uri())
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4"))) == 1
    page.goto((book / "search.html").as_uri() + "?q=lottery")
    page.locator("#search-results a", has_text="A network of your own").first.wait_for()
    page.goto((book / "search.html").as_uri() + "?q=%2B%3D")
    page.locator("#search-results a", has_text="Used more than once").first.wait_for()
    page.close()
