"""The drag lab: what it shows for other numbers, whose nodes it leaves alone, and which graphs stay a still."""

import pytest
from micrograd.engine import Value as Micrograd

from autograd import MLP, Value, topological_order, weighted_sum
from figures.graph.draw import draw_graph
from figures.labs.dragged import drag
from figures.page.picture import Picture
from figures.page.style import number
from tests.lab_graphs import assert_plays, two_paths
from tests.labs import ask, message, message_after


def numbers(player):
    """{key: text} of the data and grads that the lab shows."""
    updates = player.recording.frames[0].updates
    return {key: mark["text"] for key, mark in updates.items() if key.endswith((".data", ".grad"))}


def expected(root):
    """Return the state of a graph after its backward pass."""
    root.backward()
    order = topological_order(root)
    return {f"n{i}.{what}": number(getattr(node, what)) for i, node in enumerate(order) for what in ("data", "grad")}


def every_op(x=0.5, y=2.0):
    """A graph with constants, a shared node, one edge twice, and a Value as exponent."""
    a, b = Value(x, label="a"), Value(y, label="b")
    return ((a + a) ** 3 - a / b).leaky_relu(0.2) ** b


@pytest.mark.parametrize("build", [two_paths, every_op, lambda: weighted_sum([Value(0.3)], [Value(0.5)], Value(0.1))])
def test_drag_lab_opens_with_the_graphs_numbers(build):
    player = drag(build())
    assert numbers(player) == expected(build())
    assert_plays(player)


def test_changed_leaf_updates_dependents_but_not_the_learners_nodes():
    root = every_op()
    player, order = drag(root), topological_order(root)
    a, b = (f"n{i}" for i, node in enumerate(order) if node.label in ("a", "b"))
    stage, opened = player.spec["stage"], player.spec
    ask(player, **{a: 0.7, b: 1.5})
    assert numbers(player) == expected(every_op(0.7, 1.5)) and [node.grad for node in order] == [0.0] * len(order)
    assert player.spec["stage"] == stage, "the page keeps its drawing, and the focus in it"
    ask(player, "reset", **{a: 0.7, b: 1.5, "n99": 1.0})
    assert player.spec == opened and message(player) == "", "a name that is no leaf changes nothing"


def test_number_outside_the_domain_gets_a_message():
    player = drag(Value(0.5, label="x").log())
    before = numbers(player)
    assert message_after(player, n0=-1.0).startswith("log of x = -1.0: log needs a positive number.")
    assert numbers(player) == before and message_after(player, n0=0.75) == ""


@pytest.mark.parametrize(
    ("root", "reason"),
    [
        (Micrograd(2.0) * Micrograd(3.0), "only nodes of autograd.Value can, and this is a Value of micrograd.engine"),
        (MLP(2, [3, 1])([1.0, 2.0]), "in a graph of at most 12"),
    ],
)
def test_graph_that_cannot_be_rerun_stays_a_still_picture(root, reason):
    picture = drag(root)
    assert type(picture) is Picture and reason in picture.note and picture.svg == draw_graph(root).svg
