"""The policy lab: its table holds what `backward(reset=…)` leaves, for the reference numbers and for any others."""

import pytest

from autograd import Value, topological_order
from autograd.messages import show
from figures import policy
from figures.labs.policy import DEEPEST, NUMBERS, POLICIES, run
from tests.walks import ask, assert_plays, shown

ASKED_BEFORE = [1, 5, 9, 11, 13, 17]  # the places of the events that are to be predicted


def cells(player, group, turn, index=-1):
    """The numbers of a column of the table, by policy."""
    text = shown(player, index)
    return {reset: text[f"cell.{reset}.{group}.{turn}"] for reset in POLICIES}


def test_the_second_backward():
    """The grads of a, b and d after one and after two passes, and of w after two mini-batches."""
    player = policy()
    assert set(cells(player, "passes", 1).values()) == {"1.0000, 1.0000, 5.0000"}
    assert cells(player, "passes", 2) == {
        "nothing": "3.0000, 3.0000, 10.0000",
        "all": "1.0000, 1.0000, 5.0000",
        "intermediates": "2.0000, 2.0000, 10.0000",
    }
    assert set(cells(player, "batches", 1).values()) == {"3.0000"}
    assert cells(player, "batches", 2) == {"nothing": "8.0000", "all": "5.0000", "intermediates": "8.0000"}


@pytest.mark.parametrize("k", range(DEEPEST + 1))
def test_the_factor_of_every_chain(k):
    """k + 2, which an exercise asks for: the lab shows each number, and never says the formula."""
    player = policy(k)
    assert set(cells(player, "chain", 1).values()) == {"1.0000"}
    assert cells(player, "chain", 2) == {"nothing": f"{k + 2}.0000", "all": "1.0000", "intermediates": "2.0000"}
    frame = player.recording.frames[14]
    assert frame.say.startswith(f"Reset nothing, second pass: x.grad = {k + 2}.0000. {k + 2} times the gradient")
    assert "k +" not in player.text() and "k +" not in policy.__doc__
    grads = [frame.marks[f"slot.{slot}.grad"]["text"] for slot in range(DEEPEST + 2)]
    assert grads == [f"{k + 2 - slot}.0000" for slot in range(k + 2)] + [""] * (DEEPEST - k)
    states = [frame.marks[f"slot.{slot}"]["state"] for slot in range(DEEPEST + 2)]
    assert states == ["on"] * (k + 2) + ["off"] * (DEEPEST - k)


def test_the_numbers_are_the_engines_after_a_change():
    player = policy()
    numbers = {"a": -1.5, "b": 4.0, "d": 2.5, "x1": -2.0, "x2": 4.5}
    assert ask(player, **numbers) == ""
    for reset in POLICIES:
        a, b, d, w = (Value(x) for x in (-1.5, 4.0, 2.5, 1.0))
        e = (a + b) * d
        for turn in (1, 2):
            e.backward(reset=reset)
            assert cells(player, "passes", turn)[reset] == ", ".join(show(leaf.grad) for leaf in (a, b, d))
        for turn, x in enumerate((-2.0, 4.5), start=1):
            (w * x).backward(reset=reset)
            assert cells(player, "batches", turn)[reset] == show(w.grad)
    text = shown(player)
    assert text["passes.n0.data"] == "-1.5000" and text["batches.n3.data"] == "4.5000"


def test_the_drawing_shows_the_grads_of_every_node():
    player = policy(2)
    events = run(NUMBERS, 2)
    a, b, d = (Value(x) for x in (3.0, 2.0, 1.0))
    c = a + b
    e = c * d
    e.backward(reset="nothing")
    e.backward(reset="nothing")
    assert events[1].grads == {"a": a.grad, "b": b.grad, "c": c.grad, "d": d.grad, "e": e.grad}
    frame = player.recording.frames[2]
    drawn = [frame.marks[f"passes.n{i}.grad"]["text"] for i in range(5)]
    assert drawn == [show(node.grad) for node in topological_order(e)]
    assert frame.marks["now.passes"]["text"] == "reset nothing, second pass"
    assert frame.marks["batches.n0.grad"]["text"] == "–"


def test_the_table_fills_step_by_step_and_asks_first():
    """Each frame has one number more; before six of them a question mark stands, and the sentence asks for it."""
    frames = policy().recording.frames
    assert len(frames) == 20
    for turn, frame in enumerate(frames[:19]):
        texts = [mark["text"] for key, mark in frame.marks.items() if key.startswith("cell.")]
        assert sum(text not in ("", "?") for text in texts) == turn
        assert texts.count("?") == ("Predict" in frame.say) == (turn in ASKED_BEFORE)
    assert frames[0].say == "Nothing has been run yet. Next: reset nothing, first pass."
    assert frames[1].say.endswith(
        "Next: reset nothing, second pass. Predict a.grad, b.grad and d.grad. Will they double?"
    )
    assert frames[2].say == (
        "Reset nothing, second pass: a.grad, b.grad and d.grad = 3.0000, 3.0000 and 10.0000. c still held 1.0000, so "
        "it passed on 2.0000; a and b got that on top, and came to 3 times the gradient; d to 2 times. "
        "Next: reset all, first pass."
    )
    assert "Reset nothing counts 3 times with k = 1" in frames[-1].say


@pytest.mark.parametrize("k", [0, 1, DEEPEST])
def test_what_the_browser_changes_is_what_python_renders(k):
    assert_plays(policy(k))


def test_a_change_of_a_number_moves_nothing():
    """The stage is the same text, so the page keeps it: also the chain keeps its room."""
    player = policy(0)
    before = player.spec["stage"]
    for changed in ({"k": DEEPEST}, {"a": -4.5}, {"x2": 1.5}):
        ask(player, **changed)
        assert player.spec["stage"] == before
    assert shown(player)["passes.n0.data"] == "-4.5000"


# Predictions


def test_predictions_before_six_passes():
    """Each asks for a leaf's grad after the pass; what other policies give is named, and is what they give."""
    frames = policy(2, predict=True).recording.frames
    events = run(NUMBERS, 2)
    assert [i - 1 for i, frame in enumerate(frames) if frame.ask] == ASKED_BEFORE
    for frame, event in [(frames[i + 1], events[i]) for i in ASKED_BEFORE]:
        leaf = {"passes": "a", "batches": "w", "chain": "x"}[event.group]
        assert frame.ask["answer"] == event.grads[leaf] and frame.ask["shown"] == show(event.grads[leaf])
        assert frame.ask["what"].startswith(f"{leaf}.grad after the ") and event.policy in frame.ask["what"]
        for number, sentence in frame.ask["wrong"]:
            assert show(number) != frame.ask["shown"]
            if sentence.startswith("That is what reset "):
                named = sentence.removeprefix("That is what reset ").split(" leaves")[0].split(" or ")
                same = [e for e in events if (e.group, e.turn) == (event.group, event.turn) and e.policy in named]
                assert len(same) == len(named) and {e.grads[leaf] for e in same} == {number}
                assert event.policy not in named
    assert all(frame.ask is None for frame in policy(2).recording.frames)


def test_what_wrong_predictions_of_the_second_pass_mean():
    frames = policy(1, predict=True).recording.frames
    told = dict(map(tuple, frames[2].ask["wrong"]))
    assert told[2.0] == "That is what reset intermediates leaves. Here it is reset nothing: no old grad is cleared."
    assert told[1.0].startswith("That is what reset all leaves.")
    assert told[10.0] == "That is d.grad. This asks for a.grad."
    assert dict(map(tuple, frames[12].ask["wrong"]))[3.0] == "That is what stood there before this pass."
    assert dict(map(tuple, frames[6].ask["wrong"]))[10.0] == "That is d.grad. This asks for a.grad."


@pytest.mark.parametrize(
    ("k", "at", "hint"),
    [
        (
            1,
            2,
            "Reset nothing: no old grad is cleared. So which of the old grads are still there when this pass begins: "
            "a.grad or c.grad? And what does the pass bring to a?",
        ),
        (
            0,
            12,
            "Reset intermediates: all but the leaves', as in PyTorch. So which of the old grads are still there when "
            "this pass begins: w.grad? And what does the pass bring to w?",
        ),
        (
            2,
            14,
            "Reset nothing: no old grad is cleared. So which of the old grads are still there when this pass begins: "
            "x.grad, n1.grad or n2.grad? And what does the pass bring to x?",
        ),
    ],
)
def test_any_other_number_is_answered_by_a_question(k, at, hint):
    assert policy(k, predict=True).recording.frames[at].ask["hint"] == hint


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"k": 7}, "k is a whole number from 0 to 6, got 7."),
        ({"k": 1.5}, "k is a whole number from 0 to 6, got 1.5."),
        ({"k": "two"}, "k is a whole number from 0 to 6, got 'two'."),
        *(({name: None}, f"{name} needs a real number, got None.") for name in NUMBERS),
        ({"a": float("inf")}, "a is a number on a slider"),
    ],
)
def test_bad_input_gets_a_sentence_and_the_last_picture_stays(changed, sentence):
    player = policy(2)
    before = player.spec
    assert ask(player, **changed).startswith(sentence)
    assert player.spec == {**before, "message": player.spec["message"]}
    assert ask(player, k=3) == ""


@pytest.mark.parametrize("k", [-1, 7, 0.5, "1", None, True])
def test_wrong_arguments_get_a_sentence(k):
    with pytest.raises((ValueError, TypeError), match=r"^k "):
        policy(k)
