"""The shape lab: its counts are those of real graphs, and an opened neuron has the engine's numbers, op by op."""

import random
import re

import pytest

from autograd import MLP, Value, topological_order
from autograd.errors.messages import show
from figures import shape
from figures.labs import shape as lab
from figures.labs import shape_picture
from tests.labs import ask
from tests.pictures import texts

SHAPES = [
    (2, (4, 4, 1)),
    (2, (4, 1)),
    (1, (1,)),
    (3, (2,)),
    (2, (2, 3, 4, 2)),
    (5, (1, 3)),
    (16, (16, 16, 16, 1)),
    (16, (1, 1, 1, 16)),
]


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


# Counts


@pytest.mark.parametrize(("n_inputs", "layers"), SHAPES)
@pytest.mark.parametrize(("activation", "output"), [("tanh", "linear"), ("relu", "sigmoid"), ("linear", "linear")])
def test_the_counts_are_those_of_real_graphs_and_the_formulas_come_to_them(n_inputs, layers, activation, output):
    player = shape(n_inputs, layers, activation=activation, output=output, counts=True)
    by_neuron, outputs, mlp = graph_of(n_inputs, layers, activation, output, every_op=False)
    by_op, _, _ = graph_of(n_inputs, layers, activation, output, every_op=True)
    assert counts(player) == [len(mlp.parameters()), len(by_neuron), len(by_op)]
    assert player.network.values[-1] == [value.data for value in outputs]
    stage = player.spec["stage"]
    for count, how in re.findall(r"<b>([\d,]+)</b><small>(.*?)</small>", stage):
        terms = re.sub(r" [a-z]+", "", how.split(" = ")[0]).replace("·", "*").replace(",", "")
        assert re.fullmatch(r"[\d+*() ]+", terms) and eval(terms) == int(count.replace(",", ""))
    pairs = list(zip((n_inputs, *layers), layers))
    reads = [f"({n}+1)" if len(layers) < 4 else n + 1 for n, _ in pairs]  # four layers leave less room
    under = [f"{read}·{m} = {(n + 1) * m}" for read, (n, m) in zip(reads, pairs)]
    assert re.findall(r">([^<>]*·[^<>]* = \d+)</text>", stage) == under


@pytest.mark.parametrize("layers", [(4, 4, 1), (16, 16, 16, 16)])
def test_no_text_is_smaller_than_can_be_read(layers):
    stage = shape(16, layers).spec["stage"]
    sizes = [float(size) for size in re.findall(r"font-size:([\d.]+)px", stage)]
    assert len(sizes) >= 2 * sum((16, *layers)) and min(sizes) >= 10
    assert len(re.findall('role="button"', stage)) == sum(layers)


def test_no_count_is_seen_before_the_switch():
    """Neither of parameters nor of nodes, on any slider's network; with it they stand, and stay from then on."""
    player = shape()
    ask(player, hidden1=5)
    assert counts(player) == [] and player.spec["stage"].count("<b>?</b><small></small>") == 3
    seen = " ".join([player.spec["title"], player.spec["frames"][0]["say"], *sent_texts(player).values()])
    assert {"44", "65", "123", "15", "24"}.isdisjoint(re.findall(r"[\d.]+", seen))
    ask(player, "neuron 1.2")
    assert player.opened == (1, 2) and counts(player) == []
    ask(player, counts=True)
    assert counts(player) == [44, 65, 123] and player.opened == (1, 2)
    ask(player, hidden1=4)
    assert counts(player) == [37, 56, 103]
    said = "MLP(2, [4, 4, 1]) has (2+1)·4 + (4+1)·4 + (4+1)·1 = 37 parameters. Its graph has 56 nodes"
    assert shape(counts=True).recording.frames[0].say.startswith(said)


# Opening a neuron


@pytest.mark.parametrize(("n_inputs", "layers"), SHAPES)
@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_an_opened_neuron_has_the_numbers_of_the_graph_of_every_op(n_inputs, layers, activation):
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
            assert text["tail.a"] == show(total.data) and player.patch["say"].endswith(f"give {show(total.data)}.")
            marks = player.patch["set"]
            states = [marks[f"c{i}"]["state"] for i in range(max([n_inputs, *layers[:-1]]))]
            assert states == [""] * len(neuron.weights) + ["off"] * (len(states) - len(neuron.weights))


def test_a_second_press_closes_and_another_opens():
    player = shape()
    closed, stage = player.recording.frames[0].marks, player.spec["stage"]
    marks = ask(player, "neuron 1.2")
    assert marks["box1.2"] == {"state": "opened", "aria-expanded": "true"}
    marks = ask(player, "neuron 2.1")
    opened = {key for key, mark in marks.items() if mark.get("state") == "opened"}
    assert opened == {"dot2.1", "lines2.1", "edges2.1", "box2.1"}
    assert ask(player, "neuron 2.1") == closed
    ask(player, "neuron 3.1", "neuron 3.1", "neuron 1.1")
    assert player.opened == (1, 1)
    assert player.spec["stage"] == stage, "a press patches; the stage, and with it the focus, stays"


def test_what_stands_beside_an_opened_neuron():
    player = shape()
    ask(player, "neuron 2.3")
    assert [sent_texts(player)[f"fact{i}"] for i in range(4)] == [
        "Neuron 2.3, open",
        "4 weights + 1 bias = 5 parameters",
        "closed: 1 weighted sum and 1 tanh: 2 nodes",
        "open: 4 products, 4 additions, 1 tanh: 9 nodes",
    ]
    assert sent_texts(player)["fact4"].startswith("z2.3 = b + w1·a1.1 + w2·a1.2 + … + w4·a1.4 = ")
    assert sent_texts(player)["c0.of"] == "a"
    ask(player, "neuron 3.1")
    assert sent_texts(player)["fact2"] == "closed: 1 weighted sum: 1 node" and sent_texts(player)["tail.op"] == "="


def test_an_open_neuron_stays_open_while_it_is_there():
    player = shape()
    ask(player, "neuron 2.4")
    ask(player, inputs=5)
    assert player.opened == (2, 4) and player.patch == {}
    assert "Neuron 2.4 is open" in player.recording.frames[0].say
    ask(player, hidden2=3)
    assert player.opened is None and "Press a neuron" in player.recording.frames[0].say


@pytest.mark.parametrize("opened", ["neuron 1.3", "neuron 2.1"])
@pytest.mark.parametrize(("n_inputs", "layers"), [(2, (4, 1)), (16, (16, 16, 16, 16))])
def test_the_stage_shows_its_marks(n_inputs, layers, opened):
    player = shape(n_inputs, layers)
    keys = player.recording.frames[0].marks.keys()
    marks = ask(player, opened)
    found = texts(player.recording.render(marks))
    assert marks.keys() == keys and len(player.patch["say"]) <= len(lab.ROOM)
    assert all(found[key] == mark["text"] for key, mark in marks.items() if "text" in mark)
    drawing = player.recording.picture()
    assert 'width="1060" height="456"' in drawing[:100] and drawing.count("<svg") == 7


@pytest.mark.parametrize("n", range(1, 17))
def test_an_opened_neuron_fits_its_place(n):
    """The last box ends inside the picture, whatever the scale."""
    scale = float(re.search(r"scale\(([\d.]+)\)", shape_picture.enlarged(n))[1])
    right = max(shape_picture.slot(i)[0] for i in range(n)) + shape_picture.SLOT + shape_picture.TAIL
    assert (
        right * scale <= shape_picture.GRAPH and (shape_picture.slot(n - 1)[1] + 78) * scale + 24 <= shape_picture.LOW
    )


def test_the_controls():
    player = shape(3, (5, 2), activation="relu", output="sigmoid")
    controls = [(each.name, player.values[each.name], each.min, each.max) for each in player.controls]
    assert controls == [
        ("inputs", 3, 1, 16),
        *(("hidden1", 5, 0, 16), ("hidden2", 0, 0, 16), ("hidden3", 0, 0, 16)),
        ("outputs", 2, 1, 16),
        *(("activation", "relu", None, None), ("output", "sigmoid", None, None), ("counts", False, None, None)),
    ]


def test_a_slider_makes_another_network():
    player = shape(counts=True)
    ask(player, inputs=3, hidden1=0, hidden3=2, outputs=2)
    assert str(player.network) == "MLP(3, [4, 2, 2])"
    assert counts(player) == [16 + 10 + 6, 3 + 32 + 8 + 6, 3 + 32 + 2 * 24 + 6]
    ask(player, hidden2=0, hidden3=0)
    assert str(player.network) == "MLP(3, [2])" and player.spec["message"] == ""
