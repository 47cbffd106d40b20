"""The broadcasting lab: what it folds is the engine's gradient, and each mistake leaves what its formula says."""

import numpy as np
import pytest

from autograd.tensor import Tensor
from figures import broadcast
from figures.labs.broadcast import FOLDS
from figures.page.style import number
from tests.lab_graphs import assert_plays

SHAPES = (
    *(((4, 3), (3,)), ((4, 1), (4, 3)), ((), (2, 3)), ((3, 1), (2, 3, 4)), ((4, 1), (1, 3)), ((3,), (3, 3))),
    *(((2, 3), (2, 3)), ((1,), ()), ((), ()), ((2, 1, 4), (3, 1))),
)


def grads(player, name):
    """The gradients shown of an operand's own numbers, those that are no copies, at the end."""
    updates = player.recording.frames[-1].updates
    cells = [key.rsplit(".", 1)[0] for key in updates if key.startswith(f"{name}.") and key.endswith(".grad")]
    return [updates[f"{key}.grad"]["text"] for key in cells if updates[key]["state"] != "off"]


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
@pytest.mark.parametrize("fold", FOLDS)
def test_sum_gives_the_engines_gradient_and_mistakes_their_formula(shapes, fold):
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
        found = grads(player, name)
        assert sorted(found) == sorted(number(float(x)) for x in np.ravel(right[fold]))
        assert fold != "sum" or found == [number(x) for x in tensor.grad.flat]
    assert_plays(player)


def test_numbers_of_lesson_11():
    player = broadcast((4, 3), (3,), upstream=[[1, 2, 3], [1, 0, -1], [2, 2, 2], [0, 1, 0]])
    assert grads(player, "b") == ["4", "5", "4"] == grads(broadcast(), "b")
