"""The forward mode lab: its pairs are those of dual numbers, its end is the backward pass's, its costs are counts."""

import gc
import math

import pytest
from ipywidgets.widgets.widget import _instances as REGISTRY

import figures
from autograd import Dual, Value, topological_order, weighted_sum
from autograd.again import run_again
from autograd.messages import show
from figures import forward_mode
from figures.labs.forward_mode import ForwardMode
from figures.page.picture import Picture
from tests.pictures import labelled, network, random_graph, twice
from tests.walks import ask, assert_plays, doubled, shown, skip_connection, two_paths


def lesson():
    """f = tanh(a · b + a) at (0.5, -1.6), the graph of lesson 06."""
    a, b = Value(0.5, label="a"), Value(-1.6, label="b")
    p = labelled(a * b, "p")
    return labelled(labelled(p + a, "s").tanh(), "f")


def places(root):
    """(its topological order, the places of the leaves)."""
    order = topological_order(root)
    return order, [i for i, node in enumerate(order) if not node._prev]


def nudged(order, leaf, h=1e-6):
    """How fast each node changes with a leaf, by computing all anew with the leaf nudged to both sides."""
    runs = []
    for way in (h, -h):
        copies = {}
        for i, node in enumerate(order):
            inputs = [copies[input] for input in node._prev]
            copies[node] = run_again(node, inputs) if inputs else Value(node.data + way * (i == leaf))
        runs.append([copies[node].data for node in order])
    return [(up - down) / (2 * h) for up, down in zip(*runs)]


# Numbers


@pytest.mark.parametrize("build", [two_paths, skip_connection, lesson, lambda: doubled(4), network, twice])
def test_each_pass_shows_how_fast_every_node_changes_with_its_leaf(build):
    root = build()
    player, (order, leaves) = forward_mode(root), places(root)
    assert player.seeds == leaves
    for turn, leaf in enumerate(leaves):
        text = shown(player, turn * player.size + player.size - 1)
        for i, speed in enumerate(nudged(order, leaf)):
            assert text[f"n{i}.data"] == show(order[i].data)
            assert float(text[f"n{i}.grad"]) == pytest.approx(speed, abs=1e-4)
    assert_plays(player)


@pytest.mark.parametrize("seed", range(25))
def test_forward_and_backward_agree_with_dual_numbers_and_the_engine_on_random_graphs(seed):
    root = random_graph(seed)
    before = [(node.data, node.grad) for node in topological_order(root)]
    player, (order, leaves) = forward_mode(root, limit=60), places(root)
    text = shown(player)
    assert [(node.data, node.grad) for node in order] == before, "the learner's own grads stay"
    root.backward("all")
    for leaf in leaves:
        assert text[f"forward.{leaf}"] == text[f"backward.{leaf}"] == show(order[leaf].grad)
        assert float(text[f"forward.{leaf}"]) == pytest.approx(duals(order, leaf)[-1], rel=1e-3, abs=6e-5)
    assert all(text[f"n{i}.grad"] == show(node.grad) for i, node in enumerate(order))
    assert_plays(player)


def duals(order, leaf):
    """The derivatives of all nodes along a leaf by `autograd.Dual`, which shares nothing with Values."""
    copies = {}
    for i, node in enumerate(order):
        inputs = [copies[input] for input in node._prev]
        copies[node] = run_again(node, inputs) if inputs else Dual(node.data, float(i == leaf))
    return [copies[node].derivative for node in order]


def test_the_numbers_of_lesson_06():
    player = forward_mode(lesson())
    said = [frame.say for frame in player.recording.frames]
    assert said[2] == (
        "s = p + a = (-0.8000) + 0.5000 = -0.3000. Its derivative: (-1.6000) · 1.0000 + 1.0000 · 1.0000 = -0.6000."
    )
    assert said[4].startswith("∂f/∂a = -0.5491.") and said[9].startswith("∂f/∂b = 0.4576.")
    assert said[-1] == (
        "One pass backward, and each node shows how fast f changes with it: ∂f/∂a = -0.5491 and ∂f/∂b = 0.4576. It "
        "took 5 products, one for each arrow; forward mode took 2 · 5 = 10."
    )
    assert len(said) == 2 * 5 + 1


# Costs and the table


def test_passes_and_products_are_counted_and_the_backward_column_comes_at_once():
    root = two_paths()
    player, (order, leaves) = forward_mode(root), places(root)
    arrows = sum(len(node._prev) for node in order)
    sizes = [len(node._prev) for node in order if node._prev]
    for index in range(len(player.recording.frames) - 1):
        turn, step = divmod(index, player.size)
        text = shown(player, index)
        products = turn * arrows + sum(sizes[: min(step, len(sizes))])
        assert text["forward.products"] == f"{products} of {len(leaves) * arrows}"
        assert text["forward.passes"] == f"{turn + (step == player.size - 1)} of {len(leaves)}"
        assert text["backward.passes"] == "0 of 1" and text["backward.products"] == f"0 of {arrows}"
        told = [text[f"forward.{leaf}"] != "–" for leaf in leaves]
        assert told == [place < turn + (step == player.size - 1) for place in range(len(leaves))]
        assert {text[f"backward.{leaf}"] for leaf in leaves} == {"–"}
    text = shown(player)
    assert (text["backward.passes"], text["backward.products"]) == ("1 of 1", f"{arrows} of {arrows}")
    assert [text[f"backward.{leaf}"] for leaf in leaves] == ["25.0000", "19.0000"]


def test_nothing_is_known_before_a_pass_has_come_there():
    player = forward_mode(two_paths())
    for start in (0, player.size):
        text = shown(player, start)
        assert [text[f"n{i}.grad"] for i in range(7)] == (
            ["1.0000", "0.0000"] if not start else ["0.0000", "1.0000"]
        ) + ["–"] * 5
        assert [text[f"n{i}.data"] for i in range(2, 7)] == ["–"] * 5 and text["e2.0.local"] == ""
    assert shown(player, 1)["n2.grad"] == "1.0000" and shown(player, 1)["n3.grad"] == "–"


# The leaf that is chosen


def test_a_leaf_that_is_pressed_has_the_next_pass():
    player = forward_mode(two_paths())
    assert ask(player, ["n1"]) == "" and player.seeds == [1, 0] and player.spec["jump"] == 0
    assert player.values == {"seed": "b"} and player.recording.frames[0].say.startswith(
        "b gets the derivative 1, and a"
    )
    player.index = player.size - 1
    assert ask(player, ["n0"]) == "" and player.seeds == [1, 0] and player.spec["jump"] == player.size
    assert ask(player, ["n1"]) == "" and player.seeds == [1, 0] and player.spec["jump"] == 0, "it has had its pass"
    assert player.recording.frames[player.size].at == "Pass 2 of 2: start"
    assert_plays(player)


def test_a_pass_that_was_left_comes_later():
    player = forward_mode(network())
    player.index = 1
    leaf = player.names[player.seeds[2]]
    assert ask(player, seed=leaf) == "" and player.names[player.seeds[0]] == leaf
    assert sorted(player.seeds) == places(network())[1]


def test_the_input_shows_whose_pass_is_in_view():
    player = forward_mode(two_paths())
    player.index = player.size
    assert player.values == {"seed": "b"} and player.patch["controls"] == {"seed": {"value": "b"}}
    player.index = len(player.recording.frames) - 1
    assert player.values == {"seed": "b"}
    player.index = 0
    assert player.values == {"seed": "a"}


def test_it_begins_with_the_leaf_that_is_named():
    player = forward_mode(two_paths(), seed="b")
    assert player.seeds == [1, 0] and player.controls[0].value == "b"


@pytest.mark.parametrize(
    ("presses", "changed", "sentence"),
    [
        (["n2"], {}, "'n2' is no leaf of this graph."),
        (["fly"], {}, "'fly' is no leaf of this graph."),
        ([None], {}, "None is no leaf of this graph."),
        ([], {"seed": "y"}, "seed is the name of a leaf; got 'y'."),
        ([], {"seed": 3}, "seed is the name of a leaf; got 3."),
    ],
)
def test_what_is_wrong_gets_a_sentence_and_the_picture_stays(presses, changed, sentence):
    player = forward_mode(two_paths())
    before = player.recording
    assert ask(player, presses, **changed) == sentence and player.recording is before
    assert ask(player, ["n1"]) == "" and player.values == {"seed": "b"}


# Graphs of other kinds


def test_a_sum_of_many_inputs_is_told_shortly():
    w, x = ([Value(0.1 * i, label=f"{name}{i}") for i in range(1, 5)] for name in "wx")
    said = forward_mode(labelled(weighted_sum(w, x, Value(0.5, label="b")), "z")).recording.frames[1].say
    assert said == (
        "z, made by weighted sum, has the value 0.8000. Its derivative: 1.0000 · 0.1000 + 0.0000 · 0.2000 + … + "
        "0.0000 · 1.0000 = 0.1000."
    )


def test_a_leaf_alone():
    player = forward_mode(Value(3.0, label="x"))
    assert player.text() == (
        "1. x gets the derivative 1. Each node will get a value, and how fast it changes with x.\n"
        "2. ∂x/∂x = 1.0000. This pass also found how fast every node changes with x. Now every leaf has had a pass of "
        "its own. What does one pass backward find?\n"
        "3. One pass backward, and each node shows how fast x changes with it: ∂x/∂x = 1.0000. It took 0 products, "
        "one for each arrow; forward mode took 1 · 0 = 0."
    )


def test_numbers_that_overflow_are_shown():
    x = Value(1e200, label="x")
    player = forward_mode(labelled(x * x * x, "y"))
    assert shown(player)["backward.0"] == show(math.inf)


def test_a_large_graph_is_drawn_collapsed():
    assert isinstance(forward_mode(doubled(12)), Picture)
    assert isinstance(forward_mode(doubled(12), limit=60), ForwardMode)


@pytest.mark.parametrize(
    ("make", "fault", "sentence"),
    [
        (lambda: forward_mode(3.0), TypeError, "A graph is drawn from a node with `data` and `_prev`"),
        (lambda: forward_mode(two_paths(), seed="c"), ValueError, "seed is the name of a leaf; got 'c'"),
        (lambda: forward_mode(two_paths(), limit=-1), ValueError, "limit is how many nodes a drawing may show"),
        (lambda: forward_mode(two_paths(), direction="UP"), ValueError, "direction"),
    ],
)
def test_wrong_arguments_get_a_sentence(make, fault, sentence):
    before = len(REGISTRY)
    with pytest.raises(fault, match=sentence):
        make()
    gc.collect()
    assert len(REGISTRY) <= before


def test_an_engine_without_local_derivatives_is_refused():
    from micrograd.engine import Value as Micrograd

    with pytest.raises(TypeError, match="The forward mode lab multiplies local derivatives"):
        forward_mode(Micrograd(2.0) * 3)


def test_only_leaves_are_pressed():
    stage = figures.forward_mode(two_paths()).spec["stage"]
    assert 'data-press="n0"' in stage and 'data-press="n1"' in stage and 'data-press="n2"' not in stage


def test_a_node_that_is_called_data_keeps_its_name():
    player = forward_mode(labelled(Value(1.0, label="data") * Value(2.0, label="grad"), "y"))
    assert ">data</text>" in player.spec["stage"] and ">grad</text>" in player.spec["stage"]
