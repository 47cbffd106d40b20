"""The XOR lab: what it shows is what the scalar engine does, it runs in slices, and it can always be stopped."""

import asyncio
import random

import pytest

from autograd import MLP
from autograd.errors.messages import show
from autograd.training import losses
from figures import xor
from figures.labs.xor import ROOM
from figures.page.runner import Runner
from figures.training.run import Training
from figures.training.seeds import Twin
from figures.training.settings import LOSSES, ROWS, checked
from tests import pictures
from tests.labs import ask, looped, message, moved, run, told, wait_until

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


def trained(steps, **arguments):
    """A lab after some steps, without an event loop; each step's picture is not drawn."""
    lab = xor(**arguments)
    for _ in range(steps):
        lab.training.step()
    lab.draw()
    return lab


# Reference numbers


def test_textbooks_network_from_seed_0():
    """Source B: tanh 2-4-4-1, U(-1, 1), lr .1, sum of squares, at epochs 0, 10, …, 60 to all digits."""
    lab, seen = xor([4, 4], seed=0, epochs=100), []
    for _ in range(61):
        seen.append(lab.recording.frames[-1].marks["curve.loss"]["text"])
        ask(lab, "step")
    assert seen[::10] == [f"Loss {x}" for x in ("1.8024", "0.8392", "0.7143", "0.5697", "0.3493", "0.1589", "0.0767")]


def test_guides_network_from_seed_42():
    """Source A: sigmoid 2-4-1, fan_in, lr 1, sum of squares; by Play, 1000 epochs."""
    lab = xor(4, "sigmoid", "sigmoid", "fan_in", 42, 1.0, speed="full speed")
    assert round(lab.training.total, 6) == 1.067385
    run(lab)
    seen = [loss for epoch, loss in lab.training.curve.points() if epoch % 100 < lab.training.curve.size]
    assert lab.training.curve.size > 1 and len(seen) >= 10, "a long run is drawn in pieces"
    marks = lab.recording.frames[-1].marks
    assert [marks[f"row.{i}.out"]["text"] for i in range(4)] == ["0.0251", "0.9677", "0.9796", "0.0286"]
    assert lab.text().startswith("Epoch 1000 of 1000 · step 1000. Stopped after 1000 epochs. The loss is 0.0029. All")


def test_symmetric_start():
    """Weights ½, biases 0, 2-2-1 sigmoid: h1 = h2 for ever; tends to (0, ⅔, ⅔, ⅔) and a loss of .667."""
    lab = xor()
    marks = ask(lab, "symmetric")
    assert [round(float(marks[f"row.{i}.out"]["text"]), 2) for i in range(4)] == [0.62, 0.65, 0.65, 0.68]
    settings = {"hidden1": 2, "hidden2": 0, "activation": "sigmoid", "output": "sigmoid", "init": "all 0.5", "lr": 1.0}
    assert moved(lab) == settings | {"loss": "sum_of_squares"} and lab.values.items() >= moved(lab).items()
    marks = ask(lab, "row.0")
    assert [marks[f"net.n1.{j}.v"]["text"] for j in (0, 1)] == ["0.5000", "0.5000"]
    for _ in range(4000):
        lab.training.step()
    lab.draw()
    marks = lab.recording.frames[-1].marks
    outputs = [float(marks[f"row.{i}.out"]["text"]) for i in range(4)]
    assert outputs == pytest.approx([0, 2 / 3, 2 / 3, 2 / 3], abs=0.02)
    assert lab.training.total == pytest.approx(0.667, abs=0.003)
    h1, h2 = lab.training.mlp.layers[0].neurons
    assert numbers(h1) == numbers(h2)
    assert [marks[f"row.{i}.word"]["text"] for i in range(4)] == ["right", "right", "right", "wrong"]


# The engine


@pytest.mark.parametrize("zero_grad", [True, False])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize(
    ("hidden", "activation", "init"), [([], "tanh", "uniform"), ([3], "relu", "he"), ([4, 2], "tanh", "xavier")]
)
def test_training_is_the_four_steps_of_the_loop_to_the_last_bit(loss, hidden, activation, init, zero_grad):
    lab = xor(hidden, activation, "sigmoid", init, 5, 0.3, loss)
    mlp = MLP(2, [*hidden, 1], activation, "sigmoid", init, random.Random(5))
    targets = [-1, 1, 1, -1] if loss == "hinge" else [0, 1, 1, 0]
    for before in loop(mlp, 0.3, 25, getattr(losses, loss), targets, zero_grad):
        found = lab.training.step(zero_grad=zero_grad)
        assert repr([found, *lab.training.outputs]) == repr(before)
    assert repr(numbers(lab)) == repr(numbers(mlp)) and repr(numbers(lab, "grad")) == repr(numbers(mlp, "grad"))
    lab.draw()
    marks = lab.recording.frames[-1].marks
    assert marks["net.t0"]["text"] == "1.0000"
    assert marks["curve.loss"]["text"] == f"Loss {show(next(loop(mlp, 0, 1, getattr(losses, loss), targets))[0])}"


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
    assert numbers(lab) == numbers(mlp)
    frame = lab.recording.frames[-1]
    assert frame.at == "epoch 1 of 1000 · step 5"
    assert frame.say.startswith("Step 5, on the row 0, 0 alone: its loss was ")


def test_without_zero_grad_gradients_really_add_up():
    with_zero, without = xor(lr=1e-12), xor(lr=1e-12, zero_grad=False)
    for lab in (with_zero, without) * 3:
        ask(lab, "step")
    assert numbers(without, "grad") == pytest.approx([3 * grad for grad in numbers(with_zero, "grad")], rel=1e-6)
    ask(without, "step", zero_grad=True)
    assert numbers(without, "grad") == pytest.approx(numbers(with_zero, "grad"), rel=1e-6), "it acts on the next step"


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
    assert marks["net.max"]["text"] == f"thickest line: |gradient| {show(max(map(abs, numbers(lab, 'grad'))))}"


# Every setting


def test_a_change_of_the_learning_rate_goes_on_and_a_change_of_the_seed_begins_anew():
    """A slider on its way to the kernel is never set back by a picture that was drawn before it came."""
    lab = xor()
    before = lab.recording.frames[-1]
    ask(lab, "step")
    said = "Epoch 1, on all four rows: the loss was 1.6352 before."
    assert lab.text().startswith(f"Epoch 1 of 1000 · step 1. {said}")
    ask(lab, lr=0.5)
    assert lab.training.steps == 1 and lab.training.optimizer.lr == 0.5 and moved(lab) == {}
    ask(lab, seed=3)
    assert lab.training.steps == 0 and moved(lab) == {}
    assert numbers(lab) == numbers(MLP(2, [4, 1], "tanh", "tanh", rng=random.Random(3)))
    assert lab.recording.frames[-1].say.startswith("A 2-4-1 network, 17 parameters, from seed 3; not trained")
    assert ask(lab, "step", seed=0, lr=0.1) != before.marks
    ask(lab, "reset")
    assert lab.recording.frames[-1] == before


@pytest.mark.parametrize(
    "act", [lambda lab: ask(lab, "symmetric"), lambda lab: lab.begin_with(seed=37, lr=1.0, init="all 0.5")]
)
def test_the_controls_have_moved_before_a_sentence_speaks_of_it(act):
    """Each change of a trait is a message of its own to the page."""
    lab, sent = xor(), []
    lab.observe(lambda change: sent.append((change["name"], change["new"])), ["news", "patch"])
    act(lab)
    (first, patch), (said, spec), *_ = sent
    assert (first, said) == ("patch", "news") and "from weights ½" in spec["frames"][0]["say"]
    controls = {name: change["value"] for name, change in patch["controls"].items()}
    assert lab.values.items() >= controls.items() and controls["init"] == "all 0.5" and controls["lr"] == 1.0
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
    alone = Training(checked(2, "tanh", "tanh", "uniform", 3, "sum_of_squares", 0.1))
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


def test_each_control_the_lesson_needs():
    controls = {control.name: control for control in xor().controls}
    assert list(controls) == [
        *("play", "step", "reset", "symmetric", "lr", "seed", "hidden1", "hidden2", "activation", "output", "init"),
        *("loss", "speed", "by", "epochs", "shows", "zero_grad"),
    ]
    assert controls["lr"].log and controls["zero_grad"].kind == "toggle" and xor().spec["title"] == "Training on XOR"


def test_nothing_moves_while_it_trains():
    """Of all that says where a part stands only how much of the curve is done."""
    before, after = (
        pictures.tree(lab.recording.render(lab.recording.frames[-1].marks)) for lab in (xor(), trained(40))
    )
    changed = {
        (part.get("data-key"), name)
        for part, other in zip(before.iter(), after.iter(), strict=True)
        for name in ("width", "x", "transform", "rx")
        if part.get(name) != other.get(name)
    }
    assert changed == {("curve.done", "width")}


# Divergence


def test_divergence_stops_with_a_sentence():
    lab = xor(8, activation="relu", output="linear", lr=9.0, speed="full speed")
    run(lab)
    steps = lab.training.steps
    assert lab.training.epochs < 1000
    assert message(lab).startswith("The run diverged: the loss is ") and "smaller learning rate" in message(lab)
    assert lab.patch["controls"]["play"] == {"label": "Play", "disabled": True}
    pictures.tree(lab.recording.render(lab.recording.frames[-1].marks))
    ask(lab, "step", "play")
    assert lab.training.steps == steps and not lab.runner.running
    assert told(lab, "reset", lr=0.01) == "" and lab.patch["controls"]["play"]["disabled"] is False
    ask(lab, "step")
    assert lab.training.steps == 1


def test_a_loss_that_cannot_take_the_outputs_stops_with_its_sentence():
    """A sigmoid so far out that it is 1.0 exactly has no log of 1 - p."""
    lab = xor(output="sigmoid", loss="binary_cross_entropy")
    for p in lab.training.optimizer.parameters:
        p.data = 50.0
    assert told(lab, "step").startswith("binary_cross_entropy takes probabilities between 0 and 1")


# Running


def test_a_pause_says_what_stands_and_play_goes_on():
    lab = xor(epochs=5000, speed="full speed")
    run(lab, until=lambda lab: lab.training.epochs >= 20, then=("play",))
    epochs, frame = lab.training.epochs, lab.recording.frames[-1]
    assert frame.at == f"epoch {epochs} of 5000 · step {epochs}"
    assert frame.say.startswith(f"Paused. The {frame.marks['curve.loss']['text']}".replace("Loss", "loss is"))
    run(lab, until=lambda lab: lab.training.epochs > epochs)


def test_a_run_ends_at_its_goal_and_play_goes_on_to_the_next():
    lab, mlp = xor(epochs=40, speed="full speed"), MLP(2, [4, 1], "tanh", "tanh", rng=random.Random(0))
    for goal in (40, 80):
        run(lab)
        assert lab.training.epochs == lab.view.goal == goal
    assert len(list(loop(mlp, 0.1, 80))) == 80
    assert numbers(lab) == numbers(mlp)
    assert lab.recording.frames[-1].marks["curve.done"]["width"] == "370.0"


@looped
async def test_the_loop_is_never_held_for_long():
    """Full speed: other tasks get their turn between slices; the count, not the clock, is what is asserted."""
    lab, turns = xor([8, 8], **FOREVER), 0
    ask(lab, "play")
    while lab.training.epochs < 500:
        before = lab.training.epochs
        await asyncio.sleep(0)
        turns += lab.training.epochs > before
    assert turns >= 2, "500 epochs came in several slices"


@looped
async def test_a_runner_keeps_to_its_rate():
    done, drawn = [], []

    def step():
        done.append(asyncio.get_running_loop().time())
        return len(done) < 6

    runner = Runner(step, lambda: drawn.append(len(done)), print, rate=50)
    runner.start()
    await wait_until(lambda: not runner.running)
    assert len(done) == 6 and done[-1] - done[0] >= 5 / 50 * 0.9
    assert drawn == sorted(set(drawn)), "a picture is drawn only when something was done"


@looped
async def test_a_run_is_stopped_from_another_thread():
    """Running a cell again closes the old lab in the kernel's main thread, wherever it works."""
    lab = xor(**FOREVER)
    ask(lab, "play")
    await wait_until(lambda: lab.training.epochs)
    await asyncio.to_thread(lab.runner.stop)
    epochs = lab.training.epochs
    await asyncio.sleep(0.1)
    assert lab.training.epochs == epochs and not lab.runner.running


def test_checked_settings():
    settings = checked([0, 3], "tanh", "linear", "he", 4.0, "hinge", 1)
    assert settings.sizes == [2, 3, 1] and settings.seed == 4 and settings.targets == [-1, 1, 1, -1]
    assert settings.border == 0 and settings.right(0.2, 1) and not settings.right(-0.2, 1)


def test_a_run_whose_event_loop_has_ended_can_be_started_again():
    """JupyterLab gives a page's messages a thread and a loop of their own, which end when the page is closed."""
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


def test_there_is_room_for_every_sentence():
    """So that the picture stands where it stood, in an opening and after a step of the largest network."""
    lab = xor([8, 8], init="all 0.5")
    for presses in ((), ("step",)):
        ask(lab, *presses)
        assert len(lab.recording.frames[-1].say) <= len(ROOM)
