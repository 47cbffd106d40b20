"""The checks of lesson 05: an order of the nodes, the backward pass in it, the order of a deep graph, and a puzzle."""

import contextlib
import dis
import sys
import types
from collections import Counter
from dataclasses import dataclass, replace

from autograd import Value
from autograd import topological_order as right_order
from autograd.dual import forward_gradient
from exercises import parts
from exercises.cases import cases, same
from exercises.diagnosis import mistake_of
from exercises.grading import answer, called, engine_fault, exercise, kind, number_of, wrong
from exercises.guard import Trouble, Unfinished, trying
from exercises.verdict import Mistake
from exercises.wrong_engines import post_order

ORDERS, DEPTH_FIRST, DEEP = "What a wrong order costs", "Depth first: a node after its inputs", "A chain of 5,000"
WAITING = "A node waits for its consumers"

KINDS = "+", "*", "**", "v+n", "n*v", "tanh"
RUNGS = 14  # of the ladder: 2 to this power paths lead down it
LONG = 5000  # operations in the chain that an order without recursion must manage
LIMIT = 1000  # nested calls that Python allows where nothing has set another limit
FEWEST = 4  # boxes of the smallest graph on which breadth-first order goes wrong (a test tries all smaller ones)


def stage_class():
    """A fresh Value of the engine as it is when the lesson begins."""
    return parts.fresh("functions")


# Orders of the nodes


@dataclass(frozen=True, eq=False)
class Graph:
    """A graph that an order is asked for: its text, its root, its nodes with their names; and one to be drawn."""

    text: str
    root: object
    names: dict
    drawing: object = None

    def listed(self, order):
        """Nodes by name, as one line."""
        return ", ".join(self.names.get(node, "?") for node in order)


def graphs(Value):
    """The random graphs, made anew of an engine's Value; last a leaf that stands alone."""
    made = []
    for case in cases(KINDS, 24, 5):
        nodes = case.run(Value)
        for name, node in nodes.items():
            node.label = name
        names = {node: node.label or f"{node.data:g}" for node in right_order(nodes[case.root])}
        made.append(Graph(case.text(), nodes[case.root], names, case.graph()))
    leaf = Value(2.0, label="a")
    return [*made, Graph("a = Value(2.0)", leaf, {leaf: "a"})]


def fault_in(order, graph):
    """What is wrong with an order of a graph's nodes, in a sentence; None if nothing is."""
    if strange := [item for item in order if not hasattr(item, "_prev")]:
        return f"The list should hold nodes; it holds {kind(strange[0])}."
    if any(node not in graph.names for node in order):
        return "It holds a node that is not in this graph."
    if again := [node for node, count in Counter(order).items() if count > 1]:
        return f"{graph.names[again[0]]} stands in the list more than once."
    if missing := missing_from(order, graph):
        return f"{graph.names[missing[0]]} is missing from the list."
    place = {node: i for i, node in enumerate(order)}
    for node in order:
        if late := [input for input in node._prev if place[input] > place[node]]:
            return f"{graph.names[node]} stands before its input {graph.names[late[0]]}."
    return None


def pre_order(root, turned):
    """Depth first, each node when it is first met; inputs from the left, or from the right."""
    order, stack = {}, [root]
    while stack:
        node = stack.pop()
        if node not in order:
            order[node] = True
            stack += node._prev if turned else node._prev[::-1]
    return list(order)


def breadth_first(root, turned=False):
    """The root, then its inputs, then theirs, each when it is first met; inputs from the left, or from the right."""
    order, met = [root], {root}
    for node in order:  # which grows as it is read
        for input in node._prev[::-1] if turned else node._prev:
            if input not in met:
                met.add(input)
                order.append(input)
    return order


def marked_early(root, turned):
    """A search with its own stack that marks a node when it is put on the stack instead of when it is taken off."""
    order, visited, stack = [], {root}, [(root, False)]
    while stack:
        node, inputs_done = stack.pop()
        if inputs_done:
            order.append(node)
            continue
        stack.append((node, True))
        for input in node._prev[::-1] if turned else node._prev:
            if input not in visited:
                visited.add(input)
                stack.append((input, False))
    return order


def is_one_of(search):
    """Whether an order is what a search gives, inputs from the left or from the right, read from either end."""

    def fits(order, graph):
        return any(order in (found, found[::-1]) for found in (search(graph.root, turned) for turned in (False, True)))

    return fits


def missing_from(order, graph):
    """The nodes of a graph that an order leaves out."""
    listed = set(order)
    return [node for node in graph.names if node not in listed]


def only_equal_ones_missing(order, graph):
    """Whether each node that is left out has a number that stands in the list."""
    numbers, missing = {node.data for node in order}, missing_from(order, graph)
    return bool(missing) and all(node.data in numbers for node in missing)


def only_leaves_missing(order, graph):
    """Whether all leaves of a graph are left out, and nothing else."""
    return missing_from(order, graph) == [node for node in graph.names if not node._prev]


def only_one_level(order, graph):
    """Whether there is only the root, or only its inputs beside it."""
    return bool(missing_from(order, graph)) and set(order) <= {graph.root, *graph.root._prev}


NOT_NODES = Mistake(
    "numbers or labels where nodes are meant",
    "Append the node itself: backward() will call its _backward.",
    "05",
    DEPTH_FIRST,
)
OUTLIVES = Mistake(
    "a list or set that outlives the call",
    "What stands as a default in the `def` line, or outside the function, is made once: "
    "the next call finds it full. Make it inside the function.",
)
EVERY_PATH = Mistake(
    "every path is walked",
    "Many paths lead to one node. Return at once from a node that was visited before, so that each is opened once.",
    "05",
    ORDERS,
)

ORDER_MISTAKES = (  # (what is known of an order, and its graph; the mistake), the more particular ones first
    (
        lambda order, graph: len(set(order)) < len(order),
        Mistake(
            "no memory of what was visited",
            "A node that is used twice is met twice. Keep a set of visited nodes, and pass over a node that is in it.",
            "05",
            DEPTH_FIRST,
        ),
    ),
    (only_equal_ones_missing, mistake_of("M20")),
    (
        lambda order, graph: missing_from(order, graph) == [graph.root],
        Mistake(
            "the root is left out",
            "It depends on all others, so it comes last; and backward() needs it, as it is where the pass begins.",
            "05",
            DEPTH_FIRST,
        ),
    ),
    (
        only_leaves_missing,
        Mistake(
            "the leaves are left out",
            "A leaf has nothing to pass on, but the list is to hold every node that the root depends on.",
            "05",
            DEPTH_FIRST,
        ),
    ),
    (
        only_one_level,
        Mistake(
            "the search stops after one level",
            "An input has inputs of its own. Do for each input what you do for the root.",
            "05",
            DEPTH_FIRST,
        ),
    ),
    (
        lambda order, graph: fault_in(order[::-1], graph) is None,
        Mistake(
            "the list is turned round",
            "Consumers stand before inputs. That is the order in which the backward pass reads; "
            "the list itself is to begin with the leaves.",
            "05",
            DEPTH_FIRST,
        ),
    ),
    (is_one_of(breadth_first), mistake_of("M8")),
    (
        is_one_of(pre_order),
        replace(
            mistake_of("M7"),
            sentence="A node goes into the list when it is first met, before its inputs. Reading such a list from the "
            "other end does not mend it: a node that is used twice still stands in the wrong place.",
        ),
    ),
    (
        is_one_of(marked_early),
        Mistake(
            "marked when put on the stack",
            "A node that only waits on the stack counts as visited, so a consumer that is opened before it passes over "
            "it, and lands in the list first. Mark a node when you open it.",
            "05",
            DEEP,
        ),
    ),
)


def order_fault(function, Value):
    """What is wrong with a function that should list the nodes of a root in order, as a `wrong(…)`, or None."""
    tests, found = graphs(Value), []
    for graph in tests:
        what = "; ".join(graph.text.splitlines())
        order = list(called(function, graph.root, what=what, returns=(list, tuple)))
        again = list(called(function, graph.root, what=f"the same root a second time: {what}", returns=(list, tuple)))
        foreign = any(hasattr(node, "_prev") and node not in graph.names for node in order)
        if foreign or (fault_in(order, graph) is None and fault_in(again, graph) is not None):
            says = "It is right for the first graph that it is given, and wrong when it is called again."
            return wrong(says, case=graph.text, rows=[rows_of(again, graph)], mistakes=[OUTLIVES])
        found.append(order)
    failing = [i for i, (order, graph) in enumerate(zip(found, tests)) if fault_in(order, graph)]
    if not failing:
        return ladder_fault(function, Value)
    order, graph = found[failing[0]], tests[failing[0]]
    says = f"{fault_in(order, graph)} (Test {failing[0] + 1} of {len(tests)}. Any valid order would do.)"
    if any(not hasattr(item, "_prev") for item in order):
        return wrong(says, case=graph.text, mistakes=[NOT_NODES])
    known = [m for fits, m in ORDER_MISTAKES if all(fits(found[i], tests[i]) for i in failing)]
    known = known or [m for fits, m in ORDER_MISTAKES if fits(order, graph)]
    return wrong(says, case=graph.text, graph=graph.drawing, rows=[rows_of(order, graph)], mistakes=known[:1])


def rows_of(order, graph):
    """The row that sets an order beside one that is right."""
    return "order", f"such as {graph.listed(right_order(graph.root))}", graph.listed(order)


def ladder_fault(function, Value):
    """That a function opens a node once for each path that leads to it, as a `wrong(…)`; None if it does not."""
    reads = 0

    class Counted(Value):
        @property
        def _prev(self):
            nonlocal reads
            reads += 1
            return self.inputs

        @_prev.setter
        def _prev(self, inputs):
            self.inputs = inputs

    node = Counted(1.0)
    for _ in range(RUNGS):
        node = Counted(2 * node.data, (node, node), "+")
    called(function, node, what=f"{RUNGS} doublings, each x = x + x", returns=(list, tuple))
    if reads < 100 * RUNGS:
        return None
    says = f"The list is right, but it took {reads:,} looks at a node's inputs for a graph of {RUNGS + 1} nodes."
    return wrong(says, case=f"x = Value(1.0)\nfor _ in range({RUNGS}):\n    x = x + x", mistakes=[EVERY_PATH])


@exercise
def topological_order(function, *, engine):
    """Any valid order of the nodes of random graphs passes."""
    if (fault := order_fault(function, engine.Value)) is not None:  # a Verdict that is wrong counts as False
        return fault
    return (
        f"Tested on {len(graphs(engine.Value))} graphs: every node once, after its inputs, the root last. "
        "Most of these graphs have several right orders, and any of them would have passed."
    )


# The backward pass


def in_order(first=lambda root, node: float(node is root), turn=lambda root, node: node._backward(), order=None):
    """A backward pass: each node's grad begins as `first` says; each then has its `turn`, in this order of nodes.

    By default it is the right pass: the root begins with 1, the others with 0, and each node comes after its consumers.
    """

    def run(root):
        nodes = right_order(root)[::-1]
        for node in nodes:
            node.grad = first(root, node)
        for node in order(root) if order else nodes:
            turn(root, node)

    return run


def walks(root, inputs=lambda node: node._prev):
    """The nodes as recursion without an order comes to them: one again for each path from the root."""
    yield root
    for input in inputs(root):
        yield from walks(input, inputs)


def walks_over_sets(root):
    """The same with the inputs in sets."""
    return walks(root, lambda node: dict.fromkeys(node._prev))


def zeroed_first(root, node):
    """A turn that wipes what has arrived."""
    node.grad = float(node is root)
    node._backward()


PASS_MISTAKES = (  # (a pass, the mistake in it); of the first two the numbers depend on the order of a set
    (in_order(order=walks), mistake_of("M5")),
    (in_order(order=walks_over_sets), mistake_of("M6")),
    (in_order(order=lambda root: pre_order(root, False)), mistake_of("M7")),
    (in_order(order=lambda root: pre_order(root, True)), mistake_of("M7")),
    (in_order(order=breadth_first), mistake_of("M8")),
    (in_order(order=right_order), mistake_of("M9")),
    (in_order(first=lambda root, node: 0.0), mistake_of("M10")),
    (in_order(order=lambda root: post_order(root, key=lambda node: node.data)[::-1]), mistake_of("M20")),
    (
        in_order(turn=zeroed_first),
        Mistake(
            "a grad is set to 0 at the node's own turn",
            "By then its consumers have added their contributions, and these are lost. Zero grads before the pass.",
            "05",
            WAITING,
        ),
    ),
    (
        in_order(turn=lambda root, node: None),
        Mistake(
            "no node passes anything on",
            "The root has its 1, and the pass ends there. Each node in turn runs `node._backward()`, with brackets.",
            "05",
            WAITING,
        ),
    ),
    (
        in_order(order=lambda root: right_order(root)[-2::-1]),
        Mistake(
            "the root has no turn",
            "Its gradient is 1, but it passes nothing on. The turns begin with the root.",
            "05",
            WAITING,
        ),
    ),
    (
        in_order(order=lambda root: [*right_order(root)[-2::-1], root]),
        Mistake(
            "the root's turn comes last",
            "The others have had theirs by then, with gradients of 0. The turns begin with the root.",
            "05",
            WAITING,
        ),
    ),
    (
        in_order(order=lambda root: [root]),
        Mistake(
            "only the root passes its gradient on",
            "Its inputs get their contributions and keep them. Every node in the order has its turn.",
            "05",
            WAITING,
        ),
    ),
    (
        in_order(turn=lambda root, node: root._backward()),
        Mistake(
            "the root has every turn",
            "In the loop `self` is always the root. The node whose turn it is is the loop's variable.",
            "05",
            WAITING,
        ),
    ),
    (
        in_order(first=lambda root, node: root.data if node is root else 0.0),
        Mistake(
            "the first gradient is the root's number",
            "Every gradient comes out times that number. The root changes as fast as itself: its gradient is 1.",
            "03",
            "Two operations: multiply along the way",
        ),
    ),
    (
        in_order(first=lambda root, node: 1.0),
        Mistake(
            "every node begins with a gradient of 1",
            "Only the root does. The others begin at 0 and get all they have from their consumers.",
            "03",
            "Two operations: multiply along the way",
        ),
    ),
)


@exercise
def backward(method, *, engine):
    """One pass on each of many fresh graphs of the course's engine, with the method in it."""
    if isinstance(method, type) or not callable(method):
        given = f"the class {method.__name__}" if isinstance(method, type) else kind(method)
        raise Trouble("Tested: backward.", f"A function was expected, as in check.backward(backward); it is {given}.")
    fault = engine_fault(engine.Value)
    if fault is None:
        fault = inner_fault(engine.Value)
    if fault is None:
        return (
            "24 random graphs, one pass each: every leaf's gradient equals the one that dual numbers give, "
            "which use no graph and no order. The gradients on the way are right too."
        )
    with trying("backward, once more on the same graphs"):
        own = [m for i, (run, m) in enumerate(PASS_MISTAKES) if is_this_pass(engine.Value, run, turns_alone=i < 2)]
    return replace(fault, mistakes=tuple(own[:2]))  # of mistakes elsewhere than in the pass there are none


def inner_fault(Value):
    """What is wrong with the grads that a pass leaves between the leaves and the root, as `wrong(…)`, or None."""
    for case in cases():
        with trying("; ".join(case.text().splitlines())):
            nodes, right = case.run(Value), case.run(Value)
            nodes[case.root].backward()
        in_order()(right[case.root])
        for name, node in nodes.items():
            if not same(number_of(node, "grad", f"{name}.grad"), right[name].grad):
                says = f"The gradients of the leaves are right. That of {name}, a node on the way, is not."
                says = says if name != case.root else f"The gradients of the leaves are right. That of {name} is not."
                rows = [(f"{name}.grad", right[name].grad, node.grad)]
                return wrong(says, case=case.text(), graph=case.graph(), rows=rows)
    return None


def is_this_pass(Mine, run, turns_alone=False):
    """Whether a class's backward() gives each node as many turns on random graphs as a pass, and the same grads."""
    for case in cases():
        turns, grads = effect(Mine, Mine.backward, case)
        their_turns, others = effect(stage_class(), run, case)
        if turns != their_turns or not (turns_alone or all(map(same, grads, others))):
            return False
    return True


def effect(Mine, run, case):
    """How often each named node of a case runs its `_backward` in a backward pass; and the grads after it."""
    nodes, turns = case.run(Mine), Counter()
    for name, node in nodes.items():
        if node._prev:
            node._backward = counted(node._backward, turns, name)
    run(nodes[case.root])
    return turns, [node.grad for node in nodes.values()]


def counted(function, turns, name):
    """A function that counts its calls under a name."""

    def count():
        turns[name] += 1
        function()

    return count


# A deep graph

RAISED = Mistake(
    "a higher limit on nested calls",
    "That moves the cliff and does not remove it: each call takes memory that Python may not have, "
    "and the next graph may be deeper. A list of nodes that wait can be as long as you like.",
    "05",
    DEEP,
)


@exercise
def deep_order(function, *, engine):
    """An order, for deep graphs too."""
    for code, names in parts.code_of(function):
        for name in ("inputs_first", "topological_order"):
            if names.get(name) is function and name in read_by(code):
                said = f"It calls `{name}`. In the engine deep_order takes the place of that, so it would call itself."
                raise Trouble("Tested: deep_order.", f"{said} Write the search anew.")
    if (fault := order_fault(function, engine.Value)) is not None:  # a Verdict that is wrong counts as False
        return fault
    graph = chain(engine.Value, LONG)
    with usual_limit():
        order = order_of_chain(function, graph)
        raised = sys.getrecursionlimit() != LIMIT
    text = f"x = Value(1.0)\nfor _ in range({LONG}):\n    x = x.tanh()"
    if raised:
        return wrong("It raised Python's limit on nested calls.", case=text, mistakes=[RAISED])
    if order is None:
        says = "It is right for small graphs. For this one it did not come to an end."
        return wrong(says, case=text, mistakes=[recursion(*deepest(function, engine.Value))])
    if fault := fault_in(order, graph):
        names = graph.names
        return wrong(f"For this chain: {fault}", case=text, rows=[("nodes in the list", len(names), len(order))])
    return f"A chain of {LONG:,} operations is in order, with Python's limit on nested calls at {LIMIT:,}."


def read_by(code):
    """The global names that some code, or a function inside it, reads."""
    found = {step.argval for step in dis.get_instructions(code) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    return found.union(*(read_by(inner) for inner in code.co_consts if isinstance(inner, types.CodeType)))


def chain(Value, length):
    """The Graph of so many operations in a row."""
    node = Value(1.0)
    names = {node: "the leaf"}
    for i in range(1, length + 1):
        node = node.tanh()
        names[node] = f"node {i}"
    return Graph("", node, names)


@contextlib.contextmanager
def usual_limit():
    """Python's limit on nested calls as it is at the start, whatever this process has made of it."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(LIMIT)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def order_of_chain(function, graph):
    """A function's order of a chain; None where Python's limit on nested calls ended it."""
    what = f"a chain of {len(graph.names) - 1:,} operations"
    with trying(what):
        try:
            found = function(graph.root)
        except RecursionError:
            return None
    return list(answer(found, what, (list, tuple)))


def deepest(function, Value):
    """The longest chain that a recursive function manages at Python's usual limit, in operations, and one more."""
    low, high = 0, LONG
    while high - low > 1:
        middle = (low + high) // 2
        with usual_limit():
            ended = order_of_chain(function, chain(Value, middle)) is None
        low, high = (low, middle) if ended else (middle, high)
    return low, high


def recursion(longest, fails):
    """The mistake of a function that calls itself for each input."""
    return Mistake(
        "recursion",
        f"It manages a chain of {longest:,} operations here and stops at {fails:,}, with a RecursionError: each node "
        f"that waits for its inputs waits in a call of its own, and Python allows {LIMIT:,} nested calls. Keep the "
        "nodes that wait in a list.",
        "05",
        DEEP,
    )


# The smallest graph on which breadth-first order goes wrong

TREE = Mistake(
    "no node is used twice",
    "Then each node has one consumer, and any order that begins at the root and follows the arrows is right.",
    "05",
    WAITING,
)
LEAVES = Mistake(
    "only a leaf is used twice",
    "A leaf passes nothing on, so it cannot be read too early. The node that is used twice needs an input of its own.",
    "05",
    ORDERS,
)
ONE_CONSUMER = Mistake(
    "used twice, by one consumer",
    "Both contributions come from the same node and so at the same time. The second use has to come from further away.",
    "05",
    ORDERS,
)
MIRRORED = Mistake(
    "the longer way stands on the left",
    "Breadth-first takes a node's inputs from left to right. Here it comes to the consumer that is further away first, "
    "and the node that is used twice is read in time.",
    "05",
    ORDERS,
)
LEVEL = Mistake(
    "the consumers are equally near",
    "A node is used twice, but breadth-first comes to it after both of its consumers. One of them should be further "
    "from the root than the node itself.",
    "05",
    ORDERS,
)
LUCK = Mistake(
    "right by luck",
    "A node is read too early, but with these numbers the contribution that comes late is 0, or is multiplied by 0. "
    "Choose other inputs.",
    "05",
    ORDERS,
)
NUMBERS = Mistake(
    "a plain number is a box too",
    "A number in an expression becomes a leaf of the graph. An operation with one input, or a node used in a number's "
    "place, saves it.",
    "02",
    "Common mistakes",
)
INPUTS = Mistake(
    "more inputs than it takes",
    "One leaf is enough: what matters is that an inner node is used twice.",
    "05",
    ORDERS,
)
OPERATIONS = Mistake(
    "more operations than it takes",
    "It takes one node that is used twice, one operation on the longer way, and the root where both ways meet.",
    "05",
    ORDERS,
)


@exercise
def breadth_first_fails(f, xs):
    """A graph on which breadth-first order gives a wrong gradient, with as few boxes as there can be."""
    if not callable(f):
        raise Trouble("Tested: f.", f"f should be a function of Values; it is {kind(f)}.")
    xs = [answer(x, "the inputs xs") for x in (xs if isinstance(xs, tuple | list) else [xs])]
    what = f"f({', '.join(f'{x:g}' for x in xs)})"
    names = labels(f, len(xs))
    leaves = [Value(x, label=name) for name, x in zip(names, xs)]
    with trying(what):
        root = f(*leaves)
    if root is None or root is ...:
        raise Unfinished(f"f returns {'...' if root is ... else root}: no graph yet.")
    if not isinstance(root, Value):
        raise Trouble(f"Tested: {what}.", f"f should return a Value made of its inputs; it returned {kind(root)}.")
    with trying(what):
        slopes = forward_gradient(f, xs)
    boxes = right_order(root)
    pass_in(breadth_first(root))
    rows = [(name, slope, leaf.grad) for name, slope, leaf in zip(names, slopes, leaves)]
    differ = [row for row in rows if not same(row[2], row[1])]
    if not differ:
        said = ", ".join(f"{name}.grad is {slope:g}" for name, slope, _ in rows)
        says = f"Breadth-first order is right on this graph: {said} either way."
        return wrong(says, graph=root, mistakes=[why_right(root, boxes)])
    name, slope, got = differ[0]
    says = f"Breadth-first order gives {name}.grad = {got:g} here, where {slope:g} is right."
    if len(boxes) > FEWEST:
        says += f" So it fails, as it should. Your graph has {len(boxes)} boxes, though, and fewer will do."
        return wrong(says, graph=root, mistakes=[why_large(boxes)])
    return f"{says} And with {len(boxes)} boxes: there is no smaller graph on which it fails."


def labels(f, count):
    """The names of a function's inputs, as its author wrote them."""
    code = getattr(f, "__code__", None)
    written = code.co_varnames[: code.co_argcount] if code else ()
    return written if len(written) == count else tuple(f"x{i}" for i in range(1, count + 1))


def pass_in(order):
    """Run a backward pass with the nodes in this order, the root first."""
    order[0].grad = 1.0
    for node in order:
        node._backward()


def why_right(root, boxes):
    """The Mistake that says why breadth-first order is right on a graph."""
    users = {node: [] for node in boxes}
    for node in boxes:
        for input in node._prev:
            users[input].append(node)
    twice = [node for node in boxes if len(users[node]) > 1]
    inner = [node for node in twice if node._prev]
    if not twice:
        return TREE
    if not inner:
        return LEAVES
    if early(breadth_first(root), users):
        return LUCK
    if all(len(set(users[node])) == 1 for node in inner):
        return ONE_CONSUMER
    return MIRRORED if early(breadth_first(root, turned=True), users) else LEVEL


def early(order, users):
    """Whether an order reads a node with inputs before one of its consumers."""
    place = {node: i for i, node in enumerate(order)}
    return any(place[user] > place[node] for node in order if node._prev for user in users[node])


def why_large(boxes):
    """The Mistake that says where boxes can be saved."""
    leaves = [node for node in boxes if not node._prev]
    if any(not leaf.label for leaf in leaves):
        return NUMBERS
    return INPUTS if len(leaves) > 1 else OPERATIONS
