"""The policy lab: its table holds what `backward(reset=…)` leaves, for the reference numbers and for any others."""

import pytest

from autograd import Value, topological_order
from autograd.errors.messages import show
from figures import policy
from figures.labs.policy import DEEPEST, NUMBERS, POLICIES, run
from tests.approve import approved
from tests.labs import ask, questions, told
from tests.walks import assert_plays, shown

ASKED_BEFORE = [1, 5, 9, 11, 13, 17]  # the places of the events that are to be predicted


def cells(player, group, turn, index=-1):
    """The numbers of a column of the table, by policy."""
    text = shown(player, index)
    return {reset: text[f"cell.{reset}.{group}.{turn}"] for reset in POLICIES}


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


@pytest.mark.parametrize("numbers", [NUMBERS, {"a": -1.5, "b": 4.0, "d": 2.5, "x1": -2.0, "x2": 4.5}])
def test_the_numbers_are_the_engines_also_after_a_change(numbers):
    """The grads of a, b and d after one and after two passes, and of w after two mini-batches."""
    player = policy()
    assert told(player, **numbers) == ""
    for reset in POLICIES:
        a, b, d, w = (Value(x) for x in (numbers["a"], numbers["b"], numbers["d"], 1.0))
        e = (a + b) * d
        for turn in (1, 2):
            e.backward(reset=reset)
            assert cells(player, "passes", turn)[reset] == ", ".join(show(leaf.grad) for leaf in (a, b, d))
            (w * numbers[f"x{turn}"]).backward(reset=reset)
            assert cells(player, "batches", turn)[reset] == show(w.grad)
    text = shown(player)
    assert text["passes.n0.data"] == show(numbers["a"]) and text["batches.n3.data"] == show(numbers["x2"])


def test_the_drawing_shows_the_grads_of_every_node():
    a, b, d = (Value(x) for x in (3.0, 2.0, 1.0))
    c = a + b
    e = c * d
    for _ in range(2):
        e.backward(reset="nothing")
    assert run(NUMBERS, 2)[1].grads == {name: node.grad for name, node in zip("abcde", (a, b, c, d, e))}
    marks = policy(2).recording.frames[2].marks
    assert [marks[f"passes.n{i}.grad"]["text"] for i in range(5)] == [show(node.grad) for node in topological_order(e)]
    assert marks["now.passes"]["text"] == "reset nothing, second pass" and marks["batches.n0.grad"]["text"] == "–"


def test_the_table_fills_step_by_step_and_asks_first():
    """Each frame has one number more; before six of them a question mark stands, and the sentence asks for it."""
    frames = policy().recording.frames
    assert len(frames) == 20
    for turn, frame in enumerate(frames[:19]):
        texts = [mark["text"] for key, mark in frame.marks.items() if key.startswith("cell.")]
        assert sum(text not in ("", "?") for text in texts) == turn
        assert texts.count("?") == ("Predict" in frame.say) == (turn in ASKED_BEFORE)


def test_a_change_of_a_number_moves_nothing():
    """The stage is the same text, so the page keeps it: also the chain keeps its room."""
    player = policy(0)
    before = player.spec["stage"]
    for changed in ({"k": DEEPEST}, {"a": -4.5}, {"x2": 1.5}):
        ask(player, **changed)
        assert player.spec["stage"] == before
        assert_plays(player)
    assert shown(player)["passes.n0.data"] == "-4.5000"


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


def test_what_wrong_predictions_mean():
    none, one, two = (questions(policy(k, predict=True)) for k in (0, 1, 2))
    approved("policy_asked", "\n".join([one[0], *one[2:4], none[4], two[4]]))
