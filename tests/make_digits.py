"""Make the file of the ten digits from scikit-learn's: `python -m tests.make_digits`."""

import io
from pathlib import Path

import numpy as np

from autograd.lessons import digits


def theirs():
    """Return (pixels, shape (1797, 64), labels, shape (1797,)) of scikit-learn's `load_digits`, arrays of uint8."""
    from sklearn.datasets import load_digits

    found = load_digits()
    return found.data.astype(np.uint8), found.target.astype(np.uint8)


def packed(pixels, labels):
    file = io.BytesIO()
    np.savez_compressed(file, pixels=pixels, labels=labels)
    return file.getvalue()


if __name__ == "__main__":
    Path(digits.FILE).write_bytes(packed(*theirs()))
