"""The check of `used_three_times`: the contributions along three edges, then gradients added up from their paths."""

import functools
import math
import random

from autograd.dual import forward_gradient
from exercises.engines.wrong_engines import Engine
from exercises.judging.vocabulary import (
    AnswerError,
    NotAttempted,
    answer,
    called,
    exercise,
    is_close,
    kind,
    make_result,
    needs_functions,
)

X, Y, Z = 2.0, -3.0, 4.0


def uses(x1, x2, x3):
    """Return x·y + (x + z)·x with a separate argument for each use of x."""
    return x1 * Y + (x2 + Z) * x3


RIGHT = forward_gradient(uses, [X, X, X])  # each use's own gradient is its contribution


def contributions_test(contributions):
    """Return the TestResult of a list of x's contributions, in any order. Zeros may fill in for missing ones."""
    what = "your list of contributions"
    try:
        listed = answer(contributions, what, (list, tuple, set, frozenset))
    except AnswerError:
        said = f"A list of three numbers was expected; this is {kind(contributions)}."
        raise AnswerError(f"Tested: {what}.", said) from None
    if any(each is ... or each is None for each in listed):
        raise NotAttempted(
            "Put a number instead of each `...` in the list of contributions, then run both cells again."
        )
    given = [answer(each, what, came="one of them is") for each in listed]
    hits = sum(any(is_close(each, right) for each in given) for right in RIGHT)
    how_many = ("None of the three contributions are", "One of the three contributions is")
    says = (*how_many, "Two of the three contributions are", "All of the three contributions are")[
        hits
    ] + " in your list."
    if len(given) != 3:
        says += f" It contains {len(given)} number{'s' if len(given) != 1 else ''}."
    numbers = sorted(each for each in given if each)
    row = (
        "numbers in your list, zeros left out",
        "one for each edge from x",
        numbers,
        list(map(is_close, sorted(given), sorted(RIGHT))) == [True] * 3,
    )
    because = "the sum instead of its parts" if numbers and all(is_close(each, sum(RIGHT)) for each in numbers) else ()
    return make_result(says, row, graph=drawn, because=because)


def drawn():
    """Return the graph of x·y + (x + z)·x."""
    x, y, z = Engine(X, label="x"), Engine(Y, label="y"), Engine(Z, label="z")
    f = x * y + (x + z) * x
    f.label = "f"
    return f


@functools.cache
def path_sets(seed=0, count=30):
    """Draw lists of paths, each path a tuple of local derivatives: small ones first, whole numbers and others."""
    rng, found = random.Random(4 + seed), []
    whole, tenths = [n for n in range(-4, 5) if n], [n / 10 for n in range(-25, 26) if n]
    for i in range(count):
        numbers = tenths if i % 2 else whole
        lengths = [rng.randint(1, min(7, 2 + i // 3)) for _ in range(min(6, 1 + i // 2))]
        found.append(tuple(tuple(rng.choices(numbers, k=length)) for length in lengths))
    equal_ones = ((2, 3), (2, 3)), ((-1.5,), (4, 0), (-1.5,)), ((1, 1), (1,), (1, 1, 1))
    return (*found, *equal_ones, ((3, 3), (0.1234567, 1.7654321)), found[0])


@exercise(determinism="once")
def used_three_times(contributions, gradient_from_paths, *, seed):
    """List x's three contributions, then write a function that adds up the products of random paths.

    The list comes first: while it is wrong the function is not tested.
    """
    test = contributions_test(contributions)
    yield test
    if not test.is_right:
        return ""
    needs_functions(gradient_from_paths=gradient_from_paths)
    for paths in path_sets(seed):
        yield sum_test(gradient_from_paths, paths)
    total = " + ".join(f"{each:g}" for each in RIGHT)
    return f"x.grad is {total} = {sum(RIGHT):g}; and your sum was right for {len(path_sets(seed))} sets of paths."


def sum_test(function, paths):
    """Return the TestResult of a learner's function on some paths: its result, and whether it changes the lists."""
    given = [list(path) for path in paths]
    case = f"gradient_from_paths({given})"
    try:
        got = called(function, given, what=case)
    except NotAttempted as unfinished:
        says = str(unfinished) or "Still to write: `gradient_from_paths`."
        raise NotAttempted(f"The three contributions are right. {says}") from None
    return make_result(
        "The three contributions are right, but the function is not right yet.",
        ("gradient", sum(map(math.prod, paths)), got),
        ("the paths afterwards", [list(path) for path in paths], given),
        case=case,
    )
