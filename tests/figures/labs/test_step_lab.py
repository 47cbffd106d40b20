"""The step lab: its frames are the engine's steps, its numbers the engine's, and nothing in it moves."""

import json
import random

import pytest

from autograd import MLP, Value, backward_steps, forward_steps, topological_order
from figures import draw_graph, step_backward, step_forward, step_through
from figures.page.player import deltas
from figures.page.style import number
from figures.passes import questions
from tests.lab_graphs import assert_plays
from tests.pictures import GRAPHS, LABELS, Bare, WithLocals, expected, random_graph, texts, xyz

RESETS = ["intermediates", "all", "nothing"]


@pytest.fixture(params=GRAPHS.values(), ids=GRAPHS.keys())
def root(request):
    return request.param()


def states(frame):
    """The parts of a frame that are in a state, by state."""
    found = {}
    for key, mark in frame.updates.items():
        if mark.get("state"):
            found.setdefault(mark["state"], []).append(key)
    return found


def grads(frame, root):
    """The gradients that a frame shows, in topological order."""
    return [frame.updates[f"n{i}.grad"]["text"] for i in range(len(topological_order(root)))]


def locals_of(frame):
    """The local derivatives that a frame shows, by edge."""
    edges = {key: mark["text"] for key, mark in frame.updates.items() if key.startswith("e") and key.endswith(".local")}
    return {key: text for key, text in edges.items() if text}


@pytest.mark.parametrize("reset", RESETS)
@pytest.mark.parametrize("seed", range(12))
def test_last_frame_shows_the_grads_of_backward(seed, reset):
    """On random graphs with old gradients, for each way to reset them; in the marks and in the stage."""
    root = random_graph(seed)
    recording = step_backward(root, reset=reset).recording
    root.backward(reset)
    right = [number(node.grad) for node in topological_order(root)]
    shown = texts(recording.render(recording.frames[-1].updates))
    assert grads(recording.frames[-1], root) == [shown[f"n{i}.grad"] for i in range(len(right))] == right


def test_old_gradients_are_shown_and_described_as_old():
    """Leaves add up over passes: theirs are in the first frame, unless all are reset."""
    root = xyz()
    root.backward()
    first = {reset: step_backward(root, reset=reset).recording.frames[0] for reset in RESETS}
    assert {reset: grads(frame, root) for reset, frame in first.items()} == {
        "intermediates": ["−4", "−4", "–", "3", "–"],
        "all": ["–"] * 5,
        "nothing": ["−4", "−4", "−4", "3", "1"],
    }
    assert ["what is shown is left from an earlier" in first[reset].say for reset in RESETS] == [True, False, True]


@pytest.mark.parametrize("lab", [step_backward, step_through])
def test_local_derivative_appears_after_its_edge_is_used(lab, root):
    """Before that the answer would be a product of two numbers in view; without predictions all are there."""
    frames, used = lab(root, predict=True).recording.frames, {}
    passed = len(frames) - len(list(backward_steps(root)))
    assert [locals_of(frame) for frame in frames[:passed]] == [{}] * passed
    for frame, one in zip(frames[passed:], backward_steps(root), strict=True):
        if one.kind == "chain":
            used[f"e{one.node}.{one.edge}.local"] = number(one.local)
        assert locals_of(frame) == used
    assert locals_of(lab(root).recording.frames[-1]) == used


def test_wide_sum_asks_six_questions_of_every_kind():
    """At most six predictions, none of them of a kind that came before while another has not come."""
    root = MLP(3, [2, 1], output="tanh", rng=random.Random(0))([1.0, 2.0, -1.0])
    steps = [one for one in backward_steps(root) if one.kind == "chain"]
    asked = [one for one, frame in zip(steps, step_backward(root, predict=True).recording.frames[2:]) if frame.ask]
    assert len(steps) > 12 and [one.op for one in asked] == ["tanh", *["weighted_sum"] * 5]
    assert len(asked) == questions.MOST and {*map(questions.kind, steps)} == {*map(questions.kind, asked)}


def test_each_frame_shows_its_step_and_active_node(root):
    """A forward step: a node and all edges into it. A chain step: a node, one edge, and the input it leads to."""
    order, used = topological_order(root), []
    frames, steps = step_through(root).recording.frames, [*forward_steps(root), *backward_steps(root)]
    for frame, one in zip(frames[1:], steps, strict=True):
        found, text, node = states(frame), expected(frame.updates), order[one.node]
        assert frame.say == one.sentence()
        if one.kind == "value":
            edges = [f"e{one.node}.{i}" for i in range(len(one.inputs))]
            assert list(found) == ["forward"] and sorted(found["forward"]) == sorted([f"n{one.node}", *edges])
            assert text[f"n{one.node}.data"] == number(node.data)
            assert [text[f"{edge}.local"] for edge in edges] == [number(local) for local in node._local]
            later = [text[f"n{j}.data"] for j in range(one.node + 1, len(order)) if order[j]._prev]
            assert later == ["–"] * len(later), "none that comes later"
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
    backward = step_backward(root).recording.frames[1:]
    assert [frame.say for frame in backward] == [one.sentence() for one in backward_steps(root)]


@pytest.mark.parametrize("lab", [step_forward, step_backward, step_through])
def test_browser_updates_match_python_rendering(root, lab):
    assert_plays(lab(root))


def test_frames_are_small():
    """A step sends what changed, not the stage: half a kilobyte, however large the graph."""
    frames = deltas(step_through(random_graph(1, n_leaves=8, n_ops=22)).recording.frames)
    assert len(frames) > 50 and max(len(json.dumps(frame["set"])) for frame in frames[1:]) < 700


@pytest.mark.parametrize("direction", ["LR", "TB"])
def test_collapsed_lab_keeps_direction_and_the_sum_fits(direction):
    """Below a horizontal drawing, next to a vertical one; a forward lab has none."""
    shown, root = step_through(xyz(), limit=3, direction=direction), Value(1.0, label="a").tanh().tanh().tanh()
    assert shown.svg == draw_graph(xyz(), limit=3, direction=direction).svg
    assert ("bp-sum bp-tall" in step_through(root, direction=direction).spec["stage"]) is (direction == "TB")
    assert "bp-sum" not in step_forward(root, direction=direction).spec["stage"]


def test_engine_with_local_derivatives_is_stepped():
    """With no more than data, inputs in a list and local derivatives: no grad, no op, no label."""
    x, y = WithLocals(3), WithLocals(4.0)
    player = step_through(WithLocals(12, [x, y], [4, 3.0]))
    right = {"n0.grad": "4", "n1.grad": "3", "n2.data": "12", "n2.grad": "1"}
    assert expected(player.recording.frames[-1].updates).items() >= right.items()
    assert vars(x) == {"data": 3, "_prev": [], "_local": ()}
    assert step_through(Bare(3)).render_text().endswith("2. Start at the root: ∂v0/∂v0 = 1, so v0.grad = 1.0000.")


@pytest.mark.parametrize(("label", "shown"), LABELS.values(), ids=LABELS.keys())
def test_hostile_label_is_rendered_as_text(label, shown):
    player = step_through(xyz([label] * 5))
    name, cut = f"{shown[:39]}…" if len(shown) > 40 else shown, f"{shown[:21]}…" if len(shown) > 22 else shown
    assert player.recording.frames[1].say.startswith(f"{name or 'v2'} = ")
    shown_of = texts(player.recording.render(player.recording.frames[-1].updates))
    assert shown_of["sum.after.of"] == f"= {cut or 'v1'}.grad"
    assert player.recording.title == f"The forward and backward pass of {cut or 'v4'}"
