"""Graphs read from any engine, as DOT text, as SVG, and as text."""

import itertools
import random
import re
from xml.etree import ElementTree

import graphviz
import pytest

from autograd import MLP, Value, topological_order
from figures import draw_graph, graph_dot
from figures.graph import layout
from figures.graph.draw import HEIGHT, LIMIT, collapsed, lay_out, skeleton
from figures.graph.reader import clean, fitted, letters, read_graph
from figures.page.style import number
from tests import pictures
from tests.pictures import GRAPH_TAGS, GRAPHS, LABELS, SVG, Bare, names, parts, texts, tree


def drawn_by_graphviz(source):
    """Return the lines of text of each node and edge in Graphviz's own drawing of DOT text, by id."""
    svg = ElementTree.fromstring(layout.dot_to_svg(graphviz.Source(source).source).encode())
    groups = {g.get("id"): g for g in svg.iter(f"{SVG}g") if g.get("class") in ("node", "edge")}
    return {i: [text.text.replace("\xa0", " ") for text in g.iter(f"{SVG}text")] for i, g in groups.items()}


def wide():
    """Return a sum of thirteen inputs."""
    return MLP(6, [1], activation="linear", rng=random.Random(0))([1.0] * 6)


@pytest.mark.parametrize("make", GRAPHS.values(), ids=GRAPHS.keys())
def test_graph_shows_every_node_and_edge_and_changes_nothing(make):
    """Check DOT text, Graphviz's drawing of it, the SVG and the text; each node is named by its place."""
    root = make()
    order = topological_order(root)
    place = {id(node): str(i) for i, node in enumerate(order)}
    before = [(node.data, node.grad, node.label, node._prev) for node in order]
    picture = draw_graph(root, gradients=True, local=True)
    assert [(node.data, node.grad, node.label, node._prev) for node in topological_order(root)] == before
    assert re.findall(r'^  n(\d+) \[id="n(\d+)"', picture.source, re.M) == [(str(i), str(i)) for i in range(len(order))]
    edges = {f"e{i}.{j}": (input, i, j) for i, node in enumerate(order) for j, input in enumerate(node._prev)}
    joined = [(place[id(input)], str(i), key) for key, (input, i, _) in edges.items()]
    assert re.findall(r'^  n(\d+) -> n(\d+) \[id="([^"]+)"', picture.source, re.M) == joined
    drawn, shown = drawn_by_graphviz(picture.source), texts(picture.svg)
    assert set(drawn) == {f"n{i}" for i in range(len(order))} | set(edges)
    for i, (node, line) in enumerate(zip(order, picture.text.splitlines()[1:], strict=True)):
        data, grad = number(node.data), number(node.grad)
        assert (shown[f"n{i}.data"], shown[f"n{i}.grad"]) == (data, grad)
        assert drawn[f"n{i}"][1:] == [f"data {data}", f"grad {grad}"]
        assert f"{data}  {grad}" in re.sub(" +", "  ", line)
    for key, (_, i, j) in edges.items():
        assert drawn[key] == [shown[f"{key}.local"]] == [number(order[i]._local[j])]


def test_dot_text_needs_no_graphviz():
    with pictures.without_graphviz():
        source = graph_dot(pictures.xyz())
    assert source == draw_graph(pictures.xyz()).source
    assert source == (
        "digraph {\n"
        "  graph [rankdir=LR, bgcolor=transparent, ranksep=0.45, nodesep=0.18]\n"
        '  node [shape=box, style=rounded, fontname="Helvetica", fontsize=11]\n'
        '  edge [fontname="Helvetica", fontsize=10, arrowsize=0.6]\n'
        '  n0 [id="n0", label="x\\ndata −2\\ngrad –"];\n'
        '  n1 [id="n1", label="y\\ndata 5\\ngrad –"];\n'
        '  n2 [id="n2", label="q   +\\ndata 3\\ngrad –"];\n'
        '  n0 -> n2 [id="e2.0"];\n'
        '  n1 -> n2 [id="e2.1"];\n'
        '  n3 [id="n3", label="z\\ndata −4\\ngrad –"];\n'
        '  n4 [id="n4", label="f   *\\ndata −12\\ngrad –"];\n'
        '  n2 -> n4 [id="e4.0"];\n'
        '  n3 -> n4 [id="e4.1"];\n'
        "}\n"
    )


SOURCES = """
from figures import draw_graph, gradient_histogram
from figures.charts.static_charts import as_picture
from tests import pictures
for root in (pictures.random_graph(3), pictures.Closures(2) * pictures.Closures(3), pictures.closures()):
    print(draw_graph(root).source, draw_graph(root).svg)
for kind in ("overlaid", "ridge"):
    print(as_picture(gradient_histogram({"layer 1": [0.01, 0.0], "layer 2": [3.0]}, kind=kind)).html())
"""


@pytest.mark.long
def test_pictures_are_the_same_in_every_process():
    """A drawing and a chart depend only on their content, not on hash seeds or addresses.

    For labs, see tests.snapshots.
    """
    said = pictures.printed_twice(SOURCES)
    assert (said.count("digraph"), said.count("<img")) == (3, 2)


# Direction


@pytest.mark.parametrize("direction", ["LR", "TB"])
def test_graph_direction_is_respected(direction):
    """Each input comes before its node: to the left of it, or above, also in a collapsed drawing."""
    root = pictures.tanh_neuron()
    picture = draw_graph(root, direction=direction)
    assert f"rankdir={direction}" in picture.source
    found, order, axis = parts(picture.svg), topological_order(root), "xy"[direction == "TB"]
    at = {id(node): float(found[f"n{i}"].find(f"{SVG}rect").get(axis)) for i, node in enumerate(order)}
    for node in order:
        assert [input for input in node._prev if not (at[id(input)] < at[id(node)])] == []
    small = ElementTree.fromstring(draw_graph(pictures.xyz(), limit=3, direction=direction).svg)
    assert (float(small.get("width")) > float(small.get("height"))) is (direction == "LR")


def test_default_direction_is_the_one_that_fits_a_page():
    """A sum of thirteen inputs goes across. For chains, which go in rows, see test_layout."""
    assert draw_graph(wide()).svg == draw_graph(wide(), direction="LR").svg != draw_graph(wide(), direction="TB").svg


# Numbers and words


def grads(picture):
    return [text for key, text in texts(picture.svg).items() if key.endswith(".grad")]


def test_gradients_are_dashes_until_one_is_nonzero():
    """Try also a gradient that another root's pass left on a leaf, and nan."""
    root = pictures.xyz()
    assert grads(draw_graph(root)) == ["–"] * 5 and "grad 0" not in draw_graph(root).source
    assert grads(draw_graph(root, gradients=True)) == ["0"] * 5
    root._prev[1].grad = 2.0
    assert grads(draw_graph(root)) == ["0", "0", "0", "2", "0"]
    root._prev[1].grad, root.grad = 0.0, float("nan")
    assert grads(draw_graph(root)) == ["0"] * 4 + ["nan"]
    root.backward()
    assert grads(draw_graph(root)) == ["−4", "−4", "−4", "3", "1"]
    assert "grad –" not in draw_graph(root).source
    hidden = draw_graph(root, gradients=False)
    assert grads(hidden) == ["–"] * 5 and hidden.source.count("grad –") == 5 and hidden.text.count("–") == 5


def test_graph_has_alt_text_and_a_text_table():
    root = pictures.xyz()
    assert draw_graph(root).alt == ("Computation graph of 5 nodes. Root: f made by *, data −12. Leaves: x, y, z.")
    assert draw_graph(Value(3)).alt == "Computation graph of 1 node. Root: v0, data 3. Leaves: v0."
    assert draw_graph(MLP(7, [1])([1.0] * 7)).alt.endswith(" …."), "twelve names, and a sign that there are more"
    assert str(draw_graph(pictures.twice())).splitlines() == [
        "node  made by  from  data  grad",
        "a     leaf           3     –",
        "b     +        a, a  6     –",
    ]


# Large graphs


def test_graph_of_324_nodes_is_drawn_collapsed():
    root = MLP(3, [8, 8, 1], every_op=True, rng=random.Random(0))([1.0, 2.0, 3.0])
    picture = draw_graph(root)
    assert picture.note == (
        "This graph has 324 nodes, more than the 60 that a drawing can show. "
        "Nodes with the same operation, as far from the leaves, are drawn as one."
    )
    assert picture.note in picture.html()
    assert picture.alt == f"Collapsed computation graph. {picture.note}"
    shown = names(picture.svg)
    assert len(shown) <= LIMIT and len(picture.svg) < 40_000
    assert shown[0] == f"{sum(not node._prev for node in topological_order(root))} × leaf"
    assert sum(int(name.split(" × ")[0]) for name in shown) == 324
    assert set(drawn_by_graphviz(picture.source)) >= {f"n{i}" for i in range(len(shown))}
    assert not [key for key in parts(picture.svg) if key.endswith(("data", "grad", "local"))], "a box stands for many"
    assert "data" not in picture.source


@pytest.mark.long
def test_very_deep_graph_is_drawn_collapsed():
    root = Value(1.0)
    for _ in range(100_000):
        root = -root
    picture = draw_graph(root)
    assert picture.note.startswith("This graph has 100,001 nodes, more than the 60")
    assert picture.note.endswith("Nodes with the same operation are drawn as one.")
    assert names(picture.svg) == ["1 × leaf", "100000 × −( )"]
    assert set(parts(picture.svg)) >= {"e1.0", "e1.1"}, "a group that feeds itself"


@pytest.mark.parametrize("limit", [20, 10, 5, 2])
def test_collapsed_drawing_respects_the_limit(limit):
    """Try any names of ops: as a last resort there is one node for all leaves and one for all operations."""
    root = Value(1.0)
    for n in range(2, 30):
        root = root ** (n / 10) * 1.01
    n = len(topological_order(root))
    assert draw_graph(root, limit=n).note == "" != draw_graph(root, limit=n - 1).note
    groups, note = collapsed(read_graph(root), limit)
    assert len(groups) <= limit and f"more than the {limit} " in note
    assert sum(int(group.name.split(" × ")[0]) for group in groups) == n
    assert groups[0].name == "29 × leaf"
    if limit == 2:
        assert note.endswith("All leaves are drawn as one, and all operations as another.")
        assert groups[1].name == "56 × operation"


# Labels


def labelled_graph(label):
    x = Value(2.0, label=label)
    return pictures.labelled(x * x, label)


@pytest.mark.parametrize(("label", "shown"), LABELS.values(), ids=LABELS.keys())
def test_label_is_rendered_as_one_line_of_text(label, shown):
    """Check Graphviz's drawing, the SVG, the page, its description and the text."""
    assert clean("" if label is None else label) == shown
    picture = draw_graph(labelled_graph(label))
    picture.source.encode()
    drawn = drawn_by_graphviz(picture.source)
    assert set(drawn) == {"n0", "n1", "e1.0", "e1.1"}
    assert drawn["n0"] == [clean(shown, 40) or "v0", "data 2", "grad –"]
    assert re.sub(" +", " ", drawn["n1"][0]) == f"{clean(shown, 40) or 'v1'} *"
    pictures.assert_inert(picture.svg.encode().decode(), GRAPH_TAGS)
    assert names(picture.svg) == [shown or "v0", shown or "v1"]
    cut = [text.text for text in tree(picture.svg).iter(f"{SVG}text") if text.get("class").split()[0] == "name"]
    assert cut == [fitted(shown, 13) or "v0", fitted(shown, 12) or "v1"], "an op's sign takes the room of a letter"
    page = pictures.Reader(picture.html().encode().decode())
    assert {tag for tag, _ in page.elements} == {"div", "img", "script"}
    pictures.assert_inert(pictures.drawn(picture.html()), GRAPH_TAGS | {"style"})
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    assert page.all("img")[0]["alt"] == picture.alt
    assert f"Root: {clean(shown, 20) or 'v1'} made by *" in picture.alt
    rows = str(picture).encode().decode().splitlines()
    assert len(rows) == 3 and rows[1].split("leaf")[0].strip() == (shown or "v0")


@pytest.mark.parametrize(("text", "length", "cut"), [("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("ab", 1, "…")])
def test_long_text_is_cut_with_an_ellipsis(text, length, cut):
    assert clean(text, length) == cut


@pytest.mark.parametrize("name", ["w" * 30, "计算图的节点名称很长", "🙂" * 12, "é" * 30])
def test_wide_name_is_cut_to_twelve_letters(name):
    cut = fitted(name, 12)
    assert cut.endswith("…") and name.startswith(cut[:-1])
    assert sum(map(letters, cut)) <= 12


def test_hostile_op_name_is_rendered_as_text():
    node = Bare(1.0, [Bare(2.0)])
    node._op = '</text><script>"\\N\ud800'
    picture = draw_graph(node)
    pictures.assert_inert(picture.svg, GRAPH_TAGS)
    assert picture.html().encode() and str(picture).encode()
    assert drawn_by_graphviz(picture.source)["n1"][0].split() == ["v1", '</text><script>"\\N']


def test_label_does_not_affect_layout_or_picture_size():
    """The layout depends on no label and no number."""
    svgs = [draw_graph(labelled_graph(label)).svg for label in ("x", "w" * 1000, "<b>")]
    assert len({re.sub(r">[^<]*<", "><", svg.replace("&lt;b&gt;", "x")) for svg in svgs}) == 1
    drawn = draw_graph(labelled_graph("n" * 100_000))
    assert len(drawn.html()) < 100_000 and len(repr(drawn)) < 5_000


# Room


@pytest.mark.parametrize("data, long", [(-10.0, "no"), (9021.6, "no"), (1024.1234, "yes"), (1.234e-8, "yes")])
def test_long_number_hides_the_word_before_it(data, long):
    assert parts(draw_graph(Value(data)).svg)["n0.data"].get("data-long") == long


def test_tall_graph_is_compressed_and_drawings_declare_their_size():
    """Thirteen leaves are in a column."""
    nodes = read_graph(wide())
    close, small = lay_out(nodes, "LR"), lay_out(read_graph(pictures.xyz()), "LR")
    assert close.height < layout.lay_out(skeleton(nodes, "LR", False)).height
    assert small == layout.lay_out(skeleton(read_graph(pictures.xyz()), "LR", False))
    tops = sorted(box.y for box in close.boxes.values() if box.x == min(box.x for box in close.boxes.values()))
    assert len(tops) == 13
    assert [(above, below) for above, below in itertools.pairwise(tops) if not (below - above >= HEIGHT + 4)] == []
    assert f"--bp-width:{close.width:.0f}px;--bp-ratio:{close.width / close.height:.3f}" in draw_graph(wide()).svg


@pytest.mark.parametrize("grad", [-38.8338, 138.8338, -0.0001, 12345.6789, -138.8338])
def test_word_and_number_do_not_touch(grad):
    """A digit is at most 7.6 pixels wide in a page's fonts, other characters less; a longer number hides the word."""
    a = Value(1.0, label="a")
    a.grad = grad
    *_, word, text = tree(draw_graph(a, gradients=True).svg).iter(f"{SVG}text")
    digits = sum(each.isdigit() for each in text.text)
    wide = 7.6 * digits + 4.5 * (len(text.text) - digits)
    room = float(text.get("x")) - float(word.get("x")) - wide
    assert (word.text, text.text) == ("grad", f"{grad:.4f}".replace("-", "−"))
    assert room >= 26 + 6 or text.get("data-long") == "yes"
