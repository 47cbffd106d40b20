"""Orders of a graph's nodes, for several checks."""

import contextlib
import functools
import itertools
import math
import sys
import traceback
from collections import Counter
from collections.abc import KeysView
from dataclasses import dataclass, replace

from autograd import topological_order as right_order
from exercises.judging.vocabulary import NotAttempted, any_value, called, cases, equal_results, has, kind, make_result

KINDS = "+", "*", "**", "v+n", "n*v", "tanh"
KEPT = "data", "label", "_prev", "_op", "_backward"  # of a node: what neither a search nor a pass changes
FAULTS, NODES = 6, 12  # how many of each a row or a list writes out
LINE = 120  # additions in a row: recursion manages them, a search that stops somewhere does not
RUNGS = 12  # of the ladder: 2**RUNGS paths lead down it
LIMIT = 1000  # Python's default limit on nested calls


def watched(nodes, comparisons=False, calls=False):
    """Make these nodes count how they are used from now on, and return the Counter.

    "looks": at a node's inputs, and for a node in a set; with `comparisons` for one in a list, too. "grads": at its
    grad. "limit": the highest limit on nested calls that was met. With `calls`, "calls": how many were open at most.
    Hashes follow the place in `nodes`, so that a set of them is read in the same order in every run. A node whose grad
    was set to 1 is marked by `_was_one`.
    """
    work = Counter()

    class Watched(type(nodes[0])):
        def __getattribute__(self, name):
            work["grads"] += name == "grad"
            if name == "_prev":
                work["looks"] += 1
                work["limit"] = max(work["limit"], sys.getrecursionlimit())
                work["calls"] = max(work["calls"], sum(1 for _ in traceback.walk_stack(None)) if calls else 0)
            return super().__getattribute__(name)

        def __setattr__(self, name, value):
            if name == "grad" and equal_results(value, 1.0):
                vars(self)["_was_one"] = True
            super().__setattr__(name, value)

        def __hash__(self):
            work["looks"] += 1
            return hash((vars(self).get("_place"), 0))

        if comparisons:

            def __eq__(self, other):
                work["looks"] += 1
                return self is other

    Watched.__name__ = "Value"
    for place, node in enumerate(nodes):
        vars(node)["_place"] = place
        node.__class__ = Watched
    return work


def state(nodes, names=KEPT):
    """Return what nodes hold and must keep unchanged."""
    return [{name: vars(node)[name] for name in names} for node in nodes]


def changes(before, nodes, name):
    """List, in words, what nodes no longer hold unchanged. `name` returns a node's name."""
    return [
        f"{attribute} of {name(node)}"
        for node, old in zip(nodes, before)
        for attribute, thing in old.items()
        if vars(node).get(attribute) is not thing and not equal_results(vars(node).get(attribute), thing)
    ]


@contextlib.contextmanager
def usual_limit():
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(LIMIT)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


LADDER = f"x = Value(1.0)\nfor _ in range({RUNGS}):\n    x = x + x"


def ladder(Value):
    """Return the nodes of RUNGS doublings, the root last."""
    return list(itertools.accumulate(range(RUNGS), lambda node, _: node + node, initial=Value(1.0)))


def looks_on_ladder(function, Value):
    nodes = ladder(Value)
    work = watched(nodes, comparisons=True)
    call_for_list(function, nodes[-1], LADDER)
    return work["looks"]


def slow(looks):
    """Return the sentence for right code that walks down the ladder once for each path; "" if it does not."""
    says = (
        f"Right, but slow: for {RUNGS} doublings, a graph of {RUNGS + 1} nodes, it looked at nodes {looks:,} times. "
        f"There are {2**RUNGS:,} paths to the leaf. A node that has been visited needs no second visit."
    )
    return says if looks >= 2**RUNGS else ""


@dataclass(frozen=True, eq=False)
class Graph:
    """A graph to be put in order: its Python text, its root, its nodes by name, and its drawing."""

    text: str
    root: object
    named: dict
    drawing: object = None

    @functools.cached_property
    def nodes(self):
        return right_order(self.root)

    @functools.cached_property
    def names(self):
        """{id of a node: its name, or its number if it has none}."""
        names, often = {id(node): name for name, node in self.named.items()}, Counter()
        for node in self.nodes:
            if id(node) not in names:
                often[number := f"{node.data:g}"] += 1
                names[id(node)] = number if often[number] == 1 else f"{number} (no. {often[number]})"
        return {id(node): names[id(node)] for node in self.nodes}

    def name(self, thing):
        return self.names.get(id(thing)) or kind(thing)

    def join_names(self, order):
        more = f", … ({len(order)} in all)" if len(order) > NODES else ""
        return ", ".join(map(self.name, order[:NODES])) + more


def graphs(Value, seed=0):
    """Yield new graphs of an engine's Value: random ones, the first of them again with labels, a leaf, a line."""
    drawn = cases(KINDS, 24, 5 + seed)
    for case in drawn:
        nodes = case.run(Value)
        yield Graph(case.to_source(), nodes[case.root], nodes, case.graph)
    nodes = drawn[0].run(Value)
    for label, node in zip("abcdefgh", reversed(nodes.values())):  # so that sorting by label gives no valid order
        node.label = label
    text = f"{drawn[0].to_source()}\n# labelled from the last line up: a, b, c, …"
    yield Graph(text, nodes[drawn[0].root], nodes)
    yield Graph("x = Value(2.0)", leaf := Value(2.0), {"x": leaf})
    yield line_of(Value, LINE + seed % 50)
    if seed:
        yield wide(Value, 4 + seed % 5)


def wide(Value, count):
    """Return the Graph of a node with `count` inputs, made by hand, times its last input."""
    leaves = {f"x{i}": Value(i + 0.5) for i in range(1, count + 1)}
    total = Value(sum(leaf.data for leaf in leaves.values()), tuple(leaves.values()), "sum")
    root = total * leaves[f"x{count}"]
    made = ", ".join(f"Value({leaf.data})" for leaf in leaves.values())
    text = f'{", ".join(leaves)} = {made}\ntotal = Value({total.data}, ({", ".join(leaves)}), "sum")\ntotal * x{count}'
    return Graph(text, root, leaves | {"total": total, "the product": root})


def line_of(Value, length):
    """Return the Graph of so many additions in a row, each of the same leaf."""
    nodes = {"x": (total := Value(0.5))}
    for i in range(1, length + 1):
        total = nodes[f"total {i}"] = total + nodes["x"]
    return Graph(f"total = x = Value(0.5)\nfor _ in range({length}):\n    total = total + x", total, nodes)


def faults(order, graph):
    """List the faults of an order of a graph's nodes, in a few words each; all right orders give the same list."""
    if order is None:
        return ["it returned None"]
    often = Counter(map(id, order))
    place = {id(item): i for i, item in reversed(list(enumerate(order)))}  # its first index
    others = (item for item in order if id(item) not in graph.names)
    strange = Counter("a node that is not in this graph" if has(item, "_prev") else kind(item) for item in others)
    found = [f"it holds {what}{f', {count} times' if count > 1 else ''}" for what, count in strange.items()]
    for node in graph.nodes:
        here = place.get(id(node), math.inf)
        late = [graph.name(input) for input in dict.fromkeys(node._prev) if place.get(id(input), 0) > here]
        inputs = "its input" if len(late) == 1 else "its inputs"
        found += [f"{graph.name(node)} comes before {inputs} {' and '.join(late)}"] if late else []
    found += [f"{graph.name(node)} is missing" for node in graph.nodes if id(node) not in place]
    twice = [node for node in graph.nodes if often[id(node)] > 1]
    return found + [f"one node, {graph.name(node)}, appears {often[id(node)]} times" for node in twice]


def row(what, found):
    """Return the row that counts and names the things that are wrong."""
    more = f"; and {len(found) - FAULTS} more" if len(found) > FAULTS else ""
    return what, "0", f"{len(found)}: {'; '.join(found[:FAULTS])}{more}" if found else "0"


def order_tests(function, Value, seed=0):
    """Yield the tests of a function that lists nodes: of its first call for each graph, and of later calls."""
    for graph in graphs(Value, seed):
        work = watched(graph.nodes)
        for i, node in enumerate(graph.nodes):  # as after an earlier pass, not sorted by size
            node.grad = (7 * i + 3) % 11 + 0.5
        what = "; ".join(graph.text.splitlines())
        before, found = state(graph.nodes, (*KEPT, "grad")), call_for_list(function, graph.root, what)
        order = list(found)
        wrong = faults(order, graph)
        lists = f"# the list:      {graph.join_names(order)}\n# a right one is {graph.join_names(graph.nodes)}"
        grads = "# each node has a grad from an earlier pass\n" if work["grads"] else ""
        case = f"{graph.text}\n{grads}{lists}"
        says = f"The list is wrong: {wrong[0] if wrong else 'nothing'}. Any valid order is accepted."
        yield make_result(says, row("mistakes in the list", wrong), case=case, graph=graph.drawing)
        inner = next((node for node in graph.root._prev if node._prev), graph.root)
        below = later(function, inner, f"another root, {graph.name(inner)}: {what}")
        same = len(found) == len(order) and all(one is other for one, other in zip(found, order))
        if isinstance(found, list):
            found.clear()  # it belongs to the caller
        again = later(function, graph.root, f"the same root a second time: {what}")
        extra = {name for node in graph.nodes for name in vars(node)} - {*vars(Value(0.0)), "_place"}
        asked = (
            f"# the list of {graph.name(graph.root)}, then of {graph.name(inner)}; the first is emptied and made again"
        )
        yield make_result(
            "The list for this graph is right on the first call, but not on later calls.",
            row("mistakes on a second call", faults(again, graph)),
            row(f"mistakes with {graph.name(inner)} as the root", faults(below, replace(graph, root=inner))),
            ("the first list, after that", "unchanged", "unchanged" if same else "changed"),
            row("changes in the nodes", changes(before, graph.nodes, graph.name)),
            ("added to the nodes", [], sorted(extra), any_value),
            case=f"{graph.text}\n{asked}",
        )


def call_for_list(function, root, what):
    """Return the list that a function gives for a root. The keys of a dict count as one, since they have an order."""

    def as_list(node):
        found = function(node)
        return list(found) if isinstance(found, dict | KeysView) else found

    with usual_limit():
        return called(as_list, root, what=what, returns=(list, tuple))


def later(function, root, what):
    """Return the list of a later call, in which None does not mean a stub; None if the function returns None."""
    try:
        return list(call_for_list(function, root, what))
    except NotAttempted:
        return None
