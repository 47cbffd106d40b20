"""The clip lab: its runs are the engine's, clipped as the engine clips; and clipping does nothing where it cannot."""

import math
import random

import numpy as np
import pytest

from autograd import MLP, SGD, clip_grad_norm, clip_grad_value, mean_squares
from autograd.lessons.population import Population
from autograd.training.tensor_nn import loss_function
from figures.labs.clip import CASES, WAYS, XOR, euclidean, loss_and_gradients, record, train, turned

RELU, SIGMOID = CASES


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", CASES)
def test_run_matches_the_scalar_engine(case, way):
    """From the same seed, with the engine's clipping: the first steps agree to 1e-9."""
    run, _ = train(CASES[case], way, 1.0, 0.02, 3)
    case, rng = CASES[case], random.Random(3)
    mlp = MLP(2, case.layers, case.activation, case.output, case.init, rng, gain=case.gain)
    optimizer, clips = SGD(mlp.parameters(), 0.02), {"by norm": clip_grad_norm, "by value": clip_grad_value}
    for step in range(4):
        loss = mean_squares([mlp(row) for row in XOR[0].tolist()], XOR[1].ravel().tolist())
        optimizer.zero_grad()
        loss.backward()
        norm = math.hypot(*(parameter.grad for parameter in mlp.parameters()))
        assert (run.losses[step], run.norms[step]) == pytest.approx((loss.data, norm), rel=1e-9)
        clips.get(way, lambda *given: None)(mlp.parameters(), 1.0)
        optimizer.step()


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_gradients_match_the_array_engine_bit_for_bit(case):
    """The chain rule written out gives what the graph of Tensors gives, also for weights that have been trained."""
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


def test_unclipped_run_explodes_and_clipped_run_learns():
    clipped, without = train(CASES[RELU], "by norm", 1.0, 0.1, 11)
    assert clipped.norms[0] == pytest.approx(without.norms[0]) == pytest.approx(105.2619, abs=1e-4)
    assert without.end == 4 and without.losses[2] > 1e6 and not np.any(without.changed)
    assert clipped.end is None and clipped.losses[-1] < 0.01
    assert euclidean(np.array([3e200, 4e200])) == pytest.approx(5e200, rel=1e-15), "whose squares overflow"


def test_clipping_by_norm_keeps_the_direction_by_value_does_not():
    norm, value = (train(CASES[RELU], way, 1.0, 0.1, 11)[0] for way in ("by norm", "by value"))
    assert euclidean(norm.clipped[0]) == pytest.approx(1.0)
    assert turned(norm, 0) == pytest.approx(0, abs=1e-3) and turned(value, 0) > 30
    assert np.abs(value.clipped[0]).max() == 1.0
    assert value.changed[0] == int((np.abs(value.gradients[0]) > 1).sum()) == 146


@pytest.mark.parametrize("way", ["by norm", "by value"])
def test_clipping_changes_nothing_in_a_deep_sigmoid_net(way):
    """Where the sources are wrong, 7: clipping to [-1, 1] in a deep sigmoid net changes 0 %."""
    for seed in range(4):
        recording = record(SIGMOID, way, 1.0, 0.1, seed)
        assert {frame.updates["sum.changed"]["text"] for frame in recording.frames} == {"0 %"}
        clipped, without = train(CASES[SIGMOID], way, 1.0, 0.1, seed)
        assert np.array_equal(clipped.losses, without.losses) and clipped.first[0] < 1e-4 * clipped.last[0]
