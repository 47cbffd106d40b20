"""The forward mode lab: its pairs are those of dual numbers, its end is the backward pass's, its costs are counts."""

import pytest

from autograd import Dual, Value, topological_order, weighted_sum
from autograd.operations import rerun
from figures import forward_mode
from figures.page.style import number
from tests.approve import approved
from tests.lab_graphs import as_float, assert_plays, doubled, shown, skip_connection, two_paths
from tests.labs import message_after
from tests.pictures import labelled, network, random_graph, twice


def duals(order, leaf):
    """The derivatives of all nodes along a leaf by `autograd.Dual`, which shares nothing with Values."""
    copies = {}
    for i, node in enumerate(order):
        inputs = [copies[input] for input in node._prev]
        copies[node] = rerun(node, inputs) if inputs else Dual(node.data, float(i == leaf))
    return [copies[node].derivative for node in order]


@pytest.mark.parametrize("build", [two_paths, skip_connection, lambda: doubled(4), network, twice])
def test_each_pass_shows_the_derivative_by_its_leaf(build):
    root = build()
    player, order = forward_mode(root), topological_order(root)
    for turn, leaf in enumerate(player.seeds):
        text = shown(player, turn * player.size + player.size - 1)
        for i, speed in enumerate(duals(order, leaf)):
            assert as_float(text[f"n{i}.grad"]) == pytest.approx(speed, abs=1e-4)


@pytest.mark.parametrize("seed", range(25))
def test_forward_and_backward_agree_on_random_graphs(seed):
    root = random_graph(seed)
    player, order = forward_mode(root, limit=60), topological_order(root)
    text = shown(player)
    root.backward("all")
    assert player.seeds == [i for i, node in enumerate(order) if not node._prev]
    for leaf in player.seeds:
        assert text[f"forward.{leaf}"] == text[f"backward.{leaf}"] == number(order[leaf].grad)
        assert as_float(text[f"forward.{leaf}"]) == pytest.approx(duals(order, leaf)[-1], rel=1e-3, abs=6e-5)
    assert [text[f"n{i}.grad"] for i in range(len(order))] == [number(node.grad) for node in order]
    assert_plays(player)


def test_passes_and_products_are_counted():
    root = two_paths()
    player = forward_mode(root)
    sizes = [len(node._prev) for node in topological_order(root) if node._prev]
    for index in range(len(player.recording.frames) - 1):
        turn, step = divmod(index, player.size)
        text, products = shown(player, index), turn * sum(sizes) + sum(sizes[: min(step, len(sizes))])
        assert text["forward.products"] == f"{products} of {2 * sum(sizes)}"
        assert text["forward.passes"] == f"{turn + (step == player.size - 1)} of 2"
        assert [text[f"backward.{leaf}"] for leaf in (0, 1)] == ["–", "–"]
    assert [shown(player)[f"backward.{leaf}"] for leaf in (0, 1)] == ["25", "19"]


def test_pressed_leaf_gets_the_next_pass():
    player = forward_mode(two_paths())
    assert message_after(player, "n1") == "" and player.seeds == [1, 0] and player.spec["jump"] == 0
    player.index = player.size - 1
    assert message_after(player, "n0") == "" and player.seeds == [1, 0] and player.spec["jump"] == player.size
    assert message_after(player, "n1") == "" and player.seeds == [1, 0] and player.spec["jump"] == 0, (
        "it has had its pass"
    )
    for index, seed in ((player.size, "a"), (len(player.recording.frames) - 1, "a"), (0, "b")):
        player.index = index
        assert player.values == {"seed": seed} and player.patch["controls"] == {"seed": {"value": seed}}
    assert [f'data-press="n{i}"' in player.spec["stage"] for i in range(3)] == [True, True, False]
    player = forward_mode(network())
    player.index, leaf = 1, player.names[player.seeds[2]]
    assert message_after(player, seed=leaf) == "" and player.names[player.seeds[0]] == leaf, (
        "a pass that was left comes later"
    )


def test_descriptions_of_a_weighted_sum_and_a_single_leaf():
    w, x = ([Value(0.1 * i, label=f"{name}{i}") for i in range(1, 5)] for name in "wx")
    wide = forward_mode(labelled(weighted_sum(w, x, Value(0.5, label="b")), "z")).recording.frames[1].say
    approved("forward_mode_said", f"{wide}\n{forward_mode(Value(3.0, label='x')).render_text()}")
