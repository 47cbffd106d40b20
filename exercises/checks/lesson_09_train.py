"""The check of lesson 09's first exercise: a training loop, beside one that is right and others with one slip each."""

import itertools
import random
from dataclasses import dataclass

from autograd import MLP
from exercises.cases import same
from exercises.grading import answer, exercise, kind, wrong
from exercises.guard import Trouble, Unfinished, trying
from exercises.verdict import Mistake

LOOP = "The four steps of the loop"


def slip(name, sentence):
    """A Mistake that the lesson's first section treats."""
    return Mistake(name, sentence, "09", LOOP)


@dataclass(frozen=True)
class Run:
    """One call of a training function: a small network, rows with targets, a learning rate and a number of epochs."""

    hidden: int
    rows: tuple
    targets: tuple
    lr: float
    epochs: int
    seed: int

    def net(self):
        """The network, as it is before training."""
        return MLP(len(self.rows[0]), [self.hidden, 1], "tanh", "tanh", rng=random.Random(self.seed))

    def case(self):
        """The call as lines of Python."""
        return (
            f"net = MLP({len(self.rows[0])}, [{self.hidden}, 1])  # a small network\n"
            f"train(net, {[*map(list, self.rows)]}, {list(self.targets)}, lr={self.lr:g}, epochs={self.epochs})"
        )


def runs():
    """The calls that are tried: several sizes, rates and lengths; an epoch alone, and none at all."""
    rng, xor = random.Random(9), ((0, 0), (0, 1), (1, 0), (1, 1))
    made = [Run(2, xor, (0, 1, 1, 0), 0.1, 3, 1), Run(3, xor[1:], (1, 1, 0), 0.5, 1, 2)]
    for i, (size, count, epochs) in enumerate(((1, 2, 4), (2, 3, 2), (3, 5, 5), (1, 1, 3))):
        rows = tuple(tuple(round(rng.uniform(-1, 1), 2) for _ in range(size)) for _ in range(count))
        targets = tuple(round(rng.uniform(-0.8, 0.8), 2) for _ in rows)
        made.append(Run(2 + i % 2, rows, targets, (0.2, 0.3, 0.05, 1.0)[i], epochs, i))
    return [*made, Run(2, xor, (0, 1, 1, 0), 0.1, 0, 5)]


def squares(pairs):
    """The sum of the squared errors of (output, target) pairs."""
    return sum((output - target) ** 2 for output, target in pairs)


def trained(
    run,
    *,
    zero="before",
    sign=-1.0,
    lr=None,
    rows="all",
    taken="before",
    loss=squares,
    graph="anew",
    more=0,
    most=None,
    listed="all",
):
    """(parameters, losses) of a loop with these changes; without any, as it should be.

    zero: where gradients are cleared: "before" the pass, "between" pass and step, or "never". sign: of the step. rows:
    "all" at once, "last" alone, or "each" with a step of its own. taken: when a loss is, "before" the step or "after"
    it. loss: of (output, target) pairs. graph: built "anew" in each epoch or "once". more: epochs. most: epochs at
    most. listed: which losses are returned, "all", "last", of each "row", or all as "sums" of those so far.
    """
    net, losses = run.net(), []
    parameters = net.parameters()
    pairs = list(zip(run.rows, run.targets))

    def loss_of(pairs):
        return loss([(net(row), target) for row, target in pairs])

    def clear():
        for p in parameters:
            p.grad = 0.0

    def update(pairs, total=None):
        total = loss_of(pairs) if total is None else total
        if zero == "before":
            clear()
        total.backward()
        if zero == "between":
            clear()
        for p in parameters:
            p.data += sign * (run.lr if lr is None else lr) * p.grad
        return total.data

    kept = loss_of(pairs) if graph == "once" else None
    for _ in range(max(0, run.epochs + more) if most is None else min(run.epochs, most)):
        if rows == "each":
            found = [update([pair]) for pair in pairs]
            losses += found if listed == "row" else [sum(found)]
            continue
        losses.append(update(pairs if rows == "all" else pairs[-1:], kept))
        if taken == "after":
            losses[-1] = loss_of(pairs).data
    losses = list(itertools.accumulate(losses)) if listed == "sums" else losses[-1:] if listed == "last" else losses
    return [p.data for p in parameters], losses


SLIPS = (  # (what is known to give it, the mistake), each by all that it leaves: parameters and losses
    ({"zero": "never"}, slip("gradients are never cleared", "Each step is also made of all gradients before it.")),
    (
        {"zero": "never", "listed": "sums"},
        slip("the loss is never begun anew", "The total goes on from epoch to epoch. It starts at 0 in each of them."),
    ),
    ({"sign": 1.0}, slip("uphill", "The gradient says where the loss rises. The step goes against it.")),
    ({"lr": 1.0}, slip("the learning rate left out", "The step is the gradient itself. It should be lr times it.")),
    ({"lr": 0.1}, slip("a learning rate of 0.1 always", "The step is to be lr times the gradient, whatever lr is.")),
    (
        {"rows": "last"},
        slip("the last row alone", "The loss adds up over all rows: a total, or `sum`, before the pass."),
    ),
    *(
        (
            {"rows": "each", "listed": listed},
            slip("a step after each row", "An epoch is one update here: the losses of all rows are added up first."),
        )
        for listed in ("all", "row")
    ),
    (
        {"taken": "after"},
        slip("the loss after the step", "Asked for is the loss before it: the number that this step was made from."),
    ),
    (
        {"loss": lambda pairs: squares(pairs) / len(pairs)},
        slip(
            "the mean of the squares",
            "Asked for is their sum: a mean makes every step shorter, here by the number of rows.",
        ),
    ),
    (
        {"loss": lambda pairs: squares(pairs) * 0.5},
        slip("half of the squares", "Asked for is the sum of the whole squares."),
    ),
    (
        {"loss": lambda pairs: sum(output - target for output, target in pairs)},
        slip("the square left out", "Errors of both signs cancel, and the sum has no least number. Square each."),
    ),
    (
        {"loss": lambda pairs: sum(output - target for output, target in pairs) ** 2},
        slip("the square of the sum", "Errors of both signs cancel. Square each, then add up."),
    ),
    (
        {"loss": lambda pairs: sum(output**2 for output, _ in pairs)},
        slip("the targets left out", "Those are the squares of the outputs. The error is output - target."),
    ),
    (
        {"graph": "once"},
        slip(
            "the graph was made once", "The outputs stand before the loop, so the loss never sees a changed parameter."
        ),
    ),
    ({"more": -1}, slip("one epoch too few", "`range(epochs)` gives as many rounds as it says.")),
    ({"more": 1}, slip("one epoch too many", "`range(epochs)` gives as many rounds as it says.")),
    ({"most": 1}, slip("one epoch only", "Does the `return` stand inside the loop? It ends at the first turn.")),
    (
        {"listed": "last"},
        slip("the last loss only", "The list begins before the loop, and each turn of the loop appends to it."),
    ),
)
NO_STEP = slip(
    "no parameter changes",
    "The step comes after `backward()` and changes `p.data`. `p -= …` or `p = …` only gives the name p to something "
    "new.",
)
STEP_OF_0 = slip(
    "no parameter changes",
    "At the end every gradient is 0. Are they cleared between `backward()` and the step, or is there no `backward()`? "
    "Or does the step only give the name p to something new, as `p -= …` does?",
)


@exercise
def train(train):
    """Whether a function trains networks as the four steps do, and returns the loss of each epoch."""
    if not callable(train):
        raise Trouble("Tested: train.", f"A function was expected, as in check.train(train); it is {kind(train)}.")
    tests, found = runs(), []
    for run in tests:
        try:
            found.append(outcome(train, run))
        except (Trouble, Unfinished):
            if all(alike(one[:2], trained(test)) for one, test in zip(found, tests)):
                raise
            break  # what was wrong before says more
    right = [trained(run) for run in tests[: len(found)]]
    failing = next((i for i, (one, other) in enumerate(zip(found, right)) if not alike(one[:2], other)), None)
    if failing is None:
        return f"{len(tests)} trainings, up to {max(run.epochs for run in tests)} epochs: every loss, every parameter."
    (parameters, losses, _), (expected, expected_losses) = found[failing], right[failing]
    rows = [(f"loss of epoch {k}", a, b) for k, (a, b) in enumerate(zip(expected_losses, losses)) if not same(a, b)][:3]
    if len(losses) != len(expected_losses):
        rows.insert(0, ("losses returned", str(len(expected_losses)), str(len(losses))))
    labels = [p.label for p in tests[failing].net().parameters()]
    rows += [(f"{label} after", a, b) for label, a, b in zip(labels, expected, parameters) if not same(a, b)][:2]
    says = f"Training went another way here (test {failing + 1} of {len(tests)})."
    return wrong(says, case=tests[failing].case(), rows=rows, mistakes=known(tests, found)[:2])


def outcome(train, run):
    """(parameters, losses, gradients that are left) after a learner's function has trained a new network."""
    net, what = run.net(), run.case().splitlines()[-1]
    parameters = net.parameters()
    rows, targets = [list(row) for row in run.rows], list(run.targets)
    with trying(what):
        losses = train(net, rows, targets, run.lr, run.epochs)
    if losses is None or losses is ...:
        raise Unfinished(f"Tested: {what}. It returned {losses}: nothing yet, or a `return` is missing.")
    if rows != [list(row) for row in run.rows] or targets != list(run.targets):
        raise Trouble(f"Tested: {what}.", "The lists of rows and targets are not what they were.")
    if not isinstance(losses, list | tuple):
        raise Trouble(f"Tested: {what}.", f"A list of losses was expected; it returned {kind(losses)}.")
    if any(hasattr(loss, "data") for loss in losses):
        raise Trouble(f"Tested: {what}.", "The losses are Values, which keep every graph in memory: take their `data`.")
    if any(now is not before for now, before in zip(net.parameters(), parameters)):
        raise Trouble(
            f"Tested: {what}.", "A parameter is another Value now. Change its `data`; the graph is made of it."
        )
    if not all(isinstance(p.data, int | float) for p in parameters):
        raise Trouble(
            f"Tested: {what}.",
            "A parameter's `data` is no number any more. The step is made of numbers alone: its data, lr and its grad.",
        )
    return [p.data for p in parameters], [answer(loss, what) for loss in losses], [p.grad for p in parameters]


def alike(found, right):
    """Whether parameters and losses are the same numbers."""
    return all(len(a) == len(b) and all(map(same, a, b)) for a, b in zip(found, right))


def known(tests, found):
    """The mistakes that give everything that was seen, in all calls."""
    seen = [one[:2] for one in found]
    if all(alike(one, trained(run, lr=0.0)) for one, run in zip(seen, tests)):
        return [NO_STEP if any(grad for *_, grads in found for grad in grads) else STEP_OF_0]
    counts = {len(losses) for _, losses in seen}
    if len(counts) == 1 and len(found) > 2 and (count := counts.pop()) != 1:
        if count == 0:
            return [slip("an empty list", "No loss is appended to it.")]
        return [slip("`epochs` is not used", f"However many epochs are asked for, there are {count} losses.")]
    return [m for changes, m in SLIPS if all(alike(one, trained(run, **changes)) for one, run in zip(seen, tests))]
