"""Nothing in a drawing covers what it does not belong to, measured on the graphs that the lessons draw."""

import itertools
import math

import pytest

from figures.graph import layout
from figures.graph.reader import read_graph, things_of
from figures.graph.stage import BADGE, FEW, badges, distance, label_boxes, place
from tests import notebooks, pictures

LESSONS = [path for path in notebooks.LESSONS if "02" <= path.name[:2] <= "08"]


def graphs_of(path):
    """Return the graphs whose roots a lesson's cells name."""
    names = notebooks.names_of(path, with_solutions=False)
    values = {id(thing): thing for thing in names.values() if getattr(thing, "_prev", ()) and hasattr(thing, "label")}
    inner = {id(node) for value in values.values() for node in things_of(value)[:-1]}
    roots = [value for place, value in values.items() if place not in inner]
    return [nodes for nodes in map(read_graph, roots) if len(nodes) <= FEW]


@pytest.fixture(scope="module")
def drawings():
    """Return each lesson's graph, and other tests' graphs, in both directions, with and without local derivatives."""
    graphs = [*(graph for path in LESSONS for graph in graphs_of(path)), read_graph(pictures.xyz())]
    assert len(graphs) >= 12
    return [
        (nodes[-1].name, place(nodes, direction, local, (690, 520), badges=True))
        for nodes, direction, local in itertools.product(graphs, ("LR", "TB"), (False, True))
    ]


def overlaps(one, other, slack=1.0):
    """Return whether two boxes overlap by more than a pixel both ways."""
    across = min(one.x + one.width, other.x + other.width) - max(one.x, other.x)
    down = min(one.y + one.height, other.y + other.height) - max(one.y, other.y)
    return across > slack and down > slack


@pytest.mark.long
def test_labels_and_boxes_do_not_overlap(drawings):
    for name, placed in drawings:
        boxes = [*placed.boxes.values(), *label_boxes(placed)]
        assert not [pair for pair in itertools.combinations(boxes, 2) if overlaps(*pair)], name


@pytest.mark.long
def test_badges_keep_clear_of_labels_badges_arrowheads_and_boxes(drawings):
    for name, placed in drawings:
        found = badges(placed)
        for key, badge in found.items():
            others = [box for other, box in placed.boxes.items() if other != key]
            assert [box for box in [*others, *label_boxes(placed)] if not (distance(badge, box) >= BADGE)] == [], name
        assert [
            pair for pair in itertools.combinations(found.values(), 2) if not (math.dist(*pair) >= 2 * BADGE)
        ] == [], name
        heads = [point for curve in placed.curves.values() for point in layout.points(curve.arrow, 0, 0)]
        assert [
            (badge, point) for badge in found.values() for point in heads if not (math.dist(badge, point) >= BADGE)
        ] == [], name
