"""The workshop on right shapes: its products that fit, the Jacobian's size, and the sum whose axis is lost."""

import itertools
import re

import numpy as np
import pytest

from autograd.lessons.digits import network
from exercises.engine_file import check
from exercises.engines.wrong_tensors import AxisNotRestored, TensorEngine
from tests.notebooks import Lesson

LESSON = Lesson("the_shape_is_right")


def test_fitting_products_and_jacobian_size():
    counts = [len(fitting(*sizes)) for sizes in ((2, 3, 4), (2, 3, 3), (3, 3, 3))]
    arrays = dict(zip("XWG", np.random.RandomState(0).randn(3, 3, 3)))
    arrays |= {f"{name}ᵀ": array.T for name, array in arrays.items()}
    right = [text for text in fitting(3, 3, 3) if np.allclose(product(text, arrays), arrays["Xᵀ"] @ arrays["G"])]
    assert right == fitting(2, 3, 4) == ["Xᵀ @ G"]
    LESSON.says(f"there are {counts[1]}, and for 3, 3, 3 all {counts[2]} fit, and only one is right")
    size = (50 * 32) * (64 * 32)
    LESSON.says(f"{size:,} numbers, {size * 8 / 1e6:.0f} megabytes", f"{50 * 64 * 32:,} multiplications")
    assert LESSON["table"].grad.tolist() == [[10, 10, 10], [20, 20, 20]]


def fitting(n, k, m):
    """Return the products of two that have the shape of W."""
    shapes = {"X": (n, k), "W": (k, m), "G": (n, m)}
    shapes |= {f"{name}ᵀ": shape[::-1] for name, shape in shapes.items()}
    pairs = itertools.product(shapes, repeat=2)
    return [f"{one} @ {other}" for one, other in pairs if fit(shapes[one], shapes[other], (k, m))]


def fit(one, other, shape):
    """Return whether two shapes have a product of this shape."""
    return one[1] == other[0] and (one[0], other[1]) == shape


def product(text, arrays):
    one, other = (arrays[name] for name in text.split(" @ "))
    return one @ other


def test_sum_without_its_axis_learns_until_sizes_differ():
    right, wrong = (LESSON["train"](engine) for engine in (TensorEngine, AxisNotRestored))
    assert right == sorted(right, reverse=True) and wrong[1] < wrong[0] and right[1] < wrong[1] < 1 < max(wrong[2:])
    with pytest.raises(ValueError, match=re.escape("operands could not be broadcast together with shapes (50,) (50,")):
        LESSON["loss_of"](AxisNotRestored, [AxisNotRestored(p.data) for p in network()], range(50)).backward()
    sizes = {f"{np.abs(gradients).mean():.4f}" for gradients in LESSON["first"].values()}
    LESSON.says(f"both have the mean size {sizes.pop()}.")
    assert not sizes and check.kill_matrix([LESSON["square"]], arrays=True).score == 4
