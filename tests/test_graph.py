"""Graphs read from any engine, as DOT text, as SVG, and as text."""

import itertools
import os
import random
import re
import subprocess
import sys
from collections import Counter
from xml.etree import ElementTree

import graphviz
import numpy as np
import pytest

import figures
from autograd import MLP, Value, half_squares, topological_order
from figures import depth_first, draw_graph, graph_dot, order, paths, step_backward
from figures.graph import layout
from figures.graph.draw import HEIGHT, LEAST, LIMIT, PAGE, collapsed, lay_out, rows_of, skeleton, to_dot
from figures.graph.reader import clean, fitted, letters, read_graph
from figures.page.style import number
from tests import pictures
from tests.pictures import GRAPHS, LABELS, SVG, Bare, Closures, Equal, WithLocals, names, parts, texts, tree

GRAPH_TAGS = {"svg", "g", "title", "rect", "path", "polygon", "text"}
HOSTILE = [pytest.param(*case, id=name) for name, case in LABELS.items()]


@pytest.fixture(params=GRAPHS.values(), ids=GRAPHS.keys())
def root(request):
    return request.param()


def drawn_by_graphviz(source):
    """The lines of text of each node and edge in Graphviz's own drawing of DOT text, by id."""
    svg = ElementTree.fromstring(layout.dot_to_svg(source).encode())
    groups = {g.get("id"): g for g in svg.iter(f"{SVG}g") if g.get("class") in ("node", "edge")}
    return {i: [text.text.replace("\xa0", " ") for text in g.iter(f"{SVG}text")] for i, g in groups.items()}


def edges(root):
    """The ids of a graph's edges."""
    return [f"e{i}.{edge}" for i, node in enumerate(topological_order(root)) for edge in range(len(node._prev))]


# DOT


def test_dot_of_a_small_graph():
    assert draw_graph(pictures.xyz()).source == (
        "digraph {\n"
        "  graph [rankdir=LR, bgcolor=transparent, ranksep=0.45, nodesep=0.18]\n"
        '  node [shape=box, style=rounded, fontname="Helvetica", fontsize=11]\n'
        '  edge [fontname="Helvetica", fontsize=10, arrowsize=0.6]\n'
        '  n0 [id="n0", label="x\\ndata -2.0000\\ngrad –"];\n'
        '  n1 [id="n1", label="y\\ndata 5.0000\\ngrad –"];\n'
        '  n2 [id="n2", label="q   +\\ndata 3.0000\\ngrad –"];\n'
        '  n0 -> n2 [id="e2.0"];\n'
        '  n1 -> n2 [id="e2.1"];\n'
        '  n3 [id="n3", label="z\\ndata -4.0000\\ngrad –"];\n'
        '  n4 [id="n4", label="f   *\\ndata -12.0000\\ngrad –"];\n'
        '  n2 -> n4 [id="e4.0"];\n'
        '  n3 -> n4 [id="e4.1"];\n'
        "}\n"
    )


def test_dot_names_each_node_by_its_place_and_has_every_edge(root):
    order = topological_order(root)
    place = {id(node): i for i, node in enumerate(order)}
    source = draw_graph(root).source
    assert re.findall(r'^  n(\d+) \[id="n(\d+)"', source, re.M) == [(str(i), str(i)) for i in range(len(order))]
    expected = [
        (str(place[id(input)]), str(i), f"e{i}.{edge}")
        for i, node in enumerate(order)
        for edge, input in enumerate(node._prev)
    ]
    assert re.findall(r'^  n(\d+) -> n(\d+) \[id="([^"]+)"', source, re.M) == expected


def test_graphviz_takes_the_source_and_draws_every_node_and_edge(root):
    drawn = drawn_by_graphviz(graphviz.Source(draw_graph(root, gradients=True).source).source)
    order = topological_order(root)
    assert set(drawn) == {f"n{i}" for i in range(len(order))} | set(edges(root))
    for i, node in enumerate(order):
        assert drawn[f"n{i}"][1:] == [f"data {number(node.data)}", f"grad {number(node.grad)}"]


def test_a_plus_a_has_two_edges():
    picture = draw_graph(pictures.twice())
    assert picture.source.count("n0 -> n1") == 2
    assert {"e1.0", "e1.1"} <= set(drawn_by_graphviz(picture.source))
    found = parts(picture.svg)
    paths = [found[key].find(f"{SVG}path").get("d") for key in ("e1.0", "e1.1")]
    assert paths[0] != paths[1]


def test_a_node_used_twice_is_drawn_once():
    a = Value(2, label="a")
    b = a * 3
    assert names(draw_graph(b * b + a).svg) == ["a", "v1", "v2", "v3", "v4"]


SOURCES = """
import random
from autograd import MLP
from figures import draw_graph, step_through
from tests import pictures
random.seed(1)
roots = [pictures.xyz(), pictures.random_graph(3), MLP(2, [3, 1], rng=random.Random(0))([1.0, 2.0])]
for root in [*roots, pictures.Closures(2) * pictures.Closures(3), pictures.closures()]:
    print(draw_graph(root).source, draw_graph(root).svg)
print(step_through(roots[0]).html())
"""


def test_pictures_are_the_same_in_every_process():
    """The text of DOT, SVG and a player depends on the graph alone: on no seed of hashes, on no address."""
    made = []
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8", "PYTHONPATH": os.getcwd()}
        made.append(subprocess.run([sys.executable, "-c", SOURCES], capture_output=True, check=True, env=environment))
    assert made[0].stdout == made[1].stdout
    assert made[0].stdout.count(b"digraph") == 5


# Direction


@pytest.mark.parametrize("direction", ["LR", "TB"])
def test_direction_is_kept(direction):
    """Each input stands before its node: to the left of it, or above."""
    root = pictures.tanh_neuron()
    picture = draw_graph(root, direction=direction)
    assert f"rankdir={direction}" in picture.source
    found, order = parts(picture.svg), topological_order(root)
    at = {
        id(node): float(found[f"n{i}"].find(f"{SVG}rect").get("xy"[direction == "TB"])) for i, node in enumerate(order)
    }
    for node in order:
        assert all(at[id(input)] < at[id(node)] for input in node._prev)


def test_without_a_direction_the_drawing_that_fits_a_page_is_taken():
    """A sum of thirteen inputs goes across; a chain of twelve ops, too wide and too high for a page, goes in rows."""
    chain = Value(1)
    for _ in range(12):
        chain = chain.tanh()
    wide = MLP(6, [1], activation="linear", rng=random.Random(0))([1.0] * 6)
    assert draw_graph(chain).svg not in [draw_graph(chain, direction=way).svg for way in ("LR", "TB")]
    page = lay_out(read_graph(chain))
    assert page.width <= PAGE[0] / LEAST and page.height <= PAGE[1]
    assert draw_graph(wide).svg == draw_graph(wide, direction="LR").svg != draw_graph(wide, direction="TB").svg


@pytest.mark.parametrize("direction", ["left", "", 0, ["LR"]])
def test_any_other_direction_is_refused(direction):
    with pytest.raises(ValueError, match=r'direction is "LR" \(left to right\) or "TB" \(top to bottom\), got '):
        draw_graph(pictures.xyz(), direction=direction)


# Numbers


def grads(picture):
    return [text for key, text in texts(picture.svg).items() if key.endswith(".grad")]


def test_gradients_are_dashes_until_one_is_not_0():
    root = pictures.xyz()
    assert grads(draw_graph(root)) == ["–"] * 5
    assert "grad 0.0000" not in draw_graph(root).source
    root.backward()
    assert grads(draw_graph(root)) == ["-4.0000", "-4.0000", "-4.0000", "3.0000", "1.0000"]
    assert "grad –" not in draw_graph(root).source


def test_one_gradient_that_is_not_0_is_enough():
    """Also if another root's pass has left it on a leaf."""
    root = pictures.xyz()
    root._prev[1].grad = 2.0
    assert grads(draw_graph(root)) == ["0.0000", "0.0000", "0.0000", "2.0000", "0.0000"]


def test_a_gradient_that_is_nan_is_shown():
    root = pictures.xyz()
    root.grad = float("nan")
    assert grads(draw_graph(root)) == ["0.0000"] * 4 + ["nan"]


def test_gradients_may_be_shown_or_hidden_as_told():
    root = pictures.xyz()
    assert grads(draw_graph(root, gradients=True)) == ["0.0000"] * 5
    root.backward()
    hidden = draw_graph(root, gradients=False)
    assert grads(hidden) == ["–"] * 5
    assert hidden.source.count("grad –") == 5 and hidden.text.count("–") == 5


def test_a_drawing_shows_the_engines_numbers(root):
    """In the SVG and in the text: data, grad, and with local=True each edge's local derivative."""
    picture = draw_graph(root, gradients=True, local=True)
    shown, order = texts(picture.svg), topological_order(root)
    drawn = drawn_by_graphviz(picture.source)
    for i, node in enumerate(order):
        assert shown[f"n{i}.data"] == number(node.data)
        assert shown[f"n{i}.grad"] == number(node.grad)
        assert f"{number(node.data)}  {number(node.grad)}" in re.sub(" +", "  ", picture.text.splitlines()[i + 1])
        for edge, local in enumerate(node._local):
            assert shown[f"e{i}.{edge}.local"] == number(local)
            assert drawn[f"e{i}.{edge}"] == [number(local)]


def test_drawing_changes_nothing(root):
    before = [(node.data, node.grad, node.label, node._prev) for node in topological_order(root)]
    draw_graph(root, local=True)
    assert [(node.data, node.grad, node.label, node._prev) for node in topological_order(root)] == before


def test_a_picture_is_described_in_words():
    root = pictures.xyz()
    assert draw_graph(root).alt == ("Computation graph of 5 nodes. Root: f made by *, data -12.0000. Leaves: x, y, z.")
    assert draw_graph(Value(3)).alt == "Computation graph of 1 node. Root: v0, data 3.0000. Leaves: v0."
    assert draw_graph(MLP(7, [1])([1.0] * 7)).alt.endswith(" …."), "twelve names, and a sign that there are more"


def test_a_picture_as_text_is_a_table():
    assert str(draw_graph(pictures.twice())).splitlines() == [
        "node  made by  from  data    grad",
        "a     leaf           3.0000  –",
        "b     +        a, a  6.0000  –",
    ]


# Nodes of other engines


def micrograd():
    return pytest.importorskip("micrograd.engine", reason='micrograd is not here: pip install -e ".[bench]"').Value


@pytest.fixture(params=[lambda: Closures, micrograd], ids=["own", "micrograd"])
def engine(request):
    return request.param()


def test_an_engine_with_inputs_in_a_set_is_drawn(engine):
    """(x·y + relu(x))², as learners write an engine: no labels, a set of inputs, closures."""
    x, y = engine(2.0), engine(-3.0)
    z = x * y + x.relu()
    root = z * z
    root.backward()
    picture = draw_graph(root)
    nodes = read_graph(root)
    assert sorted((node.op, node.data, node.grad) for node in nodes) == [
        ("", -3.0, -16.0),
        ("", 2.0, 16.0),
        ("*", -6.0, -8.0),
        ("*", 16.0, 1),
        ("+", -4.0, -8.0),
        ("ReLU", 2.0, -8.0),
    ]
    assert names(picture.svg) == [f"v{i}" for i in range(6)]
    assert Counter(texts(picture.svg).values())["-8.0000"] == 3
    assert set(drawn_by_graphviz(picture.source)) >= {f"n{i}" for i in range(6)}


def test_inputs_in_a_set_are_drawn_in_the_same_order_wherever_they_lie(engine):
    """Also those that have the same number, as the zeros of ReLU, and nan."""
    kept, sources = [], set()
    for _ in range(20):
        kept.append([engine(0.0) for _ in range(random.randrange(40))])  # so that the next lie elsewhere
        zeros = [engine(-1.0).relu(), engine(-2.0).relu(), (engine(1.0) * engine(-1.0)).relu(), engine(0.0)]
        kept.append(zeros)
        total = zeros[0] * zeros[1] + zeros[2] * zeros[3] + engine(float("nan")) * engine(1.0)
        sources.add(draw_graph(total).source)
    assert len(sources) == 1


def test_a_node_needs_no_more_than_data_and_inputs():
    root = Bare(3, [Bare(1), Bare(2.0)])
    assert draw_graph(root).text.splitlines()[1:] == [
        "v0    leaf             1.0000  –",
        "v1    leaf             2.0000  –",
        "v2    leaf     v0, v1  3.0000  –",
    ]


def test_nodes_that_are_equal_are_still_two():
    """A class with __eq__ by value, which cannot be hashed."""
    one, another = Equal(1.0), Equal(1.0)
    picture = draw_graph(Equal(2.0, [one, another, one]))
    assert len(names(picture.svg)) == 3
    assert re.findall(r"n(\d) -> n2", picture.source) == ["0", "1", "0"]


def test_slots_that_hold_none_are_as_if_they_were_not_there():
    node = Bare(3)
    node.label = node.grad = node._op = None
    assert draw_graph(node).text.splitlines()[1] == "v0    leaf           3.0000  –"


@pytest.mark.parametrize("make", [lambda: Closures(2) * Closures(3), lambda: Bare(1, [Bare(2)])], ids=["set", "bare"])
def test_local_derivatives_need_an_engine_that_keeps_them(make):
    with pytest.raises(TypeError, match="local=True shows local derivatives, which this engine's nodes do not keep"):
        draw_graph(make(), local=True)


def test_local_derivatives_of_another_engine_are_drawn():
    x = WithLocals(3.0)
    assert texts(draw_graph(WithLocals(9.0, [x, x], (3.0, 3.0)), local=True).svg)["e1.1.local"] == "3.0000"


def test_local_derivatives_beside_a_set_belong_to_no_edge():
    """Nobody can say which local derivative is whose."""
    root = WithLocals(6.0, (), (3.0, 2.0))
    root._prev = {WithLocals(2.0), WithLocals(3.0)}
    assert read_graph(root)[-1].locals is None


@pytest.mark.parametrize(
    ("thing", "kind"),
    [(3, "int"), (None, "NoneType"), ("x", "str"), ([Value(1)], "list"), (np.array(3.0), "ndarray"), (Value, "type")],
    ids=lambda thing: type(thing).__name__,
)
def test_what_is_not_a_node_gets_a_sentence(thing, kind):
    with pytest.raises(TypeError, match=f"from a node with `data` and `_prev`, such as a Value; got {kind}. Pass the"):
        draw_graph(thing)
    with pytest.raises(TypeError, match=f"such as a Value; got {kind}"):
        draw_graph(Bare(1.0, [thing]))


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ("3", "a drawing of v0 needs a real number, got the str '3'"),
        (None, "a drawing of v0 needs a real number, got None"),
        (1j, "a drawing of v0 needs a real number, got the complex 1j"),
        (np.array([None, None]), r"a drawing of v0 needs a real number, got an ndarray of shape \(2,\)"),
    ],
    ids=repr,
)
def test_a_node_without_a_number_gets_a_sentence(data, sentence):
    with pytest.raises(TypeError, match=sentence):
        draw_graph(Bare(data))
    node = Bare(1.0)
    node.grad = data
    if data is not None:  # a grad that is None is one that no pass has reached
        with pytest.raises(TypeError, match=sentence.replace("v0", "v0.grad")):
            draw_graph(node)


@pytest.mark.parametrize("data", [np.float64(2), 2, np.array([2.0])], ids=repr)
def test_any_real_number_is_drawn(data):
    assert texts(draw_graph(Bare(data)).svg)["n0.data"] == "2.0000"


def test_a_node_that_is_its_own_input_is_drawn_so():
    """What a wrong += makes. A collapsed drawing does not fail either."""
    node = Bare(1.0)
    node._prev = [node]
    assert "n0 -> n0" in draw_graph(node).source
    assert "e0.0" in parts(draw_graph(node).svg)
    assert "more than the 0" in draw_graph(node, limit=0).note


# Large graphs


def test_a_graph_of_324_nodes_is_drawn_collapsed_and_says_so():
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


def test_a_graph_100_000_nodes_deep_is_drawn_collapsed():
    root = Value(1.0)
    for _ in range(100_000):
        root = -root
    picture = draw_graph(root)
    assert picture.note == (
        "This graph has 100,001 nodes, more than the 60 that a drawing can show. "
        "Nodes with the same operation are drawn as one."
    )
    assert names(picture.svg) == ["1 × leaf", "100000 × −( )"]
    assert set(parts(picture.svg)) >= {"e1.0", "e1.1"}, "a group that feeds itself"


def test_a_deep_graph_of_another_engine_is_drawn_collapsed(engine):
    root = engine(1.0)
    for _ in range(5_000):
        root = root.relu()
    assert names(draw_graph(root).svg) == ["1 × leaf", "5000 × ReLU"]


def test_the_limit_is_the_largest_graph_that_is_drawn_whole():
    root = pictures.tanh_neuron()
    n = len(topological_order(root))
    assert draw_graph(root, limit=n).note == ""
    assert f"has {n} nodes, more than the {n - 1} that" in draw_graph(root, limit=n - 1).note


@pytest.mark.parametrize("limit", [20, 10, 5, 2])
def test_a_collapsed_drawing_is_within_the_limit(limit):
    """Whatever the ops are called: as a last resort it has one node for all leaves and one for all operations."""
    root = Value(1.0)
    for n in range(2, 30):
        root = root ** (n / 10) * 1.01
    groups, note = collapsed(read_graph(root), limit)
    assert len(groups) <= limit
    assert sum(int(group.name.split(" × ")[0]) for group in groups) == len(topological_order(root))
    assert groups[0].name == "29 × leaf"
    assert f"more than the {limit} " in note
    if limit == 2:
        assert note.endswith("All leaves are drawn as one, and all operations as another.")
        assert groups[1].name == "56 × operation"


def test_a_collapsed_drawing_shows_no_numbers():
    """A box that stands for many has no data and no grad."""
    picture = draw_graph(pictures.xyz(), limit=3)
    assert not [key for key in parts(picture.svg) if key.endswith(("data", "grad", "local"))]
    assert "data" not in picture.source.replace("digraph", "")


def test_a_collapsed_drawing_keeps_its_direction():
    svgs = [ElementTree.fromstring(draw_graph(pictures.xyz(), limit=3, direction=way).svg) for way in ("LR", "TB")]
    across, down = ((float(svg.get("width")), float(svg.get("height"))) for svg in svgs)
    assert across[0] > across[1] and down[1] > down[0]


# Labels


@pytest.mark.parametrize(("label", "shown"), HOSTILE)
def test_a_label_in_one_line(label, shown):
    """`clean`: nothing that is not printed, single spaces."""
    assert clean("" if label is None else label) == shown


@pytest.mark.parametrize(("text", "length", "cut"), [("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("ab", 1, "…")])
def test_a_text_that_is_too_long_ends_with_dots(text, length, cut):
    assert clean(text, length) == cut


def labelled_graph(label):
    """A leaf and a product, both with this label."""
    x = Value(2.0, label=label)
    return pictures.labelled(x * x, label)


@pytest.mark.parametrize(("label", "shown"), HOSTILE)
def test_real_graphviz_shows_a_label_as_it_is(label, shown):
    picture = draw_graph(labelled_graph(label))
    picture.source.encode()
    drawn = drawn_by_graphviz(graphviz.Source(picture.source).source)
    assert set(drawn) == {"n0", "n1", "e1.0", "e1.1"}
    assert drawn["n0"] == [clean(shown, 40) or "v0", "data 2.0000", "grad –"]
    assert re.sub(" +", " ", drawn["n1"][0]) == f"{clean(shown, 40) or 'v1'} *"


@pytest.mark.parametrize(("label", "shown"), HOSTILE)
def test_an_svg_shows_a_label_as_text(label, shown):
    svg = draw_graph(labelled_graph(label)).svg
    pictures.assert_inert(svg.encode().decode(), GRAPH_TAGS)
    assert names(svg) == [shown or "v0", shown or "v1"]
    cut = [text.text for text in tree(svg).iter(f"{SVG}text") if text.get("class").split()[0] == "name"]
    assert cut == [fitted(shown, 13) or "v0", fitted(shown, 12) or "v1"], "an op's sign takes the room of a letter"


@pytest.mark.parametrize(("label", "shown"), HOSTILE)
def test_html_and_text_show_a_label_as_text(label, shown):
    picture = draw_graph(labelled_graph(label))
    page = pictures.Reader(picture.html().encode().decode())
    assert {tag for tag, _ in page.elements} == {"div", "img", "script"}
    pictures.assert_inert(pictures.drawn(picture.html()), GRAPH_TAGS | {"style"})
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    assert page.all("img")[0]["alt"] == picture.alt
    assert f"Root: {clean(shown, 20) or 'v1'} made by *" in picture.alt
    assert len(str(picture).encode().splitlines()) == 3
    assert rows_of(read_graph(labelled_graph(label)), {})[0][0] == (shown or "v0")


def test_the_name_of_an_op_is_hostile_text_too():
    node = Bare(1.0, [Bare(2.0)])
    node._op = '</text><script>"\\N\ud800'
    picture = draw_graph(node)
    pictures.assert_inert(picture.svg, GRAPH_TAGS)
    assert picture.html().encode() and str(picture).encode()
    assert drawn_by_graphviz(picture.source)["n1"][0].split() == ["v1", '</text><script>"\\N']


def test_a_label_changes_nothing_but_text():
    """Where things stand depends on no label and no number."""
    svgs = [draw_graph(labelled_graph(label)).svg for label in ("x", "w" * 1000, "<b>")]
    assert len({re.sub(r">[^<]*<", "><", svg.replace("&lt;b&gt;", "x")) for svg in svgs}) == 1


def test_to_dot_needs_no_graphviz(monkeypatch):
    pictures.clear()
    monkeypatch.setattr(layout, "BACKENDS", (pictures.absent,))
    assert to_dot(read_graph(half_squares([Value(2.0, label="a")], [1.0]))).startswith("digraph {")


def test_graph_dot_is_the_text_that_a_drawing_keeps():
    x = Value(2.0, label="x")
    root = x * x
    assert graph_dot(root) == draw_graph(root).source


@pytest.mark.parametrize("limit", [None, "60", -1, 2.5, True])
def test_a_limit_that_is_no_number_of_nodes_gets_a_sentence(limit):
    with pytest.raises(ValueError, match="limit is how many nodes"):
        draw_graph(Value(2.0), limit=limit)


@pytest.mark.parametrize("name", ["w" * 30, "计算图的节点名称很长", "🙂" * 12, "é" * 30])
def test_a_wide_name_is_cut_to_the_width_of_twelve_letters(name):
    cut = fitted(name, 12)
    assert cut.endswith("…")
    assert sum(map(letters, cut)) <= 12
    assert name.startswith(cut[:-1])


LABS = ("draw_graph", "graph_dot", "step_forward", "step_backward", "step_through", "paths", "order", "depth_first")


@pytest.mark.parametrize("name", LABS)
def test_what_is_no_root_gets_a_sentence(name):
    for root in (None, 3, 2.5, "x"):
        with pytest.raises(TypeError) as caught:
            getattr(figures, name)(root)
        assert "Pass the root of the graph: the last Value that was computed." in str(caught.value)
        assert ("a return statement gives None" in str(caught.value)) is (root is None)


# Room


@pytest.mark.parametrize("data, long", [(-10.0, "no"), (921.6, "no"), (1024.0, "yes"), (1.234e-8, "yes")])
def test_a_long_number_takes_the_room_of_the_word_before_it(data, long):
    assert parts(draw_graph(Value(data)).svg)["n0.data"].get("data-long") == long


def test_a_graph_too_high_for_a_page_stands_closer_and_every_drawing_says_its_own_size():
    """Thirteen leaves in a column."""
    wide = MLP(6, [1], activation="linear", rng=random.Random(0))([1.0] * 6)
    nodes = read_graph(wide)
    close, small = lay_out(nodes, "LR"), lay_out(read_graph(pictures.xyz()), "LR")
    assert close.height < layout.lay_out(skeleton(nodes, "LR", False)).height
    assert small == layout.lay_out(skeleton(read_graph(pictures.xyz()), "LR", False))
    tops = sorted(box.y for box in close.boxes.values() if box.x == min(box.x for box in close.boxes.values()))
    assert len(tops) == 13 and all(below - above >= HEIGHT + 4 for above, below in itertools.pairwise(tops))
    assert f"--bp-width:{close.width:.0f}px;--bp-ratio:{close.width / close.height:.3f}" in draw_graph(wide).svg


def test_a_name_of_any_length_makes_a_small_picture_and_a_small_text():
    x = Value(2.0, label="n" * 100_000)
    drawn = draw_graph(x * x)
    assert len(drawn.html()) < 100_000 and len(repr(drawn)) < 5_000


def test_a_limit_that_no_browser_can_show_is_refused():
    for lab in (draw_graph, depth_first, order, paths, step_backward):
        with pytest.raises(ValueError, match=r"limit is at most 300: .* got 1000000000"):
            lab(Value(1.0) + 2, limit=10**9)


@pytest.mark.parametrize("grad", [-38.8338, 138.8338, -0.0001, 12345.6789, -138.8338])
def test_a_word_and_the_number_beside_it_do_not_touch(grad):
    """A digit is 7.6 pixels wide at the most in a page's fonts, a sign less; a longer number hides the word."""
    a = Value(1.0, label="a")
    a.grad = grad
    svg = figures.draw_graph(a, gradients=True).svg
    word = float(re.search(r'<text class="what" x="([\d.]+)"[^>]*>grad', svg)[1])
    tag, text = re.search(r"(<text[^>]*>)([^<]*)</text>(?:(?!<text).)*$", svg, re.DOTALL).groups()
    digits = sum(each.isdigit() for each in text)
    wide = 7.6 * digits + 4.5 * (len(text) - digits)
    room = float(re.search(r' x="([\d.]+)"', tag)[1]) - word - wide
    assert text == f"{grad:.4f}" and (room >= 26 + 6 or 'data-long="yes"' in tag)
