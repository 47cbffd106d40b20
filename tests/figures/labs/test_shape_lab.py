"""The shape lab: its counts are those of real graphs, and an opened neuron has the engine's numbers, op by op."""

import random
import re

import pytest

from autograd import MLP, Value, topological_order
from autograd.errors.messages import show
from figures import shape
from figures.labs import shape as lab
from figures.labs import shape_picture
from figures.page.style import steady
from tests.labs import ask
from tests.pictures import texts

SHAPES = (
    *((2, (4, 4, 1)), (2, (4, 1)), (1, (1,)), (3, (2,)), (2, (2, 3, 4, 2)), (5, (1, 3))),
    *((16, (16, 16, 16, 1)), (16, (1, 1, 1, 16))),
)


def graph_of(n_inputs, layers, activation, output, every_op):
    """The nodes of the graph of all outputs of a real network, each once; and its outputs."""
    inputs = [Value(lab.SAMPLE[i % 4]) for i in range(n_inputs)]
    mlp = MLP(n_inputs, list(layers), activation, output, rng=random.Random(0), every_op=every_op)
    outputs = mlp(inputs)
    outputs = outputs if isinstance(outputs, list) else [outputs]
    return {id(node): node for root in outputs for node in topological_order(root)}.values(), outputs, mlp


def sent_texts(player):
    """The texts of the stage as the browser has it: the stage that was sent, and the patch on top of it."""
    known = texts(f"<div>{player.spec['stage']}</div>")
    return {**known, **{key: mark["text"] for key, mark in player.patch.get("set", {}).items() if "text" in mark}}


def counts(player):
    """The three numbers above the pictures."""
    return [int(text.replace(",", "")) for text in re.findall(r"<b>([\d,]+)</b>", player.spec["stage"])]


@pytest.mark.parametrize(("n_inputs", "layers"), SHAPES)
@pytest.mark.parametrize(("activation", "output"), [("tanh", "linear"), ("relu", "sigmoid"), ("linear", "linear")])
def test_counts_match_real_graphs_and_formulas(n_inputs, layers, activation, output):
    player = shape(n_inputs, layers, activation=activation, output=output, counts=True)
    by_neuron, outputs, mlp = graph_of(n_inputs, layers, activation, output, every_op=False)
    by_op, _, _ = graph_of(n_inputs, layers, activation, output, every_op=True)
    assert counts(player) == [len(mlp.parameters()), len(by_neuron), len(by_op)]
    assert player.network.values[-1] == [value.data for value in outputs]
    for count, how in re.findall(r"<b>([\d,]+)</b><small>(.*?)</small>", player.spec["stage"]):
        terms = re.sub(r" [a-z]+", "", how.split(" = ")[0]).replace("·", "*").replace(",", "")
        assert re.fullmatch(r"[\d+*() ]+", terms) and eval(terms) == int(count.replace(",", ""))
    pairs = list(zip((n_inputs, *layers), layers))
    reads = [f"({n}+1)" if len(layers) < 4 else n + 1 for n, _ in pairs]  # four layers leave less room
    under = [f"{read}·{m} = {(n + 1) * m}" for read, (n, m) in zip(reads, pairs)]
    assert re.findall(r">([^<>]*·[^<>]* = \d+)</text>", player.spec["stage"]) == under


@pytest.mark.parametrize(("n_inputs", "layers"), SHAPES)
@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_opened_neuron_matches_the_graph_of_every_op(n_inputs, layers, activation):
    player = shape(n_inputs, layers, activation=activation)
    nodes, _, mlp = graph_of(n_inputs, layers, activation, "linear", every_op=True)
    consumer = {(input, node._op): node for node in nodes for input in node._prev}
    for layer, made in enumerate(mlp.layers, start=1):
        for place, neuron in enumerate(made.neurons, start=1):
            ask(player, f"neuron {layer}.{place}")
            text, total = sent_texts(player), neuron.bias
            assert text["c.b"] == show(total.data)
            for i, weight in enumerate(neuron.weights):
                term = consumer[weight, "*"]
                total = consumer[term, "+"]
                expected = [weight.data, term._prev[1].data, term.data, total.data]
                assert [text[f"c{i}.{what}"] for what in "wxps"] == [show(number) for number in expected]
            if made is not mlp.layers[-1]:
                total = consumer[total, activation]
            assert text["tail.a"] == steady(total.data) and player.patch["say"].endswith(f"give {show(total.data)}.")
            assert len(player.patch["say"]) <= len(lab.WIDEST_TEXT)


def test_counts_are_hidden_until_switched_on():
    player = shape()
    ask(player, hidden1=5)
    assert counts(player) == []
    seen = " ".join([player.spec["title"], player.spec["frames"][0]["say"], *sent_texts(player).values()])
    assert {"44", "65", "123", "15", "24"}.isdisjoint(re.findall(r"[\d.]+", seen))
    ask(player, counts=True)
    ask(player, hidden1=4)
    assert counts(player) == [37, 56, 103]


def test_pressing_a_neuron_toggles_it():
    player = shape()
    closed, stage = player.recording.frames[0].updates, player.spec["stage"]
    for presses, opened in ((["1.2"], (1, 2)), (["2.1"], (2, 1)), (["3.1", "3.1", "2.4"], (2, 4))):
        updates = ask(player, *(f"neuron {press}" for press in presses))
        assert player.opened == opened and updates["box{}.{}".format(*opened)]["state"] == "opened"
    assert player.spec["stage"] == stage, "a press patches; the stage, and with it the focus, stays"
    ask(player, inputs=5)
    assert player.opened == (2, 4) and player.patch == {}
    ask(player, hidden2=3, inputs=2)
    assert player.opened is None
    ask(player, "neuron 2.1", hidden2=4)
    assert ask(player, "neuron 2.1") == closed


@pytest.mark.parametrize("n", range(1, 17))
def test_opened_neuron_fits_its_place(n):
    """The last box ends inside the picture, whatever the scale, and no text of the widest is too small to read."""
    scale = float(re.search(r"scale\(([\d.]+)\)", shape_picture.enlarged(n))[1])
    right = max(shape_picture.slot(i)[0] for i in range(n)) + shape_picture.SLOT + shape_picture.TAIL
    low = shape_picture.slot(n - 1)[1] + 78
    assert right * scale <= shape_picture.GRAPH and low * scale + 24 <= shape_picture.LOW
    stage = shape(16, (n, 16, 16, 16)).spec["stage"]
    assert min(map(float, re.findall(r"font-size:([\d.]+)px", stage))) >= 10
