"""The paths lab: its sums are the engine's gradients, and what = leaves is what a pass with = leaves."""

import pytest

from autograd import Value, topological_order
from autograd.errors.messages import show
from figures import paths
from figures.graph.reader import read_graph
from figures.graph.sums import count_paths
from figures.graph.sums import gradients_of as added
from figures.labs.paths import ADD, ASSIGN, MOST, all_paths, assigned
from tests import pictures
from tests.approve import approved
from tests.labs import ask, questions, told
from tests.pictures import WithLocals, random_graph
from tests.walks import assert_plays, doubled, shown, skip_connection, two_paths


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
def test_the_sum_over_all_paths_is_the_engines_gradient_and_with_assignment_one_of_them_is_left(seed):
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


def test_the_numbers_of_two_paths():
    """a.grad is 25 = 1 + 3 + 6 + 15, and b.grad is 19; = leaves 1 of each."""
    player, left = paths(two_paths()), engine_assigned(two_paths())
    assert [frame.marks["sum"]["text"] for frame in player.recording.frames] == [
        *("–", "1.0000", "4.0000", "10.0000", "25.0000", "25.0000")
    ]
    assert told(player, leaf="b") == "" and shown(player)["sum"] == "19.0000"
    ask(player, leaf="a", how=ASSIGN)
    assert [shown(player)[f"n{i}.grad"] for i in range(7)] == [show(grad) for grad in left]
    assert shown(player)["right"] == "right: 25.0000"


def test_what_is_said_of_each_path_and_of_them_all():
    """Also of a value that is used twice by one node, and of a single path."""
    said = []
    for root in (two_paths(), pictures.twice(), Value(0.5, label="x").tanh()):
        player = paths(root)
        said.append(player.text())
        ask(player, how=ASSIGN)
        said.append(player.text())
    approved("paths_said", "\n\n".join(said))


def test_what_wrong_predictions_of_paths_mean():
    player = paths(two_paths(), predict=True)
    count, _, product, *_, added = questions(player)
    ask(player, how=ASSIGN)
    approved("paths_asked", "\n".join([count, product, added, questions(player)[-1]]))


@pytest.mark.parametrize("how", [ADD, ASSIGN])
@pytest.mark.parametrize("make", [two_paths, skip_connection, *pictures.GRAPHS.values()])
def test_it_plays_and_predictions_ask_for_what_is_not_shown_yet(make, how):
    for predict in (False, True):
        player = paths(make(), predict=predict)
        assert told(player, how=how) == ""
        assert_plays(player)
    leaf, nodes = player.values["leaf"], read_graph(make())
    frames = player.recording.frames
    counting = how == ADD
    place = [i for i, node in enumerate(nodes) if not node.inputs][list(player.controls[0].options).index(leaf)]
    found = all_paths(nodes, place)
    assert len(frames) == len(found) + 2 + counting and frames[0].ask is None
    if counting:
        assert frames[1].ask["what"] == f"the number of paths from {leaf} to {player.recording.title.split()[-1]}"
        assert (frames[1].ask["answer"], frames[1].ask["shown"]) == (len(found), str(len(found)))
        assert all(number != len(found) for number, _ in frames[1].ask["wrong"])
    for frame in frames[:-1]:
        assert frame.marks["sum"]["text"] == "–" and "sum so far" not in frame.say
        assert {mark["text"] for key, mark in frame.marks.items() if key.startswith("fate.")} == {""}
        assert not any("lost" in mark.get("state", "") for mark in frame.marks.values())
    seen = set()
    for turn, (frame, path) in enumerate(zip(frames[1 + counting : -1], found, strict=True)):
        before = frames[turn + counting].marks
        for edge in path.edges:
            assert before["e{}.{}.local".format(*edge)]["text"] == (show_local(nodes, edge) if edge in seen else "")
        seen.update(path.edges)
        assert all(frame.marks["e{}.{}.local".format(*edge)]["text"] == show_local(nodes, edge) for edge in seen)
        if frame.ask:
            assert frame.ask["what"].startswith("the product along ") and frame.ask["answer"] == path.product
    end = frames[-1].ask
    assert end["what"] == (f"{leaf}.grad" if how == ADD else f"{leaf}.grad with =")
    assert end["answer"] == (added if how == ADD else lambda nodes: assigned(nodes)[0])(nodes)[place]
    assert all(show(number) != end["shown"] for number, _ in end["wrong"])


def show_local(nodes, edge):
    """The local derivative on an edge, as the drawing has it."""
    return show(nodes[edge[0]].locals[edge[1]])


@pytest.mark.parametrize(("make", "products"), [(two_paths, 4), (lambda: doubled(4), 4), (skip_connection, 2)])
def test_six_predictions_at_most_and_no_product_twice(make, products):
    assert len(questions(paths(make(), predict=True))) == products + 2 <= 6
    two = pictures.twice()
    three = two + two
    asked = [frame.ask["answer"] for frame in paths(three + three, predict=True).recording.frames if frame.ask]
    assert asked == [8, 1.0, 8.0]


@pytest.mark.parametrize("how", [ADD, ASSIGN])
@pytest.mark.parametrize(("predict", "seen"), [(False, [0, 1, 2, 3, 4, 4]), (True, [0, 4, 4, 4, 4, 4, 4])])
def test_how_many_paths_there_are_is_not_told_at_the_start(predict, seen, how):
    """Neither in words nor by the table: no empty row stands for a path."""
    player = paths(two_paths(), predict=predict)
    ask(player, how=how)
    frames = player.recording.frames
    rows = [sum(frame.marks[f"row.{at}"]["state"] != "off" for at in range(4)) for frame in frames]
    assert rows == seen[: len(frames)]
    assert frames[0].say.startswith("How many paths lead from a to y, and ") and "4" not in frames[0].say
    assert "4" not in player.spec["title"]
    ask(player, leaf="b")
    assert "How many paths lead from b to y" in player.recording.frames[0].say


def test_no_one_is_asked_for_inf_nan_or_a_crowd():
    x = Value(1e200, label="x")
    for root in (doubled(19), (x * x) * (x * x)):
        assert paths(root, "x", predict=True).recording.frames[-1].ask is None


def test_a_frame_lights_the_path_and_nothing_else():
    player = paths(two_paths())
    nodes = read_graph(two_paths())
    for frame, path in zip(player.recording.frames[1:-1], all_paths(nodes, 0), strict=True):
        lit = {key for key, mark in frame.marks.items() if mark.get("state") == "backward"}
        assert lit == {f"e{i}.{edge}" for i, edge in path.edges} | {f"n{i}" for i in path.nodes[1:]}
        assert frame.marks["n0"]["state"] == "target"


def test_a_lost_path_is_cut_where_it_is_overwritten():
    player = paths(two_paths())
    ask(player, how=ASSIGN)
    second = player.recording.frames[2].marks
    assert [key for key, mark in second.items() if mark.get("state") == "backward lost"] == ["e3.0"]
    assert second["row.1"]["state"] == "lost on" and second["row.0"]["state"] == "left"


def test_too_many_paths_are_counted_and_not_enumerated():
    root = doubled(19)  # 2**19 paths from x, 58 nodes
    player = paths(root, "x")
    root.backward()
    x = topological_order(root)[0]
    assert f"more than {MOST} cannot" in player.text() and f"x.grad = {show(x.grad)}." in player.text()
    assert shown(player)["sum"] == show(x.grad)
    assert told(player, how=ASSIGN) == ""
    assert f"With = it is left at {show(engine_assigned(root)[0])}." in player.recording.frames[-1].say
    assert_plays(player)


def test_the_leaf_at_the_start():
    """The one with the most paths; or the one that was passed, as a node or by its name; two of one name are told."""
    root = two_paths()
    assert paths(root).values["leaf"] == "a"
    assert paths(root, topological_order(root)[1]).values["leaf"] == paths(root, "b").values["leaf"] == "b"
    with pytest.raises(ValueError, match="leaf is one of this graph's leaves, a, b; got"):
        paths(root, root)
    x, y = Value(2, label="x"), Value(5, label="x")
    player = paths(x * y, y)
    assert player.controls[0].options == ("x", "x (2)") and player.values["leaf"] == "x (2)"
    assert shown(player)["sum"] == "2.0000"


def test_another_engine_that_keeps_local_derivatives():
    x, y = WithLocals(3), WithLocals(4.0)
    assert shown(paths(WithLocals(12, [x, y], [4, 3.0])))["sum"] == "4.0000"
    assert shown(paths(Value(3, label="a")))["sum"] == "1.0000"
