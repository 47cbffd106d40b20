"""Every lesson in a real JupyterLab: it runs from the first cell to the last; nothing is broken or too wide."""

import shutil

import pytest

from tests import lab_server, lessons

sync_api = pytest.importorskip("playwright.sync_api", reason='Playwright is not installed: pip install -e ".[test]"')
if lab_server.CHROMIUM is None:
    pytest.skip("no Chromium or Chrome is installed here", allow_module_level=True)

BROKEN = ("model not found", "Loading widget", "Error displaying widget", "Javascript Error", "[object Object]")

TOO_WIDE = """() => [...document.querySelectorAll('.jp-OutputArea-output, .jp-MarkdownOutput')]
  .filter((part) => part.clientWidth && part.scrollWidth > part.clientWidth + 2)
  .map((part) => part.textContent.slice(0, 80))"""

UNNAMED = """() => [...document.querySelectorAll('.jp-Notebook :is(img, svg[role=img])')]
  .filter((picture) => !(picture.getAttribute('alt') || picture.getAttribute('aria-label')
    || picture.getAttribute('aria-labelledby'))).length"""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A JupyterLab over a copy of the lessons."""
    folder = tmp_path_factory.mktemp("notebooks")
    for path in lessons.LESSONS:
        shutil.copy(path, folder)
    with lab_server.jupyter_lab(folder) as running:
        yield running


@pytest.fixture(scope="module")
def page(browser):
    """A page that shows one lesson after another; `said` is what its scripts complained of."""
    page = browser.new_page(viewport={"width": 1000, "height": 900})
    page.said = []
    page.on("pageerror", lambda fault: page.said.append(str(fault)))
    page.on("console", lambda message: page.said.append(message.text) if message.type == "error" else None)
    yield page
    page.close()


@pytest.mark.parametrize("path", lessons.LESSONS, ids=lambda path: path.stem)
def test_a_lesson_opens_and_runs(path, place, page):
    if page.url == "about:blank":
        lab_server.open_notebook(page, place, path.name)
        page.evaluate("() => { window.jupyterapp.shell.collapseLeft(); }")
    else:
        lab_server.open_next(page, place, path.name)
    page.said.clear()
    lab_server.run_all(page)
    assert lab_server.errors(page) == []
    assert [output for output in lab_server.outputs(page) if output.get("name") == "stderr"] == []
    text = page.locator(".jp-Notebook").inner_text()
    assert [words for words in BROKEN if words in text] == []
    assert page.evaluate(TOO_WIDE) == []
    assert page.evaluate(UNNAMED) == 0
    assert page.said == []
