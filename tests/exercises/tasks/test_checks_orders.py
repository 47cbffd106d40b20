"""The checks of orders and backward: what they show for a wrong answer, and limits on nested calls.

Answers to them, right and wrong, are in tests/attempts.
"""

import itertools
import sys

import pytest

import autograd
from autograd.dual import Dual
from exercises.authors.missing import verdict
from exercises.content import library
from exercises.engine_file import check, parts, trial
from exercises.tasks.backward import check as backward_check
from exercises.tasks.breadth_first_fails import check as breadth_first_fails_check
from exercises.tasks.deep_order import check as deep_order_check
from exercises.tasks.shared import orders as shared
from exercises.verdicts.cases import OPERATIONS, cases


@pytest.fixture(autouse=True)
def own_progress(tmp_path, monkeypatch):
    monkeypatch.setenv("BACKPROP_DATA_DIR", str(tmp_path))


def names(found):
    return [mistake.name for mistake in found.mistakes]


def stage_class():
    """Return a fresh Value of the engine in its state when the lesson begins."""
    return parts.value_class("functions")


# Orders


def test_first_wrong_order_is_drawn_next_to_a_right_one():
    code = library.solution("topological_order").code.replace("return order", "return order[::-1]")
    found = verdict("topological_order", code)
    assert found.graph is not None and "comes before its input" in found.render_text()
    got, right = (line.split(maxsplit=n)[-1] for line, n in zip(found.case.splitlines()[-2:], (3, 5)))
    assert got.split(", ") == right.split(", ")[::-1]


def test_order_faults_do_not_depend_on_the_reference_order():
    """Faults do not depend on which of the right orders was meant."""
    graph = next(shared.graphs(stage_class()))
    orders = [o for o in itertools.permutations(graph.nodes) if not shared.faults(o, graph)]
    assert len(orders) > 1 and len({tuple(shared.faults(order[::-1], graph)) for order in orders}) == 1


@pytest.mark.parametrize("turned", [False, True])
def test_breadth_first_order_fails_from_either_end(turned):
    graphs = list(shared.graphs(stage_class()))
    orders = [breadth_first_fails_check.breadth_first(graph.root, turned) for graph in graphs]
    assert any(shared.faults(order, graph) for order, graph in zip(orders, graphs))
    assert any(shared.faults(order[::-1], graph) for order, graph in zip(orders, graphs))


def test_order_graphs_include_equal_numbers_squares_and_a_leaf():
    graphs = list(shared.graphs(stage_class()))
    assert sum(len({node.data for node in graph.nodes}) < len(graph.nodes) for graph in graphs) > 5
    assert any(len(node._prev) == 2 and len(set(node._prev)) == 1 for graph in graphs for node in graph.nodes), graphs
    assert [len(graph.nodes) for graph in graphs if not graph.root._prev] == [1]


def test_course_functions_are_not_accepted():
    engine = trial.template_engine()
    for found in (
        check.topological_order(autograd.topological_order),
        check.backward(engine.Value.backward),
        check.backward(autograd.Value.backward),
        check.deep_order(engine.topological_order),
    ):
        assert found.state == "wrong" and "comes from the course itself" in found.render_text()


# The backward pass


@pytest.mark.long
def test_wrong_pass_shows_case_rows_and_graph():
    code = library.solution("backward").code
    found = verdict("backward", code.replace("1.0", "2.0"))
    assert found.case.endswith(".backward()") and found.rows and found.graph is not None
    outlives = """
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
    found = verdict("backward", outlives)
    assert names(found) == ["a list or set that outlives the call"]
    assert found.case.count(".backward()") == 2 and ".grad = 0.0" in found.case


def test_other_classes_in_the_notebook_do_not_count():
    """Neither a class elsewhere in the notebook, nor one that the cell changes."""
    there = {"Value": parts.value_class("accumulate")}
    exec("def backward(self):\n    raise NotImplementedError", there)
    assert check.backward(there["backward"]).state == "not yet"
    exec("def backward(self):\n    Value.backward(self)", there)
    assert not check.backward(there["backward"])


def test_intermediate_gradients_match_dual_numbers():
    """Each result of a case becomes a variable: the steps after it run on dual numbers."""
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


def test_class_is_rejected_in_place_of_a_function():
    assert (
        "It is the class Node." in check.backward(Node).render_text()
        and "It is an int." in check.backward(3).render_text()
    )


# A deep graph


def test_unneeded_higher_recursion_limit_is_accepted():
    limit = sys.getrecursionlimit()
    raising = "import sys\ndef deep_order(root):\n    sys.setrecursionlimit(5000)\n"
    assert verdict("deep_order", f"{raising}    return autograd.topological_order(root)")
    assert sys.getrecursionlimit() == limit


def test_deep_order_cannot_call_a_function_of_another_cell():
    own = library.solution("topological_order").code + "def deep_order(root):\n    return inputs_first(root)"
    assert names(verdict("deep_order", own)) == ["recursion"]  # its cell has the function that it calls
    there = {"inputs_first": autograd.topological_order}  # an earlier cell has it, and the engine will not
    exec("def deep_order(root):\n    return inputs_first(root)", there)
    assert "would call itself" in check.deep_order(there["deep_order"]).render_text()


RECURSIVE = library.solution("topological_order").code.replace("inputs_first", "deep_order")


def test_recursion_is_named_with_its_maximum_depth():
    limit = sys.getrecursionlimit()
    found = verdict("deep_order", RECURSIVE)
    assert names(found) == ["recursion"] and "RecursionError" in found.render_text()
    [function] = check.deep_order.answers(RECURSIVE)
    longest, fails = deep_order_check.deepest(function, shared.line_of(stage_class(), deep_order_check.LONG))
    assert fails == longest + 1 and 800 < longest < 1000
    assert "1,000 nested calls" in found.render_text() and "It manages 9" in found.render_text()
    assert sys.getrecursionlimit() == limit


def test_recursion_is_named_when_the_limit_was_raised_before():
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
def test_deep_order_detects_a_raised_recursion_limit(way):
    limit = sys.getrecursionlimit()
    assert names(verdict("deep_order", SEARCH + RAISED[way])) == ["a higher limit on nested calls"]
    assert sys.getrecursionlimit() == limit


# The puzzle


def test_breadth_first_first_fails_on_four_node_graphs():
    failing = {count: sum(map(fails, shapes(count))) for count in range(1, breadth_first_fails_check.FEWEST + 1)}
    assert [failing[count] for count in range(1, breadth_first_fails_check.FEWEST)] == [0] * (
        breadth_first_fails_check.FEWEST - 1
    )
    assert failing[breadth_first_fails_check.FEWEST] > 0


class Node:
    """A node of a shape: only its inputs matter."""

    def __init__(self, inputs):
        self._prev = inputs


def shapes(count):
    """Return the roots of all graphs with so many nodes."""
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
    """Return whether breadth-first order reads a node of this graph before one of its consumers."""
    nodes = autograd.topological_order(root)
    users = {node: [user for user in nodes if node in user._prev] for node in nodes}
    return breadth_first_fails_check.early(breadth_first_fails_check.breadth_first(root), users)
