"""Lesson 04: every number in its text is what the engine, dual numbers or nudging give."""

import math

import pytest

import autograd
from autograd import Value
from autograd.dual import forward_gradient
from exercises import explain
from exercises.engine_file import check, parts
from exercises.engines.wrong_engines import WRONG_ENGINES
from exercises.quizzes import quiz_data
from exercises.shelf import library
from figures.graph.reader import read_graph
from figures.labs import paths, step
from tests.notebooks import Lesson

LESSON = Lesson("04", with_solutions=True)


def labelled(**numbers):
    """Leaves with these labels and numbers."""
    return [Value(number, label=name) for name, number in numbers.items()]


def passed(out, *others, upstream=1.0):
    """Call the rule of a node with this upstream gradient, then those of others."""
    out.grad = upstream
    for node in (out, *others):
        node._backward()


@pytest.mark.long
def test_a_plus_a_and_a_times_a_by_hand():
    Grown = LESSON["Value"]
    for rule, upstream, left, edges in (
        (lambda a: a + a, 10.0, 20, 2),
        (lambda a: a + a, -0.3, -0.6, 2),
        (lambda a: a * a, 1.0, 6, 2),
        (lambda a: a**2, 1.0, 6, 1),
    ):
        a = Grown(3.0)
        out = rule(a)
        passed(out, upstream=upstream)
        assert (a.grad, len(out._prev)) == (left, edges)
    assert forward_gradient(lambda a: a * a, [3.0]) == [6]
    LESSON.says("20 is 2 × 10", "whose slope at 3 is 6")
    LESSON.shows("self: 10 with =, 10 with += other: 10 with =, 20 with +=")
    a = WRONG_ENGINES[0].engine(3.0)  # M1: with = it ends at 10
    passed(a + a, upstream=10.0)
    assert a.grad == 10
    a = Grown(1.0)
    b = a + a
    passed(b + b, b)
    assert (b.grad, a.grad) == (2, 4)  # two doublings
    a = Grown(3.0)
    copy = Grown(a.data)
    passed(a * copy)
    assert (a.grad, copy.grad, copy._prev) == (3, 3, ())  # a copy is a leaf of its own


@pytest.mark.parametrize("sign, left", [("=", 3), ("+=", 8)])
def test_a_learners_rules_that_assign_keep_one_contribution_and_others_both(sign, left):
    code = library.solution("rules").code.replace("+=", sign)
    assert f"grad {sign} " in code
    [rules] = check.rules.answers(code)
    assert check.rules(rules)
    engine = parts.grown("collect", rules)
    rules.__add__.__globals__.update(engine)
    x = engine["Value"](3.0)
    q = x + 2
    y = q * x
    passed(y)
    assert x.grad == 5
    q._backward()
    assert (y.data, x.grad) == (15, left)
    assert bool(check.collect(rules)) is (sign == "+=")
    assert forward_gradient(lambda x: (x + 2) * x, [3.0]) == [8]
    LESSON.says(f"and at x = 3.01 it is {5.01 * 3.01:.4f}", "The checks of lesson 03 let `=` pass for the same reason")
    LESSON.says("If you see 8, your rules have kept both", "If you see 3, the second has silently replaced")
    LESSON.says("5 straight from the product, then 3 by way of the sum")


def test_two_consumers_by_hand_and_with_equals():
    right = forward_gradient(lambda a, b: a * b * (a + b), [-2.0, 3.0])
    LESSON.shows("rule of f: e 1, d -6, a 0, b 0 rule of d: e 1, d -6, a -6, b -6")
    LESSON.shows("rule of e: e 1, d -6, a {:g}, b {:g}".format(*right))
    LESSON.says("-6 + 3 = **{:g}** and -6 - 2 = **{:g}**".format(*right))
    a, b, e, d, f = LESSON["product_and_sum"](Value, -2.0, 3.0)
    order = autograd.topological_order(f)
    assert f.data == -6 and order.index(d) > order.index(e)  # so d is visited first
    LESSON["backward_with_equals"](f)
    assert (a.grad, b.grad) == (3, -2) and right[0] * a.grad < 0
    LESSON.shows("(3.0, -2.0)", "(-4.0, -4.0, 3.0)")


def test_the_step_lab_at_1_and_4_and_x_used_three_times():
    *_, f = LESSON["product_and_sum"](Value, 1.0, 4.0)
    order = autograd.topological_order(f)
    steps = [(order[s.input].label, s.contribution, s.after) for s in autograd.backward_steps(f) if s.kind == "chain"]
    assert sorted(arrived for label, arrived, _ in steps if label == "a") == [4, 20]
    assert {label: after for label, _, after in steps} == {"e": 5, "d": 4, "a": 24, "b": 9}
    LESSON.says("e's gradient is 5, and the multiplication scales it by b = 4. d's gradient is 4, and the addition")
    frames = step.step_backward(f, predict=True, explain=explain).recording.frames
    asked = [frame.ask for frame in frames if frame.ask]
    assert [ask["answer"] for ask in asked] == [5, 4, 4, 4, 24, 9]
    assert any(value == 20 and "One of the 2 uses forgotten" in said for value, said in asked[4]["wrong"])

    def g(x, y):
        return x * x + 3 * x * y + 1

    assert forward_gradient(g, [3.0, 1.0]) == [9, 9]
    assert forward_gradient(lambda r, s, t: r * s + 3 * t * 1.0 + 1, [3.0] * 3) == [3, 3, 3]
    root = g(*labelled(x=3.0, y=1.0))
    drawn = {node.name: (node.op, node.data) for node in read_graph(root)}
    assert (drawn["v1"], drawn["v2"]) == (("*", 9), ("", 3))
    assert check.predict(root, x=9, y=9) and not check.predict(root, x=6, y=9)
    LESSON.says("x.grad = 3 + 3 + 3 = 9, and y.grad = 3x = 9", f"it is {g(3, 1)}")


def test_the_histogram():
    added, assigned = LESSON["added"], LESSON["assigned"]
    wrong = [(right, left) for right, left in zip(added, assigned) if abs(right - left) > 1e-9]
    turned = sum(right * left < 0 for right, left in wrong)
    LESSON.says(f"{len(wrong)} of the {len(added)} are wrong, and {turned} of those even have the wrong sign")
    assert 5 < sum(map(abs, added)) / sum(map(abs, assigned)) < 6 and len(added) == len(assigned) == 900
    LESSON.says("less than a fifth")
    assert max(map(abs, assigned)) <= 1.5 < 9 < max(map(abs, added))
    for leaf in range(3):  # the same expression again, nudged
        values = []
        for nudge in (1e-6, -1e-6):
            again, node = LESSON["random_expression"](7)
            again[leaf].data += nudge
            values.append(recomputed(node))
        assert added[3 * 7 + leaf] == pytest.approx((values[0] - values[1]) / 2e-6, abs=1e-7)


def recomputed(root):
    """The value of a graph of + and * from its leaves' numbers as they are now."""
    known = {}
    for node in autograd.topological_order(root):
        numbers = [known[input] for input in node._prev]
        known[node] = node.data if not numbers else sum(numbers) if node._op == "+" else math.prod(numbers)
    return known[root]


def two_ways(join, **leaves):
    """The root of join(p, s), where p = a·b and s = b + c; its nodes as a drawing has them; and {name: place}."""
    a, b, c = labelled(**leaves)
    p, s = a * b, b + c
    f = join(p, s)
    p.label, s.label, f.label = "p", "s", "f"
    nodes = read_graph(f)
    return f, nodes, {node.name: i for i, node in enumerate(nodes)}


def test_paths_and_their_sum_and_the_path_lab():
    f, nodes, place = two_ways(lambda p, s: p + s, a=2.0, b=3.0, c=4.0)
    found = [("".join(nodes[i].name for i in p.nodes), p.locals, p.product) for p in paths.all_paths(nodes, place["b"])]
    assert found == [("bpf", (2, 1), 2), ("bsf", (1, 1), 1)] and f.data == 13
    assert [len(paths.all_paths(nodes, place[leaf])) for leaf in "ac"] == [1, 1]
    a, b, c = forward_gradient(lambda a, b, c: a * b + (b + c), [2.0, 3.0, 4.0])
    LESSON.says(f"2 + 1 = {b:g}", f"a.grad = {a:g} and c.grad = {c:g}")
    f, nodes, place = two_ways(lambda p, s: p * s, a=2.0, b=3.0, c=-1.0)
    found = paths.all_paths(nodes, place["b"])
    kept = ["".join(nodes[i].name for i in path.nodes) for path in found if path.lost is None]
    assert [path.product for path in found] == [4, 6] and kept == ["bpf"]
    f.backward()
    leaves = {node.label: node.grad for node in autograd.topological_order(f)}
    left = paths.assigned(nodes)[0]
    assert leaves["b"] == 10 and (left[place["b"]], left[place["a"]]) == (4, leaves["a"])
    LESSON.says("b → p → f is left, with 4", "the 6 would be left", paths.ASSIGN)
    asked = [frame.ask["answer"] for frame in paths.paths(f, leaf="b", predict=True).recording.frames if frame.ask]
    assert asked == [2, 4, 6, 10]


def test_doublings_and_the_quizs_numbers():
    three, ten = (LESSON["doublings"](Value(1.0, label="x"), times) for times in (3, 10))
    for times, nodes in ((3, read_graph(three)), (10, read_graph(ten))):
        assert (paths.count_paths(nodes)[0], sum(len(node.inputs) for node in nodes)) == (2**times, 2 * times)
    found = paths.all_paths(read_graph(three), 0)
    assert len(found) == 8 and {path.product for path in found} == {1}
    taken = [edge for path in found for edge in path.edges]
    assert len(taken) == 24 and len(set(taken)) == 6
    assert [taken.count((1, edge)) for edge in (0, 1)] == [4, 4]
    asked = [frame.ask["answer"] for frame in paths.paths(three, predict=True).recording.frames if frame.ask]
    assert asked == [8, 1, 8] and check.predict(ten, x=1024)
    assert 1e15 < 2**50 < 1.2e15
    LESSON.shows(f"({2.0**50}, {2**50})")
    LESSON.says(
        "1,024 paths",
        "only 20",
        f"At a billion paths a second you would walk for {2**50 / 1e9 / 86400:.0f} days",
        "take 24 edges",
    )
    asked = {question["id"]: question for question in quiz_data.load("04")["questions"]}
    names = {"Value": Value}
    exec("a = Value(3.0)\nb = Value(a.data)\nf = a * b\nf.backward()", names)
    assert names["a"].grad == 3
    a, b = Value(4), Value(5)
    LESSON["backward_with_equals"](a * b + a)
    assert a.grad == 5 and {"04-copy", "04-what-equals-leaves"} <= asked.keys()
