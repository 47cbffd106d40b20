"""The descent lab: what it draws is where its walk goes, which training/test_plane.py holds."""

import itertools
import math
import re

import pytest

from autograd.errors.messages import show
from figures import descent
from figures.labs import descent as lab
from figures.training.plane import LOSSES, walk
from tests.lab_graphs import assert_plays, shown
from tests.labs import ask


@pytest.mark.parametrize(("lr", "zero"), [(0.2, True), (0.27, True), (0.05, False), (0.6, True)])
def test_path_and_arrow_lead_to_the_next_point(lr, zero):
    frames, places = descent(lr=lr, zero=zero).recording.frames, walk(LOSSES["bowl"], (1.0, 3.0), lr, zero, 60)
    for (frame, after), place in zip(itertools.pairwise(frames), places):
        updates, off = frame.updates, max(abs(place.u), abs(place.v)) > 3.6
        assert off == (updates["off"]["text"] == "off the map") == (" off the map." in frame.say)
        assert lab.X.start <= float(updates["here"]["cx"]) <= lab.X.end
        if max(abs(place.u), abs(place.v)) < 3:
            assert (updates["here"]["cx"], updates["here"]["cy"]) == (f"{lab.X(place.u):.1f}", f"{lab.Y(place.v):.1f}")
            points = re.findall(r"[ML]([\d.]+),([\d.]+)", updates["next"]["d"])
            there = after.updates["here"]["cx"], after.updates["here"]["cy"]
            assert after.updates["off"]["text"] or points[1:2] in ([], [there])


@pytest.mark.long
def test_every_slider_position_and_custom_loss_can_be_shown():
    player = descent()
    for lr, zero, loss in itertools.product((0.005, 0.6), (True, False), LOSSES):
        for u, v in itertools.product((-3.5, 0.0, 3.5), repeat=2):
            ask(player, lr=lr, zero=zero, loss=loss, u=u, v=v)
    player = descent(lambda u, v: (u.tanh() - v) ** 2 + (u - 1).exp(), (0.5, -1), lr=0.1)
    assert player.controls[0].options == ("yours", "bowl", "valley", "line")
    assert shown(player, 0)["sum.loss"] == show((math.tanh(0.5) + 1) ** 2 + math.exp(-0.5))
    for function in (lambda u, v: u + 2 * v, lambda u, v: u**2 + v**2 - 5):  # no curvature; no logarithm
        assert_plays(descent(function, lr=0.1))
