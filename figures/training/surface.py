"""The outputs of a network over the plane of its two inputs, as colours."""

import base64
import functools
import io

import numpy as np
from PIL import Image

from autograd.tensor_nn import TensorMLP

PIXELS = 56  # a side of the map
REACH = (-0.5, 1.5)  # the inputs that the map shows
EVERYWHERE = "Output everywhere"  # the heading of a map of all its points
BORDER, NO_NUMBER = 254, 255  # in the palette: white and grey, after cividis (Nuñez et al. 2018), evenly lighter


@functools.cache
def palette():
    """The map's colours, three bytes each."""
    from matplotlib import colormaps  # slow to import: only where a map is drawn

    colours = colormaps["cividis"](np.linspace(0, 1, BORDER), bytes=True)[:, :3]
    return colours.tobytes() + bytes([255, 255, 255, 128, 128, 128])


def middles(count):
    """The middles of so many equal parts of what the map shows of an input."""
    return REACH[0] + (REACH[1] - REACH[0]) / count * (np.arange(count) + 0.5)


# The inputs of the map's pixels, top left first: shape (PIXELS², 2).
GRID = np.stack([axis.ravel() for axis in np.meshgrid(middles(PIXELS), middles(PIXELS)[::-1])], axis=1)


def surface(mlp):
    """The outputs of a scalar MLP over the map, by its twin on arrays: shape (PIXELS, PIXELS), top row first."""
    with np.errstate(all="ignore"):
        return TensorMLP.from_mlp(mlp)(GRID).data.reshape(PIXELS, PIXELS)


def pixels(outputs, low=0.0):
    """A palette index for each output: dark for `low` and less, light for 1 and more, white where the class changes."""
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
    """An array of palette indices as a PNG's data address."""
    image = Image.fromarray(indices, "P")
    image.putpalette(palette())
    return data_address(image)


def data_address(image):
    """A PIL image as the address that an SVG's image takes."""
    file = io.BytesIO()
    image.save(file, "PNG", compress_level=1)
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode()
