"""What the tests in a browser share. Where there is no browser, a module that imports it is skipped with a sentence."""

import itertools
import json
import re

import nbformat
import pytest

from tests import lab_server

pytest.importorskip("playwright.sync_api", reason='a browser test needs: pip install -e ".[test]"')
axe = pytest.importorskip("axe_core_python.sync_playwright", reason='accessibility needs: pip install -e ".[test]"')
if lab_server.CHROMIUM is None:
    pytest.skip("no Chromium here; to add one: apt install chromium", allow_module_level=True)

PANEL = "window.jupyterapp.shell.currentWidget"
THEMES = "JupyterLab Light", "JupyterLab Dark"
# What the server itself raises where it writes to a page that has just left.
LEFT = re.compile(r"^( *)Traceback [^\n]*\n(\1 [^\n]*\n)*\1tornado\.\w+\.(WebSocket|Stream)ClosedError", re.MULTILINE)
ANYWIDGET = "[anywidget] Failed to initialize model."  # of one that took over two seconds, and comes all the same

# A page


def watched(page):
    """A page that keeps what its scripts complain of."""
    page.faults = []
    page.on("pageerror", lambda fault: page.faults.append(str(fault)) if str(fault) != ANYWIDGET else None)
    page.on("console", lambda said: page.faults.append(said.text) if said.type == "error" else None)
    return page


def plain_page(**options):
    """A fixture: a page without Jupyter for one test, in which nothing is thrown."""

    @pytest.fixture
    def page(browser):
        page = watched(browser.new_page(**{"viewport": {"width": 1000, "height": 900}, **options}))
        yield page
        page.close()
        assert page.faults == []

    return page


def write_notebook(path, *cells):
    """A notebook with these code cells."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, path)


def notebook_page(*cells, labs=1, kind=".bp-player", width=1400, height=1000):
    """A fixture for a module: the page of a notebook with these cells in JupyterLab, run, with so many labs or quizzes.

    When it is left, nothing has been raised: not in the page, not in a cell, not in the kernel, and nothing warned.
    """

    @pytest.fixture(scope="module")
    def page(browser, tmp_path_factory):
        folder = tmp_path_factory.mktemp("notebooks")
        write_notebook(folder / "labs.ipynb", *cells)
        with lab_server.jupyter_lab(folder) as place:
            page = watched(browser.new_page(viewport={"width": width, "height": height}))
            page.place, page.folder = place, folder
            lab_server.open_notebook(page, place, "labs.ipynb")
            page.evaluate("() => { window.jupyterapp.shell.collapseLeft(); }")
            page.faults.clear()  # JupyterLab's own, of settings that are not there yet
            lab_server.run_all(page)
            page.locator(kind).nth(labs - 1).wait_for(state="attached")
            yield page
            assert_quiet(page)
            page.close()
            _, traceback, what = LEFT.sub("", place.log()).partition("Traceback")
            assert not traceback, what

    return page


def assert_quiet(page):
    """Neither a cell nor a script of the notebook's page has raised or warned."""
    warned = [output for output in lab_server.outputs(page) if output.get("name") == "stderr"]
    raised = [*lab_server.errors(page), *page.faults, *warned]
    assert not raised, raised


def wear(page, theme):
    """Put JupyterLab into a theme, and wait until its style sheet is there and colours stand still."""
    page.emulate_media(reduced_motion="reduce")
    page.evaluate("(theme) => { window.jupyterapp.commands.execute('apputils:change-theme', { theme }); }", theme)
    page.wait_for_function(
        """(theme) => {
          const paper = getComputedStyle(document.body).getPropertyValue('--jp-layout-color0').trim();
          const light = ['white', '#fff'].includes(paper);
          return document.body.dataset.jpThemeName === theme && light === theme.includes('Light')
            && document.getAnimations().every((one) => one.playState === 'finished');
        }""",
        arg=theme,
    )


def assert_accessible(page, context=".bp-player", least=6):
    """No rule of accessibility is broken in a part of the page. What is right is counted alone: there is much of it."""
    found = axe.Axe().run(page, context, {"resultTypes": ["violations"]})
    broken = [(rule["id"], rule["nodes"][0]["html"][:300]) for rule in found["violations"]]
    assert not broken, broken
    assert len(found["passes"]) >= least


def save_and_shut_down(page):
    """Save the notebook in the page, and end its kernel, as when JupyterLab is closed."""
    page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
    page.wait_for_function(f"() => !{PANEL}.context.model.dirty")
    page.evaluate(f"() => {PANEL}.context.sessionContext.shutdown()")


def changed_by_another(path, copy):
    """A copy of a notebook in which a cell is another: nobody has trusted its outputs."""
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[0].source += "\n# changed by someone else"
    nbformat.write(notebook, copy)


def cells_of(page):
    """How many cells the notebook in the page has: d d deletes one in command mode."""
    return page.evaluate(f"() => {PANEL}.content.model.cells.length")


# A lab

DIFFERS = """(section, frame) => {
  const found = [];
  for (const [key, mark] of Object.entries(frame.marks)) {
    const part = section.querySelector(`[data-key="${key}"]`);
    for (const [name, value] of Object.entries(mark)) {
      const seen = name === 'text' ? part.textContent : part.getAttribute(name === 'state' ? 'data-state' : name);
      if (seen !== String(value)) found.push([key, name, seen, value]);
    }
  }
  const said = section.querySelector('output[aria-live]').textContent;
  const at = section.querySelector('.bp-at').textContent;
  if (said !== frame.say || at !== frame.at) found.push([said, frame.say, at, frame.at]);
  return found;
}"""
WALK = f"""(section, frames) => {{
  const differs = {DIFFERS};
  const press = (name) => section.querySelector(`[aria-label="${{name}}"]`).click();
  const heights = new Set();
  const look = (frame, place) => {{
    heights.add(Math.round(section.getBoundingClientRect().height));
    return differs(section, frame).map((fault) => [place, ...fault]);
  }};
  press('First step');
  const found = frames.map((frame, place) => {{
    if (place) press('Step forward');
    return look(frame, place);
  }});
  for (let place = frames.length - 2; place >= 0; place -= 1) {{
    press('Step back');
    found.push(look(frames[place], place));
  }}
  return {{ found: found.flat(), heights: [...heights] }};
}}"""


class Lab:
    """A lab of a page: what a learner does with it, and what it shows. All else is asked of its part of the page."""

    def __init__(self, node):
        self.node = node

    def __getattr__(self, name):
        return getattr(self.node, name)

    def button(self, name):
        return self.get_by_role("button", name=name, exact=True)

    def slider(self, name):
        return self.get_by_role("slider", name=name, exact=True)

    def choice(self, name):
        return self.get_by_role("combobox", name=name, exact=True)

    def part(self, key):
        """A part of its stage."""
        return self.locator(f"[data-key='{key}']")

    def press(self, name, times=1):
        for _ in range(times):
            self.button(name).click()

    def begin(self):
        """Go to its first frame, by key; the focus stays on its slider."""
        self.locator(".bp-bar input[type=range]").press("Home")

    def shown(self, key):
        """The text of a part of its stage."""
        return self.part(key).text_content()

    def said(self):
        """Its sentence."""
        return self.locator("output[aria-live]").text_content()

    def height(self):
        return round(self.bounding_box()["height"])

    def wait_said(self, text):
        self.locator("output[aria-live]", has_text=text).wait_for(timeout=20_000)

    def wait_at(self, text):
        """Wait until it is at this place of its story."""
        self.locator(".bp-at", has_text=text).wait_for(timeout=20_000)

    def wait_shown(self, key, text):
        """Wait until a part of its stage shows this text, which may not be in sight."""
        self.part(key).filter(has_text=text).wait_for(timeout=20_000, state="attached")

    def wait_message(self, text):
        self.locator(".bp-message", has_text=text).wait_for(timeout=20_000)

    def answered(self):
        """Wait until it owes no answer, and has drawn the last one."""
        done = "({ player }) => !player.requests.asked && !player.drawing"
        self.page.wait_for_function(done, arg=self.element_handle())

    def assert_shows(self, frame):
        """Every text, state and attribute of a frame stands in the page, and so do its sentence and its place."""
        differs = self.evaluate(DIFFERS, vars(frame))
        assert not differs, differs

    def assert_walks(self, recording):
        """Every frame, step by step to the last and back, is shown; and what stands under the lab never moves."""
        walk = self.evaluate(WALK, [vars(frame) for frame in recording.frames])
        assert not walk["found"], walk["found"]
        assert len(walk["heights"]) == 1, walk["heights"]


def lab(page, place=0):
    """A lab of the page."""
    return Lab(page.locator(".bp-player").nth(place))


def drag(page, part, *moves):
    """Take a part at its middle and move the pointer through these places, counted from there, before it is let go."""
    box = part.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for right, down in moves:
        page.mouse.move(x + right, y + down, steps=6)
        yield
    page.mouse.up()


# A lab in a page without Jupyter: alone, or with a model in the page, which the lab in this process answers.

# What JupyterLab and anywidget put into a page for a widget: its model. What it says is answered by `answer`.
MODEL = """([name, answer, state]) => {
  const heard = new Map();
  const model = {
    get: (trait) => state[trait],
    set(trait, value) { state[trait] = value; },
    on: (event, act) => heard.set(event, [...(heard.get(event) || []), act]),
    off: (event, act) => heard.set(event, (heard.get(event) || []).filter((each) => each !== act)),
    async save_changes() {
      const sent = { request: state.request, index: state.index };
      for (const [trait, value] of Object.entries(JSON.parse(await window[answer](JSON.stringify(sent))))) {
        if (JSON.stringify(state[trait]) === JSON.stringify(value)) continue;
        state[trait] = value;
        for (const act of heard.get(`change:${trait}`) || []) act();
      }
    },
  };
  const page = (globalThis[Symbol.for("backprop models")] ??= { models: new Map(), news: new EventTarget() });
  page.models.set(name, model);
  page.news.dispatchEvent(new CustomEvent(name));
}"""
TRAITS = ("news", "patch", "values", "index", "reply")  # in this order: the reply says that all has been told
COUNT = itertools.count()


def show(page, *players):
    """Put players into the page, which has no kernel; the first as it stands there."""
    parts = "".join(player.html() for player in players)
    page.set_content(f"<!DOCTYPE html><html lang='en'><title>Players</title><body>{parts}</body></html>")
    lab(page, len(players) - 1).wait_for()
    return lab(page)


def join(page, player):
    """Put a player into the page and let it have its model, whose requests the player itself answers; the lab there."""

    def answer(sent):
        sent = json.loads(sent)
        player.index = sent["index"]
        if sent["request"] and sent["request"]["number"] != player.reply:
            player.request = sent["request"]
        return json.dumps({name: getattr(player, name) for name in TRAITS})

    here = show(page, player)
    page.expose_function(name := f"answer{next(COUNT)}", answer)
    state = {trait: getattr(player, trait) for trait in TRAITS} | {"request": {}}
    page.evaluate(MODEL, [player.name, name, json.loads(json.dumps(state))])
    return here
