"""The question that answers a wrong number: of the right operation, with the right names, and without the answer."""

import re

import pytest

import figures
from autograd import Value, backward_steps, weighted_sum
from autograd.messages import show
from figures.page.player import SCRIPT
from figures.walks.asking import about_gradient, about_slope, about_step, chosen
from tests.pictures import random_graph
from tests.walks import two_paths


def leaves():
    return [Value(number, label=name) for name, number in (("x", 2.0), ("y", 0.5))]


def labelled(node, label="f"):
    node.label = label
    return node


MADE = {  # an operation on x and y, and for each of its edges the question about the slope
    "x + y": ("Raise x by 0.01. Does f rise or fall, and by how much?", "Raise y by 0.01. Does f rise or fall, "),
    "x - y": ("Raise x by 0.01. Does f rise or fall, and by how much?", "Raise y by 0.01. Does f rise or fall, "),
    "x * y": (
        "f is a product. Which number stands in its other factor, y?",
        "f is a product. Which number stands in its other factor, x?",
    ),
    "x / y": (
        "Raise x by 0.01. How much of that is left, divided by y?",
        "Does f rise or fall where y rises? The slope of n/d along d is -n/d²: what is that here?",
    ),
    "x ** y": (
        "The slope of xⁿ is n·xⁿ⁻¹. What is it for n = y, at x = 2.0000?",
        "Along the exponent the slope of a power is the power times log x. What is that here?",
    ),
    "x ** 3": ("The slope of xⁿ is n·xⁿ⁻¹. What is it for n = 3, at x = 2.0000?",),
    "-x": ("Raise x by 0.01. Does f rise or fall, and by how much?",),
    "x.exp()": ("exp is its own slope: which number stands in f?",),
    "x.log()": ("The slope of log x is 1/x. What is that at x = 2.0000?",),
    "x.sqrt()": ("The slope of √x is 1/(2·√x). Which number stands in f, the root?",),
    "x.sin()": ("The slope of sin is cos. What is it at x = 2.0000?",),
    "x.cos()": ("The slope of cos is -sin. What is it at x = 2.0000?",),
    "x.tanh()": ("tanh's slope is 1 minus its output squared. Which number is its output?",),
    "x.sigmoid()": ("The sigmoid's slope is output · (1 - output). Which number is its output?",),
    "x.relu()": ("Is x above 0, so that relu is open?",),
    "x.leaky_relu()": ("Is x above 0? Then the slope is 1. How steep is the other side?",),
    "x * x": ("f is a product. Which number stands in its other factor, x?",) * 2,
    "x + x": ("x goes into f twice. Raise it by 0.01 in one of the two places. Does f rise or fall, ",) * 2,
}


def chain(root):
    return [step for step in backward_steps(root) if step.kind == "chain"]


@pytest.mark.parametrize("text", MADE)
def test_each_operation_has_its_question(text):
    x, y = leaves()
    steps = chain(labelled(eval(text, {}, {"x": x, "y": y})))
    for step, question in zip(steps, MADE[text], strict=True):
        assert about_slope(step).startswith(question) and about_slope(step).endswith("?")


def test_every_operation_of_the_engine_has_been_asked_about():
    """So that a new one is not forgotten: the operations of Value that make a node."""
    asked = {re.search(r"\.(\w+)\(", text)[1] for text in MADE if "(" in text}
    made = {name for name in vars(Value) if not name.startswith("_") and callable(getattr(Value, name))}
    assert made - asked <= {"backward", "data", "grad", "label"}


def test_the_parts_of_a_weighted_sum():
    w, v = leaves()
    steps = chain(labelled(weighted_sum([w, v], [3.0, -1.0], Value(0.1, label="b")), "z"))
    assert [about_slope(step) for step in steps] == [
        "x is a weight. Which number does it scale?",
        "y is a weight. Which number does it scale?",
        "v2 is an input. Which weight scales it?",
        "v3 is an input. Which weight scales it?",
        "Raise b by 0.01. Does z rise or fall, and by how much?",
    ]


def test_where_several_arrows_arrive_it_asks_for_the_others():
    x, y = leaves()
    second, first = sorted((step for step in chain(labelled(x * y) + x) if step.input == 0), key=lambda step: step.node)
    assert about_step(first, 2, 1).endswith("2 arrows leave x: which of them does this step use?")
    assert about_step(second, 2, 2).endswith("What stood in x.grad before, and is it still in your number?")
    assert about_gradient(second, 2) == (
        "How many arrows leave x? Find what comes back along each: have you added all of it?"
    )
    assert "stands in v3.grad, to multiply it by?" in about_step(first, 1, 1)


def test_the_answer_is_in_no_question():
    """For products of odd numbers: neither the gradient nor the local derivative."""
    a, b = Value(1.37, label="a"), Value(-2.91, label="b")
    root = labelled((a * b).tanh() * b)
    for step in chain(root):
        asked = about_step(step, 2, 2)
        assert show(step.after) not in asked and show(step.local) not in asked


def test_chosen_are_six_at_the_most_in_their_order():
    x = Value(0.5, label="x")
    for _ in range(20):
        x = x * 0.9 + x
    steps = list(backward_steps(x))
    few = chosen(steps)
    assert len(few) == 6 and few == sorted(few, key=steps.index)
    assert chosen(steps[:4]) == steps[1:4]


ASKING = {
    "step": lambda: figures.step_backward(random_graph(1, n_ops=14), predict=True),
    "paths": lambda: figures.paths(two_paths(), predict=True),
    "order": lambda: figures.order(two_paths(), predict=True),
    "policy": lambda: figures.policy(predict=True),
    "stale": lambda: figures.stale(predict=True),
    "memory": lambda: figures.memory(predict=True),
}


@pytest.mark.parametrize("make", ASKING.values(), ids=ASKING.keys())
def test_no_lab_asks_more_than_six_times_or_leaves_a_wrong_number_without_an_answer(make):
    asked = [frame.ask for frame in make().recording.frames if frame.ask]
    assert 1 <= len(asked) <= 6
    for ask in asked:
        assert ask["hint"].endswith("?") and ask["shown"] not in ask["hint"]
    assert "off by" not in SCRIPT
