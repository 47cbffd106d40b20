"""The workshop on attention: softmax's rule, the block and its mask, two wrong rules, and normalise by hand."""

import re

import numpy as np
import pytest

from autograd.tensor import Tensor
from figures.labs.attention import EXAMPLE
from tests.notebooks import Lesson

LESSON = Lesson("attention_by_hand", trains=True)


def test_attention_and_normalise_match_hand_calculation():
    q, k, v = (Tensor(EXAMPLE[name]) for name in "qkv")
    scores = q @ k.T + np.where(np.tri(3) > 0, 0.0, -1e9)
    p = scores.softmax()
    (p @ v)[2, 0].backward()
    LESSON.says(", ".join(f"{share:.4f}" for share in p.data[2]))
    LESSON.says(", ".join(f"{slope:.4f}" for slope in scores.grad[2]).replace("-", "−"))
    LESSON.says(f"· 3 = {(p.data[2] * p.grad[2]).sum():.4f}; the middle one's 0 is below it")
    assert LESSON["x"].grad.round(4).tolist() == [[0.5, -0.5, 0, 0]]
    by_three_ways, row = LESSON["by_three_ways"], np.array([[2.0, 2.5, 4.0, 3.0]])
    assert abs(by_three_ways(row, np.full((1, 4), 5.0))).max() < 1e-12
    assert abs(by_three_ways(row, Tensor(row).normalise().data)).max() < 5e-5
    size = {name: abs(gradients).mean() for name, gradients in LESSON["arrived"].items()}
    assert 2 < size["V"] / size["Q"] < 3 < 7.5 < size["O"] / size["Q"] < 8.5 and size["K"] < size["Q"]


@pytest.mark.long
def test_attention_block_without_mask_and_with_wrong_rules():
    LESSON.says(f"{sum(p.data.size for p in LESSON['net']):,} parameters")
    right = float(LESSON.output("exercises.folded(spelling.block_loss(attentive").rpartition(")")[2])
    assert f"{right:.2f}" == "1.46"
    loss, drawn = eval(LESSON.output("blind = spelling.trained_block"))
    assert f"{loss:.2f}" == "0.02" and drawn == [""] * 10
    rows, softmax = (LESSON.output(words) for words in ("class CountedOnce(Tensor):", "alone = spelling.trained_block"))
    assert "NO" in rows and "NO" in softmax and rows.startswith("(1.48")
    assert round(float(re.search(r"\d\.\d+", softmax)[0]), 1) in (1.7, 1.8)
