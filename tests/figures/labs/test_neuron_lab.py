"""The neuron lab: its numbers are the engine's, at the start and after every change of an input."""

import itertools
import json
import math

import numpy as np
import pytest

from autograd import Value, topological_order
from autograd.errors.messages import show
from figures import neuron
from figures.labs.neuron import ACTIVATIONS, LOSSES, slider
from tests.labs import ask, told
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


def drawn(player):
    """The stage as the page has it once the last frame's marks are in place."""
    return player.recording.render(player.recording.frames[-1].marks)


def numbers_shown(player, **changed):
    """What the lab's stage shows, after a change if there is one: name → (data, grad)."""
    if changed:
        assert told(player, **changed) == ""
    stage = drawn(player)
    text = texts(stage)
    return {name: (text[f"n{i}.data"], text[f"n{i}.grad"]) for i, name in enumerate(names(stage))}


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize(("x", "w"), [((2.0,), (0.5,)), ((2.0, -1.5), (0.5, 1.25))], ids=["one input", "two inputs"])
@pytest.mark.parametrize(("target", "loss"), [(None, "half_squares"), *((0.3, loss) for loss in LOSSES)])
def test_the_lab_shows_the_engines_numbers(activation, x, w, target, loss):
    numbers = {**{f"x{i}": v for i, v in enumerate(x, 1)}, **{f"w{i}": v for i, v in enumerate(w, 1)}, "b": 0.25}
    if target is not None:
        numbers["y"] = target
    player = neuron(x, w, 0.25, target, activation=activation, loss=loss)
    assert engine(numbers, activation, loss).items() <= numbers_shown(player).items()
    for x1, b in itertools.product((-2.5, 0.1), (-10.0, 6.0)):
        changed = {"x1": x1, "b": b} | ({"y": b / 10} if target is not None else {})
        assert engine({**numbers, **changed}, activation, loss).items() <= numbers_shown(player, **changed).items()


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_the_neuron_can_be_stepped(activation):
    """Both passes, and the last frame has the engine's numbers; a change keeps the stage and gives new frames."""
    player = neuron([2.0, 3.0], [0.5, -0.5], 0.1, 1.0, activation=activation, steps=True)
    numbers = {"x1": 2.0, "x2": 3.0, "w1": 0.5, "w2": -0.5, "b": 0.1, "y": 1.0}
    assert engine(numbers, activation).items() <= numbers_shown(player).items()
    assert [control.name for control in player.controls][-1] == "activation", "there is no switch for the gradients"
    count = len(player.spec["frames"])
    assert engine({**numbers, "y": 0.4}, activation).items() <= numbers_shown(player, y=0.4).items()
    assert len(player.spec["frames"]) == count > 20


# Inputs


def test_each_input_has_its_control():
    player = neuron([2.0, 0.0], [-3.0, 1.0], 6.88, 1.0, activation="sigmoid")
    controls = {control["name"]: (control["kind"], control["value"]) for control in player.spec["controls"]}
    numbers = {"x1": 2.0, "x2": 0.0, "w1": -3.0, "w2": 1.0, "b": 6.88, "y": 1.0}
    others = {"activation": ("choice", "sigmoid"), "gradients": ("toggle", True)}
    assert controls == {name: ("range", number) for name, number in numbers.items()} | others
    assert list(controls) == [*numbers, *others] and player.controls[-2].options == ACTIVATIONS


@pytest.mark.parametrize(("name", "value", "reach"), [("x1", 2.0, 5), ("x1", -7.2, 8), ("b", 0.0, 10), ("b", 10.5, 11)])
def test_a_slider_reaches_its_value(name, value, reach):
    control = slider(name).at(value)
    assert (control.min, control.max, control.value) == (-reach, reach, value)


def test_numbers_of_numpy_and_whole_numbers_from_the_browser_are_numbers():
    """JavaScript writes 2.0 as 2."""
    player = neuron(np.array([2.0, 1.0]), np.float32([0.5, 0.25]), np.float64(0.5))
    assert numbers_shown(player)["z"][0] == "1.7500" and json.dumps(player.spec)
    assert numbers_shown(neuron(), x1=2, w1=3, b=-5)["z"][0] == "1.0000"


def test_gradients_can_be_switched_off_and_on():
    player = neuron(target=1.0)
    before, off = numbers_shown(player), numbers_shown(player, gradients=False)
    assert off == {name: (data, "–") for name, (data, _) in before.items()}
    assert not [text for key, text in texts(drawn(player)).items() if key.endswith(".local") and text]
    assert player.text().endswith("Switch the gradients on to see how fast L changes with each number.")
    assert numbers_shown(player, gradients=True) == before


def test_a_change_of_a_number_moves_nothing():
    """The page keeps the drawing it has: the stage is the same text, without any number of a frame."""
    player = neuron(target=1.0)
    stage, before = player.spec["stage"], texts(drawn(player))
    ask(player, x1=-123.456, w1=0.001, b=99.0)
    assert texts(drawn(player)) != before and player.spec["stage"] == stage
    marks = {key: mark["text"] for key, mark in player.spec["frames"][0]["set"].items() if "text" in mark}
    assert marks == texts(drawn(player)) and set(texts(stage).values()) <= {"", None}
    ask(player, activation="relu")
    assert player.spec["stage"] != stage, "another op is another drawing"


# What it says


@pytest.mark.parametrize(
    ("x", "w", "activation", "said"),
    [
        (2.0, 0.5, "tanh", "w1: ∂a/∂w1 = 0.8399, so raising w1 by 0.01 changes a by about 0.0084."),
        (-2.0, 0.5, "linear", "w1: ∂z/∂w1 = -2.0000, so raising w1 by 0.01 changes z by about -0.0200."),
        (2.0, -0.5, "relu", "1. a = 0.0000. No small change of an input changes a: all gradients are 0."),
        (1e200, 1e200, "linear", "1.8e308: inf, or nan when two of them meet."),
    ],
)
def test_the_sentence_names_the_steepest_input(x, w, activation, said):
    """And what it says of a small change is true."""
    assert neuron([x], [w], 0.0, activation=activation).text().endswith(said)
    assert math.tanh(0.51 * 2) - math.tanh(0.5 * 2) == pytest.approx(0.0084, abs=2e-4)


def test_numbers_that_overflow_are_shown():
    player = neuron(target=1.0, activation="linear")
    stage = numbers_shown(player, x1=1e200, w1=1e200)
    assert stage["z"][0] == stage["L"][0] == "inf" and json.dumps(player.spec, allow_nan=False)


def test_titles():
    assert neuron().spec["title"] == "A tanh neuron"
    assert neuron(target=1.0, activation="relu").spec["title"] == "A relu neuron and its loss"
    assert neuron(target=1.0, steps=True).spec["title"] == "A tanh neuron and its loss, step by step"
