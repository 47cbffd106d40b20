"""Charts as SVG: lines cut at the edge of their chart, and drawings side by side."""

import math

import pytest

from figures.page import svg
from tests import pictures

X, Y = svg.Scale(0, 10, 100, 200), svg.Scale(-1, 1, 50, 0)


@pytest.mark.parametrize(
    ("points", "d"),
    [
        ([(0, 0), (5, 0.5)], "M100.0,25.0L150.0,12.5"),
        ([(0, 0), (5, 0.5), (10, 1)], "M100.0,25.0L150.0,12.5L200.0,0.0"),
        ([(0, -2), (10, 2)], "M125.0,50.0L175.0,0.0"),
        ([(-10, 0), (20, 0)], "M100.0,25.0L200.0,25.0"),
        ([(0, 0), (5, 2), (10, 0)], "M100.0,25.0L125.0,0.0M175.0,0.0L200.0,25.0"),
        ([(0, 2), (10, 3)], "M0,0"),
        ([(0, 0), (1, math.inf), (2, 0), (3, math.nan), (4, 0), (5, 0)], "M140.0,25.0L150.0,25.0"),
        ([(5, -9), (5, 9)], "M150.0,50.0L150.0,0.0"),
        ([(11, -9), (11, 9)], "M0,0"),
        ([(3, 0)], "M0,0"),
        ([], "M0,0"),
    ],
)
def test_a_line_is_cut_where_it_leaves_its_chart(points, d):
    assert svg.within(points, X, Y) == d


def test_drawings_stand_side_by_side():
    one, two = svg.svg(100, 50, '<path d="M0,0"/>'), svg.svg(30.5, 80, "")
    both = svg.side_by_side([one, two], gap=10)
    root = pictures.tree(both)[0]
    assert (root.get("width"), root.get("height"), root.get("viewBox")) == ("140.5", "80", "0 0 140.5 80")
    assert [inner.get("x") for inner in root] == ["0", "110"]
