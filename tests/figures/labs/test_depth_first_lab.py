"""The depth-first lab: its list is the engine's topological order, and each event is one that the search has."""

import sys

import pytest

from autograd import Value, topological_order
from figures import depth_first
from figures.graph.reader import read_graph
from figures.labs.depth_first import LEVELS, STEPS, search
from tests import pictures
from tests.pictures import Bare, Closures, closures, random_graph
from tests.walks import assert_plays, shown, skip_connection, two_paths


def recursive(root):
    """The search as a lesson writes it: what it visits, skips and lists, in order."""
    events, visited, order = [], set(), []

    def visit(node):
        if node in visited:
            events.append(("skip", node.label))
            return
        visited.add(node)
        events.append(("call", node.label))
        for input in node._prev:
            visit(input)
        order.append(node)
        events.append(("append", node.label))

    visit(root)
    return events + [("read", node.label) for node in reversed(order)]


@pytest.mark.parametrize("make", [two_paths, skip_connection, pictures.twice, pictures.tanh_neuron])
def test_the_events_are_those_of_the_recursive_search(make):
    root = make()
    names = [node.label for node in topological_order(root)]
    assert [(event.kind, names[event.node]) for event in search(read_graph(root))] == recursive(root)


@pytest.mark.parametrize("seed", range(15))
def test_the_list_is_the_engines_topological_order(seed):
    root = random_graph(seed, n_ops=14)
    events = search(read_graph(root))
    assert events[-1].order == tuple(range(len(topological_order(root))))
    assert set(events[-1].visited) == set(events[-1].order)
    for event in events:
        assert len(set(event.visited)) == len(event.visited)
        if event.kind in ("call", "skip", "append"):
            assert event.stack[-1] == event.node


def test_the_frames_of_the_skip_connection():
    root = skip_connection()
    player = depth_first(root)
    said = [frame.say for frame in player.recording.frames]
    assert said[1] == "y is the root. It is new: mark it as visited, and go to its inputs first: b and c."
    assert any(say.startswith("b is an input of c too, but it has been visited before: return at once") for say in said)
    turn = next(i for i, say in enumerate(said) if "What will the list be, read backwards?" in say)
    assert player.recording.frames[turn].at == f"Search: step {turn} of {turn}"
    assert "b: its consumers c and y came before it, so its gradient is complete when it is read." in said[turn + 1 :]
    listed = [shown(player)[f"list.{i}"] for i in range(6)]
    assert listed == ["v0", "a", "b", "v3", "c", "y"]
    assert shown(player)["visited"] == "{y, b, v0, a, c, v3}"


def test_a_frame_shows_the_stack_the_line_and_the_edge():
    player = depth_first(skip_connection())
    frame = next(frame for frame in player.recording.frames if "visited before" in frame.say)
    stack = [frame.marks[f"call.{level}"]["text"] for level in range(3)]
    assert stack == ["visit(y)", "visit(c)", "visit(b)"]
    assert [name for name, _ in STEPS if name and frame.marks[f"code.{name}"]["state"] == "on"] == ["skip"]
    assert [key for key, mark in frame.marks.items() if key.startswith("e") and mark["state"] == "forward"] == ["e4.0"]
    assert frame.marks["n2"]["state"] == "again" and frame.marks["n5"]["state"] == "open"


@pytest.mark.parametrize("make", [two_paths, skip_connection, closures, *pictures.GRAPHS.values()])
def test_what_the_browser_changes_is_what_python_renders(make):
    assert_plays(depth_first(make()))


def test_any_engines_graph_is_searched():
    for root in (closures(), Closures(2) * Closures(3), Bare(3, [Bare(1), Bare(2)]), Value(3)):
        player = depth_first(root)
        count = len(read_graph(root))
        assert all(shown(player)[f"list.{i}"] for i in range(count))


@pytest.mark.long
def test_a_deep_stack_shows_its_newest_calls():
    v = Value(0.5, label="x")
    for _ in range(30):
        v = v.tanh()
    player = depth_first(v)
    deepest = next(frame for frame in player.recording.frames if frame.say.startswith("x is an input"))
    levels = [deepest.marks[f"call.{level}"]["text"] for level in range(LEVELS)]
    assert levels[0].startswith("visit(24 calls: …") and levels[-1] == "visit(x)"
    assert len(player.recording.frames) == 1 + 31 + 31 + 31


def test_a_deep_graph_needs_no_recursion():
    v = Value(0.5)
    for _ in range(sys.getrecursionlimit() + 100):
        v = v.tanh()
    assert len(search(read_graph(v))) == 3 * (sys.getrecursionlimit() + 101)


def test_the_search_is_told_in_words_as_its_code_is_the_learners_to_write():
    told = " ".join(line for _, line in STEPS)
    assert not any(sign in told for sign in ("(", "_prev", "visited.add", "append", "def ", " in visited", "reversed"))
    assert {name for name, _ in STEPS if name} == {"visit", "skip", "mark", "inputs", "append", "start", "read"}
