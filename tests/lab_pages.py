"""Code shared by the tests in a browser. Without a browser, a module that imports it is skipped with a sentence."""

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
# The server itself raises these if it writes to a page that has just left.
LEFT = re.compile(r"^( *)Traceback [^\n]*\n(\1 [^\n]*\n)*\1tornado\.\w+\.(WebSocket|Stream)ClosedError", re.MULTILINE)
ANYWIDGET = "[anywidget] Failed to initialize model."  # of one that took over two seconds, and comes all the same

# A page


def watched(page):
    """Make a page keep what its scripts complain about; return it."""
    page.faults = []
    page.on("pageerror", lambda fault: page.faults.append(str(fault)) if str(fault) != ANYWIDGET else None)
    page.on("console", lambda said: page.faults.append(said.text) if said.type == "error" else None)
    return page


def plain_page(**options):
    """Return a fixture: a page without Jupyter for one test, in which no script may fail."""

    @pytest.fixture
    def page(browser):
        page = watched(browser.new_page(**{"viewport": {"width": 1000, "height": 900}, **options}))
        yield page
        page.close()
        assert page.faults == []

    return page


def write_notebook(path, *cells):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, path)


def notebook_page(*cells, labs=1, kind=".bp-player", width=1400, height=1000):
    """Return a module's fixture: the page of a notebook with these cells in JupyterLab, run, with so many labs.

    At its end nothing may have been raised or warned: not in the page, not in a cell, not in the kernel.
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
    """Assert that neither a cell nor a script of the notebook's page has raised or warned."""
    warned = [output for output in lab_server.outputs(page) if output.get("name") == "stderr"]
    raised = [*lab_server.errors(page), *page.faults, *warned]
    assert not raised, raised


def wear(page, theme):
    """Put JupyterLab into a theme, and wait until its style sheet is there and colours no longer change."""
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
    """Assert that a part of the page breaks no rule of accessibility. Of what is right only the number is read."""
    found = axe.Axe().run(page, context, {"resultTypes": ["violations"]})
    broken = [(rule["id"], rule["nodes"][0]["html"][:300]) for rule in found["violations"]]
    assert not broken, broken
    assert len(found["passes"]) >= least


def save_and_shut_down(page):
    """Save the notebook in the page, and end its kernel, as when somebody closes JupyterLab."""
    page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
    page.wait_for_function(f"() => !{PANEL}.context.model.dirty")
    page.evaluate(f"() => {PANEL}.context.sessionContext.shutdown()")


def changed_by_another(path, copy):
    """Write a copy of a notebook in which a cell differs: nobody has trusted its outputs."""
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[0].source += "\n# changed by someone else"
    nbformat.write(notebook, copy)


def cells_of(page):
    """Count the cells of the notebook in the page: d d deletes one in command mode."""
    return page.evaluate(f"() => {PANEL}.content.model.cells.length")


# A lab

DIFFERS = """(section, frame) => {
  const found = [];
  for (const [key, mark] of Object.entries(frame.updates)) {
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
    """A lab of a page: what a learner does with it, and what it shows. For all else ask its part of the page."""

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
        return self.locator(f"[data-key='{key}']")

    def press(self, name, times=1):
        for _ in range(times):
            self.button(name).click()

    def begin(self):
        """Go to its first frame, by key; the focus stays on its slider."""
        self.locator(".bp-bar input[type=range]").press("Home")

    def shown(self, key):
        return self.part(key).text_content()

    def sentence_shown(self):
        return self.locator("output[aria-live]").text_content()

    def height(self):
        return round(self.bounding_box()["height"])

    def wait_said(self, text):
        self.locator("output[aria-live]", has_text=text).wait_for(timeout=20_000)

    def wait_at(self, text):
        self.locator(".bp-at", has_text=text).wait_for(timeout=20_000)

    def wait_shown(self, key, text):
        """Wait until a part of its stage shows this text, which may be out of sight."""
        self.part(key).filter(has_text=text).wait_for(timeout=20_000, state="attached")

    def wait_message(self, text):
        self.locator(".bp-message", has_text=text).wait_for(timeout=20_000)

    def answered(self):
        """Wait until it owes no answer, and has drawn the last one."""
        done = "({ player }) => !player.requests.asked && !player.drawing"
        self.page.wait_for_function(done, arg=self.element_handle())

    def assert_shows(self, frame):
        """Assert that the page has every text, state and attribute of a frame, its sentence and its place."""
        differs = self.evaluate(DIFFERS, vars(frame))
        assert not differs, differs

    def assert_walks(self, recording):
        """Assert that it shows every frame, step by step to the last and back; what is under the lab never moves."""
        walk = self.evaluate(WALK, [vars(frame) for frame in recording.frames])
        assert not walk["found"], walk["found"]
        assert len(walk["heights"]) == 1, walk["heights"]


def lab(page, place=0):
    return Lab(page.locator(".bp-player").nth(place))


def drag(page, part, *moves):
    """Press on the middle of a part, move the pointer through these places, relative to it, and release."""
    box = part.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for right, down in moves:
        page.mouse.move(x + right, y + down, steps=6)
        yield
    page.mouse.up()


# A lab in a page without Jupyter: alone, or with a model in the page, which the lab in this process answers.

# JupyterLab and anywidget put a widget's model into a page; `answer` replies to its messages.
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
TRAITS = ("news", "patch", "values", "index", "reply")  # in this order: the reply says that everything has been sent
COUNT = itertools.count()


def show(page, *players):
    """Put players into the page, which has no kernel; return the first as it is there."""
    parts = "".join(player.html() for player in players)
    page.set_content(f"<!DOCTYPE html><html lang='en'><title>Players</title><body>{parts}</body></html>")
    lab(page, len(players) - 1).wait_for()
    return lab(page)


def join(page, player):
    """Put a player into the page with its model, whose requests the player itself answers; return the lab there."""

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
