"""The check of `circle`: every parameter after an epoch of one update per point, against the same on arrays."""

import functools
import itertools
import random
from dataclasses import dataclass

from exercises.judging.vocabulary import called, equal_results, function_exercise
from exercises.tasks.train.check import Network, kept_apart, rounded, stands_still, watched


@dataclass(frozen=True)
class Round:
    """One epoch: a network, the (point, target) pairs that it sees in turn, and the learning rate."""

    network: Network
    data: tuple
    lr: float

    @functools.cached_property
    def right(self):
        """The right (parameters, sum of the losses)."""
        parameters, losses = self.network.taught(self.data, self.lr, step_by=1)
        return parameters, sum(losses)

    def given(self):
        """Return the list of points with their targets, a new one each time."""
        return [(list(point), target) for point, target in self.data]

    def to_source(self):
        return f"{self.network.to_source()}\none_epoch(net, {self.given()}, lr={self.lr})"

    def tried(self, one_epoch):
        """Return ([(total, right total)], a sentence, rows) after a learner's epoch on a new network."""
        net, what, data, (right, wanted) = (
            self.network.made(),
            self.to_source().splitlines()[1],
            self.given(),
            self.right,
        )
        parameters = net.parameters()
        total = called(one_epoch, net, data, self.lr, what=what)
        rows = [("data afterwards", self.given(), data), *self.network.rows(net, parameters, right, what)]
        says = "The parameters are wrong afterwards."
        if all(equal_results(now, right) for _, right, now in rows):
            says = "The parameters are right, but what it returns is not."
        return [(total, wanted)], says, [("returned", wanted, total), *rows]


@functools.cache
def rounds(count=10, seed=9):
    """Return random Rounds of one to three points: whole numbers first, then others; at the end the first one again."""
    rng, made = random.Random(seed), []
    shapes = ((2, 1), ("sigmoid", "sigmoid")), ((3, 1), ("sigmoid", "sigmoid")), ((1, 2, 1), ("tanh", "linear"))
    for i in range(count):
        numbers = (lambda: rng.randint(-2, 2)) if i < 2 else (lambda: round(rng.uniform(-1.5, 1.5), 2))
        points = [(numbers(), numbers()) for _ in range((2, 3, 3, 1, 3, 8)[i % 6])]
        targets = [float(k % 2) if i % 2 else (k + (i > 3)) % 2 / (1, 2)[i > 6] for k in range(len(points))]
        (layers, activations), lr = shapes[i % 3], (1, 0.5, 0.3)[i % 3]
        made.append(Round(Network(2, layers, seed - 9 + i, activations), tuple(zip(points, targets)), lr))
    if seed != 9:  # nothing to learn from a first point, and steps longer than 1 for the others
        line, first = Network(2, (1,), seed, ("tanh", "linear")), (rng.uniform(-1, 1), rng.uniform(-1, 1))
        far = [((rng.uniform(1, 2), rng.uniform(-2, -1)), side * rng.uniform(30, 60)) for side in (-1, 1)]
        data = (first, line.made()(list(first)).data), *far
        made.append(Round(line, data, round(rng.uniform(0.1, 0.3), 7)))
    twice = Round(made[0].network, (made[0].data[1],) * 2, 0.5)
    return (*made, twice, made[0])


@function_exercise
def circle(one_epoch, *, seed):
    """`one_epoch(net, data, lr)` makes one update for each point, in order, and returns the sum of the losses."""
    yield from watched(one_epoch, rounds(10, seed or 9), visible)
    yield kept_apart(
        lambda net: called(one_epoch, net, rounds()[0].given(), 0.5, what="two epochs"),
        "one_epoch(one, data, 0.5)\none_epoch(other, data, 0.5)",
    )
    return f"{len(rounds())} epochs of {sum(len(each.data) for each in rounds())} updates: every parameter, every sum."


def visible(found):
    """Name the mistakes that the results of all epochs show, whatever the numbers."""
    after = [(each, [now for _, _, now in rows[-len(each.network.start) :]]) for each, _, _, rows in found]
    few = [(each, now) for each, now in after if len(each.data) < 4]  # the others have too many orders to try

    def is_of_some_order(each, parameters):
        orders = itertools.permutations(each.data)
        return any(equal_results(parameters, each.network.taught(order, each.lr, step_by=1)[0]) for order in orders)

    if any(not equal_results(now, each.right[0]) for each, now in few) and all(is_of_some_order(*one) for one in few):
        return ["the wrong order"]
    if stands_still(found):
        return ["some parameters stand still"]
    return ["rounded"] if after and rounded([pair for _, pairs, *_ in found for pair in pairs]) else []
