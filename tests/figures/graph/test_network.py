"""The picture of an MLP: a line for each parameter, as wide as the engine's number, and activations in boxes."""

import itertools
import math
import random

import pytest

from autograd import MLP, sum_of_squares
from figures import draw_network
from figures.graph import network as drawing
from figures.page.frame_recorder import FrameTemplate
from figures.page.style import number, steady
from tests import pictures


def network(*layers):
    return MLP(2, [*layers, 1], "tanh", "tanh", rng=random.Random(0))


def drawn(mlp, inputs, target, **more):
    stage = FrameTemplate(drawing.network)
    updates = stage.updates(
        mlp, target, found=drawing.activations(mlp, inputs), kinds=drawing.activations_of(mlp), **more
    )
    return stage(updates), updates


def sign(number):
    return "zero" if number == 0 else "negative" if number < 0 else "positive"


@pytest.mark.parametrize("layers", [(), (1,), (4,), (4, 4), (8, 8)])
def test_line_width_of_each_parameter_matches_its_size(layers):
    mlp = network(*layers)
    sum_of_squares([mlp([1, 0])], [1]).backward()  # the input 0 gives its weights no gradient
    found = {
        f"net.e{i}.{j}.{k}": parameter
        for i, layer in enumerate(mlp.layers, start=1)
        for j, neuron in enumerate(layer.neurons)
        for k, parameter in enumerate([neuron.bias, *neuron.weights])
    }
    assert sorted(map(id, found.values())) == sorted(map(id, mlp.parameters()))
    for shows in ("weights", "gradients"):
        stage, updates = drawn(mlp, [1, 0], 1, shows=shows)
        parts = pictures.parts(stage)
        sizes = {key: p.data if shows == "weights" else p.grad for key, p in found.items()}
        largest = max(map(abs, sizes.values()))
        assert updates["net.max"]["text"] == f"thickest line: |{shows[:-1]}| {steady(largest)}"
        for key, p in found.items():
            assert parts[key].get("data-state") == updates[key]["state"] == sign(sizes[key])
            assert parts[f"{key}.t"].text == f"{p.label} = {number(p.data)}, gradient {number(p.grad)}"
            most = 4.0 if len(found) > 40 else 6.0
            expected = 0.6 + (most - 0.6) * abs(sizes[key]) / largest if sizes[key] else 0.8
            assert float(updates[key]["stroke-width"]) == pytest.approx(expected, abs=0.01)
    assert "zero" in {sign(size) for size in sizes.values()}


def test_boxes_show_activations_and_target():
    mlp = network(4, 3)
    _, updates = drawn(mlp, [0, 1], 1)
    values = [0.0, 1.0]
    for i, column in enumerate([values, *(values := [v.data for v in layer(values)] for layer in mlp.layers)]):
        for j, a in enumerate(column):
            assert updates[f"net.n{i}.{j}.v"]["text"] == (steady(a) if i else f"{a:g}")
            assert updates[f"net.n{i}.{j}"]["state"] == ("negative" if a < 0 else "positive")
            assert float(updates[f"net.n{i}.{j}"]["fill-opacity"]) == pytest.approx(0.42 * abs(a), abs=0.006)
    assert updates["net.t0"]["text"] == "1"
    assert updates["net.d0"]["text"] == f"off by {steady(mlp([0, 1]).data - 1)}"


def test_missing_and_infinite_gradients_are_drawn_distinctly():
    _, updates = drawn(network(2), [0, 1], 1, shows="gradients", known=False)
    assert updates["net.max"]["text"] == "thickest line: |gradient| –"
    assert {mark["state"] for key, mark in updates.items() if key.startswith("net.e") and "state" in mark} == {"none"}
    assert [
        (key, mark) for key, mark in updates.items() if key.endswith(".t") and not mark["text"].endswith("gradient –")
    ] == []
    mlp = network(3)
    for p, data in zip(mlp.parameters(), (math.inf, -math.inf, math.nan)):
        p.data = data
    stage, updates = drawn(mlp, [1, 1], 1)
    assert [updates[f"net.e1.0.{k}"]["state"] for k in range(3)] == ["infinite"] * 3
    assert "nan" not in {part.get("stroke-width") for part in pictures.parts(stage).values()}


@pytest.mark.parametrize("layers", [(8, 8), (1,), (10, 10, 10)])
def test_network_boxes_stay_apart_and_inside_the_picture(layers):
    columns = drawing.places([2, *layers, 1])
    for x, ys, one in columns:
        heights = [*ys, *([one] if one is not None else [])]
        assert [(a, b) for a, b in itertools.pairwise(heights) if not (b - a >= 21)] == []
        assert heights[0] > 24 and heights[-1] < 280 and x > 50
    assert [(a, b) for a, b in itertools.pairwise([x for x, _, _ in columns]) if not (b - a >= 80)] == []


def test_draw_network_makes_a_picture_with_alt_text():
    mlp = network(4)
    picture = draw_network(mlp, [0, 1], 1)
    assert picture.alt.startswith("A 2-4-1 network with 17 parameters. Widths of lines are the sizes of its weights.")
    assert picture.alt.endswith(f"it gives {number(mlp([0, 1]).data)}.")
    assert "–" in draw_network(mlp).svg, "without inputs no activation is known"
    pictures.tree(picture.svg)
