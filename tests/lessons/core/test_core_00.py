"""Notebook 00: what its text says of its numbers, on six engines."""

import math

import pytest

from figures.labs import goal
from tests.lessons.core.engines import TRIED, mine, names_after


@pytest.mark.parametrize("name", TRIED)
def test_slopes_of_the_first_graph(name):
    f = names_after("00", mine(name), "hour0005")["f"]
    f.backward()
    x, y = f._prev[0]._prev
    assert (x.grad, y.grad, f._prev[0].grad, f._prev[1].grad) == (-4, -4, -4, 3)


@pytest.mark.parametrize("name", TRIED)
def test_list_ends_with_the_root_and_has_q_after_x_and_y(name):
    names = names_after("00", mine(name), "hour0005", "hour0017")
    labels = [label for label, _ in names["printed"]]
    assert labels[-1] == "f" and labels.index("q") > max(labels.index("x"), labels.index("y"))


@pytest.mark.parametrize("name", TRIED)
def test_network_learns_xor_and_its_slopes_shrink(name):
    names = names_after("00", mine(name), "hour0023", "hour0025")
    *losses, (answers,) = names["printed"]
    assert [epoch for epoch, _ in losses] == [0, 100, 200, 300] and len(names["first"]) == 17
    assert losses[0][1] > 1 > 0.02 > losses[-1][1]
    assert [round(answer) for answer in answers] == [0, 1, 1, 0]
    after = names["slopes"](names["network"])
    assert sum(map(abs, after)) < sum(map(abs, names["first"])) / 10


def test_forty_steps_reduce_the_loss_from_5_to_0_0520():
    walk = goal.walk(dict.fromkeys("abc", 0.0))
    assert math.isclose(walk[0].loss, 5.0) and round(walk[40].loss, 4) == 0.0520
