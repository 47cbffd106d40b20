"""The order lab: each order gives what the engine's own nodes give in that order, and the first fault is named."""

import itertools

import pytest

from autograd import Value, topological_order
from figures import order
from figures.graph.reader import read_graph
from figures.labs.order_rules import ORDERS, OWN, PARTS, first_broken, run, run_in
from figures.page.style import number as shown_number
from tests import pictures
from tests.approve import approved
from tests.lab_graphs import assert_plays, doubled, shown, skip_connection, two_paths
from tests.labs import ask, message_after, moved
from tests.lessons.test_numbers import breadth_first, naive, pre_order
from tests.pictures import labelled, random_graph

NAMED = [name for name in ORDERS if name != OWN]


def by_parts(node, arrived=None):
    """Pass back, recursively, what has just arrived, and nothing else."""
    if arrived is not None:
        node.grad += arrived
    for input, local in zip(node._prev, node._local):
        by_parts(input, local * (1.0 if arrived is None else arrived))


def engine(root, choice):
    """The grads of all nodes after a pass of the engine's own `_backward` in an order by name."""
    nodes = topological_order(root)
    root.grad = 1.0
    walks = {PARTS: by_parts, "naive recursion": naive, "depth-first pre-order": pre_order}
    if walk := (walks | {"breadth-first": breadth_first}).get(choice):
        walk(root)
    else:
        for node in nodes if choice == "post-order, not reversed" else nodes[::-1]:
            node._backward()
    return [node.grad for node in nodes]


@pytest.mark.parametrize("choice", NAMED)
@pytest.mark.parametrize("make", [skip_connection, two_paths])
def test_leaves_get_the_gradients_of_the_chosen_order(make, choice):
    text, got, right = shown(order(make(), choice=choice)), engine(make(), choice), engine(make(), NAMED[4])
    leaves = [i for i, node in enumerate(topological_order(make())) if node.label in ("a", "b") and not node._prev]
    assert [text[f"got.{i}"] for i in leaves] == [shown_number(got[i]) for i in leaves]
    assert [text[f"right.{i}"] for i in leaves] == [shown_number(right[i]) for i in leaves]
    asked = order(make(), choice=choice, predict=True).recording.frames[1].ask
    assert asked["answer"] == got[leaves[0]]
    for number, sentence in asked["wrong"]:
        if sentence.startswith("That is the true gradient"):
            assert number == right[leaves[0]]
        else:
            named = sentence.removeprefix("That is the result of a different order: ").split(". Here the order is: ")[0]
            assert number == engine(make(), named)[leaves[0]]


@pytest.mark.parametrize("choice", NAMED)
@pytest.mark.parametrize("seed", range(10))
def test_every_order_matches_the_engine_run_in_that_order(seed, choice):
    root = random_graph(seed, n_ops=6)
    nodes = read_graph(root)
    for node in topological_order(root):
        node.grad = 0.0
    assert [grad or 0.0 for grad in run_in(nodes, choice)[-1].grads] == pytest.approx(engine(root, choice), rel=1e-12)


@pytest.mark.parametrize("choice", NAMED)
def test_frame_shows_gradients_read_and_passed_on_in_its_turn(choice):
    player = order(two_paths(), choice=choice)
    for frame, visit in zip(player.recording.frames[1:-1], run_in(player.nodes, choice), strict=True):
        assert frame.updates[f"read.{visit.node}"]["text"] == shown_number(visit.grad)
        state = frame.updates[f"n{visit.node}"]["state"]
        assert state == ("again" if visit.again else "early" if visit.missing else "backward")
        for edge, input, local, contribution in visit.given:
            assert contribution == local * visit.grad
            assert frame.updates[f"e{visit.node}.{edge}"]["state"] == "backward"
            assert frame.updates[f"n{input}.grad"]["text"] == shown_number(visit.grads[input])


def test_order_lab_descriptions():
    a = Value(2.0, label="a")
    b = labelled(a * 3, "b")
    by_luck = labelled(b + labelled(b * 0.0, "c"), "y")  # b is read before c, which passes nothing on
    said = [
        order(skip_connection(), choice=choice).render_text() for choice in ("naive recursion", "breadth-first", PARTS)
    ]
    said.append(order(by_luck, choice="breadth-first").recording.frames[-1].say)
    own = order(two_paths(), choice=OWN)
    said.append(own.render_text())
    ask(own, "n6", "n2")
    said.append(own.render_text())
    approved("order_said", "\n\n".join(said))


@pytest.mark.parametrize(("make", "count"), [(two_paths, 4), (skip_connection, 1)])
def test_exactly_the_valid_orders_are_accepted(make, count):
    """Of all orders of the nodes: exactly the valid ones break no dependency, and all of these give the right grads."""
    nodes, accepted = read_graph(make()), 0
    right = run(nodes, ORDERS["reverse topological"](nodes))[-1].grads
    for turns in itertools.permutations(i for i, node in enumerate(nodes) if node.inputs):
        pairs = [(i, input) for i in turns for input in nodes[i].inputs if nodes[input].inputs]
        early = [(input, i) for i, input in pairs if turns.index(i) > turns.index(input)]
        broken = first_broken(nodes, turns)
        if not early:
            accepted += 1
            assert broken is None and run(nodes, turns)[-1].grads == pytest.approx(right)
        else:
            assert broken in early and first_broken(nodes, turns[: turns.index(broken[0])]) is None
    assert accepted == count
    if make is skip_connection:  # leaves may have turns, too
        assert first_broken(nodes, [5, 4, 3, 2, 1, 0]) is None
        assert first_broken(nodes, [5, 3, 4, 2, 1, 0]) == (3, 4)


def test_custom_order_is_built_undone_and_kept():
    player, turns = order(two_paths()), [6, 5, 4, 3, 2]
    stage = player.spec["stage"]
    for count, node in enumerate(turns, start=1):
        assert message_after(player, f"n{node}", order=OWN if count > 1 else player.values["order"]) == ""
        assert player.own == turns[:count] and player.values == moved(player) == {"order": OWN}
        assert player.spec["jump"] == (count if count < 5 else 6)
        assert player.spec["stage"] == stage, "the focus stays on the node"
    assert player.recording.frames[-1].say.startswith("Right: a.grad = 25.0000 and b.grad = 19.0000.")
    assert message_after(player, "undo", "undo") == "" and player.own == [6, 5, 4] and player.spec["jump"] == 3
    assert message_after(player, "n5") == "p has had its turn already, as number 2. Undo takes one back."
    ask(player, order="breadth-first")
    assert player.own == [6, 5, 4] and player.spec["jump"] == 0
    ask(player, "n6", order="breadth-first")
    assert player.own == [6], "a click on the drawing of another order begins a new one"
    assert (
        message_after(player, "clear") == ""
        and player.own == []
        and player.patch["controls"]["undo"] == {"disabled": True}
    )


@pytest.mark.parametrize("choice", NAMED)
@pytest.mark.parametrize("make", [two_paths, skip_connection, lambda: doubled(5), *pictures.GRAPHS.values()])
def test_browser_updates_match_python_rendering(make, choice):
    assert_plays(order(make(), choice=choice))


def test_recursive_orders_have_a_limit():
    player = order(doubled(10))
    assert player.values == {"order": "reverse topological"} and player.controls[0].value == "reverse topological"
    for choice in ("naive recursion", PARTS):
        before = player.recording
        assert message_after(player, order=choice).startswith("Recursion would take 2,046 turns, one for each path")
        assert player.recording is before
    assert len(run_in(read_graph(doubled(5)), PARTS)) == 2**6 - 2
