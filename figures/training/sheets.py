"""Small square pictures as PNGs: handwritten digits, and the weights of hidden units, side by side in one."""

import functools

import numpy as np

from autograd.lessons.digits import SIDE
from figures.training.surface import data_address, palette

COLUMNS, ROWS = 8, 4  # of a sheet of weights
GAP = 1  # pixels between its pictures


@functools.lru_cache(maxsize=512)
def digit(pixels):
    """Return a picture of a digit, dark ink on white, from the bytes of 64 numbers (float64) from 0 to 1."""
    ink = np.frombuffer(pixels).reshape(SIDE, SIDE)
    return data_address((255 * (1 - ink) + 0.5).astype(np.uint8))


def weights(array):
    """Draw the weights from 64 pixels to each of at most 32 units: dark negative, light positive, 0 between.

    array: shape (64, units). All are drawn in one picture on one scale, whose ends are ± the largest size. The gaps
    are transparent.
    """
    sheet = np.zeros((ROWS * (SIDE + GAP) - GAP, COLUMNS * (SIDE + GAP) - GAP, 4), np.uint8)
    colours, largest = np.frombuffer(palette(), np.uint8).reshape(-1, 3), np.abs(array).max()
    shares = np.nan_to_num(array / largest) if 0 < largest < np.inf else np.zeros(array.shape)
    for unit, share in enumerate(shares.T[: COLUMNS * ROWS]):
        top, left = (place * (SIDE + GAP) for place in divmod(unit, COLUMNS))
        place = sheet[top : top + SIDE, left : left + SIDE]
        place[..., :3] = colours[np.round(126.5 + 126.5 * share).astype(int)].reshape(SIDE, SIDE, 3)
        place[..., 3] = 255
    return data_address(sheet)
