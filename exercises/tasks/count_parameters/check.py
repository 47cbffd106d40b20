"""The check of `count_parameters`: networks of many sizes, whose parameters are counted one by one."""

import functools
import itertools
import random

from exercises.judging.vocabulary import called, exercise, make_result

# With the first sizes, each known mistake that gives a wrong number gives a different one.
FIRST_SIZES = ([2, 3, 6, 4], [2, 4, 4, 1], [2, 4, 1], [3, 1], [3, 3, 3, 3], [1, 1], [1, 1, 1, 1], [5, 1, 5])


@functools.cache
def some_sizes(seed=0):
    """Return sizes of networks, inputs first: small ones, equal ones, and random ones."""
    rng, most = random.Random(seed or 8), 60 if seed else 9
    drawn = ([rng.randint(1, most) for _ in range(rng.randint(2, 6))] for _ in range(9))
    return (*FIRST_SIZES, *drawn, [2, 4, 4, 1], [64, *[30] * 9, 10])


def parameters_counted(sizes):
    return sum(len([*range(n), "bias"]) for n, m in itertools.pairwise(sizes) for _ in range(m))


@exercise
def count_parameters(count_parameters, *, seed):
    """`count_parameters(sizes)` is the number of weights and biases of an MLP with these sizes, inputs first."""
    for sizes in some_sizes(seed):
        what = f"count_parameters({sizes})"
        got = called(count_parameters, list(sizes), what=what)
        right = f"{parameters_counted(sizes)}"
        yield make_result("The count is wrong.", ("parameters", right, f"{got:.10g}"), case=what)
    many = parameters_counted([784, 100, 10])
    return f"Right for {len(some_sizes(seed))} networks. Sizes of 784, 100 and 10 come to {many:,} parameters."
