"""Mistakes in a backward pass by hand: a wrong local derivative, upstream or local left out, a missed path."""

from autograd import topological_order
from exercises.content.library import Mistake
from exercises.explaining.hand_errors import FORGOT_LOCAL, FORGOT_UPSTREAM, WRONG_SIGN, passed_back
from exercises.explaining.simulation import TABLES
from exercises.practice.asked import APART

RULES = "02", "A rule on every node"
SQUARE, OF_TANH = "The derivative of x² is 2x: the exponent is a factor.", "tanh's local derivative is 1 - y²"
BY_HAND = {  # what a hand's slip is called that gives the same as a wrong engine
    "H1": WRONG_SIGN,
    "H3": Mistake("the exponent not brought down", SQUARE, *RULES),
    "H6": Mistake("1 - y for tanh", f"{OF_TANH}: the output y is squared.", *RULES),
}
LOCALS = {  # for each operation, the states with a local derivative that a hand mistakes, and the Mistakes
    sign: [
        ({(sign, "slope"): i}, Mistake(*words) if isinstance(words, list) else BY_HAND[words])
        for i, words in enumerate(slopes.values())
        if isinstance(words, list) or words in BY_HAND
    ]
    for sign, slopes in TABLES["slopes"].items()
}
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


def wrong_rules(case):
    """Return (state, Mistake) for each local derivative of a Case's operations that is taken wrongly, everywhere."""
    return [each for sign in dict.fromkeys(sign for _, sign, _ in case.steps) for each in LOCALS[sign]]


def hand_errors(nodes, case, asked):
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
        yield passed_back(order, [[1.0] * len(node._prev) for node in order])[order.index(leaf)], NO_LOCAL, True
    for node, input, local in edges:
        through = node.grad * local * changes[input]
        rest = leaf.grad - through
        if through and abs(rest) > APART:
            yield rest, LOST_PATH, False
        yield rest + local * changes[input], FORGOT_UPSTREAM, False
        if node._op != "relu":
            yield rest + node.grad * changes[input], FORGOT_LOCAL, False
