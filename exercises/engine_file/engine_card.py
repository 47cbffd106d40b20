"""The card of a learner's engine: what of it is theirs, and what it has learned, found out by running it."""

import math
import random

import autograd
from autograd.lessons import digits
from exercises.engine_file.parts import BY_NAME
from exercises.engine_file.regions import slot_owner
from exercises.sandbox.guard import TimeUp, guarded
from figures.charts import engine_card
from figures.charts.engine_card import Card, Tile

SECONDS = 2.0  # for each of three things to try
ROWS, TARGETS = [(0, 0), (0, 1), (1, 0), (1, 1)], [0, 1, 1, 0]
SUMS, PASS = ("add_rule", "multiply_rule"), "backward"  # what an engine needs to be its owner's, for numbers
ARRAYS = ("assemble", "softmax", "cross_entropy_gradient", "fit")  # and for digits


def card(engine):
    """The card of an engine that `exercises.my_engine()` has loaded, as a Picture."""
    places, mine = engine.so_far(whole=True)
    if not mine:
        nothing = "Nothing in my_engine.py is yours yet. A part becomes yours when its exercise passes."
        return engine_card.picture(Card(tuple(engine_card.lines(nothing, 90)), ""))
    code = "\n".join(region.text for _, region in sorted(engine.regions().items()))
    count = sum(bool(line.strip()) and not line.lstrip().startswith("#") for line in code.splitlines())
    rest = () if len(mine) == len(places) else ("The rest is the course's.",)
    says = f"{len(mine)} of {len(places)} parts are mine,", f"{count} lines.", *rest

    def has(*names):
        return all(slot_owner(BY_NAME[name], engine.regions()) for name in names)

    by_hand = has(*SUMS, PASS)
    tiles = [
        tried("337 slopes in one pass", by_hand, "lessons 04 and 05", slopes, engine),
        tried("It learns XOR", by_hand, "lessons 04 and 05", xor, engine),
        tried("It reads digits", has(*ARRAYS), "lessons 11 and 12", read, engine),
    ]
    return engine_card.picture(Card(says, code, tiles))


def tried(title, is_theirs, where, try_it, engine):
    """The Tile of a thing that an engine is tried on, where the parts that it needs are its owner's."""
    if not is_theirs:
        return Tile(title, f"Not yet: {where}.")
    try:
        return Tile(title, *guarded(lambda: try_it(engine), SECONDS))
    except (Exception, TimeUp) as fault:
        return Tile(title, f"Tried, and it ended with {type(fault).__name__}.")


def slopes(engine):
    """The slopes of lesson 01's network, in one backward pass, beside those of the course's engine."""
    theirs, package = (one_pass(Value) for Value in (engine.Value, autograd.Value))
    right = sum(math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12) for one, other in zip(theirs, package))
    return f"{right} of {len(package)} are right.", engine_card.slopes(theirs)


def one_pass(Value):
    """The gradients of the 337 parameters of lesson 01's network, from a backward pass on a class of nodes."""
    net = autograd.MLP(2, [16, 16, 1], rng=random.Random(5))
    leaves, xs = [], [1.0, -1.0]
    for layer in net.layers:
        sums = []
        for neuron in layer.neurons:
            *weights, node = own = [Value(parameter.data) for parameter in (*neuron.weights, neuron.bias)]
            leaves += own
            for w, x in zip(weights, xs):
                node = node + w * x
            sums.append(node)
        xs = [node.tanh() for node in sums] if layer is not net.layers[-1] else sums
    ((xs[0] - 1) ** 2).backward()
    return [leaf.grad for leaf in leaves]


def xor(engine):
    """The border that a network of 17 parameters draws after 300 epochs, and its loss."""
    random.seed(0)
    net, loss = engine.MLP(2, [4, 1]), None
    for _ in range(300):
        loss = sum(((net(row) - target) ** 2 for row, target in zip(ROWS, TARGETS)), engine.Value(0.0))
        for parameter in net.parameters():
            parameter.grad = 0.0
        loss.backward()
        for parameter in net.parameters():
            parameter.data -= 0.1 * parameter.grad
    steps = [2 * (i + 0.5) / engine_card.STEPS - 0.5 for i in range(engine_card.STEPS)]
    answers = [[net((x1, x2)).data for x1 in steps] for x2 in steps]
    right = sum((net(row).data > 0.5) == bool(target) for row, target in zip(ROWS, TARGETS))
    return f"{right} of 4 rows right, loss {loss.data:.4f}.", engine_card.border(answers, ROWS, TARGETS)


def read(engine):
    """Nine digits of the test, and what a network of 2,410 parameters reads after 20 epochs."""
    import numpy as np

    data = digits.load_digits()
    w1, b1, w2, b2 = own = [engine.Tensor(parameter.data) for parameter in digits.network(seed=0)]

    def scores(pictures):
        return (engine.Tensor(pictures) @ w1 + b1).relu() @ w2 + b2

    def loss(rows):
        return engine.softmax_cross_entropy(scores(data.train[rows]), data.train_labels[rows])

    engine.fit(own, loss, n=len(data.train), batch=50, lr=0.5, epochs=20, rng=np.random.RandomState(0))
    answers = scores(data.test).data.argmax(axis=1)
    share = float((answers == data.test_labels).mean())
    return f"{share:.1%} of {len(answers)} right.", engine_card.digits(data.test[:9], answers[:9])
