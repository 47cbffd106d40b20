"""Checks of lesson 11: the four rules that a Tensor needs, a Tensor made of them, and tests that catch wrong rules."""

import collections
import functools
import random
from dataclasses import dataclass

import numpy as np

from autograd import tensor
from exercises.engines.wrong_tensors import WRONG_TENSORS, TensorEngine, post_order
from exercises.judging.array_tests import Arrays
from exercises.judging.grading import exercise, failed, has, kind, needs_functions, outcome
from exercises.judging.kills import caught
from exercises.judging.matrices import engine_in
from exercises.sandbox.guard import Trouble, Unfinished, trying
from exercises.verdicts.dual_arrays import forward_gradients
from exercises.verdicts.seen import equal, seen


class Numbers(list):
    """The numbers of an array as nested lists, which are shown with its shape."""

    digits = 4

    def __repr__(self):
        return f"{written(self, self.digits)}, shape {np.shape(self)}"


def written(numbers, digits=4):
    """Nested lists of numbers as text, each number in so many digits."""
    if isinstance(numbers, list):
        return f"[{', '.join(written(number, digits) for number in numbers)}]"
    return f"{numbers + 0.0:.{digits}g}"


def row(name, right, found):
    """The row of a test that compares arrays; with all digits, where they look alike and are not."""
    right, found = numbers_of(right), got(found)
    if isinstance(found, Numbers) and repr(found) == repr(right) and not equal(found, right):
        right.digits = found.digits = 17
    return name, right, found


def numbers_of(array):
    """An array as Numbers; one without axes as a number."""
    found = np.asarray(array, dtype=float).tolist()
    return Numbers(found) if isinstance(found, list) else found


class Words(str):
    """What is said in the place of a result."""


def got(thing):
    """What a learner's function gave, as Numbers, if it is an array of such; else in a few words."""
    if isinstance(thing, Words):
        return str(thing)
    if isinstance(thing, np.ndarray | np.number) and np.asarray(thing).dtype.kind in "fiub":
        return numbers_of(thing)
    if isinstance(thing, int | float) and not isinstance(thing, bool):
        return float(thing)
    return "an array that holds no numbers" if isinstance(thing, np.ndarray) else kind(thing)


def spelled(array):
    """An array as Python, np.array([[1, 2], [0, -1]]), in lines where it has three axes."""
    return f"np.array({written(np.asarray(array).tolist())})".replace("]], [[", "]],\n    [[")


def whole(rng, *shape):
    """An array of small whole numbers, none 0, 1 or -1, so that nothing is hidden."""
    return rng.choice([-4.0, -3.0, -2.0, 2.0, 3.0, 4.0, 5.0], shape)


def tenths(rng, *shape):
    """An array of numbers that are not whole, and that 32 bits cannot hold."""
    return np.asarray(whole(rng, *shape)) / 10


def wide(rng, *shape):
    """An array of numbers of four digits, of either sign and every size from 0.001 to 100."""
    return np.asarray(rng.choice([-1, 1], shape) * rng.randint(1000, 10000, shape) / 10.0 ** rng.randint(2, 7, shape))


def drawn(name, seed):
    """Python's and NumPy's random numbers for the silent round of an exercise."""
    luck = random.Random(f"{name} {seed}")
    return luck, np.random.RandomState(luck.getrandbits(32))


def sizes(luck, count, least=1):
    """A shape of so many axes."""
    return tuple(luck.randint(least, 5) for _ in range(count))


@dataclass(frozen=True)
class Rule:
    """A call of a learner's rule: the names and values of its arguments, and {name of a result: what is right}."""

    function: str
    arguments: dict
    right: dict
    says: str

    def text(self):
        """The call as lines of Python: the arrays first."""
        arrays = {name: each for name, each in self.arguments.items() if isinstance(each, np.ndarray)}
        lines = [f"{name} = {spelled(each)}  # shape {each.shape}" for name, each in arrays.items()]
        last = max(i for i, name in enumerate(self.arguments) if name in arrays)
        given = ", ".join(
            name if name in arrays else f"{each}" if i < last else f"{name}={each}"
            for i, (name, each) in enumerate(self.arguments.items())
        )
        return "\n".join([*lines, f"{self.function}({given})"])

    def test(self, function):
        """What is seen of it."""
        given = {name: each.copy() if has(each, "copy") else each for name, each in self.arguments.items()}
        what = self.text().splitlines()[-1]
        with np.errstate(all="ignore"):
            found, raised = outcome(what, function, *given.values())
        if raised:
            return failed(raised, self.text())
        if found is None or found is ...:
            raise Unfinished(f"Tested: {what}. It returned nothing yet.")
        results = dict(zip(self.right, [found] if len(self.right) == 1 else pair(found)))
        rows = [row(name, right, results[name]) for name, right in self.right.items()]
        rows += [
            (f"{name} afterwards", got(each), got(given[name]))
            for name, each in self.arguments.items()
            if isinstance(each, np.ndarray)
        ]
        casts = [name for each, right in self.right.items() for name in cast(results[each], right)]
        return seen(self.says, *rows, case=self.text(), because=casts[:1])


def cast(found, right):
    """The mistake that the type of a result's numbers is: whole ones, or floats with fewer digits; in a list."""
    if not isinstance(found, np.ndarray | np.generic) or found.shape != right.shape:
        return []
    if found.dtype.kind in "iu":
        cut = np.trunc(right)
        return ["whole numbers"] if np.array_equal(found, cut) and not np.array_equal(right, cut) else []
    is_short = found.dtype.kind == "f" and found.dtype.itemsize < 8
    return ["fewer digits"] if is_short and np.allclose(found, right, rtol=0.01, atol=1e-3) else []


def pair(found):
    """The two results of a function; the same words twice for anything else."""
    if isinstance(found, tuple | list) and len(found) == 2:
        return found
    return [Words(f"{kind(found)} in place of a pair")] * 2


class Rules:
    """The tests of a learner's rule."""

    def __init__(self, rules):
        self.rules = rules

    def tests(self, function):
        """Yield what is seen of each."""
        for rule in self.rules:
            yield rule.test(function)


# Exercise 1: what was repeated forward is summed backward

BIAS = np.array([[1.0, 2, 3], [1, 0, -1], [2, 2, 2], [0, 1, 0]])  # the example of the lesson
SHAPES = (  # (what was repeated, the shape that it was repeated to)
    ((4, 1), (4, 3)),
    ((), (4, 3)),
    ((3, 1), (2, 3, 4)),
    ((3,), (3, 3)),
    ((2, 3), (2, 3)),
    ((1, 3), (4, 3)),
    ((1, 1), (2, 3)),
    ((1,), (4,)),
    ((2, 1, 3), (2, 4, 3)),
    ((1, 2), (3, 1, 2)),
    ((3,), (1, 3)),
)
FIVE_AXES = (2, 3, 1, 2, 1), (2, 3, 4, 2, 3)


def folded(gradient, shape):
    """The sum of each entry's copies, counted one by one."""
    places = np.broadcast_to(np.arange(int(np.prod(shape))).reshape(shape), gradient.shape)
    return np.bincount(places.ravel(), gradient.ravel(), int(np.prod(shape))).reshape(shape)


def repeated(luck):
    """(what was repeated, the shape that it was repeated to), drawn."""
    large = sizes(luck, luck.randint(1, 4), 2)
    kept = large[luck.randint(0, len(large)) :]
    return tuple(luck.choice((size, 1)) for size in kept), large


@functools.lru_cache(2)
def foldings(seed):
    """The Rules for unbroadcast."""
    rng, shapes, first, numbers = np.random.RandomState(11), SHAPES, [(BIAS, (3,))], tenths
    if seed:
        luck, rng = drawn("unbroadcast", seed)
        shapes, first, numbers = [*(repeated(luck) for _ in range(12)), FIVE_AXES], [], wide
    pairs = [*first, *((np.asarray(numbers(rng, *large)), small) for small, large in shapes)]
    return [
        Rule(
            "unbroadcast",
            {"gradient": gradient, "shape": shape},
            {"the gradient": folded(gradient, shape)},
            f"An array of shape {shape} was repeated to {gradient.shape}.",
        )
        for gradient, shape in pairs
    ]


@exercise
def unbroadcast(unbroadcast, *, seed=0):
    """`unbroadcast(gradient, shape)` sums over the axes along which an array of this shape was repeated."""
    needs_functions(unbroadcast=unbroadcast)
    for rule in foldings(seed):
        yield rule.test(unbroadcast)
    return f"Right for {len(foldings(seed))} pairs of shapes: what was repeated forward is summed backward."


# Exercise 2: the matrix product

X, W = np.array([[1.0, 2, 0], [0, -1, 3]]), np.array([[1.0, -1], [2, 0], [0.5, 1]])  # the example of the lesson
G = np.array([[1.0, 0], [2, -1]])
SIZES = (2, 3, 4), (3, 3, 3), (4, 1, 3), (1, 3, 1), (3, 2, 2), (1, 1, 1)


@functools.lru_cache(2)
def products(seed):
    """The Rules for matmul_vjps: its gradients summed cell by cell."""
    rng, some, first, numbers = np.random.RandomState(12), SIZES, [(X, W, G)], tenths
    if seed:
        luck, rng = drawn("matmul_vjps", seed)
        some, first, numbers = [sizes(luck, 3) for _ in range(8)], [], wide
    made = [*first, *((numbers(rng, n, k), numbers(rng, k, m), numbers(rng, n, m)) for n, k, m in some)]
    return [
        Rule(
            "matmul_vjps",
            {"x": x, "w": w, "upstream": g},
            {
                "the gradient by x": np.einsum("nm,km->nk", g, w),
                "the gradient by w": np.einsum("nk,nm->km", x, g),
            },
            f"x has shape {x.shape}, w {w.shape}, upstream {g.shape}.",
        )
        for x, w, g in made
    ]


@exercise
def matmul_vjps(matmul_vjps, *, seed=0):
    """`matmul_vjps(x, w, upstream)` gives the gradients by x and by w of x @ w."""
    needs_functions(matmul_vjps=matmul_vjps)
    for rule in products(seed):
        yield rule.test(matmul_vjps)
    return f"Right for {len(products(seed))} products, among them square ones and ones whose sizes all differ."


# Exercise 3: sums

SUMS = (  # (the shape of x, axis, keepdims)
    ((2, 3), 0, False),
    ((2, 3), 1, False),
    ((2, 3), None, False),
    ((3, 3), 1, False),
    ((2, 3), 1, True),
    ((2, 3), 0, True),
    ((2, 3), None, True),
    ((2, 3, 4), 1, False),
    ((2, 3), -1, False),
    ((4,), 0, False),
    ((4,), None, False),
    ((1, 3), 0, False),
    ((2, 3, 4), 2, False),
    ((2, 3, 4), 0, False),
    ((3, 3, 3), -2, False),
    ((2, 3, 4), -1, True),
)


def spread(x, upstream, axis, keepdims):
    """Each number's gradient: that of the sum that it goes into, found one by one."""
    places = np.arange(upstream.size).reshape(upstream.shape)
    gradient = np.zeros(x.shape)
    for place in np.ndindex(x.shape):
        one = np.zeros(x.shape)
        one[place] = 1.0
        gradient[place] = upstream.ravel()[places[one.sum(axis=axis, keepdims=keepdims) > 0]].item()
    return gradient


def reduced(luck):
    """(the shape of x, axis, keepdims), drawn."""
    shape = sizes(luck, luck.randint(1, 4))
    return shape, luck.choice((None, *range(-len(shape), len(shape)))), luck.random() < 0.4


@functools.lru_cache(2)
def summed(seed):
    """The Rules for sum_vjp."""
    rng, made, sums, numbers = np.random.RandomState(13), [], SUMS, tenths
    if seed:
        luck, rng = drawn("sum_vjp", seed)
        sums, numbers = [reduced(luck) for _ in range(12)], wide
    for shape, axis, keepdims in sums:
        x = tenths(rng, *shape)
        upstream = numbers(rng, *np.shape(x.sum(axis=axis, keepdims=keepdims)))
        arguments = {"x": x, "upstream": np.asarray(upstream)}
        if axis is not None or keepdims:
            arguments["axis"] = axis
        if keepdims:
            arguments["keepdims"] = keepdims
        says = f"x has shape {shape}; axis={axis}, keepdims={keepdims}: upstream has shape {upstream.shape}."
        made.append(Rule("sum_vjp", arguments, {"the gradient": spread(x, upstream, axis, keepdims)}, says))
    return made


@exercise
def sum_vjp(sum_vjp, *, seed=0):
    """`sum_vjp(x, upstream, axis, keepdims)` gives each number the gradient of the sum that it went into."""
    needs_functions(sum_vjp=sum_vjp)
    for rule in summed(seed):
        yield rule.test(sum_vjp)
    return f"Right for {len(summed(seed))} sums: along each axis, over all, with and without keepdims."


# Exercise 4: rows

TAKEN = (  # (the shape of x, the rows)
    ((4, 2), [0, 2, 3]),
    ((4, 2), [1, 1, 3]),
    ((4, 2), [3, 0, 0, 0]),
    ((3, 2), [2, 0, 1]),
    ((2, 3), [1, 1, 0, 1]),
    ((5,), [4, 4, 2]),
    ((5, 3), [4, 0, 4, 4]),
    ((3, 2), [-1, 0]),
    ((3, 3), [2]),
)


def scattered(x, rows, upstream):
    """The contributions to each row, added one after the other."""
    gradient = np.zeros(x.shape)
    for row, contribution in zip(rows, upstream):
        gradient[row] = gradient[row] + contribution
    return gradient


def chosen(luck):
    """(the shape of x, the rows), drawn."""
    shape = sizes(luck, luck.choice((1, 2, 2, 2)), 2)
    return shape, [luck.randrange(shape[0]) for _ in range(luck.randint(1, 7))]


@functools.lru_cache(2)
def taken(seed):
    """The Rules for rows_vjp."""
    rng, made, choices = np.random.RandomState(14), [], TAKEN
    if seed:
        luck, rng = drawn("rows_vjp", seed)
        choices = [chosen(luck) for _ in range(10)]
    for shape, rows in choices:
        x = tenths(rng, *shape)
        upstream = wide(rng, *x[rows].shape) if seed else tenths(rng, *x[rows].shape) / 16
        arguments = {"x": x, "rows": rows, "upstream": upstream}
        right = {"the gradient": scattered(x, rows, upstream)}
        made.append(Rule("rows_vjp", arguments, right, f"Of an array of shape {shape} the rows {rows} were taken."))
    return made


@exercise
def rows_vjp(rows_vjp, *, seed=0):
    """`rows_vjp(x, rows, upstream)` gives each row of x the sum of what arrived where it was used."""
    needs_functions(rows_vjp=rows_vjp)
    for rule in taken(seed):
        yield rule.test(rows_vjp)
    return f"Right for {len(taken(seed))} choices of rows: a row that was taken twice has two contributions."


# Exercise 5: a Tensor made of these

METHODS = {"array_multiply": "*", "array_matmul": "@", "array_sum": "sum", "array_rows": "[]"}


@dataclass(frozen=True)
class ArrayCase:
    """An expression of Tensors a, b, … that gives one number, and their shapes; and how many passes are run."""

    text: str
    shapes: tuple
    passes: int = 1
    seed: int = 0

    @functools.cached_property
    def arrays(self):
        """The leaves' numbers: whole ones, divided by 4."""
        rng = drawn(self.text, self.seed)[1] if self.seed else np.random.RandomState(len(self.text))
        return [np.asarray(whole(rng, *shape)) / 4 for shape in self.shapes]

    @property
    def names(self):
        """The leaves' names."""
        return "abcd"[: len(self.shapes)]

    @functools.cached_property
    def f(self):
        """The function of the expression."""
        return eval(f"lambda {', '.join(self.names)}: {self.text}", {"np": np})

    @functools.cached_property
    def right(self):
        """(value, gradients), by dual numbers."""
        return forward_gradients(self.f, self.arrays)

    def code(self):
        """The case as lines of Python."""
        made = [f"{name} = Tensor({written(array.tolist())})" for name, array in zip(self.names, self.arrays)]
        return "\n".join([*made, f"root = {self.text}", *["root.backward()"] * self.passes])

    def test(self, Tensor):
        """What is seen of it on a learner's class."""
        with np.errstate(all="ignore"):
            found, raised = outcome(self.text, self.run, Tensor)
        if raised:
            return failed(raised, self.code())
        root, leaves = found
        value, gradients = self.right
        rows = [row("the value", value.item(), root.data)]
        rows += [
            row(f"{name}.grad", gradient * self.passes, leaf.grad)
            for name, gradient, leaf in zip(self.names, gradients, leaves)
        ]
        rows += [
            row(f"{name}.data afterwards", array, leaf.data)
            for name, array, leaf in zip(self.names, self.arrays, leaves)
        ]
        is_value = equal(got(root.data), float(value.item()))
        says = f"In `{self.text}` {'a gradient' if is_value else 'the value'} is wrong."
        return seen(says, *rows, case=self.code())

    def run(self, Tensor):
        """The root and the leaves, after the passes."""
        leaves = [Tensor(array) for array in self.arrays]
        root = self.f(*leaves)
        if not isinstance(root, Tensor):
            raise TypeError(f"{self.text} gave {kind(root)}, not a Tensor")
        for _ in range(self.passes):
            root.backward()
        return root, leaves


ARRAY_CASES = (
    ArrayCase("(a * b).sum()", ((2, 3), (2, 3))),
    ArrayCase("(a * b).tanh().sum()", ((2, 3), (3,))),
    ArrayCase("(b * a).tanh().sum()", ((2, 3), (3,))),
    ArrayCase("(a * b).tanh().sum()", ((2, 1), (1, 3))),
    ArrayCase("(a * b * a).tanh().sum()", ((2, 3), (2, 3))),
    ArrayCase("(a * a).sum()", ((2, 3),)),
    ArrayCase("(a * 2.0 + 3.0 * a).tanh().sum()", ((2, 3),)),
    ArrayCase("(a * np.array([2.0, -1.0, 0.5])).tanh().sum()", ((2, 3),)),
    ArrayCase("(a @ b).tanh().sum()", ((2, 3), (3, 4))),
    ArrayCase("(a @ b @ a).tanh().sum()", ((2, 3), (3, 2))),
    ArrayCase("(a @ a).tanh().sum()", ((3, 3),)),
    ArrayCase("(a @ np.array([[2.0], [-1.0], [0.5]])).tanh().sum()", ((2, 3),)),
    ArrayCase("(a.sum(axis=0) * b).tanh().sum()", ((2, 3), (3,))),
    ArrayCase("(a.sum(axis=1) * b).tanh().sum()", ((2, 3), (2,))),
    ArrayCase("(a.sum(axis=1) * b).tanh().sum()", ((3, 3), (3,))),
    ArrayCase("(a.sum(1, True) * a).tanh().sum()", ((2, 3),)),
    ArrayCase("(a.sum() * a).tanh().sum()", ((2, 3),)),
    ArrayCase("(a.sum(keepdims=True) * a).tanh().sum()", ((2, 3),)),
    ArrayCase("(a[[1, 1, 3]] * b).tanh().sum()", ((4, 2), (3, 2))),
    ArrayCase("(a + a[[0, 0, 1]]).tanh().sum()", ((3, 2),)),
    ArrayCase("((a @ b + c).relu() @ d).tanh().sum()", ((3, 2), (2, 4), (4,), (4, 1))),
    ArrayCase("(a + b + a).tanh().sum()", ((2, 3), (2, 3))),
    ArrayCase("((a * b).tanh() * (a * c)).sum()", ((2, 3), (3,), (2, 3))),
    ArrayCase("((a @ b).tanh() * (a @ c)).sum()", ((2, 3), (3, 2), (3, 2))),
    ArrayCase("(a.sum(axis=0).tanh() * a.sum(axis=0)).sum()", ((2, 3),)),
    ArrayCase("(a[[0, 2]].tanh() * a[[1, 1]]).sum()", ((3, 2),)),
    ArrayCase("(a * b + a).tanh().sum()", ((2, 3), (3,)), passes=2),
    ArrayCase("(a.sum(axis=2) * b).tanh().sum()", ((2, 2, 3), (2, 2))),
    ArrayCase("(a.sum(axis=-2) * b).tanh().sum()", ((2, 2, 3), (2, 3))),
)


@functools.lru_cache(2)
def array_cases(seed):
    """The ArrayCases; with a seed, expressions of drawn sizes, as of layers that follow one another."""
    if not seed:
        return ARRAY_CASES
    luck, _ = drawn("assemble", seed)
    n, k, m = luck.sample((2, 3, 4), 3)
    rows = [luck.randrange(n) for _ in range(n + 1)]
    axis = luck.choice((0, 1, -1, -2))
    left = m if axis in (0, -2) else n
    texts = (
        ("((a @ b + c).relu() * d).tanh().sum()", ((n, k), (k, m), (m,), (n, 1))),
        (f"(a[{rows}] * b).tanh().sum()", ((n, k), (n + 1, 1))),
        (f"((a * b).sum(axis={axis}) * c).tanh().sum()", ((n, m), (1, m), (left,))),
        (f"(a.sum({luck.randrange(3)}, True) * a).tanh().sum()", ((n, k, 2),)),
        ("((b * a) @ a.sum(axis=0, keepdims=True)).tanh().sum()", ((n, 1), (1, 1))),
        (f"(1.5 * a[{rows}] @ b * 0.25).tanh().sum()", ((n, k), (k, 2))),
    )
    return tuple(ArrayCase(text, shapes, luck.randint(1, 2), seed) for text, shapes in texts)


NODES = (  # (what is made of a and b, its sign, its inputs)
    ("a * b", "*", "ab"),
    ("a @ b", "@", "ab"),
    ("a.sum(axis=1)", "sum", "a"),
    ("a[[0, 1]]", "[]", "a"),
)


@exercise(work=150)
def assemble(array_multiply, array_matmul, array_sum, array_rows, *, engine, seed=0):
    """`*`, `@`, `sum` and `[]` of a Tensor, made of the rules of the exercises before."""
    given = dict(zip(METHODS, (array_multiply, array_matmul, array_sum, array_rows)))
    needs_functions(**given)
    missing = [METHODS[name] for name in given if is_unwritten(engine.Tensor, name, given[name])]
    if missing:
        some = f"Still to be written, or without a `return`: {', '.join(missing)}."
        raise Unfinished(some if len(missing) < len(METHODS) else "")
    for case in array_cases(seed):
        yield case.test(engine.Tensor)
    for text, op, inputs in NODES:
        yield node(engine.Tensor, text, op, inputs)
    return f"Right in {len(ARRAY_CASES)} expressions, against dual numbers. This is a Tensor of your own."


def is_unwritten(Tensor, name, method):
    """Whether a method is as it was in the stub, on the way forward or back."""
    square = Tensor([[1.0, 2.0], [3.0, 4.0]])
    try:
        with trying(METHODS[name]), np.errstate(all="ignore"):
            made = method(square, *{"array_sum": (), "array_rows": ([0],)}.get(name, (square,)))
            if made is None or made is ...:
                return True
            made._backward()
    except Unfinished:
        return True
    except Trouble:
        pass  # it is met again, and told, where the tests come to it
    return False


def node(Tensor, text, op, inputs):
    """What is seen of how a node remembers what it was made of."""
    leaves = {"a": Tensor([[1.0, 2.0], [3.0, 4.0]]), "b": Tensor([[2.0, -1.0], [0.5, 1.0]])}
    with trying(text), np.errstate(all="ignore"):
        made = eval(text, dict(leaves))
        if not isinstance(made, Tensor):
            raise TypeError(f"{text} gave {kind(made)}, not a Tensor")
        names = [next((name for name, leaf in leaves.items() if leaf is each), kind(each)) for each in made._prev]
    rows = (f"{text}: _op", op, made._op), (f"{text}: _prev", ", ".join(inputs), ", ".join(names))
    return seen("The numbers are right. But a drawing of the graph needs `_op` and `_prev`.", *rows, case=text)


# Exercise 6: tests for arrays

MOST = 3
OF_RULES = {  # wrong engines whose mistake is in the rule of one operation
    "TM1": "@",
    "TM2": "@",
    "TM3": "@",
    "TM4": "@",
    "TM7": "sum",
    "TM8": "[]",
    "TM10": "sum",
    "TM11": "softmax",
}


@exercise(compares=False, finds=lambda: {"np": np})
def three_tests(three_tests):
    """`three_tests` are at most three tests (f, shapes) that catch all twelve wrong engines on arrays."""
    return (yield from caught(three_tests, MOST, len(WRONG_TENSORS), blind_spots, Arrays))


class Traced(TensorEngine):
    """The right engine, whose nodes keep the upstream that each of their rules was given."""

    def made(self, data, inputs, op, vjps):
        out = super().made(data, inputs, op, vjps)
        add = out._backward

        def _backward():
            out.upstream = out.grad.copy()
            add()

        out._backward = _backward
        return out

    def sum(self, axis=None, keepdims=False):
        out = super().sum(axis, keepdims)
        out.is_along, out.is_first = axis is not None and not keepdims, axis in (0, -self.data.ndim)
        return out

    def __getitem__(self, rows):
        out = super().__getitem__(rows)
        taken = np.arange(len(self.data))[rows].ravel()
        out.is_repeated = len(set(taken.tolist())) < taken.size
        return out


def traced(tests):
    """The nodes of all tests' graphs on the right engine, inputs first, after a backward pass."""
    found = []
    for f, shapes in tests:
        with trying("a test"), engine_in(f, Traced, "Tensor", tensor):
            root = f(*map(Traced, Arrays().inputs(shapes, "a test")))
            root.backward()
        found += post_order(root)
    return found


def all_ones(nodes):
    """Whether there are such nodes, and each got an upstream of ones."""
    return bool(nodes) and all((each.upstream == 1).all() for each in nodes)


def is_summed(node):
    """Whether all numbers in a row of a node, of several, got the same upstream."""
    return node.shape[-1] > 1 and bool((np.ptp(node.upstream, axis=-1) == 0).all())


def blind_spots(tests, away):
    """The names of what lets these wrong engines (ids) get away from all of these tests, the weightiest first."""
    nodes = [each for each in traced(tests) if each._prev]
    of = {op: [each for each in nodes if each._op == op] for op in ("@", "sum", "[]", "softmax")}
    folded = [[each.shape != input.shape for input in each._prev] for each in nodes if each._op in ("+", "-", "*", "/")]
    left, right = (any(pair[i] for pair in folded) for i in (0, 1))
    along = [each for each in of["sum"] if each.is_along]
    uses = collections.Counter(id(input) for each in nodes for input in each._prev)
    kept = [(each, input) for each in nodes if each._op == "+" for input in each._prev if input.shape == each.shape]
    met = any(uses[id(input)] > 1 for _, input in kept)
    spots = {
        "an operation that no test uses": any(not of[OF_RULES[id]] for id in away & OF_RULES.keys()),
        "nothing is broadcast": away & {"TM5", "TM6"} and not left and not right,
        "upstream is all ones": ("TM3" in away and all_ones(of["@"]))
        or ("TM7" in away and all_ones([each for each in along if not each.is_first])),
        "sizes of 1": away & {"TM1", "TM2", "TM4", "TM5", "TM6", "TM10"}
        and any(1 in each.shape for each in nodes for each in each._prev),
        "only the right operand is broadcast": "TM12" in away and right and not left,
        "no sum along axis 1": "TM7" in away and of["sum"] and all(each.is_first for each in along),
        "no row is taken twice": "TM8" in away and of["[]"] and not any(each.is_repeated for each in of["[]"]),
        "a softmax that is summed up at once": "TM11" in away and any(map(is_summed, of["softmax"])),
        "nothing meets its input again": "TM9" in away and not met,
    }
    return tuple(name for name, is_so in spots.items() if is_so)
