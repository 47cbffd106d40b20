"""The checks of lesson 09: a training loop, nets that are not dead, cross-entropy, two moons, a circle by points."""

import functools
import itertools
import math
import random
from dataclasses import dataclass

import numpy as np
from sklearn.datasets import make_moons

from autograd import MLP, Value
from autograd.dual import forward_gradient
from autograd.tensor_nn import Population, TensorMLP
from exercises.cases import same
from exercises.checks.lesson_09_train import train
from exercises.grading import answer, called, exercise, kind, wrong
from exercises.guard import Trouble, trying
from exercises.verdict import Mistake

__all__ = ["circle", "cross_entropy", "moons", "revive", "train"]

LOOP, LUCK, ALIKE = "The four steps of the loop", "Luck: thirty seeds", "Symmetry: two neurons that stay one"
ONE, BREAK, SAME = "What one neuron cannot do", "Break it: relu on the output", "The same loop in PyTorch"
LOGS, MOONS, CIRCLE = "A loss for yes and no", "Two moons", "A circle, one point at a time"


def about(name, sentence, section):
    """A Mistake that lesson 09 treats."""
    return Mistake(name, sentence, "09", section)


# Exercise 2: networks that are not dead

ROWS = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
TARGETS = np.array([[0.0], [1.0], [1.0], [0.0]])
SEEDS = 80  # the forty of the lesson, and forty more
LARGE = 2.0  # a mean size of first weights: that of N(0, 1) is 0.8


@exercise
def revive(revived):
    """Whether most of the networks that a learner's function makes learn XOR, in the loop that is given."""
    with trying("revived(range(80))"):
        nets = answer(revived(range(SEEDS)), "revived(range(80))", object)
    if not isinstance(nets, Population):
        said = f"A Population was expected; it returned {kind(nets)}. Change one argument of the one shown."
        raise Trouble("Tested: revived(range(80)).", said)
    if (nets.sizes[0], nets.sizes[-1]) != (2, 1):
        said = f"XOR has two inputs and one output; these networks have the sizes {nets.sizes}."
        raise Trouble("Tested: revived(range(80)).", said)
    if (fault := cheats(nets)) is not None:
        return fault
    weights = [layer.data.copy() for layer in nets.weights]
    silent = int((nets(ROWS).data == 0).all(axis=(1, 2)).sum())
    nets.train(ROWS, TARGETS, 1000, lr=0.1, loss="mean_squares")
    outputs = nets(ROWS).data
    right = int(((outputs > 0.5) == (TARGETS > 0.5)).all(axis=(1, 2)).sum())
    if right > SEEDS // 2:
        return f"{right} of {SEEDS} networks learn XOR now; {silent} give 0 for every row before training."
    rows = [
        ("0 for every row before training", "few of 80", f"{silent} of 80"),
        ("right after 1,000 steps", "more than 40 of 80", f"{right} of 80"),
    ]
    return wrong("Most of these networks do not learn XOR.", rows=rows, mistakes=reasons(nets, weights)[:2])


def cheats(nets):
    """What is wrong with how the networks were chosen, as a Verdict; None if nothing is."""
    if len(nets.seeds) != SEEDS or nets.seeds != list(range(SEEDS)):
        said = "The check hands seeds 0 to 79 to your function. Use `seeds` as it comes, and mend the network."
        known = about("other seeds", said, LUCK)
        return wrong("These are not the networks of the seeds that were asked for.", mistakes=[known])
    return None


def reasons(nets, weights):
    """The Mistakes for which so many networks fail, the surest first."""
    *hidden, last = nets.activations
    found = []
    if not hidden:
        said = "Without a hidden layer this is one neuron, and one neuron cannot do XOR, whatever its activation."
        found.append(about("no hidden layer", said, ONE))
    elif set(hidden) == {"linear"} and last == "linear":
        said = "Linear layers in a row are one linear layer, and that draws one straight line."
        found.append(about("no bend anywhere", said, ONE))
    if all(np.ptp(layer.reshape(SEEDS, -1), axis=1).max() == 0 for layer in weights):
        said = (
            "Neurons of a layer that start alike get the same gradient, and so stay alike. Let `init` draw at random."
        )
        found.append(about("all weights of a layer equal", said, ALIKE))
    if last == "relu":
        said = "The output neuron is still shut wherever its sum is below 0, and then nothing gets a gradient."
        found.append(about("relu still on the output", said, BREAK))
    if np.mean([np.abs(layer).mean() for layer in weights]) > LARGE:
        said = "Such large weights make such large first steps that neurons are thrown far off, and stay there."
        found.append(about("weights too large", said, LUCK))
    if hidden and "sigmoid" in hidden:
        said = (
            "They live, but each sigmoid passes on a quarter of the gradient at most. At lr 0.1 a thousand steps are "
            "not enough."
        )
        found.append(about("alive and too slow", said, BREAK))
    if not found:
        said = "Their output can be any number now, but these first weights start most of them badly."
        found.append(about("an unlucky initialisation", said, LUCK))
    return found


# Exercise 3: binary cross-entropy


@functools.cache
def answers_and_targets(count=24, seed=9):
    """(probabilities, targets) of one to six rows; the targets are whole numbers or floats."""
    rng, made = random.Random(seed), [((0.8,), (1,)), ((0.8,), (0,)), ((0.9, 0.2), (1, 0))]
    while len(made) < count:
        n = rng.randint(2, 6)
        targets = [rng.choice((0, 1)) for _ in range(n)]
        if len(set(targets)) == 2:
            number = rng.choice((int, float))
            made.append((tuple(rng.uniform(0.03, 0.97) for _ in range(n)), tuple(map(number, targets))))
    return tuple(made)


def mean_log(ps, ts, log=lambda p: p.log() if hasattr(p, "log") else math.log(p)):
    """The mean of -log of the probability given to the right answer: of floats, or of dual numbers."""
    return -sum(log(p if t else 1 - p) for p, t in zip(ps, ts)) / len(ts)


def terms(rule):
    """A mistake's number: the mean over rows of a rule of p and t; None where it cannot be worked out."""

    def number(ps, ts):
        return sum(rule(p, t) for p, t in zip(ps, ts)) / len(ts)

    return number


log = math.log
ENTROPY_SLIPS = (
    (
        about("the minus missing", "log of a probability is below 0, and a loss is above. Put a minus before.", LOGS),
        lambda ps, ts: -mean_log(ps, ts),
    ),
    (
        about("the sum, not the mean", "The terms are right. Asked for is their mean: divide by how many.", LOGS),
        lambda ps, ts: mean_log(ps, ts) * len(ts),
    ),
    (
        about("only the rows with target 1", "-t log p says nothing where t is 0. Those rows need log(1 - p).", LOGS),
        terms(lambda p, t: -t * log(p)),
    ),
    (
        about("only the rows with target 0", "That leaves out -t log p, the term of the rows with target 1.", LOGS),
        terms(lambda p, t: -(1 - t) * log(1 - p)),
    ),
    (
        about("the two cases swapped", "Target 1 takes log p and target 0 takes log(1 - p). Yours is reversed.", LOGS),
        terms(lambda p, t: -(1 - t) * log(p) - t * log(1 - p)),
    ),
    (
        about("a minus for one term only", "Both logs are below 0, so both terms need the minus. A bracket?", LOGS),
        terms(lambda p, t: -t * log(p) + (1 - t) * log(1 - p)),
    ),
    (
        about("a minus for one term only", "Both logs are below 0, so both terms need the minus.", LOGS),
        terms(lambda p, t: t * log(p) - (1 - t) * log(1 - p)),
    ),
    (
        about("1 - log p for log(1 - p)", "First 1 - p, the probability of a no, then its log.", LOGS),
        terms(lambda p, t: -t * log(p) - (1 - t) * (1 - log(p))),
    ),
    (
        about(
            "no log", "That is how much probability went to the wrong answer, or its like. Take the log of it.", LOGS
        ),
        terms(lambda p, t: 1 - (p if t else 1 - p)),
    ),
    (
        about("no log", "Those are the probabilities of the right answers themselves. Take the log of each.", LOGS),
        terms(lambda p, t: -(p if t else 1 - p)),
    ),
    (
        about("squares", "That is the mean of squares, the loss this one stands beside.", LOGS),
        terms(lambda p, t: (p - t) ** 2),
    ),
    (
        about("log to base 2", "That is the loss in bits. Here log is the natural one, as Value.log is.", LOGS),
        lambda ps, ts: mean_log(ps, ts) / log(2),
    ),
    (
        about("only the last row", "Each row has a term of its own. Is there an = where += is meant?", LOGS),
        lambda ps, ts: mean_log(ps[-1:], ts[-1:]),
    ),
    (
        about("only the last row, as a mean", "Each row has a term. Is there an = where += is meant?", LOGS),
        lambda ps, ts: mean_log(ps[-1:], ts[-1:]) / len(ts),
    ),
    (
        about("only the first row", "Is there a `return` inside the loop? It ends the loop in its first round.", LOGS),
        lambda ps, ts: mean_log(ps[:1], ts[:1]),
    ),
)

CUT = about(
    "the graph is cut",
    "The number is right, but no gradient comes back. Compute with the Values: p.log(), not math.log(p.data).",
    LOGS,
)
EXTREME = about(
    "0 · log 0",
    "At p = 1 and t = 1 the other term is (1 - t) log(1 - p) = 0 · log 0, and log 0 does not exist. A sigmoid gives "
    "exactly 1 from 37 on. Take one log a row: that of the probability of the right answer.",
    LOGS,
)


@exercise
def cross_entropy(function):
    """Whether a function gives the binary cross-entropy of Values, and its gradients, at right extremes too."""
    tests, found = answers_and_targets(), []
    for ps, ts in tests:
        found.append(entropy_of(function, ps, ts))
    for i, ((ps, ts), (loss, gradients)) in enumerate(zip(tests, found)):
        right, slopes = mean_log(ps, ts), forward_gradient(lambda *p, ts=ts: mean_log(p, ts), list(ps))
        rows = [("loss", right, loss)]
        rows += [(f"p{k}.grad", slope, grad) for k, (slope, grad) in enumerate(zip(slopes, gradients), start=1)]
        rows = [row for row in rows if not same(row[2], row[1])]
        if not rows:
            continue
        losses = [loss for loss, _ in found]
        cut = [] if any(gradients) else [CUT]
        known = entropy_mistakes(tests, losses, i) if rows[0][0] == "loss" else cut
        what = "The loss is" if rows[0][0] == "loss" else "The loss is right, a gradient is"
        says = f"{what} wrong for these outputs (test {i + 1} of {len(tests)})."
        return wrong(says, case=entropy_case(ps, ts), rows=rows[:3], mistakes=known)
    for ps, ts in (((1.0, 0.5), (1, 0)), ((0.25, 0.0), (1, 0))):
        try:
            loss, _ = entropy_of(function, ps, ts)
        except Trouble as trouble:
            return wrong(*trouble.sentences, case=entropy_case(ps, ts), mistakes=[EXTREME])
        right = mean_log([p for p in ps if 0 < p < 1], [t for p, t in zip(ps, ts) if 0 < p < 1]) / 2
        if not same(loss, right):
            rows = [("loss", right, loss)]
            return wrong("An output that is exactly right costs 0.", case=entropy_case(ps, ts), rows=rows)
    return f"{len(tests)} batches, values and gradients, and outputs of exactly 0 and 1 where these are right."


def entropy_of(function, ps, ts):
    """(loss, gradients) that a learner's function gives for these probabilities and targets."""
    outputs = [Value(p, label=f"p{k}") for k, p in enumerate(ps, start=1)]
    what = f"cross_entropy of the outputs {written(ps)} with the targets {written(ts)}"
    with trying(what):
        loss = answer(function(outputs, list(ts)), what, object)
    if not isinstance(loss, Value):
        said = f"A Value was expected, so that gradients can come back; it returned {kind(loss)}."
        raise Trouble(f"Tested: {what}.", said)
    loss.backward()
    return loss.data, [output.grad for output in outputs]


def entropy_mistakes(tests, losses, failing):
    """The Mistake that gives the losses of all tests; if none does, the one of the failing test."""

    def gives(slip, i):
        return same(losses[i], slip(*tests[i]))

    everywhere = [mistake for mistake, slip in ENTROPY_SLIPS if all(gives(slip, i) for i in range(len(tests)))]
    return (everywhere or [mistake for mistake, slip in ENTROPY_SLIPS if gives(slip, failing)])[:1]


def entropy_case(ps, ts):
    """A batch as a line of Python."""
    return f"cross_entropy([{', '.join(f'Value({p:.4g})' for p in ps)}], {list(ts)})"


def written(numbers):
    """Numbers as a short list."""
    return f"[{', '.join(f'{n:.4g}' for n in numbers)}]"


# Exercise 4: two moons

WANTED = 0.95  # of new points
WORSE = 0.35  # than guessing


@functools.cache
def new_moons(seed=90, n=400):
    """Points that no learner has trained on, and their labels, -1 or 1."""
    points, labels = make_moons(n_samples=n, noise=0.1, random_state=seed)
    return points, 2 * labels - 1


@exercise
def moons(net):
    """Whether a trained network tells new points of the two moons apart."""
    points, labels = new_moons()
    scores = scores_of(net, points)
    with np.errstate(invalid="ignore"):
        share = float(((scores > 0) == (labels > 0)).mean())
    if share >= WANTED and np.isfinite(scores).all():
        return f"{share:.1%} of {len(points)} points are right, none of which it has seen before."
    rows = [("right, of 400 new points", "at least 95%", f"{share:.1%}")]
    return wrong("It does not tell the moons apart yet.", rows=rows, mistakes=moon_mistakes(net, scores, share))


def scores_of(net, points):
    """A trained network's outputs for some points, as an array."""
    what = "your network on new points"
    if isinstance(net, MLP):
        with trying(what):
            net = TensorMLP.from_mlp(net)
    if isinstance(net, TensorMLP):
        with trying(what), np.errstate(all="ignore"):
            found = net(points).data
        if found.shape != (len(points), 1):
            raise Trouble(f"Tested: {what}.", f"One output a point was expected; it gives {found.shape[-1]}.")
        return found[:, 0]
    if not callable(net):
        raise Trouble(f"Tested: {what}.", f"A network was expected; this is {kind(net)}. Is it returned at the end?")
    return np.array([called(net, list(point), what=f"your network at {written(point)}") for point in points.tolist()])


ROUND = about(
    "the wrong way round",
    "It is wrong more often than a coin. Is a sign of the labels reversed, or does the step go uphill, with +=?",
    MOONS,
)


def moon_mistakes(net, scores, share):
    """The Mistakes that such outputs show, the surest first."""
    labels = new_moons()[1]
    if not np.isfinite(scores).all():
        said = "The outputs are no longer numbers: the steps were too large. Take a smaller learning rate."
        return [about("diverged", said, MOONS)]
    if share <= 1 - WANTED:
        return [ROUND]
    if ((scores > 0.5) == (labels > 0)).mean() >= WANTED and scores.min() > -0.5:
        said = "The moons are told apart at 0.5, so it was trained on the targets 0 and 1. Here labels are -1 and 1."
        return [about("targets 0 and 1", said, MOONS)]
    if scores.min() > 0 or (scores.min() >= 0 and activation_of(net) in ("relu", "sigmoid")):
        said = "No output is below 0, so no point can be of the class -1. Is the output layer a relu or a sigmoid?"
        return [about("outputs that cannot be negative", said, MOONS)]
    if isinstance(net, MLP) and not any(p.grad for p in net.parameters()):
        said = "Every gradient is 0: no backward pass has reached this network, or zero_grad() came just after it."
        return [about("never trained", said, LOOP)]
    if share < WORSE:
        return [ROUND]
    if np.ptp(scores) < 1e-6:
        return [about("one answer for all", "All outputs are alike: the network has stopped listening.", BREAK)]
    if is_straight(net):
        said = "Its border is a straight line: there is no bend before the output. About 88% is all a line can do."
        return [about("a straight line", said, ONE)]
    if share > 0.8:
        said = "That is what a straight line reaches, or a network that has not bent far enough. Train on, or faster."
        return [about("not trained long enough", said, MOONS)]
    said = "Guessing gives 50%. Is the step taken with -= and after backward(), and is zero_grad() in the loop?"
    return [about("hardly better than guessing", said, LOOP)]


def activation_of(net):
    """The last layer's activation, of a network of this course; else ""."""
    if isinstance(net, MLP):
        return net.layers[-1].neurons[0].activation
    return net.activations[-1] if isinstance(net, TensorMLP) else ""


def is_straight(net):
    """Whether a network of this course has nothing that bends before its last activation."""
    if isinstance(net, MLP):
        return all(layer.neurons[0].activation == "linear" for layer in net.layers[:-1])
    return isinstance(net, TensorMLP) and set(net.activations[:-1]) <= {"linear"}


# Exercise 5: one update a point


@dataclass(frozen=True)
class Round:
    """A network by its shape and the seed of its weights, the points it sees in turn, and the learning rate."""

    hidden: int
    seed: int
    data: tuple
    lr: float

    def net(self):
        """A new network, not trained."""
        return MLP(2, [self.hidden, 1], "sigmoid", "sigmoid", rng=random.Random(self.seed))

    def start(self):
        """Its parameters as numbers."""
        return [p.data for p in self.net().parameters()]

    def loss(self, numbers, point, target):
        """The squared error at a point, for parameters that are floats or dual numbers."""
        inner, outer = numbers[: 3 * self.hidden], numbers[3 * self.hidden :]
        total = outer[-1]
        for j in range(self.hidden):
            w1, w2, b = inner[3 * j : 3 * j + 3]
            total = total + outer[j] * bent(b + w1 * point[0] + w2 * point[1])
        return (bent(total) - target) ** 2

    def gradient(self, numbers, point, target):
        """The gradient of that loss, by dual numbers."""
        return forward_gradient(lambda *ps: self.loss(ps, point, target), list(numbers))

    def case(self):
        """The round as lines of Python."""
        data = ", ".join(f"(({p[0]:.4g}, {p[1]:.4g}), {t:g})" for p, t in self.data)
        return (
            f'net = MLP(2, [{self.hidden}, 1], "sigmoid", "sigmoid", rng=random.Random({self.seed}))\n'
            f"one_epoch(net, [{data}], lr={self.lr:g})"
        )


def bent(z):
    """The sigmoid of a float or a dual number."""
    return z.sigmoid() if hasattr(z, "sigmoid") else 1 / (1 + math.exp(-z))


@functools.cache
def rounds(count=8, seed=9):
    """Random Rounds of two or three points: whole numbers first, then others."""
    rng, made = random.Random(seed), []
    for i in range(count):
        points = [
            tuple(rng.randint(-2, 2) if i < 2 else rng.uniform(-1.5, 1.5) for _ in range(2)) for _ in range(2 + (i > 0))
        ]
        targets = [float(k % 2) if i % 2 else k % 2 for k in range(len(points))]
        made.append(Round(rng.choice((2, 3)), i, tuple(zip(points, targets)), (1, 0.5, 0.3)[i % 3]))
    return tuple(made)


def stepped(round_, *, order=None, sign=-1.0, keep=False, batch="", scale=1.0, lr=None, losses="sum"):
    """(parameters, total) after a loop over the points with these changes; without any, as it should be.

    keep: old gradients stay. batch: "sum" or "mean", one update at the end; "last", of the last loss alone. losses:
    what is returned: "sum", "mean", "last", or "after", the sum of losses after each update.
    """
    numbers, lr, found = round_.start(), round_.lr if lr is None else lr, []
    kept, everything = [0.0] * len(numbers), [0.0] * len(numbers)
    for point, target in order or round_.data:
        found.append(scale * round_.loss(numbers, point, target))
        slopes = [scale * slope for slope in round_.gradient(numbers, point, target)]
        kept = [old * keep + slope for old, slope in zip(kept, slopes)]
        everything = [old * (batch != "last") + slope for old, slope in zip(everything, slopes)]
        if not batch:
            numbers = [n + sign * lr * slope for n, slope in zip(numbers, kept)]
        if losses == "after":
            found[-1] = round_.loss(numbers, point, target)
    if batch:
        share = len(found) if batch == "mean" else 1
        numbers = [n + sign * lr * slope / share for n, slope in zip(numbers, everything)]
    total = {"mean": sum(found) / len(found), "last": found[-1]}.get(losses, sum(found))
    return numbers, total


# Each mistake by what it leaves in the parameters; the losses that it returns are compared on their own.
STEP_SLIPS = (
    (
        about("zero_grad forgotten", "Each step also takes the gradients of all points before it. Clear them.", LOOP),
        lambda r: stepped(r, keep=True),
    ),
    (
        about(
            "one update for all points",
            "That adds the losses up and steps once. Here a step follows each point: backward() and step() belong "
            "inside the loop.",
            CIRCLE,
        ),
        lambda r: stepped(r, batch="sum"),
    ),
    (
        about("one update from the mean", "That is one step for all points. Here a step follows each point.", CIRCLE),
        lambda r: stepped(r, batch="mean"),
    ),
    (
        about("the step outside the loop", "Only the last point's gradient is used. Indent the step once more.", LOOP),
        lambda r: stepped(r, batch="last"),
    ),
    (
        about("uphill", "The gradient says where the loss rises. Step against it: data -= lr * grad.", LOOP),
        lambda r: stepped(r, sign=1.0),
    ),
    (
        about("the learning rate left out", "The step is the gradient itself. It should be lr times it.", LOOP),
        lambda r: stepped(r, lr=1.0),
    ),
    (
        about("half of the square", "Your loss is ½ (output - target)². Asked for is the whole square.", CIRCLE),
        lambda r: stepped(r, scale=0.5),
    ),
    (
        about(
            "only the first point", "Is there a `return` inside the loop? It ends the loop in its first round.", CIRCLE
        ),
        lambda r: stepped(r, order=r.data[:1]),
    ),
    (
        about(
            "nothing changed",
            "The parameters are as they were. A step has to follow backward(), with no zero_grad() between, and to "
            "change p.data: p -= … only makes a new Value.",
            LOOP,
        ),
        lambda r: stepped(r, lr=0.0),
    ),
)
TOTAL_SLIPS = (
    (
        about("only the last loss", "Every point has a loss. Add them up with +=.", CIRCLE),
        lambda r: stepped(r, losses="last"),
    ),
    (
        about("the mean of the losses", "Asked for is their sum.", CIRCLE),
        lambda r: stepped(r, losses="mean"),
    ),
    (
        about(
            "losses after the updates", "Take down each loss before its update: it is the one that you step on.", CIRCLE
        ),
        lambda r: stepped(r, losses="after"),
    ),
)
SHUFFLED = about("another order", "Your epoch sees the points in an order of its own. Take them as they come.", CIRCLE)


@exercise
def circle(one_epoch):
    """Whether a function makes one update of a network for each point, in order, and returns the sum of the losses."""
    tests = rounds()
    found = [epoch_of(one_epoch, each) for each in tests]
    for i, (each, (numbers, total)) in enumerate(zip(tests, found)):
        right, right_total = stepped(each)
        if alike(numbers, right) and same(total, right_total):
            continue
        labels = [p.label for p in each.net().parameters()]
        rows = [(f"{label} after", a, b) for label, a, b in zip(labels, right, numbers) if not same(b, a)][:2]
        rows += [("returned", right_total, total)] if not same(total, right_total) else []
        what = (
            "The parameters are wrong"
            if not alike(numbers, right)
            else "The parameters are right, what it returns is not"
        )
        says = f"{what} after this epoch (test {i + 1} of {len(tests)})."
        return wrong(says, case=each.case(), rows=rows, mistakes=epoch_mistakes(tests, found, i))
    return f"{len(tests)} epochs of {sum(len(each.data) for each in tests)} updates, each as dual numbers have it."


def epoch_of(one_epoch, each):
    """(parameters, what it returned) after a learner's epoch on a new network."""
    net, what = each.net(), f"one_epoch on {len(each.data)} points"
    parameters = net.parameters()
    total = called(one_epoch, net, list(each.data), each.lr, what=what)
    if any(now is not before for now, before in zip(net.parameters(), parameters)):
        said = "A parameter has been replaced by a new Value, which the network does not know. Change its `data`."
        raise Trouble(f"Tested: {what}.", said)
    numbers = [p.data for p in parameters]
    if not all(isinstance(n, int | float) for n in numbers):
        raise Trouble(
            f"Tested: {what}.", "A parameter's `data` is no longer a number. Use p.grad, not the loss itself."
        )
    return numbers, total


def epoch_mistakes(tests, found, failing):
    """The Mistakes that leave these parameters in all tests, or else in the failing one; then those of the total."""
    numbers, total = found[failing]
    each = tests[failing]
    if alike(numbers, stepped(each)[0]):
        return [mistake for mistake, slip in TOTAL_SLIPS if same(total, slip(each)[1])][:1]
    for within in (tests[failing:], tests[failing : failing + 1]):
        after = found[failing : failing + len(within)]
        for mistake, slip in STEP_SLIPS:
            if all(alike(now, slip(one)[0]) for one, (now, _) in zip(within, after)):
                return [mistake]
    orders = itertools.permutations(each.data)
    return [SHUFFLED] if any(alike(numbers, stepped(each, order=order)[0]) for order in orders) else []


def alike(some, others):
    """Whether two lists hold the same numbers."""
    return len(some) == len(others) and all(map(same, some, others))
