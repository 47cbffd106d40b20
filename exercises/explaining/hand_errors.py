"""Name the slip behind a wrong gradient that was typed in the step lab or in `check.predict`."""

import itertools
import math

from autograd import topological_order
from autograd.operations import operation
from exercises.content import lessons
from exercises.content.library import Mistake
from exercises.verdicts.cases import is_close

PATHS = 64  # from a node to the root: if there are more, none is looked at alone
WAYS = ("02", "Three patterns")
PLUS = ("03", "One number, two uses")
PATTERNS = ("02", "Three patterns")
RULES = ("02", "A rule on every node")
LATE = (PATTERNS, RULES)  # they come after the first predictions in their lesson

FORGOT_UPSTREAM = Mistake(
    "the upstream gradient is forgotten",
    "That adds the local derivative alone. The contribution is local × upstream.",
    *WAYS,
)
FORGOT_LOCAL = Mistake(
    "the local derivative forgotten",
    "That adds the upstream gradient as it is. The contribution is local × upstream.",
    *WAYS,
)
BEFORE = Mistake(
    "what had come before forgotten",
    "This is what this edge's contribution alone gives. It is added to what was there.",
    *PLUS,
)
WRONG_SIGN = Mistake(
    "the sign of a subtraction",
    "If the second number of a subtraction goes up by 1, the result goes down by 1: its slope is -1.",
    *("an_empty_page", "Minus and division"),
)
AT_ZERO = Mistake(
    "the slope at 0 everywhere",
    "¼ is the sigmoid's slope at 0, and 1 is tanh's: the steepest they have. Elsewhere it is output · (1 - output), or "
    "1 minus the output squared.",
    *("02", "A neuron, edge by edge"),
)
AHEAD = Mistake(
    "one step too far",
    "That is where this gradient ends. At this step one edge adds its contribution; others are still to come.",
)
SIGN = Mistake(
    "the sign",
    "The size is right, and the sign is wrong. Does the result rise or fall when this number goes up?",
    *("01", "A floor, and its slope"),
)
DIRECT = Mistake("only the direct path", "This is what the edge from the root itself brings, alone.", *PLUS)
ONE_PATH = Mistake(
    "one path alone", "This is what one path gives, without all others. What they bring is added.", *PLUS
)
MULTIPLIED = Mistake(
    "paths multiplied", "This is the product of what the paths bring. Where paths meet, it is added.", *PLUS
)
ADDED = Mistake(
    "added along the path", "This is a sum of slopes. Slopes that come one after the other are multiplied.", *WAYS
)
FACTOR = Mistake("a factor forgotten", "This leaves out one of the slopes that are multiplied on the way.", *WAYS)
WRONG_PLACE = Mistake(
    "the local derivative at the wrong number",
    "This is what the rule gives with another number put into it: a product's local derivative is the other factor, a "
    "power keeps its base, and exp and tanh take theirs from the output.",
    *RULES,
)
WRONG_FACTOR = Mistake(
    "the factors not swapped", "The slope of a product along one factor is the other factor.", *PATTERNS
)
NUDGED = Mistake(
    "the change in place of the slope",
    "This is how much the result changes when the number goes up by 0.01. The slope is that change divided by 0.01.",
    "01",
    "A floor, and its slope",
)
GATE = Mistake("relu's gate", "This is what comes through an open gate. Is the input above 0?", *PATTERNS)


PLAIN = {  # for readers who have not met lesson 02
    FORGOT_UPSTREAM: Mistake(
        "only one operation counted",
        "This is how fast the next number changes. Multiply it by how fast the end result changes with that number.",
    ),
    FORGOT_LOCAL: Mistake(
        "one operation left out",
        "This is how fast the end result changes with the next number. Multiply it by how fast that number changes "
        "with this one.",
    ),
}


def reword_mistake(mistake):
    """Return a Mistake in words, and with a place, that the reader of the current notebook has met."""
    place = mistake.lesson, mistake.section
    if not lessons.has_met("02") and mistake in PLAIN:
        return PLAIN[mistake]
    is_met = lessons.has_met(mistake.lesson) and not (place in LATE and lessons.here() == mistake.lesson)
    return mistake if is_met else mistake.without_place()


def forgotten(left, count, what):
    some = "one" if left == 1 else str(left)
    sentence = f"This is the sum without {some} of the {count} {what}: what each of them brings is added."
    return Mistake(f"{some} of the {count} {what} forgotten", sentence, *PLUS)


def explain(root, step):
    """Yield (number, sentence) for what common slips give at one backward `Step` of the graph of `root`.

    For `figures.step_through(root, predict=True, explain=exercises.explain)`. Numbers that equal the right one are
    left out; if several slips give the same number, the simplest is named.
    """
    named = [step.after]
    for number, mistake in hand_errors_at(topological_order(root), step):
        if math.isfinite(number) and not any(is_close(number, other) for other in named):
            named.append(number)
            sentence = reword_mistake(mistake).render_text()
            yield number, sentence[0].upper() + sentence[1:]


def hand_errors_at(order, step):
    """Yield (number, Mistake), simplest slip first: of the whole gradient if this step is its last, else of it."""
    grads = passed_back(order, [node._local for node in order])
    before, upstream, local, total = step.before, step.upstream, step.local, grads[step.input]
    last = is_close(step.after, total)
    if not last:
        yield total, AHEAD
        yield step.contribution, BEFORE
        yield before - step.contribution, SIGN
    yield -step.after, SIGN
    paths = paths_of(order, step.input) if last else []
    if len(paths) > 1:
        yield from whole_paths(order, step.input, grads, paths)
    if step.op == "relu" and not local:
        yield before + upstream, GATE
    if paths:
        edges = [(grads[i], order[i]._local[k]) for i, k in edges_of(order, step.input)]
        yield sum(slope for _, slope in edges), FORGOT_UPSTREAM
        yield sum(above for above, _ in edges), FORGOT_LOCAL
    yield before + upstream, FORGOT_LOCAL
    yield before + local, FORGOT_UPSTREAM
    if step.op == "-" and step.edge == 1:
        yield before + upstream, WRONG_SIGN
    for other in misplaced(order, step):
        yield before + other * upstream, WRONG_FACTOR if step.op == "*" else WRONG_PLACE
    yield at_zero(order, step.input), AT_ZERO
    if before and not last:
        yield before * step.contribution, MULTIPLIED
    for path in paths:
        for k in range(len(path)):
            yield step.after - math.prod(path) + math.prod(path[:k] + path[k + 1 :]), FACTOR
    used = [[factor for factor in path if factor != 1] for path in paths]
    if any(len(path) > 1 for path in used):
        yield sum(map(sum, used)), ADDED
    elif not last:
        yield before + local + upstream, ADDED
    if last and abs(step.after) >= 1:  # a smaller one would be rounded to any small number
        yield step.after / 100, NUDGED


def whole_paths(order, target, grads, paths):
    """Yield (number, Mistake) for several paths, or uses, of which some are left out or which are multiplied."""
    edges = edges_of(order, target)
    uses = [grads[i] * order[i]._local[k] for i, k in edges]
    direct = [brings for (i, _), brings in zip(edges, uses) if i == len(order) - 1]
    for brings, what in ((uses, "uses"), ([math.prod(path) for path in paths], "paths")):
        brings = [each for each in brings if each]
        if len(brings) > 1:
            yield from ((sum(brings) - each, forgotten(1, len(brings), what)) for each in brings)
    if direct and len(direct) < len(uses):
        yield sum(direct), DIRECT
    products = [math.prod(path) for path in paths]
    yield from ((each, ONE_PATH) for each in (*products, *uses))
    yield math.prod(uses), MULTIPLIED
    yield math.prod(products), MULTIPLIED
    for count in range(2, len(uses) - 1) if len(uses) <= 6 else ():
        for left in itertools.combinations(uses, count):
            yield sum(uses) - sum(left), forgotten(count, len(uses), "uses")


def misplaced(order, step):
    """Yield local derivatives along a step's edge with a wrong number put into the rule."""
    node, op = order[step.node], step.op
    x, y = order[step.input].data, node.data
    if op == "*":
        yield x
    elif operation(op) == "**" and node._constants:
        yield node._constants[0] * y
        yield x ** (node._constants[0] - 1) if x else 0.0
    elif op == "tanh":
        yield 1 - x * x
        yield 1 - y
    elif op == "exp":
        yield x
    elif op == "sigmoid":
        yield y
        yield x * (1 - x)


def at_zero(order, target):
    """Return a node's gradient with the slope at 0 for every sigmoid and tanh; nan if there is none."""
    slopes = {"sigmoid": (0.25,), "tanh": (1.0,)}
    if not any(node._op in slopes for node in order):
        return math.nan
    return passed_back(order, [slopes.get(node._op, node._local) for node in order])[target]


def passed_back(order, slopes):
    """Return the gradient of each node in an order, from local derivatives."""
    place, grads = {node: i for i, node in enumerate(order)}, [0.0] * len(order)
    grads[-1] = 1.0
    for i in reversed(range(len(order))):
        for input, slope in zip(order[i]._prev, slopes[i]):
            grads[place[input]] += slope * grads[i]
    return grads


def edges_of(order, target):
    """Return (place of the consumer, place among its inputs) of each edge from a node that leads to the root."""
    reach = {order[-1]}
    for node in reversed(order):
        if node in reach:
            reach.update(node._prev)
    thing = order[target]
    return [
        (i, k) for i, node in enumerate(order) for k, each in enumerate(node._prev) if each is thing and node in reach
    ]


def paths_of(order, target):
    """Return a tuple of local derivatives for each path from a node to the root; [] if there are more than PATHS."""
    ways = {len(order) - 1: [()]}
    for i in range(len(order) - 2, target - 1, -1):
        ways[i] = [
            (order[consumer]._local[k], *rest) for consumer, k in edges_of(order, i) for rest in ways.get(consumer, ())
        ]
        if len(ways[i]) > PATHS:
            return []
    return ways[target]
