"""The broadcasting lab: what it folds is the engine's gradient, and each mistake leaves what its formula says."""

import numpy as np
import pytest

from autograd.errors.messages import show
from autograd.tensor import Tensor
from figures import broadcast
from figures.labs.broadcast import FOLDS, read
from tests.labs import ask, message
from tests.walks import assert_plays, shown

SHAPES = (
    *(((4, 3), (3,)), ((4, 1), (4, 3)), ((), (2, 3)), ((3, 1), (2, 3, 4)), ((4, 1), (1, 3)), ((3,), (3, 3))),
    *(((2, 3), (2, 3)), ((1,), ()), ((), ()), ((2, 1, 4), (3, 1))),
)


def grads(player, name):
    """{index in y: the gradient shown} of an operand's own numbers, those that are no copies, at the end."""
    marks = player.recording.frames[-1].marks
    cells = [key.rsplit(".", 1)[0] for key in marks if key.startswith(f"{name}.") and key.endswith(".grad")]
    return {key: marks[f"{key}.grad"]["text"] for key in cells if marks[key]["state"] != "off"}


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
@pytest.mark.parametrize("fold", FOLDS)
def test_a_sum_leaves_the_engines_gradient_and_each_other_way_what_its_formula_says(shapes, fold):
    random = np.random.RandomState(0)
    upstream = random.uniform(-2, 2, np.broadcast_shapes(*shapes))
    player = broadcast(*shapes, upstream=upstream, fold=fold)
    a, b = (Tensor(random.uniform(-1, 1, shape)) for shape in shapes)
    (a + b).backward(gradient=upstream)
    for name, tensor in (("a", a), ("b", b)):
        rows = [0] * (upstream.ndim - tensor.grad.ndim) + [slice(None) if size > 1 else 0 for size in tensor.shape]
        right = {
            "sum": tensor.grad,
            "mean": tensor.grad * tensor.grad.size / upstream.size,
            "first row": upstream[tuple(rows)],
            "not folded": upstream,
        }
        found = list(grads(player, name).values())
        assert sorted(found) == sorted(show(float(number)) for number in np.ravel(right[fold]))
        assert fold != "sum" or found == [show(number) for number in tensor.grad.flat]
    assert_plays(player)


def test_the_numbers_of_lesson_11():
    player = broadcast((4, 3), (3,), upstream=[[1, 2, 3], [1, 0, -1], [2, 2, 2], [0, 1, 0]])
    assert list(grads(player, "b").values()) == ["4.0000", "5.0000", "4.0000"]
    assert player.recording.frames[3].say == (
        "b[0] was used 4 times, and 4 gradients came: b.grad[0] = 1.0000 + 1.0000 + 2.0000 + 0.0000 = 4.0000."
    )
    assert read((4, 3), (3,)).upstream.tolist() == [[1, 2, 3], [1, 0, -1], [2, 2, 2], [0, 1, 0]], "without one, too"
    assert player.recording.frames[-1].say.endswith("What was repeated forward is summed backward.")


def test_ghosts_come_are_folded_and_go():
    frames = broadcast().recording.frames
    ghosts = {f"b.{row}.{column}" for row in (1, 2, 3) for column in range(3)}

    def off(frame):
        return {key for key, mark in frame.marks.items() if mark.get("state") == "off"}

    assert [len(off(frame)) for frame in frames] == [9, 0, 0, 0, 3, 6, 9]
    assert off(frames[0]) == off(frames[-1]) == ghosts and off(frames[4]) == {"b.1.0", "b.2.0", "b.3.0"}
    lit = {key: mark["state"] for key, mark in frames[4].marks.items() if mark.get("state") in ("target", "backward")}
    assert lit == {"b.0.1": "target"} | dict.fromkeys(
        ["b.1.1", "b.2.1", "b.3.1", "y.0.1", "y.1.1", "y.2.1", "y.3.1"], "backward"
    )
    assert [shown(broadcast(), i)["b.2.1.grad"] for i in (0, 1, 2)] == ["–", "–", "2.0000"]


def test_a_mistake_is_shown_beside_what_is_right():
    player = broadcast(fold="mean")
    text = shown(player, 4)
    assert (text["entry"], text["kept"], text["right"], text["used"]) == ("b[1]", "1.2500", "5.0000", "4 times")
    assert player.recording.frames[-1].say.endswith("But 3 of 3 numbers are wrong.")
    chance = broadcast((4, 1), (1, 3), fold="mean").recording.frames[4].say  # 1 + 0 - 1
    assert chance.endswith("Here that is the right number by chance.")
    player = broadcast(fold="not folded")
    assert player.recording.frames[-1].say.startswith("b.grad would have the shape (4, 3), b has (3,). In place, ")
    with pytest.raises(ValueError, match="non-broadcastable output"):  # as it says
        data = np.zeros(3)
        data -= 0.1 * np.ones((4, 3))


@pytest.mark.parametrize("fold", FOLDS)
def test_where_nothing_is_stretched_nothing_is_folded(fold):
    player = broadcast((2, 3), (2, 3), fold=fold)
    assert len(player.recording.frames) == 4
    assert player.recording.frames[-1].say == "Nothing was repeated, so nothing is summed: a.grad and b.grad are G."


def test_predictions_are_asked_and_mistakes_explained():
    player = broadcast(predict=True)
    asked = [frame.ask for frame in player.recording.frames]
    assert [i for i, ask in enumerate(asked) if ask] == [3, 4, 5]
    assert [ask["shown"] for ask in asked[3:6]] == ["4.0000", "5.0000", "4.0000"]
    told = {number: said for number, said in asked[4]["wrong"]}
    assert "the mean of the copies" in told[1.25] and "the first copy's" in told[2.0] and "the last copy's" in told[1.0]
    assert "over all places" in told[13.0]
    assert sum(bool(frame.ask) for frame in broadcast((2, 3, 4), (), predict=True).recording.frames) == 1
    assert sum(bool(frame.ask) for frame in broadcast((2, 3, 1), (4,), predict=True).recording.frames) == 6
    assert not any(frame.ask for frame in broadcast(predict=True, fold="mean").recording.frames)


def test_another_way_is_another_recording_and_a_size_alone_is_a_shape():
    player = broadcast()
    ask(player, fold="first row")
    assert message(player) == "" and shown(player, 4)["kept"] == "2.0000"
    assert broadcast(3, (2, 3)).recording.title == "y = a + b of shapes (3,) and (2, 3)"
