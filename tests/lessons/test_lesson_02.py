"""Lesson 02: every number and every fact in its text is what its cells, floats, the engine and its lab give."""

import random
import re

import pytest

import figures
from autograd.dual import forward_gradient
from autograd.topo import topological_order as nodes
from exercises.engine_file import parts, trial
from exercises.quizzes.quiz_data import load
from tests.notebooks import Lesson

LESSON = Lesson("02", with_solutions=True)
Value = trial.template_engine().Value


def arrows(root):
    """The inputs of all nodes, each as often as it is used."""
    return [input for node in nodes(root) for input in node._prev]


@pytest.mark.long
def test_a_float_forgets_and_a_record_by_hand_is_that_of_the_class():
    assert LESSON.output("result, result == 2.0 + 2.0, result == 7.0 - 3.0") == "(4.0, True, True)"
    LESSON.says("It is 4.0, and it could have come from any of the three")
    assert LESSON.output("p._prev, p._op") == "((), '')" and LESSON.output("\ne") == "Value(data=-6.0000)"
    inputs = "(Value(data=-6.0000), Value(data=10.0000))"
    assert LESSON.output("d, d._op, d._prev") == f"(Value(data=4.0000), '+', {inputs})"
    assert LESSON.output("d._prev[0]._prev") == "('*', (Value(data=2.0000), Value(data=-3.0000)))"
    LESSON.says("it is the sum of -6 and 10", "It is a product of 2 and -3", "Five boxes, four arrows")
    a, b, c = (LESSON[name] for name in "abc")
    pair = LESSON["d"], a * b + c
    assert [(len(nodes(root)), len(arrows(root)), root.data) for root in pair] == [(5, 4, 4)] * 2
    by_hand, by_class = ([node.data for node in nodes(root)] for root in pair)
    drawn = [re.sub(" +", " ", re.sub(r'label="\w+', 'label="', figures.graph_dot(root))) for root in pair]
    assert by_hand == by_class and drawn[0] == drawn[1] and "–" in drawn[0] and "grad 0" not in drawn[0]


def test_one_node_and_two_arrows_or_a_twin_or_a_set():
    a, twin = Value(2.0), Value(2.0)
    assert (a + a)._prev == (a, a) and [len(nodes(root)) for root in (a + a, a + twin)] == [2, 3]
    set_of = LESSON["twice"]
    assert set_of.data == 4 and sum(input.data for input in set_of._prev) == 2
    assert [figures.graph_dot(root).count("->") for root in (a + a, set_of)] == [2, 1]
    LESSON.says("Two boxes, two arrows", "With the twin there are three boxes: **the same number")
    LESSON.says("The number says 4, but what the record holds adds up to 2.")
    micrograd = pytest.importorskip("micrograd.engine", reason="micrograd, an engine with sets, is not installed")
    leaf = micrograd.Value(2.0)
    twice = leaf + leaf
    twice.backward()
    assert isinstance(twice._prev, set) and len(twice._prev) == 1 and leaf.grad == 2


@pytest.mark.parametrize(
    ("text", "count", "result"),
    [
        *(("x*y + 3*x", 6, 14), ("(x + y) * (x + y)", 5, 36), ("(x + y)**2", 4, 36), ("2*3*x", 3, 12)),
        *(("x*2*3", 5, 12), ("x*x*x*x", 4, 16), ("(x*x)*(x*x)", 4, 16), ("x*(x*(x*x))", 4, 16)),
        *(("x*(x*x)*x", 4, 16), ("x**4", 2, 16)),
    ],
)
def test_the_lab_at_2_and_4(text, count, result):
    marks = figures.expression(text, {"x": 2.0, "y": 4.0}).recording.frames[0].marks
    assert (int(marks["count"]["text"]), float(marks["root"]["text"])) == (count, result)


def test_the_labs_tasks_the_last_drawing_and_the_words():
    LESSON.says("Six: x, y, 3, two products and a sum", "Both give 36", "Five and four.", "Three and five.")
    LESSON.says("Four: x and three products", "With `x**4`, two.")
    y, x = LESSON["y"], LESSON["x"]
    assert y.data == pytest.approx(0.2, rel=1e-15)
    assert sorted(node._op for node in nodes(y) if node._op) == ["*", "*", "**-1", "+"]
    assert next(node for node in nodes(y) if node._prev == (x, x))
    LESSON.says("y should be 1 / 5, which is 0.2, and x has its two arrows")
    text = LESSON.written.lower().replace("ordinary", "")
    assert not re.search(r"\b(parent|child|children|simply|just|let's)\b|!(?!\[|=)", text)


def test_plain_numbers_need_a_reflected_method_and_a_power_has_one_input():
    assert LESSON.output("print(error)") == "unsupported operand type(s) for *: 'int' and 'Recorded'\n"
    half_made = parts.fresh("multiply")
    with pytest.raises(TypeError, match="unsupported operand"):
        2 * half_made(2.0)
    with pytest.raises(AttributeError, match="'int' object has no attribute 'data'"):
        parts.grown("multiply")["Product"].__mul__(half_made(2.0), 2)
    LESSON.says("your `__mul__` would ask a 2 for its `.data`, and a 2 has none")
    square = (2 * Value(2.0, label="a") + 1) ** 2
    assert square._op == "**2" and len(square._prev) == 1
    assert sorted(node.data for node in nodes(square) if not node._prev and not node.label) == [1, 2]
    LESSON.says("The 2 and the 1 are leaves without a label", "The power has one input")


def test_the_record_worked_out_again_and_the_histogram():
    assert LESSON.output("for leaf in (a, b, c)]") == "[-3.0, 2.0, 1.0]"
    slopes = forward_gradient(lambda a, b, c: a * b + c, [2.0, -3.0, 10.0])
    LESSON.says("{:g} along a, {:g} along b, and {:g} along c".format(*slopes))
    rng = random.Random(5)
    for _ in range(20):
        a, b, c = (Value(rng.uniform(-3, 3)) for _ in range(3))
        root = (a + b) * c + a
        a.data = rng.uniform(-3, 3)
        assert LESSON["work_out"](root) == (a.data + b.data) * c.data + a.data
    slopes, rng = LESSON["slopes"], random.Random(2)
    a, b, _ = zip(*[[rng.uniform(-3, 3) for _ in range(3)] for _ in range(200)])
    for found, right in zip(slopes.values(), (b, a, [1.0] * 200)):
        assert found == pytest.approx(right, abs=1e-6)
    for leaf in "ab":
        assert -3 <= min(slopes[leaf]) < -2.5 and 2.5 < max(slopes[leaf]) <= 3
        thirds = [sum(low <= slope < low + 2 for slope in slopes[leaf]) for low in (-3, -1, 1)]
        assert all(40 < count < 95 for count in thirds)  # spread out, not crowded
    LESSON.says("two hundred times", "Along c the slope is 1 every time")


def test_the_answers_of_the_quiz():
    asked = {question["id"]: question.get("number", {}).get("answer") for question in load("02")["questions"]}
    x, a, b = Value(2.0), Value(3.0), Value(5.0)
    p, q = x + 1, x * x
    assert (len(nodes(p * p)), len(nodes(a * b + a))) == (asked["02-shared-part"], asked["02-count-nodes"])
    assert len(nodes((x + 1) * (x + 1))) == 6  # the first of its wrong answers
    used = arrows(q + x)
    assert sum(input is x for input in used) == asked["02-count-arrows"] and len(used) == 4
    assert len(nodes(Value(3.0) + Value(3.0))) == 3 and asked["02-turned-round"] == 4 - 10
    assert [n for n in nodes(a * (1 / b.data)) if n is b] == [] and (a * (1 / b.data)).data == (a / b).data
