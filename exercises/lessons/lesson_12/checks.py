"""The checks of lesson 12: softmax, the gradient of a batch, a network by hand, training, momentum, a floor."""

import contextlib
import functools
import math
import random

import numpy as np

from autograd.lessons.digits import load_digits
from autograd.messages import show
from autograd.tensor import Tensor
from exercises.explaining.matching import matches
from exercises.judging.grading import answer, called, exercise, kind, needs_functions
from exercises.lessons.lesson_03.checks import in_turn
from exercises.lessons.lesson_11.checks import cast
from exercises.sandbox.guard import Trouble, trying
from exercises.verdicts.seen import seen

NUMPY = {"finds": lambda: {"np": np}}


# Arrays


def an_array(found, what):
    """A learner's result as an array of float64; Trouble where it is none."""
    with trying(what):
        fine = isinstance(found, np.ndarray | np.number | list | tuple | float | int) and not isinstance(found, bool)
        try:
            array = np.asarray(found) if fine else None
            if array is not None and array.dtype.kind in "fiu":
                return array.astype(np.float64)
        except ValueError:  # rows of unequal length
            pass
    raise Trouble(f"Tested: {what}.", f"An array of numbers was expected; it is {of_what(found)}.")


def of_what(found):
    """What something is that is no array of numbers."""
    if isinstance(found, list | tuple):
        items = [item for row in found for item in (row if isinstance(row, list | tuple | np.ndarray) else [row])]
        odd = next((item for item in items if not is_number(item)), None)
        return (
            f"{kind(found)} of rows that differ in length" if odd is None else f"{kind(found)} that holds {kind(odd)}"
        )
    return f"an array of {found.dtype}" if isinstance(found, np.ndarray) else kind(found)


def is_number(thing):
    """Whether something is a number, or an array of one."""
    return isinstance(thing, int | float | np.number | np.ndarray) and np.size(thing) == 1


def text(row):
    """The numbers of a row, or one number, as pictures print them."""
    return "  ".join(show(float(number)) for number in np.ravel(row))


def close(got, right):
    """Whether two arrays of one shape agree up to float noise."""
    return bool(np.allclose(got, right, rtol=1e-9, atol=1e-12))


def texts(right, got, is_close):
    """Two rows as text; with all digits, where they look alike and are not."""
    shown = text(right), text(got)
    return (
        shown
        if is_close or shown[0] != shown[1]
        else tuple("  ".join(map(repr, np.ravel(x).tolist())) for x in (right, got))
    )


def rows_of(name, right, got):
    """The rows of a test that compares two arrays; where the shapes differ, one says so, and one keeps the numbers."""
    if got.shape != right.shape:
        return [(f"shape of {name}", str(right.shape), str(got.shape), False), (name, "", got.tolist(), True)]
    if right.ndim < 2:
        same = close(got, right)
        return [(name, *texts(right, got, same), same)]
    return [row for i, (one, other) in enumerate(zip(right, got)) for row in rows_of(f"{name}[{i}]", one, other)]


def returned(function, *args, what):
    """(what a learner's function returns, whether all arrays among its arguments are as they were)."""
    before = [arg.copy() for arg in args]
    with np.errstate(all="ignore"):
        found = called(function, *args, what=what, returns=object)
    return found, all(np.array_equal(one, other) for one, other in zip(before, args))


# Exercise 1: softmax


@functools.cache
def scores():
    """{words: rows of scores}: one row; four rows and three; rows far from 0; rows far from each other."""
    rng = np.random.RandomState(12)
    return {
        "one row": [[2.0, 1.0, 0.0]],
        "4 rows of 3": np.round(rng.standard_normal((4, 3)), 2).tolist(),
        "3 rows of 3": np.round(2 * rng.standard_normal((3, 3)), 2).tolist(),
        "scores of 1,500": [[1500.0, 1499.0, -1500.0], [-2.0, 0.5, 1.0]],
        "a row far below the other": [[0.5, 0.0, -0.5], [-1000.0, -1001.0, -1002.0]],
        "2 rows of 10": np.round(rng.standard_normal((2, 10)), 1).tolist(),
    }


def drawn_scores(name, seed):
    """{words: (rows of scores, targets)} for the silent round of an exercise."""
    luck, found = random.Random(f"{name} {seed}"), {}
    for size in (1, 1, 3, 30, 700):
        n, k = luck.randint(11, 14) if size == 3 else luck.randint(1, 7), luck.randint(2, 12)
        rows = [[round(luck.gauss(0, size), 2) for _ in range(k)] for _ in range(n)]
        found[f"{n} rows of {k}, of size {size}"] = rows, [luck.randrange(k) for _ in range(n)]
    return found


def probabilities(row):
    """The softmax of a list of scores, by plain floats."""
    powers = [math.exp(score - max(row)) for score in row]
    return [power / math.fsum(powers) for power in powers]


@exercise(**NUMPY)
def softmax(softmax, *, seed=0):
    """`softmax(z)` makes each row of scores probabilities, whatever their size."""
    needs_functions(softmax=softmax)
    drawn = {words: rows for words, (rows, _) in drawn_scores("softmax", seed).items()} if seed else scores()
    for words, rows in drawn.items():
        case = f"z = np.array({rows})\nsoftmax(z)"
        z, right = np.array(rows), np.array([probabilities(row) for row in rows])
        found, kept = returned(softmax, z, what=f"softmax(z) with {words}")
        got = an_array(found, f"softmax(z) with {words}")
        says = f"Not these probabilities: {words}."
        yield seen(says, *rows_of("p", right, got), afterwards(kept), case=case, because=cast(found, right))
    return f"Right for {len(drawn)} arrays: each row adds up to 1, also where exp alone would overflow."


def afterwards(kept):
    """The row of a test that says whether what was handed in is as it was."""
    return ("what was handed in", "as it was", "as it was" if kept else "changed", kept)


# Exercise 2: the gradient of a batch's mean cross-entropy

TARGETS = {
    "one row": [2],
    "4 rows of 3": [0, 2, 2, 0],
    "3 rows of 3": [2, 1, 1],
    "scores of 1,500": [1, 0],
    "a row far below the other": [0, 2],
    "2 rows of 10": [9, 4],
}
ONE_LAST = ("4 rows of 3", "3 rows of 3", "2 rows of 10", "scores of 1,500", "a row far below the other", "one row")


def gradient_by_scores(rows, targets):
    """The gradient of the mean cross-entropy by each score, by plain floats."""
    found = [probabilities(row) for row in rows]
    return [[(p - (j == t)) / len(rows) for j, p in enumerate(row)] for row, t in zip(found, targets)]


@exercise(**NUMPY)
def cross_entropy_gradient(cross_entropy_gradient, *, seed=0):
    """`cross_entropy_gradient(z, targets)` is the gradient of the batch's mean cross-entropy by z."""
    needs_functions(cross_entropy_gradient=cross_entropy_gradient)
    given = {words: (scores()[words], TARGETS[words]) for words in ONE_LAST}
    for words, (rows, targets) in (drawn_scores("gradient", seed) if seed else given).items():
        case = f"z, targets = np.array({rows}), np.array({targets})\ncross_entropy_gradient(z, targets)"
        what, right = f"cross_entropy_gradient(z, targets) with {words}", np.array(gradient_by_scores(rows, targets))
        found, kept = returned(cross_entropy_gradient, np.array(rows), np.array(targets), what=what)
        says = f"Not this gradient: {words}."
        rows = rows_of("gradient", right, an_array(found, what))
        yield seen(says, *rows, afterwards(kept), case=case, because=cast(found, right))
    return "Right for six batches. Each row adds up to 0: what the target gains in probability, the others lose."


# Exercise 3: a network with one hidden layer, by hand

LINES = ("z", "w2", "b2", "h", "a", "w1", "b1")  # in the order of the way back
SMALL = "5 rows, 4 inputs, 3 hidden units, 2 classes"


@functools.lru_cache(2)
def networks(seed=0):
    """{words: (x, targets, w1, b1, w2, b2)}: sizes that all differ, one unit at 0 exactly; and a step on 50 digits."""
    if seed:
        return drawn_networks(seed)
    rng, data = np.random.RandomState(3), load_digits()
    x = np.round(rng.standard_normal((5, 4)), 1)
    x[4] = 0.0
    small = (
        np.round(rng.standard_normal((4, 3)), 1),
        np.array([0.0, 0.3, -0.2]),
        np.round(rng.standard_normal((3, 2)), 1),
    )
    large = rng.standard_normal((64, 32)) / 8, np.zeros(32), rng.standard_normal((32, 10)) / 4, np.zeros(10)
    return {
        SMALL: (x, np.array([0, 1, 1, 0, 1]), *small, np.array([0.1, -0.1])),
        "a step on 50 digits, 64-32-10": (data.train[:50], data.train_labels[:50], *large),
    }


def drawn_networks(seed):
    """The same for the silent round: three networks of drawn sizes, with scores of every size."""
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
    """The gradients of a network, {name: array}, by the engine's Tensors."""
    x, targets, *parameters = networks(seed)[words]
    w1, b1, w2, b2 = map(Tensor, parameters)
    a = Tensor(x) @ w1 + b1
    h = a.relu()
    z = h @ w2 + b2
    z.softmax_cross_entropy(targets).backward()
    return {"z": z.grad, "w2": w2.grad, "b2": b2.grad, "h": h.grad, "a": a.grad, "w1": w1.grad, "b1": b1.grad}


def line_test(words, name, found, right):
    """Yield what is seen of one of the seven gradients; nothing where it is not written yet."""
    if found is None or found is ...:
        return
    got = an_array(found, f"d{name}")
    rows = rows_of(f"d{name}", right, got)
    if right.size > 100 and got.shape == right.shape:
        off = float(np.abs(got - right).max())
        rows = [(f"d{name}, largest difference", show(0.0), show(off), close(got, right))]
    says = f"d{name} is another array, and what comes before it is right."
    yield seen(says, *rows, case=words, because=cast(found, right))


@exercise(**NUMPY, work=150)
def backward_by_hand(backward_by_hand, *, seed=0):
    """`backward_by_hand` gives seven gradients of a network with one hidden layer. The first that is wrong is shown."""
    needs_functions(backward_by_hand=backward_by_hand)
    for words, given in networks(seed).items():
        what = f"backward_by_hand(x, targets, w1, b1, w2, b2) with {words}"
        found, kept = returned(backward_by_hand, *(array.copy() for array in given), what=what)
        if not isinstance(found, dict) or not set(LINES) <= set(found):
            said = f"A dict with the keys {', '.join(LINES)} was expected; it returned {kind(found)}."
            raise Trouble(f"Tested: {what}.", said)
        right = by_engine(words, seed)
        tests = {n: (line_test(words, n, found[n], right[n]), line_test(words, n, right[n], right[n])) for n in LINES}
        yield from in_turn(tests, still_to_write)
        yield seen("An array that was handed in was changed.", afterwards(kept), case=words)
    return "All seven, for five rows and for a step on 50 digits: equal to the engine's. And no engine was needed."


def still_to_write(done, missing):
    """The sentence for what is not finished."""
    right = f"Right so far: {', '.join(f'd{name}' for name in done)}. " if done else ""
    return f"{right}Still to write: {', '.join(f'd{name}' for name in missing)}."


# Exercise 4: training

RATE = 0.1
ENOUGH = 95  # per cent of the test pictures


def left_over(data):
    """A Tensor with a gradient that something before has left."""
    tensor = Tensor(data)
    tensor.grad = 10.0
    return tensor


class Watched:
    """A model of n points that is linear in its parameters, and what is asked of its loss: rows, and parameters then.

    The parameters: w, and b; with more of them, others for the squares of the inputs and for their product.
    shift: what is taken off each loss; None for the first loss that is asked for, which is 0 so.
    """

    def __init__(self, n, count=2, shift=0.0):
        rng = np.random.RandomState(n)
        self.x, self.y = rng.standard_normal((n, 2)), rng.standard_normal((n, 1))
        first, second = self.x.T
        self.inputs = [self.x, np.ones((n, 1)), self.x**2, (first * second)[:, None]][:count]
        self.parameters = [left_over(p) for p in ([[0.5], [-1.0]], [0.25], [[-0.5], [0.75]], [-0.25])[:count]]
        self.asked, self.shift = [], shift

    def __call__(self, rows):
        """The mean of the squared errors of these rows, less the shift."""
        rows = np.asarray(rows)
        parameters = [p.data.copy() for p in self.parameters]
        self.asked.append((rows.tolist(), parameters))
        loss, slopes = self.slopes(rows, parameters)
        self.shift = loss if self.shift is None else self.shift
        # the loss as a node: it is the sum of the parameters, each times its slope, and a number that makes it right
        total = sum((Tensor(slope) * p).sum() for p, slope in zip(self.parameters, slopes))
        return total + (loss - self.shift - float(total.data))

    def slopes(self, rows, parameters):
        """(the loss of these rows, its gradients by the parameters), by formula."""
        with np.errstate(all="ignore"):
            inputs = [each[rows] for each in self.inputs]
            errors = sum(each @ p.reshape(-1, 1) for each, p in zip(inputs, parameters)) - self.y[rows]
            count = max(1, len(errors))
            slopes = [2 * (each.T @ errors / count).reshape(p.shape) for each, p in zip(inputs, parameters)]
            return float((errors**2).sum() / count), slopes

    def right(self, rows, parameters, rate):
        """(the loss of these rows, the parameters after a step)."""
        loss, slopes = self.slopes(rows, parameters)
        with np.errstate(all="ignore"):
            return loss - self.shift, [p - rate * slope for p, slope in zip(parameters, slopes)]


NAMES = "wbcd"  # of a Watched model's parameters


def fit_test(fit, n, batch, epochs, lr=RATE, count=2, shift=0.0):
    """Yield what is seen of training a Watched model."""
    model, rng = Watched(n, count, shift), np.random.RandomState(n)
    case = f"fit(parameters, loss_of, n={n}, batch={batch}, lr={lr}, epochs={epochs}, rng)"
    with same_luck(), np.errstate(all="ignore"):
        found = called(fit, model.parameters, model, n, batch, lr, epochs, rng, what=case, returns=object)
    orders = [rows if isinstance(rows, list) else [rows] for rows, _ in model.asked]
    sizes = [batch] * (n // batch) + [n % batch] * (n % batch > 0)
    yield seen(
        "These are not the batches of each epoch.",
        ("sizes of the batches", text_of(sizes * epochs), text_of(map(len, orders))),
        case=case,
    )
    rows = [row for order in orders for row in order]
    each = [rows[n * i : n * i + n] for i in range(epochs)]
    once = all(sorted(order) == list(range(n)) for order in each)
    mixed = all(order != sorted(order) for order in each)
    other = len({tuple(order) for order in each}) == epochs
    again = [orders_of(fit, n, batch, epochs, seed) for seed in (n, n, n + 1)]
    its_own, which = again[0] == again[1] != again[2], ("other orders", "the same orders")
    others = [
        *steps_of(model, batch, lr, case),
        losses_of(model, found, lr, case),
        seen(
            "The orders should be drawn from the `rng` that is handed in.",
            ("the same rng once more", "the same orders", which[again[0] == again[1]]),
            ("another rng", "other orders", which[again[0] == again[2]]),
            case=case,
            because=() if its_own else "an order that is not the rng's",
        ),
    ]
    is_one = once and mixed and len({tuple(order) for order in each}) == 1 < epochs
    yield seen(
        "The rows are not taken as they should be.",
        ("rows of an epoch", "each once", "each once" if once else "some never, or again", once),
        ("order", "random", "random" if mixed else "as they stand", mixed),
        ("the next epoch", "in another order", "in another order" if other else "in the same order", other),
        case=case,
        because="one order for all epochs" if is_one and all(test.is_right for test in others) else (),
    )
    yield from others


def steps_of(model, batch, lr, case):
    """What is seen of each step of a Watched model."""
    rights = [model.right(rows, before, lr) for rows, before in model.asked if rows]
    after = [parameters for _, parameters in model.asked[1:]] + [[p.data for p in model.parameters]]
    for i, ((_, right), got) in enumerate(zip(rights, after), start=1):
        rows, before = model.asked[i - 1]
        longer = i > 1 and len(rows) == batch and factor(before, right, got)  # and the steps before it were right
        yield seen(
            f"After step {i} the parameters are other numbers.",
            *(each for name, a, b in zip(NAMES, right, got) for each in rows_of(name, a.T, np.asarray(b).T)),
            case=case,
            because=["later steps of another length"] if longer else (),
        )


def losses_of(model, found, lr, case):
    """What is seen of the losses that a training of a Watched model has returned."""
    rights = np.array([model.right(rows, before, lr)[0] for rows, before in model.asked if rows])
    is_list = isinstance(found, list | tuple | np.ndarray)
    odd = next((kind(each) for each in found if not is_number(each)), "") if is_list else kind(found)
    got = np.ravel(np.array([] if odd else found, float))
    same = not odd and got.shape == rights.shape and np.allclose(got, rights, rtol=1e-9, atol=1e-12, equal_nan=True)
    right, shown = texts(rights, got, same)
    return seen("Those are not the losses of the steps.", ("losses", right, odd or shown, same), case=case)


def factor(before, right, got):
    """How many times as long as it should be a step is that goes the right way; None where it goes another."""
    with contextlib.suppress(ValueError, TypeError):
        should, moved = (np.concatenate([np.ravel(p - b) for p, b in zip(ps, before)]) for ps in (right, got))
        with np.errstate(all="ignore"):
            times = float(moved @ should / (should @ should))
            return times if times > 0 and np.allclose(moved, times * should, rtol=1e-9, atol=1e-12) else None
    return None


@contextlib.contextmanager
def same_luck():
    """NumPy's own random numbers are the same each time, and go on afterwards where they were."""
    state = np.random.get_state()
    np.random.seed(0)
    try:
        yield
    finally:
        np.random.set_state(state)


def orders_of(fit, n, batch, epochs, seed):
    """The rows that are taken, in turn, with an rng of this seed."""
    model = Watched(n)
    with same_luck(), trying("fit, with another rng"), np.errstate(all="ignore"):
        fit(model.parameters, model, n, batch, RATE, epochs, np.random.RandomState(seed))
    return [rows for rows, _ in model.asked]


def text_of(numbers):
    """Whole numbers as text, cut where they are many."""
    numbers = list(numbers)
    return " ".join(map(str, numbers[:24])) + (" …" if len(numbers) > 24 else "")


@exercise(**NUMPY, work=150)
def fit(fit, *, seed=0):
    """`fit` trains a batch at a time: the batches, the steps, the losses; and it learns the digits."""
    needs_functions(fit=fit)
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
    least = math.ceil(ENOUGH * of / 100)
    yield seen(
        "Trained so, a network does not learn the digits.",
        ("right of the test pictures", f"at least {least} of {of}", f"{right} of {of}", right >= least),
        case="a 64-32-10 network, batch 50, lr 0.5, 10 epochs",
    )
    return f"Each row once an epoch, in a new order. A 64-32-10 network has {right} of {of} test pictures right."


def learned(fit):
    """(how many test pictures a 64-32-10 network has right after ten epochs by a learner's `fit`, of how many)."""
    data, rng = load_digits(), np.random.RandomState(0)
    shapes = ((64, 32), (32,), (32, 10), (10,))
    drawn = [rng.standard_normal(s) * math.sqrt(2 / s[0]) if len(s) == 2 else np.zeros(s) for s in shapes]
    w1, b1, w2, b2 = parameters = [Tensor(array) for array in drawn]

    def scores_of(pictures):
        return (Tensor(pictures) @ w1 + b1).relu() @ w2 + b2

    def loss_of(rows):
        return scores_of(data.train[rows]).softmax_cross_entropy(data.train_labels[rows])

    with np.errstate(all="ignore"):
        called_so = "fit(parameters, loss_of, 1400, 50, 0.5, 10, rng)"
        with trying(called_so):
            fit(parameters, loss_of, len(data.train), 50, 0.5, 10, rng)
        said = scores_of(data.test).data.argmax(axis=1)
    return int((said == data.test_labels).sum()), len(said)


# Exercise 5: momentum

SHAPES = (2, 2), (1,), (3,)  # of the parameters w, b and c
MOMENTA = (0.1, 0.9), (0.5, 0.5), (0.2,), (0.1, 0.0)  # the rate, and keep where it is handed in


def stretches(seed):
    """(shapes, a rate and maybe keep, the kind of zeros that velocities begin as) for each stretch of steps."""
    if not seed:
        return [(SHAPES[: 2 + i % 2], settings, i == 1) for i, settings in enumerate(MOMENTA)]
    luck = random.Random(f"momentum_step {seed}")
    shapes = [tuple(luck.randint(1, 4) for _ in range(luck.randint(0, 2))) for _ in range(luck.randint(3, 5))]
    return [(shapes, (round(luck.uniform(0.01, 2), 5), round(luck.random(), 5)), luck.random() < 0.5) for _ in range(2)]


def momentum_steps(momentum_step, shapes, settings, as_arrays, rng):
    """Yield what is seen of three steps of parameters with these shapes."""
    lr, *keep = settings
    names = "wbcde"[: len(shapes)]
    parameters = [Tensor(np.round(2 * rng.standard_normal(shape), 1)) for shape in shapes]
    right = [parameter.data.copy() for parameter in parameters]
    velocities = [np.zeros(shape) if as_arrays else 0.0 for shape in shapes]
    kept = [np.zeros(shape) for shape in shapes]
    for step in range(1, 4):
        grads = [np.asarray(np.round(2 * rng.standard_normal(shape), 1)) for shape in shapes]
        for parameter, grad in zip(parameters, grads):
            parameter.grad = grad.copy()
        given = ", ".join([f"[{', '.join(names)}]", "velocities", str(lr), *map(str, keep)])
        case = f"momentum_step({given})  # step {step}"
        with trying(case), np.errstate(all="ignore"):
            if momentum_step(parameters, velocities, lr, *keep) is NotImplemented:
                raise NotImplementedError
        kept = [(*keep, 0.9)[0] * velocity + grad for velocity, grad in zip(kept, grads)]
        right = [array - lr * velocity for array, velocity in zip(right, kept)]
        rows = []
        for i, (name, p) in enumerate(zip(names, parameters)):
            rows += rows_of(name, right[i], an_array(p.data, f"{name}.data"))
            velocity = an_array(velocities[i], f"velocities[{i}]")
            velocity = np.full(kept[i].shape, velocity) if velocity.ndim == 0 else velocity
            rows += rows_of(f"velocity of {name}", kept[i], velocity)
            rows += rows_of(f"{name}.grad", grads[i], an_array(p.grad, f"{name}.grad"))
        yield seen(f"After step {step} something is another number.", *rows, case=case)


@exercise(**NUMPY)
def momentum_step(momentum_step, *, seed=0):
    """`momentum_step(parameters, velocities, lr, keep)` moves each parameter by its velocity, and keeps that."""
    needs_functions(momentum_step=momentum_step)
    rng = np.random.RandomState(random.Random(f"momentum_step {seed}").getrandbits(32))
    for shapes, settings, as_arrays in stretches(seed):
        yield from momentum_steps(momentum_step, shapes, settings, as_arrays, rng)
    return "Right over three steps, with four rates: each velocity remembers, and fades."


# Exercise 6: the floor of softmax used twice


@exercise
def softmax_twice(softmax_twice):
    """Whether a number is the floor of the cross-entropy of ten classes where softmax is used twice."""
    got = answer(softmax_twice, "softmax_twice")
    right = math.log(1 + 9 / math.e)
    row = ("the lowest loss", "another number", f"{got:.3g}", math.isfinite(got) and matches(got, right))
    yield seen("The loss can go lower than that, or cannot go so low.", row)
    return "Yes: 1.4612 for ten classes. A loss that stands there names its mistake."
