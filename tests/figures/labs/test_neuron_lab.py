"""The neuron lab: its numbers are the engine's, at the start and after every change of an input."""

import itertools
import json

import numpy as np
import pytest

from autograd import Value, topological_order
from figures import neuron
from figures.labs.neuron import ACTIVATIONS, LOSSES, slider
from figures.page.style import number
from tests.labs import message_after
from tests.pictures import names, texts


def engine(numbers, activation, loss="half_squares"):
    """The same neuron, and its loss if there is a target, written out: label → (data, grad)."""
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
    return {node.label: (number(node.data), number(node.grad)) for node in topological_order(root) if node.label}


def numbers_shown(player, **changed):
    """Return the values on the lab's stage, after a change if there is one: name → (data, grad)."""
    if changed:
        assert message_after(player, **changed) == ""
    stage = player.recording.render(player.recording.frames[-1].updates)
    text = texts(stage)
    return {name: (text[f"n{i}.data"], text[f"n{i}.grad"]) for i, name in enumerate(names(stage))}


@pytest.mark.parametrize("steps", [False, True])
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize(("x", "w"), [((2.0,), (0.5,)), ((2.0, -1.5), (0.5, 1.25))], ids=["one input", "two inputs"])
@pytest.mark.parametrize(("target", "loss"), [(None, "half_squares"), *((0.3, loss) for loss in LOSSES)])
def test_neuron_lab_shows_the_engines_numbers(activation, x, w, target, loss, steps):
    numbers = {**{f"x{i}": v for i, v in enumerate(x, 1)}, **{f"w{i}": v for i, v in enumerate(w, 1)}, "b": 0.25}
    if target is not None:
        numbers["y"] = target
    player = neuron(x, w, 0.25, target, activation=activation, loss=loss, steps=steps)
    assert engine(numbers, activation, loss).items() <= numbers_shown(player).items()
    for x1, b in itertools.product((-2.5, 0.1), (-10.0, 6.0)):
        changed = {"x1": x1, "b": b} | ({"y": b / 10} if target is not None else {})
        assert engine({**numbers, **changed}, activation, loss).items() <= numbers_shown(player, **changed).items()


@pytest.mark.parametrize(("name", "value", "reach"), [("x1", 2.0, 5), ("x1", -7.2, 8), ("b", 0.0, 10), ("b", 10.5, 11)])
def test_slider_range_includes_its_value(name, value, reach):
    control = slider(name).control_at(value)
    assert (control.min, control.max, control.value) == (-reach, reach, value)


def test_numpy_integer_and_overflowing_numbers_are_shown():
    """JavaScript writes 2.0 as 2."""
    player = neuron(np.array([2.0, 1.0]), np.float32([0.5, 0.25]), np.float64(0.5), 1.0, activation="linear")
    stage = player.spec["stage"]
    assert numbers_shown(player)["z"][0] == "1.75"
    assert numbers_shown(player, x1=2, w1=3, b=-5)["z"][0] == "1.25"
    assert numbers_shown(player, x1=1e200, w1=1e200)["L"][0] == "inf" and json.dumps(player.spec, allow_nan=False)
    assert player.spec["stage"] == stage, "a change of a number moves nothing"
    assert "No small change of an input changes a" in neuron([2.0], [-0.5], 0.0, activation="relu").render_text()
