"""The check of `hold_the_range`: the gradients of 30 layers of tanh, at three widths, with weights of this spread."""

import ast
import functools
import math
import random

import numpy as np

from autograd.lessons.depth import deep_pass
from exercises.engine_file.cells import source_of
from exercises.judging.vocabulary import called, equal_results, exercise, is_close, make_result

DEPTH = 30
LEAST, MOST = 0.05, 10.0  # at every width 1/√fan_in leaves at least 0.076, and 1.5/√fan_in at most 7.8
POWER_FIRST = "** goes before /"


@functools.cache
def widths(seed=0):
    """Return (width, batch, seeds) of the networks to try the weights in, one of a random width among them."""
    return ((32, 32, (0, 1, 2, 3)), (random.Random(seed or 10).randrange(40, 60), 16, range(4, 10)), (192, 4, (7,)))


@functools.lru_cache(maxsize=100)
def layers_of(spread, width, batch, seeds):
    """Return (the smallest, the largest) gradient of a layer relative to the last layer's, over 30 layers of tanh."""

    def init(rng, n):
        return spread * rng.standard_normal((n, n))

    passes = [deep_pass("tanh", init, depth=DEPTH, width=width, batch=batch, seed=seed) for seed in seeds]
    with np.errstate(all="ignore"):
        ratios = np.array([one.gradient_norms / one.gradient_norms[-1] for one in passes])
        each = np.exp(np.log(ratios).mean(axis=0))
    return float(each.min()), float(each.max())


@exercise(determinism="calls")
def hold_the_range(hold_the_range, *, seed):
    """Check that each of 30 tanh layers gets between 0.05 and 10 times the last layer's gradient."""
    tests, ranges = widths(seed), []
    sizes = [width for width, _, _ in tests]
    found = yield from spreads(hold_the_range, sizes)
    because = spread_of(sizes, found, divides_a_power(hold_the_range))
    for (width, batch, seeds), spread in zip(tests, found):
        mean_of = f"{len(seeds)} network{'s' * (len(seeds) > 1)}"
        low, high = layers_of(spread, width, batch, seeds)
        ranges += [low, high]
        yield make_result(
            f"With a spread of {format_number(spread)} (a weights' gain of about "
            f"{format_number(math.sqrt(width) * spread)}), the "
            f"gradient {became(low, high)} (mean over {mean_of}).",
            ("smallest layer / last", f"at least {LEAST}", format_number(low), functools.partial(is_within, low)),
            ("largest layer / last", f"at most {MOST:g}", format_number(high), functools.partial(is_within, high)),
            case="init = lambda rng, n: hold_the_range(n) * rng.standard_normal((n, n))\n"
            f'deep_pass("tanh", init, depth={DEPTH}, width={width})',
            because=because,
        )
    return (
        f"At widths {', '.join(map(str, sizes))} every layer's gradient is {format_number(min(ranges))} to "
        f"{format_number(max(ranges))} times the last one's, a mean over "
        f"{sum(len(seeds) for *_, seeds in tests)} networks."
    )


def became(low, high):
    """Return what a gradient does in the backward pass, from its smallest and largest size next to the last layer's."""
    if math.isfinite(high):
        return "vanishes" if low < LEAST / 2 else "shrinks too far" if low < LEAST else "explodes"
    return "is no number"


def is_within(exact, got):
    """Return whether a ratio, and the text written of it, are in the range."""
    return all(LEAST <= number <= MOST for number in (exact, float(got)))


def spreads(hold_the_range, sizes):
    """Yield the tests of the spread for each fan_in, computed twice. Return all spreads."""
    found, again = (
        {fan_in: called(hold_the_range, fan_in, what=f"hold_the_range({fan_in})") for fan_in in order}
        for order in (sizes, sizes[::-1])
    )
    for fan_in, spread in found.items():
        because = "all weights 0" if spread == 0 else "a spread below 0" if spread < 0 else ()
        twice = equal_results(again[fan_in], spread)
        yield make_result(
            "A finite number above 0 was expected." if twice else "Called again, it returned a different number.",
            (
                f"hold_the_range({fan_in})",
                "a finite number above 0",
                f"{spread:.9g}",
                lambda got: 0 < float(got) < math.inf,
            ),
            ("asked again", spread, again[fan_in]),
            case=f"hold_the_range({fan_in})",
            because=because if twice else "a different number each time",
        )
    return tuple(found.values())


def spread_of(sizes, found, power_divided=False):
    """Name what is wrong with spreads that go with a power of fan_in."""
    p = power(sizes, found) if all(spread and math.isfinite(spread) for spread in found) else None
    if p is None or p == -0.5:
        return () if p is None else near_xaviers(found[0] * math.sqrt(sizes[0]))
    if p >= 0:
        return "upside down" if p else "one number for every width"
    if p == -1:
        is_half = power_divided and is_close(found[0] * sizes[0], 0.5)
        return POWER_FIRST if is_half else "the variance instead of its root"
    return "a different root" if p > -0.5 else "a power instead of the root"


def near_xaviers(gain):
    """Name what is wrong with a weights' gain that is the same at every width."""
    if is_close(gain, math.sqrt(3)):
        return "the limit instead of the spread"
    if is_close(gain, math.sqrt(1 / 3)):
        return "the spread of numbers from ±1/√fan_in"
    return "weights too small" if gain < 1 else "weights too large"


def power(arguments, found):
    """Return the p for which each of these numbers is k times its argument to the power of p; None if there is none."""
    xs = [math.log(argument / arguments[0]) for argument in arguments]
    logs = [math.log(abs(one)) - math.log(abs(found[0])) for one in found]
    p = logs[-1] / xs[-1]
    fits = len({number > 0 for number in found}) == 1 and all(is_close(log, p * x) for log, x in zip(logs, xs))
    return round(p, 6) + 0.0 if fits else None


def divides_a_power(function):
    """Return whether an answer's text divides a power, as fan_in ** -1/2 does."""
    text = source_of([function])
    try:
        nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.BinOp)]
    except SyntaxError:  # a lambda cut out of a statement
        return "**" in text
    divided = [node.left for node in nodes if isinstance(node.op, ast.Div)]
    return any(
        isinstance(part, ast.BinOp) and isinstance(part.op, ast.Pow) for one in divided for part in ast.walk(one)
    )


def format_number(number):
    return f"{number:.3g}"
