"""Wide layouts folded into rows: nothing overlaps, every edge arrives, and rows break where few edges are."""

import itertools

import pytest

from autograd import Value
from figures import draw_graph, layout
from figures.fold import MOST, fold, row_starts
from figures.graph import LEAST, PAGE, lay_out, read_graph, skeleton
from tests import pictures


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


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize(
    ("make", "width"),
    [*itertools.product([lambda: chain(16), lambda: chain(30)], [500, 760, 1065]), (neuron, 1065), (neuron, 1400)],
)
def test_a_folded_layout_fits_and_every_edge_goes_from_its_input_to_its_node_and_round_all_others(make, width, local):
    nodes, wide, found = folded(make(), local, width)
    assert found.width <= width < wide.width
    pictures.assert_clear(found, rooms=(40, 11))
    assert all((curve.label is not None) is local for curve in found.curves.values())
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


def test_rows_break_where_few_edges_are_and_what_fits_or_would_not_be_clear_is_not_folded():
    columns, chained = [0, 100, 200, 300, 400, 500], [(i, i + 1) for i in range(5)]
    assert row_starts(columns, 300, chained) == [0, 3]
    assert row_starts(columns, 300, [*chained, (1, 3)]) in ([0, 3], [0, 4], [0, 2])
    assert row_starts(columns, 300, [*chained, (2, 3)]) == [0, 2]
    assert row_starts(columns[:3], 300, chained[:2]) == [0]
    assert row_starts(columns, 300, chained + [(0, 5)] * MOST) is None, "more edges than can be told apart"
    assert row_starts(columns, 100, [*chained, (0, 5)]) is None, "an edge over more than one row"
    assert row_starts(columns, 50, chained) is None, "there is no room for two columns"
    assert folded(skips(9), True)[2] is folded(chain(3), False)[2] is folded(Value(1.0), False)[2] is None


def test_deep_chains_are_drawn_in_rows_and_small_graphs_as_before():
    for make in (lambda: chain(16), neuron):
        placed = lay_out(read_graph(make()), local=True)
        assert placed.height <= PAGE[1] + 60 and placed.width <= PAGE[0] / LEAST
    nodes = read_graph(chain(4))
    assert lay_out(nodes) in [layout.lay_out(skeleton(nodes, way, False)) for way in ("LR", "TB")]
    drawing = draw_graph(chain(16), local=True).svg
    assert {f"n{i}" for i in range(25)} < pictures.parts(drawing).keys()
    told = lay_out(read_graph(chain(16)), "LR")
    assert len({round(box.x) for box in told.boxes.values()}) == 17, "a direction that was asked for is kept"
