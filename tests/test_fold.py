"""Wide layouts folded into rows: nothing overlaps, every edge arrives, and rows break where few edges are."""

import itertools
import re

import pytest

from autograd import Value
from figures import draw_graph
from figures.graph import layout
from figures.graph.draw import LEAST, PAGE, lay_out, skeleton
from figures.graph.fold import MOST, fold, row_starts
from figures.graph.reader import read_graph
from tests.pictures import parts


def chain(n):
    """A deep graph: a tanh and a product in turn."""
    v = Value(0.5, label="x")
    for i in range(n):
        v = v.tanh() if i % 2 else v * 1.1
    return v


def neuron():
    """A neuron with four inputs and a loss, every op a node: wide at first, then a chain."""
    pairs = [(Value(i / 7, label=f"w{i}"), Value(i / 5, label=f"x{i}")) for i in range(4)]
    z = sum((w * x for w, x in pairs), Value(0.1, label="b"))
    return -(0.5 * (z.sigmoid() - Value(1.0, label="y")).tanh() ** 2)


def skips(n):
    """A chain of which each node reads one far behind."""
    old = [Value(0.5, label="x")]
    for _ in range(n):
        old.append(old[-1].tanh() + old[max(0, len(old) - 4)])
    return old[-1]


def folded(root, local, width=PAGE[0] / LEAST):
    nodes = read_graph(root)
    wide = layout.lay_out(skeleton(nodes, "LR", local, straight=True))
    return nodes, wide, fold(nodes, wide, width)


def points(path):
    return [(float(x), float(y)) for x, y in re.findall(r"(-?[\d.]+),(-?[\d.]+)", path)]


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize(
    ("make", "width"),
    [*itertools.product([lambda: chain(16), lambda: chain(30)], [500, 760, 1065]), (neuron, 1065), (neuron, 1400)],
)
def test_a_folded_layout_fits_and_nothing_overlaps(make, width, local):
    _, wide, found = folded(make(), local, width)
    assert found.width <= width < wide.width
    boxes = found.boxes.values()
    assert all(b.x >= 0 and b.y >= 0 and b.x + b.width <= found.width and b.y + b.height <= found.height for b in boxes)
    for a, b in itertools.combinations(boxes, 2):
        apart = a.x + a.width <= b.x or b.x + b.width <= a.x or a.y + a.height <= b.y or b.y + b.height <= a.y
        assert apart, (a, b)
    for x, y in (point for curve in found.curves.values() for point in points(curve.path) + points(curve.arrow)):
        assert 0 <= x <= found.width and 0 <= y <= found.height
    labels = [curve.label for curve in found.curves.values() if curve.label]
    assert len(labels) == (len(found.curves) if local else 0)
    for (ax, ay), (bx, by) in itertools.combinations(labels, 2):
        assert abs(ax - bx) >= 40 or abs(ay - by) >= 11, "numbers on edges stand apart"


@pytest.mark.parametrize("make", [lambda: chain(16), neuron])
def test_every_edge_goes_from_its_input_to_its_node_and_round_all_others(make):
    nodes, _, found = folded(make(), True)
    for i, node in enumerate(nodes):
        for edge, input in enumerate(node.inputs):
            curve, a, b = found.curves[f"e{i}.{edge}"], found.boxes[f"n{input}"], found.boxes[f"n{i}"]
            line = points(curve.path)
            assert line[0][0] == pytest.approx(a.x + a.width, abs=2) and a.y <= line[0][1] <= a.y + a.height
            assert line[-1][0] == pytest.approx(b.x, abs=8) and b.y - 2 <= line[-1][1] <= b.y + b.height + 2
            if b.x < a.x + a.width:  # to the next row
                for (x1, y1), (x2, y2) in itertools.pairwise(line):
                    for box in found.boxes.values():
                        beside = max(x1, x2) < box.x + 0.1 or min(x1, x2) > box.x + box.width - 0.1
                        assert beside or max(y1, y2) < box.y or min(y1, y2) > box.y + box.height


def test_a_layout_that_fits_is_not_folded():
    assert folded(chain(3), False)[2] is None
    assert folded(Value(1.0), False)[2] is None


def test_rows_break_where_few_edges_are():
    chain = [(i, i + 1) for i in range(5)]
    assert row_starts([0, 100, 200, 300, 400, 500], 300, chain) == [0, 3]
    assert row_starts([0, 100, 200, 300, 400, 500], 300, [*chain, (1, 3)]) in ([0, 3], [0, 4], [0, 2])
    assert row_starts([0, 100, 200, 300, 400, 500], 300, [*chain, (2, 3)]) == [0, 2]
    assert row_starts([0, 100, 200], 300, [(0, 1), (1, 2)]) == [0]


def test_what_would_not_be_clear_is_not_folded():
    columns, chain = [0, 100, 200, 300, 400, 500], [(i, i + 1) for i in range(5)]
    assert row_starts(columns, 300, chain + [(0, 5)] * MOST) is None, "more edges than can be told apart"
    assert row_starts(columns, 100, [*chain, (0, 5)]) is None, "an edge over more than one row"
    assert row_starts(columns, 50, chain) is None, "there is no room for two columns"
    assert folded(skips(9), True)[2] is None


def test_deep_chains_are_drawn_in_rows_and_small_graphs_as_before():
    for make in (lambda: chain(16), neuron):
        placed = lay_out(read_graph(make()), local=True)
        assert placed.height <= PAGE[1] + 60 and placed.width <= PAGE[0] / LEAST
    nodes = read_graph(chain(4))
    assert lay_out(nodes) in [layout.lay_out(skeleton(nodes, way, False)) for way in ("LR", "TB")]
    drawing = draw_graph(chain(16), local=True).svg
    assert {f"n{i}" for i in range(25)} < parts(drawing).keys()
    told = lay_out(read_graph(chain(16)), "LR")
    assert len({round(box.x) for box in told.boxes.values()}) == 17, "a direction that was asked for is kept"
