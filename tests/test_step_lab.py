"""The step lab: its frames are the engine's steps, its numbers the engine's, and nothing in it moves."""

import json
import random
import re

import pytest

from autograd import MLP, Value, backward_steps, forward_steps, topological_order
from figures import draw_graph, step_backward, step_forward, step_through
from figures.page.picture import Picture
from figures.page.player import Player, deltas
from figures.page.style import number
from figures.walks import asking, passes
from tests.pictures import (
    GRAPHS,
    LABELS,
    Bare,
    Closures,
    WithLocals,
    change,
    expected,
    parts,
    random_graph,
    texts,
    tree,
    xyz,
)
from tests.test_player import completed

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
    assert grads(recording.frames[-1], root) == [number(node.grad) for node in topological_order(root)]
    shown = texts(recording.render(recording.frames[-1].marks))
    assert [shown[f"n{i}.grad"] for i in range(len(topological_order(root)))] == grads(recording.frames[-1], root)


def test_the_last_frame_of_both_passes_is_the_whole_graph(root):
    frame = step_through(root).recording.frames[-1]
    root.backward()
    for i, node in enumerate(topological_order(root)):
        assert frame.marks[f"n{i}.data"]["text"] == number(node.data)
        assert frame.marks[f"n{i}.grad"]["text"] == number(node.grad)
        for edge, local in enumerate(node._local):
            assert frame.marks[f"e{i}.{edge}.local"]["text"] == number(local)


def test_the_first_frame_shows_nothing_that_is_not_known_yet():
    """Forward: the leaves' numbers alone. Backward: all numbers, and no gradient."""
    root = xyz()
    forward, backward = step_forward(root).recording.frames[0], step_backward(root).recording.frames[0]
    data = [forward.marks[f"n{i}.data"]["text"] for i in range(5)]
    assert data == ["-2.0000", "5.0000", "–", "-4.0000", "–"]
    assert [forward.marks[f"e{i}.{edge}.local"]["text"] for i in (2, 4) for edge in (0, 1)] == [""] * 4
    assert grads(forward, root) == grads(backward, root) == ["–"] * 5
    assert backward.marks["n4.data"]["text"] == "-12.0000" and backward.marks["e4.0.local"]["text"] == "-4.0000"
    assert states(forward) == states(backward) == {}
    assert [backward.marks[f"sum.{key}"]["text"] for key, _ in passes.SUM] == ["–"] * 5


def test_old_gradients_are_shown_where_the_pass_keeps_them():
    """Leaves add up over passes: theirs stand in the first frame, unless all are set anew."""
    root = xyz()
    root.backward()
    first = {reset: grads(step_backward(root, reset=reset).recording.frames[0], root) for reset in RESETS}
    assert first == {
        "intermediates": ["-4.0000", "-4.0000", "–", "3.0000", "–"],
        "all": ["–"] * 5,
        "nothing": ["-4.0000", "-4.0000", "-4.0000", "3.0000", "1.0000"],
    }


def test_a_forward_frame_shows_the_number_it_computes_and_none_that_comes_later(root):
    order = topological_order(root)
    recording = step_forward(root).recording
    made = [i for i, node in enumerate(order) if node._prev]
    assert len(recording.frames) == len(made) + 1
    for frame, i in zip(recording.frames[1:], made):
        assert frame.marks[f"n{i}.data"]["text"] == number(order[i].data)
        assert [frame.marks[f"e{i}.{j}.local"]["text"] for j in range(len(order[i]._prev))] == [
            number(local) for local in order[i]._local
        ]
        assert all(frame.marks[f"n{j}.data"]["text"] == "–" for j in made if j > i)


def test_a_backward_frame_shows_its_step(root):
    """Upstream, local, contribution and the running sum are those of the engine's step, and so is the input's grad."""
    steps = list(backward_steps(root))
    frames = step_backward(root).recording.frames[1:]
    assert len(frames) == len(steps)
    for frame, one in zip(frames[1:], steps[1:]):
        for key in ("upstream", "local", "contribution", "before", "after"):
            assert frame.marks[f"sum.{key}"]["text"] == number(getattr(one, key))
        assert frame.marks[f"n{one.input}.grad"]["text"] == number(one.after)


def test_the_sum_says_whose_numbers_it_holds():
    frame = step_backward(xyz()).recording.frames[2]
    assert [frame.marks[f"sum.{key}.of"]["text"] for key, _ in passes.SUM] == [
        "f.grad",
        "× ∂f/∂q",
        "= contribution",
        "+ q.grad so far",
        "= q.grad",
    ]


# Predictions


def locals_of(frame):
    """The local derivatives that a frame shows, by edge."""
    edges = {key: mark["text"] for key, mark in frame.marks.items() if key.startswith("e") and key.endswith(".local")}
    return {key: text for key, text in edges.items() if text}


@pytest.mark.parametrize("lab", [step_backward, step_through])
def test_a_local_derivative_comes_when_its_edge_has_been_used(lab, root):
    """Before that the answer would be a product of two numbers in view; without predictions all are there."""
    frames, used = lab(root, predict=True).recording.frames, {}
    passed = len(frames) - len(list(backward_steps(root)))
    for frame, one in zip(frames[passed:], backward_steps(root), strict=True):
        if one.kind == "chain":
            used[f"e{one.node}.{one.edge}.local"] = number(one.local)
        assert locals_of(frame) == used
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


def test_every_wrong_number_is_answered_and_never_by_the_answer(root):
    """By a question that names the nodes at hand; the gradient that is asked for does not stand in it."""
    for frame in step_backward(root, predict=True).recording.frames:
        if frame.ask:
            assert frame.ask["hint"].count("?") >= 2
            assert frame.ask["wrong"] == []


# What is at work


def test_each_frame_has_one_node_at_work(root):
    """A forward step: a node and all edges into it. A chain step: a node, one edge, and the input it leads to."""
    recording = step_through(root).recording
    steps = [*forward_steps(root), *backward_steps(root)]
    used = []
    for frame, one in zip(recording.frames[1:], steps, strict=True):
        found = states(frame)
        if one.kind == "value":
            edges = [f"e{one.node}.{i}" for i in range(len(one.inputs))]
            assert list(found) == ["forward"] and sorted(found["forward"]) == sorted([f"n{one.node}", *edges])
            continue
        edge = [] if one.kind == "seed" else [f"e{one.node}.{one.edge}"]
        assert sorted(found.pop("backward")) == sorted([f"n{one.node}", *edge])
        assert found.pop("target", []) == [f"n{one.input}"] * (one.kind == "chain")
        assert sorted(found.pop("used", [])) == sorted(used), "edges that are done keep their colour"
        assert found == {}
        used += edge


def test_a_frame_says_where_in_the_passes_it_is():
    frames = step_through(xyz()).recording.frames
    assert [frame.at for frame in frames] == [
        "Start",
        "Forward: step 1 of 2",
        "Forward: step 2 of 2",
        *(f"Backward: step {i} of 5" for i in range(1, 6)),
    ]


def test_a_player_says_the_engines_sentences(root):
    for lab, steps in (
        (step_forward, list(forward_steps(root))),
        (step_backward, list(backward_steps(root))),
        (step_through, [*forward_steps(root), *backward_steps(root)]),
    ):
        player = lab(root)
        assert [frame.say for frame in player.recording.frames[1:]] == [one.sentence() for one in steps]
        said = [frame.say for frame in player.recording.frames]
        assert player.text().splitlines() == [f"{i}. {sentence}" for i, sentence in enumerate(said, start=1)]


@pytest.mark.parametrize(
    ("lab", "title", "first"),
    [
        (step_forward, "The forward pass of f", "The 3 leaves have their numbers; nothing has been computed yet."),
        (step_backward, "The backward pass of f", "The forward pass is done: f = -12.0000. No gradient is known yet."),
        (
            step_through,
            "The forward and backward pass of f",
            "The 3 leaves have their numbers; nothing has been computed yet.",
        ),
    ],
)
def test_titles_and_first_sentences(lab, title, first):
    recording = lab(xyz()).recording
    assert (recording.title, recording.frames[0].say) == (title, first)
    assert recording.alt.startswith("Computation graph of 5 nodes. Root: f made by *")


def test_a_pass_over_a_graph_with_old_gradients_says_that_they_are_old():
    root = xyz()
    root.backward()
    said = "This pass has found no gradient yet; what is shown is left from an earlier one."
    for reset, is_old in (("intermediates", True), ("nothing", True), ("all", False)):
        first = step_backward(root, reset=reset).recording.frames[0]
        assert (said in first.say) is is_old
        assert any(mark.get("text", "–") != "–" for key, mark in first.marks.items() if key.endswith(".grad")) is is_old


# Nothing moves


def skeleton(stage):
    """A stage without its texts and states."""
    return re.sub(r">[^<]*</(text|b|span|td)>", r"></\1>", re.sub(r'data-(state|long)="[a-z]*"', "", stage))


@pytest.mark.parametrize("lab", LABS)
def test_nothing_moves_between_steps(root, lab):
    """All stages are the same but for the texts and the states of their parts."""
    recording = lab(root).recording
    stages = [recording.render(frame.marks) for frame in recording.frames]
    assert len({skeleton(stage) for stage in stages}) == 1
    assert len(recording.frames) == 1 or len(set(stages)) > 1


@pytest.mark.parametrize("lab", LABS)
def test_what_the_browser_changes_is_what_python_renders(root, lab):
    """The first stage, changed part by part as player.js does it, is each frame's stage to the letter."""
    player = lab(root)
    stage = tree(player.spec["stage"])
    keyed = {part.get("data-key"): part for part in stage.iter() if part.get("data-key")}
    for marks, frame in zip(completed(player.spec["frames"]), player.recording.frames, strict=True):
        for key, mark in marks.items():
            if key not in keyed:
                assert key.startswith("sum.") and lab is step_forward
                continue
            change(keyed[key], mark)
        drawn = tree(player.recording.render(frame.marks))
        for part, again in zip(stage.iter(), drawn.iter(), strict=True):
            assert (part.tag, part.attrib, part.text or "") == (again.tag, again.attrib, again.text or "")


def test_every_mark_has_its_part_and_every_number_its_mark(root):
    recording = step_through(root).recording
    found = parts(recording.render(recording.frames[0].marks))
    assert set(found) == set(recording.frames[0].marks)
    for frame in recording.frames:
        assert set(frame.marks) == set(found)
        shown = texts(recording.render(frame.marks))
        assert shown == {key: text for key, text in expected(frame.marks).items() if key in shown}


def test_the_frames_are_small():
    """A step sends what changed, not the stage: half a kilobyte, however large the graph."""
    sizes = {}
    for n_ops in (4, 22):
        frames = deltas(step_through(random_graph(1, n_leaves=8, n_ops=n_ops)).recording.frames)
        sizes[len(frames)] = max(len(json.dumps(frame["set"])) for frame in frames[1:])
    assert max(sizes) > 50
    assert max(sizes.values()) < 700


# Graphs that are not changed, too large, or of another engine


@pytest.mark.parametrize("lab", LABS)
def test_a_lab_changes_nothing(root, lab):
    before = [(node, node.data, node.grad, node.label, node._prev) for node in topological_order(root)]
    lab(root).html()
    assert [(node, node.data, node.grad, node.label, node._prev) for node in topological_order(root)] == before


@pytest.mark.parametrize("lab", LABS)
def test_over_the_limit_a_lab_is_a_collapsed_picture_that_says_so(lab):
    root = MLP(3, [8, 8, 1], every_op=True, rng=random.Random(0))([1.0, 2.0, 3.0])
    shown = lab(root)
    assert type(shown) is Picture
    assert shown.note.startswith("This graph has 324 nodes, more than the 60 that a drawing can show.")
    assert isinstance(lab(xyz(), limit=5), Player)
    assert type(lab(xyz(), limit=4)) is Picture


@pytest.mark.parametrize("direction", ["LR", "TB"])
def test_a_collapsed_lab_keeps_its_direction(direction):
    shown = step_through(xyz(), limit=3, direction=direction)
    assert shown.svg == draw_graph(xyz(), limit=3, direction=direction).svg
    assert f"rankdir={direction}" in shown.source


@pytest.mark.parametrize("lab", LABS)
@pytest.mark.parametrize("make", [lambda: Closures(2) * Closures(3), lambda: Bare(3, [Bare(1)])], ids=["set", "bare"])
def test_an_engine_without_local_derivatives_gets_a_sentence(lab, make):
    with pytest.raises(TypeError, match="The step lab shows local derivatives, which this engine's nodes do not keep"):
        lab(make())


def test_an_engine_that_keeps_local_derivatives_is_stepped():
    """With no more than data, inputs in a list and local derivatives: no grad, no op, no label."""
    x, y = WithLocals(3), WithLocals(4.0)
    player = step_through(WithLocals(12, [x, y], [4, 3.0]))
    assert (
        expected(player.recording.frames[-1].marks).items()
        >= {
            "n0.grad": "4.0000",
            "n1.grad": "3.0000",
            "n2.data": "12.0000",
            "n2.grad": "1.0000",
        }.items()
    )
    assert player.text().splitlines()[-1].startswith("5. From v2 back to v1: local derivative 3.0000")
    assert vars(x) == {"data": 3, "_prev": [], "_local": ()}


def test_a_leaf_of_another_engine_is_stepped():
    assert step_through(Bare(3)).text().splitlines()[-1] == ("2. Start at the root: ∂v0/∂v0 = 1, so v0.grad = 1.0000.")


@pytest.mark.parametrize("lab", LABS)
@pytest.mark.parametrize("thing", [3, None, "x", [Value(1)]], ids=repr)
def test_what_is_not_a_node_gets_a_sentence(lab, thing):
    with pytest.raises(TypeError, match=f"such as a Value; got {type(thing).__name__}"):
        lab(thing)


def test_other_arguments_get_sentences():
    with pytest.raises(ValueError, match='reset is "intermediates", "all" or "nothing", got \'some\''):
        step_backward(xyz(), reset="some")
    with pytest.raises(ValueError, match='direction is "LR"'):
        step_through(xyz(), direction="up")


@pytest.mark.parametrize(("direction", "tall"), [("LR", False), ("TB", True)])
def test_the_sum_stands_where_there_is_room(direction, tall):
    """Under a drawing that goes across, beside one that goes down; a forward lab has none."""
    root = Value(1.0, label="a").tanh().tanh().tanh()
    assert ("bp-sum bp-tall" in step_through(root, direction=direction).spec["stage"]) is tall
    assert "bp-sum" not in step_forward(root, direction=direction).spec["stage"]


# Labels


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
