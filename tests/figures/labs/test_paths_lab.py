"""The paths lab: its sums are the engine's gradients, and what = leaves is what a pass with = leaves."""

import pytest

from autograd import Value, topological_order
from autograd.errors.messages import show
from figures import paths
from figures.graph.reader import read_graph
from figures.graph.sums import count_paths
from figures.labs.paths import ADD, ASSIGN, MOST, all_paths, assigned
from figures.page.style import number
from tests import pictures
from tests.approve import approved
from tests.lab_graphs import assert_plays, doubled, shown, skip_connection, two_paths
from tests.labs import ask, message_after, questions
from tests.pictures import WithLocals, random_graph


def engine_assigned(root):
    """The pass with = instead of +=, on the engine's own nodes."""
    order = topological_order(root)
    for node in order:
        node.grad = 0.0
    root.grad = 1.0
    for node in reversed(order):
        for input, local in zip(node._prev, node._local):
            input.grad = local * node.grad
    return [node.grad for node in order]


@pytest.mark.parametrize("seed", range(20))
def test_paths_sum_to_the_gradient_and_assignment_keeps_one(seed):
    root = random_graph(seed)
    nodes, left = read_graph(root), engine_assigned(root)
    assert assigned(nodes)[0] == left
    root.backward(reset="all")
    for i, node in enumerate(topological_order(root)):
        if not node._prev and count_paths(nodes)[i] < 2000:
            found = all_paths(nodes, i)
            assert len(found) == count_paths(nodes)[i] == len({path.edges for path in found})
            assert sum(path.product for path in found) == pytest.approx(node.grad, rel=1e-9, abs=1e-12)
            assert [path.product for path in found if path.lost is None] == [left[i]]


def test_numbers_of_two_paths():
    """a.grad is 25 = 1 + 3 + 6 + 15, and b.grad is 19; = leaves 1 of each."""
    player, left = paths(two_paths()), engine_assigned(two_paths())
    sums = [frame.updates["sum"]["text"] for frame in player.recording.frames]
    assert sums == ["–", "1", "4", "10", "25", "25"]
    assert message_after(player, leaf="b") == "" and shown(player)["sum"] == "19"
    ask(player, leaf="a", how=ASSIGN)
    assert [shown(player)[f"n{i}.grad"] for i in range(7)] == [number(grad) for grad in left]


def test_path_descriptions_and_wrong_predictions():
    """Also of a value that is used twice by one node, and of a single path."""
    said = []
    for root in (two_paths(), pictures.twice(), Value(0.5, label="x").tanh()):
        player = paths(root)
        said.append(player.render_text())
        ask(player, how=ASSIGN)
        said.append(player.render_text())
    approved("paths_said", "\n\n".join(said))
    player = paths(two_paths(), predict=True)
    count, _, product, *_, added = questions(player)
    ask(player, how=ASSIGN)
    approved("paths_asked", "\n".join([count, product, added, questions(player)[-1]]))


@pytest.mark.parametrize("how", [ADD, ASSIGN])
@pytest.mark.parametrize("make", [two_paths, skip_connection, *pictures.GRAPHS.values()])
def test_paths_lab_plays_and_asks_before_numbers_show(make, how):
    root, player = make(), paths(make(), predict=True)
    assert message_after(player, how=how) == ""
    assert_plays(player)
    nodes, frames, asks_count = read_graph(root), player.recording.frames, how == ADD
    leaves = [i for i, node in enumerate(nodes) if not node.inputs]
    place = leaves[list(player.controls[0].options).index(player.values["leaf"])]
    found, seen = all_paths(nodes, place), set()
    assert len(frames) == len(found) + 2 + asks_count
    assert not asks_count or frames[1].ask["answer"] == len(found)
    assert {frame.updates["sum"]["text"] for frame in frames[:-1]} == {"–"}
    for before, frame, path in zip(frames[asks_count:], frames[1 + asks_count :], found):
        for edge in path.edges:
            name, local = "e{}.{}.local".format(*edge), number(nodes[edge[0]].locals[edge[1]])
            assert (
                before.updates[name]["text"] == (local if edge in seen else "") and frame.updates[name]["text"] == local
            )
        seen.update(path.edges)
        lit = {key for key, mark in frame.updates.items() if mark.get("state") == "backward"}
        assert lit == {f"e{i}.{edge}" for i, edge in path.edges} | {f"n{i}" for i in path.nodes[1:]}
        assert frame.ask is None or frame.ask["answer"] == path.product
    root.backward(reset="all")
    assert frames[-1].ask["answer"] == pytest.approx(
        topological_order(root)[place].grad if how == ADD else engine_assigned(root)[place], rel=1e-12
    )


def test_predictions_are_at_most_six_distinct_and_finite():
    assert len(questions(paths(doubled(4), predict=True))) == 6
    x, three = Value(1e200, label="x"), pictures.twice() + Value(3.0)
    assert len({line.split(":")[1] for line in questions(paths(three + three, predict=True))}) == 3
    for root in (doubled(19), (x * x) * (x * x)):
        assert paths(root, "x", predict=True).recording.frames[-1].ask is None


def test_too_many_paths_are_counted_without_enumeration():
    root = doubled(19)  # 2**19 paths from x, 58 nodes
    player = paths(root, "x")
    root.backward()
    x = topological_order(root)[0]
    assert f"more than {MOST} cannot" in player.render_text() and shown(player)["sum"] == show(x.grad)
    assert message_after(player, how=ASSIGN) == ""
    assert f"With = it is left at {show(engine_assigned(root)[0])}." in player.recording.frames[-1].say
    assert_plays(player)


def test_starting_leaf_and_engines_with_local_derivatives():
    """The one with the most paths; or the one passed, as a node or by its name; two of one name get an error."""
    root = two_paths()
    given = (None, "b", topological_order(root)[1])
    assert [paths(root, *filter(None, [leaf])).values["leaf"] for leaf in given] == ["a", "b", "b"]
    x, y = Value(2, label="x"), Value(5, label="x")
    player = paths(x * y, y)
    assert player.controls[0].options == ("x", "x (2)") and player.values["leaf"] == "x (2)"
    x, y = WithLocals(3), WithLocals(4.0)
    assert shown(paths(WithLocals(12, [x, y], [4, 3.0])))["sum"] == "4"
