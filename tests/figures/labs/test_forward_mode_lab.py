"""The forward mode lab: its pairs are those of dual numbers, its end is the backward pass's, its costs are counts."""

import math

import pytest

from autograd import Dual, Value, topological_order, weighted_sum
from autograd.errors.messages import show
from autograd.operations import rerun
from figures import forward_mode
from tests.approve import approved
from tests.labs import told
from tests.pictures import labelled, network, random_graph, twice
from tests.walks import assert_plays, doubled, shown, skip_connection, two_paths


def lesson():
    """f = tanh(a · b + a) at (0.5, -1.6), the graph of lesson 06."""
    a, b = Value(0.5, label="a"), Value(-1.6, label="b")
    p = labelled(a * b, "p")
    return labelled(labelled(p + a, "s").tanh(), "f")


def places(root):
    """(its topological order, the places of the leaves)."""
    order = topological_order(root)
    return order, [i for i, node in enumerate(order) if not node._prev]


def duals(order, leaf):
    """The derivatives of all nodes along a leaf by `autograd.Dual`, which shares nothing with Values."""
    copies = {}
    for i, node in enumerate(order):
        inputs = [copies[input] for input in node._prev]
        copies[node] = rerun(node, inputs) if inputs else Dual(node.data, float(i == leaf))
    return [copies[node].derivative for node in order]


@pytest.mark.parametrize("build", [two_paths, skip_connection, lesson, lambda: doubled(4), network, twice])
def test_each_pass_shows_how_fast_every_node_changes_with_its_leaf(build):
    root = build()
    player, (order, leaves) = forward_mode(root), places(root)
    assert player.seeds == leaves
    for turn, leaf in enumerate(leaves):
        text = shown(player, turn * player.size + player.size - 1)
        for i, speed in enumerate(duals(order, leaf)):
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
    for start, known in ((0, ["1.0000", "0.0000"]), (player.size, ["0.0000", "1.0000"])):
        text = shown(player, start)
        assert [text[f"n{i}.grad"] for i in range(7)] == [*known, *["–"] * 5]
        assert [text[f"n{i}.data"] for i in range(2, 7)] == ["–"] * 5 and text["e2.0.local"] == ""
    assert shown(player, 1)["n2.grad"] == "1.0000" and shown(player, 1)["n3.grad"] == "–"


def test_a_leaf_that_is_pressed_has_the_next_pass_and_the_input_shows_whose_pass_is_in_view():
    player = forward_mode(two_paths())
    assert told(player, "n1") == "" and player.seeds == [1, 0] and player.spec["jump"] == 0
    assert player.values == {"seed": "b"}
    assert player.recording.frames[0].say.startswith("b gets the derivative 1, and a")
    player.index = player.size - 1
    assert told(player, "n0") == "" and player.seeds == [1, 0] and player.spec["jump"] == player.size
    assert told(player, "n1") == "" and player.seeds == [1, 0] and player.spec["jump"] == 0, "it has had its pass"
    assert player.recording.frames[player.size].at == "Pass 2 of 2: start"
    assert_plays(player)
    for index, seed in ((player.size, "a"), (len(player.recording.frames) - 1, "a"), (0, "b")):
        player.index = index
        assert player.values == {"seed": seed} and player.patch["controls"] == {"seed": {"value": seed}}
    stage = player.spec["stage"]
    assert [f'data-press="n{i}"' in stage for i in range(3)] == [True, True, False], "leaves, and nothing else"
    named = forward_mode(two_paths(), seed="b")
    assert named.seeds == [1, 0] and named.controls[0].value == "b"


def test_a_pass_that_was_left_comes_later():
    player = forward_mode(network())
    player.index = 1
    leaf = player.names[player.seeds[2]]
    assert told(player, seed=leaf) == "" and player.names[player.seeds[0]] == leaf
    assert sorted(player.seeds) == places(network())[1]


def test_what_is_said_of_a_sum_of_many_inputs_and_of_a_leaf_alone():
    w, x = ([Value(0.1 * i, label=f"{name}{i}") for i in range(1, 5)] for name in "wx")
    wide = forward_mode(labelled(weighted_sum(w, x, Value(0.5, label="b")), "z")).recording.frames[1].say
    approved("forward_mode_said", f"{wide}\n{forward_mode(Value(3.0, label='x')).text()}")


def test_numbers_that_overflow_are_shown_and_labels_that_are_words_of_the_stage():
    x = Value(1e200, label="x")
    assert shown(forward_mode(labelled(x * x * x, "y")))["backward.0"] == show(math.inf)
    stage = forward_mode(labelled(Value(1.0, label="data") * Value(2.0, label="grad"), "y")).spec["stage"]
    assert ">data</text>" in stage and ">grad</text>" in stage
