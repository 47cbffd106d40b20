"""The check of `softmax_vjp`: gradients by scores, against the written-out Jacobian of each row."""

import functools

import numpy as np

from exercises.judging.vocabulary import NUMPY, function_exercise
from exercises.tasks.shared.array_rules import rules

# A row of three alone lets three mistakes pass, equal shares one, an upstream of ones three: so there are several rows,
# as many as columns in one test and in the next one not, shares that differ, and an upstream that has no pattern.
SHAPES = ((3, 3), (1, 3), (4, 4), (2, 5), (5, 2))
SIXTEENTHS = 16


def shares(rng, shape):
    """Return ("p", rows of shares in sixteenths); in a square of four, letters see only themselves and those before."""
    rows, columns = shape
    causal, found = shape == (4, 4), np.zeros(shape)
    for i in range(rows):
        parts = i + 1 if causal else columns
        cuts = np.sort(rng.choice(np.arange(1, SIXTEENTHS), parts - 1, replace=False))
        found[i, :parts] = np.diff([0, *cuts, SIXTEENTHS]) / SIXTEENTHS
    return "p", found


def by_jacobian(p, upstream):
    """Return the gradient, row by row: ∂pᵢ/∂zⱼ is pᵢ (1 - pᵢ) if i is j, and -pᵢ pⱼ otherwise."""
    gradient = np.zeros(p.shape)
    for row, (shares, slopes) in enumerate(zip(p.tolist(), upstream.tolist())):
        for j, pj in enumerate(shares):
            gradient[row, j] = sum(g * pi * ((i == j) - pj) for i, (pi, g) in enumerate(zip(shares, slopes)))
    return gradient


@functools.lru_cache(2)
def cases(seed):
    return rules("softmax_vjp", SHAPES, shares, by_jacobian, "p has shape {shape}; each row is a softmax.", seed, 10)


@function_exercise(**NUMPY)
def softmax_vjp(softmax_vjp, *, seed=0):
    """`softmax_vjp(p, upstream)` gives each score its share of what upstream has above the row's mean."""
    for rule in cases(seed):
        yield rule.test(softmax_vjp)
    return f"Right for {len(cases(seed))} arrays of shares: each row of the gradient adds up to 0."
