"""Lesson 05: every number in its text is what the engine, dual numbers or a count gives; its labs show what it says."""

import itertools
import math
import random
import re
import subprocess
import sys

import pytest

import autograd
import exercises
import figures
from autograd.dual import forward_gradient
from exercises.engine_file import check, parts, trial
from exercises.engines.wrong_engines import WRONG_ENGINES
from exercises.lessons.lesson_05 import shared
from exercises.lessons.lesson_05.deep_order import check as deep_order_check
from exercises.quizzes import quiz_data
from exercises.shelf import library
from figures.graph.reader import known_slopes
from figures.graph.stage import names_of
from figures.labs import depth_first, order_rules
from tests.labs import run
from tests.notebooks import Lesson

LESSON = Lesson("05", trains=True)
Value = trial.template_engine().Value


@pytest.mark.long
def test_the_small_graph_by_hand_and_by_naive_recursion():
    def f(a):
        return 2 * a * (2 * a + 1)

    assert (f(1.5), forward_gradient(f, [1.5]), forward_gradient(lambda b: b * (b + 1), [3.0])) == (12, [14], [7])
    nodes = LESSON["small"](autograd.Value)
    nodes[-1].backward()
    assert [node.grad for node in nodes] == [14, 7, 3, 1]
    LESSON.says("so b.grad = 7. Then a.grad = 2 · 7 = 14.", "22, where 14 is right", "so it passes on 2 · 4 = 8.")
    LESSON.says("it passes on 2 · 7 = 14, although 4 of the 7 were passed on before")
    a, *_, y = nodes = LESSON["small"](Value)
    y.grad, lines = 1.0, []
    for node in LESSON["recursion"](y):
        node._backward()
        if node in nodes[1:]:
            lines.append(f"{node.label} reads {node.grad}, and then a.grad is {a.grad}")
    assert [line[0] for line in lines] == ["y", "b", "c", "b"] and lines[1].startswith("b reads 4.0")
    assert lines[-1] == "b reads 7.0, and then a.grad is 22.0"
    LESSON.shows("\n".join(lines))
    assert LESSON.output("run_pass(y, [y, b, c])\nb.grad, a.grad") == "(7.0, 8.0)"
    assert LESSON.output("run_pass(y, [y, c, b])\nb.grad, a.grad") == "(7.0, 14.0)"


def lab(name):
    """The nodes of a lab's graph, their names, and the places of its leaves a and b, or of its nodes a, b and c."""
    nodes = known_slopes(LESSON[name](Value)[-1])
    names = names_of(nodes)
    return nodes, names, *(names.index(label) for label in "abc")


def test_the_order_lab_on_the_larger_graph():
    nodes, names, a, b, c = lab("large")

    def turns(text):
        return [names.index(name) for name in text]

    right = [text for text in itertools.permutations("yspcd") if order_rules.first_broken(nodes, turns(text)) is None]
    assert sorted(map("".join, right)) == ["ypscd", "ypsdc", "yspcd", "yspdc"]
    LESSON.says("which of these orders are right: yspcd, ypsdc, yscpd", "One is yscpd, the wrong one of the three")
    for text in right:
        ends = order_rules.run(nodes, turns(text))[-1].grads
        assert (ends[a], ends[b]) == (25, 19)
    visits = order_rules.run(nodes, turns("yscpd"))
    early, ends = next(visit for visit in visits if visit.node == c), visits[-1].grads
    assert [names[i] for i in early.missing] == ["p"]
    largest = LESSON["large"](autograd.Value)
    largest[-1].backward()
    LESSON.says(
        "2. Four: y first",
        f"At its turn c has {early.grad:g}, where {largest[2].grad:g} is right",
        f"They get {ends[a]:g} and {ends[b]:g}, where {largest[0].grad:g} and {largest[1].grad:g} are right",
    )
    assert largest[-1].data == 41


def test_the_depth_first_lab_and_breadth_first_on_the_small_graph():
    nodes, names, *_ = lab("large")
    events = depth_first.search(nodes)
    again = [names[event.node] + names[event.edge[0]] for event in events if event.kind == "skip"]
    assert again == ["ad", "bd", "cp", "dp"]
    assert [names[i] for i in events[-1].order][:: len(nodes) - 1] == ["a", "y"]
    listed = len(LESSON["recursion"](LESSON["large"](Value)[-1]))
    LESSON.says(f"{listed} entries in place of {len(nodes)}")
    LESSON.says("for a and b when the search comes from d, for c and d when it comes from p")
    # What each order ends with there, tests/figures/labs/test_order_lab.py says.
    nodes, _, _, b, c = lab("small")
    visit = order_rules.run(nodes, order_rules.breadth_first(nodes))[1]
    assert (visit.node, visit.grad, visit.missing) == (b, 4, (c,))
    LESSON.says(
        "b, at turn 2: c still has to add its 3. So a gets 8.",
        "Pre-order, which lists each node before its inputs, gives 8 too.",
        "Recursion gives 22, and the topological order, not reversed, gives 0.",
    )


def test_what_each_order_gives_on_both_graphs():
    for name, *numbers in (
        ("consumers_first", 14, 25, 19),
        ("recursion", 22, 29, 22),
        ("pre_order", 8, 4, 3),
        ("breadth_first", 8, 25, 19),
    ):
        one, two = LESSON["small"](Value), LESSON["large"](Value)
        for nodes in (one, two):
            LESSON["run_pass"](nodes[-1], LESSON[name](nodes[-1]))
        assert [one[0].grad, two[0].grad, two[1].grad] == numbers, name
    LESSON.says("On the larger graph breadth-first is right")
    assert "".join(node.label for node in LESSON["breadth_first"](LESSON["large"](Value)[-1])) == "yspcdab"


def slope_of_random_graph(seed):
    """a.grad of the lesson's random graph of this seed, by dual numbers."""
    rng = random.Random(seed)
    other, a = (rng.uniform(-1, 1) for _ in range(2))

    def f(a, rng=rng):
        nodes = [autograd.Dual(other), a]
        for _ in range(6):
            left, right = rng.sample([nodes[-1], rng.choice(nodes)], 2)
            nodes.append(left + right if rng.random() < 0.5 else left * right)
        return nodes[-1]

    return forward_gradient(f, [a])[0]


def test_two_hundred_random_graphs():
    right = LESSON["gradients"](LESSON["consumers_first"])
    assert right == pytest.approx([slope_of_random_graph(seed) for seed in range(200)], rel=1e-9)
    wrong, means = {}, {"right": sum(map(abs, right)) / 200}
    for name in ("recursion", "pre_order", "breadth_first"):
        found = LESSON["gradients"](LESSON[name])
        wrong[name] = sum(not math.isclose(got, true) for got, true in zip(found, right))
        means[name] = sum(map(abs, found)) / 200
    LESSON.says(
        f"it is right on {200 - wrong['breadth_first']} of the 200 graphs",
        f"and pre-order is on {200 - wrong['pre_order']},",
    )
    assert means["recursion"] > 10 * means["right"] and means["breadth_first"] < means["right"] / 2


@pytest.mark.long
def test_what_hands_on_only_what_has_just_arrived_is_right_and_exponential():
    for make in (LESSON["small"], LESSON["large"]):
        a, *_, y = make(autograd.Value)
        right, *_, root = make(autograd.Value)
        calls = LESSON["hand_on"](y)
        root.backward()
        assert a.grad == right.grad and (calls == 9 or make is LESSON["large"])
    for n in range(12):
        root = LESSON["doublings"](n)
        assert len(autograd.topological_order(root)) == n + 1
        assert LESSON["hand_on"](root) == 2 ** (n + 1) - 1
    calls = {n: 2 ** (n + 1) - 1 for n in (10, 15, 18, 20)}
    LESSON.shows(str(calls))
    LESSON.says("{:,}, then {:,}, {:,} and {:,}".format(*calls.values()), "14 is right")
    LESSON.says(f"a second that takes {2**51 / 1e6 / 3600 / 24 / 365.25:.0f} years.", "For 50 it is 2·10¹⁵")


def test_nodes_told_apart_by_their_number():
    engine = next(wrong.engine for wrong in WRONG_ENGINES if wrong.id == "M20")
    for number, is_right in ((3.0, True), (2.0, False)):
        a, b = engine(2.0), engine(number)
        ((a + b) * (a * b)).backward()
        assert (a.grad == forward_gradient(lambda a, b: (a + b) * (a * b), [2.0, number])[0]) is is_right
    LESSON.says("right at a = 2, b = 3, wrong at a = 2, b = 2")
    assert Value.__eq__ is object.__eq__ and Value.__hash__ is object.__hash__


DEEPEST = """
from exercises.engine_file import parts
from exercises.shelf import library
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


def test_the_depth_at_which_recursion_ends():
    run = subprocess.run([sys.executable, "-c", DEEPEST], capture_output=True, encoding="utf-8", check=True)
    assert run.stdout.split() == ["991", "RecursionError"]
    LESSON.says("usual limit is 1,000")
    LESSON.shows("5000 RecursionError", "500 500")
    names = {}
    exec(library.solution("topological_order").code.replace("inputs_first", "deep_order"), names)
    assert 800 < deep_order_check.deepest(names["deep_order"], shared.line_of(Value, deep_order_check.LONG))[1] < 1000
    node = autograd.Value(1.0)
    for _ in range(100_000):  # tests/autograd/lessons/test_depth.py has the million that the text names
        node = node.relu()
    assert len(autograd.topological_order(node)) == 100_001
    LESSON.says("chains of a million")


def test_the_learners_engine_trains_the_network_of_lesson_01():
    """Whatever engine; and one with = in its rules, and its nodes in another order, does not get through."""
    LESSON.shows("(41.0, 25.0, 19.0)", "(337, True)", "(0.2062, 0.1852)")
    LESSON.says("41, with the gradients 25 and 19", "from 0.2062 to about 0.185", f"ran the network {337 + 1} times")
    Lesson("01").says("The loss fell from 0.2062 to 0.1852, by 337 small moves at once.")
    net = autograd.MLP(2, [16, 16, 1], rng=random.Random(5))
    parameters, error = net.parameters(), (net([1.0, -1.0]) - 1) ** 2
    error.backward()
    right = [p.grad for p in parameters]
    assigning = parts.grown("backward")
    exec(library.solution("rules").code.replace("+=", "="), assigning)
    exec(parts.BY_NAME["rules"].wires, assigning)
    for engine in (Value, autograd.Value, parts.grown("accumulate")["Value"], assigning["Value"]):
        network = LESSON["network_of"](engine)
        leaves, loss = LESSON["leaves_of"](network), LESSON["loss"](network)
        loss.backward()
        assert len(leaves) == len(right) == 337 and all(isinstance(leaf, engine) for leaf in leaves)
        assert loss.data == pytest.approx(error.data, rel=1e-12)
        found = [leaf.grad for leaf in leaves]
        if engine is assigning["Value"]:
            assert max(abs(one - other) for one, other in zip(found, right)) > 1e-3
        else:
            assert found == pytest.approx(right, rel=1e-9, abs=1e-12)


def test_its_end_learns_xor_shows_what_loss_backward_is_and_pytorchs():
    lab = figures.xor(network=trial.template_engine().MLP, epochs=300, speed="full speed")
    run(lab)
    assert float(re.search(r"loss\D*(\d\.\d{4})", lab.recording.frames[-1].say)[1]) < 0.01, lab.text()
    LESSON.says("In each *epoch* it sees all four pairs of inputs. Within 300 epochs the loss should fall below 0.01.")
    LESSON.shows("This is loss.backward(): ", "the course's.")


def test_the_backward_exercise_and_the_quiz():
    for wanted in ("topological_order", "inputs_first"):
        names = {}
        before = compile("def inputs_first(root):\n    return [root]", "<the cell before>", "exec")
        exec(before, names)  # a wrong answer to the exercise before
        exec(library.solution("backward").code.replace("topological_order", wanted), names)
        assert check.backward(names["backward"])
    LESSON.says("call `topological_order(self)`, or `inputs_first(self)`: the check has both")
    by_id = {question["id"]: question for question in quiz_data.load("05")["questions"]}
    assert {"why-topological-order", "deep-networks"} <= {question.get("asks") for question in by_id.values()}
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


def test_the_parts_of_the_explained_engine_are_together_an_engine():
    engine, network = exercises.explained(), exercises.explained("network")
    shown = [part.name for part, _ in engine.parts]
    assert shown == [
        *("start", "make_value", "value", "add", "multiply", "constants", "power", "subtract", "divide"),
        *("rules", "power_rule", "relu", "functions", "sigmoid", "deep_order", "backward"),
    ]
    assert [part.name for part, _ in network.parts] == ["neuron", "layer", "mlp"]
    page = engine._repr_mimebundle_()["text/html"]
    assert (page.count("<details"), network.html().count("<details")) == (16, 3) and "<details open" not in page
    assert "local × upstream" in page and "def backward(self):" in repr(engine)
    with pytest.raises(ValueError, match='the "engine" or the "network", got 3'):
        exercises.explained(3)
    names = {"__name__": "engine"}
    for part, lines in exercises.explained().parts:
        exec("\n".join(line for line, _ in lines), names)
        assert part.lesson <= "05"
    a, b, *_, y = LESSON["large"](names["Value"])
    y.backward()
    assert (a.grad, b.grad) == (25, 19)
