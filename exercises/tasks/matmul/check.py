"""The check of `matmul`: expressions with @ compared with dual numbers, and what their nodes record."""

import functools

from exercises.judging.vocabulary import method_exercise
from exercises.tasks.shared.array_cases import ArrayCase, node
from exercises.tasks.shared.arrays import drawn

CASES = (
    ArrayCase("(a @ b).tanh().sum()", ((2, 3), (3, 4))),
    ArrayCase("(a @ b).tanh().sum()", ((3, 3), (3, 3))),
    ArrayCase("(a @ b).tanh().sum()", ((4, 1), (1, 3))),
    ArrayCase("(a @ b).sum()", ((1, 3), (3, 1))),
    ArrayCase("(a @ b @ a).tanh().sum()", ((2, 3), (3, 2))),
    ArrayCase("(a @ a).tanh().sum()", ((3, 3),)),
    ArrayCase("(a @ np.array([[2.0], [-1.0], [0.5]])).tanh().sum()", ((2, 3),)),
    ArrayCase("(np.array([[2.0, -1.0]]) @ a).tanh().sum()", ((2, 3),)),
    ArrayCase("((a @ b + c).relu() @ d).tanh().sum()", ((3, 2), (2, 4), (4,), (4, 1))),
    ArrayCase("((a @ b).tanh() * (a @ c)).sum()", ((2, 3), (3, 2), (3, 2))),
    ArrayCase("(a @ b).tanh().sum()", ((2, 3), (3, 2)), passes=2),
)


@functools.lru_cache(2)
def cases(seed):
    """Return the ArrayCases; with a seed, products of drawn sizes."""
    if not seed:
        return CASES
    luck, _ = drawn("matmul", seed)
    sizes = [luck.sample((1, 2, 3, 4, 5), 3) for _ in range(6)]
    return tuple(ArrayCase("(a @ b).tanh().sum()", ((n, k), (k, m)), luck.randint(1, 2), seed) for n, k, m in sizes)


@method_exercise(work=150)
def matmul(MatrixProduct, *, engine, seed):
    """Write `Tensor.__matmul__` with product, record and rule."""
    for case in cases(seed):
        yield case.test(engine.Tensor)
    yield node(engine.Tensor, "a @ b", "@", "ab")
    return f"Right in {len(CASES)} expressions, with square matrices and with sizes that all differ."
