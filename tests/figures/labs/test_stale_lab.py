"""The stale lab: what it shows for closures is what the course's engine gives, for kept numbers what autograd gives."""

import pytest

from autograd import Value
from autograd.dual import forward_gradient
from exercises.engine_file import parts
from exercises.engine_file.trial import template_engine
from figures import stale
from figures.labs.stale import NUMBERS, TRUE, WAYS, run
from figures.page.style import number
from tests.lab_graphs import shown
from tests.labs import message_after

SOME = [
    NUMBERS,
    {"a": -1.5, "b": 4.0, "new": 0.0},
    {"a": 2.0, "b": -3.0, "new": 2.0},
    {"a": 0.5, "b": 0.0, "new": -5.0},
]


def left_by(engine, a, b, new):
    """a.grad and b.grad where a's number is changed between the passes."""
    a, b = engine(a), engine(b)
    y = a * b
    loss = y * y
    a.data = new
    loss.backward()
    return a.grad, b.grad


@pytest.mark.parametrize("numbers", SOME, ids=str)
def test_stale_grads_match_both_engines(numbers):
    found, text = run(numbers), shown(stale(**numbers))
    for engine in (template_engine().Value, parts.value_class("backward")):
        assert (found["closures"]["a"], found["closures"]["b"]) == left_by(engine, **numbers)
    assert (found["numbers"]["a"], found["numbers"]["b"]) == left_by(Value, **numbers)
    for key, a in (("before", numbers["a"]), ("after", numbers["new"])):
        for name, slope in zip("ab", forward_gradient(lambda a, b: (a * b) * (a * b), [a, numbers["b"]])):
            assert text[f"cell.{key}.{name}"] == number(slope)
    for i, way in enumerate(WAYS):
        wrong = abs(found[way]["b"] - found["numbers"]["b"]) > 1e-4
        assert text[f"cell.{way}.b"].endswith("✗") == wrong
        assert not (wrong and i)


def test_stale_lab_initial_numbers():
    """b.grad: 60 with closures, 24 with kept numbers, 150 after a new forward pass."""
    player = stale()
    text, stage = shown(player), player.spec["stage"]
    assert [text[f"cell.{key}.b"] for key in (*WAYS, *TRUE)] == ["60 ✗", "24", "24", "150"]
    assert message_after(player, new=-1.0) == "" and player.spec["stage"] == stage, "a change of a number moves nothing"


def test_edge_numbers_do_not_reveal_the_answer():
    """Where it asks, what was noted stands on an arrow only once it is used; else from the start."""
    for predict, seen in ((True, ["", "", "", "2", "2"]), (False, ["2"] * 5)):
        frames = stale(predict=predict).recording.frames
        assert [frame.updates["numbers.e2.1.local"]["text"] for frame in frames] == seen
        assert frames[2].updates["numbers.e3.0.local"]["text"] == "6"
