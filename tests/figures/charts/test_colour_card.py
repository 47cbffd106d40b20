"""The card of invented colours: what stands on it, that it can be read, and what it refuses."""

import re

import numpy as np
import pytest

from autograd.tensor import Tensor
from figures import colour_card
from figures.charts.colour_card import INKS, cut, ink_on, luminance

NAMES = ("dark pluch", "ilely pink", "orange reddin grikarm brown", "")
COLOURS = np.array([[0.13, 0.13, 0.15], [0.92, 0.61, 0.7], [0.8, 0.3, 0.1], [1.2, 1.0, -0.1]])


def test_colour_card_shows_each_name_on_its_colour(tmp_path):
    card = colour_card(NAMES, Tensor(COLOURS))
    tiles = re.findall(r'engine-tile"[^>]*fill:(#\w{6})', card.svg)
    assert tiles == ["#212126", "#eb9cb2", "#cc4c1a", "#ffff00"]  # beyond 0 and 1 it is cut
    assert repr(card).splitlines() == [
        *("Invented by my engine", "dark pluch #212126", "ilely pink #eb9cb2"),
        *("orange reddin grikarm brown #cc4c1a", "a name of no letters #ffff00"),
    ]
    assert "dark pluch #212126, ilely pink #eb9cb2" in card.alt
    assert card.savefig(tmp_path / "colours.svg").read_text(encoding="utf-8").count("<rect") == 5


def test_ink_has_enough_contrast_on_every_colour():
    """A contrast of 4.5, the least that the guidelines ask for, on all of 4,096 colours."""
    for rgb in np.ndindex(16, 16, 16):
        light, ink = luminance(np.array(rgb) / 15), ink_on(np.array(rgb) / 15)
        shade = luminance([int(INKS[ink][i : i + 2], 16) / 255 for i in (1, 3, 5)])
        assert (max(light, shade) + 0.05) / (min(light, shade) + 0.05) >= 4.5, rgb
    assert luminance([1, 1, 1]) == pytest.approx(1.0) and luminance([0, 0, 0]) == 0.0


def test_long_name_is_split_into_two_lines():
    assert [*map(str.strip, cut("orange reddin grikarm brown"))] == ["orange reddin grikarm", "brown"]
    assert cut("a" * 27) == ["a" * 23, "a" * 4] and cut("red") == ["red"] and cut("") == [""]


@pytest.mark.parametrize(
    ("names", "colours", "error", "said"),
    [
        ("red", COLOURS, TypeError, "a card takes a list of names, got the str 'red'"),
        (["red", 3], COLOURS[:2], TypeError, "a card takes names as texts; one of them is an int"),
        (["red"], COLOURS, ValueError, r"got 1 names and colours of shape \(4, 3\)"),
        ([], np.zeros((0, 3)), ValueError, "1 to 96 names"),
        (["red"], [[np.nan, 0, 0]], ValueError, "a card needs finite numbers"),
    ],
)
def test_invalid_colour_cards_get_a_message(names, colours, error, said):
    with pytest.raises(error, match=said):
        colour_card(names, colours)
