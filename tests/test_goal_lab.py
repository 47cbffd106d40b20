"""The goal lab: its loss and slopes are those of a formula, its steps go against them, its hand gets stuck."""

import gc
import itertools
import math

import numpy as np
import pytest
from ipywidgets.widgets.widget import _instances as REGISTRY

from autograd.messages import show
from figures import goal
from figures.labs.goal import BEST, BUTTONS, DIALS, DOTS, LOSS, RATE, REACH, ROOM, STEPS, TRACK, Place
from tests.walks import ask, assert_plays, shown

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


# Numbers


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
    dials = np.linalg.solve(rows.T @ rows, rows.T @ y)
    assert pytest.approx(loss(*dials)) == BEST and show(BEST) == "0.0109"
    assert all(abs(slope(name, dict(zip(DIALS, dials)))) < 1e-8 for name in DIALS)
    assert [round(float(number), 2) for number in dials] == [-0.21, 2.38, -1.28]


@pytest.mark.parametrize("one_by_one", [False, True])
def test_a_hand_that_moves_one_dial_at_a_time_gets_stuck(one_by_one):
    """Whichever single move is best, or each dial to its best in turn: by tenths both end at the same dials."""
    tenths, dials = [i / 10 for i in range(-30, 31)], dict.fromkeys(DIALS, 0.0)
    for turn in itertools.count():
        names = [list(DIALS)[turn % 3]] if one_by_one else DIALS
        near = tenths if one_by_one else (-0.1, 0.1)
        tries = [{**dials, name: n if one_by_one else round(dials[name] + n, 1)} for name in names for n in near]
        found = min(tries, key=lambda each: loss(**each))
        if loss(**found) < loss(**dials) - 1e-12:
            dials, last = found, turn
        elif not one_by_one or turn > last + 3:
            break
    assert dials == STUCK and show(loss(**dials)) == "0.1883"


def test_the_slopes_get_lower_than_the_hand():
    assert [show(Place(STUCK).slopes[name]) for name in DIALS] == ["0.4600", "-0.3300", "0.5027"]
    stuck, began = goal(**STUCK).walk, goal().walk
    assert [show(stuck[step].loss) for step in (0, 1, 10, 40)] == ["0.1883", "0.1643", "0.0670", "0.0132"]
    assert [show(began[step].loss) for step in (0, 1, 10, 26, 27, 40)] == [
        *("5.0000", "3.6314", "1.0310"),
        *("0.1948", "0.1761", "0.0520"),
    ]


def test_the_loss_falls_in_every_step_from_everywhere():
    """And no step leaves the dials' ends. The widest start is the loudest: 414.6566, within the bar."""
    highest = 0.0
    for start in itertools.product((-3.0, -1.0, 0.5, 3.0), repeat=3):
        walk = goal(*start).walk
        assert all(after.loss < before.loss or after.loss < BEST + 1e-9 for before, after in itertools.pairwise(walk))
        assert all(abs(number) <= REACH for place in walk for number in place.dials.values())
        highest = max(highest, walk[0].loss)
    assert show(highest) == "414.6566" and highest < LOSS.high


# The picture


def test_knobs_arrows_and_bar_are_to_scale():
    player = goal(**STUCK)
    for name, number in STUCK.items():
        assert mark(player, f"{name}.knob", 0)["x"] == f"{TRACK(number) - 7:.1f}"
        assert mark(player, f"{name}.arrow", 0)["d"] == "M0,0"
        d = mark(player, f"{name}.arrow", 1)["d"]
        start, tip = map(float, (d[1 : d.index(",")], d[d.index("H") + 1 : d.index("m")]))
        assert start == pytest.approx(TRACK(number), abs=0.06)
        assert math.copysign(1, tip - start) == -math.copysign(1, slope(name, STUCK))
    lengths = {}
    for name in DIALS:
        d = mark(player, f"{name}.arrow", 1)["d"]
        lengths[name] = abs(float(d[d.index("H") + 1 : d.index("m")]) - float(d[1 : d.index(",")]))
    assert lengths["c"] > lengths["a"] > lengths["b"], "the steeper the longer"
    assert TRACK(0.1) - TRACK(0) == pytest.approx(4), "a pixel of the drawing is what a pixel of a drag moves"
    width = float(mark(player, "loss", 0)["width"])
    assert width == pytest.approx(LOSS(0.188294) - LOSS.start, abs=0.06)


def test_slopes_and_the_best_are_hidden_until_they_are_asked_for():
    player = goal()
    assert shown(player, 0)["best.name"] == shown(player, 0)["slope"] == shown(player, 0)["a.slope"] == ""
    assert shown(player, 1)["best.name"] == "the best any dials can do 0.0109" and shown(player, 1)["slope"] == "slope"
    assert "0.0109" not in player.recording.frames[0].say and "gradient" not in player.text()


# The hand


def test_a_dial_that_is_moved_is_another_walk_and_the_lowest_loss_is_kept():
    player = goal()
    assert ask(player, b=1.0) == "" and player.spec["jump"] == 0
    assert shown(player, 0)["loss.number"] == show(loss(0, 1, 0))
    assert ask(player, b=1.5) == "" and player.recording.frames[0].at == "By hand: 1 move"
    low = show(loss(0, 1, 0))
    assert ask(player, a=3.0) == "" and player.recording.frames[0].at == "By hand: 2 moves"
    assert shown(player, 0)["low.name"] == f"lowest by hand {low}"
    assert player.text().startswith(f"1. The loss is {show(loss(3, 1.5, 0))}, your lowest so far was {low}.")
    assert_plays(player)


def test_the_buttons_show_slopes_and_follow_them():
    player = goal()
    assert ask(player, ["slopes"]) == "" and player.spec["jump"] == 1
    assert ask(player, ["one"]) == "" and player.spec["jump"] == 2
    assert ask(player, ["ten"]) == "" and player.spec["jump"] == 12
    assert ask(player, ["slopes"]) == "" and player.spec["jump"] == 12, "they are in view"
    assert ask(player, ["ten", "ten", "ten"]) == "" and player.spec["jump"] == STEPS + 1
    assert ask(player, ["one"]) == "This walk has 40 steps. Move a dial to begin another, or start over."
    assert ask(player, ["over"]) == "" and player.spec["jump"] == 0
    assert ask(player, ["ten"]) == "" and player.spec["jump"] == 11, "the slopes were on the way"


def test_a_press_twice_is_told_twice():
    """Also where the learner has stepped back between them."""
    player = goal()
    ask(player, ["one"])
    first = player.spec
    player.index = 1
    ask(player, ["one"])
    assert player.spec["jump"] == first["jump"] == 2 and player.spec != first


def test_dials_are_moved_from_where_the_steps_have_brought_them():
    player = goal(**STUCK)
    ask(player, ["ten"])
    dials = player.walk[10].dials
    assert ask(player, **{**dials, "a": 0.5}) == ""
    assert player.walk[0].dials == {**dials, "a": 0.5}
    assert player.spec["jump"] == 1, "the slopes stay in view"
    assert shown(player, 1)["low.name"] == "lowest by hand 0.1883", "what slopes found is no work of hands"
    assert ask(player, ["one"], **{**dials, "a": 0.5}) == "", "a press tells the dials that were moved last"
    assert player.spec["jump"] == 2 and player.walk[0].dials == {**dials, "a": 0.5}
    assert ask(player, ["over"]) == "" and player.walk[0].dials == STUCK


def test_a_dial_stops_at_its_ends():
    player = goal()
    assert ask(player, a=3.4) == "" and player.walk[0].dials["a"] == 3
    assert ask(player, a=-math.inf) == "" and player.walk[0].dials["a"] == -3
    assert "by 0.06 × the slope or to its end: a to" in goal(3, -3, -3).recording.frames[2].say


# Faults


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"a": "1"}, "a needs a real number, got the str '1'."),
        ({"b": None}, "b needs a real number, got None."),
        ({"c": math.nan}, "c goes from -3 to 3; got nan."),
        ({"d": 1.0}, "the dials are a, b and c; there is no d."),
        ({"presses": ["fly"], "b": 2.0}, "a press names one of slopes, one, ten or over; got 'fly'."),
    ],
)
def test_what_is_wrong_gets_a_sentence_and_the_picture_stays(changed, sentence):
    player = goal()
    ask(player, b=1.0)
    before, walk = player.recording, player.walk
    assert ask(player, **changed).startswith(sentence)
    assert player.recording is before and player.walk is walk
    assert ask(player, ["one"]) == "" and player.spec["jump"] == 2


@pytest.mark.parametrize(
    ("arguments", "fault", "sentence"),
    [
        ({"a": 4}, ValueError, "a goes from -3 to 3; got 4.0"),
        ({"b": math.nan}, ValueError, "b goes from -3 to 3; got nan"),
        ({"c": "0"}, TypeError, "c needs a real number, got the str '0'"),
        ({"a": True}, TypeError, "a needs a real number, got the bool True"),
    ],
)
def test_wrong_arguments_get_a_sentence(arguments, fault, sentence):
    before = len(REGISTRY)
    with pytest.raises(fault, match=sentence):
        goal(**arguments)
    gc.collect()
    assert len(REGISTRY) <= before


def test_there_is_room_for_every_sentence():
    for start in itertools.product((-3.0, 0.1, 3.0), repeat=3):
        player = goal(*start)
        assert max(len(frame.say) for frame in player.recording.frames) <= len(ROOM) and player.spec["room"] == ROOM


def test_where_all_slopes_are_0():
    x, y = np.array(DOTS).T
    dials = np.linalg.lstsq(np.stack([np.ones(6), x, x * x], axis=1), y, rcond=None)[0]
    said = goal(*map(float, dials)).recording.frames[1].say
    assert said == "The loss is 0.0109, and all slopes are 0: no small move of a dial lowers it."


def test_its_buttons_have_names():
    assert [control["label"] for control in goal().spec["controls"]] == list(BUTTONS.values())
