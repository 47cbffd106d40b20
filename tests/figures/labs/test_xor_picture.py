"""Drawings of the XOR lab: the map is the engine's, the curve and the histogram leave nothing out."""

import base64
import io
import math
import random

import numpy as np
import pytest
from matplotlib import colormaps
from PIL import Image

from autograd.errors.messages import show
from figures import xor
from figures.charts.loss_chart import decades
from figures.labs.xor_picture import bins
from figures.training.run import Curve
from figures.training.surface import BORDER, GRID, PIXELS, palette, pixels, png, surface
from tests.labs import ask


def test_palette_is_cividis_of_matplotlib():
    colours = colormaps["cividis"](np.linspace(0, 1, BORDER), bytes=True)[:, :3]
    assert palette() == colours.tobytes() + bytes([255] * 3 + [128] * 3)


@pytest.mark.parametrize(
    "arguments", [{}, {"hidden": [8, 8]}, {"hidden": []}, {"activation": "relu", "output": "linear"}]
)
def test_map_matches_the_engine(arguments):
    training = xor(**arguments).training
    for _ in range(30):
        training.step()
    mlp = training.mlp
    found = surface(mlp).ravel()
    for i in random.Random(0).sample(range(PIXELS**2), 60):
        assert found[i] == pytest.approx(mlp(GRID[i].tolist()).data, abs=1e-12)


def decoded(address):
    """(the rows of a PNG with a palette, its colours), by Pillow."""
    image = Image.open(io.BytesIO(base64.b64decode(address.removeprefix("data:image/png;base64,"))))
    return np.array(image), bytes(image.getpalette())


def test_map_pixels_encode_classes_border_and_nan():
    """Dark for 0, light for 1, white where the class changes, grey if there is no number; and the PNG holds them."""
    found = pixels(np.array([[0.0, 0.2, 0.9], [0.0, 0.1, 2.0], [-5.0, math.nan, 0.3]]))
    assert found.tolist() == [[0, 51, 254], [0, 25, 254], [0, 255, 254]]
    rows, colours = decoded(png(found))
    assert (rows == found).all() and colours == palette()
    lightness = np.frombuffer(colours, np.uint8).reshape(256, 3).astype(float)[:254] @ [0.2126, 0.7152, 0.0722]
    assert (np.diff(lightness) > -1.5).all() and lightness[-1] - lightness[0] > 150, "told apart without colour"
    assert decoded(xor().recording.frames[-1].updates["map"]["href"])[0].shape == (PIXELS, PIXELS)
    assert GRID[0].tolist() == pytest.approx([-0.5 + 1 / PIXELS, 1.5 - 1 / PIXELS]), "its first row is at the top"
    assert GRID[-1].tolist() == pytest.approx([1.5 - 1 / PIXELS, -0.5 + 1 / PIXELS])


def test_curve_keeps_the_extremes_of_a_long_run():
    curve, rng, short = Curve(room=50), random.Random(0), Curve()
    seen = [rng.random() for _ in range(12_345)]
    seen[7777], seen[4321] = 9.0, 1e-9
    for loss in seen:
        curve.add(loss)
    points = curve.points()
    low, high = (by(points, key=lambda point: point[1]) for by in (min, max))
    assert len(points) <= 4 * 50 and curve.count == 12_345
    assert high[1] == 9.0 and low[1] == 1e-9 and abs(high[0] - 7777) <= curve.size
    for loss in (3.0, 2.0, math.nan, 1.0):
        short.add(loss)
    assert short.points()[:2] == [(0.0, 3.0), (1.0, 2.0)] and short.points()[-1] == (3.0, 1.0)


def test_histogram_bins():
    zeros, counts = bins([0.0, -0.0, 1.0, -1.0, 0.5, 1e-30, 1e30, math.nan])
    assert zeros == 2 and sum(counts) == 5
    assert counts[16] == 2 and counts[15] == 1 and counts[0] == 1 and counts[-1] == 1
    lab = xor([8, 8])
    assert lab.recording.frames[-1].updates["hist.0.mean"]["text"] == "mean –"
    updates = ask(lab, "step")
    for i, layer in enumerate(lab.training.mlp.layers):
        sizes = [abs(p.grad) for p in layer.parameters()]
        assert updates[f"hist.{i}.mean"]["text"] == f"mean {show(sum(sizes) / len(sizes))}"


def test_loss_axis_fits_every_loss():
    """None is drawn at another place than its own."""
    usual = [-4, -3, -2, -1, 0, 1]
    assert decades([(0, 1.6), (1, 0.001)]) == decades([(0, 0.0), (1, math.nan), (2, math.inf)]) == usual
    assert decades([(0, 30.0), (1, 1.0)]) == [-4, -2, 0, 2, 4, 6]
    assert decades([(0, 1e-7), (1, 1.0)]) == [-7, -5, -3, -1, 1, 3]
    assert decades([(0, 1.7e308), (1, 1.0)]) == [-4, 59, 122, 185, 248, 311]
