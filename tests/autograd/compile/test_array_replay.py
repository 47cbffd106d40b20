"""A recorded function of Tensors gives what the engine gives, to the last bit, at other numbers and in other shapes."""

import operator
import random

import numpy as np
import pytest

from autograd import SGD, Adam, record
from autograd.compile.array_replay import ArrayReplay
from autograd.lessons import colours, digits, spelling
from autograd.tensor import Tensor
from autograd.training.tensor_nn import binary_cross_entropy, mean_squares
from figures.training.digit_nets import DigitNet, Settings
from tests.approve import approved
from tests.sampling import sample

SHAPES = ["", "n", "k", "nk", "kn", "1k", "n1", "bnk", "11", "bkn"]  # a letter is a size
UNARY = [
    *map(operator.methodcaller, ("exp", "log", "sqrt", "sin", "cos", "tanh", "sigmoid", "relu", "leaky_relu")),
    *map(operator.methodcaller, ("softplus", "sum", "mean", "softmax", "normalise", "__neg__")),
    *(operator.methodcaller(name, *given) for name in ("sum", "mean") for given in ((0,), (-1, True), ((0, 1),))),
    *(lambda x, n=n: x**n for n in (2, 3.0, 0.5, -1, 0, 1)),
    lambda x: x.leaky_relu(0.2),
    lambda x: x.normalise(0.1),
    lambda x: x.T,
    lambda x: x.reshape(-1),
    lambda x: x.reshape(-1, 1),
    lambda x: x[0],
    lambda x: x[::-1],
    lambda x: x[..., 1:],
    lambda x: x[[0, 0, -1]],
    lambda x: x[:, [1, 0, 1]],
    lambda x: 2.0 / x,
    lambda x: 1.5**x,
    lambda x: x * [0.5] - 1,
    lambda x: Tensor(x.data) * x,  # detached
    lambda x: x * Tensor(np.sqrt(abs(x.data)).max(axis=-1, keepdims=True)),
    lambda x: x if x.data.sum() > 0 else -x * x,
    lambda x: x * float(round(float(x.data.min()), 1)),
    lambda x: x.hinge(np.sign(x.data)),
    lambda x: x.binary_cross_entropy(0.3),
    lambda x: x.softmax_cross_entropy(x.data.argmin(axis=1)),
]
BINARY = [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, *[operator.matmul] * 4]
WITH_ROWS = [  # and a plain array of whole numbers, one for each of n
    lambda x, rows: x[rows],
    lambda x, rows: x[np.arange(len(rows)), rows],
    lambda x, rows: x[:, rows],
    lambda x, rows: x * np.where(rows > 1, 1.0, rows)[:, None],
    lambda x, rows: rows * x,
    lambda x, rows: x.softmax_cross_entropy(rows),
    lambda x, rows: x.hinge(1.0 - 2 * (rows % 2)),
    lambda x, rows: x.hinge(1 - 2 * (rows[:, None] % 2)),
    lambda x, rows: x.binary_cross_entropy(rows % 2),
    lambda x, rows: x[rows > 0] if rows.any() else x,
]


class Drawn:
    """A random function of three Tensors and an array of whole numbers, which makes up to ten Tensors of them."""

    def __init__(self, rng):
        self.shapes, self.lines = [rng.choice(SHAPES) for _ in range(3)], []
        self.far = rng.random() < 0.3  # whether numbers at which something has no value, or overflows, are tried, too
        while True:
            self.first, self.lines = self.point(rng, {"n": 3, "k": 2, "b": 2, "1": 1}), []
            try:
                for _ in range(40):
                    self.extend(rng, self.first)
                self.end = rng.choice((Tensor.sum, Tensor.mean))
                return
            except (ValueError, ArithmeticError, IndexError):  # this end of it has no value
                continue

    def extend(self, rng, leaves):
        ops, count = rng.choice(((UNARY, 1), (UNARY, 1), (BINARY, 2), (BINARY, 2), (WITH_ROWS, 1)))
        line = (rng.choice(ops), [rng.randrange(3 + len(self.lines)) for _ in range(count)], ops is WITH_ROWS)
        if len(self.lines) < 10:
            line[1][0] = 2 + len(self.lines) if self.lines else line[1][0]
            self.lines.append(line)
            try:
                made = self.made(*leaves)[-1].data
                assert made.size and np.abs(made).max() < 100
            except (ValueError, ArithmeticError, IndexError, AssertionError, TypeError):
                self.lines.pop()

    def point(self, rng, sizes):
        """Return arrays for it, some of which have their numbers in another order in memory."""
        numbers, arrays = np.random.RandomState(rng.randrange(2**31)), []
        for shape in self.shapes:
            array = numbers.uniform(-2, 2, [sizes[size] for size in shape])
            if self.far:
                array = np.where(numbers.uniform(size=array.shape) < 0.1, rng.choice((0.0, -0.0, 1.0, 800.0)), array)
            arrays.append(np.asfortranarray(array) if rng.random() < 0.2 else array)
        return [*arrays, numbers.randint(0, 3 if self.far else 2, sizes["n"])]

    def made(self, *arrays):
        *found, rows = [x if i == 3 or isinstance(x, Tensor) else Tensor(x) for i, x in enumerate(arrays)]
        for op, places, with_rows in self.lines:
            found.append(op(*(found[place] for place in places), *[rows] * with_rows))
        return found

    def __call__(self, *arrays):
        return self.end(self.made(*arrays)[-1])


def bits(loss, gradients):
    """Return numbers as bytes, so that 0.0 and -0.0 differ, and any nan equals another."""
    return [(np.shape(x), (np.where(np.isnan(x), np.nan, x) + 0.0 * 0).tobytes()) for x in (loss, *gradients)]


def by_engine(f, *arrays, leaves=3):
    tensors = [Tensor(0.0, label=f"x{i}") if i <= leaves else x for i, x in enumerate(arrays, start=1)]
    for tensor, array in zip(tensors[:leaves], arrays):
        tensor.data = array
    root = f(*tensors)
    root.backward()
    return float(root), [tensor.grad for tensor in tensors[:leaves]]


def outcome(run, *arguments):
    """Return the bits of a run's result, or its error message."""
    try:
        return bits(*run(*arguments))
    except (ValueError, ArithmeticError, IndexError) as failure:
        return type(failure), str(failure)


def by_programs(replay):
    """Return the same replay; raise AssertionError if the engine answers."""
    replay.by_engine = None
    return replay


@pytest.mark.long
def test_array_replay_matches_engine_on_random_functions_and_shapes():
    answers = sentences = 0
    for seed in sample(range(2000), 100):
        rng = random.Random(seed)
        f = Drawn(rng)
        replay = record(f, *map(Tensor, f.first[:3]), f.first[3])
        assert outcome(by_programs(record(f, *map(Tensor, f.first[:3]), f.first[3])), *f.first)
        for n, k, b in ((3, 2, 2), (3, 2, 2), (4, 2, 1), (3, 2, 2)):
            point = f.point(rng, {"n": n, "k": k, "b": b, "1": 1})
            expected = outcome(by_engine, f, *point)
            assert outcome(replay, *point) == expected, (seed, replay.source, point)
            answers, sentences = answers + isinstance(expected, list), sentences + isinstance(expected, tuple)
    assert answers > 250 and sentences > 50  # of 400, so that both are tested


def trained(f, parameters, batches, optimizer, how):
    """Train on each batch; return the losses, and the parameters at the end, as bytes."""
    step, losses = record(f, *batches[0], parameters=parameters), []
    for batch in batches:
        optimizer.zero_grad()
        if how == "engine":
            root = f(*batch)
            root.backward()
            losses.append(float(root))
        else:
            losses.append(step.backward(*batch))
        optimizer.step()
    assert how == "engine" or len(step.programs) == len({tuple(map(np.shape, batch)) for batch in batches})
    return losses, [p.data.tobytes() for p in parameters]


def digits_step(how):
    """Train for 100 steps on ten digits; some batches are smaller."""
    parameters, data = digits.network(), digits.load_digits()
    rows = [np.random.RandomState(i).permutation(digits.TRAIN)[: 50 - 20 * (i % 7 == 0)] for i in range(100)]

    def f(pictures, labels):
        return digits.scores(pictures, *parameters).softmax_cross_entropy(labels)

    batches = [(data.train[i], data.train_labels[i]) for i in rows]
    return trained(f, parameters, batches, SGD(parameters, 0.5, momentum=0.5), how)


def window_step(how):
    parameters, rng = spelling.window_network(Tensor), np.random.RandomState(1)

    def f(rows, targets):
        return spelling.window_scores(parameters, rows).softmax_cross_entropy(targets)

    batches = [(rng.randint(0, 30, (64, 4)), rng.randint(0, 30, 64)) for _ in range(100)]
    return trained(f, parameters, batches, SGD(parameters, 0.5), how)


def block_step(how):
    """Train lesson 10's block for 100 steps, on five batches in turn: the letters of a batch are its shape."""
    parameters, names = spelling.block_network(Tensor), colours.load_colours().train
    packed = [spelling.packed(names[8 * i : 8 * i + 8]) for i in range(5)]

    def f(letters, positions, which, targets):
        mask = spelling.mask_of(spelling.sees(positions, which))  # of plain arrays, which are followed
        return spelling.block_scores(parameters, letters, positions, mask).softmax_cross_entropy(targets)

    return trained(f, parameters, [packed[i % 5] for i in range(100)], Adam(parameters, 0.008), how)


@pytest.mark.parametrize("steps", [digits_step, window_step, block_step])
def test_training_steps_match_the_engine_bit_for_bit(steps):
    assert steps("recorded") == steps("engine")


class Plain(Tensor):
    """A Tensor that is not recorded."""


def test_spelling_model_training_matches_the_engine():
    names = colours.load_colours().train[:20]
    recorded, plain = (spelling.trained_windows(names, epochs=3, Tensor=kind) for kind in (Tensor, Plain))
    assert [p.data.tobytes() for p in recorded] == [p.data.tobytes() for p in plain]


def test_digits_training_matches_the_engine(monkeypatch):

    def trained():
        optimizer = Adam(digits.network(), 0.01)
        losses = digits.train(optimizer.parameters, optimizer, epochs=2, batch=300)
        nets = [DigitNet(Settings(batch=batch, optimizer=name)) for batch, name in ((1, "SGD"), (200, "momentum"))]
        for net in nets:
            for _ in range(9):
                net.step()
        return losses.tobytes(), [p.data.tobytes() for net in nets for p in net.parameters()]

    recorded = trained()
    monkeypatch.setattr(
        ArrayReplay, "backward", lambda self, *batch: (root := self.f(*batch)).backward() or float(root)
    )
    assert trained() == recorded


def test_program_of_a_digits_step_is_readable():
    parameters, data = digits.network(), digits.load_digits()
    for parameter, label in zip(parameters, ("w1", "b1", "w2", "b2")):
        parameter.label = label
    step = record(
        lambda pictures, labels: digits.scores(pictures, *parameters).softmax_cross_entropy(labels),
        *(data.train[:50], data.train_labels[:50]),
        parameters=parameters,
    )
    approved("array_program", step.source)


def test_array_replay_does_not_bake_in_branch_batch_or_rows():
    w = Tensor([[1.0, -2.0], [3.0, 0.5]], label="w")

    def f(rows, scale):
        x = w[rows]
        return (x * scale).sum() if x.data.max() > 2 else (-x).mean() * len(rows)

    replay = record(f, [0, 1], 2.0, parameters=[w])
    for rows in ([0, 1], [1, 1], [0, 0], [0, 0, 1], [0], [-1, 0]):
        for scale in (2.0, -1.0):
            assert replay.backward(rows, scale, reset="all") == float(f(np.array(rows), scale))
    assert len(replay.programs) == 4 and by_programs(replay)(w.data, np.array([0, 1]), np.array(5.0))[0] == 12.5
    w.data -= 0.25  # in place
    assert replay(w.data, np.array([0, 1]), np.array(2.0))[0] == float(f([0, 1], 2.0))
    w.data = np.ones((3, 3))
    replay = record(f, [0, 1], 2.0, parameters=[w])
    assert [replay.backward([0, 2], 3.0 + i, reset="all") for i in range(20)] == [-2.0] * 20 and len(
        replay.programs
    ) == 1


READS = [
    lambda x: x * float(x.data[0]),
    lambda x: x * int(x.data.sum()),
    lambda x: x * len(repr(x.data)),
    lambda x: x * len(f"{x.data}"),
    lambda x: x * x.data.tolist()[0],
    lambda x: x * np.asarray(x.data)[0],
    lambda x: x * np.array(x.data.tolist())[1],
    lambda x: x * sorted(x.data)[0],
    lambda x: x * (3.0 if 0.5 in np.round(x.data, 1) else 2.0),
    lambda x: x * np.unique(np.sign(x.data)).size,
    lambda x: x[np.nonzero(x.data > 0)].sum() + x,
    lambda x: x[x.data > 0].sum() + x,
    lambda x: (x * x) ** np.abs(np.round(x.data)),
    lambda x: x ** round(abs(float(x.data[0]))),
    lambda x: x * np.concatenate([x.data[:1], x.data[1:] * 2]),
    lambda x: x * np.add.reduce(x.data) * np.where(x.data > 0, 1.0, 2.0)[::-1],
    lambda x: binary_cross_entropy(x.sigmoid().reshape(-1, 1), np.ones((2, 1))),
    lambda x: binary_cross_entropy((x * 0.3 + 0.5).reshape(-1, 1), np.ones((2, 1))),
    lambda x: mean_squares(x.reshape(-1, 1), (x.data > 0)[:, None] * 1.0),
    lambda x: Tensor(x.data.max()) * x,
    lambda x: x * np.broadcast_to(np.asfortranarray(x.data[:, None] * x.data).T, (2, 2)),
]


@pytest.mark.parametrize("f", READS, ids=range(len(READS)))
def test_values_read_by_python_or_numpy_are_traced_or_guarded(f):
    rng = np.random.RandomState(0)
    replay = record(lambda x: f(x).sum(), Tensor([0.5, -1.25]))
    for x in [*rng.uniform(-2, 2, (20, 2)), *rng.randint(-2, 3, (20, 2)) / 2]:
        assert outcome(replay, x) == outcome(by_engine, lambda x: f(x).sum(), x), (x, replay.source)


UNBOUND = [Tensor.softmax_cross_entropy, Tensor.hinge, Tensor.binary_cross_entropy, Tensor.__getitem__]
PLAIN = [  # functions of a plain array of three whole numbers
    *(lambda t, w, op=op: op(w, t).mean() for op in (UNBOUND[0], UNBOUND[3])),
    *(lambda t, w, op=op: op(w, 1.0 - 2.0 * t[:, None] * np.ones((3, 2))).mean() for op in UNBOUND[1:3]),
    lambda t, w: w.softmax_cross_entropy([0, 1, 1]) * t[0],
    lambda t, w: w.softmax_cross_entropy([t[0], t[1], 1]),
    lambda t, w: w.hinge([[1, -1], [1, 1], [1 - 2 * t[0], -1]]),
    lambda t, w: w[[t[0], 1]].sum() + w[t[0]].sum() + w[t[0] :, t[1:]].sum(),
    lambda t, w: w[[0, 1]].sum() * t[0] + w[(t, t)].sum(),
]


@pytest.mark.parametrize("f", PLAIN, ids=range(len(PLAIN)))
def test_plain_arrays_are_replay_inputs(f):
    """Also if another name calls an operation; then the array has to be the same."""
    w = Tensor(np.random.RandomState(0).standard_normal((3, 2)))
    replay = record(lambda t: f(t, w), [0, 1, 1], parameters=[w])
    for t in np.array([[1, 1, 0], [0, 1, 1], [0, 0, 0], [1, 0, 1]]):
        root = f(t, w)
        root.backward("all")
        expected = w.grad.tobytes()
        assert replay.backward(t, reset="all") == float(root) and w.grad.tobytes() == expected


@pytest.mark.parametrize("reset", ["intermediates", "all", "nothing"])
def test_array_replay_gradients_match_backward(reset):
    found = []
    for run in ("engine", "recorded"):
        w, b = Tensor(np.full((3, 2), 0.1), label="w"), Tensor([0.2, -0.3], label="b")
        w.grad, frozen = 0.7, Tensor(2.0)

        def f(x, w=w, b=b, frozen=frozen):
            y = (x @ w + b).tanh() * frozen + b  # b is used three times, w twice
            return (y * y).mean() + (w * b).sum()

        replay = record(f, np.ones((4, 3)), parameters=[w, b])
        for i in range(3):
            x = np.random.RandomState(i).uniform(size=(4, 3))
            replay.backward(x, reset=reset) if run == "recorded" else f(x).backward(reset)
        assert not np.shares_memory(w.grad, b.grad)
        found.append([w.grad.tobytes(), b.grad.tobytes()])
    assert found[0] == found[1]


def test_changed_closure_batch_is_unnoticed_as_documented():
    w, batch = Tensor([1.0, 2.0]), np.array([1.0, 3.0])
    replay = record(lambda: (w * batch).sum(), parameters=[w])
    batch += 1.0
    assert replay(w.data)[0] == 7.0 and "a batch or its targets that are no inputs" in ArrayReplay.__doc__


def test_array_replay_handles_shared_leaves_and_invalid_identifiers():
    for labels in (["a b", "a b"], ["exp", "one"], ["v1", "d_v1"], ["lambda", "v1_exp"], ["", "x2"]):
        a, b = (Tensor([1.0, 2.0], label=label) for label in labels)
        replay = record(lambda x, a=a, b=b: (a + b + x).softmax().exp().sum(), [1.0, 2.0], parameters=[a, b])
        loss, (by_a, by_b) = by_programs(replay)(a.data, b.data, np.ones(2))
        assert loss == float((a + b + 1.0).softmax().exp().sum())
        assert not np.shares_memory(by_a, by_b) and (by_a == by_b).all()
