"""Mistakes in a backward pass by hand: a wrong local derivative, upstream or local left out, a missed path."""

from autograd import topological_order
from exercises.explaining.diagnosis import FORGOT_LOCAL, FORGOT_UPSTREAM, WRONG_SIGN
from exercises.practice.asked import APART
from exercises.shelf.library import Mistake

DIVISION, RULES = ("an_empty_page", "Minus and division"), ("02", "A rule on every node")
ALONG_B, OF_TANH = "The local derivative of a / b along b is -a/b²", "local derivative is 1 - y²"
SQUARE, OF_RELU = "The derivative of x² is 2x: the exponent is a factor.", "relu's local derivative is 1 or 0"
TAKEN = (  # (an operation, a mistake's local derivatives from the output y and the inputs, the mistake)
    ("/", lambda y, a, b: (1 / b, y / b), "the minus of a division", f"{ALONG_B}: its minus is lost.", DIVISION),
    ("/", lambda y, a, b: (1 / b, -1 / b**2), "-1/b² without a", f"{ALONG_B}: its factor a is lost.", DIVISION),
    ("/", lambda y, a, b: (1 / b, 1 / b), "1/b for both inputs", f"{ALONG_B}. Along a alone it is 1/b.", DIVISION),
    (
        "/",
        lambda y, a, b: (-y / b, 1 / b),
        "the slopes of a division swapped",
        f"{ALONG_B}, along a it is 1/b.",
        DIVISION,
    ),
    ("**", lambda y, x: (x,), "the exponent is not brought down", SQUARE, RULES),
    ("tanh", lambda y, x: (1 - y,), "1 - y for tanh", f"tanh's {OF_TANH}: the output y is squared.", RULES),
    ("tanh", lambda y, x: (y,), "tanh's output used as its slope", f"y is tanh's output; its {OF_TANH}.", RULES),
    ("relu", lambda y, x: (y,), "relu's output used as its slope", f"{OF_RELU}, of whatever size y is.", RULES),
)
LOCALS = (
    *((operation, slopes, Mistake(name, sentence, *place)) for operation, slopes, name, sentence, place in TAKEN),
    ("-", lambda y, a, b: (1.0, 1.0), WRONG_SIGN),
)
NO_UPSTREAM = Mistake(
    *("no upstream anywhere", "That is only the sum of the local derivatives. Each contribution is local × upstream."),
    *("02", "A hundred neurons at once"),
)
NO_LOCAL = Mistake(
    "no local derivative anywhere",
    "That counts the paths to the root. Each edge of a path multiplies by its local derivative.",
    "00",
    "Backward, by hand",
)
LOST_PATH = Mistake(
    "a path forgotten",
    "That leaves out what comes along one edge. The sum is over all paths to the root.",
    "03",
    "Break it: = for +=",
)


def wrong_rules(nodes, case, asked):
    """Yield (number, Mistake, True) for each wrong local derivative, used wherever its operation occurs."""
    operations = {nodes[name]: operation for name, operation, _ in case.steps}
    order = topological_order(nodes[case.root])
    for operation in dict.fromkeys(operations.values()):
        for _, slopes, mistake in (each for each in LOCALS if each[0] == operation):
            taken = {node: node._local for node in order}
            for node in order:
                if operations.get(node) == operation:
                    taken[node] = slopes(node.data, *(input.data for input in node._prev))
            yield passed_back(order, taken)[nodes[asked]], mistake, True


def passed_back(order, local):
    """Return {node: gradient} of a backward pass with these local derivatives, {node: one for each input}."""
    grads = dict.fromkeys(order, 0.0) | {order[-1]: 1.0}
    for node in reversed(order):
        for input, slope in zip(node._prev, local[node]):
            grads[input] += slope * grads[node]
    return grads


def slips(nodes, case, asked):
    """Yield (number, Mistake, whether everywhere) without a part of the rule: everywhere, or at one edge alone."""
    order, leaf = topological_order(nodes[case.root]), nodes[asked]
    changes = dict.fromkeys(order, 0.0) | {leaf: 1.0}  # how much each node changes with the asked leaf
    for node in order:
        for input, local in zip(node._prev, node._local):
            changes[node] += local * changes[input]
    above = {leaf}  # the nodes that the leaf goes into, and itself
    edges = []  # between them: (node, input, local)
    for node in order:
        for input, local in zip(node._prev, node._local):
            if input in above:
                above.add(node)
                edges.append((node, input, local))
    direct = [local for _, input, local in edges if input is leaf]
    if len(direct) > 1:
        yield sum(direct), NO_UPSTREAM, True
    if len(edges) > 1:
        yield passed_back(order, {node: [1.0] * len(node._prev) for node in order})[leaf], NO_LOCAL, True
    for node, input, local in edges:
        through = node.grad * local * changes[input]
        rest = leaf.grad - through
        if through and abs(rest) > APART:
            yield rest, LOST_PATH, False
        yield rest + local * changes[input], FORGOT_UPSTREAM, False
        if node._op != "relu":
            yield rest + node.grad * changes[input], FORGOT_LOCAL, False
