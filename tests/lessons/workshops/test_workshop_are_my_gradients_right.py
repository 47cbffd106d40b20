"""How do I know that my gradients are right? Its numbers are what floats, dual numbers and the engines give."""

import pytest

from autograd.dual import forward_gradient
from exercises.engine_file import check
from figures.labs.nudge import METHODS, NUDGES, Case, best
from tests.notebooks import Lesson

WORKSHOP = Lesson("are_my_gradients_right", with_solutions=True)
POINT = [0.5, -1.6]


def test_difference_errors_have_a_valley_and_fail_at_a_corner():
    case, far = Case("tanh(x)²", 0.775), Case("tanh(x)²", 2.0)
    forward, central = (best([case.slope(h, method) for h in NUDGES]) for method in METHODS)
    assert 5e-10 < forward.error < 1e-8 and 1e-6 <= central.h <= 1e-5 and 1e-12 < central.error < 5e-11
    assert far.slope(1e-16, "forward").slope == 0 and 0.775 + 1e-17 == 0.775
    WORKSHOP.says(f"although the true slope is {far.truth:.4f}", f"The true slope is {case.truth:.4f}")
    found = [f"{Case('x³', 2.0).slope(0.1, method).slope:.6g}" for method in METHODS]
    WORKSHOP.says("it gives {}. Nudging both ways is a **central difference**, which gives {}:".format(*found))
    nudges = {method: {h: case.slope(h, method).error for h in (1e-2, 1e-5, 1e-8, 1e-12)} for method in METHODS}
    assert [min(errors, key=errors.get) for errors in nudges.values()] == [1e-8, 1e-5]
    corner = {x: {h: Case("relu(x)", x).slope(h, "central").slope for h in NUDGES} for x in (0.0, 0.025)}
    off = [h for h, slope in corner[0.025].items() if abs(slope - 1) > 1e-3 and h > 1e-12]
    assert {*corner[0.0].values()} == {0.5} and off == [h for h in NUDGES if h > 0.025]
    WORKSHOP.says(f"h = {max(off):g} down to h = {min(off)}, where it says {corner[0.025][min(off)]:g}")
    assert WORKSHOP["forgetful_slopes"](WORKSHOP["total"], [2.0, -3.0, 10.0]) == pytest.approx([-3, -1, 0], abs=2e-3)


def test_gaps_histogram_and_blind_spot_of_gradient_checks():
    gap, wrong, right, assigned = (WORKSHOP[name] for name in ("gap", "wrong", "right", "assigned"))
    WORKSHOP.says("`backward()` says {:.4f} for a and {:.4f} for b".format(*forward_gradient(WORKSHOP["f"], POINT)))
    WORKSHOP.says(f"M12 is off by {gap(wrong['M12']):.4f}, and M14 by only {gap(wrong['M14']):.4f}", "6e-12")
    large, small = sum(e > 1e-6 for e in assigned), sum(e < 1e-9 for e in assigned)
    assert len(right) == len(assigned) == 300 and max(right) < 1e-9 and gap(WORKSHOP["Value"]) < 1e-10
    WORKSHOP.says(f"{large} of its errors are above 1e-6", f"but {small} are as small as the right engine's")
    WORKSHOP.shows("(2.0, 1.0, 1.0000000000065512)", "(True, True)")
    assert WORKSHOP["check_gradients"](wrong["M18"], lambda v: 1 - v, [3.0]) < 1e-10
    assert check.kill_matrix([(lambda v: 1 - v, [3.0])]).killed[0][17]  # by its value
