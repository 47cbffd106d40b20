"""The check of `local_derivatives`: six operations, one by one, beside dual numbers."""

import functools
import itertools
import random

from autograd.dual import Dual
from exercises.judging.vocabulary import (
    FLOATS,
    OPERATIONS,
    answer,
    equal,
    function_exercise,
    in_turn,
    seen,
    still_to,
    trying,
)

POINTS = {  # where each operation is tested, beside random numbers: first a plain one, then on both sides of 0, and 0
    "**": (2, 1.5, -1.5, 0, 0.0, 2, 2.0, 1, -1),
    "exp": (0.5, 1, -2.0, 0, -0.4, 8.0),
    "log": (0.5, 2, 4.0, 1, 0.01, 250.0),
    "tanh": (0.5, -1, 2.0, 0, -0.3, 6.0),
    "sigmoid": (0.5, -1, 2.0, 0, -0.3, -8.0),
    "relu": (2.0, -1.5, 3, 0.001, -0.001, 0.4, -0.4, 100.0, -50.0, 0, 0.0),
}
EXPONENTS = (3, 2, -1, 2, 3, -2, 5, 0, 1)  # each with the number in its place, then on and on
OPEN_AT_0 = " Your relu's gate is open at 0: a convention, not an error; this course takes 0, as PyTorch does."
ROOTS = ((4.0, 0.5), (2.5, 1.5), (0.3, -0.5), (0, 1))


@functools.cache
def local_cases(op, seed=0):
    """(x, y, n, right) for an operation; y by plain floats, right by dual numbers. The first comes again at the end."""
    rng = random.Random(f"lesson 03 {op}{seed or ''}")
    low = 0.2 if op == "log" else -2.5
    xs = [*POINTS[op], *(round(rng.uniform(low, 3.0), 9 if seed else 3) for _ in range(8))]
    tests = list(zip(xs, itertools.cycle(EXPONENTS if op == "**" else [None])))
    tests += [*(ROOTS if op == "**" else ()), tests[0]]
    ys = [FLOATS[op](x, *(() if n is None else (n,))) for x, n in tests]
    return [(x, y, n, slope(op, x, y, n)) for (x, n), y in zip(tests, ys)]


def slope(op, x, y, n):
    """The local derivative of an operation, by dual numbers."""
    return OPERATIONS[op](Dual(x, 1.0), *(() if n is None else (n,))).derivative


def local_tests(function, op, seed):
    """Yield what is seen of one operation's local derivative; nothing where it is not written yet."""
    for i, (x, y, n, expected) in enumerate(local_cases(op, seed)):
        power = f"({x})**{n}" if x < 0 else f"{x}**{n}"
        made = {"**": power, "sigmoid": f"1 / (1 + math.exp({-x}))", "relu": f"max(0.0, {x})"}
        case = f'y = {made.get(op, f"math.{op}({x})")}\nlocal_derivative("{op}", {x}, y, {n})'
        with trying("; ".join(case.splitlines())):
            found = function(op, x, y, n)
        if found is None or found is ...:
            if i == 0:
                return
            says = f"The local derivative of {op} is missing here: no `return` is reached."
            yield seen(says, (op, "a number", "nothing"), case=case)
        else:
            got = answer(float(found) if isinstance(found, bool) else found, "; ".join(case.splitlines()))
            will_do = functools.partial(is_slope, expected=expected, is_corner=op == "relu" and x == 0)
            yield seen(f"The local derivative of {op} is wrong here.", (op, expected, got, will_do), case=case)


def is_slope(got, expected, is_corner):
    """Whether a number is the slope; at the corner of relu 1 is one, too."""
    return equal(got, expected) or (is_corner and got == 1)


@function_exercise
def local_derivatives(local_derivative, *, seed):
    """`local_derivative(op, x, y, n)` for six operations, one by one, each at fixed and random points."""
    parts = {op: (local_tests(local_derivative, op, seed), local_tests(slope, op, seed)) for op in POINTS}
    yield from in_turn(parts, functools.partial(still_to, "write"))
    with trying("relu at 0"):
        is_open = bool(local_derivative("relu", 0.0, 0.0, None) == 1)
    return f"All six, on both sides of 0 where there are two.{OPEN_AT_0 if is_open else ''}"
