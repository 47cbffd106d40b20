"""The seed lottery: its networks are the engine's, its outcomes the reference's counts, and its tiles open the lab."""

import asyncio
import random

import numpy as np
import pytest

from autograd import MLP
from autograd.errors.messages import show
from autograd.training import losses
from figures import lottery
from figures.labs.lottery import ROOM, in_words
from figures.training.seeds import SEEDS, Outcome, Race, classes, counts, plateaus
from figures.training.settings import ROWS, checked
from tests import pictures
from tests.figures.labs.test_xor_lab import finish, loop, numbers
from tests.labs import ask, looped, run


def race(*arguments, epochs=0, goal=500):
    """Networks after some epochs."""
    made = Race(checked(*arguments), goal)
    for _ in range(epochs):
        made.step()
    made.look()
    return made


def kinds(race):
    return [outcome.kind for outcome in race.outcomes]


TARGETS = [0, 1, 1, 0]
SOURCE_D = ([4, 4], "relu", "relu", "uniform_zero_bias", 0, "mean_squares", 0.1)


# Outcomes


def test_source_ds_dead_nets():
    """relu everywhere, biases 0, mean squares, lr .1; of 0..39 21 are dead at first, 22 at the end; 14 solve it."""
    start = race(*SOURCE_D, goal=1000)
    assert kinds(start)[:40].count("dead") == 21
    dead = [i for i, kind in enumerate(kinds(start)[:40]) if kind == "dead"]
    assert (start.outputs[dead] == 0).all() and (start.losses[dead] == 0.5).all()
    end = race(*SOURCE_D, epochs=1000, goal=1000)
    assert kinds(end)[:40].count("dead") == 22 and kinds(end)[:40].count("solved") == 14
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
        ([], "tanh", "tanh", 0.1, 500, 0),
    ],
)
def test_xor_by_architecture(hidden, activation, output, lr, epochs, solved):
    """The reference's counts, within 3; every network has one outcome. Those that are stuck are on the plateaus.

    Without a hidden layer nobody solves XOR: all four rows share an output of ½, loss 1.
    """
    end = race(hidden, activation, output, "uniform", 0, "sum_of_squares", lr, epochs=epochs, goal=epochs)
    found = counts(end)
    assert abs(found[Outcome("solved")] - solved) <= 3 * bool(solved) and sum(found.values()) == SEEDS
    for loss, outcome in zip(end.losses, end.outcomes):
        assert outcome.kind != "stuck" or loss == pytest.approx(outcome.plateau, rel=0.05)
    if (hidden, activation) == (2, "relu"):
        assert all(found[Outcome("stuck", p)] >= 5 for p in plateaus(end.settings))
        assert found[Outcome("moving")] == found[Outcome("elsewhere")] == 0
    assert hidden or found[Outcome("stuck", 1.0)] == SEEDS


def test_plateaus_are_where_rows_share_an_output():
    """By brute force: the least loss if some rows are held equal and the others are right."""
    for name in ("sum_of_squares", "mean_squares", "half_squares", "binary_cross_entropy"):
        expected = []
        for together in ({0, 1, 2, 3}, {0, 1, 2}, {0, 1}):
            right = [min(max(target, 1e-12), 1 - 1e-12) for target in TARGETS]
            tries = [[k / 1000 if i in together else right[i] for i in range(4)] for k in range(1, 1000)]
            expected.append(min(getattr(losses, name)(outputs, TARGETS).data for outputs in tries))
        assert plateaus(checked(2, "tanh", "sigmoid", "uniform", 0, name, 0.1)) == pytest.approx(expected, abs=1e-5)
    assert plateaus(checked(2, "tanh", "tanh", "uniform", 0, "sum_of_squares", 0.1)) == pytest.approx([1, 2 / 3, 0.5])
    assert plateaus(checked(2, "tanh", "tanh", "uniform", 0, "hinge", 0.1)) == []


def test_the_symmetric_start_is_the_same_for_all():
    end = race(2, "sigmoid", "sigmoid", "all 0.5", 0, "sum_of_squares", 1.0, epochs=50)
    assert len(set(end.losses.tolist())) == 1


def test_networks_that_diverge_do_not_stop_the_others():
    end = race(4, "leaky_relu", "leaky_relu", "normal", 0, "sum_of_squares", 0.2, epochs=200)
    found = counts(end)
    assert found[Outcome("diverged")] > 0 and found[Outcome("solved")] > 5 and sum(found.values()) == SEEDS
    lost = kinds(end).index("diverged")
    assert end.sentence(lost).startswith(f"Seed {lost}: diverged; loss ")
    growing = race(8, "relu", "linear", "normal", 0, "sum_of_squares", 0.3, epochs=100)
    assert counts(growing)[Outcome("diverged")] == 100 and np.isfinite(growing.losses).all()


def test_cross_entropy_never_leaves_its_domain():
    end = race(4, "tanh", "sigmoid", "uniform", 0, "binary_cross_entropy", 10.0, epochs=300)
    assert np.isfinite(end.losses).all() and ((end.outputs >= 0) & (end.outputs <= 1)).all()
    start = race(4, "tanh", "sigmoid", "uniform", 0, "binary_cross_entropy", 1.0)
    mlp = MLP(2, [4, 1], "tanh", "sigmoid", rng=random.Random(9))
    assert start.losses[9] == pytest.approx(losses.binary_cross_entropy([mlp(r) for r in ROWS], TARGETS).data)


# The lab


@pytest.mark.parametrize("loss", ["sum_of_squares", "mean_squares", "half_squares", "hinge"])
def test_tiles_show_the_engines_losses(loss):
    lab = lottery([3, 2], "tanh", "tanh", loss=loss, epochs=20).lottery
    for _ in range(5):
        lab.step()
    lab.draw()
    marks = lab.recording.frames[-1].marks
    targets = [-1, 1, 1, -1] if loss == "hinge" else TARGETS
    for seed in (0, 17, 99):
        mlp = MLP(2, [3, 2, 1], "tanh", "tanh", rng=random.Random(seed))
        *_, (value, *_) = loop(mlp, 0.1, 6, getattr(losses, loss), targets)  # the loss before the sixth step
        assert f"loss {show(value)}," in marks[f"s{seed}"]["aria-label"]


def test_a_run_fills_the_tiles_and_counts():
    lab = lottery(epochs=500, speed="full speed").lottery
    assert lab.recording.frames[-1].marks["c0.n"]["text"] == "0"
    assert [c["name"] for c in lab.spec["controls"]] == [
        *("play", "reset", "lr", "loss", "hidden1", "hidden2", "activation", "output", "init", "epochs", "speed")
    ]
    run(lab)
    frame = lab.recording.frames[-1]
    found = [int(frame.marks[f"c{i}.n"]["text"]) for i in range(len(classes(lab.race.settings)))]
    assert sum(found) == 100 and abs(found[0] - 77) <= 3
    for i, outcome in enumerate(lab.race.outcomes):
        share = min(1, max(0, 1 - lab.race.losses[i]))
        assert float(frame.marks[f"s{i}.fill"]["height"]) == pytest.approx(38 * share, abs=0.06)
        assert frame.marks[f"s{i}"]["state"].startswith(outcome.kind)
    assert frame.at == "epoch 500 of 500" and frame.say.startswith(f"After 500 epochs: {found[0]} solved, ")
    assert lab.patch["controls"]["play"]["disabled"] is True
    ask(lab, "play")
    assert not lab.runner.running and lab.race.epochs == 500
    ask(lab, "reset")
    assert lab.race.epochs == 0 and lab.patch["controls"]["play"]["disabled"] is False


def test_states_differ_by_more_than_colour():
    """Each outcome has an icon or a text of its own."""
    stage = lottery().lottery.spec["stage"]
    legend = stage[stage.index("Outcomes") :]
    groups = [g for g in pictures.tree(f"<svg>{legend[legend.index('<g ') : legend.rindex('</svg>')]}</svg>").iter("g")]
    looks = [(g.find("path").get("d"), g.find("text").text) for g in groups if g.get("class") == "seed"]
    assert len(looks) == len(set(looks)) == 8


def test_a_tile_opens_its_seed_in_the_xor_lab():
    pair = lottery(2, "relu", "linear", lr=0.05, epochs=300)
    assert pair.html().count("bp-instead") >= 2, "both stand on one page"
    ask(pair.lottery, "seed.42")
    trainer = pair.trainer
    assert trainer.training.settings == checked(2, "relu", "linear", "uniform", 42, "sum_of_squares", 0.05)
    assert numbers(trainer) == numbers(MLP(2, [2, 1], "relu", "linear", rng=random.Random(42)))
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
        said = f"In the lottery {sum(tile)} of 4 rows are right for this seed"
        assert (said in finish(trainer)) is (tile != trainer.training.right)


@looped
async def test_a_tile_stops_the_run_below():
    pair = lottery()
    ask(pair.trainer, "play")
    await asyncio.sleep(0.05)
    ask(pair.lottery, "seed.3")
    assert not pair.trainer.runner.running and pair.trainer.training.steps == 0
    pair.close()


def test_a_pause_says_how_many_came_to_each_outcome():
    lab = lottery(epochs=20_000, speed="full speed").lottery
    run(lab, until=lambda lab: lab.race.epochs >= 20, then=("play",))
    marks = lab.recording.frames[-1].marks
    found = [(marks[f"c{i}.n"]["text"], name) for i, (_, name) in enumerate(classes(lab.race.settings))]
    words = ", ".join(f"{n} {name}" for n, name in found if n != "0")
    assert lab.recording.frames[-1].say == f"Paused after {lab.race.epochs} epochs: {words}."


def test_the_tiles_are_buttons_of_which_one_has_the_focus():
    pair = lottery(loss="hinge")
    for changed in ({}, {"loss": "binary_cross_entropy", "output": "sigmoid"}, {"hidden1": 0}):
        marks = ask(pair.lottery, **changed)
        assert pictures.parts(pair.lottery.spec["stage"]).keys() == marks.keys()
    parts = pictures.parts(pair.lottery.recording.render(marks))
    buttons = [part for key, part in parts.items() if part.get("data-press")]
    assert [b.get("tabindex") for b in buttons] == ["0"] + ["-1"] * 99
    assert all(b.get("role") == "button" and b.get("aria-label") for b in buttons)


def test_there_is_room_for_every_sentence():
    """So that the tiles stand where they stood, also at an end with every outcome."""
    race = Race(checked(2, *SOURCE_D[1:]), 20_000)
    race.epochs = 20_000
    race.outcomes = [outcome for outcome, _ in classes(race.settings) for _ in range(12)]
    assert len(f"After {race.epochs} epochs: {in_words(race)}. Press a tile to look inside.") == len(ROOM)
