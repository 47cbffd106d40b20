"""Ten digits: 1,797 handwritten ones as pictures of 8 × 8 pixels, those of scikit-learn's `load_digits`.

Source: the test part of "Optical Recognition of Handwritten Digits" (Alpaydin, Kaynak 1998), UCI Machine Learning
Repository, CC BY 4.0. Each pixel counts how many of 16 points of a scanned picture have ink.
"""

import functools
from pathlib import Path
from typing import NamedTuple

import numpy as np

FILE = Path(__file__).with_name("digits.npz")
SIDE, CLASSES = 8, 10  # pixels along each side of a picture; digits
INK = 16  # the largest pixel
TRAIN = 1400  # pictures to learn from; the other 397 are for the test


class Digits(NamedTuple):
    """Pictures as rows of pixels from 0 (paper) to 1 (ink), line by line; and which digit each shows, 0 to 9."""

    train: np.ndarray  # shape (1400, 64), float64
    train_labels: np.ndarray  # shape (1400,), whole numbers
    test: np.ndarray  # shape (397, 64)
    test_labels: np.ndarray  # shape (397,)


def load_digits():
    """Digits, in the same order each time: that of RandomState(0). New arrays at each call; nothing is downloaded."""
    pixels, labels = read()
    order = np.random.RandomState(0).permutation(len(labels))
    train, test = order[:TRAIN], order[TRAIN:]
    return Digits(pixels[train] / INK, labels[train], pixels[test] / INK, labels[test])


@functools.cache
def read():
    """(pixels from 0 to 16, shape (1797, 64); labels, shape (1797,)), in the order of the source."""
    with np.load(FILE) as arrays:
        return arrays["pixels"], arrays["labels"].astype(np.int64)
