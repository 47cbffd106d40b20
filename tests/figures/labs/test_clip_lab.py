"""The clip lab: its runs are the engine's, clipped as the engine clips; and clipping does nothing where it cannot."""

import itertools
import json
import math
import random
import re

import numpy as np
import pytest

from autograd import MLP, SGD, clip_grad_norm, clip_grad_value, mean_squares
from autograd.errors.messages import show
from autograd.lessons.population import Population
from autograd.training.tensor_nn import loss_function
from figures import clip
from figures.labs.clip import CASES, ROOM, STEPS, TIME, WAYS, XOR, euclidean, loss_and_gradients, record, train, turned
from tests import pictures
from tests.labs import ask

RELU, SIGMOID = CASES


def by_scalars(case, way, limit, lr, seed, steps):
    """The same run by the scalar engine and its own clipping: losses, and norms before clipping."""
    case = CASES[case]
    mlp = MLP(2, case.layers, case.activation, case.output, case.init, random.Random(seed), gain=case.gain)
    optimizer, losses, norms = SGD(mlp.parameters(), lr), [], []
    for _ in range(steps):
        loss = mean_squares([mlp(row) for row in XOR[0].tolist()], XOR[1].ravel().tolist())
        optimizer.zero_grad()
        loss.backward()
        losses.append(loss.data)
        norms.append(math.hypot(*(parameter.grad for parameter in mlp.parameters())))
        if way == "by norm":
            clip_grad_norm(mlp.parameters(), limit)
        elif way == "by value":
            clip_grad_value(mlp.parameters(), limit)
        optimizer.step()
    return losses, norms


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", CASES)
def test_a_run_is_the_scalar_engines(case, way):
    """From the same seed, with the engine's clipping: the first steps agree to 1e-9."""
    run, _ = train(CASES[case], way, 1.0, 0.02, 3)
    losses, norms = by_scalars(case, way, 1.0, 0.02, 3, 4)
    assert run.losses[:4] == pytest.approx(losses, rel=1e-9)
    assert run.norms[:4] == pytest.approx(norms, rel=1e-9)


@pytest.mark.parametrize("case", CASES)
def test_gradients_are_the_array_engines_to_the_last_bit(case):
    """The chain rule written out gives what the graph of Tensors gives, also for weights that have been trained."""
    case = CASES[case]
    for seed, scale in ((3, 1.0), (11, 1.0), (11, 0.2), (5, 40.0)):
        networks = Population([seed, seed + 1], 2, case.layers, case.activation, case.output, case.init, gain=case.gain)
        for parameter in networks.parameters():
            parameter.data = scale * parameter.data + 0.01
        loss = loss_function("mean_squares")(networks(XOR[0]), XOR[1])
        networks.zero_grad()
        loss.sum().backward()
        found, gradients = loss_and_gradients(case, [parameter.data for parameter in networks.parameters()])
        assert np.array_equal(found, loss.data)
        for parameter, gradient in zip(networks.parameters(), gradients, strict=True):
            assert np.array_equal(parameter.grad, gradient)


def test_a_norm_whose_squares_overflow():
    assert euclidean(np.array([3e200, 4e200])) == pytest.approx(5e200, rel=1e-15)
    assert euclidean(np.zeros(3)) == 0 and euclidean(np.array([1.0, np.inf])) == np.inf


def test_the_run_that_is_never_clipped_explodes_and_the_clipped_one_learns():
    clipped, without = train(CASES[RELU], "by norm", 1.0, 0.1, 11)
    for other in train(CASES[RELU], "none", 1.0, 0.1, 11):
        assert np.array_equal(without.losses, other.losses, equal_nan=True)
    assert [without.changed[step] for step in range(STEPS)] == [0] * STEPS
    assert clipped.norms[0] == pytest.approx(without.norms[0]) == pytest.approx(105.2619, abs=1e-4)
    assert without.end == 4 and without.losses[2] > 1e6
    assert clipped.end is None and clipped.losses[-1] < 0.01
    said = record(RELU, "by norm", 1.0, 0.1, 11).frames[-1].say
    assert said.startswith("After 80 steps: with clipping loss 0.0")
    assert "without the numbers overflowed at step 4" in said


def test_by_norm_keeps_the_direction_and_by_value_does_not():
    norm, value = (train(CASES[RELU], way, 1.0, 0.1, 11)[0] for way in ("by norm", "by value"))
    assert euclidean(norm.clipped[0]) == pytest.approx(1.0)
    assert turned(norm, 0) == pytest.approx(0, abs=1e-3) and turned(value, 0) > 30
    assert np.abs(value.clipped[0]).max() == 1.0
    assert value.changed[0] == int((np.abs(value.gradients[0]) > 1).sum()) == 146


@pytest.mark.parametrize("way", ["by norm", "by value"])
@pytest.mark.parametrize("seed", range(4))
def test_in_a_deep_sigmoid_net_clipping_changes_no_gradient(way, seed):
    """Where the sources are wrong, 7: clipping to [-1, 1] in a deep sigmoid net changes 0 %."""
    recording = record(SIGMOID, way, 1.0, 0.1, seed)
    assert {frame.marks["sum.changed"]["text"] for frame in recording.frames} == {"0 %"}
    assert all("0 %" in frame.say for frame in recording.frames)
    assert "It bounds large ones and cannot enlarge small ones" in recording.frames[-1].say
    clipped, without = train(CASES[SIGMOID], way, 1.0, 0.1, seed)
    assert np.array_equal(clipped.losses, without.losses)
    assert clipped.first[0] < 1e-4 * clipped.last[0]


def test_a_small_limit_does_clip_there():
    recording = record(SIGMOID, "by value", 0.001, 0.1, 11)
    assert float(recording.frames[0].marks["sum.changed"]["text"].split()[0]) > 0


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", CASES)
def test_every_frame_shows_its_numbers_and_none_that_comes_later(case, way):
    """The curves end at the step, on axes that stay; a run that overflows is said to when it has."""
    recording = record(case, way, 0.5, 0.1, 11)
    run, without = train(CASES[case], way, 0.5, 0.1, 11)
    assert len(recording.frames) == STEPS + 1
    for step, frame in enumerate(recording.frames):
        stage = pictures.texts(recording.render(frame.marks))
        for key, numbers in (("loss", run.losses), ("without", without.losses), ("norm", run.norms)):
            expected = "–" if math.isnan(numbers[step]) else show(float(numbers[step]))
            assert stage[f"sum.{key}"] == expected
        if run.going[step]:
            share = 100 * np.mean(run.gradients[step] != run.clipped[step])
            assert float(stage["sum.changed"].removesuffix(" %")) == pytest.approx(share, rel=1e-3)
        assert frame.at == f"Step {step} of 80" and frame.say.endswith(".") and len(frame.say) <= len(ROOM)
        for name in ("loss.with", "norm.with", "loss.without", "norm.without"):
            ends = [float(x) for x in re.findall(r"[ML]([\d.]+),", frame.marks[name]["d"])]
            assert max(ends, default=0) <= TIME(step) + 0.05
        assert run.end or len(re.findall("[ML]", frame.marks["loss.with"]["d"])) == step + 1
        ended = without.end is not None and without.end <= step
        assert frame.marks["end.without"]["text"] == (f"× not clipped overflows at step {without.end}" if ended else "")
    assert "overflow" not in recording.alt and str(STEPS) not in recording.frames[0].say


def area(d):
    """The area under a histogram's outline, in bins × pixels."""
    total, height, at = 0.0, 0.0, None
    for command, number in re.findall(r"([MHV])([\d.]+)", d):
        if command == "H":
            total, at = total + height * (float(number) - at), float(number)
        elif command == "V":
            height = 262 - float(number)
        else:
            at = float(number)
    return total


def test_the_histogram_holds_every_gradient_that_is_not_0():
    for case in CASES:
        run, _ = train(CASES[case], "none", 1.0, 0.1, 11)
        marks = record(case, "none", 1.0, 0.1, 11).frames[0].marks
        share = np.mean(run.gradients[0] != 0)
        width, height = (318 - 44) / 36, 210 / 40  # pixels of a bin, and of a per cent
        assert area(marks["bars.before"]["d"]) == pytest.approx(100 * share * width * height, rel=0.08)


def test_nothing_is_clipped_where_none_is_chosen():
    for frame in record(RELU, "none", 1.0, 0.05, 3).frames[:-1]:
        assert frame.say.endswith("Nothing is clipped.") or "no gradient is left" in frame.say
    assert record(RELU, "none", 1.0, 0.05, 3).frames[0].marks["limit.norm"]["d"] == "M0,0"


def test_a_run_that_is_thrown_away_says_how_many_gradients_are_0():
    """Seed 15 without clipping: one large step, and every relu is dead; the net answers ½ for ever."""
    _, without = train(CASES[RELU], "by norm", 1.0, 0.1, 15)
    assert without.losses[-1] == pytest.approx(0.25) and (without.gradients[-1] == 0).sum() == 464
    assert "without loss 0.2500 with 464 of 465 gradients 0" in record(RELU, "by norm", 1.0, 0.1, 15).frames[-1].say


def test_another_network_is_another_recording():
    player = clip()
    assert [control.name for control in player.controls] == ["case", "way", "limit", "lr", "seed"]
    ask(player, case=SIGMOID, way="by value", limit=10, lr=0.5, seed=0)
    assert player.spec["title"] == "Clipping: 7 layers of 8 sigmoid, Xavier weights, sigmoid output"


@pytest.mark.parametrize("way", WAYS)
def test_the_corners_of_the_sliders_are_shown(way):
    for limit, lr in itertools.product((0.001, 1000.0), (0.001, 1.0)):
        frames = record(RELU, way, limit, lr, 8).frames
        assert json.dumps([frame.marks for frame in frames], allow_nan=False)
        assert all(0 < len(frame.say) <= len(ROOM) for frame in frames)
