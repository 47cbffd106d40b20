"""The book's own pages: the front page, the labs, the glossary, their metadata, and their last changes."""

import re
import types

import nbformat
import numpy as np
import pytest
from docutils import nodes, utils
from IPython.core.formatters import DisplayFormatter
from PIL import Image

pytest.importorskip("myst_nb", reason='the book needs: pip install -e ".[book]"')

import exercises
import figures
from exercises.content.lessons import LESSONS
from exercises.judging import grading
from exercises.tasks.place_zero_grad.check import AS_GIVEN
from figures.labs import goal
from site_build import ROOT
from site_build.book import finish, front, glossary, lessons, metadata, pages, preview, recorded
from site_build.book.shared import Shared
from tests import notebooks

README = (ROOT / "README.md").read_text(encoding="utf-8")
BOOKS = {path.relative_to(notebooks.NOTEBOOKS): notebooks.read(path) for path in notebooks.EVERY}
WHERE = "page/lab/index.html?path=notebooks/{}"


def test_front_page_has_a_lab_four_entry_links_and_all_lessons():
    files = Shared()
    text = front.page(files, WHERE)
    parts = ('<div class="front-lead">', 'data-model="goal 0 0 0"', '<nav class="front-doors"', "## The lessons")
    places = [text.index(part) for part in parts]
    assert places == sorted(places) and goal.SCRIPT in text and goal.SCRIPT not in files.files.values()
    assert text.count('<a class="front-door"') == 4 and f'href="../{WHERE.format(LESSONS[0].file)}"' in text
    assert "Five evenings · 7 hours" in text and f"One sitting · {LESSONS[0].minutes} minutes" in text
    for lesson in LESSONS:
        row = next(line for line in text.splitlines() if f"(lessons/{lesson.file})" in line)
        picture = re.match(r"\| !\[\]\(gallery/(\w+\.svg)\) \| ", row)
        assert f"| {lesson.time} |" in row and (pages.PICTURES / picture[1]).is_file()
    assert len(set(front.PICTURES.values())) == len(LESSONS)
    assert "missing brackets" in text, "the check knows the mistake"
    assert 'href="../page/doctor/index.html"' in text
    assert front.START in README and "page/" not in front.page(files, "").replace("blank_page/", "")


def test_goal_lab_in_the_book_needs_no_kernel():
    shown = recorded.as_page(figures.goal(1.0))["text/html"]
    assert 'data-model="goal 1 0 0"' in shown and goal.SCRIPT in shown


def test_self_test_is_replaced_in_the_book(monkeypatch):
    """Its rows would describe the machine that built the book."""
    shell = types.SimpleNamespace(display_formatter=DisplayFormatter())
    monkeypatch.setattr("IPython.get_ipython", lambda: shell)
    recorded.install()
    shown, _ = shell.display_formatter.format(exercises.self_test())
    assert recorded.UNTESTED in shown["text/html"] and "<table" not in shown["text/html"]


def test_every_lab_links_to_the_notebooks_that_show_it():
    code = {place.as_posix(): "\n".join(cell.source for cell in book.cells) for place, book in BOOKS.items()}
    rows = re.findall(r"^\| (?:!\[\]\(gallery/(\w+)\.svg\))? \| (`.*)$", pages.labs(), re.MULTILINE)
    assert len(rows) > 30
    for picture, row in rows:
        lab, homes, _ = re.split(r"(?<!\\) \| ", row, maxsplit=2)
        assert picture in lab and bool(picture) == (not lab.startswith("`exercises.")), row
        if "gym(" in lab:
            continue
        calls = [f"{'' if '.' in call else 'figures.'}{call}(" for call in re.findall(r"`([\w.]+)\(", lab)]
        showing = {place for place, text in code.items() if any(call in text for call in calls)}
        assert {*re.findall(r"\]\(lessons/(.*?)\)", homes)} == showing, row
        assert (homes == "in no lesson") == (not showing), row


def test_glossary_has_every_word_with_its_lesson():
    text = glossary.page(BOOKS)
    words = re.findall(r"^### (.*)$", text, re.MULTILINE)
    listed = re.findall(r"\[([^\]]+)\]\(#[^)]*\)", text.split("\n## ")[0])
    assert sorted(words) == sorted(listed) and listed == sorted(listed, key=str.casefold)
    assert words.index("upstream gradient") < words.index("leaf") < words.index("Adam")
    for place, cells in BOOKS.items():
        order = glossary.headings(BOOKS, place.as_posix())
        said = re.search(
            rf"^## \[[^\n]*\({re.escape(f'lessons/{place}')}\)\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE
        )
        treated = re.findall(r"^Treated in \[“(.*)”\]", said[1], re.MULTILINE) if said else []
        assert treated == sorted(treated, key=order.index), cells.cells[0].source


def test_book_text_never_asks_for_a_kernel(tmp_path):
    asked = [grading.UNCHANGED, grading.NOTHING_YET, AS_GIVEN]
    outputs = [nbformat.v4.new_output("display_data", {"text/html": f"<p>{said}</p>"}) for said in asked]
    said = ["# A lesson", *lessons.SAID, "Play case 11 of the bug hunt."]
    cells = [nbformat.v4.new_markdown_cell("\n".join(said)), nbformat.v4.new_code_cell("")]
    cells[1].outputs = outputs
    place = next(iter(BOOKS))
    for where, there in ((WHERE, f'<a href="../../{WHERE.format(place)}">{lessons.RUN}</a>'), ("", "in JupyterLab")):
        lessons.write(
            {place: nbformat.from_dict(nbformat.v4.new_notebook(cells=cells)).copy()}, tmp_path, Shared(), where
        )
        text = nbformat.read(tmp_path / place, as_version=4)
        for output in text.cells[1].outputs:
            page = output["data"]["text/html"]
            assert "run it" not in page and "run this cell again" not in page and there in page
        assert "Shift+Enter" not in text.cells[0].source
        assert 'Play <a href="../bughunt.html#case-11">case 11 of the bug hunt</a>.' in text.cells[0].source


def test_replaced_sentences_exist_in_the_lessons():
    texts = [notebooks.read(path) for path in notebooks.LESSONS]
    sources = "\n".join(cell.source for each in texts for cell in each.cells)
    assert [said for said in lessons.SAID if said not in sources] == []


def test_finished_pages_name_only_the_known_address(tmp_path):
    (tmp_path / "_static").mkdir()
    Image.fromarray(np.zeros((7, 5), np.uint8)).save(tmp_path / "_static" / "a.png")
    page = (
        '<html class="no-js"><aside class="toc-drawer"><p role="heading"></p><img src="_static/a.png" alt="a"></aside>'
    )
    for name in ("index.html", "search.html", "test_a.html"):
        (tmp_path / name).write_text(page, encoding="utf-8")
    finish.pages(tmp_path, "")
    assert not (tmp_path / "sitemap.xml").exists() and not (tmp_path / preview.NAME).exists()
    made = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert '<html class="no-js front"' in made and 'aria-label="On this page"' in made and 'aria-level="2"' in made
    assert '<img width="5" height="7" src="_static/a.png" alt="a">' in made
    finish.pages(tmp_path, "https://example.org/course/book/")
    places = re.findall("<loc>(.*)</loc>", (tmp_path / "sitemap.xml").read_text(encoding="utf-8"))
    assert places == ["https://example.org/course/book/", "https://example.org/course/book/test_a.html"]
    assert Image.open(tmp_path / preview.NAME).size == preview.SIZE


def test_page_description_is_its_first_long_paragraph():
    long = "Here stands what the page is about, word after word. " * 9
    section = nodes.section("", *(nodes.paragraph("", text) for text in ("All lessons " * 9, "Short.", long)))
    document = utils.new_document("page")
    document += section
    said = metadata.description(document)
    assert said.startswith("Here stands") and said.endswith(" …") and len(said) <= metadata.MOST
    assert metadata.description(utils.new_document("empty")) == ""
