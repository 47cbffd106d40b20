"""The checks of lesson 05: an order of the nodes, the backward pass in it, the order of a deep graph, and a puzzle."""

import contextlib
import dis
import functools
import itertools
import math
import sys
import traceback
import types
from collections import Counter
from collections.abc import KeysView
from dataclasses import dataclass, replace

from autograd import Value
from autograd import topological_order as right_order
from exercises.engine_file import parts
from exercises.judging.grading import called, exercise, has, is_a_sequence, kind, needs_functions
from exercises.sandbox.guard import Trouble, Unfinished, trying
from exercises.verdicts.cases import cases
from exercises.verdicts.seen import equal, seen

KINDS = "+", "*", "**", "v+n", "n*v", "tanh"
KEPT = "data", "label", "_prev", "_op", "_backward"  # of a node: what neither a search nor a pass changes
FAULTS, NODES = 6, 12  # of a list: so many are written out
LINE = 120  # additions in a row: recursion manages them, a search that stops somewhere does not
RUNGS = 12  # of the ladder: 2 to this power paths lead down it
SHORT = 40, 80  # additions in the lines on which the work of a search is counted
LONG = 5000  # additions in the line that an order without recursion must manage
WORK = 500_000  # looks that a search may take on a line; it is shorter for one that would take more
LIMIT = 1000  # nested calls that Python allows where nothing has set another limit
FEWEST = 4  # boxes of the smallest graph on which breadth-first order goes wrong (a test tries all smaller ones)

# What a learner's code does with nodes


def watched(nodes, comparisons=False, calls=False):
    """Have these nodes count what is done with them from now on, and give the Counter.

    "looks": at a node's inputs, and for a node in a set; with `comparisons` for one in a list, too. "limit": the
    highest limit on nested calls that was met. With `calls`, "calls": how many were open at most. Hashes are by the
    place in `nodes`, so that a set of them is read in the same order in every run. A node whose grad was set to 1 is
    known by `_was_one`.
    """
    work = Counter()

    class Watched(type(nodes[0])):
        def __getattribute__(self, name):
            if name == "_prev":
                work["looks"] += 1
                work["limit"] = max(work["limit"], sys.getrecursionlimit())
                work["calls"] = max(work["calls"], sum(1 for _ in traceback.walk_stack(None)) if calls else 0)
            return super().__getattribute__(name)

        def __setattr__(self, name, value):
            if name == "grad" and equal(value, 1.0):
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
    """What nodes hold that must stay as it is."""
    return [{name: vars(node)[name] for name in names} for node in nodes]


def changes(before, nodes, name):
    """What nodes no longer hold as it was, in words; `name` says what a node is called."""
    return [
        f"{attribute} of {name(node)}"
        for node, old in zip(nodes, before)
        for attribute, thing in old.items()
        if vars(node).get(attribute) is not thing and not equal(vars(node).get(attribute), thing)
    ]


def all_right(tests):
    """Yield these tests; the value is whether all of them are right."""
    right = True
    for test in tests:
        right = test.is_right and right
        yield test
    return right


@contextlib.contextmanager
def usual_limit():
    """Python's limit on nested calls as it is at the start, whatever this process has made of it."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(LIMIT)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def line(Value, length):
    """(its text as Python, {name: node}) of so many additions in a row, each of the same leaf."""
    nodes = {"x": Value(0.5)}
    total = nodes["x"]
    for i in range(1, length + 1):
        total = nodes[f"total {i}"] = total + nodes["x"]
    return f"total = x = Value(0.5)\nfor _ in range({length}):\n    total = total + x", nodes


LADDER = f"x = Value(1.0)\nfor _ in range({RUNGS}):\n    x = x + x"


def ladder(Value):
    """The nodes of RUNGS doublings, the root last."""
    return list(itertools.accumulate(range(RUNGS), lambda node, _: node + node, initial=Value(1.0)))


def slow(looks):
    """What is said of right code that walks down the ladder once for each path; "" if it does not."""
    if looks < 2**RUNGS:
        return ""
    return (
        f"Right, but slow: for {RUNGS} doublings, a graph of {RUNGS + 1} nodes, it took {looks:,} looks at nodes. "
        f"{2**RUNGS:,} paths lead down there. A node that was visited before needs no second visit."
    )


# Orders of the nodes


@dataclass(frozen=True, eq=False)
class Graph:
    """A graph that an order is asked for: as Python, its root, its nodes by name; and how it is drawn."""

    text: str
    root: object
    named: dict
    drawing: object = None

    @functools.cached_property
    def nodes(self):
        """All its nodes, in a right order."""
        return right_order(self.root)

    @functools.cached_property
    def names(self):
        """{id of a node: its name, or its number where it has none}."""
        names = {id(node): name for name, node in self.named.items()}
        return {id(node): names.get(id(node), f"{node.data:g}") for node in self.nodes}

    def name(self, thing):
        """What a thing in a list is called."""
        return self.names.get(id(thing)) or kind(thing)

    def listed(self, order):
        """Nodes by name, as one line."""
        more = f", … ({len(order)} in all)" if len(order) > NODES else ""
        return ", ".join(map(self.name, order[:NODES])) + more


def graphs(Value, seed=0):
    """The graphs, made anew of an engine's Value: random ones, the first again with labels, a leaf, a line."""
    for case in cases(KINDS, 24, 5 + seed):
        nodes = case.run(Value)
        yield Graph(case.text(), nodes[case.root], nodes, case.graph)
    nodes = cases(KINDS, 24, 5 + seed)[0].run(Value)
    for name, node in nodes.items():
        node.label = name
    yield Graph(f"{cases(KINDS, 24, 5 + seed)[0].text()}\n# each labelled by its name", list(nodes.values())[-1], nodes)
    leaf = Value(2.0)
    yield Graph("x = Value(2.0)", leaf, {"x": leaf})
    yield line_of(Value, LINE + seed % 50)
    if seed:
        yield wide(Value, 4 + seed % 5)


def wide(Value, count):
    """A product of a node that has so many inputs, made by hand, with its last input."""
    leaves = {f"x{i}": Value(i + 0.5) for i in range(1, count + 1)}
    total = Value(sum(leaf.data for leaf in leaves.values()), tuple(leaves.values()), "sum")
    root = total * leaves[f"x{count}"]
    made = ", ".join(f"Value({leaf.data})" for leaf in leaves.values())
    text = f'{", ".join(leaves)} = {made}\ntotal = Value({total.data}, ({", ".join(leaves)}), "sum")\ntotal * x{count}'
    return Graph(text, root, leaves | {"total": total, "the product": root})


def line_of(Value, length):
    """A line as a Graph."""
    text, nodes = line(Value, length)
    return Graph(text, list(nodes.values())[-1], nodes)


def faults(order, graph):
    """What is wrong with an order of a graph's nodes, in a few words each; the same for all orders that are right."""
    if order is None:
        return ["it returned None"]
    often = Counter(map(id, order))
    place = {id(item): i for i, item in reversed(list(enumerate(order)))}  # where each stands first
    strange = Counter(stranger(item) for item in order if id(item) not in graph.names)
    found = [f"it holds {what}{f', {count} times' if count > 1 else ''}" for what, count in strange.items()]
    for node in graph.nodes:
        here = place.get(id(node), math.inf)
        late = [graph.name(input) for input in dict.fromkeys(node._prev) if place.get(id(input), 0) > here]
        found += [f"{graph.name(node)} stands before its input {' and '.join(late)}"] if late else []
    found += [f"{graph.name(node)} is missing" for node in graph.nodes if id(node) not in place]
    twice = [node for node in graph.nodes if often[id(node)] > 1]
    return found + [f"{graph.name(node)} stands in it {often[id(node)]} times" for node in twice]


def stranger(item):
    """What something in a list is that is no node of the graph."""
    return "a node that is not in this graph" if has(item, "_prev") else kind(item)


def row(what, found):
    """The row on things that are wrong."""
    more = f"; and {len(found) - FAULTS} more" if len(found) > FAULTS else ""
    return what, "nothing", "; ".join(found[:FAULTS]) + more or "nothing"


def order_tests(function, Value, seed=0):
    """Yield what is seen of a function that lists nodes: of its first call for each graph, and of later ones."""
    for graph in graphs(Value, seed):
        watched(graph.nodes)
        for i, node in enumerate(graph.nodes):  # as an earlier pass may have left them, in no order of their size
            node.grad = (7 * i + 3) % 11 + 0.5
        what = "; ".join(graph.text.splitlines())
        before, found = state(graph.nodes, (*KEPT, "grad")), listed(function, graph.root, what)
        order = list(found)
        wrong = faults(order, graph)
        lists = f"# the list:      {graph.listed(order)}\n# a right one is {graph.listed(graph.nodes)}"
        case = f"{graph.text}\n# each node has a grad from an earlier pass\n{lists}"
        says = f"In this list {wrong[0] if wrong else 'nothing is wrong'}. Any right order would do."
        yield seen(says, row("wrong in the list", wrong), case=case, graph=graph.drawing)
        again = later(function, graph.root, f"the same root a second time: {what}")
        inner = next((node for node in graph.root._prev if node._prev), graph.root)
        below = later(function, inner, f"another root, {graph.name(inner)}: {what}")
        same = len(found) == len(order) and all(one is other for one, other in zip(found, order))
        extra = {name for node in graph.nodes for name in vars(node)} - {*vars(Value(0.0)), "_place"}
        asked = f"# the list of {graph.name(graph.root)}, the same again, then the list of {graph.name(inner)}"
        yield seen(
            "The list for this graph is right when it is asked for first. What follows is not.",
            row("wrong when asked again", faults(again, graph)),
            row(f"wrong with {graph.name(inner)} as the root", faults(below, replace(graph, root=inner))),
            ("the first list, after that", "as it was", "as it was" if same else "changed"),
            row("changed in the nodes", changes(before, graph.nodes, graph.name)),
            ("added to the nodes", [], sorted(extra), True),
            case=f"{graph.text}\n{asked}",
        )


def listed(function, root, what):
    """The list that a function gives for a root."""
    with usual_limit():
        return called(lambda node: as_list(function(node)), root, what=what, returns=(list, tuple))


def as_list(found):
    """The keys of a dict as a list, for they have an order; anything else as it is."""
    return list(found) if isinstance(found, dict | KeysView) else found


def later(function, root, what):
    """The same at a later call, where None is no stub."""
    try:
        return list(listed(function, root, what))
    except Unfinished:
        return None


@exercise
def topological_order(inputs_first, *, engine, seed):
    """Any valid order of the nodes of random graphs passes, found in any way."""
    needs_functions(inputs_first=inputs_first)
    if not (yield from all_right(order_tests(inputs_first, engine.Value, seed))):
        return None
    nodes = ladder(engine.Value)
    work = watched(nodes, comparisons=True)
    listed(inputs_first, nodes[-1], LADDER)
    return slow(work["looks"]) or (
        "Every node once, after its inputs, the root last. Most of these graphs have several right orders, and any of "
        "them would have passed."
    )


# The backward pass


@functools.cache
def right_grads(case):
    """{name: ∂root/∂node} for what a Case names: for the leaves by dual numbers, for the others by autograd."""
    nodes = case.run(Value)
    nodes[case.root].backward()
    return {name: node.grad for name, node in nodes.items()} | case.gradients()


def pass_tests(Value, seed=0):
    """Yield what is seen of backward(): on random graphs, on each made anew of the same leaves, and on that again."""
    for case in cases(seed=seed):
        leaves = [Value(number) for _, number in case.leaves]
        one, two = case.compute(leaves), case.compute(leaves)
        nodes = list(dict.fromkeys((*right_order(one[case.root]), *right_order(two[case.root]))))
        watched(nodes)
        turns = counting_turns(one, two)
        text, *steps = case.text().splitlines()
        zero = " = ".join(f"{name}.grad" for name, _ in case.leaves) + " = 0.0"
        anew = "The first pass is right. The graph is then made anew, of the same leaves. "
        again = "Two passes are right. All grads but the root's are then set to 0, and the pass is run again. "
        held = seed % 5 + 3.0  # by the root, as when another graph was made on top of it
        zero_all = f"for node in topological_order({case.root}):\n    node.grad = 0.0\n{case.root}.grad = {held}"
        for says, graph, cleared, lines in (
            ("", one, [], steps),
            (anew, two, leaves, [zero, *steps]),
            (again, two, nodes, [zero_all]),
        ):
            for node in cleared:
                node.grad = 0.0
            if cleared is nodes:
                two[case.root].grad = held
            text = "\n".join([text, *lines, f"{case.root}.backward()"])
            test = pass_test(case, graph, text, turns)
            yield replace(test, says=f"{says}{test.says}")
    yield from plain_tests(Value)


def counting_turns(*graphs):
    """A dict that gets, for each turn of a node that has a name in one of these graphs, the grad that it began with."""
    turns = {}

    def wrapped(rule, node, *key):
        def turn():
            turns.setdefault(key, []).append(vars(node).get("grad"))
            rule()

        return turn

    for i, nodes in enumerate(graphs):
        for name, node in nodes.items():
            if node._prev:
                node._backward = wrapped(node._backward, node, i, name)
    return turns


def pass_test(case, nodes, text, turns):
    """What is seen of one backward pass from a Case's root, with all that it did."""
    root = nodes[case.root]
    turns.clear(), vars(root).pop("_was_one", None)
    rows = after_pass(nodes, right_grads(case), case.root, text)
    wrong = next((name for name, test in zip(nodes, rows) if not equal(test[2], test[1])), None)
    says = "The gradients of the leaves are right. That of {}, a node on the way, is not."
    if wrong is None:
        says = "The gradients are right. But the pass has changed something else."
    elif wrong == case.root:
        says = "The gradients of the leaves are right. That of {}, the root, is not."
    elif wrong in dict(case.leaves):
        says = "For this expression a gradient is wrong."
    place = {key: i for i, key in enumerate(turns)}  # of each node's first turn
    edges = [((i, user), (i, name)) for i in (0, 1) for user, _, operands in case.steps for name in operands]
    early = [edge for edge in edges if place.get(edge[0], -1) > place.get(edge[1], math.inf)]
    return seen(
        says.format(wrong),
        *rows,
        ("grads at the turns", "", [[*key, *turns[key]] for key in sorted(turns)], True),
        ("turns before a consumer's", "", early, True),
        ("whether the root's grad has been 1", "", vars(root).get("_was_one", False), True),
        case=text,
        graph=case.graph,
    )


def after_pass(nodes, right, root, text):
    """The rows on the grads of nodes by name after a backward pass from one of them, and on what else it changed."""
    named = [*nodes.values()]
    before, names = state(named), {id(node): name for name, node in nodes.items()}
    with trying("; ".join(text.splitlines())):
        nodes[root].backward()
    rows = [(f"{name}.grad", float(right[name]), grad_of(node, name)) for name, node in nodes.items()]
    return [*rows, row("changed in the nodes", changes(before, named, lambda node: names[id(node)]))]


def grad_of(node, name):
    """A node's grad after a pass."""
    try:
        return node.grad.__float__()
    except Exception:
        says = f"It should be a number; it is {kind(vars(node).get('grad'))}."
        raise Trouble(f"Tested: {name}.grad.", says) from None


def plain_tests(Value):
    """What is seen of a pass from a leaf that stands alone, and from the end of a line."""
    [own, kept] = after_pass({"x": Value(2.0)}, {"x": 1}, "x", "x = Value(2.0)")
    yield seen("A leaf is a root, too.", own, kept, case="x = Value(2.0)\nx.backward()")
    text, nodes = line(Value, LINE)
    x, *sums, kept = after_pass(nodes, dict.fromkeys(nodes, 1) | {"x": LINE + 1}, list(nodes)[-1], text)
    right = sum(equal(got, expected) for _, expected, got in sums)
    row = ("totals whose grad is right", LINE, right)
    yield seen("This graph is a long line.", x, row, kept, case=f"{text}\ntotal.backward()")


@exercise(work=150)
def backward(backward, *, engine, seed):
    """One pass on each of many fresh graphs of the course's engine, with `backward` in it."""
    needs_functions(backward=backward)
    if not (yield from all_right(pass_tests(engine.Value, seed))):
        return None
    nodes = ladder(engine.Value)
    work, turns = watched(nodes, comparisons=True), counting_turns(dict(enumerate(nodes)))
    with trying(LADDER):
        nodes[-1].backward()
    return slow(work["looks"] + sum(map(len, turns.values()))) or (
        "Random graphs, each made twice of the same leaves: every leaf's gradient equals the one that dual numbers "
        "give, which use no graph and no order. The gradients on the way are right too."
    )


# A deep graph


@exercise(work=150)
def deep_order(deep_order, *, engine, seed):
    """An order of the same graphs, and of a line for which no call may wait."""
    needs_functions(deep_order=deep_order)
    writes_it_anew(deep_order)
    if not (yield from all_right(order_tests(deep_order, engine.Value, seed))):
        return None
    (few, open_before), (many, open_now) = (work_on(deep_order, engine.Value, length) for length in SHORT)
    if open_now - open_before > (SHORT[1] - SHORT[0]) / 2:
        yield recursive(deep_order, line_of(engine.Value, LONG))
    growth = max(1, math.log2(many / few))  # the work grows as the length to this power
    length = min(LONG, int(SHORT[1] * max(1, WORK / many) ** (1 / growth)))
    graph = line_of(engine.Value, length)
    wrong = faults(listed(deep_order, graph.root, f"{length:,} additions in a row"), graph)
    yield seen("It is right for small graphs. Not for this one.", row("wrong in the list", wrong), case=graph.text)
    if growth > 1.5:
        return (
            f"Right, but slow: {few:,} looks at nodes for {SHORT[0]} additions in a row, {many:,} for {SHORT[1]}. A "
            "set says at once whether a node is in it, and one visit of each node is enough."
        )
    return f"{length:,} additions in a row are in order, with Python's limit on nested calls at {LIMIT:,}."


def writes_it_anew(function):
    """Trouble where a function calls the one whose place it takes in the engine, and so itself."""
    for code, names in parts.code_of(function):
        for name in ("inputs_first", "topological_order"):
            other = names.get(name)
            if name in read_by(code) and (other is function or not parts.is_own(other, code)):
                said = f"It calls `{name}`. In the engine deep_order takes the place of that, so it would call itself."
                raise Trouble("Tested: deep_order.", f"{said} Write the search anew.")


def read_by(code):
    """The global names that some code, or a function inside it, reads."""
    found = {step.argval for step in dis.get_instructions(code) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    return found.union(*(read_by(inner) for inner in code.co_consts if isinstance(inner, types.CodeType)))


def work_on(function, Value, length):
    """(looks that a function takes at the nodes of a line, calls that are open at most)."""
    graph = line_of(Value, length)
    work = watched(graph.nodes, comparisons=True, calls=True)
    listed(function, graph.root, f"{length} additions in a row")
    return max(work["looks"], 1), work["calls"]


def ends(function, root, length):
    """Whether a function comes to an end for so many additions in a row, at Python's usual limit on nested calls."""
    try:
        return listed(function, root, f"{length:,} additions in a row") is not None
    except Trouble as trouble:
        if "RecursionError" not in trouble.kind:
            raise
        return False


def recursive(function, graph):
    """What is seen of a function that has a call open for each addition in a row."""
    work = watched(graph.nodes)
    if ends(function, graph.root, LONG):
        says = "It has a call open for each addition in this row, more than Python's limit on nested calls allows."
        limit = ("the limit, meanwhile", f"{LIMIT:,}", f"{work['limit']:,}")
        return seen(says, limit, case=graph.text, because="a higher limit on nested calls")
    longest, fails = deepest(function, graph)
    says = f"It is right for small graphs. It manages {longest:,} additions in a row here and stops at {fails:,}."
    return seen(says, ("for this row", "a list", "RecursionError"), case=graph.text, because="recursion")


def deepest(function, graph):
    """How many additions in a row a recursive function manages at Python's usual limit, and one more."""
    low, high = 0, LONG
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if ends(function, graph.named[f"total {middle}"], middle) else (low, middle)
    return low, high


# The smallest graph on which breadth-first order goes wrong


@exercise(compares=False)
def breadth_first_fails(f, xs):
    """A graph on which breadth-first order gives a wrong gradient, with as few boxes as there can be."""
    if not callable(f):
        raise Trouble("Tested: f.", f"f should be a function of Values; it is {kind(f)}.")
    xs = list(map(number, xs if isinstance(xs, tuple | list) or is_a_sequence(xs) else [xs]))
    names = labels(f, len(xs))
    leaves = [Value(x, label=name) for name, x in zip(names, xs)]
    root = root_of(f, leaves)
    boxes = right_order(root)
    run_pass(boxes[::-1])
    slopes = [leaf.grad for leaf in leaves]
    run_pass(breadth_first(root))
    rows = list(zip(names, slopes, [leaf.grad for leaf in leaves]))
    differ = next((row for row in rows if not equal(row[2], row[1])), None)
    if differ is None:
        said = ", ".join(f"{name}.grad is {slope:g}" for name, slope, _ in rows)
        says = f"Breadth-first order is right on this graph{f': {said} either way' if said else ''}."
        yield seen(says, ("breadth-first order", "wrong", "right"), graph=root, because=why_right(root, boxes))
        return None
    name, slope, got = differ
    says = f"Breadth-first order gives {name}.grad = {got:g} here, where {slope:g} is right."
    large = f"{says} So it fails, as it should. Your graph has {len(boxes)} boxes, though, and fewer will do."
    yield seen(large, ("boxes", FEWEST, len(boxes)), graph=root, because=why_large(boxes))
    return f"{says} And with {len(boxes)} boxes: there is no smaller graph on which it fails."


def number(x):
    """One of the inputs xs, as a float."""
    if x is None or x is ...:
        raise Unfinished(f"xs holds {'...' if x is ... else x}: no number yet.")
    try:
        return x.__float__()
    except Exception:
        raise Trouble("Tested: xs.", f"It should hold a number for each input of f; it holds {kind(x)}.") from None


def labels(f, count):
    """The names of a function's inputs, as its author wrote them."""
    code = getattr(f, "__code__", None)
    written = code.co_varnames[: code.co_argcount] if code else ()
    return written[:count] if len(written) >= count else tuple(f"x{i}" for i in range(1, count + 1))


def root_of(f, leaves):
    """The root of the graph that f makes of its inputs."""
    what = f"f({', '.join(f'{leaf.data:g}' for leaf in leaves)})"
    with trying(what):
        root = f(*leaves)
    if root is None or root is ...:
        raise Unfinished(f"f returns {'...' if root is ... else root}: no graph yet.")
    if not isinstance(root, Value):
        says = f"f should return a Value made of its inputs; it returned {kind(root)}."
        if type(root).__name__ == Value.__name__:
            says = "f made a Value itself, of another class than its inputs. Use its inputs and plain numbers alone."
        raise Trouble(f"Tested: {what}.", says)
    return root


def breadth_first(root, turned=False):
    """The root, then its inputs, then theirs, each when it is first met; inputs from the left, or from the right."""
    order, met = [root], {root}
    for node in order:  # which grows as it is read
        for input in node._prev[::-1] if turned else node._prev:
            if input not in met:
                met.add(input)
                order.append(input)
    return order


def run_pass(order):
    """A backward pass from fresh grads, with the nodes' turns in this order, the root first."""
    for node in order:
        node.grad = 0.0
    order[0].grad = 1.0
    for node in order:
        node._backward()


def why_right(root, boxes):
    """The name of the reason why breadth-first order is right on a graph."""
    users = {node: [] for node in boxes}
    for node in boxes:
        for input in node._prev:
            users[input].append(node)
    twice = [node for node in boxes if len(users[node]) > 1]
    inner = [node for node in twice if node._prev]
    if not twice:
        return "no node is used twice"
    if not inner:
        return "only a leaf is used twice"
    if early(breadth_first(root), users):
        return "right by luck"
    if all(len(set(users[node])) == 1 for node in inner):
        return "used twice, by one consumer"
    turned = early(breadth_first(root, turned=True), users)
    return "the longer way stands on the left" if turned else "read after all its consumers"


def early(order, users):
    """Whether an order reads a node with inputs before one of its consumers."""
    place = {node: i for i, node in enumerate(order)}
    return any(place[user] > place[node] for node in order if node._prev for user in users[node])


def why_large(boxes):
    """The name of the way in which boxes can be saved."""
    leaves = [node for node in boxes if not node._prev]
    if any(not leaf.label for leaf in leaves):
        return "a plain number is a box too"
    return "more inputs than it takes" if len(leaves) > 1 else "more operations than it takes"
