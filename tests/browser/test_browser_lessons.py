"""Every lesson in a real JupyterLab: it runs from the first cell to the last; nothing is broken or too wide."""

import shutil

import pytest

from tests import lab_server, notebooks
from tests.lab_pages import assert_quiet, watched

BROKEN = ("model not found", "Loading widget", "Error displaying widget", "Javascript Error", "[object Object]")

TOO_WIDE = """() => [...document.querySelectorAll('.jp-OutputArea-output, .jp-MarkdownOutput')]
  .filter((part) => part.clientWidth && part.scrollWidth > part.clientWidth + 2)
  .map((part) => part.textContent.slice(0, 80))"""

UNNAMED = """() => [...document.querySelectorAll('.jp-Notebook :is(img, svg[role=img])')]
  .filter((picture) => !['alt', 'aria-label', 'aria-labelledby'].some((name) => picture.getAttribute(name))).length"""


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):
    folder = tmp_path_factory.mktemp("notebooks")
    for path in notebooks.EVERY:
        shutil.copy(path, folder)
    with lab_server.jupyter_lab(folder) as place:
        page = watched(browser.new_page(viewport={"width": 1000, "height": 900}))
        page.place = place
        yield page
        page.close()


@pytest.mark.parametrize("path", notebooks.EVERY, ids=lambda path: path.stem)
def test_lesson_opens_and_runs_cleanly(path, page):
    if page.url == "about:blank":
        lab_server.open_notebook(page, page.place, path.name)
        page.evaluate("() => { window.jupyterapp.shell.collapseLeft(); }")
    else:
        lab_server.open_next(page, page.place, path.name)
    page.faults.clear()
    lab_server.run_all(page)
    text = page.locator(".jp-Notebook").inner_text()
    assert [words for words in BROKEN if words in text] == []
    assert page.evaluate(TOO_WIDE) == []
    assert page.evaluate(UNNAMED) == 0
    assert_quiet(page)
