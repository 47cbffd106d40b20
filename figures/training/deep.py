"""A deep network's gradients in the backward pass, judged over several seeds: they vanish, arrive or explode."""

import functools
import math

import numpy as np

from autograd.lessons.depth import deep_pass

LEAST, MOST = 0.1, 10.0  # a gradient arrives if first / last is between these
SEEDS = (0, 1, 2, 3, 4)  # of the networks whose mean is judged: a single network may be lucky


def left(found):
    """Return first / last of a DeepPass; 0 if the first layer gets no gradient, even if the last gets none either."""
    return float(found.ratio) if found.gradients[0].any() else 0.0


@functools.lru_cache(maxsize=100)
def of_seeds(**settings):
    """Return the sizes of each layer's gradients in the networks of SEEDS, (seeds, depth), and their mean `left`."""
    found = [deep_pass(**settings, seed=seed) for seed in SEEDS]
    return np.array([each.gradient_norms for each in found]), mean_gain(map(left, found))


def mean_gain(gains):
    """Return the geometric mean: the gain that gives the same product if every step has it."""
    with np.errstate(all="ignore"):
        return float(np.exp(np.mean(np.log(np.array(list(gains), dtype=float)))))


def verdict(ratio):
    """Return the verb for a gradient that is, on average, `ratio` times as large in the first layer as in the last."""
    if not math.isfinite(ratio):
        return "is not a number"
    return "vanishes" if ratio < LEAST else "explodes" if ratio > MOST else "arrives"
