"""The attention map lab: what it counts is what a plain count finds, and its three names are chosen as it says."""

import numpy as np
import pytest
from matplotlib.colors import XKCD_COLORS

from autograd.errors.messages import show
from figures import attention_map
from figures.labs.attention_map import NAMES, RULES, fit, mean_map, read, untrained
from tests.lab_graphs import shown

FIRST = "at the first letter of its word"
AIMS = {  # of the letter e in "tea green", its second last: the places that each sentence means
    FIRST: [4],
    "at the letter before": [6],
    "at itself": [7],
    "at equal letters before": [1, 6],
    "at vowels": [1, 2, 6, 7],
}


def equal_maps(names):  # of a head that looks at all it sees alike
    return [np.tril(np.ones((len(name),) * 2)) / np.arange(1, len(name) + 1)[:, None] for name in names]


def test_untrained_head_seems_to_fit_a_false_claim():
    """The best three of a head that has learned nothing get 1.8 times what equal shares would; all names 0.88 times."""
    maps, names = untrained()
    assert names == NAMES and len(set(names)) == 41 and {f"xkcd:{name}" for name in names} <= XKCD_COLORS.keys()
    there, equal = {}, {}
    for found, name in zip(maps, names):
        assert not np.triu(found, 1).any() and found.sum(axis=1) == pytest.approx(1)
        for place in range(len(name)):
            start = name.rfind(" ", 0, place + 1) + 1
            if start < place - 1:
                there.setdefault(name, []).append(found[place, start])
                equal.setdefault(name, []).append(1 / (place + 1))
    best = sorted(there, key=lambda name: np.mean(equal[name]) - np.mean(there[name]))[:3]
    lab, means = attention_map(), [show(np.concatenate([*each.values()]).mean()) for each in (there, equal)]
    assert best == ["peach", "plum", "wheat"] == [shown(lab, i)["name"] for i in range(3)]
    assert [shown(lab)[key] for key in ("letters", "there", "equal", "times")] == ["165", *means, "0.88"]


@pytest.mark.parametrize("looks", RULES)
def test_uniform_head_supports_no_claim(looks):
    text, name = shown(attention_map(equal_maps(NAMES), NAMES, looks=looks)), "tea green"
    assert text["times"] == "1.00" and text["there"] == text["equal"]
    assert [at for row, at in fit(equal_maps([name])[0], name, looks).aims if row == 7] == AIMS[looks]
    assert looks != FIRST or [row for row, _ in fit(equal_maps([name])[0], name, looks).aims] == [2, 6, 7, 8]
    assert set(fit(np.full((9, 9), 1 / 9), name, "at itself").equal) == {1 / 9}, "without a mask"


def test_maps_are_read_singly_or_packed_and_averaged():
    packed = np.zeros((12, 12))
    for at, found in zip((0, 4, 7), maps := equal_maps(["blue", "red", "green"])):
        packed[at : at + len(found), at : at + len(found)] = found
    for given in (maps, packed):
        assert np.all([np.array_equal(*pair) for pair in zip(maps, read(given, ["blue", "red", "green"])[0])])
    found = mean_map([np.full((2, 2), 0.5), np.eye(3)], 3)
    np.testing.assert_allclose(found, [[0.75, 0.25, 0], [0.25, 0.75, 0], [0, 0, 1]])
