"""Pictures as HTML and as files: described, readable without scripts, whole; lines cut where their chart ends."""

import html
import math
import re
from xml.etree import ElementTree

import pytest

from figures import draw_graph, gradient_histogram, step_backward
from figures.charts.static_charts import as_picture
from figures.labs import step
from figures.page import svg
from figures.page.picture import Picture, labelled, standalone, still, table
from tests import pictures
from tests.pictures import CHART_TAGS, GRAPH_TAGS, SVG, Reader, embedded, tree

SQUARE = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><rect width="1" height="1"/></svg>'

PICTURES = {
    "graph": (lambda: draw_graph(pictures.tanh_neuron()), GRAPH_TAGS),
    "graph with local derivatives": (lambda: draw_graph(pictures.tanh_neuron(), local=True), GRAPH_TAGS),
    "collapsed graph": (lambda: draw_graph(pictures.network((8, 8, 1))), GRAPH_TAGS),
    "hostile graph": (lambda: draw_graph(pictures.xyz(["<script>", '"', "\\N", "&lt;", "]]>"])), GRAPH_TAGS),
    "histogram": (lambda: as_picture(gradient_histogram({"layer 1": [1.0, 2.0]})), CHART_TAGS),
    "ridge": (lambda: as_picture(gradient_histogram({"a": [1.0], "b": [2.0]}, kind="ridge", scale="log")), CHART_TAGS),
    "hostile histogram": (lambda: as_picture(gradient_histogram({'<b>"</b>\\N': [1.0]}, title="a & <")), CHART_TAGS),
}


@pytest.mark.parametrize(("make", "tags"), PICTURES.values(), ids=PICTURES.keys())
def test_picture_has_a_standalone_still_and_inline_script(make, tags):
    """Where a page's rules drop the script, the still stays; its SVG has its own style and refers to nothing."""
    picture = make()
    assert picture._repr_mimebundle_() == {"text/html": picture.html(), "text/plain": repr(picture)}
    assert repr(picture) == (picture.text or picture.alt)
    reader = Reader(picture.html())
    (image,) = reader.all("img")
    assert set(image) == {"alt", "src"} and image["alt"] == picture.alt != ""
    assert reader.all("svg") == reader.all("text") == []
    assert pictures.drawn(picture.html()) == standalone(picture.svg, on_page=True)
    assert [attributes.get("class") for attributes in reader.all("div")] == ["bp bp-picture"]
    own = embedded(image)
    pictures.assert_inert(own, tags | {"style"})
    root = ElementTree.fromstring(own)
    assert root.get("class") == "bp bp-still"
    assert "--bp-ink" in root.find(f"{SVG}style").text
    assert own.replace('xmlns:xlink="http://www.w3.org/1999/xlink"', "").count("http") == 1, "the name of SVG itself"


def test_note_is_placed_under_the_picture():
    page = Picture(SQUARE, "a square", note="1 < 2 & so on").html()
    assert '"><p class="bp-note">1 &lt; 2 &amp; so on</p></div><script>' in page
    assert "<p" not in Picture(SQUARE, "a square").html()


def test_only_the_root_svg_is_labelled_and_styled():
    nested = SQUARE.replace("<rect", "<svg><rect").replace("</svg>", "</svg></svg>")
    assert labelled(nested, "x").count('role="img"') == 1
    assert ElementTree.fromstring(labelled(nested, '"<')).get("aria-label") == '"<'
    assert standalone(nested).count("<style>") == 1
    assert ElementTree.fromstring(standalone(nested))[1].attrib == {}


def test_still_supports_both_themes():
    """As an <img> it cannot see the page's theme, and follows the system's; it has its own background."""
    sheet = ElementTree.fromstring(embedded(Reader(still(SQUARE, "x")).all("img")[0])).find(f"{SVG}style").text
    assert "@media (prefers-color-scheme: dark)" in sheet
    assert ".bp-still{background: var(--bp-paper);}" in sheet
    assert '[data-jp-theme-light="false"] .bp' in sheet  # for when a script puts the SVG itself on the page
    assert '[data-jp-theme-light="false"]' not in standalone(SQUARE)  # a file has no page round it


def test_table_escapes_text():
    rows = [("<b>", "1"), ("&", '"')]
    page = tree(table(("a<", "b"), rows, "note & <"))
    assert [(cell.text, cell.get("scope")) for cell in page.iter("th")] == [("a<", "col"), ("b", "col")]
    assert [tuple(cell.text for cell in row.iter("td")) for row in page.iter("tr")][1:] == rows
    assert [p.text for p in page.iter("p")] == ["note & <"]


def test_frame_strip_has_a_still_and_a_sentence_each():
    """And the recording's picture is its stage without the sum."""
    recording = step.record(pictures.xyz(["<x>", "y", "z", "q", "\\N"]))
    reader = Reader(recording.strip([0, 3, -1]))
    chosen = [recording.frames[i] for i in (0, 3, -1)]
    captions = re.findall("<figcaption>(.*?)</figcaption>", recording.strip([0, 3, -1]))
    said = [image["alt"] for image in reader.all("img")]
    assert said == [html.unescape(caption) for caption in captions] == [frame.say for frame in chosen]
    for image, frame in zip(reader.all("img"), chosen):
        assert pictures.texts(embedded(image)).items() <= pictures.expected(frame.updates).items()
    assert ElementTree.fromstring(recording.picture(2)).tag == f"{SVG}svg"
    assert "bp-sum" in recording.render(recording.frames[2].updates) and "bp-sum" not in recording.picture(2)


def test_figure_is_saved_as_a_standalone_file(tmp_path):
    graph, lab = draw_graph(pictures.xyz()), step_backward(pictures.xyz())
    path = graph.savefig(tmp_path / "graph.svg")
    text = path.read_text(encoding="utf-8")
    assert path == tmp_path / "graph.svg" and "<style>" in text and "−12" in text
    assert ElementTree.fromstring(text).tag.endswith("svg")
    text = lab.savefig(str(tmp_path / "lab.html")).read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>") and f"<title>{lab.recording.title}</title>" in text
    told = [frame["say"] for frame in Reader(text).spec()["frames"]]
    assert told == [frame.say for frame in lab.recording.frames]
    gradient_histogram({"layer 1": [0.1, 0.2, 0.4]}).savefig(tmp_path / "chart.png")
    assert (tmp_path / "chart.png").read_bytes()[:4] == b"\x89PNG"
    for figure, name, said in (
        (graph, "graph.png", "saved as .svg, as in savefig('graph.svg'); got 'graph.png'"),
        (lab, "lab", "saved as .html"),
        (lab, "no such folder/lab.html", "there is no folder"),
    ):
        with pytest.raises(ValueError, match=re.escape(said)):
            figure.savefig(tmp_path / name)
    assert {each.name for each in tmp_path.iterdir()} == {"graph.svg", "lab.html", "chart.png"}


def test_line_is_clipped_at_the_chart_edge():
    x, y = svg.Scale(0, 10, 100, 200), svg.Scale(-1, 1, 50, 0)
    for points, d in [
        ([(0, 0), (5, 0.5), (10, 1)], "M100.0,25.0L150.0,12.5L200.0,0.0"),
        ([(0, -2), (10, 2)], "M125.0,50.0L175.0,0.0"),
        ([(-10, 0), (20, 0)], "M100.0,25.0L200.0,25.0"),
        ([(0, 0), (5, 2), (10, 0)], "M100.0,25.0L125.0,0.0M175.0,0.0L200.0,25.0"),
        ([(0, 0), (1, math.inf), (2, 0), (3, math.nan), (4, 0), (5, 0)], "M140.0,25.0L150.0,25.0"),
        ([(5, -9), (5, 9)], "M150.0,50.0L150.0,0.0"),
        *(([(0, 2), (10, 3)], "M0,0"), ([(11, -9), (11, 9)], "M0,0"), ([(3, 0)], "M0,0"), ([], "M0,0")),
    ]:
        assert svg.within(points, x, y) == d


def test_drawings_are_placed_side_by_side():
    both = svg.side_by_side([svg.svg(100, 50, '<path d="M0,0"/>'), svg.svg(30.5, 80, "")], gap=10)
    root = tree(both)[0]
    assert (root.get("width"), root.get("height"), root.get("viewBox")) == ("140.5", "80", "0 0 140.5 80")
    assert [inner.get("x") for inner in root] == ["0", "110"]
