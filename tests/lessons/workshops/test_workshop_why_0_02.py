"""Why do weights start at 0.02? Its numbers are what the microscope's network and floats give."""

import math
import re

import numpy as np
import pytest

from autograd.lessons.depth import deep_pass
from figures import microscope
from tests.notebooks import Lesson

WORKSHOP = Lesson("why_0_02", trains=True)


def test_weights_of_0_02_in_plain_and_residual_networks():
    gain = math.sqrt(768) * 0.02
    WORKSHOP.says(f"{gain:.3f}, and {gain**11:.4f}. By this alone", f"n = 1/0.02² = {1 / 0.02**2:,.0f} inputs")
    ratios = [WORKSHOP[name].ratio for name in ("plain", "residual", "scaled")]
    WORKSHOP.says("{:.4f}, {:.2f} and {:.3f}. That is the answer".format(*ratios))

    def drawn(rng, n):
        return 0.02 * rng.standard_normal((n, n))

    wide = deep_pass("tanh", drawn, width=768, batch=8)
    assert wide.weights_gain.mean() == pytest.approx(gain, rel=0.05) and wide.ratio < 0.005


def test_relu_sigmoid_and_residual_scale_results():
    small = deep_pass("relu", "normal", gain=0.01)
    assert 1e8 < deep_pass("sigmoid", "xavier").ratio / small.ratio < 1e9
    WORKSHOP.says(
        f"√32 × 0.01 = {math.sqrt(32) * 0.01:.3f}", f"0.15, and for 30 layers the 29th root, {1e-9 ** (1 / 29):.2f}"
    )
    for depth, at, word in ((12, 6.6, "vanishes"), (12, 6.8, "arrives"), (20, 7.8, "vanishes"), (20, 8.0, "arrives")):
        assert word in microscope("sigmoid", "xavier", gain=at, depth=depth).slide.say
    given = {"activation": "relu", "init": "he", "depth": 30, "residual": True}
    for scale, left in ((30**-0.5, "2.7"), (60**-0.5, "1.6"), (1 / 30, "1.01")):
        said = microscope(**given, residual_scale=scale).slide.say
        found = re.search(r"over seeds 0 to 4 is ([\d.]+): it arrives", said)[1]
        assert f"{float(found):.{len(left) - 2}f}" == left


def test_two_published_figures_and_a_matrix_power():
    one, two = np.array(WORKSHOP["nets"]).T
    WORKSHOP.says(f"{two.mean():.4f} in layer 2 and {one.mean():.4f} in layer 1", f"in {(two > one).sum()} of 100 nets")
    WORKSHOP.says(f"is {(two - one).mean():.3f}, and its standard", f"is {(two - one).std(ddof=1) / 10:.3f}. So this")
    sizes = microscope(preset="twelve sigmoids").slide.sizes
    assert max(i for i, size in enumerate(sizes, start=1) if size < 1e-6) == 3
    WORKSHOP.says(f"layer 3, with {sizes[2]:.3e}", f"which leaves {sizes[0]:.3e}")
    WORKSHOP.says(f"1.1⁵⁰ = {1.1**50:.0f}, and 0.9⁵⁰ = {0.9**50:.3f}")
