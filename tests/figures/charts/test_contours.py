"""Maps of a function of two numbers: bands between levels, which cover the map once."""

import itertools
import math

import pytest

from figures.charts import contours
from figures.page import svg

BOX = svg.Scale(-2, 2, 0, 100), svg.Scale(-2, 2, 100, 0)


def area(d):
    """The area within closed lines, holes taken off."""
    total = 0.0
    for ring in filter(None, d.split("M")):
        points = [tuple(map(float, point.split(","))) for point in ring.rstrip("Z").split("L")]
        total += sum(a * d - b * c for (a, b), (c, d) in zip(points, [*points[1:], points[0]])) / 2
    return abs(total)


def test_contour_bands_cover_the_map_exactly_once():
    xs, ys, heights = contours.grid(lambda x, y: x * x + y * y, *BOX, 61)
    levels = contours.levels(heights, 8)
    assert levels == sorted(levels) and levels[0] == heights.min() and levels[-1] == heights.max() == 8
    areas = [area(d) for d in contours.bands(xs, ys, heights, levels, *BOX)]
    assert sum(areas) == pytest.approx(100 * 100, rel=1e-3)
    within = [math.pi * level * 25**2 for level in levels if level < 4]  # of circles that are whole
    assert list(itertools.accumulate(areas))[: len(within) - 1] == pytest.approx(within[1:], rel=0.02)


def test_contours_handle_undefined_and_constant_functions():
    xs, ys, heights = contours.grid(lambda x, y: x if x >= 0 else math.log(x), *BOX, 21)  # a ValueError
    found = contours.bands(xs, ys, heights, contours.levels(heights, 4), *BOX)
    assert sum(map(area, found)) == pytest.approx(5000, rel=1e-3)
    for height in (lambda x, y: 3.0, lambda x, y: math.inf):
        xs, ys, heights = contours.grid(height, *BOX, 5)
        assert contours.levels(heights, 4) == [] and contours.bands(xs, ys, heights, [], *BOX) == []
