"""The XOR lab: what it shows is what the scalar engine does, it runs in slices, and it can always be stopped."""

import asyncio
import base64
import gc
import json
import math
import random
import re
import struct
import weakref
import zlib

import numpy as np
import pytest
from ipywidgets.widgets.widget import _instances as REGISTRY

from autograd import MLP, losses
from autograd.messages import show
from figures import xor
from figures.charts.losses import decades
from figures.graph.network import short
from figures.labs.xor import ROOM
from figures.labs.xor_picture import bins
from figures.page.runner import Runner
from figures.training.run import Curve, Training
from figures.training.seeds import Twin
from figures.training.settings import INITIALISATIONS, LOSSES, ROWS, checked
from figures.training.surface import GRID, PIXELS, palette, pixels, png, surface
from tests import pictures


def ask(lab, *presses, **changed):
    """What the browser sends after a change of controls, or presses; then the lab's marks."""
    values = {**lab.values, **changed}
    lab.request = {"values": values, "presses": list(presses), "number": lab.reply + 1}
    assert lab.reply == lab.request["number"]
    return lab.recording.frames[-1].marks


def message(lab):
    return lab.patch["message"]


def controls(lab):
    """The values of the controls as the browser has them after the last patch."""
    return {name: change["value"] for name, change in lab.patch["controls"].items() if "value" in change}


def run(lab, seconds=20.0):
    """Press Play and let the event loop go on until the run is at its end."""

    async def play():
        ask(lab, "play")
        assert lab.runner.running
        async with asyncio.timeout(seconds):
            while lab.runner.running:
                await asyncio.sleep(0.01)

    asyncio.run(play())


def loop(mlp, loss, targets, lr, epochs):
    """The four steps of the loop, written out: the losses before each epoch."""
    seen = []
    for _ in range(epochs):
        predictions = [mlp(row) for row in ROWS]
        value = loss(predictions, targets)
        mlp.zero_grad()
        value.backward()
        for p in mlp.parameters():
            p.data -= lr * p.grad
        seen.append(value.data)
    return seen


# Reference numbers


def test_textbooks_network_from_seed_0():
    """Source B: tanh 2-4-4-1, U(-1, 1), lr .1, sum of squares, at epochs 0, 10, …, 60 to all digits."""
    lab = xor([4, 4], seed=0, epochs=100)
    seen = []
    for epoch in range(61):
        if epoch % 10 == 0:
            seen.append(lab.recording.frames[-1].marks["curve.loss"]["text"])
        ask(lab, "step")
    assert seen == [f"Loss {x}" for x in ("1.8024", "0.8392", "0.7143", "0.5697", "0.3493", "0.1589", "0.0767")]


def test_guides_network_from_seed_42():
    """Source A: sigmoid 2-4-1, fan_in, lr 1, sum of squares; by Play, 1000 epochs."""
    lab = xor(4, "sigmoid", "sigmoid", "fan_in", 42, 1.0, speed="full speed")
    assert round(lab.training.total, 6) == 1.067385
    run(lab)
    seen = [loss for epoch, loss in lab.training.curve.points() if epoch % 100 < lab.training.curve.size]
    assert lab.training.curve.size > 1 and len(seen) >= 10, "a long run is drawn in pieces"
    marks = lab.recording.frames[-1].marks
    assert [marks[f"row.{i}.out"]["text"] for i in range(4)] == ["0.0251", "0.9677", "0.9796", "0.0286"]
    assert lab.training.epochs == 1000
    assert lab.text().startswith("Epoch 1000 of 1000 · step 1000. Stopped after 1000 epochs. The loss is 0.0029. All")


def test_symmetric_start():
    """Weights ½, biases 0, 2-2-1 sigmoid: h1 = h2 for ever; tends to (0, ⅔, ⅔, ⅔) and a loss of .667."""
    lab = xor()
    marks = ask(lab, "symmetric")
    assert [round(float(marks[f"row.{i}.out"]["text"]), 2) for i in range(4)] == [0.62, 0.65, 0.65, 0.68]
    assert {name: controls(lab)[name] for name in ("hidden1", "hidden2", "activation", "output", "init", "lr")} == {
        **{"hidden1": 2, "hidden2": 0, "activation": "sigmoid", "output": "sigmoid", "init": "all 0.5", "lr": 1.0}
    }
    ask(lab, "row.0")
    assert [lab.recording.frames[-1].marks[f"net.n1.{j}.v"]["text"] for j in (0, 1)] == ["0.5000", "0.5000"]
    for _ in range(4000):
        lab.training.step()
    lab.draw()
    marks = lab.recording.frames[-1].marks
    outputs = [float(marks[f"row.{i}.out"]["text"]) for i in range(4)]
    assert outputs == pytest.approx([0, 2 / 3, 2 / 3, 2 / 3], abs=0.02)
    assert lab.training.total == pytest.approx(0.667, abs=0.003)
    h1, h2 = lab.training.mlp.layers[0].neurons
    assert [p.data for p in h1.parameters()] == [p.data for p in h2.parameters()]
    assert [marks[f"row.{i}.word"]["text"] for i in range(4)] == ["right", "right", "right", "wrong"]


# The engine


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize(
    ("hidden", "activation", "init"), [([], "tanh", "uniform"), (3, "relu", "he"), ([4, 2], "tanh", "xavier")]
)
def test_training_is_the_four_steps_of_the_loop(loss, hidden, activation, init):
    lab = xor(hidden, activation, "sigmoid", init, 5, 0.3, loss)
    layers = [*(hidden if isinstance(hidden, list) else [hidden]), 1]
    mlp = MLP(2, layers, activation, "sigmoid", init, random.Random(5))
    targets = [-1, 1, 1, -1] if loss == "hinge" else [0, 1, 1, 0]
    expected = loop(mlp, getattr(losses, loss), targets, 0.3, 12)
    for value in expected:
        assert lab.recording.frames[-1].marks["curve.loss"]["text"] == f"Loss {show(value)}"
        ask(lab, "step")
    assert [p.data for p in lab.training.optimizer.parameters] == [p.data for p in mlp.parameters()]
    assert [p.grad for p in lab.training.optimizer.parameters] == [p.grad for p in mlp.parameters()]
    assert [mark["text"] for key, mark in lab.recording.frames[-1].marks.items() if key == "net.t0"] == ["1.0000"]


def test_a_step_by_sample_is_an_update_from_one_row():
    lab = xor(by="sample", seed=7)
    mlp = MLP(2, [4, 1], "tanh", "tanh", rng=random.Random(7))
    for i in (0, 1, 2, 3, 0):
        mlp.zero_grad()
        losses.sum_of_squares([mlp(ROWS[i])], [[0, 1, 1, 0][i]]).backward()
        for p in mlp.parameters():
            p.data -= 0.1 * p.grad
        marks = ask(lab, "step")
        assert marks[f"row.{i}"]["aria-pressed"] == "true", "the row of the step is shown in the network"
    assert [p.data for p in lab.training.optimizer.parameters] == [p.data for p in mlp.parameters()]
    frame = lab.recording.frames[-1]
    assert frame.at == "epoch 1 of 1000 · step 5"
    assert frame.say.startswith("Step 5, on the row 0, 0 alone: its loss was ")


def test_without_zero_grad_gradients_really_add_up():
    with_zero, without = xor(lr=1e-12), xor(lr=1e-12, zero_grad=False)
    for lab in (with_zero, without):
        for _ in range(3):
            ask(lab, "step")
    for a, b in zip(with_zero.training.optimizer.parameters, without.training.optimizer.parameters):
        assert b.grad == pytest.approx(3 * a.grad, rel=1e-6)
    ask(without, "step", zero_grad=True)
    for a, b in zip(with_zero.training.optimizer.parameters, without.training.optimizer.parameters):
        assert b.grad == pytest.approx(a.grad, rel=1e-6), "the switch acts on the next step"


def test_the_network_shows_the_chosen_row_and_weights_or_gradients():
    lab = xor()
    for row, target in enumerate((0, 1, 1, 0)):
        marks = ask(lab, f"row.{row}")
        assert [marks[f"net.n0.{j}.v"]["text"] for j in (0, 1)] == [show(x) for x in ROWS[row]]
        assert marks["net.n2.0.v"] == marks[f"row.{row}.out"]
        assert marks["net.t0"]["text"] == show(target)
        assert [marks[f"row.{i}"]["aria-pressed"] for i in range(4)].index("true") == row
    assert ask(lab, shows="gradients")["net.max"]["text"] == "thickest line: |gradient| –"
    marks = ask(lab, "step")
    largest = max(abs(p.grad) for p in lab.training.optimizer.parameters)
    assert marks["net.max"]["text"] == f"thickest line: |gradient| {show(largest)}"


# The map, the curve, the histogram


@pytest.mark.parametrize(
    "arguments", [{}, {"hidden": [8, 8]}, {"hidden": []}, {"activation": "relu", "output": "linear"}]
)
def test_the_map_is_drawn_from_a_twin_equal_to_the_engine(arguments):
    lab = xor(**arguments)
    for _ in range(30):
        lab.training.step()
    found = surface(lab.training.mlp).ravel()
    for i in random.Random(0).sample(range(PIXELS**2), 60):
        assert found[i] == pytest.approx(lab.training.mlp(GRID[i].tolist()).data, abs=1e-12)


def decoded(address):
    """The rows of a PNG with a palette, as the specification says to read them."""
    file = base64.b64decode(address.removeprefix("data:image/png;base64,"))
    assert file[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, at = {}, 8
    while at < len(file):
        length, kind = struct.unpack(">I4s", file[at : at + 8])
        data = file[at + 8 : at + 8 + length]
        assert struct.unpack(">I", file[at + 8 + length : at + 12 + length])[0] == zlib.crc32(kind + data)
        chunks[kind] = data
        at += 12 + length
    assert list(chunks) == [b"IHDR", b"PLTE", b"IDAT", b"IEND"] and chunks[b"PLTE"] == palette()
    width, height = struct.unpack(">II", chunks[b"IHDR"][:8])
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, width + 1)
    assert (rows[:, 0] == 0).all()
    return rows[:, 1:]


def test_the_maps_pixels():
    """Dark for 0, light for 1, white where the class changes, grey where there is no number; and the PNG holds them."""
    found = pixels(np.array([[0.0, 0.2, 0.9], [0.0, 0.1, 2.0], [-5.0, math.nan, 0.3]]))
    assert found.tolist() == [[0, 51, 254], [0, 25, 254], [0, 255, 254]]
    assert (decoded(png(found)) == found).all()
    colours = np.frombuffer(palette(), np.uint8).reshape(256, 3).astype(float)
    lightness = colours[:254] @ [0.2126, 0.7152, 0.0722]
    assert (np.diff(lightness) > -1.5).all() and lightness[-1] - lightness[0] > 150, "told apart without colour"
    marks = xor().recording.frames[-1].marks
    assert decoded(marks["map"]["href"]).shape == (PIXELS, PIXELS)


def test_the_map_has_its_first_row_at_the_top():
    assert GRID[0].tolist() == pytest.approx([-0.5 + 1 / PIXELS, 1.5 - 1 / PIXELS])
    assert GRID[-1].tolist() == pytest.approx([1.5 - 1 / PIXELS, -0.5 + 1 / PIXELS])


def test_the_curve_keeps_the_extremes_of_a_long_run():
    curve, rng = Curve(room=50), random.Random(0)
    seen = [rng.random() for _ in range(12_345)]
    seen[7777], seen[4321] = 9.0, 1e-9
    for loss in seen:
        curve.add(loss)
    points = curve.points()
    assert len(points) <= 4 * 50 and curve.count == 12_345
    assert max(points, key=lambda p: p[1])[1] == 9.0 and min(points, key=lambda p: p[1])[1] == 1e-9
    assert abs(max(points, key=lambda p: p[1])[0] - 7777) <= curve.size
    short = Curve()
    for loss in (3.0, 2.0, math.nan, 1.0):
        short.add(loss)
    assert short.points()[:2] == [(0.0, 3.0), (1.0, 2.0)] and short.points()[-1] == (3.0, 1.0)


def test_the_histograms_bins():
    zeros, counts = bins([0.0, -0.0, 1.0, -1.0, 0.5, 1e-30, 1e30, math.nan])
    assert zeros == 2 and sum(counts) == 5
    assert counts[16] == 2 and counts[15] == 1 and counts[0] == 1 and counts[-1] == 1
    lab = xor([8, 8])
    assert lab.recording.frames[-1].marks["hist.0.mean"]["text"] == "mean –"
    marks = ask(lab, "step")
    for i, layer in enumerate(lab.training.mlp.layers):
        sizes = [abs(p.grad) for p in layer.parameters()]
        assert marks[f"hist.{i}.mean"]["text"] == f"mean {show(sum(sizes) / len(sizes))}"


# Every setting


@pytest.mark.parametrize("init", INITIALISATIONS)
@pytest.mark.parametrize("activation", ["linear", "tanh", "sigmoid", "relu", "leaky_relu"])
def test_every_choice_gives_a_stage_that_the_marks_fit(init, activation):
    lab = xor(init=init, activation=activation, output=activation)
    for hidden1, hidden2 in ((0, 0), (8, 8)):
        marks = ask(lab, "step", hidden1=hidden1, hidden2=hidden2)
        assert message(lab) == ""
        assert pictures.parts(lab.spec["stage"]).keys() == marks.keys()
        assert json.loads(json.dumps(lab.patch, allow_nan=False)) == lab.patch
    assert lab.spec["title"] == "Training on XOR"


def test_each_control_the_lesson_needs():
    kinds = {control["name"]: control["kind"] for control in xor().spec["controls"]}
    assert [name for name, kind in kinds.items() if kind == "button"] == ["play", "step", "reset", "symmetric"]
    assert {name for name, kind in kinds.items() if kind == "range"} == {"lr", "seed", "hidden1", "hidden2"}
    assert {name for name, kind in kinds.items() if kind == "choice"} == {
        *("activation", "output", "init", "loss", "speed", "by", "epochs", "shows")
    }
    assert kinds["zero_grad"] == "toggle"
    assert next(c for c in xor().spec["controls"] if c["name"] == "lr")["log"]


def test_a_change_of_the_learning_rate_goes_on_and_a_change_of_the_seed_begins_anew():
    lab = xor()
    ask(lab, "step")
    ask(lab, lr=0.5)
    assert lab.training.steps == 1 and lab.training.optimizer.lr == 0.5
    ask(lab, seed=3)
    assert lab.training.steps == 0
    expected = MLP(2, [4, 1], "tanh", "tanh", rng=random.Random(3))
    assert [p.data for p in lab.training.optimizer.parameters] == [p.data for p in expected.parameters()]
    assert lab.recording.frames[-1].say.startswith("A 2-4-1 network, 17 parameters, from seed 3; nothing is trained")


def test_a_running_lab_does_not_move_the_learners_controls():
    """A slider on its way to the kernel must not be set back by a picture that was drawn before it came."""
    lab = xor()
    lab.step()
    lab.draw()
    assert controls(lab) == {}
    ask(lab, lr=0.3)
    assert controls(lab) == {}
    ask(lab, "symmetric")
    assert controls(lab) == lab.values and lab.values["lr"] == 1.0


@pytest.mark.parametrize(
    "act", [lambda lab: ask(lab, "symmetric"), lambda lab: lab.begin_with(seed=37, lr=1.0, init="all 0.5")]
)
def test_the_controls_have_moved_before_a_sentence_speaks_of_it(act):
    """Each change of a trait is a message of its own to the page."""
    lab, sent = xor(), []
    lab.observe(lambda change: sent.append((change["name"], change["new"])), ["news", "patch"])
    act(lab)
    (moved, patch), (said, spec), *_ = sent
    assert (moved, said) == ("patch", "news") and "from weights ½" in spec["frames"][0]["say"]
    told = {name: change["value"] for name, change in patch["controls"].items()}
    assert told == lab.values and told["init"] == "all 0.5" and told["lr"] == 1.0
    assert "from seed 0" in patch["say"] and patch["set"] == {}


def finish(lab):
    """Let a run come to its goal, without the event loop."""
    lab.playing = True
    while lab.step():
        pass
    lab.draw()
    return lab.recording.frames[-1].say


@pytest.mark.parametrize(
    ("alike", "changed", "said"),
    [
        (False, {}, True),
        (True, {}, False),
        (False, {"zero_grad": False}, False),
        (False, {"lr": 0.2}, False),
        (False, {"seed": 4}, False),
        (False, {"shows": "gradients"}, True),
    ],
)
def test_another_end_than_in_the_lottery_is_said(alike, changed, said):
    """For as long as it is the same run: not with another learning rate, seed or policy."""
    settings = checked(2, "tanh", "tanh", "uniform", 3, "sum_of_squares", 0.1)
    alone = Training(settings)
    for _ in range(60):
        alone.step()
    lab, right = xor(4, epochs=500), tuple(row is alike for row in alone.right)
    lab.begin_with(Twin(60, right), seed=3, hidden1=2, epochs="60")
    sentence = f"In the lottery {sum(right)} of 4 rows are right for this seed"
    assert "In the lottery" not in lab.recording.frames[-1].say
    ask(lab, **changed)
    text = finish(lab)
    assert lab.training.epochs == 60 and (sentence in text) is said
    if said:
        ask(lab, "reset")
        assert "In the lottery" not in lab.recording.frames[-1].say
        assert sentence in finish(lab), "it is the same run again"


def test_reset_goes_back_to_the_start():
    lab = xor()
    before = lab.recording.frames[-1]
    for _ in range(3):
        ask(lab, "step")
    assert lab.recording.frames[-1].marks != before.marks
    ask(lab, "reset")
    assert lab.recording.frames[-1] == before


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"lr": 0}, "the learning rate is a positive number, got 0.0."),
        ({"lr": "fast"}, "the learning rate needs a real number, got the str 'fast'"),
        ({"lr": math.nan}, "the learning rate is a positive number, got nan."),
        ({"hidden1": 9}, "the size of a hidden layer is a whole number from 0 to 8, got 9."),
        ({"hidden2": 2.5}, "the size of a hidden layer is a whole number, got 2.5."),
        ({"hidden1": None}, "the size of a hidden layer is a whole number, got None."),
        ({"activation": "cube"}, "activation is one of linear, tanh, sigmoid, relu, leaky_relu; got 'cube'."),
        ({"output": ""}, "output is one of linear"),
        ({"init": "zeros"}, "init is one of uniform"),
        ({"seed": -1}, "seed is a whole number of at least 0, got -1."),
        ({"seed": "7"}, "seed is a whole number, got '7'."),
        ({"loss": "abs"}, "loss is one of sum_of_squares"),
        ({"loss": "binary_cross_entropy"}, "binary_cross_entropy needs outputs between 0 and 1, and those of tanh"),
        ({"by": "batch"}, "by is one of epoch, sample; got 'batch'."),
        ({"speed": "warp"}, "speed is one of"),
        ({"epochs": "0"}, "epochs is a whole number of at least 1, got '0'."),
        ({"epochs": "many"}, "epochs is a whole number of at least 1, got 'many'."),
        ({"shows": "biases"}, "shows is one of weights, gradients; got 'biases'."),
        ({"zero_grad": "no"}, "zero_grad is True or False, got the str 'no'."),
    ],
)
def test_bad_input_gets_a_sentence_and_the_last_picture_stays(changed, sentence):
    lab = xor()
    ask(lab, "step")
    before, spec = lab.recording.frames[-1], lab.spec
    ask(lab, **changed)
    assert message(lab).startswith(sentence)
    assert lab.recording.frames[-1] == before and lab.spec is spec
    ask(lab, "step")
    assert message(lab) == "" and lab.training.steps == 2
    (name, value), *_ = changed.items()
    names = {"hidden1": "hidden", "hidden2": "hidden"}
    if not (name == "epochs" and value == "0") and name != "zero_grad":
        with pytest.raises((ValueError, TypeError)):
            xor(**{names.get(name, name): value})


def test_wrong_arguments_leave_nothing_behind():
    before = len(REGISTRY)
    for arguments in ({"hidden": [1, 2, 3]}, {"hidden": 9}, {"epochs": 0}, {"epochs": "x"}, {"zero_grad": 1}):
        with pytest.raises((ValueError, TypeError)):
            xor(**arguments)
    gc.collect()
    assert len(REGISTRY) <= before


# Divergence


@pytest.mark.parametrize(
    "arguments",
    [
        {"activation": "relu", "output": "linear", "lr": 9.0, "hidden": 8},
        {"activation": "linear", "output": "linear", "lr": 5.0},
    ],
)
def test_divergence_stops_with_a_sentence(arguments):
    lab = xor(**arguments, speed="full speed")
    run(lab)
    assert lab.training.epochs < 1000
    assert message(lab).startswith("The run diverged: the loss is ") and "smaller learning rate" in message(lab)
    assert lab.patch["controls"]["play"] == {"label": "Play", "disabled": True}
    assert json.dumps(lab.patch, allow_nan=False)
    pictures.tree(lab.recording.render(lab.recording.frames[-1].marks))
    steps = lab.training.steps
    ask(lab, "step", "play")
    assert lab.training.steps == steps and not lab.runner.running
    ask(lab, "reset", lr=0.01)
    assert message(lab) == "" and lab.patch["controls"]["play"]["disabled"] is False
    ask(lab, "step")
    assert lab.training.steps == 1


def test_a_loss_that_cannot_take_the_outputs_stops_with_its_sentence():
    """A sigmoid so far out that it is 1.0 exactly has no log of 1 - p."""
    lab = xor(output="sigmoid", loss="binary_cross_entropy")
    for p in lab.training.optimizer.parameters:
        p.data = 50.0
    ask(lab, "step")
    assert message(lab).startswith("binary_cross_entropy takes probabilities between 0 and 1")


# Running


def test_nothing_trains_until_a_button_is_pressed():
    async def wait():
        lab = xor()
        ask(lab, lr=0.2)
        ask(lab, "row.2", hidden1=3)
        await asyncio.sleep(0.1)
        assert lab.training.steps == 0 and not lab.runner.running

    asyncio.run(wait())


def test_play_pause_and_go_on():
    async def play():
        lab = xor(epochs=5000, speed="full speed")
        ask(lab, "play")
        assert lab.patch["controls"]["play"]["label"] == "Pause"
        while lab.training.epochs < 20:
            await asyncio.sleep(0.01)
        ask(lab, "play")
        epochs = lab.training.epochs
        assert not lab.runner.running and lab.patch["controls"]["play"]["label"] == "Play"
        assert lab.recording.frames[-1].at == f"epoch {epochs} of 5000 · step {epochs}"
        assert lab.recording.frames[-1].say.startswith(
            f"Paused. The {lab.patch['set']['curve.loss']['text']}".replace("Loss", "loss is")
        )
        await asyncio.sleep(0.1)
        assert lab.training.epochs == epochs, "a pause stops the work"
        ask(lab, "play")
        while lab.training.epochs == epochs:
            await asyncio.sleep(0.01)
        ask(lab, "step")
        assert not lab.runner.running, "a step pauses first"
        ask(lab, "play")
        ask(lab, seed=1)
        assert not lab.runner.running and lab.training.steps == 0, "another seed begins anew, and waits"

    asyncio.run(play())


def test_a_bad_input_does_not_stand_in_the_way_of_a_pause():
    async def play():
        lab = xor()
        ask(lab, "play")
        ask(lab, loss="binary_cross_entropy")
        assert message(lab) and lab.runner.running
        labels = []
        lab.observe(lambda change: labels.append(change["new"]["controls"].get("play", {}).get("label")), "patch")
        ask(lab, "play", loss="binary_cross_entropy")
        assert not lab.runner.running and labels == ["Play", None] and message(lab)

    asyncio.run(play())


def test_a_run_ends_at_its_goal_and_play_goes_on_to_the_next():
    lab = xor(epochs=40, speed="full speed")
    run(lab)
    assert lab.training.epochs == 40 and lab.view.goal == 40
    run(lab)
    assert lab.training.epochs == 80
    mlp = MLP(2, [4, 1], "tanh", "tanh", rng=random.Random(0))
    loop(mlp, losses.sum_of_squares, [0, 1, 1, 0], 0.1, 80)
    assert [p.data for p in lab.training.optimizer.parameters] == [p.data for p in mlp.parameters()]
    assert lab.recording.frames[-1].marks["curve.done"]["width"] == "370.0"


def test_the_loop_is_never_held_for_long():
    """Full speed: other tasks get their turn between slices; the count, not the clock, is what is asserted."""

    async def play():
        lab, turns = xor([8, 8], epochs=100_000, speed="full speed"), 0
        ask(lab, "play")
        while lab.training.epochs < 500:
            before = lab.training.epochs
            await asyncio.sleep(0)
            turns += lab.training.epochs > before
        ask(lab, "play")
        return turns

    assert asyncio.run(play()) >= 2, "500 epochs came in several slices"


def test_a_runner_keeps_to_its_rate():
    async def work():
        done, shown = [], []

        def step():
            done.append(asyncio.get_running_loop().time())
            return len(done) < 6

        runner = Runner(step, lambda: shown.append(len(done)), print, rate=50)
        runner.start()
        while runner.running:
            await asyncio.sleep(0.005)
        return done, shown

    done, shown = asyncio.run(work())
    assert len(done) == 6 and done[-1] - done[0] >= 5 / 50 * 0.9
    assert shown == sorted(set(shown)), "a picture is drawn only when something was done"


def test_closing_stops_the_work():
    async def play():
        lab = xor(speed="full speed", epochs=100_000)
        ask(lab, "play")
        await asyncio.sleep(0.05)
        lab.close()
        training, epochs = lab.training, lab.training.epochs
        await asyncio.sleep(0.1)
        assert training.epochs == epochs

    asyncio.run(play())


def test_a_cell_run_again_cancels_the_old_run(monkeypatch):
    """Several labs of one run of a cell live side by side; the next run of the cell closes them."""

    class Shell:
        run = "1"

        def get_parent(self):
            return {"metadata": {"cellId": "xor"}, "header": {"msg_id": self.run}}

    shell = Shell()
    monkeypatch.setattr("IPython.get_ipython", lambda: shell)

    async def play():
        old, beside = xor(speed="full speed", epochs=100_000), xor(seed=1)
        ask(old, "play")
        await asyncio.sleep(0.05)
        assert old.runner.running and beside.comm is not None
        assert old.training.epochs and not beside.training.epochs, "two labs do not touch each other"
        shell.run = "2"
        new = xor()
        assert not old.runner.running and old.comm is None and beside.comm is None
        assert new.training.steps == 0
        new.close()

    asyncio.run(play())


def test_closed_labs_are_freed():
    gc.collect()
    before = len(REGISTRY)
    gone = []
    for _ in range(3):
        lab = xor()
        ask(lab, "step")
        gone.append(weakref.ref(lab))
        lab.close()
    del lab
    gc.collect()
    assert [ref() for ref in gone] == [None] * 3 and len(REGISTRY) == before


# Text and stills


def test_the_text_mode_says_what_the_picture_shows():
    lab = xor()
    ask(lab, "step")
    text = lab.text()
    for i in range(4):
        assert lab.recording.frames[-1].marks[f"row.{i}"]["aria-label"] in text
    assert "Activations for 0, 1, layer by layer: 0." in text and "Sizes of gradients: layer 1, mean" in text
    assert text.startswith("Epoch 1 of 1000 · step 1. Epoch 1, on all four rows: the loss was 1.6352 before.")


def test_the_still_holds_all_five_drawings():
    picture = xor().recording.picture()
    tree = pictures.tree(picture)
    assert len(list(tree.iter(f"{pictures.SVG}svg"))) == 6
    width, height = int(tree[0].get("width")), int(tree[0].get("height"))
    assert (width, height) == (930, 496)
    for name in ("Outputs", "Output everywhere", "Gradients", "inputs"):
        assert f">{name}<" in picture
    assert 'alt="A 2-4-1 network that is trained on XOR' in xor().html()


def test_nothing_moves_while_it_trains():
    lab = xor()
    before = pictures.tree(lab.recording.render(lab.recording.frames[-1].marks))
    for _ in range(40):
        lab.training.step()
    lab.draw()
    after = pictures.tree(lab.recording.render(lab.recording.frames[-1].marks))
    fixed = ("width", "x", "transform", "rx")
    changed = {
        (part.get("data-key"), name)
        for part, other in zip(before.iter(), after.iter(), strict=True)
        for name in fixed
        if part.get(name) != other.get(name)
    }
    assert changed == {("curve.done", "width")}


@pytest.mark.parametrize(
    ("losses_", "powers"),
    [
        ([1.6, 0.001], [-4, -3, -2, -1, 0, 1]),
        ([0.0, math.nan, math.inf], [-4, -3, -2, -1, 0, 1]),
        ([30.0, 1.0], [-4, -2, 0, 2, 4, 6]),
        ([1e-7, 1.0], [-7, -5, -3, -1, 1, 3]),
        ([1.7e308, 1.0], [-4, 59, 122, 185, 248, 311]),
    ],
)
def test_the_axis_of_the_loss_has_room_for_every_loss(losses_, powers):
    """None is drawn at another place than its own."""
    assert decades(list(enumerate(losses_))) == powers


def test_numbers_that_grow_past_every_float_stay_in_their_boxes():
    """A box has room for 8 characters, the column beside the histogram for 15."""
    lab = xor(8, activation="linear", output="linear", lr=5.0)
    while not lab.training.fault:
        marks = ask(lab, "step")
        boxes = [mark["text"] for key, mark in marks.items() if re.fullmatch(r"net\.(n\d\.\d\.v|t0)", key)]
        assert max(map(len, boxes)) <= 8 and len(boxes) == 12
        assert max(len(marks[f"hist.{i}.mean"]["text"]) for i in (0, 1)) <= 15
        assert all(32 <= float(y) <= 148 for y in re.findall(r",([\d.]+)", marks["curve"]["d"]))
    texts = [marks["net.n1.0.v"]["text"], marks["hist.0.mean"]["text"]]
    assert any("e+" in text or "nan" in text for text in texts)
    assert [short(x) for x in (-1.7e308, 123456.7, -12.3456, math.nan, None, -0.5)] == [
        *("-2e+308", "1.23e+05", "-12.3456", "nan", "–", "-0.5000")
    ]


def test_checked_settings():
    settings = checked([0, 3], "tanh", "linear", "he", 4.0, "hinge", 1)
    assert settings.sizes == [2, 3, 1] and settings.seed == 4 and settings.targets == [-1, 1, 1, -1]
    assert settings.border == 0 and settings.right(0.2, 1) and not settings.right(-0.2, 1)
    training = Training(settings)
    assert training.solved_at is None and not training.known


def bits_of(numbers):
    """Floats as bytes: nan is equal to nan, and -0.0 is not 0.0."""
    return [struct.pack("d", number) for number in numbers]


@pytest.mark.parametrize("zero_grad", [True, False])
@pytest.mark.parametrize(
    "settings",
    [
        ([4], "tanh", "tanh", "uniform", 3, "sum_of_squares", 0.1),
        ([2], "sigmoid", "sigmoid", "xavier", 1, "binary_cross_entropy", 0.5),
        ([3, 2], "relu", "linear", "he", 4, "hinge", 0.1),
        ([4], "relu", "relu", "all 0.5", 0, "mean_squares", 0.1),
        ([4], "tanh", "linear", "uniform", 5, "half_squares", 30.0),  # it diverges
    ],
)
def test_a_recorded_run_is_the_engines_to_the_last_bit(settings, zero_grad):
    recorded, engine = Training(checked(*settings)), Training(checked(*settings))
    for _ in range(150):
        before = recorded.step(zero_grad=zero_grad)
        loss, outputs = engine.a_pass(range(4), zero_grad)
        engine.optimizer.step()
        assert bits_of([before, *recorded.outputs]) == bits_of([loss, *outputs]) or recorded.fault
        for mine, other in zip(recorded.optimizer.parameters, engine.optimizer.parameters):
            assert bits_of([mine.data, mine.grad]) == bits_of([other.data, other.grad])
        if recorded.fault:
            break


def test_a_run_whose_event_loop_has_ended_can_be_started_again():
    """JupyterLab gives a page's messages a thread and a loop of their own, which end when the page is closed."""
    lab = xor(speed="full speed", epochs=100_000)

    async def begin():
        ask(lab, "play")
        await asyncio.sleep(0)

    async def go_on():
        epochs = lab.training.epochs
        ask(lab, "play")
        while lab.training.epochs == epochs:
            await asyncio.sleep(0.01)
        ask(lab, "play")
        assert not lab.runner.running

    loop = asyncio.new_event_loop()
    loop.run_until_complete(begin())
    assert not lab.runner.running, "its loop stands still"
    asyncio.run(go_on())
    for task in asyncio.all_tasks(loop):
        task.cancel()
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()


def test_a_run_is_stopped_from_another_thread():
    """Running a cell again closes the old lab in the kernel's main thread, wherever it works."""

    async def work():
        lab = xor(speed="full speed", epochs=100_000)
        ask(lab, "play")
        await asyncio.sleep(0.05)
        await asyncio.to_thread(lab.runner.stop)
        epochs = lab.training.epochs
        await asyncio.sleep(0.1)
        assert lab.training.epochs == epochs and not lab.runner.running

    asyncio.run(work())


def test_there_is_room_for_every_sentence():
    """So that the picture stands where it stood, whatever is chosen, in an opening, after a step and at the end."""
    lab = xor([8, 8], init="all 0.5", epochs=100, speed="full speed")
    assert lab.spec["room"] == ROOM == xor().spec["room"]
    for presses in ((), ("step",), ("symmetric",), ("step",)):
        ask(lab, *presses)
        assert len(lab.recording.frames[-1].say) <= len(ROOM)
    run(lab)
    assert len(lab.recording.frames[-1].say) <= len(ROOM)
