"""The check of `matmul_vjps`: both gradients of a product, summed cell by cell."""

import functools

import numpy as np

from exercises.judging.vocabulary import function_exercise
from exercises.tasks.shared.arrays import Rule, drawn, sizes, tenths, wide

X, W = np.array([[1.0, 2, 0], [0, -1, 3]]), np.array([[1.0, -1], [2, 0], [0.5, 1]])  # the example of the lesson
G = np.array([[1.0, 0], [2, -1]])
SIZES = (2, 3, 4), (3, 3, 3), (4, 1, 3), (1, 3, 1), (3, 2, 2), (1, 1, 1)


@functools.lru_cache(2)
def products(seed):
    """Return the Rules for matmul_vjps, whose gradients are summed cell by cell."""
    rng, some, first, numbers = np.random.RandomState(12), SIZES, [(X, W, G)], tenths
    if seed:
        luck, rng = drawn("matmul_vjps", seed)
        some, first, numbers = [sizes(luck, 3) for _ in range(8)], [], wide
    made = [*first, *((numbers(rng, n, k), numbers(rng, k, m), numbers(rng, n, m)) for n, k, m in some)]
    rules = []
    for x, w, g in made:
        right = {"the gradient of x": np.einsum("nm,km->nk", g, w), "the gradient of w": np.einsum("nk,nm->km", x, g)}
        says = f"x has shape {x.shape}, w {w.shape}, upstream {g.shape}."
        rules.append(Rule("matmul_vjps", {"x": x, "w": w, "upstream": g}, right, says))
    return rules


@function_exercise
def matmul_vjps(matmul_vjps, *, seed=0):
    """`matmul_vjps(x, w, upstream)` gives the gradients of x and of w in x @ w."""
    for rule in products(seed):
        yield rule.test(matmul_vjps)
    return f"Right for {len(products(seed))} products, among them square ones and ones whose sizes all differ."
