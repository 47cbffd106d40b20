"""The check of `assemble`: expressions of Tensors compared with dual numbers, and what their nodes record."""

import functools

import numpy as np

from exercises.judging.vocabulary import NotAttempted, exercise, is_unwritten, needs_functions
from exercises.tasks.shared.array_cases import ArrayCase, node
from exercises.tasks.shared.arrays import drawn

METHODS = {"array_multiply": "*", "array_matmul": "@", "array_sum": "sum", "array_rows": "[]"}


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
    """Return the ArrayCases; with a seed, expressions of random sizes, like layers that follow one another."""
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


NODES = (  # (an expression of a and b, its operation, its inputs)
    ("a * b", "*", "ab"),
    ("a @ b", "@", "ab"),
    ("a.sum(axis=1)", "sum", "a"),
    ("a[[0, 1]]", "[]", "a"),
)


@exercise(work=150)
def assemble(array_multiply, array_matmul, array_sum, array_rows, *, engine, seed=0):
    """Build `*`, `@`, `sum` and `[]` of a Tensor from the rules of the exercises before."""
    given = dict(zip(METHODS, (array_multiply, array_matmul, array_sum, array_rows)))
    needs_functions(**given)
    missing = [METHODS[name] for name in given if is_unwritten(forth_and_back, engine.Tensor, name, given[name])]
    if missing:
        some = f"Still to be written, or without a `return`: {', '.join(missing)}."
        raise NotAttempted(some if len(missing) < len(METHODS) else "")
    for case in array_cases(seed):
        yield case.test(engine.Tensor)
    for text, op, inputs in NODES:
        yield node(engine.Tensor, text, op, inputs)
    return f"Right in {len(ARRAY_CASES)} expressions, values and gradients. This Tensor is your own."


def forth_and_back(Tensor, name, method):
    """Run a method forward and backward. Raise NotImplementedError if it returns nothing."""
    square = Tensor([[1.0, 2.0], [3.0, 4.0]])
    with np.errstate(all="ignore"):
        made = method(square, *{"array_sum": (), "array_rows": ([0],)}.get(name, (square,)))
        if made is None or made is ...:
            raise NotImplementedError
        made._backward()
