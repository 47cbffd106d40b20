"""The workshop that trains without an engine: each typed prediction, the formula, and the relu without its mask."""

import numpy as np
import pytest

import autograd
from autograd.lessons import digits
from tests.notebooks import Lesson

LESSON = Lesson("a_batch_by_hand")


def test_typed_predictions_match_the_engine():
    loss = LESSON["loss"]
    loss.backward(reset="all")
    grad = {node.label: node.grad for node in autograd.topological_order(loss)}
    z = (LESSON["p"] - [[1, 0, 0], [0, 1, 0]]) / 2
    assert [grad[f"z{i}{j}"] for i in (0, 1) for j in range(3)] == pytest.approx(z.ravel(), rel=1e-12)
    assert grad["e00"] == pytest.approx(grad["z00"]) and grad["s0"] == grad["e01"]
    LESSON.says(
        f"{grad['l0']:g} for l0".replace("-", "−"),
        f"/ 1.5032² = {grad['s0']:.4f} for s0",
        "= {:.4f}. The less likely".format(grad["p00"]).replace("-", "−"),
        "{:.4f}, {:.4f} and {:.4f}".format(*(grad[f"z0{j}"] for j in range(3))).replace("-", "−"),
        "passes {:.2f}, while".format(grad["p11"]).replace("-", "−"),
    )
    assert abs(z).max() <= 1 and z.sum(axis=1) == pytest.approx([0, 0], abs=1e-15)


def test_manual_gradients_match_and_a_missing_mask_still_trains():
    zeros = (LESSON["by_hand"][0] == 0).mean()
    LESSON.says(f"{100 * zeros:.0f} % of the gradients of W1 are exactly 0")
    assert LESSON["far"] < 1e-12
    for way in (digits.by_hand, LESSON["without_mask"]):
        assert int(LESSON["trained"](way)[:-2]) == pytest.approx(97, abs=1)
    right, wrong, slopes = (
        np.array([found[place] if isinstance(found, np.ndarray) else found(place) for place in LESSON["places"]])
        for found in (LESSON["by_hand"][0], LESSON["without_mask"](*LESSON["first"])[1][0], LESSON["slope"])
    )
    assert slopes == pytest.approx(right, abs=1e-8) and abs(wrong - right).max() > 1e-3
