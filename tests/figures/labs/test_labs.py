"""Test the contract of every lab of `figures`: its picture, its inputs, its faults and its end.

Replies to wrong arguments and inputs are in `approved/labs_refused.txt`: before each sentence the calls that get
it, as a learner writes them, or `ask(lab, …)` for what only a page can send. A new line with a call alone is a new
case, whose answer `pytest --approve` writes.
"""

import asyncio
import functools
import gc
import inspect
import itertools
import json
import math
import re
import types
import weakref

import numpy as np
import pytest
from ipywidgets.widgets.widget import _instances as REGISTRY

import figures
from autograd import Value, topological_order
from autograd.errors.messages import show
from figures.page.picture import Picture
from tests import pictures
from tests.approve import approved_calls, calls_of
from tests.lab_graphs import assert_plays, two_paths
from tests.labs import ask, choices, in_a_cell, message, message_after, moved, page, parts_to_press, run
from tests.pictures import network

PICTURES = (
    "colour_card",
    "curves",
    "decision_map",
    "gradient_histogram",
    "graph_dot",
    "layer_gradients",
    "pictures",
    "torch_graph",
)
LABS = [name for name in figures.__all__ if name not in PICTURES and not name.startswith("draw_")]
OF_GRAPHS = [name for name in LABS if next(iter(inspect.signature(getattr(figures, name)).parameters)) == "root"]
ASKING = [name for name in LABS if "predict" in inspect.signature(getattr(figures, name)).parameters]
TRAINING = {  # and a change with which the training starts again
    "border": {"seed": "seed 3"},
    "classifier": {"seed": 3},
    "deep_training": {"seed": 3},
    "lottery": {"hidden1": 4},
    "xor": {"seed": 3},
}
ENDS = {  # a short run: what it is made with, what its module's RUN is, and how its place ends after one and two
    "border": ({}, None, "epoch 100 of 100", "epoch 200 of 200"),
    "classifier": ({"batch": 200}, 2, "epoch 2 of 2", "epoch 4 of 4"),
    "deep_training": ({"depth": 2}, 40, "step 40 of 40", "step 80 of 80"),
    "xor": ({"epochs": 40}, None, "epoch 40 of 40 · step 40", "epoch 80 of 80 · step 80"),
}
DIVERGING = {
    "border": {"hidden": 8, "lr": 1e6},
    "xor": {"hidden": 8, "activation": "relu", "output": "linear", "lr": 9.0},
}
CIRCLE = {"hidden": "8", "points": "80", "lr": 0.5, "speed": "100 a second"}
SYMMETRIC = {"hidden1": 2, "hidden2": 0, "activation": "sigmoid", "output": "sigmoid", "init": "all 0.5", "lr": 1.0}
BRINGING = {  # what it is made with, and after each change what the lab moves by itself
    "border": ({"hidden": 4, "points": 20, "lr": 0.3}, [({"data": "circle"}, CIRCLE)]),
    "classifier": (
        {},
        [({"optimizer": "Adam"}, {"lr": 0.01}), ({"lr": 0.02}, {}), ({"optimizer": "momentum"}, {})],
    ),
    "deep_training": (
        {},
        [({"optimizer": "Adam"}, {"lr": 0.003}), ({"optimizer": "SGD"}, {"lr": 0.1}), ({"lr": 0.02}, {})],
    ),
    "microscope": (
        {},
        [
            ({"preset": "relu, he, residual"}, {"residual": True, "init": "he", "activation": "relu"}),
            ({"depth": 5}, {"preset": "your own network"}),
            ({"preset": "twelve sigmoids"}, {"activation": "sigmoid"}),
        ],
    ),
    "xor": ({}, [("symmetric", SYMMETRIC | {"loss": "sum_of_squares"})]),
}
OPEN = {}  # one lab of each kind, which is sent all that is refused


def made(name, *arguments, **named):
    """Return a lab, of a small graph if none is given."""
    if name in OF_GRAPHS and not arguments:
        arguments = (two_paths(),)
        named |= {"events": list(two_events(*arguments))} if name == "writes" else {}
    elif name == "writes":
        named["events"] = []
    return getattr(figures, name)(*arguments, **named)


def two_events(root):
    """Yield two events of the lab of writes: what an edge of the root brings, and what nothing allows."""
    known = {"node": root._prev[0], "code": "5: s.grad += 1", "says": "s gets its part."}
    yield types.SimpleNamespace(**known, before=0.0, after=1.0, along=(root, 0), expected=1.0, wrong=False)
    yield types.SimpleNamespace(**known, before=1.0, after=None, along=None, expected=None, wrong=True)


def assert_shown(lab):
    """A lab's output is well-formed: the same parts in each frame, all of it JSON, and described in words."""
    recording, spec = lab.recording, lab.spec
    first, drawn = recording.frames[0].updates, recording.render(recording.frames[-1].updates)
    assert [frame for frame in recording.frames if frame.updates.keys() != first.keys()] == []
    forward = recording.title.startswith("The forward pass")  # whose stage has no sum
    assert pictures.parts(drawn).keys() == {key for key in first if not (forward and key.startswith("sum."))}
    for part in pictures.tree(drawn).iter():
        if part.get("role"):
            assert part.get("aria-label") or "".join(part.itertext()), "a part with a role and no name"
        if part.get("data-press"):
            assert part.get("role") == "button" and part.get("tabindex"), "a part that only a mouse can press"
    pictures.tree(recording.picture())
    assert json.dumps(spec, allow_nan=False)
    assert recording.title and recording.alt and [control for control in spec["controls"] if not control["label"]] == []
    words = lab.render_text()
    for frame in recording.frames:
        assert "\n" not in frame.say and frame.say[-1] in ".?!"
        assert frame.say in words or "Predict" in frame.say  # which no text needs that has the answer
        assert not recording.room or len(frame.say) <= len(recording.room)


def frames_of(lab):
    """Return a lab's visible state."""
    return [(frame.say, frame.at, frame.updates) for frame in lab.recording.frames]


@pytest.mark.parametrize("name", LABS)
def test_lab_opens_with_a_picture_and_a_text(name):
    whole = made(name)
    lab = page(whole)
    assert_shown(lab)
    assert_plays(lab)
    bundle = whole._repr_mimebundle_()
    assert bundle == {"text/html": whole.html(), "text/plain": whole.render_text()}
    still = pictures.Reader(whole.html()).all("img")[0]
    assert still["alt"] == lab.recording.alt and still["src"].startswith("data:")
    whole.close()


@pytest.mark.parametrize("name", LABS)
def test_every_input_is_answered_with_a_picture_and_a_text(name):
    whole = made(name)
    lab = page(whole)
    opened = dict(lab.values)
    for changed in choices(lab):
        before = frames_of(lab)
        ask(lab, **opened | changed)
        assert message(lab) == "" or frames_of(lab) == before
        assert_shown(lab)
    for press in parts_to_press(lab):
        if press != "play":
            ask(lab, press)
            assert_shown(lab)
    whole.close()


# Refusals


def answer_to(name, *arguments, **named):
    """Return the reply to a call, and the page's reply to the same inputs if it differs."""
    try:
        made(name, *arguments, **named)
        answer = "taken"
    except (ValueError, TypeError) as fault:
        answer = f"{type(fault).__name__}: {fault}"
    lab = page(OPEN[name])
    if not arguments and named.keys() <= lab.values.keys():
        on_page = sent(name, **named)
        return answer if on_page in answer else f"{answer} On the page: {on_page}"
    return answer


def sent(name, *presses, **changed):
    """Return the page's message about a refused input or press; the last picture and all values stay."""
    lab = page(OPEN[name])
    before, stage, values = frames_of(lab), lab.spec["stage"], dict(lab.values)
    ask(lab, *presses, **changed)
    if not message(lab):
        return "taken"
    assert (frames_of(lab), lab.spec["stage"], lab.values) == (before, stage, values)
    return message(lab)


def answered(call):
    """Return the reply to a call of the approved text; for a fault that has a place, its place."""
    known = {name: functools.partial(answer_to, name) for name in LABS}
    known |= {"ask": lambda lab, *presses, **changed: sent(lab.args[0], *presses, **changed)}
    known |= {"inf": math.inf, "nan": math.nan, "np": np, "Value": Value}
    told = eval(call, known).partition(": setting an array")[0].splitlines()  # where NumPy says more
    return f"{told[0]} At {told[-1].index('^') - 4}." if len(told) > 1 else told[0]


@pytest.mark.long
def test_refused_input_gets_a_message_and_changes_nothing():
    assert {re.match(r"(?:ask\()?(\w+)", call)[1] for call in calls_of("labs_refused")} == set(LABS), (
        "each lab refuses something"
    )
    OPEN.update((name, made(name)) for name in LABS)
    for lab in map(page, OPEN.values()):
        ask(lab, **next(choices(lab), {}))  # so that what stays is not what it opened with
    gc.collect()
    opened = len(REGISTRY)
    approved_calls("labs_refused", answered)
    gc.collect()
    assert len(REGISTRY) <= opened, "nothing is left of a lab that could not be made"
    for lab in map(page, OPEN.values()):
        if lab.controls:
            ask(lab, **next(choices(lab), {}))
            assert message(lab) == ""
    while OPEN:
        OPEN.popitem()[1].close()


# Several labs, and an end


@pytest.mark.parametrize("name", LABS)
def test_labs_are_independent_and_replaced_ones_are_freed(name, monkeypatch):
    monkeypatch.setattr("figures.page.player._shown", {})
    gc.collect()
    before = len(REGISTRY)
    in_a_cell(monkeypatch, "a", "1")
    labs = [made(name), made(name)]
    shown = frames_of(page(labs[1]))
    for changed in itertools.islice(choices(page(labs[0])), 2):
        ask(page(labs[0]), **changed)
    assert frames_of(page(labs[1])) == shown
    gone = [weakref.ref(each) for lab in labs for each in (lab, *getattr(lab, "children", ()))]
    in_a_cell(monkeypatch, "a", "2")
    again = made(name)
    assert [page(lab).comm is None for lab in (*labs, again)] == [True, True, False]
    del labs
    gc.collect()
    assert [ref for ref in gone if ref()] == []
    again.close()
    assert len(REGISTRY) == before


# Labs of a graph


def nodes_of(root):
    """Return everything that a learner could see if a lab changed a graph."""
    return [(node, node.data, node.grad, node.label, node._prev) for node in topological_order(root)]


@pytest.mark.parametrize("name", OF_GRAPHS)
def test_graph_lab_leaves_the_graph_unchanged(name):
    root = two_paths()
    root.backward()
    before = nodes_of(root)
    lab = made(name, root)
    for changed in choices(lab):
        ask(lab, **changed)
    lab.close()
    assert nodes_of(root) == before


@pytest.mark.parametrize("name", [name for name in OF_GRAPHS if name != "writes"])
def test_oversized_graph_becomes_a_picture_with_a_note(name):
    large = made(name, network((8, 8, 1), 3))
    assert type(large) is Picture and "324 nodes" in large.note
    if "limit" in inspect.signature(getattr(figures, name)).parameters:
        assert type(made(name, two_paths(), limit=6)) is Picture
        made(name, two_paths(), limit=7).close()


@pytest.mark.parametrize("name", OF_GRAPHS)
def test_lab_without_graphviz_shows_a_table(name, monkeypatch):
    pictures.clear()
    monkeypatch.setattr("figures.graph.layout.BACKENDS", (pictures.absent,))
    try:
        lab = made(name)
        if name == "drag":
            assert "if there is no drawing" in lab.note
        else:
            assert "pip install pygraphviz" in lab.spec["stage"] and "<table>" in lab.spec["stage"]
            assert_plays(lab)
    finally:
        pictures.clear()


# Labs that ask


@pytest.mark.parametrize("name", ASKING)
def test_predictions_are_asked_and_hints_do_not_reveal_answers(name):
    lab = made(name, predict=True)
    asked = [frame.ask for frame in lab.recording.frames if frame.ask]
    assert 1 <= len(asked) <= 6 and lab.recording.asks
    for each in asked:
        assert each["what"] and show(each["answer"]) not in each["hint"]
        assert each["hint"].endswith("?") or (name == "matmul" and "?" in each["hint"])  # then it says how to go on
        assert [(number, said) for number, said in each["wrong"] if not (said and number != each["answer"])] == []
    assert_plays(lab)
    assert [frame for frame in made(name).recording.frames if frame.ask] == []


# Labs that train


@pytest.mark.parametrize("name", TRAINING)
def test_training_runs_only_between_play_and_pause(name):
    whole = made(name)
    lab, labels = page(whole), []
    opened = lab.recording.frames[-1]

    async def go():
        await asyncio.sleep(0.02)
        assert lab.recording.frames[-1] == opened and not lab.runner.running
        ask(lab, "play")
        assert lab.patch["controls"]["play"]["label"] == "Pause"
        while lab.recording.frames[-1].at == opened.at:
            await asyncio.sleep(0.005)
        if name != "lottery":
            ask(lab, lr=0.01)
            assert lab.runner.running and message(lab) == "" and lab.recording.frames[-1].at != opened.at
        ask(lab, lr=-1)
        assert lab.runner.running and message(lab)
        lab.observe(lambda change: labels.append(change["new"]["controls"].get("play", {}).get("label")), "patch")
        ask(lab, "play", lr=-1)
        assert not lab.runner.running and labels == ["Play", None] and message(lab)
        paused = lab.recording.frames[-1].at
        assert lab.recording.frames[-1].say.startswith("Paused")
        await asyncio.sleep(0.05)
        assert lab.recording.frames[-1].at == paused
        if name != "lottery":
            ask(lab, "step")
            assert lab.recording.frames[-1].at != paused and not lab.runner.running
        ask(lab, "play")
        ask(lab, "play")
        assert not lab.runner.running and message(lab) == "", "two presses are Play and Pause"
        for presses, changed in ((["reset"], {}), ([], TRAINING[name])):
            ask(lab, "play")
            assert lab.runner.running
            ask(lab, *presses, **changed)
            assert not lab.runner.running and lab.recording.frames[-1].at == opened.at, "it begins anew, and waits"
        ask(lab, "play")
        whole.close()
        assert not lab.runner.running

    asyncio.run(go())


@pytest.mark.parametrize("name", ENDS)
def test_run_stops_at_its_goal_and_continues_to_the_next(name, monkeypatch):
    given, goal, *ends = ENDS[name]
    if goal:
        monkeypatch.setattr(f"figures.labs.{name}.RUN", goal)
    lab = made(name, **given, speed="full speed")
    ask(lab, "reset")
    for end in ends:
        run(lab)
        assert lab.recording.frames[-1].at == end and lab.patch["controls"]["play"]["label"] == "Play"
        assert lab.recording.frames[-1].say.startswith(("After ", "Stopped after "))


@pytest.mark.parametrize("name", DIVERGING)
def test_diverging_run_stops_with_a_message_until_reset(name):
    lab = made(name, **DIVERGING[name], speed="full speed")
    run(lab)
    end, off = lab.recording.frames[-1].at, {"disabled": True}
    assert message(lab).startswith("The run diverged: ") and "smaller learning rate" in message(lab)
    assert lab.patch["controls"] == {"play": {"label": "Play"} | off, "step": off}
    ask(lab, "step", "play")
    assert lab.recording.frames[-1].at == end and not lab.runner.running
    assert message_after(lab, "reset", lr=0.01) == "" and lab.patch["controls"]["step"] == {"disabled": False}


@pytest.mark.parametrize("name", BRINGING)
def test_linked_controls_move_before_the_message(name):
    given, changes = BRINGING[name]
    lab, sent = made(name, **given), []
    lab.observe(lambda change: sent.append(change["name"]), ["news", "patch"])
    for change, expected in changes:
        sent.clear()
        presses, changed = ([change], {}) if isinstance(change, str) else ([], change)
        assert message_after(lab, *presses, **changed) == "" and lab.values.items() >= expected.items()
        assert moved(lab) == expected and (not expected or sent[0] == "patch")
