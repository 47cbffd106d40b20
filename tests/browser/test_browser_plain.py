"""Players on a page without Jupyter or a network: every lab steps and answers its inputs; predictions, gradients."""

import math
import re

import pytest

import exercises
import figures
from autograd.inspect.steps import backward_steps
from figures.page.player import Control, Frame, Player, Recording
from figures.page.style import PAPER, compact, style_sheet
from tests.browser.test_browser_narrow import GRAPHS, LABS
from tests.lab_graphs import two_paths
from tests.lab_pages import assert_accessible, join, lab, plain_page, show
from tests.pictures import xyz

page = plain_page(offline=True)

# Every lab

MORE = {"stale": "figures.stale()", "two paths, back": "figures.step_backward(two_paths())"}


def made(name):
    """Return a lab as a page has it, in this process; of the lottery, the one above the other."""
    names = {}
    exec(GRAPHS, names)
    found = eval({**LABS, **MORE}[name], names)
    return found.lottery if name == "lottery" else found


@pytest.mark.parametrize("name", [*LABS, *MORE])
def test_every_lab_has_one_height_and_answers_each_input(page, name):
    player = made(name)
    here = join(page, player)
    here.assert_walks(player.recording)
    if len(player.recording.frames) > 1:
        here.press("Step forward")
    for control in sorted(player.controls, key=lambda control: control.kind != "toggle"):  # which may enable others
        if control.kind == "text" or control.name == "play" or input_of(here, control).is_disabled():
            continue  # these have other tests
        asked, expected = player.reply, use(here, control, player.values.get(control.name))
        here.answered()
        assert player.reply > asked, control
        if control.kind == "button":
            assert player.request["presses"] == [control.name]
        else:
            assert player.request["values"][control.name] == expected
        assert_is(here, player)
    presses = here.locator("[data-press][tabindex='0']").evaluate_all("(all) => all.map((one) => one.dataset.press)")
    for name in presses[:3]:
        here.locator(f"[data-press='{name}']").press("Enter")
        here.answered()
        assert player.request["presses"] == [name]
        assert_is(here, player)
    here.assert_walks(player.recording)


ROLES = {"range": "slider", "choice": "combobox", "toggle": "checkbox", "text": "textbox", "button": "button"}


def input_of(here, control):
    return here.get_by_role(ROLES[control.kind], name=control.label, exact=True)


def use(here, control, now):
    """Change an input, by key if a key does the same on every system; return the request that the lab must get."""
    part = input_of(here, control)
    if control.kind == "choice":
        other = next(option for option in reversed(control.options) if option != str(now))
        part.select_option(other)
        return other
    if control.kind in ("toggle", "button"):
        part.press("Enter" if control.kind == "button" else "Space")
        return not now
    place = control.min
    part.press("Home")
    if now == (10**place if control.log else place):  # it was there already
        place += control.step
        part.press("ArrowRight")
    return pytest.approx(10**place if control.log else place)


def assert_is(here, player):
    """Assert that the page shows the lab's state: its frame, its message, and its inputs with their values."""
    here.assert_shows(player.recording.frames[player.index])
    told = player.patch if player.live else player.spec
    assert here.locator(".bp-message").text_content() == told.get("message", "")
    for control in player.controls:
        part, value = input_of(here, control), player.values.get(control.name)
        if control.kind in ("choice", "text"):
            assert part.input_value() == str(value)
        elif control.kind == "toggle":
            assert part.is_checked() is value
        elif control.kind == "range":
            place = math.log10(value) if control.log else value
            assert float(part.input_value()) == pytest.approx(place, abs=control.step / 2)


def test_labs_share_a_page_and_disable_inputs_without_a_kernel(page):
    """A walk that becomes shorter shows its last step, and is at the same step once it is longer again."""
    labs = figures.step_through(xyz()), figures.nudge(), figures.expression()
    show(page, *labs)
    for place, each in enumerate(labs):
        lab(page, place).assert_walks(each.recording)
    assert lab(page, 1).slider("h").get_attribute("aria-valuetext") == labs[1].recording.frames[0].at
    page.locator(".bp-status", has_text="Run this cell in JupyterLab").nth(1).wait_for()
    assert page.locator("fieldset :is(input, select):enabled").count() == 0


def test_self_test_names_the_policy_that_blocks_blobs(page):
    policy = "<meta http-equiv='Content-Security-Policy' content=\"script-src 'unsafe-inline'\">"
    page.set_content(f"<!DOCTYPE html>{policy}<body>{exercises.self_test().html()}</body>")
    page.locator("[data-row='widgets']", has_text="has to allow blob: in the script-src").wait_for()
    page.faults.clear()  # Chromium's own report of what the policy blocked


def test_still_picture_explains_itself_when_scripts_are_removed(page):
    """JupyterLab removes scripts and styles from what another person has run."""
    markup = figures.nudge().html()
    page.set_content(re.sub("<(script|style).*?</\\1>", "", markup, flags=re.DOTALL))
    assert page.get_by_text("A still picture: run this cell yourself").is_visible()


def test_saved_lab_embeds_fonts_and_works_in_both_themes(page, tmp_path):
    path = figures.step_backward(xyz()).savefig(tmp_path / "lab.html")
    for scheme, paper in PAPER.items():
        page.emulate_media(color_scheme=scheme)
        page.goto(path.as_uri())
        page.get_by_role("button", name="Step forward").click()
        assert page.evaluate("document.fonts.check('16px \"Course Sans\"') && document.fonts.size") == 1
        shown = page.evaluate(
            "[document.documentElement, document.querySelector('.bp')].map((each) => "
            "getComputedStyle(each)).map((style) => [style.backgroundColor, style.fontFamily])"
        )
        assert page.locator(".bp").first.bounding_box()["x"] >= 16  # also if the window is narrower than the lab
        assert shown[0][0] == "rgb({}, {}, {})".format(*bytes.fromhex(paper[1:])) and "Course Sans" in shown[1][1]


def test_shortened_walk_shows_its_last_step_and_can_grow_again(page):
    player = figures.descent(lr=0.3)
    here = join(page, player)
    here.slider("Step").fill("40")
    loss = here.get_by_role("combobox", name="loss")
    loss.select_option("valley")
    here.answered()
    last = len(player.recording.frames) - 1
    assert last < 40
    here.assert_shows(player.recording.frames[last])
    assert "larger than the largest float" in here.sentence_shown()
    here.press("Step back")
    loss.select_option("bowl")
    here.answered()
    assert len(player.recording.frames) == 61
    here.assert_shows(player.recording.frames[last - 1])


def test_predictions_are_checked_explained_and_scored(page):
    def explain(root, one):
        yield one.local, "That is the local derivative alone."

    root = xyz()
    player = show(page, figures.step_through(root, predict=True, explain=explain))
    entry, verdict = page.locator(".bp-ask input"), page.locator(".bp-verdict")
    player.press("Step forward", 3)
    chain = [one for one in backward_steps(root) if one.kind == "chain"]
    entry.fill("-4.00")  # q.grad, right, with two decimals
    player.press("Check")
    assert verdict.text_content() == "✓ Right: q.grad is −4."
    entry.fill("2")  # z.grad is 3
    entry.press("Enter")
    assert verdict.text_content() == (
        "✗ Not 2. f is a product. Which number is its other factor, q? And which number is in f.grad, to "
        "multiply it by? Try again, or step on."
    )
    player.press("Text")
    lines = player.locator("ol li")
    assert [line.is_visible() for line in lines.all()] == [True] * 5 + [False] * 3, "what comes are answers"
    assert (player.shown("e4.0.local"), player.shown("e4.1.local")) == ("−4", ""), "used already, and not yet"
    said = []
    for typed in ("three", str(chain[1].after), str(chain[2].local)):
        entry.fill(typed)
        entry.press("Enter")
        said.append(verdict.text_content())
    assert '"three" is not a number' in said[0] and said[1] == "✓ Right: z.grad is 3."
    assert "That is the local derivative alone." in said[2]
    player.press("Step forward", 2)
    assert "Predicted on the first try: 1 of 4. Skipped: 1." in page.locator(".bp-ask").text_content()


# A gradient that flows

# Steps forward so many times within one task, and says what flows: after it, and at the middle of its way.
STEP = """async (times) => {
  const forward = document.querySelector('[aria-label="Step forward"]');
  for (let i = 0; i < times; i += 1) forward.click();
  return [...document.querySelectorAll('.bp-flow')].map((copy) => [copy.textContent, copy.getAttribute('aria-hidden')]);
}"""
# Where the flowing number is, as a share of its edge from the input on, at each frame that the browser draws.
WAY = """async () => {
  document.querySelector('[aria-label="Step forward"]').click();
  const copy = document.querySelector('.bp-flow');
  const path = document.querySelector('.edge[data-state="backward"] path');
  const ends = [0, path.getTotalLength()].map((at) => path.getPointAtLength(at));
  const places = [];
  while (copy.isConnected && places.length < 600) {
    await new Promise(requestAnimationFrame);
    if (!copy.hasAttribute('x')) continue;
    const at = { x: Number(copy.getAttribute('x')), y: Number(copy.getAttribute('y')) - 4 };
    places.push(ends.map((end) => Math.hypot(at.x - end.x, at.y - end.y)));
  }
  return places;
}"""


def at_seed(page):
    """Return the step lab at the step that sets the root's gradient: the next one is the first along an edge."""
    show(page, figures.step_backward(two_paths())).slider("Step").press("ArrowRight")


def test_contribution_animation_runs_from_consumer_to_input(page):
    at_seed(page)
    places = page.evaluate(WAY)
    assert len(places) >= 2
    (from_input, from_consumer), (at_input, at_consumer) = places[0], places[-1]
    assert from_consumer < from_input and at_input < at_consumer
    assert page.locator(".bp-flow").count() == 0
    at_seed(page)
    assert page.evaluate(STEP, 1) == [[lab(page).shown("sum.contribution"), "true"]]
    page.locator(".bp-flow").wait_for(state="detached")


def test_no_animation_on_fast_steps_jumps_or_reduced_motion(page):
    """The second of two steps removes it; and neither leaves anything behind."""
    for times in (2, 5):
        at_seed(page)
        assert page.evaluate(STEP, times) == []
    at_seed(page)
    for value in ("4", "5", "2"):
        lab(page).slider("Step").fill(value)
        assert (page.locator(".edge[data-state=backward]").count(), page.locator(".bp-flow").count()) == (1, 0)
    lab(page).press("Step back")
    assert page.locator(".bp-flow").count() == 0
    page.emulate_media(reduced_motion="reduce")
    at_seed(page)
    assert page.evaluate(STEP, 1) == []
    assert page.locator(".edge[data-state=backward]").count() == 1


# Controls that are disabled

KINDS = [
    Control("range", "r", "range", 1.0, min=0, max=2, step=0.1),
    Control("choice", "c", "choice", "one", options=("one", "two")),
    Control("toggle", "g", "toggle", True),
    Control("text", "t", "text", "words"),
    Control("button", "b", "button"),
]


def with_controls(*off):
    """Return a player with a control of each kind, some of them disabled, that notes its requests."""

    class Noted(Player):
        asked = ()

        def answer(self, values, presses):
            self.asked = (*self.asked, (values, presses))

    controls = [Control(**{**vars(control), "disabled": control.name in off}) for control in KINDS]
    recording = Recording("Controls", [Frame("Shown.", "", {})], lambda marks: "<p>A stage.</p>", "alt")
    return Noted(recording, controls=controls)


def disable(page, name, disabled):
    page.locator(".bp-player").evaluate(
        "({ player }, change) => player.take({ controls: change })", {name: {"disabled": disabled}}
    )


@pytest.mark.parametrize("control", KINDS, ids=lambda control: control.kind)
def test_disabled_control_sends_nothing_and_can_be_enabled(page, control):
    player = with_controls(control.name)
    here = join(page, player)
    part = input_of(here, control)
    assert [input_of(here, each).is_disabled() for each in KINDS] == [each is control for each in KINDS]
    part.evaluate("(node) => node.click()")
    assert player.asked == ()
    disable(page, control.name, False)
    assert part.is_enabled()
    part.press("ArrowUp" if control.kind == "range" else "ArrowDown" if control.kind == "choice" else "Space")
    here.answered()
    assert len(player.asked) >= 1
    disable(page, control.name, True)
    assert part.is_disabled()


def test_tab_key_skips_disabled_controls(page):
    here = join(page, with_controls("r", "g"))
    focused = "() => document.activeElement.getAttribute('aria-label') ?? 'button'"
    reached = []
    for _ in range(3):
        page.keyboard.press("Tab")
        reached.append(page.evaluate(focused))
    assert reached == ["choice", "text", "button"]
    input_of(here, KINDS[1]).focus()
    disable(page, "c", True)
    page.keyboard.press("Tab")
    assert page.evaluate(focused) == "text"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_controls_pass_accessibility_rules(page, scheme):
    page.emulate_media(color_scheme=scheme)
    join(page, with_controls("r", "g", "b"))
    assert_accessible(page)
    join(page, figures.drag(two_paths()))
    assert_accessible(page)


def test_compact_style_sheet_has_the_same_rules(page):
    read = """(text) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(text);
      return [...sheet.cssRules].map((rule) => rule.cssText.replaceAll(/,\\s+/g, ','));
    }"""
    whole = page.evaluate(read, style_sheet())
    assert page.evaluate(read, compact(style_sheet())) == whole and len(whole) > 200
    assert len(compact(style_sheet())) < 0.9 * len(style_sheet())
