"""The checks of lesson 10: weights that hold 30 layers, relu made to vanish, sigmoid made not to, residual layers."""

import functools
import math
import random

import numpy as np

from autograd.depth import deep_pass
from exercises.cases import same
from exercises.grading import called, exercise, kind, wrong
from exercises.guard import Trouble, Unfinished, trying
from exercises.verdict import Mistake

LEAST, MOST = 0.1, 10.0  # a gradient has arrived if it is between these times the last layer's

SMALL_NUMBERS = "A product of small numbers"
GAINS = "Two gains"
WIDTHS = "How large should a weight be?"
RELU = "Break it: relu as the cure"
AROUND = "A way around each layer"


def about(name, sentence, section):
    """A Mistake that lesson 10 treats."""
    return Mistake(name, sentence, "10", section)


def mean(ratios):
    """The geometric mean of ratios; 0 where one of them is."""
    with np.errstate(all="ignore"):
        return float(np.exp(np.mean(np.log(np.array(ratios, dtype=float)))))


def written(number):
    """A ratio in three digits."""
    return f"{number:.3g}"


def alike(found, arguments, slip):
    """Whether a mistake's function gives all of these numbers."""
    return all(same(one, slip(argument)) for one, argument in zip(found, arguments, strict=True))


def constant(found):
    """Whether all these numbers are one."""
    return all(same(one, found[0]) for one in found)


def positive(found, what, argument):
    """What is wrong with a number that should be finite and above 0, as a `wrong(…)` Verdict; None if nothing is."""
    if math.isfinite(found) and found > 0:
        return None
    said = f"A finite number above 0 was expected from `{what}({argument})`; it returned {written(found)}."
    if found == 0:
        return wrong(said, mistakes=[about("all weights 0", ALL_ZERO, GAINS)])
    return wrong(said)


ALL_ZERO = "Through a weight of 0 nothing goes back at all: every gradient behind it is exactly 0."


# Exercise 1: how far the weights of 30 layers of tanh spread

DEPTH = 30

SPREAD_SLIPS = (
    (
        about(
            "the variance in place of its root",
            "1 / fan_in is the variance that keeps sizes alike. The spread, a standard deviation, is its root.",
            WIDTHS,
        ),
        lambda n: 1 / n,
    ),
    (
        about(
            "the variance in place of its root",
            "2 / fan_in is He's variance. The spread, a standard deviation, is its root.",
            WIDTHS,
        ),
        lambda n: 2 / n,
    ),
    (
        about("upside down", "More inputs make a larger sum, so each weight has to be smaller, not larger.", WIDTHS),
        math.sqrt,
    ),
    (
        about("upside down", "More inputs make a larger sum, so each weight has to be smaller, not larger.", WIDTHS),
        float,
    ),
    (
        about(
            "the limit in place of the spread",
            "√(3 / fan_in) is the largest weight of Xavier's even distribution. Its spread is that divided by √3.",
            WIDTHS,
        ),
        lambda n: math.sqrt(3 / n),
    ),
    (
        about(
            "the spread of numbers from ±1/√fan_in",
            "An even distribution up to 1/√fan_in has the spread 1/√(3 fan_in). Its gain is 0.58 a step.",
            WIDTHS,
        ),
        lambda n: 1 / math.sqrt(3 * n),
    ),
)


def one_for_all(arguments):
    """The Mistake of a spread that does not depend on fan_in."""
    said = (
        f"A sum of more terms is larger, so what suits {arguments[0]} inputs does not suit {arguments[-1]}. "
        "fan_in has to have a say."
    )
    return about("one number for every width", said, WIDTHS)


TOO_SMALL = about(
    "weights too small",
    "Each step back multiplies by less than 1, and 29 such steps leave nearly nothing.",
    GAINS,
)
TOO_LARGE = about(
    "weights too large",
    "tanh saturates and lets less through, but not as much less as the weights enlarge: the product is above 1.",
    GAINS,
)


@functools.cache
def widths():
    """(width, batch, seeds) of the networks that the weights are tried in: one of a random width among them."""
    return ((32, 32, (0, 1, 2, 3)), (random.Random(10).randrange(40, 60), 16, (4, 5, 6)), (128, 8, (7, 8)))


def layers_of(spread, width, batch, seeds):
    """(the smallest, the largest) gradient of a layer beside the last layer's, over 30 layers of tanh."""
    passes = [
        deep_pass(
            "tanh",
            lambda rng, n: spread * rng.standard_normal((n, n)),
            depth=DEPTH,
            width=width,
            batch=batch,
            seed=seed,
        )
        for seed in seeds
    ]
    ratios = [one.gradient_norms / one.gradient_norms[-1] for one in passes]
    with np.errstate(all="ignore"):
        each = np.exp(np.log(ratios).mean(axis=0))
    return float(each.min()), float(each.max())


@exercise
def hold_the_range(hold_the_range):
    """Whether weights of this spread keep each of 30 tanh layers' gradients within 0.1 and 10 times the last's."""
    tests = widths()
    found = []
    for width, _, _ in tests:
        spread = called(hold_the_range, width, what=f"hold_the_range({width})")
        if (fault := positive(spread, "hold_the_range", width)) is not None:
            return fault
        found.append(spread)
    ranges = []
    for (width, batch, seeds), spread in zip(tests, found):
        low, high = layers_of(spread, width, batch, seeds)
        if not (low >= LEAST and high <= MOST):
            return out_of_range(found, width, spread, low, high, len(seeds))
        ranges.append((low, high))
    low, high = min(low for low, _ in ranges), max(high for _, high in ranges)
    return (
        f"At widths {', '.join(str(width) for width, _, _ in tests)} every layer's gradient is "
        f"{written(low)} to {written(high)} times the last one's, a mean over {sum(len(t[2]) for t in tests)} networks."
    )


def out_of_range(found, width, spread, low, high, count):
    """The Verdict on weights with which a layer's gradient is too small or too large."""
    arguments = [test[0] for test in widths()]
    known = [mistake for mistake, slip in SPREAD_SLIPS if alike(found, arguments, slip)]
    if not known and constant(found):
        known = [one_for_all(arguments)]
    rows = [("smallest layer / last", f"at least {LEAST}", written(low))] if low < LEAST else []
    rows += [("largest layer / last", f"at most {MOST:g}", written(high))] if not high <= MOST else []
    return wrong(
        f"With a spread of {written(spread)} the gradient {'vanishes' if low < LEAST else 'explodes'} "
        f"(mean over {count} networks).",
        case="init = lambda rng, n: hold_the_range(n) * rng.standard_normal((n, n))\n"
        f'deep_pass("tanh", init, depth={DEPTH}, width={width})',
        rows=rows,
        mistakes=known[:1] or [TOO_SMALL if low < LEAST else TOO_LARGE],
    )


# Exercise 2: a gain with which relu vanishes

VANISHED, GONE = 1e-6, 1e-12  # the ratio asked for lies between

WRONG_ROOT = about(
    "divided by the steps", "The steps' gains are multiplied, not added. Ask for a root, not for a share.", GAINS
)
WHOLE = about(
    "the whole factor in one step",
    "Each of the steps back multiplies by this once more. It is their product that should be small.",
    GAINS,
)
SAME_GAIN = about(
    "one gain for every depth",
    "The gain counts once for each step back, so it has to depend on how many there are.",
    GAINS,
)
ENLARGED = about(
    "a gain above 1", "He's weights come out at about 1 a step. A gain above 1 makes the gradient explode.", RELU
)
POWER_TWICE = about(
    "the power taken twice",
    "The gain already counts once for each step back. A power of the depth comes on top of that.",
    GAINS,
)
ONE_STEP = about(
    "on the edge",
    "This aims at 1e-6 itself, and chance decides on which side a network falls. Aim well below.",
    GAINS,
)


@functools.cache
def depths():
    """(depth, seeds) of the networks: shallow, deep, and two of a random depth."""
    rng = random.Random(11)
    return tuple((depth, (0, 1, 2)) for depth in (12, 4, rng.randrange(6, 11), rng.randrange(16, 25), 30))


def relu_ratio(gain, depth, seeds):
    """first / last of relu networks of this depth, whose weights are He's times a gain."""
    return mean([deep_pass("relu", "he", gain=gain, depth=depth, seed=seed).ratio for seed in seeds])


@exercise
def relu_vanishes(relu_vanishes):
    """Whether He's weights times this gain make first / last lie between 1e-12 and 1e-6 at each depth."""
    tests = depths()
    found = []
    for depth, _ in tests:
        gain = called(relu_vanishes, depth, what=f"relu_vanishes({depth})")
        if (fault := positive(gain, "relu_vanishes", depth)) is not None:
            return fault
        found.append(gain)
    ratios = [relu_ratio(gain, *test) for gain, test in zip(found, tests)]
    failing = next((i for i, ratio in enumerate(ratios) if not GONE < ratio < VANISHED), None)
    if failing is None:
        deepest = tests[-1][0]
        return (
            f"At depths {', '.join(str(depth) for depth, _ in sorted(tests))} first / last is {written(min(ratios))} "
            f"to {written(max(ratios))}. At {deepest} layers He's weights times {written(found[-1])} are enough."
        )
    depth = tests[failing][0]
    arguments = [depth for depth, _ in tests]
    known = []
    if alike(found, arguments, lambda d: found[0] * (arguments[0] - 1) / (d - 1)) or alike(
        found, arguments, lambda d: found[0] * arguments[0] / d
    ):
        known = [WRONG_ROOT]
    elif constant(found):
        known = [WHOLE if found[0] <= 1.001e-5 else ENLARGED if found[0] >= 1 else SAME_GAIN]
    elif found[failing] > 1:
        known = [ENLARGED]
    elif alike(found, arguments, lambda d: 10 ** (-6 / d)) or alike(found, arguments, lambda d: 10 ** (-6 / (d - 1))):
        known = [ONE_STEP]
    if not known and alike(found, arguments, lambda d: found[0] ** (d / arguments[0])):
        known = [POWER_TWICE]
    if not known and alike(found, arguments, lambda d: found[0] ** ((d - 1) / (arguments[0] - 1))):
        known = [POWER_TWICE]
    right = "below 1e-06" if not ratios[failing] < VANISHED else "above 1e-12"
    return wrong(
        f"With a gain of {written(found[failing])} the gradient "
        f"{'does not vanish' if not ratios[failing] < VANISHED else 'is as good as gone'}.",
        case=f'deep_pass("relu", "he", gain=relu_vanishes({depth}), depth={depth}).ratio',
        rows=[(f"first / last, mean of {len(tests[failing][1])} seeds", right, written(ratios[failing]))],
        mistakes=known,
    )


# Exercise 3: settings with which sigmoid does not vanish

SETTINGS = ("init", "gain", "residual", "residual_scale")
SIGMOID_DEPTHS = (12, 20)
SIGMOID_SEEDS = (0, 1, 2, 3, 4)

ANOTHER = about(
    "another activation",
    "That would be another network. Here sigmoid stays, and the rest makes up for it.",
    GAINS,
)
SHALLOWER = about(
    "another size",
    "The size is given: width 32, and 12 or 20 layers. Make up for the small slope, not for the depth.",
    SMALL_NUMBERS,
)
SMALLER_WEIGHTS = about(
    "smaller weights",
    "They keep z near 0, where the slope is largest. But it is at most ¼, and now the weights shrink the gradient too.",
    GAINS,
)
ORDINARY = about(
    "nothing against the ¼",
    "These weights' gain is near 1, so about a quarter is left at each step. The weights have to make up for it.",
    GAINS,
)
FOUR = about(
    "4 against ¼",
    "The slope is ¼ only at z = 0. Larger weights spread z, so the mean slope falls, and 4 is not enough.",
    GAINS,
)
NOT_YET_ENOUGH = about(
    "not enough yet",
    "The weights enlarge, but the slopes that they bring about shrink more. Look at both gains in the microscope.",
    GAINS,
)
SATURATED = about(
    "saturated",
    "With such weights nearly every sigmoid is flat, and a slope of 0 cannot be made up for by any weight.",
    GAINS,
)
EXPLODES = about(
    "too much of it", "The weights' gain is more than the activation takes: the gradient grows at each step.", GAINS
)
NOTHING_ADDED = about(
    "residual scale 0",
    "Then no layer does anything, and no weight gets a gradient. Scale down, not away.",
    AROUND,
)
RELIES = about(
    "the way around is outdone", "What the layers add is too large beside what goes around them. Scale it down.", AROUND
)


@exercise
def sigmoid_survives(settings):
    """Whether these settings of deep_pass keep first / last of 12 and of 20 sigmoid layers within 0.1 and 10."""
    what = "your settings"
    if not isinstance(settings, dict):
        raise Trouble(f"Tested: {what}.", f"A dict of settings was expected; this is {kind(settings)}.")
    if any(value is ... or value is None for value in settings.values()):
        raise Unfinished("Put a setting in place of each `...`, then run both cells again.")
    if strange := [name for name in settings if name not in SETTINGS]:
        said = f"{strange[0]!r} is not one of the settings that are open: {', '.join(SETTINGS)}."
        sizes = ("depth", "width", "batch", "seed")
        known = [ANOTHER] if strange[0] == "activation" else [SHALLOWER] if strange[0] in sizes else []
        return wrong(said, mistakes=known)
    for depth in SIGMOID_DEPTHS:
        with trying(what):
            try:
                passes = [deep_pass("sigmoid", **settings, depth=depth, seed=seed) for seed in SIGMOID_SEEDS]
            except (TypeError, ValueError) as fault:
                if callable(settings.get("init")):
                    raise
                return wrong(f"deep_pass does not take these settings: {fault}")
        ratio = mean([one.ratio for one in passes])
        if not LEAST <= ratio <= MOST:
            return not_survived(settings, passes, depth, ratio)
    weights, slopes = gains(passes)
    how = "the way around each layer" if passes[0].residual else f"{written(weights)} against {written(slopes)} a step"
    return f"First / last is {written(ratio)} at {depth} layers, a mean over {len(passes)} networks: {how}."


def gains(passes):
    """(the weights' gain, the activation's gain) of a step back, the mean over networks and steps."""
    return mean([one.weights_gain[1:] for one in passes]), mean([one.activation_gain[:-1] for one in passes])


def not_survived(settings, passes, depth, ratio):
    """The Verdict on settings with which the gradient of sigmoid layers vanishes or explodes."""
    weights, slopes = gains(passes)
    given = ", ".join(f"{name}={getattr(value, '__name__', repr(value))}" for name, value in settings.items())
    rows = [(f"first / last, mean of {len(passes)} seeds", f"{LEAST} to {MOST:g}", written(ratio))]
    known = reason(passes[0], weights, slopes, ratio)
    says = f"With {depth} layers the gradient {'vanishes' if ratio < LEAST else 'explodes'}."
    if not ratio > 0:
        says = f"With {depth} layers no gradient arrives at all."
    elif not passes[0].residual:
        says += (
            f" A step back multiplies by {written(weights)}, the weights' gain, and {written(slopes)}, the sigmoid's."
        )
    return wrong(
        says,
        case=f'settings = dict({given})\ndeep_pass("sigmoid", **settings, depth={depth}).ratio',
        rows=rows,
        mistakes=[known],
    )


def reason(one, weights, slopes, ratio):
    """The Mistake behind a ratio that is out of range."""
    if one.residual:
        return NOTHING_ADDED if one.residual_scale == 0 else RELIES
    if one.gain == 0:
        return about("all weights 0", ALL_ZERO, GAINS)
    if ratio > MOST:
        return EXPLODES
    if not weights >= 0.8:
        return SMALLER_WEIGHTS if slopes > 0.2 else SATURATED
    if weights < 2:
        return ORDINARY
    if 3.3 < weights < 4.5:
        return FOUR
    return SATURATED if slopes < 0.06 or weights > 15 else NOT_YET_ENOUGH


# Exercise 4: how much each of L residual layers may add

SAME_LEAST, SAME_MOST = 1.15, 1.4  # first / last, at every depth

SCALE_SLIPS = (
    (
        about(
            "not scaled", "1 + 1² is 2: each layer doubles the mean square, and many layers double it often.", AROUND
        ),
        lambda n: 1.0,
    ),
    (
        about(
            "twice the variance",
            "That is alike at every depth, but the mean square grows by e in all. Let each layer add half of that.",
            AROUND,
        ),
        lambda n: 1 / math.sqrt(n),
    ),
    (
        about(
            "the square forgotten",
            "The scale is squared when mean squares add up: L layers of (1/L)² come to 1/L, so deep ones add nothing.",
            AROUND,
        ),
        lambda n: 1 / n,
    ),
    (
        about(
            "the root forgotten",
            "1 / (2L) is what s² should be. With it as s, L layers add 1/(4L) in all: less, the deeper the network.",
            AROUND,
        ),
        lambda n: 1 / (2 * n),
    ),
    (
        about("upside down", "More layers add more in all, so each has to add less, not more.", AROUND),
        lambda n: math.sqrt(2 * n),
    ),
    (
        about(
            "brackets missing",
            "Python works from left to right: that multiplies by L. Put 2 * L in brackets.",
            AROUND,
        ),
        lambda n: 1 / math.sqrt(2) * n,
    ),
    (
        about("brackets missing", "That is √(L/2): the division ended before L. Put 2 * L in brackets.", AROUND),
        lambda n: math.sqrt(1 / 2 * n),
    ),
    (
        about(
            "the 2 outside the root",
            "1 / (2√L) has the square 1/(4L), half of what is asked for. The 2 belongs under the root.",
            AROUND,
        ),
        lambda n: 1 / (2 * math.sqrt(n)),
    ),
)
SAME_SCALE = about(
    "one scale for every depth",
    "What each layer adds is the same, so what all of them add grows with their number. It should not.",
    AROUND,
)
WRONG_SIZE = about(
    "the number before 1/√L",
    "It falls with the root of L, as it should, so the ratio hardly depends on the depth. But its size is another one.",
    AROUND,
)
ADDS_LESS = about(
    "less and less", "First / last falls to 1 as layers are added: together they do less, the more there are.", AROUND
)
ADDS_MORE = about(
    "too much in all", "What the layers add together makes the gradient grow by more than is asked for.", AROUND
)


@functools.cache
def stacks():
    """(layers, seeds) of residual networks: shallow and deep, and one of a random depth."""
    return tuple((layers, (0, 1, 2, 3, 4)) for layers in (8, random.Random(12).randrange(14, 26), 30, 60))


def residual_ratio(scale, layers, seeds):
    """first / last of residual networks without activation, whose layers add `scale` times what they compute."""
    return mean(
        [
            deep_pass(
                "linear", "xavier", residual=True, residual_scale=scale, depth=layers, width=64, batch=8, seed=seed
            ).ratio
            for seed in seeds
        ]
    )


@exercise
def residual_scale(residual_scale):
    """Whether residual layers scaled so have first / last between 1.15 and 1.4 at every depth."""
    tests = stacks()
    found = []
    for layers, _ in tests:
        scale = called(residual_scale, layers, what=f"residual_scale({layers})")
        if not math.isfinite(scale):
            return wrong(f"A finite number was expected from residual_scale({layers}); it returned {scale}.")
        if scale == 0:
            return wrong("With 0 no layer does anything.", mistakes=[NOTHING_ADDED])
        found.append(scale)
    ratios = [residual_ratio(scale, *test) for scale, test in zip(found, tests)]
    failing = next((i for i, ratio in enumerate(ratios) if not SAME_LEAST <= ratio <= SAME_MOST), None)
    if failing is None:
        at = ", ".join(f"{written(ratio)} at {layers}" for (layers, _), ratio in zip(tests, ratios))
        return f"First / last is {at} layers: as good as alike."
    arguments = [layers for layers, _ in tests]
    known = [mistake for mistake, slip in SCALE_SLIPS if alike(found, arguments, slip)][:1]
    if not known and constant(found):
        known = [SAME_SCALE]
    if not known and alike(found, arguments, lambda n: found[0] * math.sqrt(arguments[0] / n)):
        known = [WRONG_SIZE]
    if not known:
        known = [ADDS_LESS if ratios[failing] < SAME_LEAST else ADDS_MORE]
    return wrong(
        "First / last, in networks without activation:",
        case='s = residual_scale(L)\ndeep_pass("linear", residual=True, residual_scale=s, depth=L).ratio',
        rows=[
            (f"L = {layers}", f"{SAME_LEAST} to {SAME_MOST}", written(ratio))
            for (layers, _), ratio in zip(tests, ratios)
        ],
        mistakes=known,
    )
