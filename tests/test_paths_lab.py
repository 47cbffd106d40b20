"""The paths lab: its sums are the engine's gradients, and what = leaves is what a pass with = leaves."""

import pytest

from autograd import Value, topological_order
from autograd.messages import show
from figures import paths
from figures.graph.reader import read_graph
from figures.labs.paths import ADD, ASSIGN, MOST, added, all_paths, assigned, count_paths
from figures.page.picture import Picture
from figures.page.player import Player
from tests import pictures
from tests.pictures import Bare, Closures, WithLocals, random_graph
from tests.walks import ask, assert_plays, doubled, shown, skip_connection, two_paths


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
def test_the_sum_over_all_paths_is_the_engines_gradient(seed):
    root = random_graph(seed)
    nodes = read_graph(root)
    root.backward(reset="all")
    for i, node in enumerate(topological_order(root)):
        if not node._prev and count_paths(nodes)[i] < 2000:
            found = all_paths(nodes, i)
            assert len(found) == count_paths(nodes)[i]
            assert sum(path.product for path in found) == pytest.approx(node.grad, rel=1e-9, abs=1e-12)
            assert len({path.edges for path in found}) == len(found)


@pytest.mark.parametrize("seed", range(20))
def test_one_path_survives_assignment_and_it_is_what_the_pass_leaves(seed):
    root = random_graph(seed)
    nodes = read_graph(root)
    left = engine_assigned(root)
    assert assigned(nodes)[0] == left
    for i, node in enumerate(nodes):
        if not node.inputs and count_paths(nodes)[i] < 2000:
            kept = [path for path in all_paths(nodes, i) if path.lost is None]
            assert [path.product for path in kept] == [left[i]]


def test_the_numbers_of_two_paths():
    """a.grad is 25 = 1 + 3 + 6 + 15, and b.grad is 19; = leaves 1 of each."""
    player = paths(two_paths())
    assert [frame.marks["sum"]["text"] for frame in player.recording.frames] == [
        *("–", "1.0000", "4.0000", "10.0000", "25.0000", "25.0000")
    ]
    assert player.recording.frames[3].say == (
        "Path 3: a → c → p → y. 1.0000 × 6.0000 × 1.0000 = 6.0000. The sum so far: 10.0000."
    )
    assert player.recording.frames[-1].say == (
        "The sum over all paths is the gradient: 1.0000 + 3.0000 + 6.0000 + 15.0000 = 25.0000 = a.grad."
    )
    assert ask(player, leaf="b") == ""
    assert shown(player)["sum"] == "19.0000"
    ask(player, leaf="a", how=ASSIGN)
    said = [frame.say for frame in player.recording.frames]
    assert "Nothing overwrites it: this contribution is left." in said[1]
    assert "It is lost at a: c writes to a.grad later" in said[2]
    assert "It is lost at c: s writes to c.grad later" in said[3]
    assert said[-1] == "With = only path 1 of 4 is left: a.grad = 1.0000, where 25.0000 is right."
    root = two_paths()
    left = engine_assigned(root)
    assert [shown(player)[f"n{i}.grad"] for i in range(7)] == [show(grad) for grad in left]
    assert shown(player)["right"] == "right: 25.0000"


@pytest.mark.parametrize("how", [ADD, ASSIGN])
@pytest.mark.parametrize("make", [two_paths, skip_connection, *pictures.GRAPHS.values()])
def test_what_the_browser_changes_is_what_python_renders(make, how):
    player = paths(make())
    assert ask(player, how=how) == ""
    assert_plays(player)


# Predictions


@pytest.mark.parametrize("how", [ADD, ASSIGN])
@pytest.mark.parametrize("make", [two_paths, skip_connection, *pictures.GRAPHS.values()])
def test_predictions_ask_for_what_is_not_shown_yet(make, how):
    player = paths(make(), predict=True)
    assert ask(player, how=how) == ""
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
    frames = paths(make(), predict=True).recording.frames
    asked = [frame.ask["what"] for frame in frames if frame.ask]
    assert len(asked) == products + 2 <= 6
    one = Value(1.0, label="x")
    two = one + one
    three = two + two
    asked = [frame.ask["answer"] for frame in paths(three + three, predict=True).recording.frames if frame.ask]
    assert asked == [8, 1.0, 8.0]


@pytest.mark.parametrize("how", [ADD, ASSIGN])
@pytest.mark.parametrize("predict", [False, True])
def test_how_many_paths_there_are_is_not_told_at_the_start(predict, how):
    """Neither in words nor by the table: no empty row stands for a path."""
    player = paths(two_paths(), predict=predict)
    ask(player, how=how)
    frame = player.recording.frames[0]
    assert frame.say.startswith("How many paths lead from a to y, and ") and "4" not in frame.say
    assert {frame.marks[f"row.{at}"]["state"] for at in range(4)} == {"off"}
    assert "4" not in player.spec["title"]
    end = player.recording.frames[-1].marks
    assert all(end[f"row.{at}"]["state"] != "off" for at in range(4))
    ask(player, leaf="b")
    assert "How many paths lead from b to y" in player.recording.frames[0].say


def test_rows_come_with_their_paths():
    for predict, seen in ((False, [0, 1, 2, 3, 4, 4]), (True, [0, 4, 4, 4, 4, 4, 4])):
        frames = paths(two_paths(), predict=predict).recording.frames
        assert [sum(frame.marks[f"row.{at}"]["state"] != "off" for at in range(4)) for frame in frames] == seen


def test_what_wrong_predictions_of_paths_mean():
    player = paths(two_paths(), predict=True)
    told = {show(number): sentence for number, sentence in player.recording.frames[-1].ask["wrong"]}
    assert told["1.0000"].startswith("That is what = leaves.")
    assert told["6.0000"] == "That is path 3 alone. All 4 paths are added."
    assert told["24.0000"] == "That leaves out path 1." and told["10.0000"] == "That leaves out path 4."
    assert told["270.0000"] == "That multiplies the paths' products. They are added."
    assert told["4.0000"].startswith("That is how many paths there are")
    count = dict(map(tuple, player.recording.frames[1].ask["wrong"]))
    assert count[2].startswith("That is how many arrows leave a.") and count[10].startswith("That is how many arrows")
    last = {show(number): sentence for number, sentence in player.recording.frames[5].ask["wrong"]}
    assert last == {
        "9.0000": "That adds the local derivatives. Along a path they are multiplied.",
        "5.0000": "That leaves out the first edge's local derivative.",
    }
    ask(player, how=ASSIGN)
    told = {show(number): sentence for number, sentence in player.recording.frames[-1].ask["wrong"]}
    assert told["25.0000"].startswith("That is the true gradient, which += gives.")
    assert told["6.0000"] == "That is the product of path 3, which is lost at c."


def test_without_predict_nothing_is_asked_and_nothing_hidden():
    player = paths(two_paths())
    assert all(frame.ask is None for frame in player.recording.frames)
    assert player.recording.frames[2].marks["sum"]["text"] == "4.0000"


def test_any_other_number_is_answered_by_a_question():
    player = paths(two_paths(), predict=True)
    hints = [frame.ask["hint"] for frame in player.recording.frames if frame.ask]
    assert hints[0] == "How many arrows leave a? And from the end of each, how many ways lead on to y?"
    assert hints[1] == (
        "Begin with the first arrow: if a rises by 0.01, how far does it move c? Find such a number for each of the 3 "
        "arrows. What is their product?"
    )
    assert hints[-1].startswith("Which products stand in the table?")
    ask(player, how=ASSIGN)
    assert player.recording.frames[-1].ask["hint"] == (
        "Of the nodes that use a, which one writes to a.grad last? And what does it pass on?"
    )


def test_no_one_is_asked_for_inf_nan_or_a_crowd():
    assert paths(doubled(19), "x", predict=True).recording.frames[-1].ask is None
    x = Value(1e200, label="x")
    assert paths((x * x) * (x * x), predict=True).recording.frames[-1].ask is None


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


def test_a_value_used_twice_by_one_node_has_two_edges():
    player = paths(pictures.twice())
    said = player.text().splitlines()
    assert said[1].startswith("2. Path 1: a → b (edge 1). Its only local derivative is 1.0000.")
    assert said[-1].endswith("1.0000 + 1.0000 = 2.0000 = a.grad.")
    ask(player, how=ASSIGN)
    assert "It is lost at a: b writes to a.grad again, along its next edge" in player.text()
    assert player.text().endswith("a.grad = 1.0000, where 2.0000 is right.")


def test_a_single_path_and_a_single_node():
    x = Value(0.5, label="x")
    player = paths(x.tanh())
    assert player.recording.frames[-1].say.startswith("With one path there is nothing to add")
    ask(player, how=ASSIGN)
    assert "nothing is overwritten" in player.recording.frames[-1].say
    assert shown(paths(Value(3, label="a")))["sum"] == "1.0000"


def test_too_many_paths_are_counted_and_not_enumerated():
    root = doubled(19)  # 2**19 paths from x, 58 nodes
    player = paths(root, "x")
    root.backward()
    x = topological_order(root)[0]
    assert player.recording.frames[-1].say.startswith(
        f"524,288 paths lead from x to v57; more than {MOST} cannot be stepped through. backward() goes once along "
        f"each of the 76 edges instead, and finds x.grad = {show(x.grad)}."
    )
    assert shown(player)["sum"] == show(x.grad)
    assert ask(player, how=ASSIGN) == ""
    assert f"With = it is left at {show(engine_assigned(root)[0])}." in player.recording.frames[-1].say
    assert player.recording.frames[0].say == "How many paths lead from x to v57? Predict, then step."
    assert_plays(player)


def test_the_leaf_at_the_start():
    """The one with the most paths; or the one that was passed, as a node or by its name."""
    root = two_paths()
    b = topological_order(root)[1]
    assert paths(root).values["leaf"] == "a"
    assert paths(root, b).values["leaf"] == paths(root, "b").values["leaf"] == "b"
    for leaf in ("c", 3, Value(2, label="a"), root):
        with pytest.raises(ValueError, match="leaf is one of this graph's leaves, a, b; got"):
            paths(root, leaf)


def test_leaves_with_one_name_are_told_apart():
    x, y = Value(2, label="x"), Value(5, label="x")
    player = paths(x * y, y)
    assert player.controls[0].options == ("x", "x (2)") and player.values["leaf"] == "x (2)"
    assert shown(player)["sum"] == "2.0000"


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"leaf": "q"}, "leaf is one of a, b; got 'q'."),
        ({"how": 3}, "contributions are added (+=) or assigned (=); got 3."),
    ],
)
def test_bad_input_gets_a_sentence_and_the_last_picture_stays(changed, sentence):
    player = paths(two_paths())
    before = player.spec
    assert ask(player, **changed).startswith(sentence)
    assert player.spec == {**before, "message": player.spec["message"]}
    assert ask(player, how=ASSIGN) == ""


def test_other_engines_and_large_graphs():
    x, y = WithLocals(3), WithLocals(4.0)
    assert shown(paths(WithLocals(12, [x, y], [4, 3.0])))["sum"] == "4.0000"
    for root in (Closures(2) * Closures(3), Bare(3, [Bare(1)])):
        with pytest.raises(TypeError, match="The paths lab multiplies local derivatives, which this engine's nodes"):
            paths(root)
    assert type(paths(two_paths(), limit=6)) is Picture and isinstance(paths(two_paths(), limit=7), Player)
    with pytest.raises(TypeError, match="such as a Value; got int"):
        paths(3)


def test_a_lab_changes_nothing_in_the_graph():
    root = two_paths()
    root.backward()
    before = [node.grad for node in topological_order(root)]
    ask(paths(root), how=ASSIGN)
    assert [node.grad for node in topological_order(root)] == before
