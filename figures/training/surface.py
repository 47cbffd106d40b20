"""The outputs of a network over the plane of its two inputs, as colours."""

import base64
import functools
import io
from pathlib import Path

import numpy as np

from autograd.training.tensor_nn import TensorMLP

PIXELS = 56  # per side of the map
REACH = (-0.5, 1.5)  # the inputs that the map shows
EVERYWHERE = "Output everywhere"  # the heading of a map of all its points
BORDER, NO_NUMBER = 254, 255  # in the palette: white and grey, after the evenly lighter cividis (Nuñez et al. 2018)


@functools.cache
def palette():
    """Return the map's colours, three bytes each: matplotlib's cividis, without matplotlib, which is slow to import."""
    colours = base64.b64decode(Path(__file__).with_name("cividis.txt").read_text(encoding="ascii"))
    return colours + bytes([255, 255, 255, 128, 128, 128])


def middles(count):
    """Return the middles of `count` equal parts of an input's range on the map."""
    return REACH[0] + (REACH[1] - REACH[0]) / count * (np.arange(count) + 0.5)


# The inputs of the map's pixels, top left first: shape (PIXELS², 2).
GRID = np.stack([axis.ravel() for axis in np.meshgrid(middles(PIXELS), middles(PIXELS)[::-1])], axis=1)


def surface(mlp):
    """Return a scalar MLP's outputs over the map, computed on arrays: shape (PIXELS, PIXELS), top row first."""
    with np.errstate(all="ignore"):
        return TensorMLP.from_mlp(mlp)(GRID).data.reshape(PIXELS, PIXELS)


def pixels(outputs, low=0.0):
    """Return a palette index for each output: dark up to `low`, light from 1 up, white where the class changes."""
    with np.errstate(invalid="ignore"):
        share = np.clip((outputs - low) / (1.0 - low), 0.0, 1.0)
        above = outputs > (1.0 + low) / 2
    found = np.where(np.isnan(share), NO_NUMBER, np.nan_to_num(share) * 253 + 0.5).astype(np.uint8)
    change = np.zeros(above.shape, bool)
    change[:, 1:] |= above[:, 1:] != above[:, :-1]
    change[1:, :] |= above[1:, :] != above[:-1, :]
    found[change & ~np.isnan(outputs)] = BORDER
    return found


def png(indices):
    """Return an array of palette indices as a PNG's data address."""
    return data_address(indices, palette())


def data_address(array, colours=None):
    """Return an array of bytes, grey, coloured or palette indices, as the address that an SVG's image takes."""
    from PIL import Image  # only for a picture: a page has to fetch it

    image, file = Image.fromarray(array, colours and "P"), io.BytesIO()
    if colours:
        image.putpalette(colours)
    image.save(file, "PNG", compress_level=1)
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode()
