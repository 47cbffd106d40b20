"""Notebook 02: what its text says of its numbers, on six engines."""

import math

import pytest

from tests.lessons.core.engines import TRIED, mine, names_after


@pytest.fixture(params=TRIED)
def engine(request):
    return mine(request.param)


def test_gradients_of_three_patterns(engine):
    names = names_after("02", engine, "c02-0004", "27", "34")
    names["L"].backward(), names["both"].backward()
    found = {name: names[name].grad for name in "abckdeuvm"}
    assert found == {"a": 6, "b": -4, "c": -2, "k": 4, "d": -2, "e": -2, "u": 1, "v": 0, "m": 20}


def test_sigmoid_neuron_values_and_gradients(engine):
    names = names_after("02", engine, "c02-0059")
    z, loss = names["z"], names["loss"]
    assert math.isclose(z.data, -0.4) and round(z.sigmoid().data, 4) == 0.4013 and round(loss.data, 4) == 0.1792
    assert (round(names["w1"].grad, 4), round(names["w2"].grad, 4)) == (-0.2877, -0.4315)
    root = engine.Value(0.0)
    root.sigmoid().backward()
    assert root.grad == 0.25


def test_gradients_of_a_hundred_neurons_have_ratio_1_2_3(engine):
    gradients = names_after("02", engine, "58")["gradients"]
    assert [len(found) for found in gradients.values()] == [100] * 3
    for b, w1, w2 in zip(*gradients.values()):
        assert math.isclose(w1, 2 * b) and math.isclose(w2, 3 * b)
    assert sum(abs(b) < 0.1 for b in gradients["b"]) > 40
