"""Lesson 05: every number in its text is what the engine, dual numbers or a count gives; its labs show what it says."""

import itertools
import math
import random
import subprocess
import sys

import pytest

import autograd
import exercises
from autograd.dual import forward_gradient
from exercises.engine_file import check, line_by_line, parts
from exercises.engines.wrong_engines import WRONG_ENGINES
from exercises.lessons.lesson_05 import shared
from exercises.lessons.lesson_05.deep_order import check as deep_order_check
from exercises.quizzes import quiz_data
from exercises.shelf import library
from figures.graph.stage import names_of, nodes_of
from figures.labs import depth_first, order_rules
from tests import lessons

PATH = lessons.NOTEBOOKS / "05_order_topological_sort.ipynb"


@pytest.fixture(scope="module")
def story():
    """The names that the lesson's cells define, unsolved."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(PATH.parent)
        return lessons.names_of(PATH, with_solutions=False)


def grads(nodes):
    """The gradients of labelled nodes by name."""
    return {node.label: node.grad for node in nodes}


def test_the_small_graph_by_hand(story, prose):
    f = lambda a: 2 * a * (2 * a + 1)  # noqa: E731
    assert (f(1.5), forward_gradient(f, [1.5])) == (12, [14])
    assert forward_gradient(lambda b: b * (b + 1), [3.0]) == [7]
    nodes = story["small"](autograd.Value)
    nodes[-1].backward()
    assert grads(nodes) == {"a": 14, "b": 7, "c": 3, "y": 1}
    assert "so b.grad = 7. Then a.grad = 2 · 7 = 14." in prose


def test_the_turns_of_naive_recursion(story, prose):
    a, b, c, y = nodes = story["small"](story["Value"])
    y.grad, rows = 1.0, []
    for turn, node in enumerate((y, b, c, b), start=1):
        read = node.grad
        node._backward()
        rows.append((turn, node.label, read, b.grad, a.grad))
    assert rows == [(1, "y", 1, 4, 0), (2, "b", 4, 4, 8), (3, "c", 3, 7, 8), (4, "b", 7, 7, 22)]
    for line in (
        "| 1 | y | 1 | 4 to b, 3 to c | 4 | 0 |",
        "| 2 | b | 4 | 8 to a | 4 | 8 |",
        "| 3 | c | 3 | 3 to b | 7 | 8 |",
        "| 4 | b again | 7 | 14 to a | 7 | 22 |",
    ):
        assert line in prose
    assert [node for node in story["recursion"](y) if node in nodes[1:]] == [y, b, c, b]
    fresh = story["small"](story["Value"])
    fresh[-1].grad = 1.0
    story["pass_on"](fresh[-1])
    assert fresh[0].grad == 22 and "22, where 14 is right" in prose


def test_the_orders_of_the_small_graph(story, prose):
    for turns, expected, text in (("ybc", (7, 8), "(7.0, 8.0)"), ("ycb", (7, 14), "(7.0, 14.0)")):
        a, b, c, y = story["small"](story["Value"])
        story["run_pass"](y, [{"y": y, "b": b, "c": c}[name] for name in turns])
        assert (b.grad, a.grad) == expected and text in prose


def lab(root):
    """The nodes of a lab, and their names."""
    nodes = nodes_of(root, "order")
    return nodes, names_of(nodes)


def turns_of(names, text):
    """The places of the nodes with these one-letter names."""
    return [names.index(name) for name in text]


def test_the_order_lab_on_the_larger_graph(story, prose):
    nodes, names = lab(story["large"](autograd.Value)[-1])
    a, b, c = (names.index(name) for name in "abc")
    right = []
    for turns in itertools.permutations("yspcd"):
        if order_rules.first_broken(nodes, turns_of(names, turns)) is None:
            right.append("".join(turns))
            ends = order_rules.run(nodes, turns_of(names, turns))[-1].grads
            assert (ends[a], ends[b]) == (25, 19)
    assert sorted(right) == ["ypscd", "ypsdc", "yspcd", "yspdc"]
    assert "2. Four: y first" in prose and "yscpd" not in right
    visits = order_rules.run(nodes, turns_of(names, "yscpd"))
    early = next(visit for visit in visits if visit.node == c)
    assert early.grad == 1 and [names[i] for i in early.missing] == ["p"]
    assert (visits[-1].grads[a], visits[-1].grads[b]) == (19, 13)
    assert "At its turn c has 1, where 7 is right" in prose and "get 19 and 13, where 25 and 19 are right" in prose
    right_nodes = story["large"](autograd.Value)
    right_nodes[-1].backward()
    assert grads(right_nodes)["c"] == 7 and right_nodes[-1].data == 41


def test_the_depth_first_lab(story, prose):
    nodes, names = lab(story["large"](autograd.Value)[-1])
    events = depth_first.search(nodes)
    again = [(names[event.node], names[event.edge[0]]) for event in events if event.kind == "skip"]
    assert again == [("a", "d"), ("b", "d"), ("c", "p"), ("d", "p")]
    assert [names[i] for i in events[-1].order][:: len(nodes) - 1] == ["a", "y"]
    root = story["large"](story["Value"])[-1]
    assert len(story["recursion"](root)) == 15 and len(nodes) == 7
    assert "15 entries in place of 7" in prose and "for a and b when the search comes from d, for c and d" in prose


def test_the_order_lab_on_the_small_graph(story, prose):
    nodes, names = lab(story["small"](autograd.Value)[-1])
    a, b, c = (names.index(name) for name in "abc")
    ends = {
        choice: order_rules.run_in(nodes, choice)[-1].grads[a] or 0.0
        for choice, turns in order_rules.ORDERS.items()
        if turns
    }
    assert ends == {
        "naive recursion": 22,
        "depth-first pre-order": 8,
        "breadth-first": 8,
        "post-order, not reversed": 0,
        "reverse topological": 14,
        order_rules.PARTS: 14,
    }
    visits = order_rules.run(nodes, order_rules.breadth_first(nodes))
    assert visits[1].node == b and visits[1].grad == 4 and visits[1].missing == (c,)
    assert "b, at turn 2: c has still to add its 3. So a gets 8, and pre-order gives 8 too." in prose


def test_the_table_of_orders(story, prose):
    expected = {
        "consumers_first": (14, 25, 19),
        "recursion": (22, 29, 22),
        "pre_order": (8, 4, 3),
        "breadth_first": (8, 25, 19),
        "not_reversed": (0, 0, 0),
    }
    for name, numbers in expected.items():
        one, two = story["small"](story["Value"]), story["large"](story["Value"])
        for graph in (one, two):
            story["run_pass"](graph[-1], story[name](graph[-1]))
        assert (one[0].grad, two[0].grad, two[1].grad) == numbers
        assert f"{name:16}{numbers[0]:5.1f}{numbers[1]:8.1f}{numbers[2]:6.1f}" in prose
        assert f"| {numbers[0]} | {numbers[1]}, {numbers[2]} |" in prose  # the recap
    y, s, p, c, d, *_ = (node.label for node in story["breadth_first"](story["large"](story["Value"])[-1]))
    assert (y, {s, p}, {c, d}) == ("y", {"s", "p"}, {"c", "d"})


def slope_of_random_graph(seed):
    """a.grad of the lesson's random graph of this seed, by dual numbers."""

    def f(a):
        rng = random.Random(seed)
        start = [rng.uniform(-1, 1) for _ in range(2)]
        nodes = [autograd.Dual(start[0]), a]
        for _ in range(6):
            left, right = rng.sample([nodes[-1], rng.choice(nodes)], 2)
            nodes.append(left + right if rng.random() < 0.5 else left * right)
        return nodes[-1]

    rng = random.Random(seed)
    return forward_gradient(f, [[rng.uniform(-1, 1) for _ in range(2)][1]])[0]


def test_two_hundred_random_graphs(story, prose):
    right = story["right"]
    assert right == pytest.approx([slope_of_random_graph(seed) for seed in range(200)], rel=1e-9)
    wrong, means = {}, {"consumers_first": sum(map(abs, right)) / 200}
    for name in ("recursion", "pre_order", "breadth_first", "not_reversed"):
        found = story["gradients"](story[name])
        wrong[name] = sum(not math.isclose(got, true) for got, true in zip(found, right))
        means[name] = sum(map(abs, found)) / 200
        assert f"{name} {wrong[name]}" in prose
    assert f"pre-order is right on {200 - wrong['pre_order']} of the 200" in prose
    assert f"and breadth-first on {200 - wrong['breadth_first']}." in prose
    assert means["recursion"] > 10 * means["consumers_first"]
    assert means["breadth_first"] < means["consumers_first"] / 2


def test_what_hands_on_only_what_has_just_arrived_is_right_and_exponential(story, prose):
    for make in (story["small"], story["large"]):
        a, *_, y = make(autograd.Value)
        right, *_, root = make(autograd.Value)
        story["hand_on"](y)
        root.backward()
        assert a.grad == right.grad
    for n in range(12):
        root = story["doublings"](n)
        assert len(autograd.topological_order(root)) == n + 1
        assert story["hand_on"](root) == 2 ** (n + 1) - 1
    calls = {n: 2 ** (n + 1) - 1 for n in (10, 15, 18, 20)}
    assert str(calls) in prose and "2,047, then 65,535, 524,287 and 2,097,151" in prose
    assert list(calls.values()) == [2047, 65535, 524287, 2097151]
    assert f"{2**51 - 1:.0e}" == "2e+15" and round(2**51 / 1e6 / 3600 / 24 / 365.25) == 71
    assert "For 50 it is 2·10¹⁵. At a million calls a second that takes 71 years." in prose
    assert story["hand_on"](story["small"](autograd.Value)[-1]) == 9 and "14 is right" in prose


def test_a_sigmoid_made_of_parts(story, prose):
    slope = forward_gradient(lambda x: x.sigmoid(), [0.5])[0]
    for engine, nodes in ((story["Value"], 9), (autograd.Value, 7)):
        x = engine(0.5)
        made = 1 / (1 + (-x).exp())
        assert len(autograd.topological_order(made)) == nodes
        made.backward()
        assert x.grad == pytest.approx(slope, abs=1e-12) and f"{x.grad:.4f}" == "0.2350"
    assert "(9, 2, 0.235)" in prose and "9 and 2. The slope is 0.2350 either way" in prose


DEEPEST = """
from exercises import library, parts
names = {}
exec(library.solution("topological_order").code, names)
for n in (990, 1000):
    node = parts.fresh("functions")(1.0)
    for _ in range(n):
        node = node.tanh()
    try:
        print(len(names["inputs_first"](node)))
    except RecursionError:
        print("RecursionError")
"""


def test_the_depth_at_which_recursion_ends(story, prose):
    run = subprocess.run([sys.executable, "-c", DEEPEST], capture_output=True, encoding="utf-8", check=True)
    assert run.stdout.split() == ["991", "RecursionError"]
    assert "manages a chain of 990 in plain Python 3.11, and fails at 1,000" in prose
    assert "5000 RecursionError" in prose and "500 500" in prose
    assert "limit is 1,000 open calls" in prose
    code = library.solution("topological_order").code.replace("inputs_first", "deep_order")
    names = {}
    exec(code, names)
    line = shared.line_of(story["Value"], deep_order_check.LONG)
    assert 800 < deep_order_check.deepest(names["deep_order"], line)[1] < 1000
    node = autograd.Value(1.0)
    for _ in range(100_000):  # tests/test_depth.py has the million that the text names
        node = node.relu()
    assert len(autograd.topological_order(node)) == 100_001 and "chains of a million" in prose


def test_nodes_told_apart_by_their_number(story, prose):
    engine = next(wrong.engine for wrong in WRONG_ENGINES if wrong.id == "M20")
    for number, is_right in ((3.0, True), (2.0, False)):
        a, b = engine(2.0), engine(number)
        ((a + b) * (a * b)).backward()
        assert (a.grad == forward_gradient(lambda a, b: (a + b) * (a * b), [2.0, number])[0]) is is_right
    assert "right at a = 2, b = 3, wrong at a = 2, b = 2" in prose
    assert story["Value"].__eq__ is object.__eq__ and story["Value"].__hash__ is object.__hash__


def test_the_learners_engine_trains_the_network_of_lesson_01(story, prose):
    a, b, *_, y = story["large"](story["Value"])
    y.backward()
    assert (y.data, a.grad, b.grad) == (41, 25, 19) and "41, with the gradients 25 and 19" in prose
    assert "(41.0, 25.0, 19.0)" in prose and "(337, True)" in prose and "(0.2062, 0.1852)" in prose
    assert "from 0.2062 to about 0.185" in prose and f"ran the network {337 + 1} times" in prose
    first = lessons.prose_of(lessons.NOTEBOOKS / "01_nudges_and_slopes.ipynb")
    assert "The loss fell from 0.2062 to 0.1852, with 337 small moves at once." in first
    net = autograd.MLP(2, [16, 16, 1], rng=random.Random(5))
    parameters, error = net.parameters(), (net([1.0, -1.0]) - 1) ** 2
    error.backward()
    for engine in (story["Value"], autograd.Value, parts.stage("accumulate")["Value"]):
        network = story["network_of"](engine)
        leaves, loss = story["leaves_of"](network), story["loss"](network)
        loss.backward()
        assert len(leaves) == len(parameters) == 337 and all(isinstance(leaf, engine) for leaf in leaves)
        assert loss.data == pytest.approx(error.data, rel=1e-12)
        assert [leaf.grad for leaf in leaves] == pytest.approx([p.grad for p in parameters], rel=1e-9, abs=1e-12)


def test_a_wrong_engine_would_not_get_through_the_last_section(story):
    """What the section compares can come out wrong: with = in the rules, and with the nodes in another order."""

    engine = parts.stage("backward")
    for name, sign in (("add_rule", "__add__"), ("multiply_rule", "__mul__")):
        names = {**engine}
        exec(library.solution(name).code.replace("+=", "="), names)
        setattr(engine["Value"], sign, names[parts.BY_NAME[name].gives[0]])
    yours, package = story["network_of"](engine["Value"]), story["network_of"](autograd.Value)
    for network in (yours, package):
        story["loss"](network).backward()
    pairs = zip(story["leaves_of"](yours), story["leaves_of"](package))
    assert max(abs(one.grad - other.grad) for one, other in pairs) > 1e-3


def test_the_backward_exercise_has_the_order_whatever_was_written_before(prose):
    for wanted in ("topological_order", "inputs_first"):
        names = {}
        before = compile("def inputs_first(root):\n    return [root]", "<the cell before>", "exec")
        exec(before, names)  # a wrong answer to the exercise before
        exec(library.solution("backward").code.replace("topological_order", wanted), names)
        assert check.backward(names["backward"])
    assert "call `topological_order(self)`, or `inputs_first(self)`: the check has both" in prose


def test_the_three_classes_of_a_network_are_explained_line_by_line():
    found = exercises.explained("network")
    assert [part.name for part, _ in found.parts] == ["neuron", "layer", "mlp"]
    for part, lines in found.parts:
        assert [line for line, _ in lines] == [line for line in part.text.splitlines() if line.strip()]
    assert found.html().count("<details") == 3 and all(says for _, lines in found.parts for _, says in lines)
    with pytest.raises(ValueError, match='the "engine" or the "network", got 3'):
        exercises.explained(3)


def test_every_line_of_the_explained_engine_has_a_meaning():
    found = exercises.explained()
    shown = [part.name for part, _ in found.parts]
    assert shown == [
        *("start", "make_value", "value", "add", "multiply", "constants", "power", "subtract", "divide"),
        *("add_rule", "multiply_rule", "local_derivatives", "functions", "deep_order", "backward"),
    ]
    lines = [line for _, lines in found.parts for line, said in lines if said]
    assert lines == [
        line for name in shown for text in (parts.BY_NAME[name].text, parts.BY_NAME[name].wires)
        for line in text.splitlines() if line.strip()
    ]  # fmt: skip
    network = [line for _, lines in exercises.explained("network").parts for line, _ in lines]
    assert set(line_by_line.LINES) == {
        line.strip() for line in [*lines, *network] if not line.strip().startswith('"""')
    }  # fmt: skip
    page = found._repr_mimebundle_()["text/html"]
    assert page.count("<details") == len(shown) == 15 and "<details open" not in page
    assert "local × upstream" in page and "def backward(self):" in repr(found)


def test_the_explained_parts_are_a_whole_engine(story):
    names = {"__name__": "engine"}
    for part, lines in exercises.explained().parts:
        exec("\n".join(line for line, _ in lines), names)
        assert part.lesson <= "05"
    a, b, *_, y = story["large"](names["Value"])
    y.backward()
    assert (a.grad, b.grad) == (25, 19)


def test_the_quiz():
    data = quiz_data.load("05")
    assert quiz_data.faults(data) == []
    asked = {question.get("asks") for question in data["questions"]}
    assert {"why-topological-order", "deep-networks"} <= asked
    by_id = {question["id"]: question for question in data["questions"]}
    nodes, _ = quiz_data.graph_of(by_id["05-read-early"]["graph"])
    nodes["y"].grad = 1.0
    for name in "ybc":
        nodes[name]._backward()
    assert nodes["a"].grad == by_id["05-read-early"]["number"]["answer"] and nodes["b"].grad == 8
    nodes["b"]._backward()
    assert nodes["a"].grad == 39
    nodes, root = quiz_data.graph_of(by_id["05-valid-list"]["graph"])
    graph = shared.Graph("", root, nodes)
    for option in by_id["05-valid-list"]["options"]:
        listed = [nodes[name] for name in option["text"].split(", ")]
        assert (shared.faults(listed, graph) == []) is option.get("right", False)
    assert by_id["05-cost-of-paths"]["number"]["answer"] == 2**4 - 1
    assert 5000 / 2**12 > 1 > 5000 / 2**13  # rounds of pairs
