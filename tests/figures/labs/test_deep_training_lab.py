"""The deep training lab: what it shows is what its networks do, which training/test_deep_nets.py holds."""

import math

import pytest

from figures import deep_training
from figures.labs.deep_training import ENDS, ICONS, ROW, TOP, UP, WIDEST_TEXT
from figures.training.deep_nets import KINDS
from tests.labs import ask, run


def steps(lab, count):
    """The marks after so many steps of all networks."""
    for _ in range(count * len(KINDS)):
        lab.step()
    lab.draw()
    return lab.recording.frames[-1].updates


def test_bar_height_is_logarithmic_and_zero_is_a_ring():
    lab = deep_training()
    updates, (low, high) = steps(lab, 5), ENDS["moved"]
    for size, bar in zip(lab.nets[1].moved(), updates["n1.moved"]["d"].split("Z")[:-1], strict=True):
        top = TOP + ROW + 80 - (math.log10(size) - low) / (high - low) * (80 - UP)
        assert float(bar.split("V")[1].split("h")[0]) == pytest.approx(top, abs=0.06)
    zeros = lab.nets[2].moved().count(0.0)
    assert zeros >= 6 and updates["n2.moved.marks"]["d"].count("a2,2 0 1 0 4,0") == zeros
    assert updates["n1.moved.marks"]["d"] == "M0,0"


def test_exploded_network_is_marked_and_icons_differ():
    assert len(set(ICONS.values())) == len(ICONS) == 6
    lab = deep_training(residual_scale="1")
    updates, net = steps(lab, 60), lab.nets[4]
    assert updates["n4.state"]["text"] == "exploded" and updates["n4"]["state"] == "wrong"
    assert updates["n4.curve.now"]["r"] == "0" and updates["n0.curve.now"]["r"] == "4"
    assert updates["n4.curve.lost"]["d"].startswith(f"M{172 + 160 * net.steps / 1000 - 4:.1f},")
    assert updates["n0.curve.lost"]["d"] == "M0,0"


def test_all_networks_take_the_same_number_of_steps():
    lab = deep_training()
    ask(lab, lr=0.01)
    run(lab, until=lambda lab: lab.steps >= 3, then=["play"])
    now = lab.steps
    assert {(net.steps, net.settings.lr) for net in lab.nets} == {(now, 0.01)}
    ask(lab, "step")
    assert {net.steps for net in lab.nets} == {now + 1} and lab.said.startswith(f"After {now + 1} steps: ")


def test_every_sentence_fits():
    lab = deep_training()
    lab.steps = 100_000
    for kind, net in zip(("has learned", "learns", "levelled off", "gets worse", "exploded"), lab.nets, strict=True):
        net.loss = 0.3 if kind == "levelled off" else net.loss
        net.past = {"gets worse": [0.1], "learns": [9.0]}.get(kind, [net.loss])
        net.right, net.exploded, net.steps = 95 * (kind == "has learned"), kind == "exploded", 1
        assert net.state == kind
    assert max(len(lab.standing(begin)) for begin in ("After", "Paused after")) <= len(WIDEST_TEXT)
