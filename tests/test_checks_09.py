"""The checks of lesson 09 on answers that are written in other ways than the solutions, right and wrong."""

import math
import random
from collections import deque
from fractions import Fraction

import numpy as np
import pytest

import autograd
from autograd import MLP, SGD, Value
from autograd.dual import forward_gradient
from autograd.lessons.population import Population
from autograd.tensor_nn import TensorMLP
from exercises.engine_file import check
from exercises.lessons.lesson_09.circle import check as circle_check
from exercises.lessons.lesson_09.cross_entropy import check as cross_entropy_check
from exercises.lessons.lesson_09.moons import check as moons_check
from exercises.lessons.lesson_09.revive import check as revive_check
from exercises.lessons.lesson_09.train import check as train_check
from exercises.sandbox import guard
from exercises.shelf import library
from exercises.verdicts.verdict import MENDED

ROWS, LABELS = moons_check.lesson_moons().values()


def changed(name, *pairs):
    """The solution of an exercise with some of its text replaced, run: what its check takes."""
    code = library.solution(name).code
    for old, new in pairs:
        assert old in code, old
        code = code.replace(old, new)
    return getattr(check, name).answers(code)[0]


def said_of(verdict):
    """What a wrong answer is told."""
    assert verdict.state == "wrong", verdict.text()
    return verdict.text()


# Networks whose training is known


def sigmoid(z):
    return z.sigmoid() if hasattr(z, "sigmoid") else 1 / (1 + math.exp(-z))


def loss_of(network, pairs, numbers):
    """The sum of squares of a Network with one hidden layer of sigmoids, for parameters as floats or dual numbers."""
    n, hidden = network.n_inputs, network.layers[0]
    total = 0.0
    for row, target in pairs:
        out = numbers[-1]
        for j in range(hidden):
            *weights, b = numbers[(n + 1) * j : (n + 1) * (j + 1)]
            out = out + numbers[(n + 1) * hidden + j] * sigmoid(b + sum(w * x for w, x in zip(weights, row)))
        total = total + (sigmoid(out) - target) ** 2
    return total


@pytest.mark.parametrize("step_by", [None, 1, 2])
def test_the_training_that_answers_are_compared_with_is_that_of_dual_numbers(step_by):
    network = train_check.Network(2, (3, 1), 5, ("sigmoid", "sigmoid"))
    pairs = [((0.5, -1), 1), ((1, 2), 0), ((-0.25, 0), 0.5)]
    numbers, losses, lr = list(network.start), [], 0.7
    for _ in range(4):
        for i in range(0, 3, step_by or 3):
            batch = pairs[i : i + (step_by or 3)]
            losses.append(loss_of(network, batch, numbers))
            slopes = forward_gradient(lambda *ps, batch=batch: loss_of(network, batch, ps), numbers)
            numbers = [n - lr * slope for n, slope in zip(numbers, slopes)]
    parameters, found = network.taught(pairs, lr, 4, step_by)
    assert parameters == pytest.approx(numbers, abs=1e-12) and found == pytest.approx(losses, abs=1e-12)


def test_the_tests_are_of_many_kinds_and_far_from_rounding():
    runs, rounds, batches = train_check.runs(), circle_check.rounds(), cross_entropy_check.batches()
    assert {0, 1} < {run.epochs for run in runs} and max(run.epochs for run in runs) > 100
    assert {1, 2, 3} <= {len(run.pairs) for run in runs} and any(0 in run.right[1] for run in runs)
    assert {1, 2, 3} < {len(each.data) for each in rounds} and runs[0] == runs[-1] and rounds[0] == rounds[-1]
    assert {1, 2, 12} < {len(batch.ts) for batch in batches} and any(batch.bent for batch in batches)
    assert {type(t) for batch in batches for t in batch.ts} == {int, float}
    for run in runs:
        net = run.network.made()
        losses = check.train.answers(library.solution("train").code)[0](net, *run.given(), run.lr, run.epochs)
        assert [p.data for p in net.parameters()] == pytest.approx(run.right[0], rel=1e-11, abs=1e-11)
        assert losses == pytest.approx(run.right[1], rel=1e-11, abs=1e-11)


# Exercise 1


LOOP = library.solution("train").code
LOSS = "loss = sum((net(row) - target) ** 2 for row, target in zip(rows, targets))"
CLEAR_ALL = "        for p in net.parameters():\n            p.grad = 0.0\n"
STEP_ALL = "        for p in net.parameters():\n            p.data -= lr * p.grad\n"
PASS = "        loss.backward()\n"
TOTAL = """\
        loss, i = 0, 0
        while i < len(rows):
            off = net(rows[i]) - targets[i]
            loss += off * off
            i += 1
"""
SORTED = """\
        loss = (net(rows[0]) - targets[0]) ** 2
        rows.sort(reverse=True)
"""
NEW_BIASES = """\
        for layer in net.layers:
            for neuron in layer.neurons:
                neuron.bias = Value(neuron.bias.data - lr * neuron.bias.grad)
"""
OPTIMISER = """\
class Descent:
    def __init__(self, parameters, lr):
        self.parameters, self.lr = list(parameters), lr

    def zero_grad(self):
        for p in self.parameters:
            p.grad = 0.0

    def step(self):
        for p in self.parameters:
            p.data -= self.lr * p.grad


"""
A_PASS_A_ROW = """\
        total = 0.0
        for row, target in zip(rows, targets):
            loss = (net(row) - target) ** 2
            loss.backward()
            total += loss.data
"""


def loop(*pairs):
    """The solution of the first exercise with some of its text replaced."""
    return changed("train", *pairs)


def recursive(net, rows, targets, lr, epochs):
    if epochs == 0:
        return ()
    loss = sum((target - net(row)) ** 2 for row, target in zip(rows, targets))
    loss.backward()
    for p in net.parameters():
        p.data, p.grad = p.data - lr * p.grad, 0
    return (loss.data, *recursive(net, rows, targets, lr, epochs - 1))


def yielded(net, rows, targets, lr, epochs):
    for _ in range(epochs):
        loss = sum((net(row) - target) ** 2 for row, target in zip(rows, targets))
        loss.backward(reset="all")
        for p in net.parameters():
            p.data -= lr * p.grad
        yield loss.data


class Trainer:
    """A training loop that is an object."""

    def __call__(self, net, rows, targets, lr, epochs, verbose=False):
        return deque(np.float64(loss) for loss in yielded(net, rows, targets, lr, epochs))


LOOPS = {
    "cleared after the step": loop((CLEAR_ALL, ""), (STEP_ALL, f"{STEP_ALL}            p.grad = 0.0\n")),
    "cleared before the forward pass": loop((CLEAR_ALL, ""), (f"        {LOSS}\n", f"{CLEAR_ALL}        {LOSS}\n")),
    "a total in a while loop": loop((f"        {LOSS}\n", TOTAL)),
    "epochs counted by hand": loop(
        ("    for _ in range(epochs):\n", "    while len(losses) < epochs:\n"), ("-= lr * p.grad", "+= -lr * p.grad")
    ),
    "an optimiser of one's own": loop(
        ("def train", f"{OPTIMISER}def train"),
        ("    losses = []\n", "    losses, optimiser = [], Descent(net.parameters(), lr)\n"),
        (CLEAR_ALL, "        optimiser.zero_grad()\n"),
        (STEP_ALL, "        optimiser.step()\n"),
    ),
    "a pass a row, one step": loop((f"        {LOSS}\n", ""), (PASS, A_PASS_A_ROW), ("(loss.data)", "(total)")),
    "net.zero_grad()": loop((CLEAR_ALL, "        net.zero_grad()\n")),
    "the package's": loop((LOSS, "loss = autograd.sum_of_squares([net(row) for row in rows], targets)")),
    "noise": loop(("lr * p.grad", "lr * p.grad * (1 + 1e-13)")),
    "a tuple": loop(("return losses", "return tuple(losses)")),
    "an array": loop(("return losses", "return __import__('numpy').array(losses)")),
    "recursion": recursive,
    "a generator": yielded,
    "an object that gives a deque of NumPy's numbers": Trainer(),
}


@pytest.mark.parametrize("train", LOOPS.values(), ids=LOOPS)
def test_any_right_loop_passes(train):
    assert check.train(train), check.train(train)


NEVER = "gradients are never cleared"
LATE = (STEP_ALL, f"{STEP_ALL}            p.grad = 0.0\n")
NOT_LOOPS = {
    "cleared once": (loop((CLEAR_ALL, ""), ("    losses = []\n", "    losses = []\n    net.zero_grad()\n")), NEVER),
    "== for =": (loop(("p.grad = 0.0", "p.grad == 0.0")), NEVER),
    "p -=, cleared after it": (
        loop((CLEAR_ALL, ""), (STEP_ALL, STEP_ALL + CLEAR_ALL), ("p.data -=", "p -=")),
        "`p -= …` or `p = …` only gives the name p to something",
    ),
    "uphill, cleared late": (loop((CLEAR_ALL, ""), LATE, ("p.data -=", "p.data +=")), "uphill"),
    "never cleared, and the mean": (
        loop((CLEAR_ALL, ""), (LOSS, f"{LOSS} / len(rows)")),
        f"{NEVER}, and the mean of the squares",
    ),
    "7 epochs, never cleared": (loop(("range(epochs)", "range(7)"), (CLEAR_ALL, "")), "`epochs` is not used"),
    "at most 100 epochs": (
        loop(("range(epochs)", "range(min(epochs, 100))")),
        "losses returned: expected 104, got 100",
    ),
    "a cut graph": (loop(("(net(row) -", "(Value(net(row).data) -")), "the loss is cut from the graph"),
    "3 decimals": (loop(("(loss.data)", "(round(loss.data, 3))")), "rounded. Keep each number"),
    "new biases": (loop((STEP_ALL, NEW_BIASES)), "expected the network's own Values, got new Values"),
    "one weight left out": (
        loop((STEP_ALL, STEP_ALL.replace("parameters()", "parameters()[1:]"))),
        "some parameters stand still",
    ),
    "the losses and the network": (loop(("return losses", "return losses, net")), "A list of numbers was expected"),
    "rows used up": (loop((f"        {LOSS}\n", SORTED)), "It changed the list that it was given"),
    "a row used up": (
        loop(("    return losses", "    rows[0].append(1)\n    return losses")),
        "rows afterwards: expected [[0, 0], [0, 1], [1, 0], [1, 1]], got [[0, 0, 1], [0, 1], [1, 0], [1, 1]]",
    ),
    "numbers of the data": (loop(("(net(row) - target)", "(net(row).data - target)")), "has no attribute 'backward'"),
    "zip of the wrong lists": (loop(("zip(rows, targets)", "zip(rows, rows)")), "It raised TypeError"),
    "1e-3 off": (loop(("lr * p.grad", "1.001 * lr * p.grad")), f"{MENDED}: another number"),
    "momentum": (loop(("p.grad = 0.0", "p.grad *= 0.9")), "momentum"),
    "shorter and shorter steps": (
        loop(("lr * p.grad", "lr / (1 + len(losses)) * p.grad")),
        "Training went another way",
    ),
}


@pytest.mark.parametrize("train, said", NOT_LOOPS.values(), ids=NOT_LOOPS)
def test_wrong_loops_are_explained(train, said):
    verdict = check.train(train)
    assert said in said_of(verdict)
    assert len(verdict.mistakes) <= 1


@pytest.mark.parametrize("name", ["zip of the wrong lists", "1e-3 off"])
def test_nothing_is_said_of_a_loop_that_is_like_no_known_one(name):
    verdict = check.train(NOT_LOOPS[name][0])
    assert verdict.lead == MENDED or not verdict.mistakes, verdict


def test_a_loop_that_returns_nothing_is_not_yet_and_one_that_forgets_it_without_epochs_is_wrong():
    verdict = check.train(loop(("    return losses\n", "")))
    assert verdict.state == "not yet" and "a `return` is missing" in verdict.text()
    assert "It returned None" in said_of(check.train(loop(("return losses", "return losses or None"))))


# Exercise 2


def nets(activation="relu", output="linear", init="uniform_zero_bias", layers=(4, 4, 1)):
    """A right answer, or one that differs in these arguments."""
    return lambda seeds: Population(seeds, 2, list(layers), activation, output, init)


class Nets(Population):
    """A population by another name."""


ALIVE = {
    "linear": nets(),
    "sigmoid": nets(output="sigmoid"),
    "tanh on the output": nets(output="tanh"),
    "leaky on the output": nets(output="leaky_relu"),
    "a subclass": lambda seeds: Nets([*seeds], 2, [4, 4, 1], "relu", "tanh", init="uniform_zero_bias"),
}


@pytest.mark.parametrize("revived", ALIVE.values(), ids=ALIVE)
def test_any_network_that_lives_passes(revived):
    assert check.revive(revived), check.revive(revived)


SEVERAL = {
    "tanh everywhere": (nets("tanh", "tanh"), "the hidden layers' activation, the output's activation"),
    "leaky everywhere": (nets("leaky_relu", "leaky_relu"), "the hidden layers' activation, the output's activation"),
    "wider": (nets(layers=(8, 8, 1)), "layers, the output's activation"),
    "he": (nets(init="he"), "the output's activation, the first weights"),
}


@pytest.mark.parametrize("revived, said", SEVERAL.values(), ids=SEVERAL)
def test_networks_that_live_by_several_changes_are_told_which(revived, said):
    assert f"expected one, got {said}\n" in said_of(check.revive(revived))


@pytest.mark.parametrize("name", ["linear", "sigmoid", "tanh on the output"])
def test_networks_that_pass_early_are_right_after_all_steps_too(name):
    population = ALIVE[name](range(revive_check.SEEDS))
    population.train(revive_check.ROWS, revive_check.TARGETS, 1000, lr=0.1, loss="mean_squares")
    right = ((population(revive_check.ROWS).data > 0.5) == (revive_check.TARGETS > 0.5)).all(axis=(1, 2))
    assert right.sum() > revive_check.SEEDS / 2


DEAD = {
    "another initialisation": (nets(output="relu", init="xavier"), "relu still on the output"),
    "no bend inside": (nets("linear", "sigmoid"), "no bend before the output"),
    "large weights": (nets(init=lambda rng, n, m: rng.gauss(0, 20)), "weights too large"),
    "the same seeds always": (lambda seeds: nets()(range(80)), "seeds: expected 80 to 82, got 0 to 79"),
    "turned round": (lambda seeds: nets()(list(seeds)[::-1]), "other seeds"),
    "an MLP": (lambda seeds: MLP(2, [4, 4, 1]), "A Population was expected; it returned an MLP"),
    "a log on the output": (nets(output="log"), "It raised ValueError"),
    "three inputs": (lambda seeds: Population(seeds, 3, [4, 1]), "XOR has two inputs"),
    "too large to be tried": (nets(layers=(64, 64, 1)), "take too long to be trained here"),
    "not a function": (Population(range(2), 2, [1]), "It raised"),
}


@pytest.mark.parametrize("revived, said", DEAD.values(), ids=DEAD)
def test_networks_that_do_not_live_are_explained(revived, said):
    assert said in said_of(check.revive(revived))


# Exercise 3


def by_formula(outputs, targets):
    """Both terms, with outputs kept away from 0 and 1."""
    total = 0
    for p, t in zip(outputs, targets):
        total += -t * (p + 1e-300 if p.data < 1 else p).log() if t else -(1 - t) * (1 - p).log()
    return total / len(outputs)


def by_if(outputs, targets):
    return sum([(-1 * (p.log() if t else (1 - p).log())) for p, t in zip(outputs, targets)]) * (1 / len(targets))


def by_one_number(outputs, targets):
    return sum(-(t * p + (1 - t) * (1 - p)).log() for p, t in zip(outputs, targets)) / len(targets)


def by_a_product(outputs, targets):
    product = 1
    for p, t in zip(outputs, targets):
        product = product * (p if t else 1 - p)
    return product.log() / -len(targets)


def by_recursion(outputs, targets, n=None):
    if not outputs:
        return 0
    (p, *outputs), (t, *targets), n = outputs, targets, n or len(targets)
    return by_recursion(outputs, targets, n) - (p if t else 1 - p).log() * (1 / n)


def by_numpy(outputs, targets):
    return np.mean([-(p if t else 1 - p).log() for p, t in zip(outputs, targets)])


def guarded(outputs, targets):
    rights = [p if t == 1 else 1 - p for p, t in zip(outputs, targets)]
    return -sum((q if q.data > 1e-12 else q + 1e-12).log() for q in rights) / len(rights)


RIGHT_ENTROPIES = [by_formula, by_if, by_one_number, by_a_product, by_recursion, by_numpy, guarded]


@pytest.mark.parametrize("function", RIGHT_ENTROPIES, ids=lambda f: f.__name__)
def test_any_right_cross_entropy_passes(function):
    assert check.cross_entropy(function), check.cross_entropy(function)


def entropy(rule, after=lambda total, n: total / n):
    """A cross-entropy from a rule for a row, and what is done with the sum."""

    def function(outputs, targets):
        total = Value(0.0)
        for p, t in zip(outputs, targets):
            total = total + rule(p, t)
        return after(total, len(targets))

    return function


def right(p, t):
    return -(p if t else 1 - p).log()


def with_floats(outputs, targets):
    return sum(-math.log(p.data if t else 1 - p.data) for p, t in zip(outputs, targets)) / len(targets)


def sorted_first(outputs, targets):
    pairs = sorted(zip(outputs, targets), key=lambda pair: pair[0].data)
    targets[:] = [t for _, t in pairs]
    return by_if([p for p, _ in pairs], targets)


def moved(outputs, targets):
    for p in outputs:
        p.data = min(max(p.data, 0.05), 0.95)
    return by_if(outputs, targets)


def known_by_number(outputs, targets, known={}):  # noqa: B006  it remembers
    for p, t in zip(outputs, targets):
        known.setdefault((p.data, t), right(p, t))
    return sum(known[p.data, t] for p, t in zip(outputs, targets)) / len(targets)


NOT_ENTROPY = {
    "cut": (lambda o, t: Value(with_floats(o, t)), "the graph is cut"),
    "floats": (with_floats, "A Value was expected, so that gradients can come back; it returned a float, 0.2283930"),
    "no minus and no mean": (entropy(lambda p, t: -right(p, t), lambda total, n: total), "the sum, not the mean"),
    "the package's": (autograd.binary_cross_entropy, "comes from the course itself"),
    "the package's inside": (lambda o, t: autograd.binary_cross_entropy(o, t), "It raised ValueError"),
    "a clip too wide": (entropy(lambda p, t: -((p if t else 1 - p) * 0.999 + 0.001).log()), "Test 1 of 29"),
    "a 1e-3 off": (entropy(lambda p, t: right(p, t) + 1e-3), "Test 1 of 29"),
    "a smallest loss": (
        entropy(lambda p, t: right(p, t) if (p.data if t else 1 - p.data) > 1e-7 else 16),
        "badly wrong",
    ),
    "sorted": (sorted_first, "It changed the list that it was given"),
    "outputs moved": (moved, "the numbers given, afterwards: expected"),
    "numbers remembered": (known_by_number, "The loss is right, but not all else."),
}


@pytest.mark.parametrize("function, said", NOT_ENTROPY.values(), ids=NOT_ENTROPY)
def test_wrong_cross_entropies_are_explained(function, said):
    assert said in said_of(check.cross_entropy(function))


def test_an_answer_that_a_text_does_not_define_is_not_mended_by_leaving_lines_out():
    assert check.cross_entropy(NOT_ENTROPY["no minus and no mean"][0]).lead != MENDED


def test_the_package_within_ones_own_function_is_not_called_0_log_0():
    assert not check.cross_entropy(NOT_ENTROPY["the package's inside"][0]).mistakes


def test_float_noise_passes():
    assert check.cross_entropy(entropy(lambda p, t: right(p, t) * (1 + 1e-12)))


# Exercise 4


def trained(
    layers=(8, 1), activation="tanh", output="linear", steps=300, lr=0.5, labels=LABELS, loss=autograd.hinge, n=100
):
    """A network that a learner may have trained, on ten of the first n rows a step."""
    rng = random.Random(0)
    net = MLP(2, list(layers), activation, output, rng=rng)
    optimizer = SGD(net.parameters(), abs(lr))
    for _ in range(steps):
        batch = rng.sample(range(n), 10)
        value = loss([net(ROWS[i]) for i in batch], [labels[i] for i in batch])
        optimizer.zero_grad()
        value.backward()
        if lr < 0:
            for p in net.parameters():
                p.grad *= -1
        optimizer.step()
    return net


@pytest.fixture(scope="module")
def good():
    return trained()


class OwnValue:
    """A number of another engine."""

    def __init__(self, data):
        self.data = data


def test_a_trained_network_passes_in_any_form(good):
    assert check.moons(good)
    assert check.moons(TensorMLP.from_mlp(good))
    assert check.moons(lambda point: good(point))
    assert check.moons(lambda point: good(point).data + 1e-12)
    assert check.moons(lambda point: [good(point)])
    assert check.moons(lambda point: OwnValue(good(point).data))
    assert check.moons(lambda point: np.sign(good(point).data))
    assert check.moons(lambda point: Fraction(good(point).data))


def test_other_losses_and_activations_pass():
    assert check.moons(trained((16, 16, 1), "relu", lr=0.1, steps=600, loss=autograd.mean_squares))
    assert check.moons(trained(output="tanh", loss=autograd.mean_squares))
    assert check.moons(trained((16, 1), "sin"))


def test_a_network_whose_last_batch_cost_nothing_is_not_called_never_trained():
    net = trained(n=10)
    assert autograd.hinge([net(row) for row in ROWS[:10]], LABELS[:10]).data == 0
    net.zero_grad()
    assert "never trained" not in said_of(check.moons(net))


NEGATIVE = "outputs that cannot be negative"
NOT_MOONS = {
    "relu on the output, labels told apart": (lambda: trained((16, 1), output="relu"), NEGATIVE),
    "relu on one's own output": (lambda: lambda point: max(0.0, point[0]), NEGATIVE),
    "a line on arrays": (lambda: TensorMLP.from_mlp(trained((1,))), "a straight line"),
    "uphill": (lambda: trained(lr=-0.5, steps=50), "the wrong way round"),
    "guessing": (lambda: lambda point: math.sin(1e3 * point[0]), "hardly better than guessing"),
    "two outputs": (lambda: MLP(2, [8, 2]), "One output a point was expected; it gives 2"),
    "two outputs on arrays": (lambda: TensorMLP(2, [8, 2]), "One output a point was expected; it gives 2"),
    "three inputs": (lambda: MLP(3, [8, 1]), "takes 3 inputs, got 2"),
    "three inputs on arrays": (lambda: TensorMLP(3, [8, 1]), "shape (n, 3)"),
    "no output for some": (lambda: lambda point: point[0] if point[0] > 0 else None, "It returned None"),
    "a number": (lambda: 0.97, "A network was expected; this is a float"),
    "the function itself": (lambda: lambda points, labels: None, "It raised TypeError"),
}


@pytest.mark.parametrize("make, said", NOT_MOONS.values(), ids=NOT_MOONS)
def test_networks_that_do_not_know_the_moons_are_explained(make, said):
    assert said in said_of(check.moons(make()))


# Exercise 5


def with_an_optimizer(net, data, lr):
    optimizer, total = SGD(net.parameters(), lr), 0
    for point, target in data:
        loss = autograd.sum_of_squares([net(point)], [target])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total = total + loss
    return total


def cleared_after(net, data, lr):
    losses = []
    for point, target in data:
        off = net(point) - target
        losses.append(off.data * off.data)
        (off * off).backward()
        for p in net.parameters():
            p.data -= lr * p.grad
            p.grad = 0.0
    return math.fsum(losses)


def one_by_one(net, data, lr):
    if not data:
        return Fraction(0)
    (point, target), *rest = data
    loss = (target - net(point)) ** 2
    loss.backward(reset="all")
    for layer in net.layers:
        for p in layer.parameters():
            p.data = p.data - p.grad * lr
    return Fraction(loss.data) + one_by_one(net, rest, lr)


def in_an_array(net, data, lr):
    return np.array([with_an_optimizer(net, [pair], lr).data for pair in data]).sum()


RIGHT_EPOCHS = [with_an_optimizer, cleared_after, one_by_one, in_an_array]


@pytest.mark.parametrize("function", RIGHT_EPOCHS, ids=lambda f: f.__name__)
def test_any_right_epoch_passes(function):
    assert check.circle(function), check.circle(function)


def epoch(*pairs):
    """The solution of the last exercise with some of its text replaced."""
    return changed("circle", *pairs)


STEP = "        for p in net.parameters():\n            p.data -= lr * p.grad\n"
CLEAR = "        net.zero_grad()\n"


def shuffled(net, data, lr):
    return with_an_optimizer(net, random.Random(len(data)).sample(data, len(data)), lr)


def new_biases(net, data, lr):
    total = 0.0
    for point, target in data:
        loss = (net(point) - target) ** 2
        net.zero_grad()
        loss.backward()
        for layer in net.layers:
            for neuron in layer.neurons:
                neuron.bias = Value(neuron.bias.data - lr * neuron.bias.grad)
    return total


NOT_EPOCHS = {
    "uphill, cleared late": (
        epoch((CLEAR, ""), (STEP, STEP.replace("-=", "+=") + "            p.grad = 0.0\n")),
        "uphill",
    ),
    "uphill, the last loss": (
        epoch(("p.data -=", "p.data +="), ("total +=", "total =")),
        "uphill, and only the last loss",
    ),
    "shuffled": (shuffled, "another order"),
    "new biases": (new_biases, "expected the network's own Values, got new Values"),
    "Values as data": (epoch(("p.data -= lr * p.grad", "p.data = Value(p.data - lr * p.grad)")), "It raised"),
    "a list": (epoch(("return total", "return [total]")), "A number was expected; it returned a list"),
    "a 1e-3 off": (epoch(("lr * p.grad", "1.001 * lr * p.grad")), "The parameters are wrong"),
    "5 decimals": (epoch(("return total", "return round(total, 5)")), "rounded. Return the number"),
    "emptied": (epoch(("    return total", "    data.clear()\n    return total")), "It changed the list"),
    "a point used up": (
        epoch(("        total +=", "        point.append(1)\n        total +=")),
        "data afterwards: expected",
    ),
    "at most five": (epoch(("in data:", "in data[:5]:")), "(Test 6 of 13.)"),
    "the sum of the outputs": (
        epoch(("+= loss.data", "+= net(point).data")),
        "The parameters are right, what it returns is",
    ),
    "no biases": (epoch((STEP, STEP.replace("parameters()", "layers[0].parameters()"))), "some parameters stand still"),
}


@pytest.mark.parametrize("function, said", NOT_EPOCHS.values(), ids=NOT_EPOCHS)
def test_wrong_epochs_are_explained(function, said):
    assert said in said_of(check.circle(function))


# All


@pytest.mark.parametrize("name", library.names("09"))
def test_an_error_in_the_answer_is_told_with_its_line(name):
    def fails(*arguments):
        return [][1]

    said = said_of(getattr(check, name)(fails))
    assert "Tested: " in said and "It raised IndexError" in said and "return [][1]" in said


def test_an_endless_loop_is_stopped(monkeypatch):
    monkeypatch.setattr(guard, "SECONDS", 0.3)

    def endless(net, data, lr):
        while True:
            pass

    assert "loop that never ends" in check.circle(endless).text()
    assert check.circle(with_an_optimizer)
