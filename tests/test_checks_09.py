"""The checks of lesson 09: right answers of every kind pass, and each typical mistake is told what it is."""

import math
import random
import time

import pytest

import autograd
from autograd import MLP, SGD, Value
from autograd.tensor_nn import Population, TensorMLP
from exercises import check, guard, library
from exercises.checks import lesson_09, lesson_09_train
from tests import lessons

NAMES = ("train", "revive", "cross_entropy", "moons", "circle")
GIVEN = {
    "train": "train",
    "revive": "revived",
    "cross_entropy": "cross_entropy",
    "moons": "moons_net",
    "circle": "one_epoch",
}
PATH = lessons.NOTEBOOKS / "09_xor_training_luck_and_symmetry.ipynb"


def moons_data():
    """The points and labels that the lesson trains on."""
    points, labels = lesson_09.make_moons(n_samples=100, noise=0.1, random_state=1337)
    return points.tolist(), (2 * labels - 1).tolist()


ROWS, LABELS = moons_data()


def defined(code):
    """The names that an exercise's cell defines."""
    names = {"autograd": autograd, "random": random, "Population": Population, "points": ROWS, "labels": LABELS}
    names |= {"Value": Value}
    exec(code, names)
    return names


def checked(name, code):
    """The Verdict on what a cell defines."""
    return getattr(check, name)(defined(code)[GIVEN[name]])


@pytest.mark.parametrize("name", NAMES)
def test_a_solution_passes_and_takes_well_under_half_a_second(name):
    answer = defined(library.solution(name).code)[GIVEN[name]]
    started = time.process_time()
    verdict = getattr(check, name)(answer)
    assert verdict, verdict
    assert time.process_time() - started < 1.0


@pytest.mark.parametrize("name", NAMES)
def test_an_untouched_stub_is_not_yet(name):
    verdict = checked(name, library.stub(name))
    assert verdict.state == "not yet" and "not yet" in verdict.text()


@pytest.mark.parametrize("name", NAMES)
def test_hints_are_two_and_the_solution_is_the_stub_filled_in(name):
    solution = library.solution(name)
    assert len(solution.hints) == 2
    for line in library.stub(name).splitlines():
        assert "return ..." in line or "NotImplementedError" in line or line in solution.code.splitlines()


def said_of(verdict):
    """What a wrong answer is told."""
    assert verdict.state == "wrong", verdict.text()
    return verdict.text()


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
LAST_ROW = """\
        for row, target in zip(rows, targets):
            loss = (net(row) - target) ** 2
"""
RUNNING = LAST_ROW.replace("loss =", "loss +=")
SORTED = """\
        loss = (net(rows[0]) - targets[0]) ** 2
        rows.sort(reverse=True)
"""
NEW_VALUES = """\
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
ROW_BY_ROW = """\
        total = 0.0
        for row, target in zip(rows, targets):
            loss = (net(row) - target) ** 2
            total += loss.data
            for p in net.parameters():
                p.grad = 0.0
            loss.backward()
            for p in net.parameters():
                p.data -= lr * p.grad
        losses.append(total)
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
    code = LOOP
    for old, new in pairs:
        assert old in code, old
        code = code.replace(old, new)
    return defined(code)["train"]


def body(lines):
    """A loop with these lines in each epoch."""
    return loop((f"        {LOSS}\n{CLEAR_ALL}{PASS}{STEP_ALL}        losses.append(loss.data)\n", lines))


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
}


@pytest.mark.parametrize("train", LOOPS.values(), ids=LOOPS)
def test_any_right_loop_passes(train):
    assert check.train(train), check.train(train)


NEVER, STILL = "gradients are never cleared", "no parameter changes"
ALL_ROWS = "(net(row) - target) ** 2"
NOT_LOOPS = {
    "never cleared": (loop((CLEAR_ALL, "")), NEVER),
    "cleared once": (loop((CLEAR_ALL, ""), ("    losses = []\n", "    losses = []\n    net.zero_grad()\n")), NEVER),
    "== for =": (loop(("p.grad = 0.0", "p.grad == 0.0")), NEVER),
    "cleared too late": (loop((CLEAR_ALL, ""), (PASS, PASS + CLEAR_ALL)), "cleared between `backward()` and the step"),
    "no pass": (loop((PASS, "")), "or is there no `backward()`?"),
    "p -=": (loop(("p.data -=", "p -=")), f"{STILL}. The step comes after `backward()` and changes `p.data`"),
    "p =": (loop(("p.data -= lr * p.grad", "p = p - lr * p.grad")), f"{STILL}. The step comes"),
    "p -=, cleared after it": (
        loop((CLEAR_ALL, ""), (STEP_ALL, STEP_ALL + CLEAR_ALL), ("p.data -=", "p -=")),
        "Or does the step only give the name p to something new",
    ),
    "no step": (loop((STEP_ALL, "")), f"{STILL}. The step comes"),
    "the step first": (loop((STEP_ALL, ""), (PASS, STEP_ALL + PASS)), f"{STILL}. The step comes"),
    "uphill": (loop(("p.data -=", "p.data +=")), "uphill"),
    "lr left out": (loop(("lr * p.grad", "p.grad")), "the learning rate left out"),
    "lr of 0.1": (loop(("lr * p.grad", "0.1 * p.grad")), "a learning rate of 0.1 always"),
    "the last row": (
        loop((f"        {LOSS}\n", LAST_ROW)),
        "the last row alone",
    ),
    "row by row": (body(ROW_BY_ROW), "a step after each row"),
    "row by row, each loss": (
        body(
            ROW_BY_ROW.replace("            total += loss.data", "            losses.append(loss.data)").replace(
                "        losses.append(total)\n", ""
            )
        ),
        "a step after each row",
    ),
    "a late loss": (loop(("losses.append(loss.data)", f"{LOSS}\n        losses.append(loss.data)")), "the loss after"),
    "the mean": (loop((LOSS, f"{LOSS} / len(rows)")), "the mean of the squares"),
    "half": (loop((LOSS, f"{LOSS} * 0.5")), "half of the squares"),
    "no square": (loop((ALL_ROWS, "net(row) - target")), "the square left out"),
    "the sum squared": (
        loop(
            (
                f"sum({ALL_ROWS} for row, target in zip(rows, targets))",
                "sum(net(row) - target for row, target in zip(rows, targets)) ** 2",
            )
        ),
        "the square of the sum",
    ),
    "no targets": (loop((ALL_ROWS, "net(row) ** 2")), "the targets left out"),
    "a loss once": (
        loop((f"        {LOSS}\n", ""), ("    losses = []\n", f"    losses = []\n    {LOSS}\n")),
        "the graph was made once",
    ),
    "outputs once": (
        loop(
            ("    losses = []\n", "    losses, outputs = [], [net(row) for row in rows]\n"),
            (LOSS, "loss = sum((output - target) ** 2 for output, target in zip(outputs, targets))"),
        ),
        "the graph was made once",
    ),
    "a running total": (
        loop(
            ("    losses = []\n", "    losses, loss = [], 0\n"),
            (f"        {LOSS}\n", RUNNING),
        ),
        "the loss is never begun anew",
    ),
    "one epoch too few": (loop(("range(epochs)", "range(1, epochs)")), "one epoch too few"),
    "one epoch too many": (loop(("range(epochs)", "range(epochs + 1)")), "one epoch too many"),
    "return in the loop": (loop(("    return losses", "        return losses")), "one epoch only"),
    "the list in the loop": (
        loop(("    losses = []\n    for _ in range(epochs):\n", "    for _ in range(epochs):\n        losses = []\n")),
        "the last loss only",
    ),
    "appended after it": (loop(("        losses.append", "    losses.append")), "the last loss only"),
    "100 epochs": (loop(("range(epochs)", "range(100)")), "`epochs` is not used"),
    "printed": (loop(("losses.append(loss.data)", "print(loss.data)")), "an empty list"),
    "Values kept": (loop(("(loss.data)", "(loss)")), "The losses are Values, which keep every graph in memory"),
    "a Value for data": (loop(("p.data -= lr", "p.data = p - lr")), "A parameter's `data` is no number any more"),
    "new Values": (loop((STEP_ALL, NEW_VALUES)), "A parameter is another Value now"),
    "only the last": (loop(("return losses", "return losses[-1]")), "of losses was expected; it returned a float"),
    "the network": (loop(("return losses", "return net")), "A list of losses was expected; it returned a"),
    "rows used up": (
        loop((f"        {LOSS}\n", SORTED)),
        "The lists of rows and targets are not what they were",
    ),
    "numbers of the data": (loop(("(net(row) - target)", "(net(row).data - target)")), "has no attribute 'backward'"),
    "1e-3 off": (loop(("lr * p.grad", "1.001 * lr * p.grad")), "Training went another way here (test 1 of 7)"),
}


@pytest.mark.parametrize("train, said", NOT_LOOPS.values(), ids=NOT_LOOPS)
def test_wrong_loops_are_explained(train, said):
    verdict = check.train(train)
    assert said in said_of(verdict)
    assert len(verdict.mistakes) <= 1


def test_a_loop_that_returns_nothing_is_not_yet():
    verdict = check.train(loop(("    return losses\n", "")))
    assert verdict.state == "not yet" and "a `return` is missing" in verdict.text()


def test_no_two_mistakes_of_a_loop_leave_the_same():
    tests = lesson_09_train.runs()
    ways = [{}, *(changes for changes, _ in lesson_09_train.SLIPS)]
    ends = [[lesson_09_train.trained(run, **changes) for run in tests] for changes in ways]
    for i, some in enumerate(ends):
        for others in ends[i + 1 :]:
            assert not all(map(lesson_09_train.alike, some, others))


# Exercise 2


def nets(activation="relu", output="linear", init="uniform_zero_bias", layers=(4, 4, 1)):
    """A right answer, or one that differs in these arguments."""
    return lambda seeds: Population(seeds, 2, list(layers), activation, output, init)


ALIVE = {
    "linear": nets(),
    "sigmoid": nets(output="sigmoid"),
    "tanh on the output": nets(output="tanh"),
    "tanh everywhere": nets("tanh", "tanh"),
    "leaky everywhere": nets("leaky_relu", "leaky_relu"),
    "leaky on the output": nets(output="leaky_relu"),
    "wider": nets(layers=(8, 8, 1)),
    "he": nets(init="he"),
}


@pytest.mark.parametrize("revived", ALIVE.values(), ids=ALIVE)
def test_any_network_that_lives_passes(revived):
    assert check.revive(revived), check.revive(revived)


def first_ten_times_eight(seeds):
    return Population([2, 5, 6, 9, 10, 13, 21, 22] * 10, 2, [4, 4, 1], "relu", "relu", "uniform_zero_bias")


DEAD = {
    "as it was": (nets(output="relu"), "relu still on the output"),
    "wider": (nets(output="relu", layers=(16, 16, 1)), "relu still on the output"),
    "another initialisation": (nets(output="relu", init="he"), "relu still on the output"),
    "leaky inside": (nets("leaky_relu", "relu"), "relu still on the output"),
    "tanh inside": (nets("tanh", "relu"), "relu still on the output"),
    "all weights equal": (nets(init=lambda rng, n, m: 0.5), "all weights of a layer equal"),
    "all weights 0": (nets("tanh", "tanh", init=lambda rng, n, m: 0.0), "all weights of a layer equal"),
    "linear everywhere": (nets("linear", "linear"), "no bend anywhere"),
    "no hidden layer": (nets(layers=(1,)), "no hidden layer"),
    "sigmoids": (nets("sigmoid", "sigmoid"), "alive and too slow"),
    "large weights": (nets(init=lambda rng, n, m: rng.gauss(0, 30)), "weights too large"),
    "normal": (nets(init="normal"), "an unlucky initialisation"),
    "lucky seeds": (first_ten_times_eight, "other seeds"),
    "an MLP": (lambda seeds: MLP(2, [4, 4, 1]), "A Population was expected; it returned a MLP"),
    "three inputs": (lambda seeds: Population(seeds, 3, [4, 1]), "XOR has two inputs"),
    "not a function": (Population(range(2), 2, [1]), "It raised"),
}


@pytest.mark.parametrize("revived, said", DEAD.values(), ids=DEAD)
def test_networks_that_do_not_live_are_explained(revived, said):
    assert said in said_of(check.revive(revived)).replace("an MLP", "a MLP")


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


@pytest.mark.parametrize("function", [by_formula, by_if, by_one_number], ids=lambda f: f.__name__)
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


def textbook(p, t):
    return -t * p.log() - (1 - t) * (1 - p).log()


def right(p, t):
    return -(p if t else 1 - p).log()


def overwriting(outputs, targets):
    for p, t in zip(outputs, targets):
        loss = right(p, t)
    return loss / len(targets)


def last_alone(outputs, targets):
    for p, t in zip(outputs, targets):
        loss = right(p, t)
    return loss


def returns_early(outputs, targets):
    for p, t in zip(outputs, targets):
        return right(p, t)


def with_floats(outputs, targets):
    return sum(-math.log(p.data if t else 1 - p.data) for p, t in zip(outputs, targets)) / len(targets)


NOT_ENTROPY = {
    "no minus": (entropy(lambda p, t: -right(p, t)), "the minus missing"),
    "sum": (entropy(right, lambda total, n: total), "the sum, not the mean"),
    "ones only": (entropy(lambda p, t: -t * p.log()), "only the rows with target 1"),
    "zeros only": (entropy(lambda p, t: -(1 - t) * (1 - p).log()), "only the rows with target 0"),
    "swapped": (entropy(lambda p, t: right(p, 1 - t)), "the two cases swapped"),
    "one minus": (entropy(lambda p, t: -t * p.log() + (1 - t) * (1 - p).log()), "a minus for one term only"),
    "the other minus": (entropy(lambda p, t: t * p.log() - (1 - t) * (1 - p).log()), "a minus for one term only"),
    "1 - log": (entropy(lambda p, t: -t * p.log() - (1 - t) * (1 - p.log())), "1 - log p for log(1 - p)"),
    "no log": (entropy(lambda p, t: 1 - (p if t else 1 - p)), "no log"),
    "minus p": (entropy(lambda p, t: -(p if t else 1 - p)), "no log"),
    "squares": (entropy(lambda p, t: (p - t) ** 2), "squares. That is the mean of squares"),
    "bits": (entropy(lambda p, t: right(p, t) / math.log(2)), "log to base 2"),
    "the last": (last_alone, "only the last row"),
    "the last, divided": (overwriting, "only the last row, as a mean"),
    "the first": (returns_early, "only the first row"),
    "cut": (lambda o, t: Value(with_floats(o, t)), "the graph is cut"),
    "floats": (with_floats, "A Value was expected, so that gradients can come back; it returned a float"),
    "0 log 0": (entropy(textbook), "0 · log 0"),
    "the package's": (autograd.binary_cross_entropy, "comes from the course itself"),
    "a clip too wide": (entropy(lambda p, t: -((p if t else 1 - p) * 0.999 + 0.001).log()), "test 1 of 24"),
    "a 1e-3 off": (entropy(lambda p, t: right(p, t) + 1e-3), "test 1 of 24"),
}


@pytest.mark.parametrize("function, said", NOT_ENTROPY.values(), ids=NOT_ENTROPY)
def test_wrong_cross_entropies_are_explained(function, said):
    assert said in said_of(check.cross_entropy(function))


def test_float_noise_passes():
    assert check.cross_entropy(entropy(lambda p, t: right(p, t) * (1 + 1e-12)))


# Exercise 4


def trained(layers=(8, 1), activation="tanh", output="linear", steps=300, lr=0.5, labels=LABELS, loss=autograd.hinge):
    """A network that a learner may have trained, on ten rows a step."""
    rng = random.Random(0)
    net = MLP(2, list(layers), activation, output, rng=rng)
    optimizer = SGD(net.parameters(), abs(lr))
    for _ in range(steps):
        batch = rng.sample(range(100), 10)
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


def test_a_trained_network_passes_in_any_form(good):
    assert check.moons(good)
    assert check.moons(TensorMLP.from_mlp(good))
    assert check.moons(lambda point: good(point))
    assert check.moons(lambda point: good(point).data + 1e-12)


def test_other_losses_and_activations_pass():
    assert check.moons(trained((16, 16, 1), "relu", lr=0.1, steps=600, loss=autograd.mean_squares))
    assert check.moons(trained(output="tanh", loss=autograd.mean_squares))


def cleared():
    net = MLP(2, [8, 1], rng=random.Random(0))
    return net


NOT_MOONS = {
    "never trained": (cleared, "never trained"),
    "diverged": (lambda: trained((16, 16, 1), "relu", lr=3.0, loss=autograd.sum_of_squares), "diverged"),
    "labels reversed": (lambda: trained(labels=[-label for label in LABELS]), "the wrong way round"),
    "targets 0 and 1": (
        lambda: trained(output="sigmoid", labels=[(1 + n) / 2 for n in LABELS], loss=autograd.binary_cross_entropy),
        "targets 0 and 1",
    ),
    "relu on the output": (lambda: trained((8, 8, 1), "relu", "relu"), "outputs that cannot be negative"),
    "a line": (lambda: trained((1,)), "a straight line"),
    "a line of two layers": (lambda: trained((8, 1), "linear"), "a straight line"),
    "uphill": (lambda: trained(lr=-0.5, steps=50), "the wrong way round"),
    "five steps": (lambda: trained(steps=5), "not trained long enough"),
    "one answer": (lambda: lambda point: -1.0, "one answer for all"),
    "guessing": (lambda: lambda point: math.sin(1e3 * point[0]), "hardly better than guessing"),
    "two outputs": (lambda: MLP(2, [8, 2]), "One output a point was expected; it gives 2"),
    "three inputs": (lambda: MLP(3, [8, 1]), "shape (n, 3)"),
    "a number": (lambda: 0.97, "A network was expected; this is a float"),
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


@pytest.mark.parametrize("function", [with_an_optimizer, cleared_after], ids=lambda f: f.__name__)
def test_any_right_epoch_passes(function):
    assert check.circle(function), check.circle(function)


SOLUTION = library.solution("circle").code


def changed(*pairs):
    """The solution with some of its text replaced."""
    code = SOLUTION
    for old, new in pairs:
        assert old in code
        code = code.replace(old, new)
    return defined(code)["one_epoch"]


STEP = "        for p in net.parameters():\n            p.data -= lr * p.grad\n"
OUTSIDE = "    for p in net.parameters():\n        p.data -= lr * p.grad\n"
CLEAR = "        net.zero_grad()\n"


def all_at_once(net, data, lr, share=1):
    loss = sum((net(point) - target) ** 2 for point, target in data) / share
    net.zero_grad()
    loss.backward()
    for p in net.parameters():
        p.data -= lr * p.grad
    return loss.data * share


def shuffled(net, data, lr):
    return with_an_optimizer(net, data[::-1], lr)


def replaced(net, data, lr):
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
    "no zero_grad": (changed((CLEAR, "")), "zero_grad forgotten"),
    "zero_grad too late": (changed((CLEAR, ""), (STEP, CLEAR + STEP)), "nothing changed"),
    "no backward": (changed(("        loss.backward()\n", "")), "nothing changed"),
    "no step": (changed((STEP, "")), "nothing changed"),
    "all at once": (all_at_once, "one update for all points"),
    "the mean": (lambda net, data, lr: all_at_once(net, data, lr, len(data)), "one update from the mean"),
    "step outside": (changed((STEP, OUTSIDE)), "the step outside the loop"),
    "uphill": (changed(("p.data -=", "p.data +=")), "uphill"),
    "lr left out": (changed(("lr * p.grad", "p.grad")), "the learning rate left out"),
    "half": (changed(("(net(point) - target) ** 2", "0.5 * (net(point) - target) ** 2")), "half of the square"),
    "early return": (changed(("    return total", "        return total")), "only the first point"),
    "backwards": (shuffled, "another order"),
    "last loss": (changed(("total += ", "total = ")), "only the last loss"),
    "mean loss": (changed(("return total", "return total / len(data)")), "the mean of the losses"),
    "late loss": (
        changed(
            ("        total += loss.data\n", ""), (STEP, STEP + "        total += ((net(point) - target) ** 2).data\n")
        ),
        "losses after the updates",
    ),
    "new Values": (replaced, "A parameter has been replaced by a new Value"),
    "Values as data": (changed(("p.data -= lr * p.grad", "p.data = Value(p.data - lr * p.grad)")), "It raised"),
    "a list": (changed(("return total", "return [total]")), "A number was expected; it returned a list"),
    "a 1e-3 off": (changed(("lr * p.grad", "1.001 * lr * p.grad")), "The parameters are wrong"),
}


@pytest.mark.parametrize("function, said", NOT_EPOCHS.values(), ids=NOT_EPOCHS)
def test_wrong_epochs_are_explained(function, said):
    assert said in said_of(check.circle(function))


def test_the_rounds_tell_the_mistakes_apart():
    """On the whole, no two mistakes leave the same parameters, and none leaves the right ones."""
    whole = [lesson_09.stepped] + [slip for _, slip in lesson_09.STEP_SLIPS]
    ends = [[x for each in lesson_09.rounds() for x in slip(each)[0]] for slip in whole]
    for i, some in enumerate(ends):
        assert not any(lesson_09.alike(some, others) for others in ends[i + 1 :])


# All


@pytest.mark.parametrize("name", NAMES)
def test_an_error_in_the_answer_is_told_in_two_sentences(name):
    def fails(*arguments):
        return [][1]

    found = getattr(check, name)(fails)
    assert found.state == "wrong" and len(found.says) == 2
    assert found.says[0].startswith("Tested: ") and "It raised IndexError" in found.says[1]


def test_an_endless_loop_is_stopped(monkeypatch):
    monkeypatch.setattr(guard.guarded, "__defaults__", (0.3, guard.PATIENCE))

    def endless(net, data, lr):
        while True:
            pass

    assert "loop that never ends" in check.circle(endless).text()
    assert check.circle(with_an_optimizer)


def test_every_section_that_is_named_exists():
    notebook = lessons.read(PATH)
    headings = [line for cell in lessons.cells(notebook, "markdown") for line in cell.source.splitlines()]
    sections = ("LOOP", "LUCK", "ALIKE", "ONE", "BREAK", "SAME", "LOGS", "MOONS", "CIRCLE")
    for section in sections:
        assert f"## {getattr(lesson_09, section)}" in headings, section


def test_a_wrong_answer_is_never_told_the_solution():
    for train, _ in NOT_LOOPS.values():
        said = check.train(train).text()
        assert "data -=" not in said and "p.grad = 0" not in said and "sum((" not in said
    for function, _ in NOT_EPOCHS.values():
        assert "p.data -=" not in check.circle(function).text()
    for function, _ in NOT_ENTROPY.values():
        assert "p if t == 1 else" not in check.cross_entropy(function).text()
    for revived, _ in DEAD.values():
        assert '"linear", init' not in check.revive(revived).text()
