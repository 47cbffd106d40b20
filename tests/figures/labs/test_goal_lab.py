"""The goal lab: its loss and slopes are those of a formula, its steps go against them, its hand gets stuck."""

import itertools
import math

import numpy as np
import pytest

from autograd.errors.messages import show
from figures import goal
from figures.labs.goal import BEST, BUTTONS, DIALS, DOTS, LOSS, RATE, REACH, ROOM, STEPS, TRACK
from tests.labs import ask, told
from tests.walks import assert_plays, shown

STUCK = {"a": -0.2, "b": 1.9, "c": -0.9}  # where no dial, moved alone by 0.1, lowers the loss


def loss(a, b, c):
    """The sum of the squared distances, written out."""
    return sum((a + b * x + c * x * x - y) ** 2 for x, y in DOTS)


def slope(name, dials, h=1e-5):
    """A slope by a nudge to both sides."""
    up, down = ({**dials, name: dials[name] + way} for way in (h, -h))
    return (loss(**up) - loss(**down)) / (2 * h)


def stopped(number):
    return min(max(number, -REACH), REACH)


def mark(player, key, index):
    return player.recording.frames[index].marks[key]


@pytest.mark.parametrize("start", [(0, 0, 0), (-0.2, 1.9, -0.9), (3, 3, 3), (-3, 3, -3), (0.37, -1.2, 2.5)])
def test_every_frame_has_the_numbers_of_the_formula(start):
    player, dials = goal(*start), dict(zip(DIALS, map(float, start)))
    for index, frame in enumerate(player.recording.frames):
        text = shown(player, index)
        assert text["loss.number"] == show(loss(**dials))
        for name in DIALS:
            assert float(text[f"{name}.number"]) == pytest.approx(dials[name], abs=6e-5)
            assert text[f"{name}.slope"] == "" or float(text[f"{name}.slope"]) == pytest.approx(
                slope(name, dials), abs=1e-4
            )
            assert float(mark(player, f"{name}.handle", index)["data-value"]) == pytest.approx(dials[name], abs=1e-12)
        assert show(loss(**dials)) in frame.say
        if index:
            slopes = player.walk[index - 1].slopes
            assert all(slopes[name] == pytest.approx(slope(name, dials), abs=1e-5) for name in DIALS)
        if 0 < index <= STEPS:
            dials = {name: stopped(dials[name] - RATE * slopes[name]) for name in DIALS}
    assert index == STEPS + 1
    assert_plays(player)


def test_the_best_is_the_least_there_is():
    x, y = np.array(DOTS).T
    rows = np.stack([np.ones(6), x, x * x], axis=1)
    dials = list(map(float, np.linalg.solve(rows.T @ rows, rows.T @ y)))
    assert pytest.approx(loss(*dials)) == BEST and show(BEST) == "0.0109"
    assert all(abs(slope(name, dict(zip(DIALS, dials)))) < 1e-8 for name in DIALS)
    assert [round(number, 2) for number in dials] == [-0.21, 2.38, -1.28]
    said = goal(*dials).recording.frames[1].say
    assert said == "The loss is 0.0109, and all slopes are 0: no small move of a dial lowers it."


def test_a_hand_that_moves_one_dial_at_a_time_gets_stuck_and_the_slopes_get_lower():
    for name, way in itertools.product(DIALS, (-0.1, 0.1)):
        assert loss(**{**STUCK, name: STUCK[name] + way}) > loss(**STUCK)
    assert [show(goal(**STUCK).walk[step].loss) for step in (0, 1, 40)] == ["0.1883", "0.1643", "0.0132"]


@pytest.mark.long
def test_the_loss_falls_in_every_step_from_everywhere():
    """And no step leaves the dials' ends. The widest start is the loudest, within the bar; sentences have room."""
    highest = 0.0
    for start in itertools.product((-3.0, -1.0, 0.1, 3.0), repeat=3):
        player = goal(*start)
        walk = player.walk
        assert all(after.loss < before.loss or after.loss < BEST + 1e-9 for before, after in itertools.pairwise(walk))
        assert all(abs(number) <= REACH for place in walk for number in place.dials.values())
        assert max(len(frame.say) for frame in player.recording.frames) <= len(ROOM)
        highest = max(highest, walk[0].loss)
    assert show(highest) == "414.6566" and highest < LOSS.high


def test_knobs_arrows_and_bar_are_to_scale():
    player, lengths = goal(**STUCK), {}
    for name, number in STUCK.items():
        assert mark(player, f"{name}.knob", 0)["x"] == f"{TRACK(number) - 7:.1f}"
        assert mark(player, f"{name}.arrow", 0)["d"] == "M0,0"
        d = mark(player, f"{name}.arrow", 1)["d"]
        start, tip = map(float, (d[1 : d.index(",")], d[d.index("H") + 1 : d.index("m")]))
        assert start == pytest.approx(TRACK(number), abs=0.06)
        assert math.copysign(1, tip - start) == -math.copysign(1, slope(name, STUCK))
        lengths[name] = abs(tip - start)
    assert lengths["c"] > lengths["a"] > lengths["b"], "the steeper the longer"
    assert TRACK(0.1) - TRACK(0) == pytest.approx(4), "a pixel of the drawing is what a pixel of a drag moves"
    assert float(mark(player, "loss", 0)["width"]) == pytest.approx(LOSS(0.188294) - LOSS.start, abs=0.06)


def test_slopes_and_the_best_are_hidden_until_they_are_asked_for():
    player = goal()
    assert shown(player, 0)["best.name"] == shown(player, 0)["slope"] == shown(player, 0)["a.slope"] == ""
    assert shown(player, 1)["best.name"] == "the best any dials can do 0.0109" and shown(player, 1)["slope"] == "slope"
    assert "0.0109" not in player.recording.frames[0].say and "gradient" not in player.text()


def test_a_dial_that_is_moved_is_another_walk_and_the_lowest_loss_is_kept():
    player, low = goal(), show(loss(0, 1, 0))
    assert told(player, b=1.0) == "" and player.spec["jump"] == 0
    assert shown(player, 0)["loss.number"] == low
    assert told(player, b=1.5) == "" and player.recording.frames[0].at == "By hand: 1 move"
    assert told(player, a=3.0) == "" and player.recording.frames[0].at == "By hand: 2 moves"
    assert shown(player, 0)["low.name"] == f"lowest by hand {low}"
    assert player.text().startswith(f"1. The loss is {show(loss(3, 1.5, 0))}, your lowest so far was {low}.")
    assert_plays(player)
    for given, end in ((3.4, 3), (-math.inf, -3)):
        assert told(player, a=given) == "" and player.walk[0].dials["a"] == end, "a dial stops at its ends"
    assert "by 0.06 × the slope or to its end: a to" in goal(3, -3, -3).recording.frames[2].say


def test_the_buttons_show_slopes_and_follow_them():
    player = goal()
    presses = (["slopes"], 1), (["one"], 2), (["ten"], 12), (["slopes"], 12), (["ten", "ten", "ten"], STEPS + 1)
    for pressed, jump in presses:  # the second time the slopes are in view
        assert told(player, *pressed) == "" and player.spec["jump"] == jump
    assert told(player, "one") == "This walk has 40 steps. Move a dial to begin another, or start over."
    assert told(player, "over") == "" and player.spec["jump"] == 0
    assert told(player, "ten") == "" and player.spec["jump"] == 11, "the slopes were on the way"
    ask(player, "over", "one")
    first, player.index = player.spec, 1
    ask(player, "one")
    assert player.spec["jump"] == first["jump"] == 2, "also where the learner has stepped back between them"
    assert player.spec != first, "a press twice is told twice"
    assert [control["label"] for control in player.spec["controls"]] == list(BUTTONS.values())


def test_dials_are_moved_from_where_the_steps_have_brought_them():
    player = goal(**STUCK)
    ask(player, "ten")
    dials = {**player.walk[10].dials, "a": 0.5}
    assert told(player, **dials) == "" and player.walk[0].dials == dials
    assert player.spec["jump"] == 1, "the slopes stay in view"
    assert shown(player, 1)["low.name"] == "lowest by hand 0.1883", "what slopes found is no work of hands"
    assert told(player, "one", **dials) == "", "a press tells the dials that were moved last"
    assert player.spec["jump"] == 2 and player.walk[0].dials == dials
    assert told(player, "over") == "" and player.walk[0].dials == STUCK
