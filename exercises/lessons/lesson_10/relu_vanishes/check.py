"""The check of `relu_vanishes`: first / last of relu networks of several depths, with He's weights times a gain."""

import functools
import math
import random

from autograd.lessons.depth import deep_pass
from exercises.judging.vocabulary import exercise, same, seen
from exercises.lessons.lesson_10.shared import (
    POWER_FIRST,
    first_over_last,
    log_of,
    numbers,
    order_of,
    power,
    usable,
    written,
)
from figures.training.deep import MOST

VANISHED, GONE = 1e-6, 1e-12  # the ratio asked for lies between


FEWEST = 3, 2  # layers, asked for last: a wrong formula may divide by 0 there
SEEDS = 0, 1, 2


@functools.lru_cache(maxsize=100)
def relu_ratio(gain, depth):
    """first / last of relu networks of this depth, whose weights are He's times a gain."""
    return first_over_last([deep_pass("relu", "he", gain=gain, depth=depth, seed=seed) for seed in SEEDS])


@exercise
def relu_vanishes(relu_vanishes, *, seed):
    """Whether He's weights times this gain make first / last lie between 1e-12 and 1e-6 at each depth."""
    layers, gains, ratios, rng = [], [], [], random.Random(seed or 11)
    for depths in ((12, 4, rng.randrange(6, 11), rng.randrange(16, 25), 30), FEWEST):
        found = yield from numbers(relu_vanishes, "relu_vanishes", depths, "all weights 0")
        layers, gains = [*layers, *depths], [*gains, *found]
        because = gain_of(layers, gains, order_of(relu_vanishes))
        for depth, gain in zip(depths, found):
            ratios.append(ratio := relu_ratio(gain, depth))
            right = "above 1e-12" if ratio <= GONE else "below 1e-06"
            yield seen(
                f"With a gain of {written(gain)} the gradient {became(ratio)}.",
                (f"first / last, mean of {len(SEEDS)} seeds", right, written(ratio), GONE < ratio < VANISHED),
                case=f'deep_pass("relu", "he", gain=relu_vanishes({depth}), depth={depth}).ratio',
                because=because,
            )
    deepest = max(layers)
    return (
        f"At depths {', '.join(map(str, sorted(layers)))} first / last is {written(min(ratios))} to "
        f"{written(max(ratios))}. At {deepest} layers He's weights times {written(gains[layers.index(deepest)])} "
        "are enough."
    )


def became(ratio):
    """What became of the gradient, in words."""
    if not math.isfinite(ratio):
        return "is too large for a float"
    return "is as good as gone" if ratio <= GONE else "explodes" if ratio > MOST else "does not vanish"


def gain_of(layers, found, order=""):
    """The names of what is wrong with gains that go with the depth, or with the number of steps, in a simple way.

    order: as `order_of` tells it.
    """
    if not usable(found):
        return ()
    gain, logs = abs(found[0]), [log_of(one) for one in found]
    shares = [(one + 1) * depth for depth, one in zip(layers, found)]  # a tiny number divided by the depth, less 1
    if 0 < shares[0] < 1e-3 and all(math.isclose(share, shares[0], rel_tol=1e-3) for share in shares):
        return "no brackets at all"
    if power(layers, found) == 0:
        return one_gain(gain) if all(math.isclose(one, found[0], rel_tol=1e-13) for one in found) else ()
    for times in ([depth - 1 for depth in layers], layers):
        if all(same(log * n, logs[0] * times[0]) for log, n in zip(logs, times)):
            exponent = logs[0] * times[0] / math.log(10)
            return "the steps miscounted" if times is layers and -11.5 < exponent < -6.5 else aims_at(exponent)
        if all(same(log / n, logs[0] / times[0]) for log, n in zip(logs, times)):
            return "the power taken twice"
        if power(times, found) == -1 and found[0] > 0:
            return POWER_FIRST if order == POWER_FIRST else "divided by the steps"
    return ()


def one_gain(gain):
    """The name of what is wrong with a gain of this size at every depth."""
    if gain >= 1:
        return "a gain that enlarges" if gain > 1 else "a gain that changes nothing"
    return "the whole factor in one step" if gain <= 1e-5 else "one gain for every depth"


def aims_at(exponent):
    """The name of what is wrong with the root of this power of ten."""
    if exponent > 0:
        return "a gain that enlarges"
    if same(exponent, -9 * math.log(10)) or same(exponent, -9 / math.log(10)):
        return "the wrong base"
    if min(abs(exponent + 6), abs(exponent + 12)) < 0.5:
        return "on the edge"
    return "not small enough" if exponent > -6 else "too small by far"
