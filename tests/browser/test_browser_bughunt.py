"""Bug hunt in a browser: by key, narrow and wide, light and dark, in both languages; it fetches nothing."""

import re

import pytest

from site_build import HUNT_FILE, bughunt
from site_build.book.lessons import slug
from site_build.book.texts import BUGS
from site_build.bughunt.graphs import short
from tests.lab_pages import assert_accessible, watched
from tests.sampling import sample
from tests.sites.test_bughunt import data, graph

SIZES = {390: 844, 820: 1100, 1400: 900, 1600: 1000}


@pytest.fixture
def opened(browser):
    """Return a function that opens a case in a page without stored data, and notes all its requests."""
    contexts = []

    def open(case="", width=1400, dark=False, language="en-GB", file=HUNT_FILE):
        scheme = "dark" if dark else "light"
        context = browser.new_context(
            viewport={"width": width, "height": SIZES[width]},
            color_scheme=scheme,
            locale=language,
            reduced_motion="reduce",
        )
        contexts.append(context)
        page = watched(context.new_page())
        page.asked = []
        page.on("request", lambda request: page.asked.append(request.url))
        page.goto(f"{file.as_uri()}{case}")
        page.locator("#stage svg").wait_for()
        return page

    yield open
    for context in contexts:
        for page in context.pages:
            fetched = {url.split("#")[0] for url in page.asked if not url.startswith("data:")}
            assert page.faults == [] and {url.rsplit("/", 1)[-1] for url in fetched} == {HUNT_FILE.name}
        context.close()


def suspect(page, id):
    return page.locator(f"#suspects [data-id='{id}']")


def accuse(page, id):
    suspect(page, id).locator(".pick").click()
    page.locator(".name-it").click()


def assert_fits(page):
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", SIZES)
def test_every_game_state_is_accessible_and_fits(opened, width, dark):
    """A start, a nudge, the pad, a pick, a wrong name, an end, the list, the help; in German in the dark."""
    language = "de-DE" if dark else "en-GB"
    page = opened("#case-24", width, dark, language)
    page.evaluate("document.querySelector('#right').open = true")
    states = {
        "run": lambda: page.locator("#run").click(),
        "nudge": lambda: (page.locator("[data-node=c]").click(), page.locator("#nudge").click()),
        "pad": lambda: (page.locator("#pad").click(), page.locator("[data-node=f]").click()),
        "pick": lambda: suspect(page, "M5").locator(".pick").click(),
        "wrong": lambda: page.locator(".name-it").click(),
        "end": lambda: (accuse(page, "M7"), [each.click() for each in page.locator("#end summary").all()]),
        "list": lambda: page.locator("#cases").click(),
        "help": lambda: (page.keyboard.press("Escape"), page.locator("#help").click()),
        "other": lambda: (page.keyboard.press("Escape"), page.goto(f"{HUNT_FILE.as_uri()}#case-29")),
        "hint": lambda: [page.locator(f"#{button}").click() for button in ("run", "hint")],
        "lost": lambda: (accuse(page, "M11"), accuse(page, "OK")),
    }
    for name, change in states.items():
        change()
        if name in ("pad", "wrong", "end", "list", "help", "lost"):
            assert_accessible(page, "html", least=10)
        assert_fits(page)
    assert page.locator("#right li").count() >= 3 and page.locator("#end.lost").is_visible()
    assert page.locator("#verdict").inner_text() == bughunt.all_texts()[language[:2]]["page"]["got_away"]


def test_no_case_overflows_a_phone_screen(opened):
    page = opened("", 390, language="de-DE")
    for number, (_, _, culprit, *_) in sample(enumerate(data()["cases"], 1), 6):
        page.goto(f"{HUNT_FILE.as_uri()}#case-{number}")
        page.locator(f"#title:text-matches('^{number} ')").wait_for()
        assert_fits(page)
        page.locator("#run").click()
        accuse(page, culprit)
        assert page.locator("#verdict").is_visible()
        assert_fits(page)
        smallest = "svg => 12 * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width"
        assert page.locator("#stage svg").evaluate(smallest) >= 9, "pixels of the smallest text"
        lit = page.locator(".edge.fault, .node.fault").count()
        assert (lit == 0) is (culprit == "OK"), number
        assert page.locator("#stage").evaluate("node => node.getBoundingClientRect().bottom") < SIZES[390]


def test_case_can_be_played_by_keyboard(opened):
    """The game reports what happened, and every square has a name."""
    page = opened()
    said = page.locator("#message")
    assert page.locator("#title").inner_text() == "1 · Double" and "one of its rules may be wrong" in said.inner_text()
    page.keyboard.press("r")
    assert said.inner_text().startswith("Orange is what the engine says")
    assert said.locator(".hear").text_content() == "Gradients: d 1, a 1."
    node = page.locator("[data-node=a]")
    assert node.get_attribute("aria-label") == "a, an input: data 3, grad 1, true slope not measured"
    node.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("n")
    assert said.inner_text().endswith("the true slope is 2. The engine says 1. Who did it?")
    assert node.get_attribute("aria-label").endswith("true slope 2. The engine’s number is wrong")
    page.keyboard.press("2")
    page.keyboard.press("x")
    assert suspect(page, "OK").locator(".cross").get_attribute("aria-pressed") == "true"
    page.locator("[role=spinbutton]").focus()
    page.keyboard.press("ArrowUp")
    assert page.locator("[role=spinbutton]").get_attribute("aria-valuenow") == "4"
    assert page.evaluate("document.activeElement.getAttribute('role')") == "spinbutton"
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    assert page.locator("#verdict").inner_text() == "Solved in 2 squares."
    assert "Your first run was proof enough." in page.locator("#end").inner_text()
    assert page.locator("#end .hear:has-text('From d to a')").text_content().strip() == "From d to a: 1 erased."
    assert page.evaluate("document.activeElement.id") == "end"
    names = page.locator("#squares .hear").all_inner_texts()
    assert names == ["run", "nudge", "solved", "free", "free", "free"]
    page.keyboard.press("Enter")
    assert page.locator("#title").inner_text() == "2 · Rectangle"
    assert page.evaluate("document.activeElement.id") == "title"
    page.keyboard.press("r")
    assert page.locator("#squares .hear").first.inner_text() == "run"
    page.locator("#help").press("Enter")
    page.locator("#shortcuts").press("Space")
    page.keyboard.press("Escape")
    page.keyboard.press("r")
    assert page.locator("#squares .hear").nth(1).inner_text() == "free" and not page.locator("#run kbd").is_visible()
    page.locator("#cases").press("Enter")
    tile = page.locator(".tiles [data-case='1']")
    assert tile.inner_text().split("\n") == ["1", "2 squares"] and "1 of 30 solved" in page.locator(".sum").inner_text()


def test_feedback_states_the_conclusion_of_each_move(opened):
    """A number that is wrong for sure is named; a lucky guess learns which run would have been a proof."""
    page = opened("#case-2")
    assert page.locator("#steppers [role]").evaluate_all("parts => parts.map((x) => x.ariaLabel)") == ["w", "h"]
    assert page.locator("#steppers [role]").all_inner_texts() == ["3", "5"], "as levels.toml says"
    page.goto(f"{HUNT_FILE.as_uri()}#case-3")
    page.locator("#title:text-matches('^3')").wait_for()
    page.locator("#run").click()
    assert "At d the engine says 0, and the true slope is 1." in page.locator("#message").inner_text()
    page.goto(f"{HUNT_FILE.as_uri()}#case-25")
    page.locator("#title:text-matches('^25')").wait_for()
    for leaf, by in (("a", -1), ("b", -1)):  # a = 0, b = 1: a box with gradient 0, and two boxes with the number 0
        page.locator(f"[data-x={leaf}] [data-by='{by}']").click()
    page.locator("#run").click()
    accuse(page, "H10")
    said = page.locator("#end").inner_text().replace("−", "-")
    numbers = re.search(r"A run at a = (\S+), b = (\S+) would have told them apart", said).groups()
    shown = {id: graph("meeting").shown(id, dict(zip("ab", map(float, numbers)))) for id in ("H10", "M20")}
    assert page.locator("#verdict").inner_text() == "Right, by luck." and shown["H10"] != shown["M20"]
    page.goto(f"{HUNT_FILE.as_uri()}#case-21")
    page.locator("#pad").click()
    assert page.locator("#pad").inner_text().startswith("Close pad") and page.locator("#run").is_disabled()
    page.locator("#pad").click()
    assert page.locator("#pad").inner_text().startswith("Scratch pad") and page.locator("#run").is_enabled()


def test_a_name_and_escape_close_the_scratch_pad(opened):
    page = opened("#case-21")
    page.locator("#run").click()
    page.locator("#pad").click()
    accuse(page, "M1")
    assert page.locator("#message").inner_text().startswith("Not “+ erases”.")
    assert page.locator("#run").is_enabled() and suspect(page, "M5").locator(".pick:focus").count()
    page.locator("#pad").click()
    page.keyboard.press("Escape")
    assert page.locator("#pad").inner_text().startswith("Scratch pad") and page.locator("#run").is_enabled()


def test_the_suspects_are_compared_after_the_same_runs(opened):
    """The gradients that are never set back to 0 pile up over all runs, not only over the last two."""
    page = opened("#case-28")
    ats = [{"w": 2.0, "x": 1.0, "b": b} for b in (-1.0, -1.0, 0.0)]
    assert page.locator("#steppers [role]").all_inner_texts() == ["0", "1", "−1"]
    for leaf, clicks in (("w", 2), ("w", 0), ("b", 1)):
        for _ in range(clicks):
            page.locator(f"[data-x={leaf}] [data-by='1']").click()
        page.locator("#run").click()
    accuse(page, "OK")
    page.locator("#end summary").last.click()
    names = page.locator(".others thead th").all_inner_texts()
    for id in data()["cases"][27][3]:
        row = page.locator(f".others tr:has-text('{bughunt.all_texts()['en']['suspects'][id][0]}')")
        grads = {name: short(grad) for name, (_, grad) in graph("relu_neuron").runs(id, ats)[-1].items()}
        shown = [text.replace("−", "-") for text in row.locator("td").all_inner_texts()]
        assert shown == [grads[name] for name in names] and names[:3] == ["w", "x", "b"], id


def test_what_was_due_is_what_a_right_engine_sends_and_a_corner_is_not_judged(opened):
    page = opened("#case-24")
    assert page.locator("#steppers [role]").all_inner_texts() == ["2", "1"]
    page.locator("#run").click()
    accuse(page, "M7")
    right = graph("ladder").run("OK", {"a": 2.0, "b": 1.0})
    assert f"From c to a: 2 not {short(right['c'][1])}." in page.locator("#end .hear").last.text_content()
    page.goto(f"{HUNT_FILE.as_uri()}#case-17")
    page.locator("#title:text-matches('^17')").wait_for()
    page.locator("[data-x=a] [data-by='1']").click()
    page.locator("#nudge").click()
    assert "This nudge was free." in page.locator("#message").inner_text() and page.locator("#squares .on").count() == 0
    page.locator("#run").click()
    accuse(page, "H7")
    marks = [page.locator(f"[data-node={leaf}].off").count() for leaf in "ab"]
    assert marks == [0, 1], "a is at the corner of its relu"


def test_back_leads_to_the_case_before_and_a_reload_keeps_the_moves(opened):
    page = opened("#case-1")
    page.locator("#run").click()
    accuse(page, "M1")
    page.locator("#end .next").click()
    page.locator("#run").click()
    page.reload()
    assert page.locator("#title").inner_text() == "2 · Rectangle" and page.locator("#squares .on").count() == 1
    page.locator("#language").select_option("de")
    assert page.locator("#message").inner_text().startswith("Orange ist, was die Engine sagt")
    page.go_back()
    page.locator("#title:text-matches('^1 ')").wait_for()
    assert page.locator("#end").is_visible() and page.locator("#squares .on").count() == 2
    page.locator("#end [data-case='1']").click()
    assert page.locator("#end").is_hidden() and page.locator("#squares .on").count() == 0


def test_daily_case_and_language_survive_a_reload(opened):
    """A day goes on after a reload with the moves so far; copying its result does not give it away."""
    page = opened("#today")
    page.locator("#run").click()
    page.locator("#hint").click()
    page.locator("#language").select_option("de")
    page.reload()
    assert page.locator("html").get_attribute("lang") == "de" and page.locator("h1").inner_text() == "Fehlerjagd"
    assert page.locator("#squares .on").count() == 2
    ids = page.locator("#suspects li").evaluate_all("items => items.map((each) => each.dataset.id)")
    for id in ids:
        if page.locator("#end").is_hidden() and suspect(page, id).locator(".pick").is_enabled():
            accuse(page, id)
    page.reload()
    assert page.locator("#end").is_visible()
    share = page.locator("[data-copy]").get_attribute("data-copy")
    assert share.startswith("Fehlerjagd, ") and "🟧🟨" in share
    names = [name for name, _ in bughunt.all_texts()["de"]["suspects"].values()]
    assert [name for name in names if name in share] == []


def test_first_probe_takes_less_than_a_second(opened):
    """From the file to the numbers of a first run, by the page's own clock; the best of three, on a busy machine."""
    page = opened()
    run = "document.querySelector('#run').click(); window.took = performance.now();"
    page.add_init_script(f"addEventListener('load', () => {{ {run} }});")
    took = []
    for _ in range(3):
        page.reload()
        took.append(page.evaluate("took"))
        assert page.locator("[data-node=a] .num.grad").text_content() == "1"
    assert min(took) < 1000, took


def test_replay_shows_the_backward_pass_write_by_write(opened):
    page = opened("#case-1")
    page.locator("#run").click()
    accuse(page, "M1")
    page.locator("[data-play]").click()
    page.locator("#message:has-text('d passes 1 to a: 0 becomes 1.')").wait_for()
    page.locator("#message:has-text('That share is gone.')").wait_for()
    page.locator("#message:has-text('from first to last')").wait_for()


@pytest.mark.parametrize(("site", "where"), [("book", ""), ("page", "../book/"), ("mine", None)])
def test_ending_links_to_the_lesson_and_the_real_bugs(opened, tmp_path, site, where):
    (tmp_path / site).mkdir()
    file = tmp_path / site / HUNT_FILE.name
    file.write_bytes(HUNT_FILE.read_bytes())
    page = opened(file=file)
    page.locator("#run").click()
    accuse(page, "M1")
    links = page.locator("#end a").evaluate_all("links => links.map((link) => link.getAttribute('href'))")
    title = bughunt.bug_titles()["M1"]
    there = ["lessons/03_used_more_than_once.html#Break-it:-=-for-+=", f"{BUGS}.html#{slug(title)}"]
    assert links == ([] if where is None else [f"{where}{each}" for each in there])
    said = page.locator("#end").inner_text()
    assert "lesson 03, “Break it: = for +=”" in said and f"“Bugs in the wild”, “{title}”" in said
