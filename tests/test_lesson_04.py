"""Lesson 04: every number in its text is what the engine, dual numbers or nudging give."""

import math
import random

import pytest

import autograd
from autograd import Value
from autograd.dual import forward_gradient
from exercises import explain
from exercises.engine_file import check, parts
from exercises.engines.wrong_engines import WRONG_ENGINES
from exercises.shelf import library
from figures.graph.reader import read_graph
from figures.labs import paths, step
from tests import lessons

PATH = lessons.NOTEBOOKS / "04_fan_out_why_plus_equals.ipynb"


@pytest.fixture(scope="module")
def names():
    """The names that the solved lesson defines."""
    return lessons.names_of(PATH)


def labelled(**numbers):
    """Leaves with these labels and numbers."""
    return [Value(number, label=name) for name, number in numbers.items()]


def product_and_sum(a, b):
    """(a·b)·(a + b), and its two factors."""
    e, d = a * b, a + b
    f = e * d
    e.label, d.label, f.label = "e", "d", "f"
    return f, e, d


def with_equals(engine, function, numbers):
    """The gradients that an engine leaves for a function of numbers."""
    leaves = [engine(number) for number in numbers]
    function(*leaves).backward()
    return [leaf.grad for leaf in leaves]


def test_a_plus_a_and_a_times_a_by_hand(names, prose):
    Grown = names["Value"]
    for upstream in (10.0, -0.3):
        a = Grown(3.0)
        b = a + a
        b.grad = upstream
        b._backward()
        assert a.grad == 2 * upstream
    a = Grown(3.0)
    square = a * a
    square.grad = 1.0
    square._backward()
    assert [a.grad] == forward_gradient(lambda a: a * a, [3.0]) == [6]
    assert "20 is 2 × 10" in prose and "whose slope at 3 is 6" in prose
    assert "after the line for self: 10 with =, 10 with +=\nafter the line for other: 10 with =, 20 with +=" in prose
    power = Grown(3.0)
    out = power**2
    assert (len(out._prev), len(square._prev)) == (1, 2)
    out.grad = 1.0
    out._backward()
    assert power.grad == 6


@pytest.mark.parametrize("sign, left", [("=", 3), ("+=", 8)])
def test_a_learners_rules_that_assign_keep_one_contribution_and_others_both(sign, left, prose):
    names = {}
    for name in ("add_rule", "multiply_rule"):
        code = library.solution(name).code.replace("+=", sign)
        assert f"grad {sign} " in code
        exec(code, names)
    engine = parts.stage("collect", names["add_with_rule"], names["multiply_with_rule"])
    names["Value"], names["as_value"] = engine["Value"], engine["as_value"]
    x = engine["Value"](3.0)
    q = x + 2
    y = q * x
    y.grad = 1.0
    y._backward()
    assert x.grad == 5
    q._backward()
    assert (y.data, x.grad) == (15, left)
    assert forward_gradient(lambda x: (x + 2) * x, [3.0]) == [8] and round(5.01 * 3.01, 4) == 15.0801
    assert "If you see 8, your rules have kept both" in prose and "If you see 3, the second has replaced" in prose
    assert "5 straight from the product, then 3 by way of the sum" in prose
    assert bool(check.collect(names["add_with_rule"], names["multiply_with_rule"])) is (sign == "+=")


def test_the_checks_of_lesson_03_let_equals_pass(prose):
    for name in ("add_rule", "multiply_rule"):
        names = {}
        exec(library.solution(name).code.replace("+=", "="), names)
        assert getattr(check, name)(names[parts.BY_NAME[name].gives[0]])
    assert "the checks of lesson 03 let `=` pass, too" in prose


def test_with_equals_a_plus_a_ends_at_g():
    engine = next(wrong.engine for wrong in WRONG_ENGINES if wrong.id == "M1")
    a = engine(3.0)
    b = a + a
    b.grad = 10.0
    b._backward()
    assert a.grad == 10


def test_two_consumers_by_hand(names, prose):
    a, b = names["Value"](-2.0), names["Value"](3.0)
    f, e, d = product_and_sum(a, b)
    f.grad = 1.0
    f._backward()
    assert (f.data, e.grad, d.grad) == (-6, 1, -6)
    d._backward()
    assert (a.grad, b.grad) == (-6, -6)
    e._backward()
    assert [a.grad, b.grad] == forward_gradient(lambda a, b: a * b * (a + b), [-2.0, 3.0]) == [-3, -8]
    for node, held in (("f", " 0, b  0"), ("d", "-6, b -6"), ("e", "-3, b -8")):
        assert f"rule of {node}: e  1, d -6, a {held}" in prose
    assert "-2.99999" in prose


def test_the_step_lab_at_1_and_4(prose):
    f, _, _ = product_and_sum(*labelled(a=1.0, b=4.0))
    order = autograd.topological_order(f)
    arrived = [
        (order[s.input].label, s.contribution) for s in autograd.backward_steps(f) if s.kind == "chain" and s.input < 2
    ]
    assert sorted(n for label, n in arrived if label == "a") == [4, 20]
    steps = [s for s in autograd.backward_steps(f) if s.kind == "chain"]
    assert {order[s.input].label: s.after for s in steps} == {"e": 5, "d": 4, "a": 24, "b": 9}
    assert "20 comes through e, 4 through d" in prose


def test_the_step_lab_asks_and_explains():
    f, _, _ = product_and_sum(*labelled(a=1.0, b=4.0))
    frames = step.step_backward(f, predict=True, explain=explain).recording.frames
    asked = [frame.ask for frame in frames if frame.ask]
    assert [ask["answer"] for ask in asked] == [5, 4, 4, 4, 24, 9]
    assert any(value == 20 and "One of the 2 uses forgotten" in said for value, said in asked[4]["wrong"])


def test_x_used_three_times(prose):
    def g(x, y):
        return x * x + 3 * x * y + 1

    assert g(3, 1) == 19
    assert forward_gradient(g, [3.0, 1.0]) == [9, 9]
    assert forward_gradient(lambda r, s, t: r * s + 3 * t * 1.0 + 1, [3.0] * 3) == [3, 3, 3]
    x, y = labelled(x=3.0, y=1.0)
    root = g(x, y)
    drawn = {node.name: node for node in read_graph(root)}
    assert (drawn["v1"].op, drawn["v1"].data, drawn["v2"].op, drawn["v2"].data) == ("*", 9, "", 3)
    assert check.predict(root, x=9, y=9)
    assert not check.predict(root, x=6, y=9)
    assert "x.grad = 3 + 3 + 3 = 9" in prose and "it is 19" in prose


def test_the_pass_with_equals(names, prose):
    backward = names["backward_with_equals"]
    a, b = labelled(a=-2.0, b=3.0)
    f, e, d = product_and_sum(a, b)
    order = autograd.topological_order(f)
    assert order.index(d) > order.index(e)  # so d is visited first
    backward(f)
    assert (a.grad, b.grad) == (3, -2)
    right = forward_gradient(lambda a, b: a * b * (a + b), [-2.0, 3.0])
    assert right[0] * a.grad < 0
    x, y, z = map(Value, (-2.0, 5.0, -4.0))
    backward((x + y) * z)
    assert (x.grad, y.grad, z.grad) == (-4, -4, 3)
    assert "(3.0, -2.0)" in prose and "(-4.0, -4.0, 3.0)" in prose


@pytest.mark.parametrize("wrong", WRONG_ENGINES[:4], ids=lambda wrong: wrong.id)
def test_equals_goes_through_where_nothing_fans_out(wrong):
    """Trees of the kind that checks in print use: M1 to M4 pass them all, and fail where a node is used twice."""
    rng = random.Random(4)
    trees = [lambda a, b, c: a * b + c, lambda a, b, c: (a + b) * c, lambda a, b, c: (a * b + c).tanh().exp()]
    for tree in trees:
        numbers = [rng.uniform(-2, 2) for _ in range(3)]
        assert with_equals(wrong.engine, tree, numbers) == pytest.approx(forward_gradient(tree, numbers), rel=1e-12)


def test_the_histogram(names, prose):
    added, assigned = names["added"], names["assigned"]
    assert len(added) == len(assigned) == 900
    wrong = [(right, left) for right, left in zip(added, assigned) if abs(right - left) > 1e-9]
    turned = sum(right * left < 0 for right, left in wrong)
    assert f"{len(wrong)} of the 900 are wrong, and {turned} of these have the wrong sign" in prose
    size = [sum(map(abs, found)) / 900 for found in (added, assigned)]
    assert 5 < size[0] / size[1] < 6 and "less than a fifth" in prose
    assert max(map(abs, assigned)) <= 1.5 < 9 < max(map(abs, added))
    leaves, root = names["random_expression"](7)
    root.backward()
    found = [leaf.grad for leaf in leaves]
    nudged = []
    for leaf in leaves:  # the same expression again, nudged
        values = []
        for nudge in (1e-6, -1e-6):
            again, node = names["random_expression"](7)
            again[leaves.index(leaf)].data += nudge
            values.append(recomputed(node))
        nudged.append((values[0] - values[1]) / 2e-6)
    assert found == pytest.approx(nudged, abs=1e-7)


def recomputed(root):
    """The value of a graph of + and * from its leaves' numbers as they are now."""
    known = {}
    for node in autograd.topological_order(root):
        numbers = [known[input] for input in node._prev]
        known[node] = node.data if not numbers else sum(numbers) if node._op == "+" else math.prod(numbers)
    return known[root]


def test_paths_and_their_sum(prose):
    a, b, c = labelled(a=2.0, b=3.0, c=4.0)
    p, s = a * b, b + c
    f = p + s
    p.label, s.label, f.label = "p", "s", "f"
    assert f.data == 13
    assert forward_gradient(lambda a, b, c: a * b + (b + c), [2.0, 3.0, 4.0]) == [3, 3, 1]
    nodes = read_graph(f)
    place = {node.name: i for i, node in enumerate(nodes)}
    found = paths.all_paths(nodes, place["b"])
    assert [([nodes[i].name for i in path.nodes], path.locals, path.product) for path in found] == [
        (["b", "p", "f"], (2, 1), 2),
        (["b", "s", "f"], (1, 1), 1),
    ]
    assert [len(paths.all_paths(nodes, place[leaf])) for leaf in "ac"] == [1, 1]
    assert "2 + 1 = 3" in prose and "a.grad = 3 and c.grad = 1" in prose


def test_the_path_lab(prose):
    a, b, c = labelled(a=2.0, b=3.0, c=-1.0)
    p, s = a * b, b + c
    f = p * s
    p.label, s.label, f.label = "p", "s", "f"
    nodes = read_graph(f)
    place = {node.name: i for i, node in enumerate(nodes)}
    found = paths.all_paths(nodes, place["b"])
    assert [path.product for path in found] == [4, 6]
    kept = [[nodes[i].name for i in path.nodes] for path in found if path.lost is None]
    assert kept == [["b", "p", "f"]] and paths.assigned(nodes)[0][place["b"]] == 4
    f.backward()
    assert b.grad == 10 and paths.assigned(nodes)[0][place["a"]] == a.grad
    assert "b → p → f is left, with 4" in prose and "the 6 would be left" in prose and paths.ASSIGN in prose
    asked = [frame.ask["answer"] for frame in paths.paths(f, leaf="b", predict=True).recording.frames if frame.ask]
    assert asked == [2, 4, 6, 10]


def test_doublings(names, prose):
    doublings = names["doublings"]
    for times in (3, 10):
        root = doublings(Value(1.0, label="x"), times)
        nodes = read_graph(root)
        assert paths.count_paths(nodes)[0] == 2**times
        assert sum(len(node.inputs) for node in nodes) == 2 * times
    root = doublings(Value(1.0, label="x"), 3)
    found = paths.all_paths(read_graph(root), 0)
    assert len(found) == 8 and {path.product for path in found} == {1}
    taken = [edge for path in found for edge in path.edges]
    assert len(taken) == 24 and len(set(taken)) == 6
    assert [taken.count((1, edge)) for edge in (0, 1)] == [4, 4]
    asked = [frame.ask["answer"] for frame in paths.paths(root, predict=True).recording.frames if frame.ask]
    assert asked == [8, 1, 8]
    assert check.predict(doublings(Value(1.0, label="x"), 10), x=1024)
    x = Value(1.0)
    doublings(x, 50).backward()
    assert x.grad == 2**50 and 1e15 < x.grad < 1.2e15
    assert round(2**50 / 1e9 / 86400) == 13
    assert all(said in prose for said in ("1,024 paths", "only 20", "13 days", "take 24 edges", "(1125899906842624.0,"))


def test_two_doublings_by_hand(names):
    a = names["Value"](1.0)
    b = a + a
    c = b + b
    c.grad = 1.0
    c._backward()
    b._backward()
    assert (b.grad, a.grad) == (2, 4)


def test_a_copy_is_a_leaf_of_its_own(names):
    a = names["Value"](3.0)
    copy = names["Value"](a.data)
    f = a * copy
    f.grad = 1.0
    f._backward()
    assert (a.grad, copy.grad, copy._prev) == (3, 3, ())


def test_expected_wrong_answers_of_the_teachers_note(names):
    assert "a power has one edge" in check.equals_is_wrong(lambda a, b: a + b**2).text()
    assert "a has 2 consumers" in check.equals_is_wrong(lambda a, b: (a + b) * (a + b)).text()
    assert "two uses taken as one" in check.used_three_times([-3, 8], names["gradient_from_paths"]).text()


QUIZ_CODE = {"04-what-equals-leaves": 5, "04-copy": 3}


@pytest.mark.parametrize("engine", ["right", "="])
def test_the_quizs_numbers(engine):
    names = {"Value": Value}
    if engine == "right":
        exec("a = Value(3.0)\nb = Value(a.data)\nf = a * b\nf.backward()", names)
        assert names["a"].grad == QUIZ_CODE["04-copy"]
        assert forward_gradient(lambda a: a * a, [5.0])[0] * 2 == 20
    else:
        a, b = Value(4), Value(5)
        d = a * b
        lessons.names_of(PATH)["backward_with_equals"](d + a)
        assert a.grad == QUIZ_CODE["04-what-equals-leaves"]
