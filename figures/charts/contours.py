"""Bands of height on a map: the areas between two levels of a function of two numbers, as paths of an SVG."""

import itertools

import numpy as np


def grid(height, x, y, steps):
    """Return the heights at steps × steps points of the box between two Scales, row by row; nan if there is none.

    height: a function of two numbers, which raises ValueError or ArithmeticError if it has no value.
    """
    xs, ys = (np.linspace(scale.low, scale.high, steps) for scale in (x, y))
    return xs, ys, np.array([[height_at(height, a, b) for a in xs.tolist()] for b in ys.tolist()])


def height_at(height, a, b):
    try:
        found = height(a, b)
    except (ValueError, ArithmeticError):
        return np.nan
    return found if np.isfinite(found) else np.nan


def levels(heights, count):
    """Return at most `count` + 1 levels from the lowest height to the highest, closer together near the lowest.

    They are quantiles, so that a function of any shape has bands of similar size; [] if all heights are the same.
    """
    if np.isnan(heights).all():
        return []
    found = np.unique(np.nanquantile(heights, [(i / count) ** 1.15 for i in range(count + 1)]))
    return found.tolist() if len(found) > 1 else []


def lines(across, up, heights, **settings):
    """Return contourpy's generator of lines and areas of equal height over a grid."""
    import contourpy  # only for a map: a page has to fetch it

    return contourpy.contour_generator(across, up, heights, **settings)


def bands(xs, ys, heights, levels, x, y):
    """Return the `d` of each band between two levels, the lowest first."""
    across, up = ([scale(float(number)) for number in numbers] for numbers, scale in ((xs, x), (ys, y)))
    found = lines(across, up, np.ma.masked_invalid(heights), fill_type="OuterOffset")
    return [outline(*found.filled(low, high)) for low, high in itertools.pairwise(levels)]


def outline(points, offsets):
    """Return the `d` of closed lines, from contourpy's points and the start of each line among them."""
    lines = [part[a:b] for part, ends in zip(points, offsets) for a, b in itertools.pairwise(ends)]
    return "".join(f"M{'L'.join(f'{px:.1f},{py:.1f}' for px, py in line[:-1].tolist())}Z" for line in lines)
