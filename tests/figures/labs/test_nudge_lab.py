"""The nudge lab: slopes are difference quotients, the true slope is the engine's, the errors are the course's."""

import math
import re

import pytest

from autograd import Dual, Value, numerical_gradient
from figures.labs import nudge as module
from figures.labs.nudge import FUNCTIONS, NUDGES, STRAIGHT, Case, record
from figures.page.style import steady
from tests.approve import approved
from tests.pictures import texts

PLAIN = {
    "x²": lambda x: x * x,
    "x³": lambda x: x**3,
    "tanh(x)": math.tanh,
    "tanh(x)²": lambda x: math.tanh(x) ** 2,
    "sin(x)": math.sin,
    "exp(x)": math.exp,
    "relu(x)": lambda x: max(0.0, x),
}


def frame(recording, h):
    """The frame of a nudge."""
    return recording.frames[NUDGES.index(h)]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("x", [-2.5, -0.3, 0.775, 2.0])
def test_functions_slopes_and_differences_match_plain_python(function, x):
    case, f = Case(function, x), PLAIN[function]
    assert case.f(x) == pytest.approx(f(x), rel=1e-15, abs=1e-300)
    assert case.truth == pytest.approx(FUNCTIONS[function][0](Dual(x, 1.0)).derivative, rel=1e-13, abs=1e-300)
    for h in (0.5, 1e-3, 1e-5):
        assert case.slope(h, "forward").slope == pytest.approx((f(x + h) - f(x)) / h, abs=1e-13 / h)
        assert case.slope(h, "central").slope == pytest.approx((f(x + h) - f(x - h)) / (2 * h), abs=1e-13 / h)
        (numeric,) = numerical_gradient(lambda v: FUNCTIONS[function][0](Value(float(v))), [x], h)
        assert case.slope(h, "central").slope == numeric


@pytest.mark.parametrize("method", module.METHODS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_frame_shows_its_errors(function, method):
    """And of the errors those down to its h: the chart ends there, and the best is the best of those."""
    recording, case, errors = record(function, -0.6, method), Case(function, -0.6), []
    for i, (h, one) in enumerate(zip(NUDGES, recording.frames, strict=True)):
        found = case.slope(h, method)
        errors.append(found.error)
        stage = texts(recording.render(one.updates))
        assert (stage["sum.h"], stage["sum.slope"]) == (f"{h:g}", steady(found.slope))
        assert (stage["sum.truth"], stage["sum.error"]) == (steady(case.truth), steady(found.error))
        assert stage["sum.best"] == steady(min(errors))
        for name in module.METHODS:
            points = re.findall(r"[ML]([\d.]+),([\d.]+)", one.updates[f"error.{name}"]["d"])
            assert len(points) == i + 1 and float(points[-1][0]) == pytest.approx(module.SIZES(h), abs=0.06)


def test_secant_passes_its_points_and_zoom_shows_rounding():
    updates = frame(record("x²", 1.0, "forward"), 1.0).updates
    points = [tuple(map(float, pair)) for pair in re.findall(r"([\d.]+),([\d.]+)", updates["secant"]["d"])]
    (ax, ay), (bx, by) = points
    for key in ("above", "below"):
        cx, cy = float(updates[key]["cx"]), float(updates[key]["cy"])
        assert ay + (by - ay) * (cx - ax) / (bx - ax) == pytest.approx(cy, abs=0.3)
    curves = [frame(record("tanh(x)", 0.775, "forward"), h).updates["rise.curve"]["d"] for h in (1e-3, 1e-15)]
    smooth, stairs = (len({y for _, y in re.findall(r"([\d.]+),([\d.]+)", d)}) for d in curves)
    assert smooth > 80 and stairs < 25


def test_sentence_names_the_source_of_the_error():
    cases = (
        ("tanh(x)", 0.775, "forward", 0.1),
        ("tanh(x)", 0.775, "forward", 1e-12),
        ("exp(x)", 2.0, "forward", 1e-16),
        ("relu(x)", -0.05, "forward", 0.1),
        ("relu(x)", -0.05, "forward", 0.01),
        ("relu(x)", 0.0, "central", 0.01),
    )
    said = [
        f"{f} at {x}, {way}, h = {h:g}: {frame(record(f, x, way), h).say.split('. ')[-1]}" for f, x, way, h in cases
    ]
    approved("nudge_sentences", "\n".join(said))


@pytest.mark.parametrize(("method", "slope"), [("forward", "1.0000"), ("central", "0.5000")])
def test_kink_has_no_true_slope(method, slope):
    for one in record("relu(x)", 0.0, method).frames:
        assert [one.updates[f"sum.{key}"]["text"] for key in ("truth", "error", "slope")] == ["none", "–", slope]
        assert one.updates["tangent"]["d"] == one.updates["error.forward"]["d"] == "M0,0"


@pytest.mark.parametrize("x", [-2.5, 0.025, 2.5])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_magnified_curve_is_straight_where_few_points_draw_it(function, x):
    """Between the points that are drawn it leaves the straight line between them by less than half a pixel."""
    case = Case(function, x)
    for h in (h for h in NUDGES if STRAIGHT[0] < h < STRAIGHT[1]):
        heights = [case.rise((case.f(x + t / 50 * h) - case.f(x)) / h) for t in range(-100, 101)]
        for i in range(0, 200, 10):  # five points to a unit
            ends = heights[i], heights[i + 10]
            between = [ends[0] + (ends[1] - ends[0]) * k / 10 for k in range(11)]
            assert heights[i : i + 11] == pytest.approx(between, abs=0.5)
