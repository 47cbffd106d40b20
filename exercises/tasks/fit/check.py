"""The check of `fit`: the batches, steps and losses of a model that watches them; and whether digits are learned."""

import contextlib
import functools
import math
import random

import numpy as np

from autograd.lessons.digits import load_digits
from autograd.tensor import Tensor
from exercises.judging.vocabulary import NUMPY, called, function_exercise, kind, make_result, trying
from exercises.tasks.shared.batches import is_number, is_written_right, rows_of, texts

RATE = 0.1
LEFT = 10.0  # the gradients before training, as if something earlier had left them
ENOUGH = 95  # per cent of the test pictures


class Watched:
    """A model of n points, linear in its parameters, that notes for each call of its loss the rows and parameters.

    The parameters: w, and b; with more of them, others for the squares of the inputs and for their product.
    shift: what is subtracted from each loss; None for the first loss that is computed, which becomes 0.
    """

    def __init__(self, n, count=2, shift=0.0):
        rng = np.random.RandomState(n)
        self.x, self.y = rng.standard_normal((n, 2)), rng.standard_normal((n, 1))
        first, second = self.x.T
        self.inputs = [self.x, np.ones((n, 1)), self.x**2, (first * second)[:, None]][:count]
        self.parameters = [Tensor(p) for p in ([[0.5], [-1.0]], [0.25], [[-0.5], [0.75]], [-0.25])[:count]]
        for parameter in self.parameters:
            parameter.grad = LEFT
        self.asked, self.shift = [], shift

    def __call__(self, rows):
        """Compute the mean of the squared errors of these rows, less the shift."""
        rows = np.asarray(rows)
        parameters = [p.data.copy() for p in self.parameters]
        self.asked.append((rows.tolist(), parameters))
        loss, slopes = self.slopes(rows, parameters)
        self.shift = loss if self.shift is None else self.shift
        # the loss as a node: it is the sum of the parameters, each times its slope, and a number that makes it right
        total = sum((Tensor(slope) * p).sum() for p, slope in zip(self.parameters, slopes))
        return total + (loss - self.shift - float(total.data))

    def slopes(self, rows, parameters):
        """Return (the loss of these rows, its gradients with respect to the parameters), by formula."""
        with np.errstate(all="ignore"):
            inputs = [each[rows] for each in self.inputs]
            errors = sum(each @ p.reshape(-1, 1) for each, p in zip(inputs, parameters)) - self.y[rows]
            count = max(1, len(errors))
            slopes = [2 * (each.T @ errors / count).reshape(p.shape) for each, p in zip(inputs, parameters)]
            return float((errors**2).sum() / count), slopes

    def right(self, rows, parameters, rate):
        """Return (the loss of these rows, the parameters after a step)."""
        loss, slopes = self.slopes(rows, parameters)
        with np.errstate(all="ignore"):
            return loss - self.shift, [p - rate * slope for p, slope in zip(parameters, slopes)]


NAMES = "wbcd"  # of a Watched model's parameters


def fit_test(fit, n, batch, epochs, lr=RATE, count=2, shift=0.0):
    """Yield the tests of training a Watched model."""
    model, rng = Watched(n, count, shift), np.random.RandomState(n)
    case = f"fit(parameters, loss_of, n={n}, batch={batch}, lr={lr}, epochs={epochs}, rng=rng)"
    with same_luck(), np.errstate(all="ignore"):
        found = called(fit, model.parameters, model, n, batch, lr, epochs, rng, what=case, returns=object)
    case = f"# before the first step each p.grad is {LEFT:g}\n{case}"
    orders = [rows if isinstance(rows, list) else [rows] for rows, _ in model.asked]
    sizes = [batch] * (n // batch) + [n % batch] * (n % batch > 0)
    row = ("sizes of the batches", text_of(sizes * epochs), text_of(map(len, orders)))
    yield make_result("These are not the batches that each epoch should have.", row, case=case)
    rows = [row for order in orders for row in order]
    each = [rows[n * i : n * i + n] for i in range(epochs)]
    once, mixed = all(sorted(o) == list(range(n)) for o in each), all(o != sorted(o) for o in each)
    other = len({tuple(order) for order in each}) == epochs
    again = [orders_of(fit, n, batch, epochs, seed) for seed in (n, n, n + 1)]
    its_own, which = again[0] == again[1] != again[2], ("different orders", "the same orders")
    others = [
        *steps_of(model, batch, lr, case),
        losses_of(model, found, lr, case),
        make_result(
            "The orders should be drawn from the `rng` that is passed in.",
            ("the same rng once more", "the same orders", which[again[0] == again[1]]),
            ("another rng", "different orders", which[again[0] == again[2]]),
            case=case,
            because=() if its_own else "an order that is not the rng's",
        ),
    ]
    is_one = once and mixed and len({tuple(order) for order in each}) == 1 < epochs
    yield make_result(
        "The rows are not drawn correctly.",
        ("rows of an epoch", "each once", "each once" if once else "some missing or repeated", once),
        ("order", "random", "random" if mixed else "in their original order", mixed),
        ("the next epoch", "in a random order", "in a random order" if other else "in the same order", other),
        case=case,
        because="one order for all epochs" if is_one and all(test.is_right for test in others) else (),
    )
    yield from others


def steps_of(model, batch, lr, case):
    """Yield the test of each step of a Watched model."""
    rights = [model.right(rows, before, lr) for rows, before in model.asked if rows]
    after = [parameters for _, parameters in model.asked[1:]] + [[p.data for p in model.parameters]]
    for i, ((_, right), got) in enumerate(zip(rights, after), start=1):
        rows, before = model.asked[i - 1]
        longer = i > 1 and len(rows) == batch and factor(before, right, got)  # and the steps before it were right
        yield make_result(
            f"After step {i} the parameters are wrong.",
            *(each for name, a, b in zip(NAMES, right, got) for each in rows_of(name, a.T, np.asarray(b).T)),
            case=case,
            because=["later steps of a different length"] if longer else (),
        )


def losses_of(model, found, lr, case):
    """Return the TestResult of the losses that the training of a Watched model returned."""
    rights = np.array([model.right(rows, before, lr)[0] for rows, before in model.asked if rows])
    is_list = isinstance(found, list | tuple | np.ndarray)
    odd = next((kind(each) for each in found if not is_number(each)), "") if is_list else kind(found)
    got = np.ravel(np.array([] if odd else found, float))
    same = not odd and got.shape == rights.shape and np.allclose(got, rights, rtol=1e-9, atol=1e-12, equal_nan=True)
    right, shown = texts(rights, got, same)
    will_do = functools.partial(is_written_right, rights, same)
    return make_result("The losses are not those of the steps.", ("losses", right, odd or shown, will_do), case=case)


def factor(before, right, got):
    """Return how many times its right length a step in the right direction has; None if the direction is wrong."""
    with contextlib.suppress(ValueError, TypeError):
        should, moved = (np.concatenate([np.ravel(p - b) for p, b in zip(ps, before)]) for ps in (right, got))
        with np.errstate(all="ignore"):
            times = float(moved @ should / (should @ should))
            return times if times > 0 and np.allclose(moved, times * should, rtol=1e-9, atol=1e-12) else None
    return None


@contextlib.contextmanager
def same_luck():
    """Make NumPy's global random numbers the same each time, and restore their state afterwards."""
    state = np.random.get_state()
    np.random.seed(0)
    try:
        yield
    finally:
        np.random.set_state(state)


def orders_of(fit, n, batch, epochs, seed):
    """Return the rows that are taken, in turn, with an rng of this seed."""
    model = Watched(n)
    with same_luck(), trying("fit, with another rng"), np.errstate(all="ignore"):
        fit(model.parameters, model, n, batch, RATE, epochs, np.random.RandomState(seed))
    return [rows for rows, _ in model.asked]


def text_of(numbers):
    """Return whole numbers as text, cut off if there are many."""
    texts = list(map(str, numbers))
    return " ".join(texts[:24]) + " …" * (len(texts) > 24)


@function_exercise(**NUMPY, work=150)
def fit(fit, *, seed=0):
    """Check that `fit` trains batch by batch: the batches, the steps, the losses; and that it learns the digits."""
    if seed:
        luck = random.Random(f"fit {seed}")
        few = [(luck.randint(6, 12), luck.randint(1, 14), luck.randint(2, 4), shift) for shift in (0.0, None)]
        for n, batch, epochs, shift in (*few, (luck.randint(14, 20), luck.randint(11, 13), luck.randint(11, 13), 0.0)):
            lr = round(luck.uniform(0.01, 0.1), 5)
            yield from fit_test(fit, n, batch, epochs, lr, 4 if shift is None else luck.randint(2, 4), shift)
        return ""
    for n, batch, epochs, count in ((7, 3, 2, 2), (8, 4, 3, 3)):
        yield from fit_test(fit, n, batch, epochs, count=count)
    right, of = learned(fit)
    least, case = math.ceil(ENOUGH * of / 100), "a 64-32-10 network, batch 50, lr 0.5, 10 epochs"
    row = (
        "right of the test pictures",
        f"at least {least} of {of}",
        f"{right} of {of}",
        lambda got: int(got.split()[0]) >= least,
    )
    yield make_result("Trained like this, a network does not learn the digits.", row, case=case)
    return f"Each row once per epoch, in a new order. A 64-32-10 network has {right} of {of} test pictures right."


def learned(fit):
    """Train a 64-32-10 network with a learner's `fit` for ten epochs; return (test pictures right, of how many)."""
    data, rng = load_digits(), np.random.RandomState(0)
    shapes = ((64, 32), (32,), (32, 10), (10,))
    drawn = [rng.standard_normal(s) * math.sqrt(2 / s[0]) if len(s) == 2 else np.zeros(s) for s in shapes]
    w1, b1, w2, b2 = parameters = [Tensor(array) for array in drawn]

    def scores_of(pictures):
        return (Tensor(pictures) @ w1 + b1).relu() @ w2 + b2

    def loss_of(rows):
        return scores_of(data.train[rows]).softmax_cross_entropy(data.train_labels[rows])

    with np.errstate(all="ignore"):
        with same_luck(), trying("fit(parameters, loss_of, 1400, 50, 0.5, 10, rng)"):
            fit(parameters, loss_of, len(data.train), 50, 0.5, 10, rng)
        said = scores_of(data.test).data.argmax(axis=1)
    return int((said == data.test_labels).sum()), len(said)
