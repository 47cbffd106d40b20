"""The step lab: its frames are the engine's steps, its numbers the engine's, and nothing in it moves."""

import json
import random

import pytest

from autograd import MLP, Value, backward_steps, forward_steps, topological_order
from figures import draw_graph, step_backward, step_forward, step_through
from figures.page.player import deltas
from figures.page.style import number
from figures.walks import asking, passes
from tests.pictures import GRAPHS, LABELS, Bare, WithLocals, expected, random_graph, texts, xyz
from tests.walks import assert_plays

LABS = [step_forward, step_backward, step_through]
RESETS = ["intermediates", "all", "nothing"]


@pytest.fixture(params=GRAPHS.values(), ids=GRAPHS.keys())
def root(request):
    return request.param()


def states(frame):
    """The parts of a frame that are in a state, by state."""
    found = {}
    for key, mark in frame.marks.items():
        if mark.get("state"):
            found.setdefault(mark["state"], []).append(key)
    return found


def grads(frame, root):
    """The gradients that a frame shows, in topological order."""
    return [frame.marks[f"n{i}.grad"]["text"] for i in range(len(topological_order(root)))]


# Numbers


@pytest.mark.parametrize("reset", RESETS)
@pytest.mark.parametrize("seed", range(12))
def test_the_last_frame_shows_what_backward_leaves(seed, reset):
    """On random graphs with old gradients, for each way to reset them; in the marks and in the stage."""
    root = random_graph(seed)
    recording = step_backward(root, reset=reset).recording
    root.backward(reset)
    right = [number(node.grad) for node in topological_order(root)]
    shown = texts(recording.render(recording.frames[-1].marks))
    assert grads(recording.frames[-1], root) == [shown[f"n{i}.grad"] for i in range(len(right))] == right


def test_the_first_frame_shows_nothing_that_is_not_known_yet():
    """Forward: the leaves' numbers alone. Backward: all numbers, and no gradient."""
    root = xyz()
    forward, backward = step_forward(root).recording.frames[0], step_backward(root).recording.frames[0]
    data = [forward.marks[f"n{i}.data"]["text"] for i in range(5)]
    assert data == ["-2.0000", "5.0000", "–", "-4.0000", "–"] and locals_of(forward) == {}
    assert grads(forward, root) == grads(backward, root) == ["–"] * 5
    assert backward.marks["n4.data"]["text"] == "-12.0000" and backward.marks["e4.0.local"]["text"] == "-4.0000"
    assert states(forward) == states(backward) == {}
    assert [backward.marks[f"sum.{key}"]["text"] for key, _ in passes.SUM] == ["–"] * 5
    of = [step_backward(root).recording.frames[2].marks[f"sum.{key}.of"]["text"] for key, _ in passes.SUM]
    assert of == ["f.grad", "× ∂f/∂q", "= contribution", "+ q.grad so far", "= q.grad"]


def test_old_gradients_are_shown_where_the_pass_keeps_them_and_said_to_be_old():
    """Leaves add up over passes: theirs stand in the first frame, unless all are set anew."""
    root = xyz()
    root.backward()
    first = {reset: step_backward(root, reset=reset).recording.frames[0] for reset in RESETS}
    assert {reset: grads(frame, root) for reset, frame in first.items()} == {
        "intermediates": ["-4.0000", "-4.0000", "–", "3.0000", "–"],
        "all": ["–"] * 5,
        "nothing": ["-4.0000", "-4.0000", "-4.0000", "3.0000", "1.0000"],
    }
    said = "This pass has found no gradient yet; what is shown is left from an earlier one."
    assert [said in first[reset].say for reset in RESETS] == [True, False, True]


# Predictions


def locals_of(frame):
    """The local derivatives that a frame shows, by edge."""
    edges = {key: mark["text"] for key, mark in frame.marks.items() if key.startswith("e") and key.endswith(".local")}
    return {key: text for key, text in edges.items() if text}


@pytest.mark.parametrize("lab", [step_backward, step_through])
def test_a_local_derivative_comes_when_its_edge_has_been_used(lab, root):
    """Before that the answer would be a product of two numbers in view; without predictions all are there.

    And every wrong number is answered by questions that name the nodes at hand.
    """
    frames, used = lab(root, predict=True).recording.frames, {}
    passed = len(frames) - len(list(backward_steps(root)))
    for frame, one in zip(frames[passed:], backward_steps(root), strict=True):
        if one.kind == "chain":
            used[f"e{one.node}.{one.edge}.local"] = number(one.local)
        assert locals_of(frame) == used
        assert not frame.ask or (frame.ask["hint"].count("?") >= 2 and frame.ask["wrong"] == [])
    assert all(locals_of(frame) == {} for frame in frames[:passed])
    assert locals_of(lab(root).recording.frames[-1]) == used


def test_a_wide_sum_asks_six_times_and_of_each_kind():
    """At most six predictions, none of them of a kind that came before while another has not come."""
    root = MLP(3, [2, 1], output="tanh", rng=random.Random(0))([1.0, 2.0, -1.0])
    steps = [one for one in backward_steps(root) if one.kind == "chain"]
    frames = step_backward(root, predict=True).recording.frames
    asked = [one for one, frame in zip(steps, frames[2:], strict=True) if frame.ask]
    assert len(steps) > 12 and len(asked) == asking.MOST
    first = {}
    for one in steps:
        first.setdefault(asking.kind(one), one)
    assert all(one in asked for one in first.values())
    assert [one.op for one in asked] == ["tanh", *["weighted_sum"] * 4, "weighted_sum"]
    chain = Value(0.5, label="x")
    for _ in range(9):
        chain = chain.tanh()
    asked = [frame.ask is not None for frame in step_backward(chain, predict=True).recording.frames]
    assert asked == [False, False, *[True] * 6, *[False] * 3]


# What is at work


def test_each_frame_shows_its_step_and_one_node_at_work(root):
    """A forward step: a node and all edges into it. A chain step: a node, one edge, and the input it leads to."""
    order, used = topological_order(root), []
    frames, steps = step_through(root).recording.frames, [*forward_steps(root), *backward_steps(root)]
    for frame, one in zip(frames[1:], steps, strict=True):
        found, text, node = states(frame), expected(frame.marks), order[one.node]
        if one.kind == "value":
            edges = [f"e{one.node}.{i}" for i in range(len(one.inputs))]
            assert list(found) == ["forward"] and sorted(found["forward"]) == sorted([f"n{one.node}", *edges])
            assert text[f"n{one.node}.data"] == number(node.data)
            assert [text[f"{edge}.local"] for edge in edges] == [number(local) for local in node._local]
            later = range(one.node + 1, len(order))
            assert all(text[f"n{j}.data"] == "–" for j in later if order[j]._prev), "none that comes later"
            continue
        edge = [] if one.kind == "seed" else [f"e{one.node}.{one.edge}"]
        assert sorted(found.pop("backward")) == sorted([f"n{one.node}", *edge])
        assert found.pop("target", []) == [f"n{one.input}"] * (one.kind == "chain")
        assert sorted(found.pop("used", [])) == sorted(used), "edges that are done keep their colour"
        assert found == {}
        used += edge
        if one.kind == "chain":
            for key in ("upstream", "local", "contribution", "before", "after"):
                assert text[f"sum.{key}"] == number(getattr(one, key))
            assert text[f"n{one.input}.grad"] == number(one.after)
    root.backward()
    text = expected(frames[-1].marks)
    for i, node in enumerate(order):
        assert (text[f"n{i}.data"], text[f"n{i}.grad"]) == (number(node.data), number(node.grad))
        assert [text[f"e{i}.{edge}.local"] for edge in range(len(node._prev))] == list(map(number, node._local))


def test_a_player_says_the_engines_sentences_and_where_in_the_passes_it_is(root):
    forward, backward = ([one.sentence() for one in steps(root)] for steps in (forward_steps, backward_steps))
    for lab, sentences in ((step_forward, forward), (step_backward, backward), (step_through, forward + backward)):
        assert [frame.say for frame in lab(root).recording.frames[1:]] == sentences
    assert [frame.at for frame in step_through(root).recording.frames] == [
        "Start",
        *(f"Forward: step {i} of {len(forward)}" for i in range(1, len(forward) + 1)),
        *(f"Backward: step {i} of {len(backward)}" for i in range(1, len(backward) + 1)),
    ]


def test_titles_and_first_sentences():
    leaves = "The 3 leaves have their numbers; nothing has been computed yet."
    for lab, title, first in (
        (step_forward, "forward pass", leaves),
        (step_backward, "backward pass", "The forward pass is done: f = -12.0000. No gradient is known yet."),
        (step_through, "forward and backward pass", leaves),
    ):
        recording = lab(xyz()).recording
        assert (recording.title, recording.frames[0].say) == (f"The {title} of f", first)
        assert recording.alt.startswith("Computation graph of 5 nodes. Root: f made by *")


# Nothing moves


@pytest.mark.parametrize("lab", LABS)
def test_nothing_moves_and_what_the_browser_changes_is_what_python_renders(root, lab):
    assert_plays(lab(root))


def test_the_frames_are_small():
    """A step sends what changed, not the stage: half a kilobyte, however large the graph."""
    for n_ops, least in ((4, 1), (22, 50)):
        frames = deltas(step_through(random_graph(1, n_leaves=8, n_ops=n_ops)).recording.frames)
        assert len(frames) > least and max(len(json.dumps(frame["set"])) for frame in frames[1:]) < 700


# Graphs that are too large, or of another engine


@pytest.mark.parametrize("direction", ["LR", "TB"])
def test_a_collapsed_lab_keeps_its_direction(direction):
    shown = step_through(xyz(), limit=3, direction=direction)
    assert shown.svg == draw_graph(xyz(), limit=3, direction=direction).svg
    assert f"rankdir={direction}" in shown.source


def test_an_engine_that_keeps_local_derivatives_is_stepped():
    """With no more than data, inputs in a list and local derivatives: no grad, no op, no label."""
    x, y = WithLocals(3), WithLocals(4.0)
    player = step_through(WithLocals(12, [x, y], [4, 3.0]))
    right = {"n0.grad": "4.0000", "n1.grad": "3.0000", "n2.data": "12.0000", "n2.grad": "1.0000"}
    assert expected(player.recording.frames[-1].marks).items() >= right.items()
    assert player.text().splitlines()[-1].startswith("5. From v2 back to v1: local derivative 3.0000")
    assert vars(x) == {"data": 3, "_prev": [], "_local": ()}
    assert step_through(Bare(3)).text().endswith("2. Start at the root: ∂v0/∂v0 = 1, so v0.grad = 1.0000.")


@pytest.mark.parametrize(("direction", "tall"), [("LR", False), ("TB", True)])
def test_the_sum_stands_where_there_is_room(direction, tall):
    """Under a drawing that goes across, beside one that goes down; a forward lab has none."""
    root = Value(1.0, label="a").tanh().tanh().tanh()
    assert ("bp-sum bp-tall" in step_through(root, direction=direction).spec["stage"]) is tall
    assert "bp-sum" not in step_forward(root, direction=direction).spec["stage"]


@pytest.mark.parametrize(("label", "shown"), LABELS.values(), ids=LABELS.keys())
def test_a_hostile_label_is_text_in_sentences_and_in_the_sum(label, shown):
    player = step_through(xyz([label] * 5))
    name = f"{shown[:39]}…" if len(shown) > 40 else shown
    assert player.recording.frames[1].say.startswith(f"{name or 'v2'} = ")
    assert len(max((frame.say for frame in player.recording.frames), key=len)) < 400
    shown_of = texts(player.recording.render(player.recording.frames[-1].marks))
    cut = f"{shown[:21]}…" if len(shown) > 22 else shown
    assert shown_of["sum.after.of"] == f"= {cut or 'v1'}.grad"
    assert player.recording.title == f"The forward and backward pass of {cut or 'v4'}"
