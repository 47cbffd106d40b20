"""The goal lab: its loss and slopes are those of a formula, its steps go against them, its hand gets stuck."""

import itertools

import numpy as np
import pytest

from autograd.errors.messages import show
from figures import goal
from figures.labs.goal import BEST, DIALS, DOTS, LOSS, RATE, REACH, STEPS, WIDEST_TEXT
from tests.lab_graphs import assert_plays, shown
from tests.labs import ask, message_after

STUCK = {"a": -0.2, "b": 1.9, "c": -0.9}  # where no dial, moved alone by 0.1, lowers the loss


def loss(a, b, c):
    """The sum of the squared distances, written out."""
    return sum((a + b * x + c * x * x - y) ** 2 for x, y in DOTS)


def slope(name, dials, h=1e-5):
    """A slope by a nudge to both sides."""
    up, down = ({**dials, name: dials[name] + way} for way in (h, -h))
    return (loss(**up) - loss(**down)) / (2 * h)


@pytest.mark.parametrize("start", [(0, 0, 0), tuple(STUCK.values()), (3, 3, 3), (-3, 3, -3), (0.37, -1.2, 2.5)])
def test_every_frame_matches_the_formula(start):
    player, dials = goal(*start), dict(zip(DIALS, map(float, start)))
    for index, frame in enumerate(player.recording.frames):
        text = shown(player, index)
        assert text["loss.number"] == show(loss(**dials)) and show(loss(**dials)) in frame.say
        slopes = {name: slope(name, dials) for name in DIALS}
        for name in DIALS:
            assert float(frame.updates[f"{name}.handle"]["data-value"]) == pytest.approx(dials[name], abs=1e-5)
            if index:
                assert float(text[f"{name}.slope"] or slopes[name]) == pytest.approx(slopes[name], abs=1e-4)
        if 0 < index <= STEPS:
            slopes = player.walk[index - 1].slopes
            dials = {name: min(max(dials[name] - RATE * slopes[name], -REACH), REACH) for name in DIALS}
    assert index == STEPS + 1
    assert_plays(player)


def test_best_fit_is_the_minimum_and_coordinate_moves_get_stuck():
    x, y = np.array(DOTS).T
    dials = list(map(float, np.linalg.lstsq(np.stack([np.ones(6), x, x * x], axis=1), y, rcond=None)[0]))
    assert pytest.approx(loss(*dials)) == BEST and show(BEST) == "0.0109"
    assert goal(*dials).recording.frames[1].say.startswith("The loss is 0.0109, and all slopes are 0")
    for name, way in itertools.product(DIALS, (-0.1, 0.1)):
        assert loss(**{**STUCK, name: STUCK[name] + way}) > loss(**STUCK)
    assert [show(goal(**STUCK).walk[step].loss) for step in (0, 1, 40)] == ["0.1883", "0.1643", "0.0132"]


@pytest.mark.long
def test_loss_falls_in_every_step_from_any_start():
    """And no step leaves the dials' ends. The widest start is the loudest, within the bar; sentences have room."""
    for start in itertools.product((-3.0, -1.0, 0.1, 3.0), repeat=3):
        player = goal(*start)
        for before, after in itertools.pairwise(player.walk):
            assert after.loss < before.loss < LOSS.high or after.loss < BEST + 1e-9
            assert max(map(abs, after.dials.values())) <= REACH
        assert max(len(frame.say) for frame in player.recording.frames) <= len(WIDEST_TEXT)


def test_moving_a_dial_restarts_the_walk_and_keeps_the_lowest_loss():
    player = goal()
    for dials, moves in (({"b": 1.0}, "1 move"), ({"b": 1.5}, "1 move"), ({"a": 3.4}, "2 moves")):
        assert message_after(player, **dials) == "" and player.recording.frames[0].at == f"By hand: {moves}"
    assert player.walk[0].dials["a"] == 3, "a dial stops at its ends"
    assert shown(player, 0)["low.name"] == f"lowest by hand {show(loss(0, 1, 0))}"


def test_buttons_show_and_follow_slopes():
    player = goal(**STUCK)
    presses = (["slopes"], 1), (["one"], 2), (["ten"], 12), (["slopes"], 12), (["ten", "ten", "ten"], STEPS + 1)
    for pressed, jump in presses:  # the second time the slopes are in view
        assert message_after(player, *pressed) == "" and player.spec["jump"] == jump
    assert message_after(player, "one") == "This walk has 40 steps. Move a dial to begin another, or start over."
    assert message_after(player, "over") == "" and player.spec["jump"] == 0
    ask(player, "ten")
    dials = {**player.walk[10].dials, "a": 0.5}
    assert message_after(player, **dials) == "" and player.walk[0].dials == dials and player.spec["jump"] == 1
    assert shown(player, 1)["low.name"] == "lowest by hand 0.1883", "what slopes found is no work of hands"
    ask(player, "one", **dials)
    first, player.index = player.spec, 1
    ask(player, "one")
    assert player.spec["jump"] == first["jump"] == 2 and player.spec != first, "a press twice is told twice"
