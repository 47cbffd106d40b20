"""The check of `rows`: expressions that take rows of a Tensor, against dual numbers, and what their nodes record."""

import functools

from exercises.judging.vocabulary import method_exercise
from exercises.tasks.shared.array_cases import ArrayCase, node
from exercises.tasks.shared.arrays import drawn

CASES = (
    ArrayCase("(a[[0, 2]] * b).tanh().sum()", ((3, 2), (2, 2))),
    ArrayCase("(a[[1, 1, 3]] * b).tanh().sum()", ((4, 2), (3, 2))),
    ArrayCase("(a[[3, 0, 0, 0]] * b).tanh().sum()", ((4, 2), (4, 2))),
    ArrayCase("(a[np.array([2, 0, 2])] @ b).tanh().sum()", ((3, 2), (2, 3))),
    ArrayCase("(a[[-1, 2, 0]] * b).tanh().sum()", ((3, 2), (3, 2))),
    ArrayCase("(a[[4, 4, 2]] * b).tanh().sum()", ((5,), (3,))),
    ArrayCase("(a + a[[0, 0, 1]]).tanh().sum()", ((3, 2),)),
    ArrayCase("(a[[0, 2]].tanh() * a[[1, 1]]).sum()", ((3, 2),)),
    ArrayCase("(a[[1, 1]] * b).tanh().sum()", ((3, 2), (2, 2)), passes=2),
)


@functools.lru_cache(2)
def cases(seed):
    """Return the ArrayCases; with a seed, drawn rows of arrays of drawn sizes."""
    if not seed:
        return CASES
    luck, _ = drawn("rows", seed)
    made = []
    for _ in range(6):
        n, k, count = luck.randint(2, 5), luck.randint(1, 4), luck.randint(1, 7)
        rows = [luck.randrange(-n, n) for _ in range(count)]
        made.append(ArrayCase(f"(a[{rows}] * b).tanh().sum()", ((n, k), (count, k)), luck.randint(1, 2), seed))
    return tuple(made)


@method_exercise(work=150)
def rows(Rows, *, engine, seed):
    """Write `Tensor.__getitem__` with the rows, the record and the rule."""
    for case in cases(seed):
        yield case.test(engine.Tensor)
    yield node(engine.Tensor, "a[[0, 1]]", "[]", "a")
    return f"Right in {len(CASES)} expressions: a row that was taken twice receives two contributions."
