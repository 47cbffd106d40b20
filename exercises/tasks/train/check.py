"""The check of `train`: every loss and parameter of trainings, against the same network trained on arrays."""

import functools
import random
from dataclasses import dataclass, replace

from autograd import MLP, Value
from autograd.lessons.population import step
from autograd.training.tensor_nn import TensorMLP
from exercises.engine_file import parts, trial
from exercises.judging.vocabulary import (
    AnswerError,
    NotAttempted,
    TestResult,
    answer,
    called,
    equal_results,
    failed,
    function_exercise,
    make_result,
    number_of,
    outcome,
    short,
)

MOST = 5  # wrong rows of a test that are shown


@dataclass(frozen=True)
class Network:
    """A network before training, by its sizes, its activations and the seed of its parameters."""

    n_inputs: int
    layers: tuple
    seed: int
    activations: tuple = ("tanh", "tanh")

    def made(self):
        """Return the network itself, a new one each time."""
        return MLP(self.n_inputs, list(self.layers), *self.activations, rng=random.Random(self.seed))

    @functools.cached_property
    def start(self):
        """Its parameters before training, as numbers."""
        return [p.data for p in self.made().parameters()]

    def taught(self, pairs, lr, epochs=1, step_by=None):
        """Return the right (parameters, losses), by arrays: an update for all (row, target) pairs, or for `step_by`."""
        twin, step_by = TensorMLP.from_mlp(self.made()), step_by or len(pairs)
        batches = [tuple(zip(*pairs[i : i + step_by])) for i in range(0, len(pairs), step_by)] * epochs
        losses = [float(step(twin, rows, [[t] for t in targets], lr)) for rows, targets in batches]
        return [p.data for p in twin.to_mlp().parameters()], losses

    def rows(self, net, parameters, right, what):
        """Return the rows for a network after a learner's training; `parameters` are its Values from before."""
        now = [number_of(p, "data", what) for p in parameters]
        after = net.parameters()
        is_kept = len(after) == len(parameters) and all(a is b for a, b in zip(after, parameters))
        is_still = now == self.start and right != self.start
        still = "no" if any(p.grad != 0 for p in parameters) else "no, and each gradient is 0"
        return [
            ("parameters", "the network's own Values", "the network's own Values" if is_kept else "new Values"),
            ("did any change?", "yes", still if is_still else "yes"),
            *((f"{p.label} after", a, b) for p, a, b in zip(parameters, right, now)),
        ]

    def to_source(self):
        """Return the network as a line of Python."""
        named = ", ".join(f'"{name}"' for name in self.activations)
        return f"net = MLP({self.n_inputs}, {list(self.layers)}, {named}, rng=random.Random({self.seed}))"


def few(rows):
    """Return these rows, with no more than MOST wrong ones shown."""
    wrong = [i for i, (_, right, got) in enumerate(rows) if not equal_results(got, right)]
    return tuple((*row, True) if i in wrong[MOST:] else row for i, row in enumerate(rows))


def rounded(pairs):
    """Return whether the first of all (actual, right) pairs of numbers are rounded to a few decimals."""
    return any(all(a == round(a, n) and abs(a - b) <= 5 * 10**-n for a, b in pairs) for n in range(2, 8))


def stands_still(found):
    """Return whether in each network of several layers some parameters changed, and others did not but should."""
    moves = []
    for test, _, _, rows in found:
        start = test.network.start if len(test.network.layers) > 1 else []
        moves.append([b != first for first, (_, a, b) in zip(start, rows[-len(start) :]) if a != first])
    return any(moves) and all(any(each) and not all(each) for each in moves if each)


def watched(function, tests, visible):
    """Yield the tests of a learner's function; a result of None means unfinished only in the first.

    test.tried(function): ((actual, right) numbers, a sentence, rows). visible(found) names the mistakes that show in
    [(test, numbers, sentence, rows)] of all tests, whatever the numbers.
    """
    found, because = [], []  # because: filled in at the end, when all tests are known
    try:
        for test in tests:
            found.append((test, *test.tried(function)))
            yield TestResult(found[-1][2], few(found[-1][3]), test.to_source(), because=because)
    except AnswerError as error:
        if len(error.sentences) > 2:
            error.kind = error.sentences[1]  # includes what became of a list
        raise
    except NotAttempted as nothing:
        if not found:
            raise
        raise AnswerError(str(nothing), kind="nothing") from None
    finally:
        because += visible(found) if found else []


def kept_apart(call, text):
    """Return the TestResult of whether `call(net)`, a training, leaves a network unchanged that was trained before."""
    nets = [MLP(2, [2, 1], rng=random.Random(seed)) for seed in (3, 4)]
    call(nets[0])
    before = [p.data for p in nets[0].parameters()]
    call(nets[1])
    row = ("parameters of the first", before, [p.data for p in nets[0].parameters()])
    return make_result("Training a second network changes the first one as well.", row, case=text)


@dataclass(frozen=True)
class Run:
    """One call of a training function: a network, rows with targets, a learning rate and a number of epochs."""

    network: Network
    pairs: tuple
    lr: float
    epochs: int

    @functools.cached_property
    def right(self):
        """The right (parameters, losses)."""
        return self.network.taught(self.pairs, self.lr, self.epochs)

    def given(self):
        """Return the lists of rows and of targets, new ones each time."""
        return [list(row) for row, _ in self.pairs], [target for _, target in self.pairs]

    def to_source(self):
        """Return the test as lines of Python."""
        rows, targets = self.given()
        return f"{self.network.to_source()}\ntrain(net, {rows}, {targets}, lr={self.lr}, epochs={self.epochs})"

    def tried(self, train):
        """Return ((loss, right loss) pairs, a sentence, rows) after a learner's function has trained a new network."""
        net, what, (rows, targets) = self.network.made(), self.to_source().splitlines()[1], self.given()
        parameters, (right, wanted) = net.parameters(), self.right
        losses = called(train, net, rows, targets, self.lr, self.epochs, what=what, returns=(list, tuple))
        if any(isinstance(loss, Value) or not hasattr(type(loss), "__float__") for loss in losses):
            raise AnswerError(f"Tested: {what}.", f"A list of numbers was expected; it returned {short(losses)}.")
        pairs = [(answer(loss, what), a) for loss, a in zip(losses, wanted)]
        found = [("losses returned", f"{len(wanted)}", f"{len(losses)}"), ("rows afterwards", self.given()[0], rows)]
        found += [(f"loss of epoch {k}", a, loss) for k, (loss, a) in enumerate(pairs, start=1)]
        found += self.network.rows(net, parameters, right, what)
        return pairs, "The training differs here.", found


@functools.cache
def runs(seed=0):
    """Return the calls to test: several shapes, rates and lengths; no and many epochs; nothing left to learn."""
    rng, xor = random.Random(seed or 9), (((0, 0), 0), ((0, 1), 1), ((1, 0), 1), ((1, 1), 0))
    made = [Run(Network(2, (2, 1), seed + 1), xor, 0.1, 3), Run(Network(2, (3, 1), seed + 2), xor[1:], 0.5, 1)]
    for i, (size, count, epochs) in enumerate(((1, 2, 4), (2, 3, 2), (3, 5, 5), (1, 1, 3))):
        rows = tuple(tuple(round(rng.uniform(-1, 1), 2) for _ in range(size)) for _ in range(count))
        targets = tuple(round(rng.uniform(-0.8, 0.8), 2) for _ in rows)
        lr = round(rng.uniform(0.05, 0.5), 7) if seed else (0.2, 0.3, 0.05, 1)[i]
        made.append(Run(Network(size, (2 + i % 2, 1), i), tuple(zip(rows, targets)), lr, epochs))
    deep, line = Network(2, (2, 1, 1), 6, ("sigmoid", "linear")), Network(1, (1,), 7, ("tanh", "linear"))
    twice = (((0.5, -1), 1), ((0.5, -1), 0), ((1, 1), 1))
    fits = (((0,), line.made()([0]).data),)
    more = [Run(deep, twice, 0.25, 2), Run(line, (((0.5,), 0.3),), 0.1, 1104 if seed else 104), Run(line, fits, 0.1, 3)]
    more.append(Run(line, (((1.5,), 0.3), ((-2,), 1)), 0.3, 4))  # losses that rise
    return (*made, *more, Run(made[0].network, xor, 0.1, 0), made[0])


class OnlyAsked:
    """A network that allows only what the exercise allows: calling it, and its parameters."""

    def __init__(self, net):
        self.__call = net
        self.parameters = net.parameters

    def __call__(self, row):
        return self.__call(row)


def on_own_engine(train):
    """Return the TestResult of a training on an engine like my_engine.py, which has only what the lessons ask for."""
    case = "# net: MLP(2, [2, 1]) of your own engine, with nothing but net(row) and net.parameters()\n"
    case += "train(net, [[0, 1], [1, 0]], [1, 0], lr=0.1, epochs=2)"
    names, given = vars(trial.template_engine()), ([[0.0, 1.0], [1.0, 0.0]], [1.0, 0.0], 0.1, 2)
    with parts.bound_globals((train,), names):
        what = "train, with a network of your own engine"
        losses, raised = outcome(what, lambda: list(train(OnlyAsked(names["MLP"](2, [2, 1])), *given)))
    if raised:
        says = f"With a network of your own engine: {raised} Rely only on calling it and on its `parameters()`."
        return replace(failed(raised, case), says=says)
    row = ("losses returned", "2", f"{len(losses)}")
    return make_result("With a network of your own engine, the training differs.", row, case=case)


@function_exercise
def train(train, *, seed):
    """`train(net, rows, targets, lr, epochs)` trains as the four steps do, and returns the loss of each epoch."""
    yield from watched(train, runs(seed), visible)
    yield kept_apart(
        lambda net: called(train, net, *runs()[0].given(), 0.1, 1, what="two trainings", returns=(list, tuple)),
        "train(one, rows, targets, 0.1, 1)\ntrain(other, rows, targets, 0.1, 1)",
    )
    yield on_own_engine(train)
    return f"{len(runs())} trainings, up to {max(run.epochs for run in runs())} epochs: every loss, every parameter."


def visible(found):
    """Name the mistakes that the results of all trainings show, whatever the numbers."""
    counts = {rows[0][2] for *_, rows in found}
    if len(found) > 2 and len(counts) == 1 and not counts & {"0", "1"}:
        return ["`epochs` is not used"]
    losses = [pair for _, pairs, *_ in found for pair in pairs]
    parameters = [(b, a) for *_, rows in found for what, a, b in rows if what.endswith(" after")]
    if any(pairs and rounded(pairs) for pairs in (losses, parameters)):
        return ["rounded"]
    return ["some parameters stand still"] if stands_still(found) else []
