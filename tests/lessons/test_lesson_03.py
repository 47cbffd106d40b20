"""Lesson 03: its solutions are right, and every number in its text is what the engine, or nudging, gives."""

import math
import random
import re

import pytest

import autograd
import exercises
from autograd.inspect.steps import backward_steps, forward_steps
from exercises.engine_file import check, parts
from exercises.engines.wrong_engines import WRONG_ENGINES
from exercises.quizzes.quiz_data import load
from figures.labs import neuron, step
from tests import notebooks
from tests.lessons.test_notebooks import headings_of

LESSON = notebooks.Lesson("03", with_solutions=True)


def worked(numbers, *kind):
    """(the neuron's root after a pass, {label: node})."""
    root = neuron.build(numbers, *kind)
    root.backward()
    return root, {node.label: node for node in autograd.topological_order(root)}


@pytest.mark.long
def test_source_neuron_by_hand_doubling_and_the_forgetful_pass():
    found = {}
    for bias in (-1.3, 0.3):
        root, leaf = worked({"x1": 2.0, "w1": 0.5, "b": bias, "y": 5.0}, "relu", "squares")
        found |= {"z": leaf["z"].data, "output": leaf["a"].data, "loss": root.data, "b.grad": leaf["b"].grad}
        found["w.grad" if bias > 0 else "w.grad if b = -1.3"] = leaf["w1"].grad
    right = {"z": 1.3, "output": 1.3, "loss": 13.69, "w.grad": -14.8, "b.grad": -7.4, "w.grad if b = -1.3": 0.0}
    assert found == pytest.approx(right) and LESSON["by_hand"] == pytest.approx(found)
    assert LESSON["m"].grad == 20.0
    LESSON.says("The input receives 2 × 10, local × upstream", "sets them to 0.0 and to a function that does")
    LESSON.shows("(0.0, (), None)", "{'x': 1.0, 'y': 1.0, 'z': 3.0}")
    LESSON.says("right for the last operation, like z's 3, and wrong further back: x and y should have -4")


def test_no_sentence_tells_which_sign_to_write_and_wrong_engines_name_its_sections():
    """= or +=: both are right here, and lesson 04 asks. Its title alone has a +=."""
    text = LESSON.written.replace("why_plus_equals", "")
    assert text.count("+=") == 1 and "Next: [04 Fan-out: why +=]" in text
    assert "+=" not in str(load("03"))
    named = {wrong.section for wrong in WRONG_ENGINES if wrong.lesson == "03"}
    assert len(named) >= 4 and named <= set(headings_of(LESSON.path))


def labelled(**numbers):
    return [autograd.Value(number, label=name) for name, number in numbers.items()]


def test_the_predictions_and_the_tasks_of_the_step_labs():
    x, y, z = labelled(x=-2.0, y=5.0, z=-4.0)
    assert check.predict((x + y) * z, y=-4, z=3)
    said = check.predict((x + y) * z, y=1, z=3).text()
    assert "The upstream gradient forgotten" in said and "y.grad is not 1." in said
    u, v = labelled(u=1.5, v=-1.5)
    assert check.predict(u.relu() + v.relu(), u=1, v=0)
    assert "Relu's gate. This is" in check.predict(u.relu() + v.relu(), u=1, v=1).text()
    x, y, z = labelled(x=-2.0, y=5.0, z=-4.0)
    f = (x + y) * z
    order = autograd.topological_order(f)
    assert order[list(forward_steps(f))[1].node] is f and f._local[1] == 3
    assert order[list(backward_steps(f))[2].input] is z
    LESSON.says("found in the second forward step and used in the third backward step", "type 6, then 2")
    a, b, c, k = labelled(a=2.0, b=-3.0, c=10.0, k=-2.0)
    frames = step.record((a * b + c) * k, forward=False, predict=True, explain=exercises.explain).frames
    wrong = next(frame.ask["wrong"] for frame in frames if frame.ask and frame.ask["what"] == "b.grad")
    for number, said in ((6.0, "The factors not swapped."), (2.0, "The upstream gradient forgotten.")):
        (text,) = [text for value, text in wrong if value == number]
        assert said in text


@pytest.mark.long
@pytest.mark.parametrize("with_solutions", [False, True])
def test_a_sigmoid_of_the_learners_engine_has_its_gradient_without_a_rule(with_solutions):
    said = notebooks.text_of(notebooks.ran(LESSON.path, with_solutions))
    whose = "3 of the 9 parts so far are yours" if with_solutions else "all 9 parts so far are still the course's"
    assert whose in said
    out, grad, rule = map(float, re.search(r"\((0\.4013\d+), (0\.2402\d+), (0\.2402\d+)\)", said).groups())
    v = autograd.Value(-0.4)
    v.sigmoid().backward()
    assert (out, grad, rule) == pytest.approx((v.sigmoid().data, v.grad, out * (1 - out)))
    LESSON.says(f"{v.grad:.4f} should come out, which is σ(1 - σ)")


def test_the_sigmoid_cell_makes_tanh_as_its_task_asks():
    """One more step before it and two after it, each with a rule."""
    Value = parts.fresh("functions")
    z = Value(-0.4)
    twice = z * 2
    minus = twice * -1
    grown = minus.exp()
    below = 1 + grown
    sigmoid = below**-1
    double = sigmoid * 2
    tanh = double + -1
    tanh.grad = 1.0
    for node in (tanh, double, sigmoid, below, grown, minus, twice):
        node._backward()
    assert (tanh.data, z.grad) == pytest.approx((math.tanh(-0.4), 1 - math.tanh(-0.4) ** 2))
    LESSON.says(f"Does 1 - tanh(z)² come out, which is {z.grad:.4f}?")


def test_two_small_graphs():
    x, y, z, last = map(autograd.Value, (-2.0, 5.0, -4.0, 10.0))
    f, q = (x + y) * z, x + y
    f.backward()
    assert (f.data, x.grad, y.grad, z.grad) == (-12, -4, -4, 3)
    LESSON.shows("-3.99999", "2.99999")
    (q * last).backward(reset="all")
    assert (q.grad, x.grad, y.grad, last.grad) == (10, 10, 10, 3)
    LESSON.says("become 10. z.grad stays 3")
    a, b, c, k = map(autograd.Value, (2.0, -3.0, 10.0, -2.0))
    e = a * b
    d = e + c
    (d * k).backward()
    assert (c.grad, d.grad, e.grad, k.grad) == (-2, -2, -2, 4)
    LESSON.says(f"a = 2 received {a.grad:g}", f"b = -3 received {b.grad:g}")


def test_the_neuron_in_eight_steps_and_the_tanh_neuron():
    numbers = {"x1": 2.0, "x2": 3.0, "w1": 0.5, "w2": -0.5, "b": 0.1, "y": 1.0}
    kind = "sigmoid", "half_squares"
    root, node = worked(numbers, *kind)
    assert sum(bool(n._prev) for n in node.values()) == 8
    shown = [node["a"].data, root.data, *(node[name].grad for name in ("w1", "w2", "a", "z")), node["a"]._local[0]]
    found = [f"{number:.4f}" for number in shown]
    assert found == ["0.4013", "0.1792", "-0.2877", "-0.4315", "-0.5987", "-0.1438", "0.2403"]
    LESSON.says(*found)
    assert node["w2"].grad / node["w1"].grad == pytest.approx(3 / 2)
    _, near = worked(numbers | {"y": 0.4}, *kind)
    assert all(abs(n.grad) < 0.005 for n in near.values() if not n._prev)
    _, steep = worked(numbers | {"b": 0.5}, *kind)
    assert (steep["z"].data, steep["a"]._local[0]) == (0, 0.25)
    numbers = {"x1": 2.0, "x2": 0.0, "w1": -3.0, "w2": 1.0, "b": 6.8813735870195432}
    root, node = worked(numbers, "tanh", "half_squares")
    assert [node[name].grad for name in ("x1", "w1", "x2", "w2")] == pytest.approx([-1.5, 1.0, 0.5, 0.0], abs=1e-12)
    flat, _ = worked(numbers | {"b": 10.0}, "tanh", "half_squares")
    assert (f"{root.data:.4f}", flat._prev[0].data, f"{flat._local[0]:.4f}") == ("0.7071", 4, "0.0013")
    LESSON.says("w2's gradient is 0 at the start", "its local derivative is 0.0013")
    for b, is_open in ((6.1, True), (6.0, False), (5.9, False)):
        root, _ = worked(numbers | {"b": b}, "relu", "half_squares")
        assert any(n.grad for n in autograd.topological_order(root) if not n._prev) is is_open


def test_a_hundred_neurons():
    quiet = []
    for seed in range(100):
        one = autograd.Neuron(2, activation="tanh", rng=random.Random(seed))
        output = one([2.0, 3.0])
        autograd.half_squares([output], [1.0]).backward()
        assert [w.grad / one.bias.grad for w in one.weights] == pytest.approx([2, 3], rel=1e-12)
        if abs(one.bias.grad) < 0.01:
            quiet.append(output.data)
    above, below = sum(a > 0.9 for a in quiet), sum(a < -0.9 for a in quiet)
    LESSON.shows(f"{len(quiet), above, below}")
    LESSON.says(f"Of these {len(quiet)}, {above} answer above 0.9", f"The other {below} answer below -0.9")
