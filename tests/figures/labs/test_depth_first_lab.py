"""The depth-first lab: its list is the engine's topological order, and each event is one that the search has."""

import sys

import pytest

from autograd import Value, topological_order
from figures import depth_first
from figures.graph.reader import read_graph
from figures.labs.depth_first import LEVELS, STEPS, search
from tests import pictures
from tests.lab_graphs import assert_plays, shown, skip_connection, two_paths
from tests.pictures import Bare, closures, random_graph


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
def test_events_match_the_recursive_search(make):
    root = make()
    names = [node.label for node in topological_order(root)]
    assert [(event.kind, names[event.node]) for event in search(read_graph(root))] == recursive(root)


@pytest.mark.parametrize("seed", range(15))
def test_list_matches_topological_order(seed):
    root = random_graph(seed, n_ops=14)
    events = search(read_graph(root))
    assert events[-1].order == tuple(range(len(topological_order(root))))
    assert sorted(events[-1].visited) == sorted(events[-1].order)
    for event in events:
        assert event.kind not in ("call", "skip", "append") or event.stack[-1] == event.node


@pytest.mark.parametrize("make", [closures, lambda: Bare(3, [Bare(1), Bare(2)]), *pictures.GRAPHS.values()])
def test_depth_first_lab_plays_on_any_engines_graph(make):
    player, count = depth_first(make()), len(read_graph(make()))
    assert "–" not in [shown(player)[f"list.{i}"] for i in range(count)]
    assert_plays(player)


def test_deep_stack_is_abbreviated_and_needs_no_recursion():
    v = Value(0.5, label="x")
    for depth in range(sys.getrecursionlimit() + 100):
        if depth == 30:
            frames = depth_first(v).recording.frames
        v = v.tanh()
    deepest = next(frame for frame in frames if frame.say.startswith("x is an input"))
    levels = [deepest.updates[f"call.{level}"]["text"] for level in range(LEVELS)]
    assert levels[0].startswith("visit(24 calls: …") and levels[-1] == "visit(x)" and len(frames) == 1 + 3 * 31
    assert len(search(read_graph(v))) == 3 * (sys.getrecursionlimit() + 101)


def test_search_steps_are_described_without_code():
    words = " ".join(line for _, line in STEPS)
    signs = ("(", "_prev", "visited.add", "append", "def ", " in visited", "reversed")
    assert [sign for sign in signs if sign in words] == []
