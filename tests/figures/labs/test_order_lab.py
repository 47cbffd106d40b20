"""The order lab: each order gives what the engine's own nodes give in that order, and the first fault is named."""

import itertools

import pytest

from autograd import Value, topological_order
from autograd.errors.messages import show
from figures import order
from figures.graph.reader import read_graph
from figures.labs.order_rules import MOST, ORDERS, OWN, PARTS, first_broken, run, run_in
from tests import pictures
from tests.approve import approved
from tests.labs import ask, message, moved, told
from tests.lessons.test_numbers import breadth_first, naive, pre_order
from tests.pictures import labelled, random_graph
from tests.walks import assert_plays, doubled, shown, skip_connection, two_paths

NAMED = [name for name in ORDERS if name != OWN]


def engine(root, choice):
    """The grads of all nodes after a pass of the engine's own `_backward` in an order by name."""
    nodes = topological_order(root)
    for node in nodes:
        node.grad = 0.0
    root.grad = 1.0
    walks = {
        PARTS: by_parts,
        "naive recursion": naive,
        "depth-first pre-order": pre_order,
        "breadth-first": breadth_first,
    }
    if choice in walks:
        walks[choice](root)
    else:
        for node in nodes if choice == "post-order, not reversed" else nodes[::-1]:
            node._backward()
    return [node.grad for node in nodes]


def by_parts(node, arrived=None):
    """A recursion that hands on what has just arrived, and nothing else."""
    if arrived is not None:
        node.grad += arrived
    for input, local in zip(node._prev, node._local):
        by_parts(input, local * (1.0 if arrived is None else arrived))


# Numbers


@pytest.mark.parametrize("choice", NAMED)
@pytest.mark.parametrize("make", [skip_connection, two_paths])
def test_the_leaves_get_what_the_order_gives_beside_the_right_numbers(make, choice):
    """At the end the table still says of how many each node had heard when it was read."""
    player = order(make(), choice=choice)
    text, got, right = shown(player), engine(make(), choice), engine(make(), "reverse topological")
    leaves = [int(key[4:]) for key in text if key.startswith("got.")]
    assert leaves and [text[f"got.{i}"] for i in leaves] == [show(got[i]) for i in leaves]
    assert [text[f"right.{i}"] for i in leaves] == [show(right[i]) for i in leaves]
    assert player.recording.frames[-1].say.startswith("Right: " if got == right else "Wrong: ")
    faults = {key[6:]: fault for key, fault in text.items() if key.startswith("fault.")}
    assert faults
    for node, fault in faults.items():
        count, _, total = text[f"heard.{node}"].partition(" of ")
        assert total == "" or (fault == "too early") == (count < total) or fault in ("once more", "a part")


@pytest.mark.parametrize("choice", NAMED)
@pytest.mark.parametrize("seed", range(10))
def test_every_order_gives_what_the_engine_gives_in_it(seed, choice):
    root = random_graph(seed, n_ops=6)
    nodes = read_graph(root)
    assert [grad or 0.0 for grad in run_in(nodes, choice)[-1].grads] == pytest.approx(engine(root, choice), rel=1e-12)


@pytest.mark.parametrize("choice", NAMED)
def test_a_frame_shows_what_its_turn_reads_and_passes_on(choice):
    player = order(two_paths(), choice=choice)
    nodes = player.nodes
    for frame, visit in zip(player.recording.frames[1:-1], run_in(nodes, choice), strict=True):
        assert frame.marks[f"read.{visit.node}"]["text"] == show(visit.grad)
        state = frame.marks[f"n{visit.node}"]["state"]
        assert state == ("again" if visit.again else "early" if visit.missing else "backward")
        for edge, input, local, contribution in visit.given:
            assert contribution == local * visit.grad
            assert frame.marks[f"e{visit.node}.{edge}"]["state"] == "backward"
            assert frame.marks[f"n{input}"]["state"] in ("target", "target late")
            assert frame.marks[f"n{input}.grad"]["text"] == show(visit.grads[input])


def test_what_is_said_of_each_turn_and_of_the_result():
    a = Value(2.0, label="a")
    b = labelled(a * 3, "b")
    by_luck = labelled(b + labelled(b * 0.0, "c"), "y")  # b is read before c, which passes nothing on
    said = [order(skip_connection(), choice=choice).text() for choice in ("naive recursion", "breadth-first", PARTS)]
    said.append(order(by_luck, choice="breadth-first").recording.frames[-1].say)
    own = order(two_paths(), choice=OWN)
    said.append(own.text())
    ask(own, "n6", "n2")
    said.append(own.text())
    approved("order_said", "\n\n".join(said))
    marks = [frame.marks["fault.2"] for frame in order(skip_connection()).recording.frames]
    assert marks[2] == {"text": "too early", "state": "early"} and marks[4] == {"text": "once more", "state": "again"}
    assert own.recording.frames[2].marks["n2"]["state"] == "early"
    assert own.recording.frames[-1].at == "Result so far"


@pytest.mark.long
def test_a_recursion_by_parts_takes_a_turn_for_each_path():
    for times in range(1, 6):
        assert len(run_in(read_graph(doubled(times)), PARTS)) == 2 ** (times + 1) - 2
    assert told(order(doubled(10)), order=PARTS).startswith("Recursion would take")


# Predictions


@pytest.mark.parametrize("choice", NAMED)
@pytest.mark.parametrize("make", [skip_connection, two_paths])
def test_a_prediction_before_the_first_turn(make, choice):
    """It asks for what the order gives the first leaf; a number that another order gives is said to be that order's."""
    player = order(make(), choice=choice, predict=True)
    asked = [frame.ask for frame in player.recording.frames]
    assert [each is not None for each in asked] == [False, True] + [False] * (len(asked) - 2)
    leaf = next(i for i, node in enumerate(player.nodes) if node.name == "a")
    assert asked[1]["what"] == "the final a.grad"
    assert asked[1]["answer"] == engine(make(), choice)[leaf]
    for number, sentence in asked[1]["wrong"]:
        if sentence.startswith("That is the true gradient"):
            assert number == engine(make(), "reverse topological")[leaf]
        else:
            named = sentence.removeprefix("That is the result of a different order: ").split(". Here the order is: ")
            assert named[1] == f"{choice}." and number == engine(make(), named[0])[leaf]
    assert len(asked[1]["wrong"]) >= 2
    user = "b" if make is skip_connection else "c"
    assert asked[1]["hint"] == (
        f"Write down whose turn comes when. What is in {user}.grad when {user} has its turn, and what does a "
        "receive from that?"
    )


def test_the_local_derivatives_come_once_an_answer_is_in():
    """They would make it a product of two numbers in view. The opening tells no number of turns either."""
    player = order(skip_connection(), choice="breadth-first", predict=True)
    texts = [{m["text"] for k, m in f.marks.items() if k.endswith(".local")} for f in player.recording.frames[:2]]
    assert texts[0] == {""} and "" not in texts[1]
    assert player.recording.frames[0].say == (
        "The pass starts with y.grad = 1. The order is: breadth-first. Which gradient will a get? Predict, then step."
    )
    marks = ask(player, order=OWN)
    assert "" not in {mark["text"] for key, mark in marks.items() if key.endswith(".local")}
    assert all(frame.ask is None for frame in player.recording.frames), "in your own order nothing is asked"
    ask(player, order="breadth-first")
    assert player.recording.frames[1].ask["answer"] == 8.0


def valid(nodes, turns):
    """Whether every node stands after all of its consumers."""
    return all(turns.index(i) < turns.index(input) for i in turns for input in nodes[i].inputs if nodes[input].inputs)


@pytest.mark.parametrize(("make", "count"), [(two_paths, 4), (skip_connection, 1)])
def test_any_valid_order_is_accepted_and_no_other(make, count):
    """Of all orders of the nodes: exactly the valid ones break no dependency, and all of these give the right grads."""
    nodes, accepted = read_graph(make()), 0
    right = run(nodes, ORDERS["reverse topological"](nodes))[-1].grads
    for turns in itertools.permutations(i for i, node in enumerate(nodes) if node.inputs):
        broken = first_broken(nodes, turns)
        assert (broken is None) == valid(nodes, turns)
        if broken is None:
            accepted += 1
            assert run(nodes, turns)[-1].grads == pytest.approx(right)
        else:
            node, consumer = broken
            assert node in nodes[consumer].inputs and turns.index(node) < turns.index(consumer)
            assert first_broken(nodes, turns[: turns.index(node)]) is None
    assert accepted == count
    if make is skip_connection:  # leaves may have turns, too
        assert first_broken(nodes, [5, 4, 3, 2, 1, 0]) is None
        assert first_broken(nodes, [5, 3, 4, 2, 1, 0]) == (3, 4)


# Your own order


def test_nodes_are_clicked_one_by_one():
    player, turns = order(two_paths()), [6, 5, 4, 3, 2]
    stage = player.spec["stage"]
    for count, node in enumerate(turns, start=1):
        assert told(player, f"n{node}", order=OWN if count > 1 else player.values["order"]) == ""
        assert player.own == turns[:count] and player.values == moved(player) == {"order": OWN}
        assert player.spec["jump"] == (count if count < 5 else 6)
        assert player.spec["stage"] == stage, "the focus stays on the node"
        assert [player.patch["controls"][name] for name in ("undo", "clear")] == [{"disabled": False}] * 2
    assert player.recording.frames[-1].say.startswith("Right: a.grad = 25.0000 and b.grad = 19.0000.")
    assert_plays(player)


def test_your_own_order_is_taken_back_and_kept_while_another_is_looked_at():
    player = order(two_paths(), choice=OWN)
    ask(player, "n6", "n5", "n4")
    assert told(player, "undo") == "" and player.own == [6, 5] and player.spec["jump"] == 2
    assert told(player, "n5") == "p has had its turn already, as number 2. Undo takes one back."
    ask(player, order="breadth-first")
    assert player.own == [6, 5] and player.spec["jump"] == 0
    ask(player, order=OWN)
    assert len(player.recording.frames) == 4
    ask(player, "n6", order="breadth-first")
    assert player.own == [6], "a click on the drawing of another order begins a new one"
    assert told(player, "clear") == "" and player.own == [] and player.spec["jump"] == 0
    assert player.patch["controls"]["undo"] == {"disabled": True}


# The lab as such


def many_paths():
    """A graph of more paths than recursion can be shown in."""
    return doubled(10)


@pytest.mark.parametrize("choice", NAMED)
@pytest.mark.parametrize("make", [two_paths, skip_connection, many_paths, *pictures.GRAPHS.values()])
def test_what_the_browser_changes_is_what_python_renders(make, choice):
    player = order(make(), choice=choice)
    refused = make is many_paths and choice in ("naive recursion", PARTS)
    assert player.spec["message"][:20] == ("Recursion would take" if refused else "")
    assert_plays(player)


@pytest.mark.long
def test_naive_recursion_has_a_limit():
    player = order(many_paths())
    assert player.values == {"order": "reverse topological"} and player.controls[0].value == "reverse topological"
    assert message(player) == (
        f"Recursion would take 2,046 turns, one for each path from the root; more than {MOST} cannot be shown. "
        "Choose another order."
    )
    before = player.recording
    assert told(player, order="naive recursion").startswith("Recursion would take 2,046 turns")
    assert player.recording is before and len(order(doubled(5)).recording.frames) == 62 + 2


def test_without_graphviz_the_names_in_the_table_are_pressed(monkeypatch):
    pictures.clear()
    monkeypatch.setattr("figures.graph.layout.BACKENDS", (pictures.absent,))
    try:
        stage = order(two_paths()).spec["stage"]
        assert [f'data-press="n{i}"' in stage for i in range(7)] == [False] * 2 + [True] * 5
    finally:
        pictures.clear()
