"""The checks of lesson 05: right answers in unusual ways, wrong ones that no list has, and what the cases can show."""

import itertools
import sys

import pytest

import autograd
from autograd.dual import Dual
from exercises.engine_file import check, parts
from exercises.lessons.lesson_05 import shared
from exercises.lessons.lesson_05.backward import check as backward_check
from exercises.lessons.lesson_05.breadth_first_fails import check as breadth_first_fails_check
from exercises.lessons.lesson_05.deep_order import check as deep_order_check
from exercises.sandbox import guard
from exercises.shelf import library
from exercises.verdicts.cases import OPERATIONS, cases
from tests.test_contract import verdict


@pytest.fixture(autouse=True)
def own_progress(tmp_path, monkeypatch):
    """Progress that no other test, and no learner, shares."""
    monkeypatch.setenv("BACKPROP_DATA_DIR", str(tmp_path))


def names(found):
    """The names of the mistakes in a verdict."""
    return [mistake.name for mistake in found.mistakes]


def dedented(code):
    """Code without the indentation that it has in this file."""
    lines = code.strip("\n").splitlines()
    indent = len(lines[0]) - len(lines[0].lstrip())
    return "\n".join(line[indent:] for line in lines)


def stage_class():
    """A fresh Value of the engine as it is when the lesson begins."""
    return parts.fresh("functions")


# Orders

BY_COUNTING = """
    def deep_order(root):
        waits, found = {root: 0}, [root]
        for node in found:
            for input in node._prev:
                if input not in waits:
                    waits[input] = 0
                    found.append(input)
                waits[input] += 1
        order, ready = [], [root]
        while ready:
            node = ready.pop()
            order.append(node)
            for input in node._prev:
                waits[input] -= 1
                if not waits[input]:
                    ready.append(input)
        return order[::-1]
    """

RIGHT_ORDERS = {
    "right to left, with lists": """
        def inputs_first(root):
            order, visited = [], []
            def visit(node):
                if node in visited:
                    return
                visited.append(node)
                for input in reversed(node._prev):
                    visit(input)
                order.append(node)
            visit(root)
            return order
        """,
    "by counting consumers": BY_COUNTING.replace("deep_order", "inputs_first"),
    "a tuple, by depth": """
        def inputs_first(root):
            depth = {}
            def measure(node):
                if node not in depth:
                    depth[node] = 1 + max([measure(input) for input in node._prev], default=0)
                return depth[node]
            measure(root)
            return tuple(sorted(depth, key=depth.get))
        """,
    "a generator": "def inputs_first(root):\n    yield from autograd.topological_order(root)",
    "a deque": "import collections\ninputs_first = lambda root: collections.deque(autograd.topological_order(root))",
    "an array": "import numpy\ninputs_first = lambda root: numpy.array(autograd.topological_order(root), dtype=object)",
    "marks that are taken away again": """
        def inputs_first(root, order=None):
            order, is_first = ([], True) if order is None else (order, False)
            if not hasattr(root, "mark"):
                root.mark = True
                for input in root._prev:
                    inputs_first(input, order)
                order.append(root)
            if is_first:
                for node in order:
                    del node.mark
            return order
        """,
    "until nothing is left, O(n³)": """
        def inputs_first(root):
            nodes, order = [root], []
            for node in nodes:
                nodes += [input for input in dict.fromkeys(node._prev) if input not in nodes]
            while len(order) < len(nodes):
                for node in nodes:
                    if node not in order and all(input in order for input in node._prev):
                        order.append(node)
            return order
        """,
    "the package's": "def inputs_first(root):\n    return autograd.topological_order(root)",
}


@pytest.mark.parametrize("way", RIGHT_ORDERS)
def test_any_valid_order_passes(way):
    found = verdict("topological_order", dedented(RIGHT_ORDERS[way]))
    assert found and "slow" not in found.text(), found


SLOW_ORDERS = {
    "every path is walked": """
        def inputs_first(root):
            order = []
            def visit(node):
                for input in node._prev:
                    visit(input)
                if node not in order:
                    order.append(node)
            visit(root)
            return order
        """,
    "moved to the end each time": """
        def inputs_first(root):
            order = []
            def visit(node):
                if node in order:
                    order.remove(node)
                order.append(node)
                for input in node._prev:
                    visit(input)
            visit(root)
            return order[::-1]
        """,
}


@pytest.mark.parametrize("way", SLOW_ORDERS)
def test_an_order_that_walks_all_paths_passes_and_is_called_slow(way):
    found = verdict("topological_order", dedented(SLOW_ORDERS[way]))
    assert found and "Right, but slow" in found.text() and "4,096 paths" in found.text()


WRONG_ORDERS = {  # way: (code, what the verdict says)
    "lists of the notebook": (
        """
        order, visited = [], set()
        def inputs_first(root):
            if root not in visited:
                visited.add(root)
                for input in root._prev:
                    inputs_first(input)
                order.append(root)
            return order
        """,
        "a list or set that outlives the call",
    ),
    "None at the second call": (
        """
        def inputs_first(root, order=[], visited=set()):
            if root in visited:
                return
            visited.add(root)
            for input in root._prev:
                inputs_first(input, order, visited)
            order.append(root)
            return order
        """,
        "it returned None",
    ),
    "an order by identity": (
        "def inputs_first(root):\n    return sorted(autograd.topological_order(root), key=id)[::-1]",
        "stands before its input",
    ),
    "the first nodes alone": (
        "def inputs_first(root):\n    return autograd.topological_order(root)[:100]",
        "total 100 is missing",
    ),
    "no visit twice, but the root": (
        "def inputs_first(root):\n    return autograd.topological_order(root) + [root]",
        "stands in it 2 times",
    ),
    "labels changed": (
        """
        def inputs_first(root):
            order = autograd.topological_order(root)
            for i, node in enumerate(order):
                node.label = str(i)
            return order
        """,
        "changed in the nodes",
    ),
    "something else at the end": (
        "def inputs_first(root):\n    return [*autograd.topological_order(root), None]",
        "it holds a NoneType",
    ),
    "no list": ("def inputs_first(root):\n    return 3", "A list or tuple was expected; it returned an int."),
    "an error": ("def inputs_first(root):\n    return root.inputs", "AttributeError"),
}


@pytest.mark.parametrize("way", WRONG_ORDERS)
def test_a_wrong_order_that_no_list_has_is_refused(way):
    code, said = WRONG_ORDERS[way]
    found = verdict("topological_order", dedented(code))
    assert found.state == "wrong" and said in found.text(), found


def test_the_first_wrong_order_is_drawn_and_stands_beside_one_that_is_right():
    code = library.solution("topological_order").code.replace("return order", "return order[::-1]")
    found = verdict("topological_order", code)
    assert found.graph is not None and "stands before its input" in found.text()
    got, right = (line.split(maxsplit=n)[-1] for line, n in zip(found.case.splitlines()[-2:], (3, 5)))
    assert got.split(", ") == right.split(", ")[::-1]


def test_an_order_says_the_same_however_a_right_one_was_found():
    """Faults do not depend on which of the right orders was meant."""
    graph = next(shared.graphs(stage_class()))
    orders = [o for o in itertools.permutations(graph.nodes) if not shared.faults(o, graph)]
    assert len(orders) > 1 and len({tuple(shared.faults(order[::-1], graph)) for order in orders}) == 1


@pytest.mark.parametrize("turned", [False, True])
def test_breadth_first_order_is_wrong_on_some_graph_from_either_end(turned):
    graphs = list(shared.graphs(stage_class()))
    orders = [breadth_first_fails_check.breadth_first(graph.root, turned) for graph in graphs]
    assert any(shared.faults(order, graph) for order, graph in zip(orders, graphs))
    assert any(shared.faults(order[::-1], graph) for order, graph in zip(orders, graphs))


def test_some_graphs_have_equal_numbers_some_one_node_as_both_inputs_and_one_is_a_leaf():
    graphs = list(shared.graphs(stage_class()))
    assert sum(len({node.data for node in graph.nodes}) < len(graph.nodes) for graph in graphs) > 5
    assert any(len(node._prev) == 2 and len(set(node._prev)) == 1 for graph in graphs for node in graph.nodes)
    assert [len(graph.nodes) for graph in graphs if not graph.root._prev] == [1]


def test_what_the_course_has_is_no_answer():
    engine = parts.course_engine()
    for found in (
        check.topological_order(autograd.topological_order),
        check.backward(engine.backward),
        check.backward(autograd.Value.backward),
        check.deep_order(engine.deep_order),
    ):
        assert found.state == "wrong" and "comes from the course itself" in found.text()


# The backward pass

LOOP = "    for node in reversed(autograd.topological_order(self)):\n"

RIGHT_PASSES = {
    "all grads set to 0 first": """
        def backward(self):
            order = autograd.topological_order(self)[::-1]
            for node in order:
                node.grad = 0
            self.grad = 1
            for node in order:
                node._backward()
        """,
    "each contribution passed on by itself": """
        def backward(self):
            def push(node, share):
                kept, inputs = node.grad, list(dict.fromkeys(node._prev))
                before = [input.grad for input in inputs]
                node.grad = share
                for input in inputs:
                    input.grad = 0.0
                node._backward()
                shares = [input.grad for input in inputs]
                node.grad = kept + share
                for input, grad in zip(inputs, before):
                    input.grad = grad
                for input, part in zip(inputs, shares):
                    push(input, part)
            self.grad = 0.0
            push(self, 1.0)
        """,
    "a fraction, a default, leaves left out": """
        from fractions import Fraction
        def backward(self, first=Fraction(1)):
            self.grad = first
            nodes = [node for node in inputs_first(self) if node._prev]
            while nodes:
                nodes.pop()._backward()
            return self
        """,
}


@pytest.mark.parametrize("way", RIGHT_PASSES)
def test_other_right_backward_passes(way):
    assert verdict("backward", dedented(RIGHT_PASSES[way]))


def test_a_pass_has_an_order_under_each_of_its_names():
    for order in ("topological_order", "inputs_first", "deep_order"):  # of which the notebook has none, or a stub
        assert verdict("backward", library.solution("backward").code.replace("topological_order", order))


def test_a_pass_that_walks_all_paths_is_called_slow():
    search = dedented(SLOW_ORDERS["moved to the end each time"]).replace("inputs_first", "listed")
    found = verdict("backward", f"{search}\n{library.solution('backward').code.replace('topological_order', 'listed')}")
    assert found and "Right, but slow" in found.text()


RULE = "        node._backward()\n"
FULL = f"def backward(self):\n    self.grad = 1.0\n{LOOP}{RULE}"
WRONG_PASSES = {  # way: (code, what the verdict says)
    "a set of the notebook": (
        f"done = set()\ndef backward(self):\n    self.grad = 1.0\n{LOOP}        if node not in done:\n"
        f"            done.add(node)\n    {RULE}",
        "a list or set that outlives the call",
    ),
    "every second node": (
        FULL.replace("reversed(autograd.topological_order(self))", "autograd.topological_order(self)[::-2]"),
        "a gradient is wrong",
    ),
    "cut at 1": (
        FULL.replace(RULE, f"        node.grad = max(-1.0, min(1.0, node.grad))\n{RULE}"),
        "a gradient is wrong",
    ),
    "scaled in the end": (f"{FULL}{LOOP}        node.grad /= 2\n", "a gradient is wrong"),
    "a first gradient of 2": (FULL.replace("1.0", "2.0"), "f.grad: expected 1.0000, got 2.0000"),
    "the root's grad taken back": (f"{FULL}    self.grad = 0.0\n", "That of f, the root, is not."),
    "grads on the way taken back": (
        f"{FULL}{LOOP}        node.grad *= not node._prev or node is self\n",
        "a node on the way",
    ),
    "numbers overwritten": (f"{FULL}{LOOP}        node.data = 0.0\n", "changed in the nodes"),
    "a leaf of the course's": (f"{FULL}{LOOP}        node.label = 'seen'\n", "changed in the nodes"),
    "at most 100 nodes": (FULL.replace("(self))", "(self)[-100:])"), "This graph is a long line."),
    "a text": (f"{FULL}    self.grad = '1'\n", "It should be a number; it is the string '1'."),
    "it calls itself": (FULL.replace("_backward", "backward"), "RecursionError"),
    "no leaf alone": (
        FULL.replace("    self.grad", "    if not self._prev: return\n    self.grad"),
        "A leaf is a root, too.",
    ),
}


@pytest.mark.parametrize("way", WRONG_PASSES)
def test_a_wrong_pass_that_no_list_has_is_refused(way):
    code, said = WRONG_PASSES[way]
    found = verdict("backward", code)
    assert found.state == "wrong" and said in found.text(), found


def test_a_wrong_pass_is_shown_with_its_case_its_rows_and_its_graph():
    found = verdict("backward", FULL.replace("1.0", "2.0"))
    assert found.case.endswith(".backward()") and found.rows and found.graph is not None


def test_a_leaf_that_is_used_again_shows_what_outlives_a_pass():
    """The lesson's own common mistake: right on fresh graphs, and w.grad grows from step to step."""
    code = """
        def backward(self, order=[], seen=set()):
            def visit(node):
                if node not in seen:
                    seen.add(node)
                    for input in node._prev:
                        visit(input)
                    order.append(node)
            visit(self)
            self.grad = 1.0
            for node in reversed(order):
                node._backward()
        """
    found = verdict("backward", dedented(code))
    assert names(found) == ["a list or set that outlives the call"]
    assert "The first pass is right. The graph is then made anew, of the same leaves." in found.text()
    assert found.case.count(".backward()") == 2 and ".grad = 0.0" in found.case


def test_what_a_cell_says_of_the_class_does_not_count():
    """Neither a class that stands elsewhere in the notebook, nor one that the cell changes."""
    there = {"Value": parts.fresh("accumulate")}
    exec("def backward(self):\n    raise NotImplementedError", there)
    assert check.backward(there["backward"]).state == "not yet"
    exec("def backward(self):\n    Value.backward(self)", there)
    assert not check.backward(there["backward"])


def test_the_gradients_on_the_way_are_those_of_dual_numbers():
    """Each result of a case as a variable of its own: the steps after it, on dual numbers."""
    for case in cases():
        for name, _, _ in case.steps:
            known = case.compute([Dual(number) for _, number in case.leaves])
            known[name] = Dual(known[name].value, 1.0)
            later = [step for step, *_ in case.steps].index(name) + 1
            for step, operation, operands in case.steps[later:]:
                known[step] = OPERATIONS[operation](*(known[o] if isinstance(o, str) else o for o in operands))
            assert backward_check.right_grads(case)[name] == pytest.approx(
                known[case.root].derivative, rel=1e-9, abs=1e-12
            )


def test_a_class_is_no_function():
    assert "It is the class Node." in check.backward(Node).text() and "It is an int." in check.backward(3).text()


# A deep graph


def deep(code):
    """An answer to Exercise 1 as one to Exercise 3."""
    return dedented(code).replace("inputs_first", "deep_order")


@pytest.mark.parametrize("code", [BY_COUNTING, RIGHT_ORDERS["the package's"], RIGHT_ORDERS["a generator"]])
def test_an_order_without_recursion_in_another_form(code):
    found = verdict("deep_order", deep(code))
    assert found and "5,000 additions in a row are in order" in found.text()


SLOW_DEEP = {
    "O(n³), with lists": RIGHT_ORDERS["until nothing is left, O(n³)"],
    "O(n²), with numbers for nodes": """
        def inputs_first(root):
            nodes, met = [root], {root}
            for node in nodes:
                for input in node._prev:
                    if input not in met:
                        met.add(input)
                        nodes.append(input)
            inputs = {id(node): [id(input) for input in node._prev] for node in nodes}
            left, order, done = list(nodes), [], set()
            while left:
                for node in list(left):
                    if all(input in done for input in inputs[id(node)]):
                        done.add(id(node))
                        order.append(node)
                        left.remove(node)
            return order
        """,
}


@pytest.mark.parametrize("way", SLOW_DEEP)
def test_a_slow_order_without_recursion_passes_and_is_called_slow(way):
    found = verdict("deep_order", deep(SLOW_DEEP[way]))
    assert found and "Right, but slow" in found.text(), found


def test_a_higher_limit_that_nothing_needs_does_no_harm():
    limit = sys.getrecursionlimit()
    raising = "import sys\ndef deep_order(root):\n    sys.setrecursionlimit(5000)\n"
    assert verdict("deep_order", f"{raising}    return autograd.topological_order(root)")
    assert sys.getrecursionlimit() == limit


def test_an_order_without_recursion_cannot_call_the_one_whose_place_it_takes():
    for name in ("inputs_first", "topological_order"):
        found = verdict("deep_order", f"def deep_order(root):\n    return {name}(root)")
        assert found.state == "wrong" and f"It calls `{name}`. In the engine deep_order takes the place" in found.text()
    own = library.solution("topological_order").code + "def deep_order(root):\n    return inputs_first(root)"
    assert names(verdict("deep_order", own)) == ["recursion"]  # its cell has the function that it calls
    there = {"inputs_first": autograd.topological_order}  # an earlier cell has it, and the engine will not
    exec("def deep_order(root):\n    return inputs_first(root)", there)
    assert "would call itself" in check.deep_order(there["deep_order"]).text()


RECURSIVE = library.solution("topological_order").code.replace("inputs_first", "deep_order")


def test_recursion_is_named_with_the_depth_at_which_it_ends():
    limit = sys.getrecursionlimit()
    found = verdict("deep_order", RECURSIVE)
    assert names(found) == ["recursion"] and "RecursionError" in found.text()
    [function] = check.deep_order.answers(RECURSIVE)
    longest, fails = deep_order_check.deepest(function, shared.line_of(stage_class(), deep_order_check.LONG))
    assert fails == longest + 1 and 800 < longest < 1000
    assert "1,000 nested calls" in found.text() and "It manages 9" in found.text()
    assert sys.getrecursionlimit() == limit


def test_recursion_is_named_where_the_limit_was_raised_before():
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    try:
        assert names(verdict("deep_order", RECURSIVE)) == ["recursion"]
        assert sys.getrecursionlimit() == 20_000
    finally:
        sys.setrecursionlimit(limit)


SEARCH = "import sys, threading\n" + RECURSIVE.replace("deep_order", "search")
RAISED = {
    "after it did not do": """
        def deep_order(root):
            try:
                return search(root)
            except RecursionError:
                sys.setrecursionlimit(20_000)
                return search(root)
        """,
    "in a thread, and put back": """
        def deep_order(root):
            found, limit = [], sys.getrecursionlimit()
            sys.setrecursionlimit(20_000)
            thread = threading.Thread(target=lambda: found.extend(search(root)))
            thread.start()
            thread.join()
            sys.setrecursionlimit(limit)
            return found
        """,
}


@pytest.mark.parametrize("way", RAISED)
def test_a_limit_that_is_raised_is_seen_however_it_is_done(way):
    limit = sys.getrecursionlimit()
    assert names(verdict("deep_order", SEARCH + dedented(RAISED[way]))) == ["a higher limit on nested calls"]
    assert sys.getrecursionlimit() == limit


def test_a_list_that_outlives_the_call_is_refused_without_recursion_too():
    assert verdict("deep_order", deep(WRONG_ORDERS["lists of the notebook"][0])).state == "wrong"


def test_an_order_of_the_last_thousand_nodes_is_refused():
    found = verdict("deep_order", "def deep_order(root):\n    return autograd.topological_order(root)[-1000:]")
    assert found.state == "wrong" and "x is missing; total 1 is missing" in found.text()


def test_an_endless_loop_is_stopped(monkeypatch):
    monkeypatch.setattr(guard, "SECONDS", 0.3)
    found = verdict("deep_order", "def deep_order(root):\n    while True:\n        pass")
    assert not found and "never ends" in found.text()


# The puzzle


@pytest.mark.parametrize(
    "code",
    [
        "def f(x):\n    b = x.tanh()\n    return b + b.exp()\nxs = (0.5,)",
        "def f(x):\n    b = x * x\n    return b - b**2\nxs = 3",
        "f = lambda x: (lambda b: b * (b + b))(x + x)\nxs = [1]",
        "import numpy as np\ndef f(x):\n    b = -x\n    return b * b.exp()\nxs = np.array([0.5])",
        "def f(x, n=2):\n    b = x.exp()\n    return b * b**n\nxs = (0.5,)",
        "from fractions import Fraction\ndef f(*v):\n    b = -v[0]\n    return b * b.exp()\nxs = Fraction(1, 2)",
    ],
)
def test_other_smallest_graphs_pass(code):
    found = verdict("breadth_first_fails", code)
    assert found and "4 boxes" in found.text()


WRONG_PUZZLES = {  # code: what the verdict says
    "def f(x):\n    return x * (x * x)\nxs = (2.0,)": "only a leaf is used twice",
    "def f(x):\n    b = x.exp()\n    return (b * b).tanh()\nxs = (0.5,)": "used twice, by one consumer",
    "def f(x):\n    b = x * x\n    return b.tanh() + b.exp()\nxs = (1.0,)": "read after all its consumers",
    "def f(x):\n    b = x * x\n    return b * b.tanh()\nxs = (0.0,)": "right by luck",
    "def f(x):\n    b = x.relu()\n    return b * b.tanh()\nxs = (-1.0,)": "right by luck",
    "def f():\n    return autograd.Value(3.0)\nxs = ()": "no node is used twice",
    "def f(a):\n    b = a * a\n    return b * b.tanh().exp()\nxs = [1.5]": "more operations than it takes",
    "def f(x):\n    return 2.0\nxs = (1.0,)": "it returned a float",
    "def f(x):\n    return x, x\nxs = (1.0,)": "it returned a tuple",
    "def f(a, b):\n    return a * b\nxs = (1.0,)": "TypeError",
    "def f(x):\n    return x\nxs = 'one'": "It should hold a number for each input of f; it holds the string 'one'.",
    "f, xs = autograd.Value(2.0), (1.0,)": "f should be a function",
}


@pytest.mark.parametrize("code", WRONG_PUZZLES)
def test_a_puzzle_that_is_not_solved_is_told_why(code):
    found = verdict("breadth_first_fails", code)
    assert found.state == "wrong" and WRONG_PUZZLES[code] in found.text(), found


def test_a_puzzle_without_numbers_is_not_yet():
    assert check.breadth_first_fails(lambda x: x, (...,)).state == "not yet"


def test_no_graph_of_three_boxes_or_fewer_is_read_too_early_and_some_of_four_are():
    """Every graph: op nodes with one to three inputs each, drawn from all nodes before them, all reaching the root."""
    failing = {count: sum(map(fails, shapes(count))) for count in range(1, breadth_first_fails_check.FEWEST + 1)}
    assert [failing[count] for count in range(1, breadth_first_fails_check.FEWEST)] == [0] * (
        breadth_first_fails_check.FEWEST - 1
    )
    assert failing[breadth_first_fails_check.FEWEST] > 0


class Node:
    """A node of a shape: its inputs are all that matters."""

    def __init__(self, inputs):
        self._prev = inputs


def shapes(count):
    """The roots of all graphs with so many nodes."""
    for leaves in range(1, count + 1):
        choices = [
            [inputs for arity in (1, 2, 3) for inputs in itertools.product(range(i), repeat=arity)]
            for i in range(leaves, count)
        ]
        for picked in itertools.product(*choices):
            nodes = [Node(()) for _ in range(leaves)]
            for inputs in picked:
                nodes.append(Node(tuple(nodes[i] for i in inputs)))
            if len(autograd.topological_order(nodes[-1])) == count:
                yield nodes[-1]


def fails(root):
    """Whether breadth-first order reads a node of this graph before one of its consumers."""
    nodes = autograd.topological_order(root)
    users = {node: [user for user in nodes if node in user._prev] for node in nodes}
    return shared.early(breadth_first_fails_check.breadth_first(root), users)


HELD = {  # the root's gradient after a pass over a larger graph
    "added": "self.grad += 1",
    "only where it is 0": "if not self.grad: self.grad = 1.0",
    "the larger one": "self.grad = max(self.grad, 1.0)",
}


@pytest.mark.parametrize("first", HELD.values(), ids=HELD)
def test_a_pass_that_keeps_what_the_root_holds_is_refused(first):
    code = f"def backward(self):\n    {first}\n    for node in topological_order(self)[::-1]: node._backward()"
    found = verdict("backward", code)
    assert found.state == "wrong" and "All grads but the root's" in found.text(), found


IN_A_DICT = """
    def inputs_first(root):
        found = {{}}
        def visit(node):
            if node not in found:
                for input in node._prev:
                    visit(input)
                found[node] = True
        visit(root)
        return {}
    """


@pytest.mark.parametrize("given, state", [("found", "passed"), ("found.keys()", "passed"), ("set(found)", "wrong")])
def test_the_keys_of_a_dict_are_an_order_and_a_set_is_none(given, state):
    assert verdict("topological_order", dedented(IN_A_DICT.format(given))).state == state


def test_nodes_in_the_order_of_their_grads_are_refused():
    code = dedented(IN_A_DICT.format("sorted(found, key=lambda node: node.grad)"))
    assert verdict("topological_order", code).state == "wrong"
