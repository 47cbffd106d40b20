"""The seed lottery: its networks are the engine's, its outcomes the reference's counts, and its tiles open the lab."""

import asyncio
import gc
import json
import math
import random
import weakref

import numpy as np
import pytest
from ipywidgets.widgets.widget import _instances as REGISTRY

from autograd import MLP, losses
from autograd.messages import show
from figures import lottery
from figures.labs.lottery import ROOM, in_words
from figures.training.seeds import SEEDS, Outcome, Race, classes, counts, plateaus
from figures.training.settings import ROWS, checked
from tests import pictures


def ask(lab, *presses, **changed):
    """What the browser sends after a change of controls, or presses; then the lab's marks."""
    lab.request = {"values": {**lab.values, **changed}, "presses": list(presses), "number": lab.reply + 1}
    assert lab.reply == lab.request["number"]
    return lab.recording.frames[-1].marks


def run(lab, seconds=30.0):
    """Press Play and let the event loop go on until the run is at its end."""

    async def play():
        ask(lab, "play")
        assert lab.patch["controls"]["play"]["label"] == "Pause"
        async with asyncio.timeout(seconds):
            while lab.runner.running:
                await asyncio.sleep(0.01)

    asyncio.run(play())


def race(*arguments, epochs=0, goal=500):
    """Networks after some epochs."""
    made = Race(checked(*arguments), goal)
    for _ in range(epochs):
        made.step()
    made.look()
    return made


def kinds(outcomes):
    return [outcome.kind for outcome in outcomes]


SOURCE_D = ([4, 4], "relu", "relu", "uniform_zero_bias", 0, "mean_squares", 0.1)


# Outcomes


def test_source_ds_dead_nets():
    """relu everywhere, biases 0, mean squares, lr .1; of 0..39 21 are dead at first, 22 at the end; 14 solve it."""
    start = race(*SOURCE_D, goal=1000)
    assert kinds(start.outcomes[:40]).count("dead") == 21
    dead = [i for i in range(40) if start.outcomes[i].kind == "dead"]
    assert (start.outputs[dead] == 0).all() and (start.losses[dead] == 0.5).all()
    end = race(*SOURCE_D, epochs=1000, goal=1000)
    assert kinds(end.outcomes[:40]).count("dead") == 22 and kinds(end.outcomes[:40]).count("solved") == 14
    assert (
        end.sentence(dead[0]) == f"Seed {dead[0]}: dead, no parameter gets a gradient; loss 0.5000, 2 of 4 rows right."
    )


@pytest.mark.parametrize(
    ("hidden", "activation", "output", "lr", "epochs", "solved"),
    [
        (2, "tanh", "tanh", 0.1, 500, 77),
        (4, "tanh", "tanh", 0.1, 500, 100),
        (2, "relu", "linear", 0.05, 300, 22),
        (4, "relu", "linear", 0.05, 300, 65),
        (8, "relu", "linear", 0.05, 300, 90),
    ],
)
def test_xor_by_architecture(hidden, activation, output, lr, epochs, solved):
    """The reference's counts, within 3; and every network has one outcome."""
    end = race(hidden, activation, output, "uniform", 0, "sum_of_squares", lr, epochs=epochs, goal=epochs)
    found = counts(end)
    assert abs(found[Outcome("solved")] - solved) <= 3
    assert sum(found.values()) == SEEDS


def test_plateaus_are_where_rows_share_an_output():
    """By brute force: the least loss if some rows are held equal and the others are right."""

    def best(loss, together):
        targets = [0, 1, 1, 0]
        found = []
        for k in range(1, 1000):
            p = k / 1000
            outputs = [p if i in together else min(max(t, 1e-12), 1 - 1e-12) for i, t in enumerate(targets)]
            found.append(getattr(losses, loss)(outputs, targets).data)
        return min(found)

    for loss in ("sum_of_squares", "mean_squares", "half_squares", "binary_cross_entropy"):
        settings = checked(2, "tanh", "sigmoid", "uniform", 0, loss, 0.1)
        expected = [best(loss, together) for together in ({0, 1, 2, 3}, {0, 1, 2}, {0, 1})]
        assert plateaus(settings) == pytest.approx(expected, abs=1e-5)
    assert [show(p) for p in plateaus(checked(2, "tanh", "tanh", "uniform", 0, "sum_of_squares", 0.1))] == [
        *("1.0000", "0.6667", "0.5000")
    ]
    assert plateaus(checked(2, "tanh", "tanh", "uniform", 0, "hinge", 0.1)) == []


def test_networks_get_stuck_on_the_plateaus():
    end = race(2, "relu", "linear", "uniform", 0, "sum_of_squares", 0.05, epochs=300, goal=300)
    for i, outcome in enumerate(end.outcomes):
        if outcome.kind == "stuck":
            assert end.losses[i] == pytest.approx(outcome.plateau, rel=0.05)
    found = counts(end)
    assert all(found[Outcome("stuck", p)] >= 5 for p in plateaus(end.settings))
    assert found[Outcome("moving")] == found[Outcome("elsewhere")] == 0


def test_one_neuron_cannot():
    """Without a hidden layer nobody solves XOR: all four rows share an output of ½, loss 1."""
    end = race([], "tanh", "tanh", "uniform", 0, "sum_of_squares", 0.1, epochs=500)
    assert counts(end)[Outcome("solved")] == 0
    assert counts(end)[Outcome("stuck", 1.0)] == 100


def test_the_symmetric_start_is_the_same_for_all():
    end = race(2, "sigmoid", "sigmoid", "all 0.5", 0, "sum_of_squares", 1.0, epochs=50)
    assert len(set(end.losses.tolist())) == 1


def test_networks_that_diverge_do_not_stop_the_others():
    end = race(4, "leaky_relu", "leaky_relu", "normal", 0, "sum_of_squares", 0.2, epochs=200)
    found = counts(end)
    assert found[Outcome("diverged")] > 0 and found[Outcome("solved")] > 5 and sum(found.values()) == SEEDS
    lost = kinds(end.outcomes).index("diverged")
    assert end.sentence(lost).startswith(f"Seed {lost}: diverged; loss ")
    growing = race(8, "relu", "linear", "normal", 0, "sum_of_squares", 0.3, epochs=100)
    assert counts(growing)[Outcome("diverged")] == 100 and np.isfinite(growing.losses).all()


def test_cross_entropy_never_leaves_its_domain():
    end = race(4, "tanh", "sigmoid", "uniform", 0, "binary_cross_entropy", 10.0, epochs=300)
    assert np.isfinite(end.losses).all() and ((end.outputs >= 0) & (end.outputs <= 1)).all()
    start = race(4, "tanh", "sigmoid", "uniform", 0, "binary_cross_entropy", 1.0)
    mlp = MLP(2, [4, 1], "tanh", "sigmoid", rng=random.Random(9))
    assert start.losses[9] == pytest.approx(losses.binary_cross_entropy([mlp(r) for r in ROWS], [0, 1, 1, 0]).data)


# The lab


@pytest.mark.parametrize("loss", ["sum_of_squares", "mean_squares", "half_squares", "hinge"])
def test_tiles_show_the_engines_losses(loss):
    lab = lottery([3, 2], "tanh", "tanh", loss=loss, epochs=20).lottery
    for _ in range(5):
        lab.step()
    lab.draw()
    marks = lab.recording.frames[-1].marks
    for seed in (0, 17, 99):
        mlp = MLP(2, [3, 2, 1], "tanh", "tanh", rng=random.Random(seed))
        targets = [-1, 1, 1, -1] if loss == "hinge" else [0, 1, 1, 0]
        for _ in range(5):
            value = getattr(losses, loss)([mlp(row) for row in ROWS], targets)
            mlp.zero_grad()
            value.backward()
            for p in mlp.parameters():
                p.data -= 0.1 * p.grad
        value = getattr(losses, loss)([mlp(row) for row in ROWS], targets).data
        assert f"loss {show(value)}," in marks[f"s{seed}"]["aria-label"]


def test_a_run_fills_the_tiles_and_counts():
    pair = lottery(epochs=500, speed="full speed")
    lab = pair.lottery
    assert lab.recording.frames[-1].marks["c0.n"]["text"] == "0"
    assert [c["name"] for c in lab.spec["controls"]] == [
        *("play", "reset", "lr", "loss", "hidden1", "hidden2", "activation", "output", "init", "epochs", "speed")
    ]
    run(lab)
    marks = lab.recording.frames[-1].marks
    numbers = [int(marks[f"c{i}.n"]["text"]) for i in range(len(classes(lab.race.settings)))]
    assert sum(numbers) == 100 and abs(numbers[0] - 77) <= 3
    for i, outcome in enumerate(lab.race.outcomes):
        share = min(1, max(0, 1 - lab.race.losses[i]))
        assert float(marks[f"s{i}.fill"]["height"]) == pytest.approx(38 * share, abs=0.06)
        assert marks[f"s{i}"]["state"].startswith(outcome.kind)
    assert lab.recording.frames[-1].at == "epoch 500 of 500"
    assert lab.recording.frames[-1].say.startswith(f"After 500 epochs: {numbers[0]} solved, ")
    assert lab.patch["controls"]["play"]["disabled"] is True
    ask(lab, "play")
    assert not lab.runner.running and lab.race.epochs == 500
    ask(lab, "reset")
    assert lab.race.epochs == 0 and lab.patch["controls"]["play"]["disabled"] is False
    pair.close()


def test_states_differ_by_more_than_colour():
    """Each outcome has an icon or a text of its own."""
    stage = lottery().lottery.spec["stage"]
    legend = stage[stage.index("Outcomes") :]
    groups = [g for g in pictures.tree(f"<svg>{legend[legend.index('<g ') : legend.rindex('</svg>')]}</svg>").iter("g")]
    looks = [(g.find("path").get("d"), g.find("text").text) for g in groups if g.get("class") == "seed"]
    assert len(looks) == len(set(looks)) == 8


def test_a_tile_opens_its_seed_in_the_xor_lab():
    pair = lottery(2, "relu", "linear", lr=0.05, epochs=300)
    ask(pair.lottery, "seed.42")
    trainer = pair.trainer
    assert trainer.training.settings == checked(2, "relu", "linear", "uniform", 42, "sum_of_squares", 0.05)
    expected = MLP(2, [2, 1], "relu", "linear", rng=random.Random(42))
    assert [p.data for p in trainer.training.optimizer.parameters] == [p.data for p in expected.parameters()]
    assert trainer.training.steps == 0 and trainer.view.goal == 300
    assert trainer.patch["controls"]["seed"] == {"value": 42}
    marks = pair.lottery.recording.frames[-1].marks
    assert [i for i in range(100) if marks[f"s{i}"]["aria-pressed"] == "true"] == [42]
    assert pair.lottery.recording.frames[-1].say.startswith("Seed 42: not solved yet; loss ")
    ask(trainer, "step")
    assert trainer.training.steps == 1
    ask(pair.lottery, "seed.7", "seed.8")
    assert trainer.training.settings.seed == 8 and trainer.training.steps == 0
    ask(pair.lottery, "seed.100", "seed.-1", "seed.x", "nothing")
    assert trainer.training.settings.seed == 8


def test_where_the_lab_ends_otherwise_than_the_tile_it_says_so():
    """Seed 89 of these settings is one where rounding decides: whether the two differ, the lab knows."""
    pair = lottery(4, lr=0.6, epochs=200)
    while pair.lottery.step():
        pass
    for seed in (89, 0, 1):
        ask(pair.lottery, f"seed.{seed}")
        tile = pair.lottery.race.right[seed].tolist()
        trainer = pair.trainer
        assert (trainer.values["seed"], trainer.values["by"], trainer.values["zero_grad"]) == (seed, "epoch", True)
        trainer.playing = True
        while trainer.step():
            pass
        trainer.draw()
        differs = tile != trainer.training.right
        said = trainer.recording.frames[-1].say
        assert (f"In the lottery {sum(tile)} of 4 rows are right for this seed" in said) is differs


def test_a_tile_stops_the_run_below():
    async def play():
        pair = lottery()
        ask(pair.trainer, "play")
        await asyncio.sleep(0.05)
        ask(pair.lottery, "seed.3")
        assert not pair.trainer.runner.running and pair.trainer.training.steps == 0
        pair.close()

    asyncio.run(play())


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"lr": -1}, "the learning rate is a positive number, got -1.0."),
        ({"lr": None}, "the learning rate needs a real number, got None"),
        ({"hidden1": 100}, "the size of a hidden layer is a whole number from 0 to 8, got 100."),
        ({"hidden2": "x"}, "the size of a hidden layer is a whole number, got 'x'."),
        ({"activation": "exp"}, "activation is one of"),
        ({"output": 3}, "output is one of"),
        ({"init": None}, "init is one of"),
        ({"loss": "binary_cross_entropy"}, "binary_cross_entropy needs outputs between 0 and 1"),
        ({"epochs": "-3"}, "epochs is a whole number of at least 1"),
        ({"speed": ""}, "speed is one of"),
    ],
)
def test_bad_input_gets_a_sentence_and_the_last_picture_stays(changed, sentence):
    lab = lottery().lottery
    lab.step()
    lab.draw()
    before, spec = lab.recording.frames[-1], lab.spec
    ask(lab, **changed)
    assert lab.patch["message"].startswith(sentence)
    assert lab.recording.frames[-1] == before and lab.spec is spec and lab.race.epochs == 1
    marks = ask(lab, activation="sigmoid")
    assert lab.patch["message"] == "" and lab.race.epochs == 0 and marks != before.marks


def test_pause_lands_and_bad_input_does_not_stand_in_its_way():
    async def play():
        lab = lottery(epochs=20_000, speed="full speed").lottery
        ask(lab, "play")
        while lab.race.epochs < 20:
            await asyncio.sleep(0.01)
        ask(lab, loss="binary_cross_entropy")
        assert lab.runner.running and lab.patch["message"]
        labels = []
        lab.observe(lambda change: labels.append(change["new"]["controls"].get("play", {}).get("label")), "patch")
        ask(lab, "play", loss="binary_cross_entropy")
        epochs = lab.race.epochs
        words = ", ".join(
            f"{n} {name}"
            for i, (_, name) in enumerate(classes(lab.race.settings))
            if (n := lab.patch["set"][f"c{i}.n"]["text"]) != "0"
        )
        assert lab.recording.frames[-1].say == f"Paused after {epochs} epochs: {words}."
        assert not lab.runner.running and labels == ["Play", None] and lab.patch["message"]
        await asyncio.sleep(0.1)
        assert lab.race.epochs == epochs
        ask(lab, "play")
        assert lab.runner.running
        ask(lab, hidden1=4)
        assert not lab.runner.running and lab.race.epochs == 0
        await asyncio.sleep(0.05)
        assert lab.race.epochs == 0, "nothing trains until a button is pressed"

    asyncio.run(play())


def test_marks_fit_the_stage_and_json():
    pair = lottery(loss="hinge")
    for changed in ({}, {"loss": "binary_cross_entropy", "output": "sigmoid"}, {"hidden1": 0}):
        marks = ask(pair.lottery, **changed)
        assert pictures.parts(pair.lottery.spec["stage"]).keys() == marks.keys()
        assert json.dumps(pair.lottery.patch, allow_nan=False)
    parts = pictures.parts(pair.lottery.recording.render(marks))
    buttons = [part for key, part in parts.items() if part.get("data-press")]
    assert [b.get("tabindex") for b in buttons] == ["0"] + ["-1"] * 99
    assert all(b.get("role") == "button" and b.get("aria-label") for b in buttons)


def test_there_is_room_for_every_sentence():
    """So that the tiles stand where they stood in an opening, in play, and at the end."""
    lab = lottery([8, 8], activation="relu", output="relu", init="normal", lr=0.3, epochs=20).lottery
    assert lab.spec["room"] == ROOM
    said = {lab.said}
    for presses in (("seed.99",), ("reset",)):
        ask(lab, *presses)
        said.add(lab.said)
    run(lab)
    said.add(lab.said)
    every = Race(checked(2, *SOURCE_D[1:]), 20_000)
    every.epochs = 20_000
    every.outcomes = [outcome for outcome, _ in classes(every.settings) for _ in range(12)]
    said.add(f"After {every.epochs} epochs: {in_words(every)}. Press a tile to look inside.")
    assert len(said) == 4 and max(map(len, said)) == len(ROOM)


def test_text_and_still():
    pair = lottery()
    text = pair.text()
    assert text.startswith("Epoch 0 of 500. 100 networks of shape 2-2-1, alike but for the seed")
    assert text.count("\nSeed ") == 100 and "Row 1, 1: target 0, output" in text
    bundle = pair._repr_mimebundle_()
    bundle = bundle[0] if isinstance(bundle, tuple) else bundle
    assert bundle["text/plain"] == text and bundle["text/html"].count("bp-instead") >= 2
    pictures.tree(pair.lottery.recording.picture())


def test_closed_labs_are_freed():
    gc.collect()
    before, gone = len(REGISTRY), []
    for _ in range(2):
        pair = lottery()
        ask(pair.lottery, "seed.5")
        gone += [weakref.ref(part) for part in (pair, pair.lottery, pair.trainer)]
        pair.close()
    del pair
    gc.collect()
    assert [ref() for ref in gone] == [None] * 6 and len(REGISTRY) == before


@pytest.mark.parametrize(
    "arguments",
    [{"hidden": 9}, {"hidden": [1, 2, 3]}, {"loss": "x"}, {"lr": math.inf}, {"epochs": 1.5}, {"speed": 3}],
)
def test_wrong_arguments_leave_nothing_behind(arguments):
    gc.collect()
    before = len(REGISTRY)
    with pytest.raises((ValueError, TypeError)):
        lottery(**arguments)
    gc.collect()
    assert len(REGISTRY) <= before
