"""The checks of lesson 09: a training loop, nets that are not dead, cross-entropy, two moons, a circle by points."""

import functools
import itertools
import math
import random
from dataclasses import dataclass

import numpy as np

from autograd import MLP, Value
from autograd.dual import forward_gradient
from autograd.lessons.moons import make_moons
from autograd.lessons.population import Population
from autograd.tensor_nn import TensorMLP
from exercises.judging.grading import called, exercise, has, kind, needs_functions, number_of, short
from exercises.lessons.lesson_09.train import Network, kept_apart, rounded, stands_still, train, watched
from exercises.sandbox.guard import Trouble, trying
from exercises.verdicts.seen import equal, seen

__all__ = ["circle", "cross_entropy", "moons", "revive", "train"]

# Exercise 2: networks that are not dead

ROWS = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
TARGETS = np.array([[0.0], [1.0], [1.0], [0.0]])
SEEDS = 80  # the forty of the lesson, and forty more
STEPS, LOOK = 1000, 100  # of training; after so many of them the check looks whether most are right already
LARGE = 2.0  # a mean size of first weights: that of N(0, 1) is 0.8
SLOW = "alive and too slow"
HUGE = 1000  # parameters of a network that takes too long to be trained in a check


@exercise(compares=False, finds=lambda: {"Population": Population})
def revive(revived):
    """Most of the networks that `revived(seeds)` makes learn XOR, in the loop that is given."""
    needs_functions(revived=revived)
    for seeds in (range(SEEDS), range(SEEDS, SEEDS + 3)):
        nets, case = population(revived, seeds), f"revived({seeds})"
        row = ("seeds", span(list(seeds)), span(nets.seeds))
        yield seen("These are not the networks of the seeds asked for.", row, case=case, because="other seeds")
    nets = population(revived, range(SEEDS))
    weights, parameters = ([each.data.copy() for each in those] for those in (nets.weights, nets.parameters()))
    silent = int((outputs_of(nets) == 0).all(axis=(1, 2)).sum())
    right, steps = learned(nets)
    most = right > len(nets.seeds) / 2
    yield seen(
        "Most of these networks do not learn XOR.",
        ("0 for every row before training", f"few of {SEEDS}", f"{silent} of {SEEDS}", most),
        (f"right after {steps:,} steps", f"more than {SEEDS // 2} of {SEEDS}", f"{right} of {SEEDS}", most),
        case=f"revived({range(SEEDS)})",
        because=() if most else reasons(nets, weights),
    )
    others = other_arguments(nets, parameters)
    yield seen(
        "They learn. Asked for is one argument changed, so that it is seen which of them it was.",
        ("arguments that are others", "one", ", ".join(others) or "none", len(others) <= 1),
        case=f"revived({range(SEEDS)})",
        because="more than one argument",
    )
    return f"{right} of {SEEDS} networks have learned XOR after {steps} steps; {silent} gave 0 for every row at first."


def other_arguments(nets, parameters):
    """Which arguments are others than those of the dead networks; parameters: the arrays before training."""
    *hidden, last = nets.activations
    drawn = Population(nets.seeds, nets.sizes[0], nets.sizes[1:], init="uniform_zero_bias").parameters()
    is_as_given = all(np.array_equal(now, then.data) for now, then in zip(parameters, drawn))
    found = {
        "layers": nets.sizes[1:] != [4, 4, 1],
        "the hidden layers' activation": set(hidden) != {"relu"},
        "the output's activation": last != "relu",
        "the first weights": not is_as_given,
    }
    return [name for name, is_so in found.items() if is_so]


def population(revived, seeds):
    """The networks that a learner's function makes of these seeds; Trouble where it cannot be tried on XOR."""
    what = f"revived({seeds})"
    nets = called(revived, seeds, what=what, returns=object)
    if not isinstance(nets, Population):
        said = f"A Population was expected; it returned {kind(nets)}. Change one argument of the one shown."
        raise Trouble(f"Tested: {what}.", said)
    if (nets.sizes[0], nets.sizes[-1]) != (2, 1):
        said = f"XOR has two inputs and one output; these networks have the sizes {nets.sizes}."
        raise Trouble(f"Tested: {what}.", said)
    count = sum(p.data.size for p in nets.parameters()) // len(nets.seeds)
    if count > HUGE:
        said = f"Networks of {count:,} parameters take too long to be trained here. Those of the lesson have 37."
        raise Trouble(f"Tested: {what}.", said)
    return nets


def span(seeds):
    """Seeds in a few words: those from a first to a last one, or the list."""
    in_a_row = seeds == list(range(seeds[0], seeds[0] + len(seeds)))
    return f"{seeds[0]} to {seeds[-1]}" if in_a_row else short(seeds)


def outputs_of(nets):
    """The outputs of all networks for the four rows."""
    with trying("these networks on the four rows"), np.errstate(all="ignore"):
        return nets(ROWS).data


def learned(nets):
    """Train the networks until most have XOR right, or for all STEPS: (how many have, after how many steps)."""
    steps = right = 0
    while right <= len(nets.seeds) / 2 and steps < STEPS:
        with trying("training these networks"):
            nets.train(ROWS, TARGETS, LOOK, lr=0.1, loss="mean_squares")
        steps += LOOK
        right = int(((outputs_of(nets) > 0.5) == (TARGETS > 0.5)).all(axis=(1, 2)).sum())
    return right, steps


def reasons(nets, weights):
    """The names of what can be seen in networks that fail, and in their first weights; the surest first."""
    *hidden, last = nets.activations
    drawn = Population(nets.seeds, nets.sizes[0], nets.sizes[1:], init="uniform_zero_bias").weights
    as_given = all(np.array_equal(now, then.data) for now, then in zip(weights, drawn))
    found = {
        "no hidden layer": not hidden,
        "no bend anywhere": hidden and {*hidden, last} == {"linear"},
        "no bend before the output": set(hidden) == {"linear"} and last != "linear",
        "all weights of a layer equal": all(np.ptp(w.reshape(len(w), -1), axis=1).max() == 0 for w in weights),
        "relu still on the output": last == "relu",
        "weights too large": np.mean([np.abs(w).mean() for w in weights]) > LARGE,
        SLOW: "sigmoid" in hidden and last != "relu",
        "fewer neurons": sum(nets.sizes[1:-1]) < 8,
    }
    names = [name for name, is_so in found.items() if is_so] or ([] if as_given else ["an unlucky initialisation"])
    return names[: names.index(SLOW) or None] if SLOW in names else names  # what stands before it is more than slow


# Exercise 3: binary cross-entropy

KEPT = "the numbers given, afterwards"


@dataclass(frozen=True)
class Batch:
    """Outputs and targets of a cross-entropy.

    ps: the outputs; or, if `bent`, numbers whose sigmoids the outputs are. at: which of them each row has.
    """

    ps: tuple
    ts: tuple
    at: tuple = ()
    bent: bool = False

    def outputs(self, leaves):
        """The output of each row, computed from these leaves: floats, dual numbers or Values."""
        outputs = [sigmoid(leaf) if self.bent else leaf for leaf in leaves]
        return [outputs[i] for i in self.at or range(len(self.ts))]

    @functools.cached_property
    def right(self):
        """(loss, gradients)."""
        slopes = forward_gradient(lambda *ps: mean_log(self.outputs(ps), self.ts), list(self.ps))
        return mean_log(self.outputs(self.ps), self.ts), slopes

    def text(self):
        """The batch as lines of Python."""
        names = [f"x{k}" for k in range(1, len(self.ps) + 1)]
        made = ", ".join(f"Value({p})" for p in self.ps)
        outputs = [names[i] + ".sigmoid()" * self.bent for i in self.at or range(len(names))]
        return f"{', '.join(names)} = {made}\ncross_entropy([{', '.join(outputs)}], {list(self.ts)})"

    def tried(self, function):
        """((loss, right loss) pair, a sentence, rows) of a learner's function."""
        leaves = [Value(p, label=f"x{k}") for k, p in enumerate(self.ps, start=1)]
        what = "; ".join(self.text().splitlines()) if len(leaves) < 5 else f"a batch of {len(leaves)} rows"
        loss = called(function, self.outputs(leaves), list(self.ts), what=what, returns=object)
        if not isinstance(loss, Value):
            came = f"{kind(loss)}, {short(loss)}" if isinstance(loss, int | float) else kind(loss)
            said = f"A Value was expected, so that gradients can come back; it returned {came}."
            raise Trouble(f"Tested: {what}.", said)
        with trying(what):
            loss.backward()
        pair = (number_of(loss, "data", what), self.right[0])
        rows = [("loss", *pair[::-1]), (KEPT, list(self.ps), [number_of(leaf, "data", what) for leaf in leaves])]
        rows += [(f"{x.label}.grad", a, number_of(x, "grad", what)) for a, x in zip(self.right[1], leaves)]
        return [pair], "The loss is right, but not all else." if equal(*pair) else "The loss is wrong.", rows


# Outputs that are exactly right; and one that gives next to nothing to the right answer.
EXACT = Batch((1.0, 0.5), (1, 0)), Batch((0.25, 0.0), (1, 0)), Batch((1, 0, 0.5), (1, 0, 1))
BAD = Batch((1e-9, 0.5), (1, 1))


def sigmoid(z):
    """The sigmoid of a float, a dual number or a Value."""
    return z.sigmoid() if hasattr(z, "sigmoid") else 1 / (1 + math.exp(-z))


def mean_log(ps, ts):
    """The mean of -log of the probability given to the right answer: of floats, or of dual numbers."""
    given = [p if t else 1 - p for p, t in zip(ps, ts)]
    return -sum(p.log() if hasattr(p, "log") else math.log(p) for p in given) / len(ts)


@functools.cache
def batches(seed=9, count=20):
    """Batches of one to twelve rows; the targets are whole numbers or floats."""
    rng = random.Random(seed)
    made = [
        Batch((0.9, 0.2, 0.7), (1, 0, 1)),
        Batch((0.8,), (1,)),
        Batch((0.8,), (0,)),
        Batch((0.5, 0.5, 0.5), (1, 0, 0)),
    ]
    while len(made) < count:
        n = 12 if len(made) == 10 else rng.randint(2, 5)
        ps, ts = [round(rng.uniform(0.03, 0.97), 2) for _ in range(n)], [rng.choice((0, 1)) for _ in range(n)]
        if len(set(ts)) == 2:
            made.append(Batch(tuple(ps), tuple(map(rng.choice((int, float)), ts))))
    twice = [Batch((0.3,), (1, 0, 1), at=(0, 0, 0)), Batch((0.7, 0.2), (0, 1, 1), at=(1, 0, 1))]
    return (*made, *twice, Batch((-1.5, 0.25, 2.0), (1, 0, 1), bent=True), made[0], made[1])


@exercise
def cross_entropy(cross_entropy, *, seed):
    """`cross_entropy(outputs, targets)` is the binary cross-entropy of Values, at right extremes too."""
    needs_functions(cross_entropy=cross_entropy)
    yield from watched(cross_entropy, batches(seed or 9), lambda found: ["the graph is cut"] if is_cut(found) else [])
    for batch in EXACT:
        loss = batch.tried(cross_entropy)[0][0][0]
        yield seen("An output that is exactly right costs 0.", ("loss", batch.right[0], loss), case=batch.text())
    _, _, rows = BAD.tried(cross_entropy)
    rows = [(what, a, b, what == KEPT or abs(a - b) <= 0.01 * abs(a)) for what, a, b in rows]
    yield seen("A badly wrong output costs much, and its gradient is large.", *rows, case=BAD.text())
    return f"{len(batches())} batches, values and gradients, and outputs of exactly 0 and 1 where these are right."


def is_cut(found):
    """Whether all losses are right, and all gradients 0."""
    slopes = [got for *_, rows in found for what, _, got in rows if what.endswith(".grad")]
    return all(equal(*pair) for _, pairs, *_ in found for pair in pairs) and bool(slopes) and not any(slopes)


# Exercise 4: two moons

LESSON = 1337, 100  # the seed and the number of the lesson's points
WANTED = 0.95  # of new points
LINE, COIN, WORSE = 0.8, 0.65, 0.35  # shares that a straight line gets at least, that guessing gets at most, or rarely


@functools.cache
def new_moons(seed=90, n=400):
    """Points that no learner has trained on, and their labels, -1 or 1."""
    points, labels = make_moons(n_samples=n, noise=0.1, random_state=seed)
    return points, 2 * labels - 1


def lesson_moons():
    """The names of the points and labels that the lesson trains on."""
    points, labels = new_moons(*LESSON)
    return {"points": points.tolist(), "labels": labels.tolist()}


@exercise(compares=False, finds=lesson_moons)
def moons(moons_net):
    """A trained network tells new points of the two moons apart."""
    points, labels = new_moons()
    scores = scores_of(moons_net, points)
    share = share_of(scores, labels)
    is_right = share >= WANTED and bool(np.isfinite(scores).all())
    row = (f"right, of {len(points)} new points", f"at least {WANTED:.0%}", f"{share:.1%}", is_right)
    because = () if is_right else moon_mistake(moons_net, scores, share)
    yield seen("It does not tell the moons apart yet.", row, because=because)
    right = f"{share:.1%} of {len(points)} points are right, none of which it has seen before."
    return f"{right} How it was trained is not looked at."


def scores_of(net, points):
    """A trained network's outputs for some points, as an array."""
    if not callable(net):
        said = f"A network was expected; this is {kind(net)}. Is it returned at the end?"
        raise Trouble("Tested: your network on new points.", said)
    return np.array([called(one_output, net, point, what=f"your network at {point}") for point in points.tolist()])


def one_output(net, point):
    """A network's output for a point: a number, or a Value of any engine."""
    found = net([point]).data.ravel().tolist() if isinstance(net, TensorMLP) else net(list(point))
    if found is None:
        raise Trouble(f"Tested: your network at {point}.", "It returned None. Every point needs an output.")
    if isinstance(found, list) and len(found) != 1:
        raise Trouble(f"Tested: your network at {point}.", f"One output a point was expected; it gives {len(found)}.")
    found = found[0] if isinstance(found, list) else found
    return found if hasattr(type(found), "__float__") or not has(found, "data") else found.data


def share_of(scores, labels):
    """The share of outputs on their label's side of 0."""
    with np.errstate(invalid="ignore"):
        return float((scores * labels > 0).mean())


def moon_mistake(net, scores, share):
    """The name of the mistake that such outputs show, the surest first."""
    labels, activations = new_moons()[1], activations_of(net)
    last = activations[-1] if activations else ""
    if not np.isfinite(scores).all():
        return "outputs that are no numbers"
    if share_of(-scores, labels) >= WANTED:
        return "the wrong way round"
    if last == "relu" or (not last and scores.min() == 0):
        return "outputs that cannot be negative"
    if share_of(scores - 0.5, labels) >= WANTED and scores.min() > -0.5:
        return "made for the targets 0 and 1"
    if scores.min() >= 0 and last in ("", "sigmoid", "exp"):
        return "outputs that cannot be negative"
    return slow_mistake(net, scores, share, activations[:-1])


def slow_mistake(net, scores, share, bends):
    """The name of what keeps a network from learning more; bends: its activations before the last."""
    points, labels = new_moons(*LESSON)
    if share_of(scores_of(net, points), labels) >= 0.99:
        return "learned by heart"
    if np.ptp(scores) < 1e-6:
        return "one answer for all"
    if isinstance(net, MLP | TensorMLP) and set(bends) <= {"linear"}:
        return "a straight line"
    if share < LINE and isinstance(net, MLP) and all(abs(p.data) <= 1 for p in net.parameters()):
        return "never trained, or to no effect"
    steps = ((WORSE, "the wrong way round"), (COIN, "hardly better than guessing"), (LINE, "half learned"))
    return next((name for limit, name in steps if share < limit), "nearly learned")


def activations_of(net):
    """The activation of each layer of a network of this course; of another nothing is known."""
    if isinstance(net, MLP):
        return [layer.neurons[0].activation for layer in net.layers]
    return net.activations if isinstance(net, TensorMLP) else []


# Exercise 5: one update a point


@dataclass(frozen=True)
class Round:
    """One epoch: a network, the (point, target) pairs that it sees in turn, and the learning rate."""

    network: Network
    data: tuple
    lr: float

    @functools.cached_property
    def right(self):
        """(parameters, the sum of the losses) as they should be."""
        parameters, losses = self.network.taught(self.data, self.lr, step_by=1)
        return parameters, sum(losses)

    def given(self):
        """The list of points with their targets, a new one each time."""
        return [(list(point), target) for point, target in self.data]

    def text(self):
        """The test as lines of Python."""
        return f"{self.network.text()}\none_epoch(net, {self.given()}, lr={self.lr})"

    def tried(self, one_epoch):
        """((total, right total) pair, a sentence, rows) after a learner's epoch on a new network."""
        net, what, data, (right, wanted) = self.network.made(), self.text().splitlines()[1], self.given(), self.right
        parameters = net.parameters()
        total = called(one_epoch, net, data, self.lr, what=what)
        rows = [("data afterwards", self.given(), data), *self.network.rows(net, parameters, right, what)]
        is_right = all(equal(now, right) for _, right, now in rows)
        says = (
            "The parameters are right, what it returns is not." if is_right else "The parameters are wrong afterwards."
        )
        return [(total, wanted)], says, [("returned", wanted, total), *rows]


@functools.cache
def rounds(count=10, seed=9):
    """Random Rounds of one to three points: whole numbers first, then others; at last the first one again."""
    rng, made = random.Random(seed), []
    shapes = ((2, 1), ("sigmoid", "sigmoid")), ((3, 1), ("sigmoid", "sigmoid")), ((1, 2, 1), ("tanh", "linear"))
    for i in range(count):
        numbers = (lambda: rng.randint(-2, 2)) if i < 2 else (lambda: round(rng.uniform(-1.5, 1.5), 2))
        points = [(numbers(), numbers()) for _ in range((2, 3, 3, 1, 3, 8)[i % 6])]
        targets = [float(k % 2) if i % 2 else (k + (i > 3)) % 2 / (1, 2)[i > 6] for k in range(len(points))]
        layers, activations = shapes[i % 3]
        made.append(
            Round(Network(2, layers, seed - 9 + i, activations), tuple(zip(points, targets)), (1, 0.5, 0.3)[i % 3])
        )
    if seed != 9:  # nothing to learn from a first point, and steps longer than 1 for the others
        line, first = Network(2, (1,), seed, ("tanh", "linear")), (rng.uniform(-1, 1), rng.uniform(-1, 1))
        far = [((rng.uniform(1, 2), rng.uniform(-2, -1)), side * rng.uniform(30, 60)) for side in (-1, 1)]
        data = (first, line.made()(list(first)).data), *far
        made.append(Round(line, data, round(rng.uniform(0.1, 0.3), 7)))
    twice = Round(made[0].network, (made[0].data[1],) * 2, 0.5)
    return (*made, twice, made[0])


@exercise
def circle(one_epoch, *, seed):
    """`one_epoch(net, data, lr)` makes one update for each point, in order, and returns the sum of the losses."""
    needs_functions(one_epoch=one_epoch)
    yield from watched(one_epoch, rounds(10, seed or 9), visible)
    yield kept_apart(
        lambda net: called(one_epoch, net, rounds()[0].given(), 0.5, what="two epochs"),
        "one_epoch(one, data, 0.5)\none_epoch(other, data, 0.5)",
    )
    return f"{len(rounds())} epochs of {sum(len(each.data) for each in rounds())} updates: every parameter, every sum."


def visible(found):
    """The names of mistakes that show in what came of all epochs, whatever the numbers."""
    after = [(each, [now for _, _, now in rows[-len(each.network.start) :]]) for each, _, _, rows in found]
    few = [(each, now) for each, now in after if len(each.data) < 4]  # the others have too many orders to be tried
    if any(not equal(now, each.right[0]) for each, now in few) and all(is_of_some_order(*one) for one in few):
        return ["another order"]
    if stands_still(found):
        return ["some parameters stand still"]
    return ["rounded"] if after and rounded([pair for _, pairs, *_ in found for pair in pairs]) else []


def is_of_some_order(each, parameters):
    """Whether these are the parameters after the points of a Round in the given order or in another."""
    orders = itertools.permutations(each.data)
    return any(equal(parameters, each.network.taught(order, each.lr, step_by=1)[0]) for order in orders)
