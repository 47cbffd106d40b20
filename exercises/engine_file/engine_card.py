"""The card of a learner's engine: which parts are theirs, and what it can learn, found by running it."""

import math
import random

import autograd
from autograd.lessons import colours, digits, painting, spelling
from exercises.sandbox.guard import SLOWDOWN, TimeUp, run_guarded
from exercises.storage import blank_pages
from figures.charts import engine_card
from figures.charts.engine_card import Card, Tile

SECONDS = 2.0 * SLOWDOWN  # for each of three trials; twice as many for the fourth
ROWS, TARGETS = [(0, 0), (0, 1), (1, 0), (1, 1)], [0, 1, 1, 0]
BY_HAND = ("Value.__add__", "Value.__mul__", "Value.backward")  # parts that must be the learner's, for numbers
ARRAYS = ("matmul", "softmax", "cross_entropy_gradient", "fit")  # and for digits, and for colours
LAST = "rows"  # whoever has written it has reached lesson 10, the source of the colours


def card(engine):
    """Return the card of an engine that `exercises.my_engine()` has loaded, as a Picture."""
    places, mine = engine.so_far(whole=True)
    if not mine:
        nothing = "Nothing in my_engine.py is yours yet. A part becomes yours when its exercise passes."
        return engine_card.picture(Card(tuple(engine_card.lines(nothing, 90)), ""))
    code = engine.own_code()
    count = sum(bool(line.strip()) and not line.lstrip().startswith("#") for line in code.splitlines())
    rest = () if len(mine) == len(places) else ("The rest is the course's.",)
    says = f"{len(mine)} of {len(places)} parts are mine,", f"{count} lines.", *rest

    def has(*names):
        return all(map(engine.owner, names))

    by_hand = all(map(engine.is_theirs, BY_HAND))
    tiles = [
        tried("337 slopes in one pass", by_hand, "lessons 02 and 04", slopes, engine),
        tried("It learns XOR", by_hand, "lessons 02 and 04", xor, engine),
        tried("It reads digits", has(*ARRAYS), "lessons 08 and 09", read, engine),
    ]
    title, last = "It invents colours", has(LAST)
    strip = tried(title, has(*ARRAYS), "lessons 08 and 09", invented, engine, 2 * SECONDS) if last else None
    return engine_card.picture(Card(says, code, tiles, strip, blank_pages.summary()))


def tried(title, is_theirs, where, try_it, engine, seconds=SECONDS):
    """Return the Tile of a trial, if the parts that it needs are the learner's."""
    if not is_theirs:
        return Tile(title, f"Not yet: {where}.")
    try:
        return Tile(title, *run_guarded(lambda: try_it(engine), seconds))
    except TimeUp:
        return Tile(title, f"Tried, and not done after {seconds:g} seconds.")
    except Exception as fault:
        return Tile(title, f"Tried, and it ended with {type(fault).__name__}.")


def slopes(engine):
    """Compute the slopes of lesson 01's network in one backward pass, and count those that are right."""
    theirs, package = (one_pass(Value) for Value in (engine.Value, autograd.Value))
    right = sum(math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12) for one, other in zip(theirs, package))
    return f"{right} of {len(package)} are right.", engine_card.slopes(theirs)


def one_pass(Value):
    """Return the gradients of lesson 01's 337 parameters, from one backward pass on a class of nodes."""
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
    """Train a network of 17 parameters for 300 epochs. Return its loss, and the border that it draws."""
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
    """Train a network of 2,410 parameters for 20 epochs. Return what it reads in nine digits of the test."""
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


def invented(engine):
    """Train two networks, each for a second or less: one spells eight names that are in no list, one paints them."""
    import numpy as np

    data = colours.load_colours()
    rows, targets = colours.all_windows(data.train, spelling.CONTEXT)
    known = painting.vocabulary(data.train)
    bags, rgb = painting.shares(data.train, known), colours.rgb_of(data.train)
    speller, painter = spelling.window_network(engine.Tensor), painting.painter(engine.Tensor, len(known))

    def spelled(batch):
        return engine.softmax_cross_entropy(spelling.window_scores(speller, rows[batch]), targets[batch])

    def painted(batch):
        return painting.mean_square(painter, bags[batch], rgb[batch])

    rng = np.random.RandomState(0)
    engine.fit(speller, spelled, n=len(rows), batch=64, lr=0.5, epochs=5, rng=rng)
    engine.fit(painter, painted, n=len(bags), batch=16, lr=1.0, epochs=20, rng=rng)
    names = colours.new_names(spelling.after_windows(speller), 8, data.rgb, 0.8)
    paint = painting.colours_of(painter, painting.shares(names, known)).data
    return "No list has these.", engine_card.colours(names, paint)
