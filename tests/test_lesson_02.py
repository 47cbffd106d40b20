"""Lesson 02: every number and every fact in its text is what its cells, floats, the engine and its lab give."""

import math
import random
import re

import pytest

import autograd
import figures
from autograd.dual import forward_gradient
from exercises import course_engine
from exercises.engine_file import parts
from exercises.quizzes.quiz_data import faults, load
from tests import lessons

PATH = lessons.NOTEBOOKS / "02_a_value_that_remembers.ipynb"


@pytest.fixture(scope="module")
def names():
    """The names that the solved lesson's cells define."""
    return lessons.names_of(PATH)


@pytest.fixture(scope="module")
def cells():
    """(source, printed text) of each code cell, run unsolved."""
    found = []
    for cell in lessons.cells(lessons.ran(PATH), "code"):
        printed = "".join(o.get("text", "") or o.get("data", {}).get("text/plain", "") for o in cell.outputs)
        found.append((cell.source, printed))
    return found


def printed(cells, ending):
    """What the cells print whose source ends so, in their order."""
    return [text for source, text in cells if source.endswith(ending)]


def nodes(root):
    """All nodes that a Value depends on, itself among them."""
    found, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        if all(node is not other for other in found):
            found.append(node)
            waiting += node._prev
    return found


def in_lab(text):
    """(nodes, result) that the expression lab shows for a text at x = 2, y = 4."""
    marks = figures.expression(text, {"x": 2.0, "y": 4.0}).recording.frames[0].marks
    return int(marks["count"]["text"]), float(marks["root"]["text"])


def test_a_float_forgets(cells, prose):
    assert 2.0 * -3.0 + 10.0 == 4.0 == 2.0 + 2.0 == 7.0 - 3.0
    assert printed(cells, "result, result == 2.0 + 2.0, result == 7.0 - 3.0") == ["(4.0, True, True)"]
    assert "It is 4.0, and it may have been any of the three" in prose


def test_a_number_keeps_its_number_alone(cells, prose):
    assert vars(course_engine().Number(-6.0)) == {"data": -6.0}
    assert printed(cells, "vars(product)") == ["(Value(data=-6.0000), {'data': -6.0})"]
    assert "-6 is all it keeps" in prose


def test_by_hand_frame_by_frame(cells, prose):
    assert printed(cells, "p._prev, p._op") == ["((), '')"]
    assert printed(cells, "\ne") == ["Value(data=-6.0000)"]
    assert printed(cells, "d, d._op, d._prev") == [
        "(Value(data=4.0000), '+', (Value(data=-6.0000), Value(data=10.0000)))"
    ]
    assert printed(cells, "d._prev[0]._prev") == ["('*', (Value(data=2.0000), Value(data=-3.0000)))"]
    assert "It prints as `Value(…)`, as every Number does." in prose
    assert "it is a sum, of -6 and 10" in prose and "It is a product of 2 and -3" in prose


def test_five_boxes_four_arrows_by_hand_and_by_the_class(names, prose):
    a, b, c = (names[name] for name in "abc")
    by_hand = names["d"]
    assert [node.data for node in nodes(by_hand)] == [node.data for node in nodes(a * b + c)]
    for root in (by_hand, a * b + c):
        assert len(nodes(root)) == 5 and sum(len(node._prev) for node in nodes(root)) == 4
        assert root.data == 4
    dots = [re.sub(r'label="\w+', 'label="', figures.graph_dot(root)) for root in (by_hand, a * b + c)]
    assert re.sub(" +", " ", dots[0]) == re.sub(" +", " ", dots[1])
    assert "Five boxes, four arrows" in prose
    assert "–" in figures.graph_dot(by_hand) and "grad 0" not in figures.graph_dot(by_hand)


def test_a_plus_a_and_a_twin(prose):
    Value = course_engine().Value
    a, twin = Value(2.0), Value(2.0)
    twice, apart = a + a, a + twin
    assert twice._prev == (a, a) and len(nodes(twice)) == 2
    assert len(nodes(apart)) == 3 and a.data == twin.data and a is not twin
    assert figures.graph_dot(twice).count("->") == 2
    assert "Two boxes, two arrows" in prose and "Three boxes: **the same number" in prose


def test_the_lab_and_its_tasks(prose):
    assert in_lab("x*y + 3*x") == (6, 14) and "Six: x, y, 3, two products and a sum" in prose
    assert in_lab("(x + y) * (x + y)") == (5, 36) and in_lab("(x + y)**2") == (4, 36)
    assert "Both give 36" in prose and "Five and four." in prose
    assert in_lab("2*3*x") == (3, 12) and in_lab("x*2*3") == (5, 12) and "Three and five." in prose
    for text in ("x*x*x*x", "(x*x)*(x*x)", "x*(x*(x*x))", "x*(x*x)*x"):
        assert in_lab(text) == (4, 16)
    assert in_lab("x**4") == (2, 16) and "Four: x and three products" in prose and "With `x**4`, two." in prose
    x = autograd.Value(2.0)
    shared = x + 4.0
    assert len(nodes(shared * shared)) == len(nodes((x + 4.0) * (x + 4.0))) - 2


def test_plain_numbers_need_a_reflected_method(cells, prose):
    assert printed(cells, "print(error)") == ["unsupported operand type(s) for *: 'int' and 'Recorded'\n"]
    Value = parts.fresh("multiply")
    with pytest.raises(TypeError, match="unsupported operand"):
        2 * Value(2.0)
    with pytest.raises(AttributeError, match="'int' object has no attribute 'data'"):
        parts.stage("multiply")["multiply"](Value(2.0), 2)
    assert "`multiply(p, 2)` asks 2 for its `.data`, and it has none" in prose
    Value = course_engine().Value
    root = 2 * Value(2.0, label="a") + 1
    assert len(nodes(root)) == 5 and "Five nodes. The 2 and the 1 are leaves without a label" in prose
    assert sorted(n.data for n in nodes(root) if not n._prev and not n.label) == [1, 2]


def test_a_power_has_one_input(cells, prose):
    assert printed(cells, "power(a, 2)._op") == ["(Value(data=4.0000), (Value(data=2.0000),), '**2')"]
    assert "A power has one input" in prose


def test_the_record_worked_out_again(cells, names, prose):
    assert printed(cells, "\nfound") == ["(4.0, 1.0)"]
    assert 3 * -3 + 10 == 1 and "3 · (-3) + 10 = 1" in prose
    assert printed(cells, "for leaf in (a, b, c)]") == ["[-3.0, 2.0, 1.0]"]
    assert forward_gradient(lambda a, b, c: a * b + c, [2.0, -3.0, 10.0]) == [-3, 2, 1]
    assert "-3 along a, 2 along b, and 1 along c" in prose
    Value, rng = course_engine().Value, random.Random(5)
    for _ in range(20):
        a, b, c = (Value(rng.uniform(-3, 3)) for _ in range(3))
        root = (a + b) * c + a
        a.data = rng.uniform(-3, 3)
        assert names["work_out"](root) == (a.data + b.data) * c.data + a.data


def test_the_histogram_shows_what_the_text_says(names, prose):
    slopes = names["slopes"]
    assert all(len(found) == 200 for found in slopes.values()) and "two hundred times" in prose
    assert slopes["c"] == pytest.approx([1.0] * 200, abs=1e-6)
    for leaf in "ab":
        assert -3 <= min(slopes[leaf]) < -2.5 and 2.5 < max(slopes[leaf]) <= 3
        thirds = [sum(low <= slope < low + 2 for slope in slopes[leaf]) for low in (-3, -1, 1)]
        assert all(40 < count < 95 for count in thirds)  # spread out, not crowded
    rng = random.Random(2)
    drawn = [[rng.uniform(-3, 3) for _ in range(3)] for _ in range(200)]
    assert slopes["a"] == pytest.approx([b for _, b, _ in drawn], abs=1e-6)
    assert slopes["b"] == pytest.approx([a for a, _, _ in drawn], abs=1e-6)
    assert "Along c the slope is 1 every time" in prose


def test_a_set_loses_an_arrow(names, prose):
    twice = names["twice"]
    assert twice.data == 4 and sum(input.data for input in twice._prev) == 2
    assert figures.graph_dot(twice).count("->") == 1
    assert "The number says 4, but what the record holds adds up to 2." in prose


def test_an_engine_with_sets_has_right_gradients_and_one_arrow():
    micrograd = pytest.importorskip("micrograd.engine", reason="micrograd, an engine with sets, is not installed")
    a = micrograd.Value(2.0)
    twice = a + a
    twice.backward()
    assert isinstance(twice._prev, set) and len(twice._prev) == 1 and a.grad == 2


def test_the_last_drawing(names, prose):
    y, x = names["y"], names["x"]
    assert y.data == pytest.approx(0.2, rel=1e-15) and "y should be 1 / 5, which is 0.2" in prose
    assert sorted(node._op for node in nodes(y) if node._op) == ["*", "*", "**-1", "+"]
    assert next(node for node in nodes(y) if node._prev == (x, x))
    in_the_lab = autograd.Value(1.0) / autograd.Value(5.0)
    assert in_the_lab._op == "/" and "The lab's engine has a node for `/`" in prose


def test_the_sigmoid_found_in_print_raises(prose):
    """`1 / (1 + (-self).exp())` in a class with + * ** and their reflected forms, but no reflected division."""

    Printed = parts.fresh("functions")
    del Printed.__rtruediv__
    Printed.sigmoid = lambda self: 1 / (1 + (-self).exp())
    with pytest.raises(TypeError, match="unsupported operand"):
        Printed(0.5).sigmoid()
    v = course_engine().Value(0.5)
    assert (1 / (1 + (-v).exp())).data == pytest.approx(1 / (1 + math.exp(-0.5)), rel=1e-15)
    assert "`1 / (1 + (-self).exp())`" in prose and "raises a TypeError" in prose


def test_reflected_methods_turned_round():
    class Turned(course_engine().Value):
        def __rsub__(self, other):
            return self - other

        def __rtruediv__(self, other):
            return self / other

    assert ((1 - Turned(4.0)).data, (1 / Turned(4.0)).data) == (3, 4)  # v - 1 and v / 1
    assert (10 - Turned(4.0)).data == -6  # as in the quiz


def test_the_questions_are_well_made_and_their_answers_true():
    assert faults(load("02")) == []
    asked = {question["id"]: question for question in load("02")["questions"]}
    Value = course_engine().Value
    x, a, b = Value(2.0), Value(3.0), Value(5.0)
    p = x + 1
    assert len(nodes(p * p)) == asked["02-shared-part"]["number"]["answer"]
    assert len(nodes((x + 1) * (x + 1))) == 6  # the first of its wrong answers
    assert len(nodes(a * b + a)) == asked["02-count-nodes"]["number"]["answer"]
    q = x * x
    f = q + x
    arrows = [input for node in nodes(f) for input in node._prev]
    assert sum(input is x for input in arrows) == asked["02-count-arrows"]["number"]["answer"] and len(arrows) == 4
    assert len(nodes(Value(3.0) + Value(3.0))) == 3
    assert asked["02-turned-round"]["number"]["answer"] == 4 - 10
    assert [n for n in nodes(a * (1 / b.data)) if n is b] == [] and (a * (1 / b.data)).data == (a / b).data


def test_words_of_other_vocabularies_are_not_used():
    text = "\n".join(cell.source for cell in lessons.cells(lessons.read(PATH), "markdown")).lower()
    assert not re.search(r"\b(parent|child|children|simply|just|let's)\b|!(?!\[)", text.replace("ordinary", ""))
