"""Arrays as text, the rows that compare them, and calls of a learner's rule, for several checks."""

import contextlib
import functools
import random
from dataclasses import dataclass

import numpy as np

from exercises.judging.answers import NothingReturned
from exercises.judging.vocabulary import (
    AnswerError,
    called,
    equal_results,
    failed,
    has,
    kind,
    make_result,
    names_read,
    outcome,
)


class Numbers(list):
    """The numbers of an array as nested lists, shown with the array's shape."""

    digits = 4

    def __repr__(self):
        return f"{format_numbers(self, self.digits)}, shape {np.shape(self)}"


def format_numbers(numbers, digits=4):
    """Return nested lists of numbers as text, each number with so many digits."""
    if isinstance(numbers, list):
        return f"[{', '.join(format_numbers(number, digits) for number in numbers)}]"
    return f"{numbers + 0.0:.{digits}g}"


def row(name, right, found):
    """Return the row of a test that compares arrays; with all digits if they look alike and are not."""
    right, found = numbers_of(right), got(found)
    if isinstance(found, Numbers) and repr(found) == repr(right) and not equal_results(found, right):
        right.digits = found.digits = 17
    return name, right, found


def numbers_of(array):
    """Return an array as Numbers; one without axes as a number."""
    found = np.asarray(array, dtype=float).tolist()
    return Numbers(found) if isinstance(found, list) else found


class Words(str):
    """A text that takes the place of a result."""


def got(thing):
    """Return a learner's result as Numbers if it is an array of numbers; else describe it in a few words."""
    if isinstance(thing, Words):
        return str(thing)
    if isinstance(thing, np.ndarray | np.number) and np.asarray(thing).dtype.kind in "fiub":
        return numbers_of(thing)
    if isinstance(thing, int | float) and not isinstance(thing, bool):
        return float(thing)
    return "an array that holds no numbers" if isinstance(thing, np.ndarray) else kind(thing)


def as_array(thing):
    """Return nested lists of numbers as the array that the engine makes of them; anything else unchanged."""
    if isinstance(thing, list | tuple):
        with contextlib.suppress(ValueError):  # rows of unequal length
            array = np.array(thing)
            return array if array.dtype.kind in "fiu" else thing
    return thing


def spelled(array):
    """Return an array as Python, np.array([[1, 2], [0, -1]]), on several lines if it has three axes."""
    return f"np.array({format_numbers(np.asarray(array).tolist())})".replace("]], [[", "]],\n    [[")


def whole(rng, *shape):
    """Return an array of small whole numbers, none of them 0, 1 or -1, which would hide mistakes."""
    return rng.choice([-4.0, -3.0, -2.0, 2.0, 3.0, 4.0, 5.0], shape)


def tenths(rng, *shape):
    """Return an array of numbers that are not whole and that 32 bits cannot hold exactly."""
    return np.asarray(whole(rng, *shape)) / 10


def wide(rng, *shape):
    """Return an array of numbers of four digits, of either sign and of every size from 0.001 to 100."""
    return np.asarray(rng.choice([-1, 1], shape) * rng.randint(1000, 10000, shape) / 10.0 ** rng.randint(2, 7, shape))


def drawn(name, seed):
    """Return Python's and NumPy's random generators for the silent round of an exercise."""
    luck = random.Random(f"{name} {seed}")
    return luck, np.random.RandomState(luck.getrandbits(32))


def sizes(luck, count, least=1):
    """Draw a shape of `count` axes."""
    return tuple(luck.randint(least, 5) for _ in range(count))


@dataclass(frozen=True)
class Rule:
    """A call of a learner's rule: the names and values of its arguments, and {name of a result: the right value}."""

    function: str
    arguments: dict
    right: dict
    says: str

    def to_source(self):
        """Return the call as lines of Python, the arrays first."""
        arrays = {name: each for name, each in self.arguments.items() if isinstance(each, np.ndarray)}
        lines = [f"{name} = {spelled(each)}  # shape {each.shape}" for name, each in arrays.items()]
        last = max(i for i, name in enumerate(self.arguments) if name in arrays)
        given = ", ".join(
            name if name in arrays else f"{each}" if i < last else f"{name}={each}"
            for i, (name, each) in enumerate(self.arguments.items())
        )
        return "\n".join([*lines, f"{self.function}({given})"])

    def test(self, function):
        """Return the TestResult of this call. Raise AnswerError if the rule uses Tensor."""
        needs_arrays(self.function, getattr(function, "__code__", None))
        given = {name: each.copy() if has(each, "copy") else each for name, each in self.arguments.items()}
        what = self.to_source().splitlines()[-1]
        with np.errstate(all="ignore"):
            call = functools.partial(called, function, what=what, returns=object)
            try:
                found, raised = outcome(what, call, *given.values())
            except NothingReturned as nothing:
                nothing.case = self.to_source()
                raise
        if raised:
            return failed(raised, self.to_source())
        results = [found]
        if len(self.right) == 2:
            is_pair = isinstance(found, tuple | list) and len(found) == 2
            results = found if is_pair else [Words(f"{kind(found)} instead of a pair")] * 2
        results = [as_array(result) for result in results]
        rows = [row(name, right, result) for (name, right), result in zip(self.right.items(), results)]
        arrays = {name: each for name, each in self.arguments.items() if isinstance(each, np.ndarray)}
        rows += [(f"{name} afterwards", got(each), got(given[name])) for name, each in arrays.items()]
        casts = [name for pair in zip(results, self.right.values()) for name in cast(*pair)]
        return make_result(self.says, *rows, case=self.to_source(), because=casts[:1])


def needs_arrays(name, code):
    """Raise AnswerError if a rule uses Tensor, which it is to become a part of.

    code: the rule's; None if it has none.
    """
    if code and "Tensor" in names_read(code):
        says = f"`{name}` becomes part of `Tensor`, so it cannot use `Tensor`: work with the arrays."
        raise AnswerError(says, kind="it uses Tensor")


def cast(found, right):
    """Name the mistake that a result's number type shows: whole numbers, or floats with fewer digits. Return a list."""
    if not isinstance(found, np.ndarray | np.generic) or found.shape != right.shape:
        return []
    if found.dtype.kind in "iu":
        cut = np.trunc(right)
        return ["whole numbers"] if np.array_equal(found, cut) and not np.array_equal(right, cut) else []
    is_short = found.dtype.kind == "f" and found.dtype.itemsize < 8
    return ["fewer digits"] if is_short and np.allclose(found, right, rtol=0.01, atol=1e-3) else []


TAKEN = (  # (the shape of x, the rows)
    *(((4, 2), [0, 2, 3]), ((4, 2), [1, 1, 3]), ((4, 2), [3, 0, 0, 0]), ((3, 2), [2, 0, 1]), ((2, 3), [1, 1, 0, 1])),
    *(((5,), [4, 4, 2]), ((5, 3), [4, 0, 4, 4]), ((3, 2), [-1, 0]), ((3, 3), [2]), ((3, 2), [-1, 2, 0])),
)


def scattered(x, rows, upstream):
    """Return the sum of the contributions to each row, added one after the other."""
    gradient = np.zeros(x.shape)
    for row, contribution in zip(rows, upstream):
        gradient[row] = gradient[row] + contribution
    return gradient


def chosen(luck):
    shape = sizes(luck, luck.choice((1, 2, 2, 2)), 2)
    return shape, [luck.randrange(-shape[0], shape[0]) for _ in range(luck.randint(1, 7))]


@functools.lru_cache(2)
def taken(seed):
    """Return the Rules for rows_vjp."""
    rng, made, choices = np.random.RandomState(14), [], TAKEN
    if seed:
        luck, rng = drawn("rows_vjp", seed)
        choices = [chosen(luck) for _ in range(10)]
    for shape, rows in choices:
        x = tenths(rng, *shape)
        upstream = wide(rng, *x[rows].shape) if seed else tenths(rng, *x[rows].shape) / 16
        arguments = {"x": x, "rows": rows, "upstream": upstream}
        right = {"the gradient": scattered(x, rows, upstream)}
        made.append(Rule("rows_vjp", arguments, right, f"The rows {rows} were taken from an array of shape {shape}."))
    return made
