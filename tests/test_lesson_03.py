"""Lesson 03: its solutions are right, and every number in its text is what the engine, or nudging, gives."""

import random

import pytest

import autograd
import exercises
from autograd.dual import Dual, forward_gradient
from autograd.steps import backward_steps, forward_steps
from exercises.engine_file import check
from exercises.engines.wrong_engines import WRONG_ENGINES
from exercises.quizzes.quiz_data import load
from figures.labs import neuron, step
from tests import lessons
from tests.test_notebooks import headings_of

PATH = lessons.NOTEBOOKS / "03_local_rules_one_step_at_a_time.ipynb"


@pytest.fixture(scope="module")
def answers():
    """The names that the solved lesson's cells define."""
    return lessons.names_of(PATH)


@pytest.mark.parametrize("sign", ["+", "*"])
def test_the_rules_of_two_inputs_in_the_lessons_value(answers, sign):
    Value, rng = answers["Value"], random.Random(3)
    apply = {"+": lambda a, b: a + b, "*": lambda a, b: a * b}[sign]
    for _ in range(20):
        numbers, upstream = [rng.uniform(-3, 3) for _ in range(2)], rng.uniform(-3, 3)
        inputs = [Value(n) for n in numbers]
        out = apply(*inputs)
        out.grad = upstream
        out._backward()
        expected = [upstream * slope for slope in forward_gradient(apply, numbers)]
        assert [v.grad for v in inputs] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("op", ["**", "exp", "log", "tanh", "sigmoid", "relu"])
def test_solved_local_derivatives_and_the_methods_of_the_lessons_value(answers, op):
    for x in (0.7, 2.0) if op == "log" else (-0.7, 0.7, 2.0):
        dual = Dual(x, 1.0) ** 3 if op == "**" else getattr(Dual(x, 1.0), op)()
        found = answers["local_derivative"](op, x, dual.value, n=3)
        assert found == pytest.approx(dual.derivative, rel=1e-12)
        leaf = answers["Value"](x)
        out = leaf**3 if op == "**" else getattr(leaf, op)()
        out.grad = 10.0
        out._backward()
        assert (out.data, leaf.grad) == pytest.approx((dual.value, 10 * dual.derivative), rel=1e-12)


def test_source_neuron_by_hand(answers):
    found = {}
    for bias in (-1.3, 0.3):
        root = neuron.build({"x1": 2.0, "w1": 0.5, "b": bias, "y": 5.0}, "relu", "squares")
        root.backward()
        leaf = {node.label: node for node in autograd.topological_order(root)}
        found |= {"z": leaf["z"].data, "output": leaf["a"].data, "loss": root.data, "b.grad": leaf["b"].grad}
        found["w.grad" if bias > 0 else "w.grad if b = -1.3"] = leaf["w1"].grad
    right = {"z": 1.3, "output": 1.3, "loss": 13.69, "w.grad": -14.8, "b.grad": -7.4, "w.grad if b = -1.3": 0.0}
    assert found == pytest.approx(right) and answers["by_hand"] == pytest.approx(found)
    assert root.data == pytest.approx(13.69) and (0.0 - 5) ** 2 == 25


def test_the_worked_rule_of_doubling(answers, prose):
    assert answers["m"].grad == 20.0 and "2 × 10, local × upstream, is what the input receives" in prose
    assert "(0.0, (), None)" in prose and "sets them to 0.0 and to a function that does nothing" in prose


def test_no_cell_and_no_sentence_tells_which_of_two_signs_to_write():
    """= or +=: both are right here, and lesson 04 asks. Its title alone has a +=."""
    notebook = lessons.read(PATH)
    text = "\n".join(cell.source for cell in notebook.cells).replace("why_plus_equals", "")
    assert text.count("+=") == 1 and "Next: [04 Fan-out: why +=]" in text
    assert "+=" not in str(load("03"))


def test_the_predictions_that_the_lesson_asks_for(answers):
    x, y, z = (autograd.Value(n, label=name) for n, name in ((-2.0, "x"), (5.0, "y"), (-4.0, "z")))
    assert check.predict((x + y) * z, y=-4, z=3)
    said = check.predict((x + y) * z, y=1, z=3).text()
    assert "The upstream gradient forgotten" in said and "y.grad is not 1." in said
    u, v = autograd.Value(1.5, label="u"), autograd.Value(-1.5, label="v")
    assert check.predict(u.relu() + v.relu(), u=1, v=0)
    assert "Relu's gate. This is" in check.predict(u.relu() + v.relu(), u=1, v=1).text()


def test_the_steps_that_the_first_task_asks_for(prose):
    x, y, z = (autograd.Value(n, label=name) for n, name in ((-2.0, "x"), (5.0, "y"), (-4.0, "z")))
    f = (x + y) * z
    forward = [one.node for one in forward_steps(f)]
    order = autograd.topological_order(f)
    assert order[forward[1]] is f and f._local[1] == 3
    assert order[list(backward_steps(f))[2].input] is z
    assert "found in the second forward step and used in the third backward step" in prose


def test_the_numbers_that_the_second_task_asks_to_type(prose):
    a, b = autograd.Value(2.0, label="a"), autograd.Value(-3.0, label="b")
    c, k = autograd.Value(10.0, label="c"), autograd.Value(-2.0, label="k")
    frames = step.record((a * b + c) * k, forward=False, predict=True, explain=exercises.explain).frames
    at_b = next(frame.ask for frame in frames if frame.ask and frame.ask["what"] == "b.grad")
    said = {number: [text for value, text in at_b["wrong"] if value == number] for number in (6.0, 2.0)}
    assert len(said[6.0]) == 1 and "The local derivative at the wrong number." in said[6.0][0]
    assert len(said[2.0]) == 1 and "The upstream gradient forgotten." in said[2.0][0]
    assert "type 6, then 2" in prose


@pytest.mark.parametrize("with_solutions", [False, True])
def test_the_learners_engine_finds_the_gradients_again(with_solutions, prose):
    said = lessons.text_of(lessons.ran(PATH, with_solutions))
    assert "((-4.0, 3.0), (-4.0, -4.0))" in said
    whose = "3 of the 9 parts so far are yours" if with_solutions else "all 9 parts so far are still the course's"
    assert whose in said
    assert "-4 and 3 should come out for q and z, then -4 and -4 for x and y" in prose


def test_the_sections_that_wrong_engines_name_are_here():
    headings = set(headings_of(PATH))
    named = {wrong.section for wrong in WRONG_ENGINES if wrong.lesson == "03"}
    assert len(named) >= 4 and named <= headings


def test_x_plus_y_times_z(prose):
    x, y, z = map(autograd.Value, (-2.0, 5.0, -4.0))
    f = (x + y) * z
    f.backward()
    assert (f.data, x.grad, y.grad, z.grad) == (-12, -4, -4, 3)
    assert "-3.99999" in prose and "2.99999" in prose
    x, y, z = map(autograd.Value, (-2.0, 5.0, 10.0))
    q = x + y
    (q * z).backward()
    assert (q.grad, x.grad, y.grad, z.grad) == (10, 10, 10, 3)
    assert "become 10. z.grad stays 3" in prose


def test_a_times_b_plus_c_times_f(prose):
    a, b, c, k = map(autograd.Value, (2.0, -3.0, 10.0, -2.0))
    e = a * b
    d = e + c
    (d * k).backward()
    assert (a.grad, b.grad, c.grad, d.grad, e.grad, k.grad) == (6, -4, -2, -2, -2, 4)
    assert "a = 2 received 6" in prose and "b = -3 received -4" in prose


def test_the_neuron_in_eight_steps(prose):
    numbers = {"x1": 2.0, "x2": 3.0, "w1": 0.5, "w2": -0.5, "b": 0.1, "y": 1.0}
    root = neuron.build(numbers, "sigmoid", "half_squares")
    root.backward()
    order = autograd.topological_order(root)
    node = {n.label: n for n in order}
    assert sum(bool(n._prev) for n in order) == 8
    for number, text in [
        (node["a"].data, "0.4013"),
        (root.data, "0.1792"),
        (node["w1"].grad, "-0.2877"),
        (node["w2"].grad, "-0.4315"),
        (node["a"].grad, "-0.5987"),
        (node["z"].grad, "-0.1438"),
        (node["a"]._local[0], "0.2403"),
    ]:
        assert f"{number:.4f}" == text and text in prose
    assert node["w2"].grad / node["w1"].grad == pytest.approx(3 / 2)
    for task in ({"y": 0.4}, {"b": 0.5}):
        root = neuron.build(numbers | task, "sigmoid", "half_squares")
        root.backward()
        node = {n.label: n for n in autograd.topological_order(root)}
        if "y" in task:
            assert all(abs(n.grad) < 0.005 for n in node.values() if not n._prev)
        else:
            assert (node["z"].data, node["a"]._local[0]) == (0, 0.25)


def test_the_tanh_neuron(prose):
    numbers = {"x1": 2.0, "x2": 0.0, "w1": -3.0, "w2": 1.0, "b": 6.8813735870195432}
    root = neuron.build(numbers, "tanh", "half_squares")
    root.backward()
    node = {n.label: n for n in autograd.topological_order(root)}
    grads = [node[name].grad for name in ("x1", "w1", "x2", "w2")]
    assert f"{root.data:.4f}" == "0.7071" and "0.7071" in prose
    assert grads == pytest.approx([-1.5, 1.0, 0.5, 0.0], abs=1e-12)
    flat = neuron.build(numbers | {"b": 10.0}, "tanh", "half_squares")
    assert flat._prev[0].data == 4 and f"{flat._local[0]:.4f}" == "0.0013" and "0.0013" in prose
    for b, open_ in ((6.1, True), (6.0, False), (5.9, False)):
        root = neuron.build(numbers | {"b": b}, "relu", "half_squares")
        root.backward()
        leaves = [n for n in autograd.topological_order(root) if not n._prev]
        assert any(n.grad for n in leaves) is open_


def test_a_hundred_neurons(prose):
    quiet, ratios = [], []
    for seed in range(100):
        one = autograd.Neuron(2, activation="tanh", rng=random.Random(seed))
        output = one([2.0, 3.0])
        autograd.half_squares([output], [1.0]).backward()
        ratios.append([w.grad / one.bias.grad for w in one.weights])
        if abs(one.bias.grad) < 0.01:
            quiet.append(output.data)
    assert all(ratio == pytest.approx([2, 3], rel=1e-12) for ratio in ratios)
    found = len(quiet), sum(a > 0.9 for a in quiet), sum(a < -0.9 for a in quiet)
    assert found == (26, 22, 4) and str(found) in prose
    assert "26 of the 100. Of these, 22 answer above 0.9" in prose and "The other 4 answer below -0.9" in prose


def test_the_forgetful_pass_is_right_at_the_last_operation_only(prose):
    assert "{'x': 1.0, 'y': 1.0, 'z': 3.0}" in prose
    assert "z.grad is 3, which is right. x.grad and y.grad are 1" in prose
