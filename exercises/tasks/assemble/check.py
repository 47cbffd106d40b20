"""The check of `assemble`: expressions of Tensors beside dual numbers, and what their nodes remember."""

import functools
from dataclasses import dataclass

import numpy as np

from exercises.judging.vocabulary import (
    Unfinished,
    equal,
    exercise,
    failed,
    is_unwritten,
    kind,
    needs_functions,
    outcome,
    seen,
    trying,
)
from exercises.tasks.shared.arrays import drawn, got, row, whole, written
from exercises.verdicts.dual_arrays import forward_gradients

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
        (root, leaves), (value, gradients) = found, self.right
        leaves, rows = dict(zip(self.names, leaves)), [row("the value", value.item(), root.data)]
        rows += [row(f"{n}.grad", g * self.passes, leaf.grad) for (n, leaf), g in zip(leaves.items(), gradients)]
        rows += [row(f"{n}.data afterwards", x, leaf.data) for (n, leaf), x in zip(leaves.items(), self.arrays)]
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
    missing = [METHODS[name] for name in given if is_unwritten(forth_and_back, engine.Tensor, name, given[name])]
    if missing:
        some = f"Still to be written, or without a `return`: {', '.join(missing)}."
        raise Unfinished(some if len(missing) < len(METHODS) else "")
    for case in array_cases(seed):
        yield case.test(engine.Tensor)
    for text, op, inputs in NODES:
        yield node(engine.Tensor, text, op, inputs)
    return f"Right in {len(ARRAY_CASES)} expressions, against dual numbers. This is a Tensor of your own."


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


def forth_and_back(Tensor, name, method):
    """What a method does on the way forward and back; NotImplementedError where it gives nothing."""
    square = Tensor([[1.0, 2.0], [3.0, 4.0]])
    with np.errstate(all="ignore"):
        made = method(square, *{"array_sum": (), "array_rows": ([0],)}.get(name, (square,)))
        if made is None or made is ...:
            raise NotImplementedError
        made._backward()
