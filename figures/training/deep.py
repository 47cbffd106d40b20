"""What becomes of a deep network's gradients on the way back, judged over several seeds."""

import functools
import math

import numpy as np

from autograd.lessons.depth import deep_pass

LEAST, MOST = 0.1, 10.0  # a gradient has arrived if the first layer's is between these times the last layer's
SEEDS = (0, 1, 2, 3, 4)  # of the networks whose mean is judged so: one network alone may be lucky


def left(found):
    """first / last of a DeepPass; 0 where the first layer gets no gradient, also if the last gets none."""
    return float(found.ratio) if found.gradients[0].any() else 0.0


@functools.lru_cache(maxsize=100)
def of_seeds(**settings):
    """The sizes of each layer's gradients in the networks of SEEDS, of shape (seeds, depth), and their mean `left`."""
    found = [deep_pass(**settings, seed=seed) for seed in SEEDS]
    return np.array([each.gradient_norms for each in found]), mean_gain(map(left, found))


def mean_gain(gains):
    """The geometric mean: the gain that, in every step, would come to the same."""
    with np.errstate(all="ignore"):
        return float(np.exp(np.mean(np.log(np.array(list(gains), dtype=float)))))


def verdict(ratio):
    """What a gradient did that is, in the mean, `ratio` times as large in the first layer as in the last."""
    if not math.isfinite(ratio):
        return "is no number"
    return "vanishes" if ratio < LEAST else "explodes" if ratio > MOST else "arrives"
