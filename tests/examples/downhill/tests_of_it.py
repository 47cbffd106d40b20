"""The downhill lab: each step is the one that calculus gives."""

import pytest

from autograd.errors.messages import show
from figures import downhill
from tests.lab_graphs import assert_plays, shown
from tests.labs import message_after


@pytest.mark.parametrize("lr", [0.1, 0.5, 1.1])
def test_numbers_match_the_formula(lr):
    player = downhill(2.0, lr=lr)
    for step in range(21):
        x = shown(player, step)["x"]
        assert float(x) == pytest.approx(2.0 * (1 - 2 * lr) ** step, abs=1e-4)
    assert_plays(player)


def test_learning_rate_is_applied_and_bad_rates_get_a_message():
    player = downhill(2.0)
    assert message_after(player, lr=0.5) == "" and shown(player, 1)["x"] == show(0.0)
    assert message_after(player, lr=0) == "lr is a number above 0, got 0.0."
    assert shown(player, 1)["x"] == show(0.0)
