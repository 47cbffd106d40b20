"""The checks of lesson 05: each passes what is right in any form, and says of each typical mistake which it is."""

import itertools
import sys

import pytest

import autograd
from exercises import check, guard, library, parts
from exercises.checks import lesson_05
from exercises.verdict import LESSONS
from exercises.wrong_engines import WRONG_ENGINES
from tests import lessons, test_notebooks

ANSWERS = {
    "topological_order": ("inputs_first",),
    "backward": ("backward",),
    "deep_order": ("deep_order",),
    "breadth_first_fails": ("f", "xs"),
}


@pytest.fixture(autouse=True)
def own_progress(tmp_path, monkeypatch):
    """Progress that no other test, and no learner, shares."""
    monkeypatch.setenv("BACKPROP_DATA_DIR", str(tmp_path))


def given(code):
    """The names that code defines where it stands in the lesson."""
    names = {"autograd": autograd, "Value": lesson_05.stage_class()}
    exec(code, names)
    return names


def verdict(name, code):
    """What a check says of code in place of its stub."""
    names = given(code)
    return getattr(check, name)(*(names[answer] for answer in ANSWERS[name]))


def names(found):
    """The names of the mistakes in a verdict."""
    return [mistake.name for mistake in found.mistakes]


def engine(id):
    """A wrong engine by its id."""
    return next(wrong for wrong in WRONG_ENGINES if wrong.id == id)


@pytest.mark.parametrize("name", ANSWERS)
def test_a_solution_passes_and_a_stub_is_not_yet(name):
    found = verdict(name, library.solution(name).code)
    assert found and len(found.says) == 1
    assert verdict(name, library.stub(name)).state == "not yet"
    assert getattr(check, name)(*[None] * len(ANSWERS[name])).state == "not yet"
    assert getattr(check, name)(*[...] * len(ANSWERS[name])).state == "not yet"


def test_every_section_that_a_mistake_points_to_is_there():
    places = [m for m in vars(lesson_05).values() if isinstance(m, lesson_05.Mistake)]
    places += [m for _, m in (*lesson_05.ORDER_MISTAKES, *lesson_05.PASS_MISTAKES)]
    places.append(lesson_05.recursion(1, 2))
    assert len(places) > 20
    for mistake in places:
        if mistake.lesson == "05":
            headings = test_notebooks.headings_of(lessons.NOTEBOOKS / f"{LESSONS['05']}.ipynb")
            assert mistake.section.replace("-", " ") in headings, mistake.section


# Orders

RIGHT_ORDERS = {
    "right to left": """
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
    "by counting consumers": """
        def inputs_first(root):
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
        """,
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
    "the package's": "def inputs_first(root):\n    return autograd.topological_order(root)",
}


def dedented(code):
    """Code without the indentation that it has in this file."""
    lines = code.strip("\n").splitlines()
    indent = len(lines[0]) - len(lines[0].lstrip())
    return "\n".join(line[indent:] for line in lines)


@pytest.mark.parametrize("way", RIGHT_ORDERS)
def test_any_valid_order_passes(way):
    assert verdict("topological_order", dedented(RIGHT_ORDERS[way]))


WRONG_ORDERS = {
    "depth-first order with the node before its inputs": [
        """
        def inputs_first(root):
            order, visited = [], set()
            def visit(node):
                if node not in visited:
                    visited.add(node)
                    order.append(node)
                    for input in node._prev:
                        visit(input)
            visit(root)
            return order
        """,
        """
        def inputs_first(root):
            order, visited, stack = [], set(), [root]
            while stack:
                node = stack.pop()
                if node not in visited:
                    visited.add(node)
                    order.append(node)
                    stack.extend(node._prev)
            return order[::-1]
        """,
    ],
    "breadth-first order": [
        """
        def inputs_first(root):
            order, visited = [root], {root}
            for node in order:
                for input in node._prev:
                    if input not in visited:
                        visited.add(input)
                        order.append(input)
            return order[::-1]
        """,
        """
        def inputs_first(root):
            order, visited, queue = [], {root}, [root]
            while queue:
                node = queue.pop(0)
                order.append(node)
                for input in node._prev:
                    if input not in visited:
                        visited.add(input)
                        queue.append(input)
            return order
        """,
    ],
    "no memory of what was visited": [
        """
        def inputs_first(root):
            order = []
            for input in root._prev:
                order += inputs_first(input)
            return order + [root]
        """
    ],
    "nodes told apart by their number": [
        """
        def inputs_first(root):
            order, visited = [], set()
            def visit(node):
                if node.data not in visited:
                    visited.add(node.data)
                    for input in node._prev:
                        visit(input)
                    order.append(node)
            visit(root)
            return order
        """
    ],
    "the list is turned round": [
        """
        def inputs_first(root):
            order, visited = [], set()
            def visit(node):
                if node not in visited:
                    visited.add(node)
                    for input in node._prev:
                        visit(input)
                    order.insert(0, node)
            visit(root)
            return order
        """
    ],
    "the root is left out": [
        """
        def inputs_first(root):
            order, visited = [], set()
            def visit(node):
                for input in node._prev:
                    if input not in visited:
                        visited.add(input)
                        visit(input)
                        order.append(input)
            visit(root)
            return order
        """
    ],
    "the leaves are left out": [
        """
        def inputs_first(root):
            order, visited = [], set()
            def visit(node):
                if node not in visited and node._prev:
                    visited.add(node)
                    for input in node._prev:
                        visit(input)
                    order.append(node)
            visit(root)
            return order
        """
    ],
    "the search stops after one level": [
        """
        def inputs_first(root):
            return [*dict.fromkeys(root._prev), root]
        """
    ],
    "a list or set that outlives the call": [
        """
        def inputs_first(root, order=[], visited=set()):
            if root not in visited:
                visited.add(root)
                for input in root._prev:
                    inputs_first(input, order, visited)
                order.append(root)
            return order
        """,
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
        """
        def inputs_first(root, visited=set()):
            if root in visited:
                return []
            visited.add(root)
            order = []
            for input in root._prev:
                order += inputs_first(input)
            return order + [root]
        """,
    ],
    "numbers or labels where nodes are meant": [
        """
        def inputs_first(root):
            return [node.data for node in autograd.topological_order(root)]
        """
    ],
    "every path is walked": [
        """
        def inputs_first(root):
            order = []
            def visit(node):
                for input in node._prev:
                    visit(input)
                if node not in order:
                    order.append(node)
            visit(root)
            return order
        """
    ],
    "marked when put on the stack": [
        """
        def inputs_first(root):
            order, visited, stack = [], {root}, [(root, False)]
            while stack:
                node, done = stack.pop()
                if done:
                    order.append(node)
                else:
                    stack.append((node, True))
                    for input in node._prev:
                        if input not in visited:
                            visited.add(input)
                            stack.append((input, False))
            return order
        """
    ],
}

EACH_WRONG_ORDER = [(name, code) for name, codes in WRONG_ORDERS.items() for code in codes]


@pytest.mark.parametrize("exercise", ["topological_order", "deep_order"])
@pytest.mark.parametrize("name, code", EACH_WRONG_ORDER, ids=[name for name, _ in EACH_WRONG_ORDER])
def test_a_wrong_order_is_named(exercise, name, code):
    code = dedented(code)
    found = verdict(exercise, code.replace("inputs_first", "deep_order") if exercise == "deep_order" else code)
    assert not found and names(found)[0] == name, found
    assert found.case and name in found.text()


def test_the_first_wrong_order_is_drawn_and_set_beside_one_that_is_right():
    found = verdict("topological_order", dedented(WRONG_ORDERS["the list is turned round"][0]))
    assert found.graph is not None
    [(what, expected, got)] = found.rows
    assert what == "order" and expected.startswith("such as ")
    assert got.split(", ") == expected.removeprefix("such as ").split(", ")[::-1]
    assert "stands before its input" in found.text()


def test_each_mistake_in_an_order_is_wrong_on_some_graph():
    graphs = lesson_05.graphs(lesson_05.stage_class())
    for search in (lesson_05.breadth_first, lesson_05.pre_order, lesson_05.marked_early):
        for turned in (False, True):
            orders = [search(graph.root, turned) for graph in graphs]
            faults = [lesson_05.fault_in(order, graph) for order, graph in zip(orders, graphs)]
            turned_round = [lesson_05.fault_in(order[::-1], graph) for order, graph in zip(orders, graphs)]
            assert any(faults) and any(turned_round)


def test_an_error_in_the_learners_code_is_two_lines():
    found = verdict("topological_order", "def inputs_first(root):\n    return root.inputs")
    assert len(found.says) == 2 and not found.case
    assert found.says[0].startswith("Tested: ") and "AttributeError" in found.says[1]
    found = verdict("topological_order", "def inputs_first(root):\n    return 3")
    assert "A list or tuple was expected; it returned an int." in found.text()


def test_an_endless_loop_is_stopped(monkeypatch):
    monkeypatch.setattr(guard.guarded, "__defaults__", (0.3, guard.PATIENCE))
    found = verdict("deep_order", "def deep_order(root):\n    while True:\n        pass")
    assert not found and "never ends" in found.text()


# The backward pass


def test_other_right_backward_passes():
    for code in (
        "def backward(self):\n    order = autograd.topological_order(self)[::-1]\n    for node in order:\n"
        "        node.grad = 0.0\n    self.grad = 1\n    for node in order:\n        node._backward()",
        "def backward(self):\n    for node in autograd.topological_order(self):\n        if node._prev:\n"
        "            node.grad = 0.0\n    self.grad = 1.0\n    for node in autograd.topological_order(self)[::-1]:\n"
        "        node._backward()",
    ):
        assert verdict("backward", code)
    for order in ("topological_order", "inputs_first", "deep_order"):  # of which the notebook has none, or a stub
        assert verdict("backward", library.solution("backward").code.replace("topological_order", order))
    assert check.backward(lesson_05.in_order())


def test_what_the_course_has_is_no_answer():
    engine = parts.course_engine()
    for found in (
        check.topological_order(autograd.topological_order),
        check.backward(engine.backward),
        check.deep_order(engine.deep_order),
    ):
        assert found.state == "wrong" and "comes from the course itself" in found.text()


def test_what_a_cell_says_of_the_class_does_not_count():
    """Neither a class that stands elsewhere in the notebook, nor one that the cell changes."""
    names_ = {"Value": parts.fresh("accumulate")}
    exec("def backward(self):\n    raise NotImplementedError", names_)
    assert check.backward(names_["backward"]).state == "not yet"
    exec("def backward(self):\n    Value.backward(self)", names_)
    assert not check.backward(names_["backward"])


@pytest.mark.parametrize("id", ["M5", "M6", "M7", "M8", "M9", "M10", "M20"])
def test_the_pass_of_a_wrong_engine_is_named(id):
    found = verdict("backward", WRONG_PASSES[engine(id).name])
    assert not found and engine(id).name in names(found)
    assert found.case and found.rows and found.graph is not None
    assert engine(id).sentence in found.text()


LOOP = "    for node in reversed(autograd.topological_order(self)):\n"

WRONG_PASSES = {
    "recursion without an order": "def backward(self):\n    self.grad = 1.0\n    def visit(node):\n"
    "        node._backward()\n        for input in node._prev:\n            visit(input)\n    visit(self)",
    "recursion without an order, inputs kept in a set": "def backward(self):\n    self.grad = 1.0\n"
    "    def visit(node):\n        node._backward()\n        for input in set(node._prev):\n            visit(input)\n"
    "    visit(self)",
    "the order is not reversed": "def backward(self):\n    self.grad = 1.0\n"
    "    for node in autograd.topological_order(self):\n        node._backward()",
    "the first gradient is not set to 1": f"def backward(self):\n{LOOP}        node._backward()",
    "breadth-first order": "def backward(self):\n    self.grad = 1.0\n    queue, met = [self], {self}\n"
    "    for node in queue:\n        node._backward()\n        for input in node._prev:\n"
    "            if input not in met:\n                met.add(input)\n                queue.append(input)",
    "depth-first order with the node before its inputs": "def backward(self):\n    self.grad = 1.0\n    met = set()\n"
    "    def visit(node):\n        if node not in met:\n            met.add(node)\n            node._backward()\n"
    "            for input in node._prev:\n                visit(input)\n    visit(self)",
    "nodes told apart by their number": "def backward(self):\n    self.grad, order, met = 1.0, [], set()\n"
    "    def visit(node):\n        if node.data not in met:\n            met.add(node.data)\n"
    "            for input in node._prev:\n                visit(input)\n            order.append(node)\n"
    "    visit(self)\n    for node in reversed(order):\n        node._backward()",
    "a grad is set to 0 at the node's own turn": "def backward(self):\n    self.grad = 1.0\n"
    f"{LOOP}        if node is not self:\n            node.grad = 0.0\n        node._backward()",
    "no node passes anything on": f"def backward(self):\n    self.grad = 1.0\n{LOOP}        node._backward",
    "only the root passes its gradient on": "def backward(self):\n    self.grad = 1.0\n    self._backward()",
    "the root has no turn": "def backward(self):\n    self.grad = 1.0\n"
    "    for node in topological_order(self)[-2::-1]:\n        node._backward()",
    "the root's turn comes last": f"def backward(self):\n    self.grad = 1.0\n{LOOP}"
    "        if node is not self:\n            node._backward()\n    self._backward()",
    "the root has every turn": f"def backward(self):\n    self.grad = 1.0\n{LOOP}        self._backward()",
    "the first gradient is the root's number": f"def backward(self):\n    self.grad = self.data\n{LOOP}"
    "        node._backward()",
    "every node begins with a gradient of 1": "def backward(self):\n    order = autograd.topological_order(self)\n"
    "    for node in order:\n        node.grad = 1.0\n    for node in reversed(order):\n        node._backward()",
}


@pytest.mark.parametrize("name", WRONG_PASSES)
def test_a_wrong_pass_is_named(name):
    found = verdict("backward", WRONG_PASSES[name])
    assert not found and name in names(found) and len(names(found)) <= 2, found
    assert found.case and found.rows


def test_a_wrong_pass_of_no_known_kind_is_given_no_other_ones_name():
    """The numbers alone may be those of a known mistake: what a pass did is looked at too."""
    for turn in ("node.grad = 1.0\n        node._backward()", "node._backward()\n        node._backward()"):
        assert names(verdict("backward", f"def backward(self):\n    self.grad = 1.0\n{LOOP}        {turn}")) == []


def test_the_gradients_on_the_way_count_too():
    right = library.solution("backward").code
    for end, said in (
        ("    self.grad = 0.0\n", "That of f is not."),
        ("    for node in topological_order(self):\n        node.grad *= not node._prev\n", "on the way"),
    ):
        found = verdict("backward", right + end)
        assert not found and "The gradients of the leaves are right." in found.text() and said in found.text()
        assert found.case and found.rows[0][2] == 0 and found.graph is not None


def test_the_grads_that_are_wiped_after_the_first_is_set():
    wiped = f"def backward(self):\n    self.grad = 1.0\n{LOOP}        node.grad = 0.0\n{LOOP}        node._backward()"
    assert names(verdict("backward", wiped))[:1] == ["the first gradient is not set to 1"]


def test_a_pass_that_calls_itself():
    found = verdict("backward", "def backward(self):\n    self.grad = 1.0\n" + LOOP + "        node.backward()")
    assert not found and "RecursionError" in found.text()
    assert "A function was expected, as in check.backward(backward); it is an int." in check.backward(3).text()
    assert "it is the class Node." in check.backward(Node).text()


# A deep graph


def test_an_order_without_recursion_in_another_form():
    code = dedented(RIGHT_ORDERS["by counting consumers"]).replace("inputs_first", "deep_order")
    assert verdict("deep_order", code)
    assert verdict("deep_order", "def deep_order(root):\n    return autograd.topological_order(root)")


def test_an_order_without_recursion_cannot_call_the_one_whose_place_it_takes():
    for name in ("inputs_first", "topological_order"):
        found = verdict("deep_order", f"def deep_order(root):\n    return {name}(root)")
        assert found.state == "wrong" and f"It calls `{name}`. In the engine deep_order takes the place" in found.text()
    own = library.solution("topological_order").code + "def deep_order(root):\n    return inputs_first(root)"
    assert names(verdict("deep_order", own)) == ["recursion"]  # its cell has the function that it calls
    names_ = {"inputs_first": autograd.topological_order}  # an earlier cell has it, and the engine will not
    exec("def deep_order(root):\n    return inputs_first(root)", names_)
    assert "would call itself" in check.deep_order(names_["deep_order"]).text()


def test_recursion_is_named_with_the_depth_at_which_it_ends():
    limit = sys.getrecursionlimit()
    code = library.solution("topological_order").code.replace("inputs_first", "deep_order")
    found = verdict("deep_order", code)
    assert names(found) == ["recursion"] and "RecursionError" in found.text()
    longest, fails = lesson_05.deepest(given(code)["deep_order"], lesson_05.stage_class())
    assert fails == longest + 1 and 800 < longest < 1000
    assert "1,000 nested calls" in found.text()
    assert sys.getrecursionlimit() == limit


def test_recursion_is_named_where_the_limit_was_raised_before(monkeypatch):
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    try:
        code = library.solution("topological_order").code.replace("inputs_first", "deep_order")
        assert names(verdict("deep_order", code)) == ["recursion"]
        assert sys.getrecursionlimit() == 20_000
    finally:
        sys.setrecursionlimit(limit)


def test_a_limit_that_is_raised_inside():
    limit = sys.getrecursionlimit()
    code = library.solution("topological_order").code.replace("inputs_first", "deep_order")
    code = "import sys\n" + code.replace("    visit(root)", "    sys.setrecursionlimit(10_000)\n    visit(root)")
    assert names(verdict("deep_order", code)) == ["a higher limit on nested calls"]
    sys.setrecursionlimit(limit)


# The puzzle

WRONG_PUZZLES = {
    "no node is used twice": "def f(x):\n    return (x * 3 + 1).tanh()\nxs = (2.0,)",
    "only a leaf is used twice": "def f(x):\n    return x * (x * x)\nxs = (2.0,)",
    "used twice, by one consumer": "def f(x):\n    b = x.exp()\n    return (b * b).tanh()\nxs = (0.5,)",
    "the longer way stands on the left": "def f(x):\n    b = x * x\n    return b.tanh() * b\nxs = (2.0,)",
    "the consumers are equally near": "def f(x):\n    b = x * x\n    return b.tanh() + b.exp()\nxs = (1.0,)",
    "right by luck": "def f(x):\n    b = x * x\n    return b * b.tanh()\nxs = (0.0,)",
    "a plain number is a box too": "def f(a):\n    b = 2 * a\n    return b * (b + 1)\nxs = (1.5,)",
    "more inputs than it takes": "def f(a, c):\n    b = a * c\n    return b * b.tanh()\nxs = (1.5, 2.0)",
    "more operations than it takes": "def f(a):\n    b = a * a\n    return b * b.tanh().exp()\nxs = [1.5]",
}


@pytest.mark.parametrize("name", WRONG_PUZZLES)
def test_a_puzzle_that_is_not_solved_is_told_why(name):
    found = verdict("breadth_first_fails", WRONG_PUZZLES[name])
    assert not found and names(found) == [name], found
    assert found.graph is not None


def test_other_smallest_graphs_pass():
    for code in (
        "def f(x):\n    b = x.tanh()\n    return b + b.exp()\nxs = (0.5,)",
        "def f(x):\n    b = x * x\n    return b - b**2\nxs = 3",
        "f = lambda x: (lambda b: b * (b + b))(x + x)\nxs = [1]",
    ):
        found = verdict("breadth_first_fails", code)
        assert found and "4 boxes" in found.text()


def test_an_answer_to_the_puzzle_that_is_no_graph():
    assert "it returned a float" in verdict("breadth_first_fails", "def f(x):\n    return 2.0\nxs = (1.0,)").text()
    assert "f should be a function" in check.breadth_first_fails(autograd.Value(2.0), (1.0,)).text()
    assert "TypeError" in verdict("breadth_first_fails", "def f(a, b):\n    return a * b\nxs = (1.0,)").text()
    assert "A number was expected" in check.breadth_first_fails(lambda x: x, "one").text()
    assert check.breadth_first_fails(lambda x: x, (...,)).state == "not yet"


def test_no_graph_of_three_boxes_or_fewer_is_read_too_early_and_some_of_four_are():
    """Every graph: op nodes with one to three inputs each, drawn from all nodes before them, all reaching the root."""
    failing = {count: sum(map(fails, shapes(count))) for count in range(1, lesson_05.FEWEST + 1)}
    assert [failing[count] for count in range(1, lesson_05.FEWEST)] == [0] * (lesson_05.FEWEST - 1)
    assert failing[lesson_05.FEWEST] > 0


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
    return lesson_05.early(lesson_05.breadth_first(root), users)


def test_the_passes_that_explain_are_wrong_on_the_cases():
    right = lesson_05.stage_class()
    right.backward = lesson_05.in_order()
    assert lesson_05.is_this_pass(right, lesson_05.in_order())
    assert not any(lesson_05.is_this_pass(right, run, turns_alone=True) for run, _ in lesson_05.PASS_MISTAKES[:2])
    assert not any(lesson_05.is_this_pass(right, run) for run, _ in lesson_05.PASS_MISTAKES)
