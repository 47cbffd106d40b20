"""The neuron lab: its numbers are the engine's, at the start and after every change of an input."""

import gc
import itertools
import json
import math
import weakref

import numpy as np
import pytest
from ipywidgets.widgets.widget import _instances as REGISTRY

from autograd import Value, topological_order
from autograd.messages import show
from figures import neuron
from figures.labs.neuron import ACTIVATIONS, LOSSES, ROOM, slider
from tests.pictures import names, texts


def engine(numbers, activation, loss="half_squares"):
    """The same neuron, and its loss where there is a target, written out: label → (data, grad)."""
    leaves = {name: Value(number, label=name) for name, number in numbers.items()}
    terms = [leaves[f"w{i}"] * leaves[f"x{i}"] for i in (1, 2) if f"x{i}" in leaves]
    z = (terms[0] if len(terms) == 1 else terms[0] + terms[1]) + leaves["b"]
    z.label = "z"
    root = z
    if activation != "linear":
        root = getattr(z, activation)()
        root.label = "a"
    if "y" in leaves:
        root = (root - leaves["y"]) ** 2
        root = root * 0.5 if loss == "half_squares" else root
        root.label = "L"
    root.backward()
    return {node.label: (show(node.data), show(node.grad)) for node in topological_order(root) if node.label}


def shown(stage):
    """What the lab's stage shows: name → (data, grad)."""
    text = texts(stage)
    return {name: (text[f"n{i}.data"], text[f"n{i}.grad"]) for i, name in enumerate(names(stage))}


def values(player, **changed):
    """What the browser sends after a change: the values of all controls."""
    return {**{control.name: control.value for control in player.controls}, **changed}


def drawn(player):
    """The stage as the page has it once the frame's marks are in place."""
    return player.recording.render(player.recording.frames[-1].marks)


def ask(player, **changed):
    player.request = {"values": values(player, **changed), "number": player.reply + 1}
    return shown(drawn(player))


# At the start


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize(("x", "w"), [((2.0,), (0.5,)), ((2.0, -1.5), (0.5, 1.25))], ids=["one input", "two inputs"])
@pytest.mark.parametrize(("target", "loss"), [(None, "half_squares"), *((0.3, loss) for loss in LOSSES)])
def test_the_lab_shows_the_engines_numbers(activation, x, w, target, loss):
    numbers = {**{f"x{i}": v for i, v in enumerate(x, 1)}, **{f"w{i}": v for i, v in enumerate(w, 1)}, "b": 0.25}
    if target is not None:
        numbers["y"] = target
    player = neuron(x, w, 0.25, target, activation=activation, loss=loss)
    assert engine(numbers, activation, loss).items() <= shown(drawn(player)).items()
    assert player.spec["message"] == ""


def test_each_input_has_its_control():
    player = neuron([2.0, 0.0], [-3.0, 1.0], 6.88, 1.0, activation="sigmoid")
    controls = [(control["kind"], control["name"], control["value"]) for control in player.spec["controls"]]
    assert controls == [
        ("range", "x1", 2.0),
        ("range", "x2", 0.0),
        ("range", "w1", -3.0),
        ("range", "w2", 1.0),
        ("range", "b", 6.88),
        ("range", "y", 1.0),
        ("choice", "activation", "sigmoid"),
        ("toggle", "gradients", True),
    ]
    choice = next(control for control in player.spec["controls"] if control["kind"] == "choice")
    assert tuple(choice["options"]) == ACTIVATIONS


@pytest.mark.parametrize(("name", "value", "reach"), [("x1", 2.0, 5), ("x1", -7.2, 8), ("b", 0.0, 10), ("b", 10.5, 11)])
def test_a_slider_reaches_its_value(name, value, reach):
    control = slider(name).at(value)
    assert (control.min, control.max, control.value) == (-reach, reach, value)


def test_numpy_numbers_are_numbers():
    player = neuron(np.array([2.0, 1.0]), np.float32([0.5, 0.25]), np.float64(0.5))
    assert shown(drawn(player))["z"][0] == "1.7500"
    assert json.dumps(player.spec)


# After a change


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_a_change_is_answered_with_the_engines_numbers(activation):
    player = neuron([2.0, 0.0], [-3.0, 1.0], 6.88, 0.5)
    for x1, b, y in itertools.product((-2.5, 0.1), (-10.0, 6.0), (0.0, 1.0)):
        stage = ask(player, x1=x1, b=b, y=y, activation=activation)
        numbers = {"x1": x1, "x2": 0.0, "w1": -3.0, "w2": 1.0, "b": b, "y": y}
        assert engine(numbers, activation).items() <= stage.items()
        assert player.spec["message"] == ""
    assert player.reply == 8


def test_whole_numbers_from_the_browser_are_numbers():
    """JavaScript writes 2.0 as 2."""
    assert ask(neuron(), x1=2, w1=3, b=-5)["z"][0] == "1.0000"


def test_gradients_can_be_switched_off_and_on():
    player = neuron(target=1.0)
    with_gradients = shown(drawn(player))
    off = ask(player, gradients=False)
    assert {grad for _, grad in off.values()} == {"–"}
    assert not [text for key, text in texts(drawn(player)).items() if key.endswith(".local") and text]
    assert [data for data, _ in off.values()] == [data for data, _ in with_gradients.values()]
    assert player.text().endswith("Switch the gradients on to see how fast L changes with each number.")
    assert ask(player, gradients=True) == with_gradients


def test_a_change_of_a_number_moves_nothing():
    """The page keeps the drawing it has: the stage is the same text, without any number of a frame."""
    player = neuron(target=1.0)
    stage, before = player.spec["stage"], texts(drawn(player))
    ask(player, x1=-123.456, w1=0.001, b=99.0)
    assert texts(drawn(player)) != before
    assert player.spec["stage"] == stage
    marks = {key: mark["text"] for key, mark in player.spec["frames"][0]["set"].items() if "text" in mark}
    assert marks == texts(drawn(player)) and set(texts(stage).values()) <= {"", None}
    ask(player, activation="relu")
    assert player.spec["stage"] != stage, "another op is another drawing"


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"x1": "abc"}, "x1 needs a real number, got the str 'abc'."),
        ({"b": None}, "b needs a real number, got None."),
        ({"w1": math.inf}, "w1 is a number on a slider, from -1.8e308 to 1.8e308; got inf."),
        ({"activation": "cube"}, "activation is one of linear, tanh, sigmoid, relu, leaky_relu; got 'cube'."),
        ({"activation": "__class__"}, "activation is one of linear, tanh, sigmoid, relu, leaky_relu; got '__class__'."),
    ],
)
def test_values_that_cannot_be_shown_get_a_sentence_and_the_last_stage_stays(changed, sentence):
    player = neuron()
    ask(player, x1=1.5)
    before = player.spec
    ask(player, **changed)
    assert player.spec["message"].startswith(sentence)
    assert {**player.spec, "message": ""} == before
    assert player.reply == 2
    assert ask(player, x1=2.5)["x1"][0] == "2.5000" and player.spec["message"] == ""


def test_numbers_that_overflow_are_shown_and_said():
    player = neuron(target=1.0, activation="linear")
    stage = ask(player, x1=1e200, w1=1e200)
    assert stage["z"][0] == stage["L"][0] == "inf"
    assert "larger than the largest float" in player.text() and player.spec["message"] == ""
    assert json.dumps(player.spec, allow_nan=False)


# What it says


def test_the_sentence_names_the_steepest_input():
    """And what it says of a small change is true."""
    player = neuron([2.0], [0.5], 0.0, activation="tanh")
    assert player.text() == (
        "1. a = 0.7616. It is most sensitive to w1: ∂a/∂w1 = 0.8399, so raising w1 by 0.01 changes a by about 0.0084."
    )
    assert math.tanh(0.51 * 2) - math.tanh(0.5 * 2) == pytest.approx(0.0084, abs=2e-4)


def test_the_steepest_input_may_be_one_that_brings_the_number_down():
    player = neuron([-2.0], [0.5], 0.0, activation="linear")
    assert "most sensitive to w1: ∂z/∂w1 = -2.0000, so raising w1 by 0.01 changes z by about -0.0200." in player.text()


@pytest.mark.parametrize("x, w", [(2.0, 0.5), (-5.0, 5.0), (0.0, 0.0), (5.0, 1e-6)])
def test_there_is_room_for_every_sentence(x, w):
    """So that the graph stands where it stood while a slider moves."""
    player = neuron((x,), (w,), 10.0, -5.0)
    assert player.spec["room"] == ROOM and len(player.recording.frames[0].say) <= len(ROOM)


def test_the_sentence_where_every_gradient_is_0():
    player = neuron([2.0], [-0.5], 0.0, activation="relu")
    assert player.text() == "1. a = 0.0000. No small change of an input changes a: all gradients are 0."


@pytest.mark.parametrize(
    ("arguments", "title"),
    [
        ({}, "A tanh neuron"),
        ({"target": 1.0, "activation": "relu"}, "A relu neuron and its loss"),
        ({"target": 1.0, "steps": True}, "A tanh neuron and its loss, step by step"),
    ],
)
def test_titles(arguments, title):
    assert neuron(**arguments).spec["title"] == title


# Steps


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_the_neuron_can_be_stepped(activation):
    """Both passes, and the last frame has the engine's numbers; a change keeps the stage and gives new frames."""
    player = neuron([2.0, 3.0], [0.5, -0.5], 0.1, 1.0, activation=activation, steps=True)
    numbers = {"x1": 2.0, "x2": 3.0, "w1": 0.5, "w2": -0.5, "b": 0.1, "y": 1.0}
    last = player.recording.render(player.recording.frames[-1].marks)
    assert engine(numbers, activation).items() <= shown(last).items()
    assert [control.name for control in player.controls][-1] == "activation", "there is no switch for the gradients"
    count = len(player.spec["frames"])
    ask(player, y=0.4)
    last = player.recording.render(player.recording.frames[-1].marks)
    assert engine({**numbers, "y": 0.4}, activation).items() <= shown(last).items()
    assert len(player.spec["frames"]) == count > 20


# Arguments


@pytest.mark.parametrize(
    ("arguments", "fault", "sentence"),
    [
        ({"x": 2.0}, TypeError, r"x and w are lists of numbers, as in x=\[2.0\], w=\[0.5\]; got x=2.0"),
        ({"w": None}, TypeError, r"x and w are lists of numbers, .*, w=None"),
        ({"x": []}, ValueError, "this neuron has 1 or 2 inputs, and a weight for each; got 0 and 1"),
        ({"x": [1, 2]}, ValueError, "this neuron has 1 or 2 inputs, and a weight for each; got 2 and 1"),
        ({"x": [1, 2, 3], "w": [1, 2, 3]}, ValueError, "this neuron has 1 or 2 inputs, .* got 3 and 3"),
        ({"x": "2"}, TypeError, "x1 needs a real number, got the str '2'"),
        ({"x": [None]}, TypeError, "x1 needs a real number, got None"),
        ({"w": [1j]}, TypeError, "w1 needs a real number, got the complex 1j"),
        ({"b": True}, TypeError, "b needs a real number, got the bool True"),
        ({"b": [0.0, 1.0]}, TypeError, "b needs a real number, got a list of 2"),
        ({"target": "1"}, TypeError, "y needs a real number, got the str '1'"),
        ({"x": [math.nan]}, ValueError, "x1 is a number on a slider, from -1.8e308 to 1.8e308; got nan"),
        ({"b": -math.inf}, ValueError, "b is a number on a slider, .* got -inf"),
        ({"w": [10**400]}, ValueError, "w1 holds a float, and an int of 401 digits is too large for one"),
        ({"activation": "cube"}, ValueError, "activation is one of linear, tanh, .*; got 'cube'"),
        ({"activation": None}, ValueError, "activation is one of linear, tanh, .*; got None"),
        ({"loss": "hinge", "target": 1.0}, ValueError, "loss is one of half_squares, squares; got 'hinge'"),
        ({"loss": ["squares"]}, ValueError, r"loss is one of half_squares, squares; got \['squares'\]"),
    ],
)
def test_wrong_arguments_get_a_sentence(arguments, fault, sentence):
    before = len(REGISTRY)
    with pytest.raises(fault, match=sentence):
        neuron(**arguments)
    gc.collect()
    assert len(REGISTRY) <= before, "nothing is left of the lab that could not be made"


def test_closed_labs_are_freed():
    gc.collect()
    before, gone = len(REGISTRY), []
    for steps in (False, True) * 5:
        player = neuron(steps=steps)
        ask(player, x1=1.0)
        gone.append(weakref.ref(player))
        player.close()
    del player
    gc.collect()
    assert [ref() for ref in gone] == [None] * 10
    assert len(REGISTRY) == before
