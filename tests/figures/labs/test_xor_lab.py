"""The XOR lab: what it shows is what the scalar engine does, and it can always be stopped."""

import asyncio
import random

import pytest

from autograd import MLP
from autograd.training import losses
from figures import xor
from figures.labs.xor import WIDEST_TEXT
from figures.page.style import number
from figures.training.run import Training
from figures.training.seeds import Twin
from figures.training.settings import LOSSES, ROWS, checked
from tests.labs import ask, looped, message_after, run, wait_until

FOREVER = {"speed": "full speed", "epochs": 100_000}


def numbers(lab, what="data"):
    """The number, or the gradient, of each parameter of a lab's network, or of a network or a neuron itself."""
    parameters = lab.training.optimizer.parameters if hasattr(lab, "training") else lab.parameters()
    return [getattr(p, what) for p in parameters]


def loop(mlp, lr, epochs, loss=losses.sum_of_squares, targets=(0, 1, 1, 0), zero_grad=True):
    """The four steps of the loop, written out: the loss and the outputs before each epoch."""
    for _ in range(epochs):
        outputs = [mlp(row) for row in ROWS]
        value = loss(outputs, targets)
        if zero_grad:
            mlp.zero_grad()
        value.backward()
        for p in mlp.parameters():
            p.data -= lr * p.grad
        yield [value.data, *(output.data for output in outputs)]


def finish(lab):
    """Let a run come to its goal, without the event loop."""
    lab.playing = True
    while lab.step():
        pass
    lab.draw()
    return lab.recording.frames[-1].say


def test_xor_matches_reference_networks():
    """Source B: tanh 2-4-4-1, U(-1, 1), lr .1, epochs 0, 10, …, 60 to all digits; source A: sigmoid 2-4-1, lr 1."""
    lab, seen = xor([4, 4], seed=0, epochs=100), []
    for _ in range(61):
        seen.append(lab.recording.frames[-1].updates["curve.loss"]["text"])
        ask(lab, "step")
    assert seen[::10] == [f"Loss {x}" for x in ("1.8024", "0.8392", "0.7143", "0.5697", "0.3493", "0.1589", "0.0767")]
    lab = xor(4, "sigmoid", "sigmoid", "fan_in", 42, 1.0)
    assert round(lab.training.total, 6) == 1.067385
    assert finish(lab).startswith("Stopped after 1000 epochs. The loss is 0.0029. All")
    updates = lab.recording.frames[-1].updates
    assert [updates[f"row.{i}.out"]["text"] for i in range(4)] == ["0.0251", "0.9677", "0.9796", "0.0286"]
    assert lab.training.curve.size > 1, "a long run is drawn in pieces"


def test_symmetric_start_stays_symmetric():
    """Weights ½, biases 0, 2-2-1 sigmoid: h1 = h2 for ever; tends to (0, ⅔, ⅔, ⅔) and a loss of .667."""
    lab = xor()
    updates = ask(lab, "symmetric")
    assert [round(float(updates[f"row.{i}.out"]["text"]), 2) for i in range(4)] == [0.62, 0.65, 0.65, 0.68]
    for _ in range(4000):
        lab.training.step()
    lab.draw()
    assert lab.training.outputs == pytest.approx([0, 2 / 3, 2 / 3, 2 / 3], abs=0.02)
    assert lab.training.total == pytest.approx(0.667, abs=0.003)
    h1, h2 = lab.training.mlp.layers[0].neurons
    assert numbers(h1) == numbers(h2)
    words = [lab.recording.frames[-1].updates[f"row.{i}.word"]["text"] for i in range(4)]
    assert words == ["right", "right", "right", "wrong"]


@pytest.mark.parametrize("zero_grad", [True, False])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize(
    ("hidden", "activation", "init"), [([], "tanh", "uniform"), ([3], "relu", "he"), ([4, 2], "tanh", "xavier")]
)
def test_training_matches_the_plain_loop_bit_for_bit(loss, hidden, activation, init, zero_grad):
    lab = xor(hidden, activation, "sigmoid", init, 5, 0.3, loss)
    mlp = MLP(2, [*hidden, 1], activation, "sigmoid", init, random.Random(5))
    targets = [-1, 1, 1, -1] if loss == "hinge" else [0, 1, 1, 0]
    for before in loop(mlp, 0.3, 25, getattr(losses, loss), targets, zero_grad):
        found = lab.training.step(zero_grad=zero_grad)
        assert repr([found, *lab.training.outputs]) == repr(before)
    assert repr(numbers(lab)) == repr(numbers(mlp)) and repr(numbers(lab, "grad")) == repr(numbers(mlp, "grad"))


def test_step_by_sample_updates_from_one_row():
    lab, mlp = xor(by="sample", seed=7), MLP(2, [4, 1], "tanh", "tanh", rng=random.Random(7))
    for i in (0, 1, 2, 3, 0):
        mlp.zero_grad()
        losses.sum_of_squares([mlp(ROWS[i])], [[0, 1, 1, 0][i]]).backward()
        for p in mlp.parameters():
            p.data -= 0.1 * p.grad
        updates = ask(lab, "step")
        assert updates[f"row.{i}"]["aria-pressed"] == "true", "the row of the step is shown in the network"
    assert numbers(lab) == numbers(mlp) and lab.recording.frames[-1].at == "epoch 1 of 1000 · step 5"


def test_network_shows_selected_row_and_weights_or_gradients():
    lab = xor()
    for row, target in enumerate((0, 1, 1, 0)):
        updates = ask(lab, f"row.{row}")
        assert [updates[f"net.n0.{j}.v"]["text"] for j in (0, 1)] == [number(x) for x in ROWS[row]]
        assert updates["net.n2.0.v"] == updates[f"row.{row}.out"] and updates["net.t0"]["text"] == number(target)
    ask(lab, "step", shows="gradients")
    thickest = number(max(map(abs, numbers(lab, "grad"))))
    assert lab.recording.frames[-1].updates["net.max"]["text"] == f"thickest line: |gradient| {thickest}"


def test_new_learning_rate_continues_and_new_seed_restarts():
    lab = xor()
    before = lab.recording.frames[-1]
    ask(lab, "step")
    ask(lab, lr=0.5)
    assert lab.training.steps == 1 and lab.training.optimizer.lr == 0.5
    ask(lab, seed=3)
    assert numbers(lab) == numbers(MLP(2, [4, 1], "tanh", "tanh", rng=random.Random(3))) and lab.training.steps == 0
    ask(lab, "step", seed=0, lr=0.1)
    ask(lab, "reset")
    assert lab.recording.frames[-1] == before


@pytest.mark.parametrize(
    ("alike", "changed", "said"),
    [(False, {}, True), (True, {}, False), (False, {"lr": 0.2}, False), (False, {"shows": "gradients"}, True)],
)
def test_result_that_differs_from_the_lottery_is_reported(alike, changed, said):
    """For as long as it is the same run: not with another learning rate, seed or policy."""
    alone = Training(checked(2, "tanh", "tanh", "uniform", 3, "sum_of_squares", 0.1))
    for _ in range(60):
        alone.step()
    lab, right = xor(4, epochs=500), tuple(row is alike for row in alone.right)
    lab.begin_with(Twin(60, right), seed=3, hidden1=2, epochs="60")
    assert "In the lottery" not in lab.recording.frames[-1].say
    ask(lab, **changed)
    for _ in range(2):  # the second time it is the same run again
        assert (f"In the lottery {sum(right)} of 4 rows are right for this seed" in finish(lab)) is said
        assert lab.training.epochs == 60
        ask(lab, "reset")


def test_loss_outside_its_domain_stops_with_a_message():
    """A sigmoid so far out that it is 1.0 exactly has no log of 1 - p."""
    lab = xor(output="sigmoid", loss="binary_cross_entropy")
    for p in lab.training.optimizer.parameters:
        p.data = 50.0
    assert message_after(lab, "step").startswith("binary_cross_entropy takes probabilities between 0 and 1")


def test_pause_reports_the_current_loss():
    lab = xor(epochs=5000, speed="full speed")
    run(lab, until=lambda lab: lab.training.epochs >= 20, then=("play",))
    frame = lab.recording.frames[-1]
    assert frame.say.startswith(f"Paused. The {frame.updates['curve.loss']['text']}".replace("Loss", "loss is"))


@looped
async def test_event_loop_is_never_blocked_for_long():
    """Full speed: other tasks get their turn between slices; the count, not the clock, is what is asserted."""
    lab, turns = xor([8, 8], **FOREVER), 0
    ask(lab, "play")
    while lab.training.epochs < 500:
        before = lab.training.epochs
        await asyncio.sleep(0)
        turns += lab.training.epochs > before
    assert turns >= 2, "500 epochs came in several slices"


@looped
async def test_run_can_be_stopped_from_another_thread():
    """Running a cell again closes the old lab in the kernel's main thread, wherever it works."""
    lab = xor(**FOREVER)
    ask(lab, "play")
    await wait_until(lambda: lab.training.epochs)
    await asyncio.to_thread(lab.runner.stop)
    epochs = lab.training.epochs
    await asyncio.sleep(0.1)
    assert lab.training.epochs == epochs and not lab.runner.running


def test_run_restarts_after_its_event_loop_ended():
    """JupyterLab gives a page's messages a separate thread and loop, which end when the page is closed."""
    lab, loop = xor(**FOREVER), asyncio.new_event_loop()
    loop.call_soon(ask, lab, "play")
    loop.run_until_complete(asyncio.sleep(0.01))
    assert not lab.runner.running, "its loop stands still"
    epochs = lab.training.epochs
    run(lab, until=lambda lab: lab.training.epochs > epochs)
    for task in asyncio.all_tasks(loop):
        task.cancel()
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()


def test_every_sentence_fits():
    """So that the picture stands where it stood, in an opening and after a step of the largest network."""
    lab = xor([8, 8], init="all 0.5")
    ask(lab, "step")
    assert len(lab.recording.frames[-1].say) <= len(WIDEST_TEXT)
