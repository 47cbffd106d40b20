"""The check of `normalise_vjp`: gradients through mean and spread, against dual numbers."""

import functools

from exercises.judging.vocabulary import NUMPY, function_exercise
from exercises.tasks.shared.array_rules import rules
from exercises.tasks.shared.arrays import tenths, whole
from exercises.verdicts.dual_arrays import forward_gradients

# An upstream of ones lets seven of eleven mistakes pass, since a normalised row adds up to 0 whatever x is. Rows of two
# hide more: their y is 1 and -1. The last test has a row of equal numbers, of which only the epsilon is left.
SHAPES = ((2, 5), (3, 3), (1, 4), (4, 3), (5, 1))


def numbers(rng, shape):
    """Return ("x", numbers of one digit): whole ones in a square, so that a spread is above 1, and tenths elsewhere."""
    return "x", (whole if shape[0] == shape[1] else tenths)(rng, *shape)


def by_duals(x, upstream):
    return forward_gradients(lambda duals: (duals.normalise() * upstream).sum(), [x])[1][0]


@functools.lru_cache(2)
def cases(seed):
    return rules("normalise_vjp", SHAPES, numbers, by_duals, "x has shape {shape}.", seed, 6)


@function_exercise(**NUMPY)
def normalise_vjp(normalise_vjp, *, seed=0):
    """`normalise_vjp(x, upstream)` gives each number what is left of its upstream without mean and spread."""
    for rule in cases(seed):
        yield rule.test(normalise_vjp)
    return f"Right for {len(cases(seed))} arrays: through the mean, and through the spread."
