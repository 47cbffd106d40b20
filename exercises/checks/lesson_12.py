"""The checks of lesson 12: softmax, the gradient of a batch, a network by hand, training, momentum, a floor."""

import functools
import math

import numpy as np

from autograd.lessons.digits import load_digits
from autograd.messages import show
from autograd.tensor import Tensor
from exercises.checks.lesson_03 import in_turn
from exercises.grading import answer, called, exercise, kind, needs_functions
from exercises.guard import Trouble, trying
from exercises.matching import matches
from exercises.seen import seen

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
    return f"an array of {found.dtype}" if isinstance(found, np.ndarray) else kind(found)


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
    """The rows of a test that compares two arrays; where their shapes differ, one that says so."""
    if got.shape != right.shape:
        return [(f"shape of {name}", str(right.shape), str(got.shape), False)]
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
    }


def probabilities(row):
    """The softmax of a list of scores, by plain floats."""
    powers = [math.exp(score - max(row)) for score in row]
    return [power / math.fsum(powers) for power in powers]


@exercise(**NUMPY)
def softmax(softmax):
    """`softmax(z)` makes each row of scores probabilities, whatever their size."""
    needs_functions(softmax=softmax)
    for words, rows in scores().items():
        case = f"z = np.array({rows})\nsoftmax(z)"
        z, right = np.array(rows), np.array([probabilities(row) for row in rows])
        found, kept = returned(softmax, z, what=f"softmax(z) with {words}")
        got = an_array(found, f"softmax(z) with {words}")
        says = f"Not these probabilities: {words}."
        yield seen(says, *rows_of("p", right, got), afterwards(kept), case=case)
    return f"Right for {len(scores())} arrays: each row adds up to 1, also where exp alone would overflow."


def afterwards(kept):
    """The row of a test that says whether what was handed in is as it was."""
    return ("what was handed in", "as it was", "as it was" if kept else "changed", kept)


# Exercise 2: the gradient of a batch's mean cross-entropy

TARGETS = {
    "one row": [2],
    "4 rows of 3": [0, 2, 1, 1],
    "3 rows of 3": [2, 0, 0],
    "scores of 1,500": [1, 0],
    "a row far below the other": [0, 2],
}


def gradient_by_scores(rows, targets):
    """The gradient of the mean cross-entropy by each score, by plain floats."""
    found = [probabilities(row) for row in rows]
    return [[(p - (j == t)) / len(rows) for j, p in enumerate(row)] for row, t in zip(found, targets)]


@exercise(**NUMPY)
def cross_entropy_gradient(cross_entropy_gradient):
    """`cross_entropy_gradient(z, targets)` is the gradient of the batch's mean cross-entropy by z."""
    needs_functions(cross_entropy_gradient=cross_entropy_gradient)
    for words in ("4 rows of 3", "3 rows of 3", "scores of 1,500", "a row far below the other", "one row"):
        rows, targets = scores()[words], TARGETS[words]
        case = f"z, targets = np.array({rows}), np.array({targets})\ncross_entropy_gradient(z, targets)"
        what, right = f"cross_entropy_gradient(z, targets) with {words}", np.array(gradient_by_scores(rows, targets))
        found, kept = returned(cross_entropy_gradient, np.array(rows), np.array(targets), what=what)
        says = f"Not this gradient: {words}."
        yield seen(says, *rows_of("gradient", right, an_array(found, what)), afterwards(kept), case=case)
    return "Right for five batches. Each row adds up to 0: what the target gains in probability, the others lose."


# Exercise 3: a network with one hidden layer, by hand

LINES = ("z", "w2", "b2", "h", "a", "w1", "b1")  # in the order of the way back
SMALL = "5 rows, 4 inputs, 3 hidden units, 2 classes"


@functools.cache
def networks():
    """{words: (x, targets, w1, b1, w2, b2)}: sizes that all differ, one unit at 0 exactly; and a step on 50 digits."""
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


@functools.cache
def by_engine(words):
    """The gradients of a network, {name: array}, by the engine's Tensors."""
    x, targets, *parameters = networks()[words]
    w1, b1, w2, b2 = map(Tensor, parameters)
    a = Tensor(x) @ w1 + b1
    h = a.relu()
    z = h @ w2 + b2
    z.softmax_cross_entropy(targets).backward()
    return {"z": z.grad, "w2": w2.grad, "b2": b2.grad, "h": h.grad, "a": a.grad, "w1": w1.grad, "b1": b1.grad}


def line_test(words, name, found):
    """Yield what is seen of one of the seven gradients; nothing where it is not written yet."""
    if found is None or found is ...:
        return
    right, got = by_engine(words)[name], an_array(found, f"d{name}")
    rows = rows_of(f"d{name}", right, got)
    if words != SMALL and got.shape == right.shape:
        off = float(np.abs(got - right).max())
        rows = [(f"d{name}, largest difference", show(0.0), show(off), close(got, right))]
    yield seen(f"d{name} is another array, and what comes before it is right.", *rows, case=words)


@exercise(**NUMPY)
def backward_by_hand(backward_by_hand):
    """`backward_by_hand` gives seven gradients of a network with one hidden layer. The first that is wrong is shown."""
    needs_functions(backward_by_hand=backward_by_hand)
    for words, given in networks().items():
        what = f"backward_by_hand(x, targets, w1, b1, w2, b2) with {words}"
        found, kept = returned(backward_by_hand, *(array.copy() for array in given), what=what)
        if not isinstance(found, dict) or not set(LINES) <= set(found):
            said = f"A dict with the keys {', '.join(LINES)} was expected; it returned {kind(found)}."
            raise Trouble(f"Tested: {what}.", said)
        right = by_engine(words)
        tests = {n: (line_test(words, n, found[n]), line_test(words, n, right[n])) for n in LINES}
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


class Part:
    """An array with a gradient, to which each backward pass adds: a parameter, or a loss."""

    def __init__(self, data, backward=None):
        self.data = np.array(data)
        self.grad = np.full(self.data.shape, 10.0)  # left by something before
        if backward:
            self.backward = backward


class Watched:
    """A linear model w, b of n points, and what is asked of its loss: the rows, and the parameters at that time."""

    def __init__(self, n):
        rng = np.random.RandomState(n)
        self.x, self.y = rng.standard_normal((n, 2)), rng.standard_normal((n, 1))
        self.parameters = [Part([[0.5], [-1.0]]), Part([0.25])]
        self.asked = []

    def __call__(self, rows):
        """The mean of the squared errors of these rows."""
        rows = np.asarray(rows)
        parameters = [p.data.copy() for p in self.parameters]
        self.asked.append((rows.tolist(), parameters))
        loss, slopes = self.slopes(rows, parameters)

        def backward():
            for p, slope in zip(self.parameters, slopes):
                p.grad += slope

        return Part(loss, backward)

    def slopes(self, rows, parameters):
        """(the loss of these rows, its gradients by w and b), by formula."""
        w, b = parameters
        with np.errstate(all="ignore"):
            errors = self.x[rows] @ w + b - self.y[rows]
            count = max(1, len(errors))
            return float((errors**2).sum() / count), (
                2 * self.x[rows].T @ errors / count,
                2 * errors.sum(axis=0) / count,
            )

    def right(self, rows, parameters):
        """(the loss of these rows, the parameters after a step)."""
        loss, slopes = self.slopes(rows, parameters)
        return loss, [p - RATE * slope for p, slope in zip(parameters, slopes)]


def fit_test(fit, n, batch, epochs):
    """Yield what is seen of training a Watched model."""
    model, rng = Watched(n), np.random.RandomState(n)
    case = f"fit(parameters, loss_of, n={n}, batch={batch}, lr={RATE}, epochs={epochs}, rng)"
    with np.errstate(all="ignore"):
        found = called(fit, model.parameters, model, n, batch, RATE, epochs, rng, what=case, returns=object)
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
    yield seen(
        "The rows are not taken as they should be.",
        ("rows of an epoch", "each once", "each once" if once else "some never, or again", once),
        ("order", "random", "random" if mixed else "as they stand", mixed),
        ("the next epoch", "in another order", "in another order" if other else "in the same order", other),
        ("rows of the first epoch", "any order", text_of(each[0]), True),
        case=case,
    )
    after = [parameters for _, parameters in model.asked[1:]] + [[p.data for p in model.parameters]]
    rights = [model.right(rows, before) for rows, before in model.asked if rows]
    for i, ((_, right), got) in enumerate(zip(rights[:3], after), start=1):
        yield seen(
            f"After step {i} the parameters are other numbers.",
            *rows_of("w", right[0].T, got[0].T),
            *rows_of("b", right[1], got[1]),
            case=case,
        )
    is_list = isinstance(found, list | tuple | np.ndarray)
    got = text(an_array(found, "the losses")) if is_list else kind(found)
    yield seen(
        "Those are not the losses of the steps.",
        ("losses", text([loss for loss, _ in rights]), got),
        case=case,
    )


def text_of(numbers):
    """Whole numbers as text, cut where they are many."""
    numbers = list(numbers)
    return " ".join(map(str, numbers[:24])) + (" …" if len(numbers) > 24 else "")


@exercise(**NUMPY)
def fit(fit):
    """`fit` trains a batch at a time: the batches, the steps, the losses; and it learns the digits."""
    needs_functions(fit=fit)
    for n, batch, epochs in ((7, 3, 2), (8, 4, 3)):
        yield from fit_test(fit, n, batch, epochs)
    right = learned(fit)
    yield seen(
        "Trained so, a network does not learn the digits.",
        ("right of the test pictures", f"at least {ENOUGH} %", f"{right:.1f} %", right >= ENOUGH),
        case="a 64-32-10 network, batch 50, lr 0.5, 10 epochs",
    )
    return f"Each row once an epoch, in a new order. A 64-32-10 network has {right:.1f} % of the test pictures right."


def learned(fit):
    """How many per cent of the test pictures a 64-32-10 network has right after ten epochs by a learner's `fit`."""
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
    return 100 * float((said == data.test_labels).mean())


# Exercise 5: momentum

STEPS = (([[1.0, -2.0], [0.5, 0.0]], [4.0]), ([[0.5, 1.0], [-1.0, 2.0]], [-2.0]), ([[0.0, 0.0], [0.25, 1.0]], [1.0]))


@exercise(**NUMPY)
def momentum_step(momentum_step):
    """`momentum_step(parameters, velocities, lr, keep)` moves each parameter by its velocity, and keeps that."""
    needs_functions(momentum_step=momentum_step)
    for lr, *keep in ((0.1, 0.9), (0.5, 0.5), (0.2,)):
        parameters = [Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([5.0])]
        right = [parameter.data.copy() for parameter in parameters]
        velocities, kept = [0.0, 0.0], [np.zeros(array.shape) for array in right]
        for step, grads in enumerate(STEPS, start=1):
            for parameter, grad in zip(parameters, grads):
                parameter.grad = np.array(grad)
            given = ", ".join(["[w, b]", "velocities", str(lr), *map(str, keep)])
            case = f"momentum_step({given})  # step {step}"
            with trying(case), np.errstate(all="ignore"):
                if momentum_step(parameters, velocities, lr, *keep) is NotImplemented:
                    raise NotImplementedError
            kept = [(*keep, 0.9)[0] * velocity + np.array(grad) for velocity, grad in zip(kept, grads)]
            right = [array - lr * velocity for array, velocity in zip(right, kept)]
            rows = []
            for i, (name, p) in enumerate(zip("wb", parameters)):
                rows += rows_of(name, right[i], an_array(p.data, f"{name}.data"))
                velocity = an_array(velocities[i], f"velocities[{i}]")
                velocity = np.full(kept[i].shape, velocity) if velocity.ndim == 0 else velocity
                rows += rows_of(f"velocity of {name}", kept[i], velocity)
                rows += rows_of(f"{name}.grad", np.array(grads[i]), an_array(p.grad, f"{name}.grad"))
            yield seen(f"After step {step} something is another number.", *rows, case=case)
    return "Right over three steps, with three rates: each velocity remembers, and fades."


# Exercise 6: the floor of softmax used twice

FLOORS = {  # what is wrong with a number
    "the floor of one softmax": (0.0,),
    "an ignorant network": (math.log(10),),
    "the target counted twice": (math.log(1 + 10 / math.e),),
    "the probability itself": (math.e / (math.e + 9),),
    "the sign": (-math.log(1 + 9 / math.e),),
    "the target's score the smallest": (math.log(1 + 9 * math.e),),
    "the floor of four classes": (math.log(1 + 3 / math.e),),
    "another base": (math.log2(1 + 9 / math.e), math.log10(1 + 9 / math.e)),
    "one other class only": (math.log(1 + 1 / math.e),),
    "scores of 1 and -1": (math.log(1 + 9 / math.e**2),),
}


@exercise
def softmax_twice(softmax_twice):
    """Whether a number is the floor of the cross-entropy of ten classes where softmax is used twice."""
    got = answer(softmax_twice, "softmax_twice")
    right = math.log(1 + 9 / math.e)
    because = [name for name, numbers in FLOORS.items() if any(matches(got, number) for number in numbers)]
    row = ("the lowest loss", "another number", got, math.isfinite(got) and matches(got, right))
    yield seen("The loss can go lower than that, or cannot go so low.", row, because=because)
    return "Yes: 1.4612 for ten classes. A loss that stands there names its mistake."
