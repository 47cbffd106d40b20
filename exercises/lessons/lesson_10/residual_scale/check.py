"""The check of `residual_scale`: first / last of residual networks without activation, at several depths."""

import functools
import random

from autograd.lessons.depth import deep_pass
from exercises.judging.vocabulary import exercise, seen
from exercises.lessons.lesson_10.shared import (
    LEFT_FIRST,
    POWER_FIRST,
    first_over_last,
    numbers,
    order_of,
    power,
    usable,
    written,
)

SAME_LEAST, SAME_MOST = 1.15, 1.4  # first / last, at every depth
OF_SCALES = {  # (p, k): what is wrong with a scale of k times the number of layers to the power of p
    (0, 1.0): "not scaled",
    (-0.5, 1.0): "twice the variance",
    (-0.5, 0.5): "the 2 outside the root",
    (-1, 1.0): "the square forgotten",
    (-1, 0.5): "the root forgotten",
    (-1, 0.25): POWER_FIRST,
    (1, 0.5): LEFT_FIRST,
    (1, 0.707107): LEFT_FIRST,
    (0.5, 0.707107): "brackets missing in the root",
}
OF_ORDER = {POWER_FIRST: POWER_FIRST, LEFT_FIRST: LEFT_FIRST, "brackets missing in the root": LEFT_FIRST}


@functools.lru_cache(maxsize=100)
def residual_ratio(scale, layers):
    """first / last of residual networks without activation, whose layers add `scale` times what they compute."""
    given = {"residual": True, "residual_scale": scale, "depth": layers, "width": 64, "batch": 8}
    return first_over_last([deep_pass("linear", "xavier", **given, seed=seed) for seed in range(5)])


@exercise
def residual_scale(residual_scale, *, seed):
    """Whether residual layers scaled so have first / last between 1.15 and 1.4 at every depth."""
    stacked = [8, random.Random(seed or 12).randrange(14, 26), 30, 60]
    found = yield from numbers(residual_scale, "residual_scale", stacked, "residual scale 0")
    ratios, wanted = list(map(residual_ratio, found, stacked)), f"{SAME_LEAST} to {SAME_MOST}"
    fine = [SAME_LEAST <= ratio <= SAME_MOST for ratio in ratios]
    rows = [(f"L = {layers}", wanted, written(ratio), is_fine) for layers, ratio, is_fine in zip(stacked, ratios, fine)]
    case = 's = residual_scale(L)\ndeep_pass("linear", residual=True, residual_scale=s, depth=L).ratio'
    says = "In networks without activation first / last is not what it should be."
    yield seen(says, *rows, case=case, because=scale_of(stacked, found, order_of(residual_scale)))
    at = ", ".join(f"{written(ratio)} at {layers}" for layers, ratio in zip(stacked, ratios))
    return f"First / last is {at} layers: as good as alike."


def scale_of(stacked, found, order=""):
    """The names of what is wrong with scales that go with a power of the number of layers; order as of `order_of`."""
    p = power(stacked, found) if usable(found) else None
    if p is None:
        return ()
    named = OF_SCALES.get((p, round(abs(found[0]) / stacked[0] ** p, 6)))
    if named and order == OF_ORDER.get(named, order):
        return named
    if p >= 0:
        return "upside down" if p else "one scale for every depth"
    return "the number before 1/√L" if p == -0.5 else "less and less" if p < -0.5 else "falling too slowly"
