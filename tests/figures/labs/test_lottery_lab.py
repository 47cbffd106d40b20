"""The seed lottery: its tiles show the engine's losses and open the lab; training/test_seeds.py holds its outcomes."""

import random

import pytest

from autograd import MLP
from autograd.errors.messages import show
from autograd.training import losses
from figures import lottery
from figures.training.seeds import classes
from figures.training.settings import checked
from tests.figures.labs.test_xor_lab import finish, loop, numbers
from tests.labs import ask, run


@pytest.mark.parametrize("loss", ["sum_of_squares", "mean_squares", "half_squares", "hinge"])
def test_tiles_show_the_engines_losses(loss):
    lab = lottery([3, 2], "tanh", "tanh", loss=loss, epochs=20).lottery
    for _ in range(5):
        lab.step()
    lab.draw()
    for seed in (0, 17, 99):
        mlp = MLP(2, [3, 2, 1], "tanh", "tanh", rng=random.Random(seed))
        targets = [-1, 1, 1, -1] if loss == "hinge" else [0, 1, 1, 0]
        *_, (value, *_) = loop(mlp, 0.1, 6, getattr(losses, loss), targets)  # the loss before the sixth step
        assert f"loss {show(value)}," in lab.recording.frames[-1].updates[f"s{seed}"]["aria-label"]


def test_run_fills_the_tiles_and_counts():
    lab = lottery(epochs=500, speed="full speed").lottery
    run(lab, until=lambda lab: lab.race.epochs >= 20, then=("play",))
    assert lab.recording.frames[-1].say.startswith(f"Paused after {lab.race.epochs} epochs: ")
    run(lab)
    frame = lab.recording.frames[-1]
    found = [int(frame.updates[f"c{i}.n"]["text"]) for i in range(len(classes(lab.race.settings)))]
    assert sum(found) == 100 and abs(found[0] - 77) <= 3
    for i, outcome in enumerate(lab.race.outcomes):
        share = min(1, max(0, 1 - lab.race.losses[i]))
        assert float(frame.updates[f"s{i}.fill"]["height"]) == pytest.approx(38 * share, abs=0.06)
        assert frame.updates[f"s{i}"]["state"].startswith(outcome.kind)
    assert frame.at == "epoch 500 of 500" and frame.say.startswith(f"After 500 epochs: {found[0]} solved, ")
    assert lab.patch["controls"]["play"]["disabled"] is True
    ask(lab, "reset")
    assert lab.race.epochs == 0 and lab.patch["controls"]["play"]["disabled"] is False


def test_tile_opens_its_seed_in_the_xor_lab():
    pair = lottery(2, "relu", "linear", lr=0.05, epochs=300)
    trainer = pair.trainer
    ask(pair.lottery, "seed.42")
    assert trainer.training.settings == checked(2, "relu", "linear", "uniform", 42, "sum_of_squares", 0.05)
    assert numbers(trainer) == numbers(MLP(2, [2, 1], "relu", "linear", rng=random.Random(42)))
    assert trainer.view.goal == 300 and trainer.patch["controls"]["seed"] == {"value": 42}
    updates = pair.lottery.recording.frames[-1].updates
    assert [i for i in range(100) if updates[f"s{i}"]["aria-pressed"] == "true"] == [42]
    ask(trainer, "step")
    ask(pair.lottery, "seed.7", "seed.8", "seed.100", "seed.x", "nothing")
    assert trainer.training.settings.seed == 8 and trainer.training.steps == 0


def test_result_that_differs_from_the_tile_is_reported():
    """Seed 89 of these settings is one where rounding decides: whether the two differ, the lab knows."""
    pair = lottery(4, lr=0.6, epochs=200)
    while pair.lottery.step():
        pass
    for seed in (89, 0):
        ask(pair.lottery, f"seed.{seed}")
        tile = pair.lottery.race.right[seed].tolist()
        said = f"In the lottery {sum(tile)} of 4 rows are right for this seed"
        assert (said in finish(pair.trainer)) is (tile != pair.trainer.training.right)
