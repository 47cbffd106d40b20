"""The nudge lab: slopes are difference quotients, the true slope is the engine's, the errors are the course's."""

import itertools
import math
import re

import pytest

from autograd import Dual, Value, numerical_gradient
from autograd.errors.messages import show
from figures import nudge
from figures.labs import nudge as module
from figures.labs.nudge import FUNCTIONS, NUDGES, STRAIGHT, Case, record
from tests.approve import approved
from tests.labs import told
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


def test_the_nudges_go_from_1_to_1e16_in_equal_steps_of_a_logarithm():
    assert NUDGES[0] == 1.0 and NUDGES[-1] == 1e-16
    ratios = [a / b for a, b in itertools.pairwise(NUDGES)]
    assert min(ratios) > 1.99 and max(ratios) < 2.51
    assert {1e-5, 1e-8, 1e-12} <= set(NUDGES)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("x", [-2.5, -0.3, 0.775, 2.0])
def test_the_functions_and_the_true_slopes_are_right(function, x):
    case = Case(function, x)
    assert case.f(x) == pytest.approx(PLAIN[function](x), rel=1e-15, abs=1e-300)
    dual = FUNCTIONS[function][0](Dual(x, 1.0))
    assert case.truth == pytest.approx(dual.derivative, rel=1e-13, abs=1e-300)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_both_differences_are_those_of_plain_python(function):
    x, f = 0.775, PLAIN[function]
    case = Case(function, x)
    for h in (0.5, 1e-3, 1e-5):
        tolerance = 1e-14 / h
        assert case.slope(h, "forward").slope == pytest.approx((f(x + h) - f(x)) / h, abs=tolerance)
        assert case.slope(h, "central").slope == pytest.approx((f(x + h) - f(x - h)) / (2 * h), abs=tolerance)
        (numeric,) = numerical_gradient(lambda v: FUNCTIONS[function][0](Value(float(v))), [x], h)
        assert case.slope(h, "central").slope == numeric


@pytest.mark.parametrize("method", module.METHODS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_frame_shows_its_numbers(function, method):
    """And of the errors those down to its h: the chart ends there, and the best is the best of those."""
    recording, case, errors = record(function, -0.6, method), Case(function, -0.6), []
    for i, (h, one) in enumerate(zip(NUDGES, recording.frames, strict=True)):
        found = case.slope(h, method)
        errors.append(found.error)
        stage = texts(recording.render(one.marks))
        assert (stage["sum.h"], stage["sum.slope"]) == (f"{h:g}", show(found.slope))
        assert (stage["sum.truth"], stage["sum.error"]) == (show(case.truth), show(found.error))
        assert one.at == f"h = {h:g}" and show(found.slope) in one.say and show(found.error) in one.say
        assert stage["sum.best"] == show(min(errors))
        assert stage["sum.best.of"] == f"best so far: {NUDGES[errors.index(min(errors))]:g}"
        for name in module.METHODS:
            points = re.findall(r"[ML]([\d.]+),([\d.]+)", one.marks[f"error.{name}"]["d"])
            assert len(points) == i + 1 and float(points[-1][0]) == pytest.approx(module.SIZES(h), abs=0.06)


def test_the_secant_goes_through_its_points():
    recording = record("x²", 1.0, "forward")
    marks = frame(recording, 1.0).marks
    points = [tuple(map(float, pair)) for pair in re.findall(r"([\d.]+),([\d.]+)", marks["secant"]["d"])]
    (ax, ay), (bx, by) = points
    for key in ("above", "below"):
        cx, cy = float(marks[key]["cx"]), float(marks[key]["cy"])
        assert ay + (by - ay) * (cx - ax) / (bx - ax) == pytest.approx(cy, abs=0.3)
    assert float(marks["above"]["cx"]) - float(marks["below"]["cx"]) == pytest.approx(278 / 7.2, abs=0.2)


def test_the_magnifier_shows_the_stairs_of_rounding():
    smooth = frame(record("tanh(x)", 0.775, "forward"), 1e-3).marks["rise.curve"]["d"]
    stairs = frame(record("tanh(x)", 0.775, "forward"), 1e-15).marks["rise.curve"]["d"]
    heights = [len({y for _, y in re.findall(r"([\d.]+),([\d.]+)", d)}) for d in (smooth, stairs)]
    assert heights[0] > 80 and heights[1] < 25


def test_the_sentence_says_where_the_error_comes_from():
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


def test_at_the_kink_there_is_no_true_slope():
    for method, slope in (("forward", "1.0000"), ("central", "0.5000")):
        for one in record("relu(x)", 0.0, method).frames:
            assert one.marks["sum.truth"]["text"] == "none" and one.marks["sum.error"]["text"] == "–"
            assert one.marks["sum.slope"]["text"] == slope
            assert one.marks["tangent"]["d"] == one.marks["error.forward"]["d"] == "M0,0"


def test_an_error_of_0_stands_at_the_foot_of_the_axis():
    recording = record("relu(x)", 1.0, "forward")
    assert frame(recording, 0.5).marks["now.forward"]["cy"] == "262.0"


def test_the_lab_answers_its_inputs():
    """The frames stand for the same h, so the slider stays where it is."""
    player = nudge()
    before = [one["at"] for one in player.spec["frames"]]
    assert [control.name for control in player.controls] == ["function", "method", "x"]
    assert player.spec["slider"] == "h"
    assert told(player, function="exp(x)", x=1, method="central") == ""
    assert player.spec["title"] == "The slope of exp(x) at x = 1.0000, found by nudging"
    assert [one["at"] for one in player.spec["frames"]] == before
    assert player.spec["frames"][0]["set"]["sum.slope"]["text"] == show(math.sinh(1) * math.e)


@pytest.mark.parametrize("x", [-2.5, -0.775, 0.0, 0.025, 2.5])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_magnified_curve_is_straight_where_few_points_draw_it(function, x):
    """Between the points that are drawn it leaves the straight line between them by less than half a pixel."""
    case = Case(function, x)
    for h in (h for h in NUDGES if STRAIGHT[0] < h < STRAIGHT[1]):
        rises = [(case.f(x + t / 50 * h) - case.f(x)) / h for t in range(-100, 101)]
        heights = [case.rise(rise) for rise in rises]
        for i in range(0, 200, 10):  # five points to a unit
            ends = heights[i], heights[i + 10]
            between = [ends[0] + (ends[1] - ends[0]) * k / 10 for k in range(11)]
            assert heights[i : i + 11] == pytest.approx(between, abs=0.5)
