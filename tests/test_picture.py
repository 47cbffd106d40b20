"""Pictures as HTML: described, readable without scripts, and whole by themselves."""

import html
import re
from xml.etree import ElementTree

import pytest

from autograd import Value
from figures import draw_graph, gradient_histogram
from figures.charts.still import as_picture
from figures.labs import step
from figures.page.picture import Picture, labelled, standalone, still, table
from tests import pictures
from tests.pictures import SVG, Reader, embedded, tree

SQUARE = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><rect width="1" height="1"/></svg>'

GRAPH_TAGS = {"svg", "g", "title", "rect", "path", "polygon", "text", "style"}
CHART_TAGS = {"svg", "g", "path", "defs", "style", "use", "clipPath", "rect", "pattern"}

PICTURES = {
    "graph": (lambda: draw_graph(pictures.tanh_neuron()), GRAPH_TAGS),
    "graph with local derivatives": (lambda: draw_graph(pictures.tanh_neuron(), local=True), GRAPH_TAGS),
    "collapsed graph": (lambda: draw_graph(pictures.network((8, 8, 1))), GRAPH_TAGS),
    "hostile graph": (lambda: draw_graph(pictures.xyz(["<script>", '"', "\\N", "&lt;", "]]>"])), GRAPH_TAGS),
    "histogram": (lambda: as_picture(gradient_histogram({"layer 1": [1.0, 2.0]})), CHART_TAGS),
    "ridge": (lambda: as_picture(gradient_histogram({"a": [1.0], "b": [2.0]}, kind="ridge", scale="log")), CHART_TAGS),
    "hostile histogram": (lambda: as_picture(gradient_histogram({'<b>"</b>\\N': [1.0]}, title="a & <")), CHART_TAGS),
}


@pytest.fixture(params=PICTURES.values(), ids=PICTURES.keys())
def shown(request):
    """A picture, and the elements that may be in it."""
    return request.param[0](), request.param[1]


def test_a_picture_has_a_described_still_and_the_script_that_draws_it_inline(shown):
    """Where a page's rules drop the script, the still stays, and nothing else of the drawing does."""
    picture, _ = shown
    reader = Reader(picture.html())
    (image,) = reader.all("img")
    assert image["alt"] == picture.alt != ""
    assert reader.all("svg") == reader.all("text") == []
    assert pictures.drawn(picture.html()) == standalone(picture.svg, on_page=True)
    assert [attributes.get("class") for attributes in reader.all("div")] == ["bp bp-picture"]


def test_a_still_needs_nothing_around_it(shown):
    """Its SVG has its own style, no script, and refers to nothing outside."""
    picture, tags = shown
    (image,) = Reader(picture.html()).all("img")
    svg = embedded(image)
    without_data = svg.replace('xmlns:xlink="http://www.w3.org/1999/xlink"', "")
    pictures.assert_inert(svg, tags)
    root = ElementTree.fromstring(svg)
    assert root.get("class") == "bp bp-still"
    assert "--bp-ink" in root.find(f"{SVG}style").text
    assert without_data.count("http") == 1, "the name of SVG itself"
    assert {name for name in image if name not in ("alt", "src")} == set()


def test_a_notebook_gets_html_and_text(shown):
    picture, _ = shown
    assert picture._repr_mimebundle_() == {"text/html": picture.html(), "text/plain": repr(picture)}
    assert repr(picture) == (picture.text or picture.alt)


def test_a_note_stands_under_the_picture():
    page = Picture(SQUARE, "a square", note="1 < 2 & so on").html()
    assert '"><p class="bp-note">1 &lt; 2 &amp; so on</p></div><script>' in page
    assert "<p" not in Picture(SQUARE, "a square").html()


ALTS = ["plain", "\"quotes\" and 'quotes'", r"\N \1 \g<0>", "<script>", "a & b &lt;", "]]>", "--"]


@pytest.mark.parametrize("alt", ALTS)
def test_a_description_may_hold_anything(alt):
    reader = Reader(Picture(SQUARE, alt).html())
    assert reader.all("img")[0]["alt"] == alt
    assert pictures.drawn(Picture(SQUARE, alt).html()) == standalone(SQUARE, on_page=True)
    assert ElementTree.fromstring(labelled(SQUARE, alt)).get("aria-label") == alt


def test_only_the_root_is_described_and_styled():
    nested = SQUARE.replace("<rect", "<svg><rect").replace("</svg>", "</svg></svg>")
    assert labelled(nested, "x").count('role="img"') == 1
    assert standalone(nested).count("<style>") == 1
    assert ElementTree.fromstring(standalone(nested))[1].attrib == {}


def test_a_still_in_both_themes():
    """As an <img> it cannot see the page's theme, and follows the system's; it has paper of its own."""
    sheet = ElementTree.fromstring(embedded(Reader(still(SQUARE, "x")).all("img")[0])).find(f"{SVG}style").text
    assert "@media (prefers-color-scheme: dark)" in sheet
    assert ".bp-still{background: var(--bp-paper);}" in sheet
    assert '[data-jp-theme-light="false"] .bp' in sheet  # for when a script puts the SVG itself on the page
    assert '[data-jp-theme-light="false"]' not in standalone(SQUARE)  # a file has no page round it


def test_a_table_shows_texts():
    rows = [("<b>", "1"), ("&", '"')]
    page = tree(table(("a<", "b"), rows, "note & <"))
    assert [cell.text for cell in page.iter("th")] == ["a<", "b"]
    assert all(cell.get("scope") == "col" for cell in page.iter("th"))
    assert [tuple(cell.text for cell in row.iter("td")) for row in page.iter("tr")][1:] == rows
    assert [p.text for p in page.iter("p")] == ["note & <"]


def test_a_strip_of_frames_has_a_still_and_a_sentence_each():
    recording = step.record(pictures.xyz(["<x>", "y", "z", "q", "\\N"]))
    reader = Reader(recording.strip([0, 3, -1]))
    chosen = [recording.frames[i] for i in (0, 3, -1)]
    assert [image["alt"] for image in reader.all("img")] == [frame.say for frame in chosen]
    captions = re.findall("<figcaption>(.*?)</figcaption>", recording.strip([0, 3, -1]))
    assert [html.unescape(caption) for caption in captions] == [frame.say for frame in chosen]
    for image, frame in zip(reader.all("img"), chosen):
        assert pictures.texts(embedded(image)).items() <= pictures.expected(frame.marks).items()


def test_the_recordings_picture_is_its_stage_without_the_sum():
    recording = step.record(pictures.xyz())
    assert ElementTree.fromstring(recording.picture(2)).tag == f"{SVG}svg"
    assert "bp-sum" in recording.render(recording.frames[2].marks)
    assert "bp-sum" not in recording.picture(2)


def test_a_picture_of_one_number():
    assert pictures.names(draw_graph(Value(1, label="only")).svg) == ["only"]
