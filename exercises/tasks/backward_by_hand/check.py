"""The check of `backward_by_hand`: seven gradients of networks with one hidden layer, against the engine's."""

import functools
import random

import numpy as np

from autograd.errors.messages import show
from autograd.lessons.digits import load_digits
from autograd.tensor import Tensor
from exercises.content import library
from exercises.judging.vocabulary import AnswerError, function_exercise, in_turn, kind, make_result, still_to
from exercises.tasks.cross_entropy_gradient.check import cross_entropy_gradient
from exercises.tasks.shared.arrays import cast
from exercises.tasks.shared.batches import afterwards, an_array, close, returned, rows_of
from exercises.tasks.softmax.check import softmax

LINES = ("z", "w2", "b2", "h", "a", "w1", "b1")  # in the order of the backward pass
SMALL = "5 rows, 4 inputs, 3 hidden units, 2 classes"


@functools.lru_cache(2)
def networks(seed=0):
    """Return {words: (x, targets, w1, b1, w2, b2)}: all sizes differ, one unit is at 0; and a step on 50 digits."""
    if seed:
        return drawn_networks(seed)
    rng, data = np.random.RandomState(3), load_digits()
    x, w1, w2 = (np.round(rng.standard_normal(shape), 1) for shape in ((5, 4), (4, 3), (3, 2)))
    x[4] = 0.0
    large = rng.standard_normal((64, 32)) / 8, np.zeros(32), rng.standard_normal((32, 10)) / 4, np.zeros(10)
    return {
        SMALL: (x, np.array([0, 1, 1, 0, 1]), w1, np.array([0.0, 0.3, -0.2]), w2, np.array([0.1, -0.1])),
        "a step on 50 digits, 64-32-10": (data.train[:50], data.train_labels[:50], *large),
    }


def drawn_networks(seed):
    """Draw three networks of random sizes, with scores of every size, for the silent round."""
    luck, found = random.Random(f"backward_by_hand {seed}"), {}
    for size in (1, 20, 500):
        n, d, h, k = luck.sample(range(2, 15), 4)
        rng = np.random.RandomState(luck.getrandbits(32))
        arrays = [rng.standard_normal(shape) for shape in ((n, d), (d, h), (h,), (h, k), (k,))]
        arrays[3] *= size
        words = f"{n} rows, {d} inputs, {h} hidden units, {k} classes"
        found[words] = arrays[0], np.array([luck.randrange(k) for _ in range(n)]), *arrays[1:]
    return found


@functools.lru_cache(5)
def by_engine(words, seed=0):
    """Return the gradients of a network, {name: array}, by the engine's Tensors."""
    x, targets, *parameters = networks(seed)[words]
    w1, b1, w2, b2 = map(Tensor, parameters)
    a = Tensor(x) @ w1 + b1
    h = a.relu()
    z = h @ w2 + b2
    z.softmax_cross_entropy(targets).backward()
    return {"z": z.grad, "w2": w2.grad, "b2": b2.grad, "h": h.grad, "a": a.grad, "w1": w1.grad, "b1": b1.grad}


def line_test(words, name, found, right):
    """Yield the test of one of the seven gradients; nothing if it is not written yet."""
    if found is None or found is ...:
        return
    got = an_array(found, f"d{name}")
    rows = rows_of(f"d{name}", right, got)
    if right.size > 100 and got.shape == right.shape:
        off = float(np.abs(got - right).max())
        rows = [(f"d{name}, largest difference", show(0.0), show(off), close(got, right))]
    says = f"d{name} is wrong, and what comes before it is right."
    yield make_result(says, *rows, case=words, because=cast(found, right))


@functools.cache
def earlier():
    """Return the names that the cell can use: NumPy, and the functions of the exercises before."""
    before = (softmax, cross_entropy_gradient)
    return {"np": np} | {each.name: each.answers(library.solution(each.name).code)[0] for each in before}


@function_exercise(finds=earlier, work=150)
def backward_by_hand(backward_by_hand, *, seed=0):
    """`backward_by_hand` gives seven gradients of a network with one hidden layer. The first that is wrong is shown."""
    for words, given in networks(seed).items():
        what = f"backward_by_hand(x, targets, w1, b1, w2, b2) with {words}"
        found, kept = returned(backward_by_hand, *(array.copy() for array in given), what=what)
        if not isinstance(found, dict) or not set(LINES) <= set(found):
            said = f"A dict with the keys {', '.join(LINES)} was expected; it returned {kind(found)}."
            raise AnswerError(f"Tested: {what}.", said)
        right = by_engine(words, seed)
        lines = {f"d{n}": [line_test(words, n, got[n], right[n]) for got in (found, right)] for n in LINES}
        yield from in_turn(lines, functools.partial(still_to, "write"))
        yield make_result("An array that was passed in was changed.", afterwards(kept), case=words)
    return "All seven, for five rows and for a step on 50 digits: equal to the engine's. And no engine was needed."
