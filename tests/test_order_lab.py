"""The order lab: each order gives what the engine's own nodes give in that order, and the first fault is named."""

import gc
import itertools
import weakref

import pytest
from ipywidgets.widgets.widget import _instances as REGISTRY

from autograd import Value, topological_order
from autograd.messages import show
from figures import order
from figures.graph.reader import read_graph
from figures.labs.order_rules import MOST, ORDERS, OWN, PARTS, first_broken, run, run_in
from figures.page.picture import Picture
from figures.page.player import Player
from tests import pictures
from tests.pictures import Bare, Closures, random_graph
from tests.test_numbers import breadth_first, naive, pre_order
from tests.walks import ask, assert_plays, doubled, shown, skip_connection, two_paths

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


def leaves(player):
    """The leaves' gradients beside the right ones, in the last frame."""
    text = shown(player)
    return {key[4:]: (text[key], text[f"right.{key[4:]}"]) for key in text if key.startswith("got.")}


@pytest.mark.parametrize("choice", NAMED)
@pytest.mark.parametrize("make", [skip_connection, two_paths])
def test_who_was_read_too_early_had_not_heard_from_all(make, choice):
    """At the end the table still says of how many each node had heard when it was read."""
    text = shown(order(make(), choice=choice))
    faults = {key[6:]: text[key] for key in text if key.startswith("fault.")}
    assert faults
    for node, fault in faults.items():
        count, _, total = text[f"heard.{node}"].partition(" of ")
        assert total == "" or (fault == "too early") == (count < total) or fault in ("once more", "a part")


# Numbers


@pytest.mark.parametrize(
    ("make", "choice", "numbers"),
    [
        (skip_connection, "reverse topological", {"1": ("14.0000", "14.0000")}),
        (skip_connection, "naive recursion", {"1": ("22.0000", "14.0000")}),
        (skip_connection, "breadth-first", {"1": ("8.0000", "14.0000")}),
        (skip_connection, "depth-first pre-order", {"1": ("8.0000", "14.0000")}),
        (two_paths, "reverse topological", {"0": ("25.0000", "25.0000"), "1": ("19.0000", "19.0000")}),
        (two_paths, "naive recursion", {"0": ("29.0000", "25.0000"), "1": ("22.0000", "19.0000")}),
        (two_paths, "depth-first pre-order", {"0": ("4.0000", "25.0000"), "1": ("3.0000", "19.0000")}),
        (two_paths, "post-order, not reversed", {"0": ("0.0000", "25.0000"), "1": ("0.0000", "19.0000")}),
        (skip_connection, PARTS, {"1": ("14.0000", "14.0000")}),
        (two_paths, PARTS, {"0": ("25.0000", "25.0000"), "1": ("19.0000", "19.0000")}),
    ],
)
def test_order_matters(make, choice, numbers):
    player = order(make(), choice=choice)
    assert leaves(player).items() >= numbers.items()
    right = all(got == wanted for got, wanted in leaves(player).values())
    assert player.recording.frames[-1].say.startswith("Right: " if right else "Wrong: ")


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


def test_a_recursion_by_parts_is_right_and_takes_a_turn_for_each_path():
    said = [frame.say for frame in order(skip_connection(), choice=PARTS).recording.frames]
    assert said[4] == "b has just been given 3.0000, and passes on that alone: 4.5000 to v0 and 6.0000 to a."
    assert said[5] == (
        "Right: a.grad = 14.0000. Nothing was counted twice. But it took 4 turns, one for each path from y, where 3 "
        "are enough; where paths double with each operation, so do the turns."
    )
    for times in range(1, 6):
        assert len(run_in(read_graph(doubled(times)), PARTS)) == 2 ** (times + 1) - 2
    assert ask(order(doubled(10)), order=PARTS).startswith("Recursion would take")


def test_what_is_read_too_early_is_named():
    said = [frame.say for frame in order(skip_connection(), choice="breadth-first").recording.frames]
    assert said[2] == (
        "Too early: b.grad is 4.0000 when it is read, but c has still to add to it. "
        "b passes on 6.0000 to v0 and 8.0000 to a."
    )
    assert said[3].endswith("Too late: b had its turn before, so this goes no further.")
    assert said[4] == (
        "Wrong: a.grad is 8.0000 where 14.0000 is right. "
        "The first dependency that it breaks: b is read before c, which uses b."
    )
    again = order(skip_connection()).recording.frames
    assert again[4].say.startswith("b has another turn: it reads all of its 7.0000")
    assert again[-1].say.endswith("b has more than one turn, and passes on the same part again.")
    assert again[2].marks["fault.2"] == {"text": "too early", "state": "early"}
    assert again[4].marks["fault.2"] == {"text": "once more", "state": "again"}


# Predictions


@pytest.mark.parametrize("choice", NAMED)
@pytest.mark.parametrize("make", [skip_connection, two_paths])
def test_a_prediction_before_the_first_turn(make, choice):
    """It asks for what the order gives the first leaf; a number that another order gives is said to be that order's."""
    player = order(make(), choice=choice, predict=True)
    asked = [frame.ask for frame in player.recording.frames]
    assert [each is not None for each in asked] == [False, True] + [False] * (len(asked) - 2)
    leaf = next(i for i, node in enumerate(player.nodes) if node.name == "a")
    assert asked[1]["what"] == "a.grad after the last turn"
    assert asked[1]["answer"] == engine(make(), choice)[leaf]
    for number, sentence in asked[1]["wrong"]:
        if sentence.startswith("That is the true gradient"):
            assert number == engine(make(), "reverse topological")[leaf]
        else:
            named = sentence.removeprefix("That is what this order gives: ").split(". Here it is another: ")
            assert named[1] == f"{choice}." and number == engine(make(), named[0])[leaf]
    assert len(asked[1]["wrong"]) >= 2
    user = "b" if make is skip_connection else "c"
    assert asked[1]["hint"] == (
        f"Write down whose turn comes when. What stands in {user}.grad when {user} has its turn, and what does a "
        "receive of that?"
    )


def test_the_local_derivatives_come_once_an_answer_is_in():
    """They would make it a product of two numbers in view. The opening tells no number of turns either."""
    player = order(skip_connection(), choice="breadth-first", predict=True)
    texts = [{m["text"] for k, m in f.marks.items() if k.endswith(".local")} for f in player.recording.frames[:2]]
    assert texts[0] == {""} and "" not in texts[1]
    assert_plays(player)
    assert player.recording.frames[0].say == (
        "The pass starts with y.grad = 1. The order is: breadth-first. Which gradient will a get? Predict, then step."
    )
    ask(player, order=OWN)
    assert "" not in {m["text"] for k, m in player.recording.frames[0].marks.items() if k.endswith(".local")}


def test_in_your_own_order_nothing_is_asked():
    player = order(skip_connection(), choice=OWN, predict=True)
    assert all(frame.ask is None for frame in player.recording.frames)
    ask(player, order="breadth-first")
    assert player.recording.frames[1].ask["answer"] == 8.0
    assert all(frame.ask is None for frame in order(skip_connection()).recording.frames)


# The validator


def valid(nodes, turns):
    """Whether every node stands after all of its consumers."""
    return all(turns.index(i) < turns.index(input) for i in turns for input in nodes[i].inputs if nodes[input].inputs)


@pytest.mark.parametrize("make", [two_paths, skip_connection])
def test_any_valid_order_is_accepted_and_no_other(make):
    """Of all orders of the nodes: exactly the valid ones break no dependency, and all of these give the right grads."""
    nodes = read_graph(make())
    right = run(nodes, ORDERS["reverse topological"](nodes))[-1].grads
    accepted = 0
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
    assert accepted == (4 if make is two_paths else 1)


def test_the_validator_takes_leaves_too():
    nodes = read_graph(skip_connection())
    assert first_broken(nodes, [5, 4, 3, 2, 1, 0]) is None
    assert first_broken(nodes, [5, 3, 4, 2, 1, 0]) == (3, 4)


def test_right_by_luck_is_said():
    """b is read before c, which passes nothing on: the numbers are right all the same."""
    a = Value(2.0, label="a")
    b = pictures.labelled(a * 3, "b")
    c = pictures.labelled((b * 0.0), "c")
    root = pictures.labelled(b + c, "y")
    said = order(root, choice="breadth-first").recording.frames[-1].say
    assert said.startswith("The numbers are right, a.grad = 3.0000, but by luck")
    assert "b is read before c" in said


# Your own order


def test_nodes_are_clicked_one_by_one():
    player = order(two_paths())
    stage = player.spec["stage"]
    turns = [6, 5, 4, 3, 2]
    for count, node in enumerate(turns, start=1):
        assert ask(player, [f"n{node}"], order=OWN if count > 1 else player.values["order"]) == ""
        assert player.own == turns[:count] and player.values == {"order": OWN}
        assert player.spec["jump"] == (count if count < 5 else 6)
        assert player.spec["stage"] == stage, "the focus stays on the node"
        assert player.patch["controls"] == {
            "order": {"value": OWN},
            "undo": {"disabled": False},
            "clear": {"disabled": False},
        }
    assert player.recording.frames[-1].say.startswith("Right: a.grad = 25.0000 and b.grad = 19.0000.")
    assert_plays(player)


def test_an_unfinished_order_says_what_is_missing():
    player = order(two_paths(), choice=OWN)
    assert player.recording.frames[0].say.startswith("In which order should the nodes pass their gradients on?")
    assert player.recording.frames[-1].say == "Not finished: y, p, s, d and c have had no turn yet."
    ask(player, ["n6", "n2"])
    assert player.recording.frames[2].marks["n2"]["state"] == "early"
    assert player.recording.frames[-1].at == "Result so far"
    assert player.recording.frames[-1].say == (
        "Not finished: p, s and d have had no turn yet. "
        "The first dependency that it breaks: c is read before s, which uses c."
    )


def test_undo_and_clear():
    player = order(two_paths(), choice=OWN)
    ask(player, ["n6", "n5", "n4"])
    assert ask(player, ["undo"]) == "" and player.own == [6, 5] and player.spec["jump"] == 2
    assert ask(player, ["clear"]) == "" and player.own == [] and player.spec["jump"] == 0
    assert player.patch["controls"]["undo"] == {"disabled": True}
    assert ask(player, ["undo"]).startswith("There is nothing to undo")


def test_your_own_order_is_kept_while_another_is_looked_at():
    player = order(two_paths(), choice=OWN)
    ask(player, ["n6", "n5"])
    ask(player, order="breadth-first")
    assert player.own == [6, 5] and player.spec["jump"] == 0
    ask(player, order=OWN)
    assert len(player.recording.frames) == 4
    ask(player, order="breadth-first")
    ask(player, ["n6"], order="breadth-first")
    assert player.own == [6], "a click on the drawing of another order begins a new one"


@pytest.mark.parametrize(
    ("presses", "changed", "sentence"),
    [
        (["n0"], {}, "a is a leaf: it has no inputs to pass its gradient on to, so it needs no turn."),
        (["n5"], {}, "p has had its turn already, as number 2. Undo takes one back."),
        (["n7"], {}, "'n7' is no node of this graph."),
        (["drop"], {}, "'drop' is no node of this graph."),
        ([], {"order": "sideways"}, "order is one of 'naive recursion', "),
        ([], {"order": 3}, "order is one of 'naive recursion', "),
    ],
)
def test_bad_input_gets_a_sentence_and_the_last_picture_stays(presses, changed, sentence):
    player = order(two_paths(), choice=OWN)
    ask(player, ["n6", "n5"])
    before, own = player.spec, list(player.own)
    assert ask(player, presses, **changed).startswith(sentence)
    assert player.own == own
    assert {**player.spec, "message": ""} == {name: part for name, part in before.items() if name != "jump"}
    assert ask(player, ["n4"]) == "" and player.own == [6, 5, 4]


# The lab as such


@pytest.mark.parametrize("choice", NAMED)
@pytest.mark.parametrize("make", [two_paths, skip_connection, *pictures.GRAPHS.values()])
def test_what_the_browser_changes_is_what_python_renders(make, choice):
    player = order(make(), choice=choice)
    if player.spec["message"]:
        assert "Naive recursion would take" in player.spec["message"]
    assert_plays(player)


def test_naive_recursion_has_a_limit():
    player = order(doubled(10))
    assert player.values == {"order": "reverse topological"} and player.controls[0].value == "reverse topological"
    assert player.spec["message"] == (
        f"Recursion would take 2,046 turns, one for each path from the root; more than {MOST} cannot be shown. "
        "Choose another order."
    )
    before = player.recording
    assert ask(player, order="naive recursion").startswith("Recursion would take 2,046 turns")
    assert player.recording is before
    assert len(order(doubled(5)).recording.frames) == 62 + 2


def test_arguments():
    with pytest.raises(ValueError, match=r"choice is one of 'naive recursion', .*; got 'random'"):
        order(two_paths(), choice="random")
    for root in (Closures(2) * Closures(3), Bare(3, [Bare(1)])):
        with pytest.raises(TypeError, match="The order lab multiplies local derivatives, which this engine's nodes"):
            order(root)
    with pytest.raises(TypeError, match="such as a Value; got NoneType"):
        order(None)
    assert type(order(two_paths(), limit=6)) is Picture and isinstance(order(two_paths(), limit=7), Player)


def test_without_graphviz_the_names_in_the_table_are_pressed(monkeypatch):
    pictures.clear()
    monkeypatch.setattr("figures.graph.layout.BACKENDS", (pictures.absent,))
    try:
        player = order(two_paths())
        assert "pip install pygraphviz" in player.spec["stage"]
        assert [f'data-press="n{i}"' in player.spec["stage"] for i in range(7)] == [False] * 2 + [True] * 5
        assert ask(player, ["n6"]) == ""
    finally:
        pictures.clear()


def test_several_labs_are_independent_and_a_closed_one_is_freed():
    one, two = order(two_paths()), order(two_paths())
    ask(one, ["n6"])
    assert two.own == [] and two.values["order"] == "naive recursion"
    count, ghost = len(REGISTRY), weakref.ref(one)
    one.close()
    del one
    gc.collect()
    assert ghost() is None and len(REGISTRY) < count
