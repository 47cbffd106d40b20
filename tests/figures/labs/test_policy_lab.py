"""The policy lab: its table holds what `backward(reset=…)` leaves, for the reference numbers and for any others."""

import pytest

from autograd import Value, topological_order
from autograd.errors.messages import show
from figures import policy
from figures.labs.policy import DEEPEST, NUMBERS, POLICIES, run
from figures.page import style as drawing
from tests.approve import approved
from tests.lab_graphs import shown
from tests.labs import message_after, questions


def cells(player, group, turn):
    """The numbers of a column of the table, by policy."""
    return {reset: shown(player)[f"cell.{reset}.{group}.{turn}"] for reset in POLICIES}


@pytest.mark.parametrize("k", range(DEEPEST + 1))
def test_reset_nothing_gives_k_plus_2_on_every_chain(k):
    """k + 2, which an exercise asks for: the lab shows each number, and never says the formula."""
    player = policy(k)
    assert set(cells(player, "chain", 1).values()) == {"1.0000"}
    assert cells(player, "chain", 2) == {"nothing": f"{k + 2}.0000", "all": "1.0000", "intermediates": "2.0000"}
    assert "k +" not in player.render_text() and "k +" not in policy.__doc__
    frame = player.recording.frames[14]
    grads = [frame.updates[f"slot.{slot}.grad"]["text"] for slot in range(DEEPEST + 2)]
    assert grads == [f"{k + 2 - slot}" for slot in range(k + 2)] + [""] * (DEEPEST - k)


@pytest.mark.parametrize("numbers", [NUMBERS, {"a": -1.5, "b": 4.0, "d": 2.5, "x1": -2.0, "x2": 4.5}])
def test_policy_numbers_match_the_engine_after_a_change(numbers):
    """The grads of a, b and d after one and after two passes, and of w after two mini-batches."""
    player, stage = policy(), policy().spec["stage"]
    assert message_after(player, **numbers) == "" and player.spec["stage"] == stage, (
        "a change of a number moves nothing"
    )
    for reset in POLICIES:
        a, b, d, w = (Value(x) for x in (numbers["a"], numbers["b"], numbers["d"], 1.0))
        e = (a + b) * d
        for turn in (1, 2):
            e.backward(reset=reset)
            assert cells(player, "passes", turn)[reset] == ", ".join(show(leaf.grad) for leaf in (a, b, d))
            (w * numbers[f"x{turn}"]).backward(reset=reset)
            assert cells(player, "batches", turn)[reset] == show(w.grad)
            if reset == "nothing" and numbers == NUMBERS:
                updates = player.recording.frames[turn].updates
                grads = [updates[f"passes.n{i}.grad"]["text"] for i in range(5)]
                assert grads == [drawing.number(node.grad) for node in topological_order(e)]


def test_six_predictions_ask_for_leaf_grads():
    frames, events = policy(2, predict=True).recording.frames, run(NUMBERS, 2)
    asked = [(frame.ask, event) for frame, event in zip(frames[1:], events) if frame.ask]
    assert len(asked) == 6
    for question, event in asked:
        leaf = {"passes": "a", "batches": "w", "chain": "x"}[event.group]
        assert question["answer"] == event.grads[leaf] and question["what"].startswith(f"{leaf}.grad after the ")
        for number, sentence in question["wrong"]:
            if sentence.startswith("That is what reset "):
                named = sentence.removeprefix("That is what reset ").split(" leaves")[0].split(" or ")
                same = [e for e in events if (e.group, e.turn) == (event.group, event.turn) and e.policy in named]
                assert len(same) == len(named) and {e.grads[leaf] for e in same} == {number}


def test_policy_wrong_prediction_messages():
    none, one, two = (questions(policy(k, predict=True)) for k in (0, 1, 2))
    approved("policy_asked", "\n".join([one[0], *one[2:4], none[4], two[4]]))
