"""The attention map lab: what it counts is what a plain count finds, and its three names are chosen as it says."""

import numpy as np
import pytest
from matplotlib.colors import XKCD_COLORS

from autograd.errors.messages import show
from figures import attention_map
from figures.labs.attention_map import NAMES, RULES, fit, mean_map, read, untrained
from tests.labs import ask, message, questions, told
from tests.walks import assert_plays, shown

FIRST = "at the first letter of its word"


def equal_maps(names):
    """The maps of a head that looks at all it sees alike."""
    return [np.tril(np.ones((len(name),) * 2)) / np.arange(1, len(name) + 1)[:, None] for name in names]


def test_the_default_is_an_untrained_head_over_real_names():
    maps, names = untrained()
    assert names == NAMES and len(set(names)) == 41 and all(f"xkcd:{name}" in XKCD_COLORS for name in names)
    for found, name in zip(maps, names):
        assert found.shape == (len(name), len(name)) and not np.triu(found, 1).any()
        np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-12)


def test_three_names_fit_a_sentence_that_is_false_of_all():
    """The best three of a head that has learned nothing get 1.8 times what equal shares would; all names 0.88 times."""
    maps, names = untrained()
    there, equal = {}, {}
    for found, name in zip(maps, names):
        for place in range(len(name)):
            start = name.rfind(" ", 0, place + 1) + 1
            if start < place - 1:
                there.setdefault(name, []).append(found[place, start])
                equal.setdefault(name, []).append(1 / (place + 1))
    above = {name: np.mean(there[name]) - np.mean(equal[name]) for name in there}
    best = sorted(above, key=above.get, reverse=True)[:3]
    lab = attention_map()
    assert best == ["peach", "plum", "wheat"] == [shown(lab, i)["name"] for i in range(3)]
    whole = np.concatenate([*there.values()]), np.concatenate([*equal.values()])
    text = shown(lab)
    assert (text["letters"], text["there"], text["equal"]) == ("165", show(whole[0].mean()), show(whole[1].mean()))
    assert (text["there"], text["times"]) == ("0.1947", "0.88")
    three = np.concatenate([there[name] for name in best]), np.concatenate([equal[name] for name in best])
    said = f"In all three it is {show(three[0].mean())}, and equal shares would give {show(three[1].mean())}."
    assert said in lab.recording.frames[2].say and three[0].mean() / three[1].mean() == pytest.approx(1.79, abs=0.005)
    assert lab.recording.frames[3].say.endswith("The three that you saw were the best of 41.")
    assert_plays(lab)


def test_a_map_shows_its_shares_and_outlines_what_the_sentence_means():
    maps, names = untrained()
    lab = attention_map()
    plum = maps[names.index("plum")]
    text, marks = shown(lab, 1), lab.recording.frames[1].marks
    for i in range(4):
        assert text[f"share.3.{i}"] == f"{plum[3, i]:.2f}".removeprefix("0")
    states = {key: mark["state"] for key, mark in marks.items() if key.startswith("look.")}
    assert {key for key, state in states.items() if state == "aim"} == {"look.2.0", "look.3.0"}
    assert sum(state != "off" for state in states.values()) == 10
    assert marks["bars.all"]["d"] == "M0,0" and lab.recording.frames[3].marks["bars.all"]["d"] != "M0,0"


def test_the_mean_of_all_maps_is_over_those_that_have_the_letter():
    maps = [np.full((2, 2), 0.5), np.eye(3)]
    np.testing.assert_allclose(mean_map(maps, 3), [[0.75, 0.25, 0], [0.25, 0.75, 0], [0, 0, 1]])


@pytest.mark.parametrize("looks", RULES)
def test_a_head_of_equal_shares_bears_no_sentence_out(looks):
    lab = attention_map(equal_maps(NAMES), NAMES, looks=looks)
    assert shown(lab)["times"] == "1.00" and shown(lab)["there"] == shown(lab)["equal"]


def test_each_sentence_means_the_places_that_it_says():
    name = "tea green"
    found = equal_maps([name])[0]
    aims = {looks: [place for place in fit(found, name, looks).aims if place[0] == 7] for looks in RULES}
    assert aims == {
        FIRST: [(7, 4)],
        "at the letter before": [(7, 6)],
        "at itself": [(7, 7)],
        "at equal letters before": [(7, 1), (7, 6)],
        "at vowels": [(7, 1), (7, 2), (7, 6), (7, 7)],
    }
    starts = [row for row, _ in fit(found, name, FIRST).aims]
    assert starts == [2, 6, 7, 8], "no space, no first letter and no second"
    whole = fit(np.full((9, 9), 1 / 9), name, "at itself")  # no mask
    assert set(whole.equal) == {1 / 9}


def test_maps_come_one_by_one_or_along_the_diagonal_of_one_array():
    names = ["blue", "red", "green"]
    maps = equal_maps(names)
    packed = np.zeros((12, 12))
    for at, found in zip((0, 4, 7), maps):
        packed[at : at + len(found), at : at + len(found)] = found
    for given in (maps, packed):
        assert all(map(np.array_equal, read(given, names)[0], maps))
    assert [shown(attention_map(packed, names, chosen="come first"), i)["name"] for i in range(3)] == names


def test_the_mean_is_asked_before_it_is_shown():
    lab = attention_map(predict=True)
    assert [bool(frame.ask) for frame in lab.recording.frames] == [False, False, False, True]
    assert questions(lab)[0].startswith("the mean share there over all 41 names: 0.1947. 0.4815")


def test_other_names_are_shown_on_the_page_and_a_sentence_of_too_few_is_refused():
    lab = attention_map()
    ask(lab, chosen="come first")
    assert message(lab) == "" and [shown(lab, i)["name"] for i in range(3)] == ["apricot", "blood red", "blue grey"]
    names = ["blue", "red", "pink"]
    few = attention_map(equal_maps(names), names)
    assert told(few, looks="at equal letters before") == (
        "this lab shows 3 names of at most 20 characters to which the sentence applies; there are 0 here."
    )
