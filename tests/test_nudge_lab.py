"""The nudge lab: slopes are difference quotients, the true slope is the engine's, the errors are the course's."""

import gc
import itertools
import json
import math
import re
import weakref

import pytest
from ipywidgets.widgets.widget import _instances as REGISTRY

from autograd import Dual, Value, numerical_gradient
from autograd.messages import show
from figures import nudge
from figures.labs import nudge as module
from figures.labs.nudge import FUNCTIONS, NUDGES, STRAIGHT, Case, record
from tests import pictures

PLAIN = {
    "x²": lambda x: x * x,
    "x³": lambda x: x**3,
    "tanh(x)": math.tanh,
    "tanh(x)²": lambda x: math.tanh(x) ** 2,
    "sin(x)": math.sin,
    "exp(x)": math.exp,
    "relu(x)": lambda x: max(0.0, x),
}


def ask(player, **values):
    """What the browser does when inputs change."""
    known = {control.name: control.value for control in player.controls}
    player.request = {"values": {**known, **player.values, **values}, "presses": [], "number": player.reply + 1}
    return player.spec


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


def test_the_errors_of_tanh_squared_are_the_courses():
    """numbers.md, at x = 0.775: relative error of the central difference, and the best forward one."""
    case = Case("tanh(x)²", 0.775)
    relative = {h: case.slope(h, "central").error / case.truth for h in NUDGES}
    assert f"{relative[1e-2]:.1e}" == "4.9e-05"
    assert relative[1e-5] == pytest.approx(4.8e-11, rel=0.1)
    assert relative[1e-12] == pytest.approx(3.1e-5, rel=0.3)
    forward = min((case.slope(h, "forward").error / case.truth, h) for h in NUDGES)
    assert forward[0] < 1.1e-8 and 1e-9 <= forward[1] <= 1e-7


def test_the_errors_fall_as_h_and_as_h_squared_until_rounding_lifts_them():
    recording = [
        Case("tanh(x)", 0.775).slope(h, method).error for method in module.METHODS for h in (1e-2, 1e-3, 1e-14)
    ]
    forward, central = recording[:3], recording[3:]
    assert forward[0] / forward[1] == pytest.approx(10, rel=0.02)
    assert central[0] / central[1] == pytest.approx(100, rel=0.02)
    assert forward[2] > 1e-3 < central[2]


@pytest.mark.parametrize("method", module.METHODS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_frame_shows_its_numbers(function, method):
    recording = record(function, -0.6, method)
    case = Case(function, -0.6)
    for h, one in zip(NUDGES, recording.frames):
        found = case.slope(h, method)
        stage = pictures.texts(recording.render(one.marks))
        assert (stage["sum.h"], stage["sum.slope"]) == (f"{h:g}", show(found.slope))
        assert (stage["sum.truth"], stage["sum.error"]) == (show(case.truth), show(found.error))
        assert one.at == f"h = {h:g}" and show(found.slope) in one.say and show(found.error) in one.say
    errors = [case.slope(h, method).error for h in NUDGES]
    assert stage["sum.best"] == show(min(errors))
    assert stage["sum.best.of"] == f"best yet: {NUDGES[errors.index(min(errors))]:g}"


@pytest.mark.parametrize("function", FUNCTIONS)
def test_nothing_moves_from_frame_to_frame(function):
    """Only what marks say changes: two stages have the same parts, and every change is in every frame's marks."""
    recording = record(function, 1.1, "central")
    keys = set(recording.frames[0].marks)
    assert keys == set(pictures.parts(recording.render(recording.frames[0].marks)))

    def still(one):
        parts = pictures.tree(recording.render(one.marks)).iter()
        return [(part.tag, None if part.get("data-key") else (part.attrib, part.text)) for part in parts]

    for one in recording.frames[1:]:
        assert set(one.marks) == keys
        assert still(one) == still(recording.frames[0])


@pytest.mark.parametrize("method", module.METHODS)
def test_the_errors_of_smaller_nudges_are_not_seen_yet(method):
    """The chart ends at the h that is chosen, and the best is the best of those before."""
    recording, case = record("tanh(x)²", 0.775, method), Case("tanh(x)²", 0.775)
    for i, (h, one) in enumerate(zip(NUDGES, recording.frames)):
        errors = [case.slope(each, method).error for each in NUDGES[: i + 1]]
        assert one.marks["sum.best"]["text"] == show(min(errors))
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


@pytest.mark.parametrize(
    ("arguments", "h", "sentence"),
    [
        (
            ("tanh(x)", 0.775, "forward"),
            0.1,
            "The curve bends between the two points: a smaller h follows it more closely.",
        ),
        (
            ("tanh(x)", 0.775, "forward"),
            1e-12,
            "Rounding does it: the two values agree in about 12 of their 16 digits.",
        ),
        (
            ("exp(x)", 2.0, "forward"),
            1e-16,
            "This h is so small that x + h is x itself in floating point: no difference",
        ),
        (("relu(x)", -0.05, "forward"), 0.1, "The nudge reaches over the kink at 0."),
        (("relu(x)", -0.05, "forward"), 0.01, "That is exact."),
        (
            ("relu(x)", 0.0, "central"),
            0.01,
            "its slope is 0 on the left and 1 on the right, and no number at 0 itself.",
        ),
    ],
)
def test_the_sentence_says_where_the_error_comes_from(arguments, h, sentence):
    assert sentence in frame(record(*arguments), h).say


def test_at_the_kink_there_is_no_true_slope():
    for method, slope in (("forward", "1.0000"), ("central", "0.5000")):
        for one in record("relu(x)", 0.0, method).frames:
            assert one.marks["sum.truth"]["text"] == "none" and one.marks["sum.error"]["text"] == "–"
            assert one.marks["sum.slope"]["text"] == slope
            assert one.marks["tangent"]["d"] == one.marks["error.forward"]["d"] == "M0,0"


def test_an_error_of_0_stands_at_the_foot_of_the_axis():
    recording = record("relu(x)", 1.0, "forward")
    assert frame(recording, 0.5).marks["now.forward"]["cy"] == "262.0"


# Inputs


def test_the_lab_answers_its_inputs():
    player = nudge()
    assert [control.name for control in player.controls] == ["function", "method", "x"]
    assert player.spec["slider"] == "h"
    spec = ask(player, function="exp(x)", x=1, method="central")
    assert spec["title"] == "The slope of exp(x) at x = 1.0000, found by nudging"
    shown = player.recording.render(player.recording.frames[0].marks)
    assert pictures.texts(shown)["sum.slope"] == spec["frames"][0]["set"]["sum.slope"]["text"]
    assert pictures.texts(shown)["sum.slope"] == show(math.sinh(1) * math.e)
    assert json.dumps(player.spec, allow_nan=False)


def test_a_change_of_x_keeps_h():
    """The frames stand for the same h, so the slider stays where it is."""
    player = nudge()
    before = [one["at"] for one in player.spec["frames"]]
    assert [one["at"] for one in ask(player, x=-1.5)["frames"]] == before


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        (
            {"function": "__class__"},
            "f(x) is one of x², x³, tanh(x), tanh(x)², sin(x), exp(x), relu(x); got '__class__'.",
        ),
        ({"method": "backward"}, "the difference is one of forward, central; got 'backward'."),
        ({"x": 3}, "x goes from -2.5 to 2.5 here, where the chart has room for x ± h; got 3.0."),
        ({"x": math.nan}, "x goes from -2.5 to 2.5 here"),
        ({"x": "1"}, "x needs a real number, got the str '1'."),
        ({"x": None}, "x needs a real number, got None."),
    ],
)
def test_bad_input_gets_a_sentence_and_the_last_picture_stays(changed, sentence):
    player = nudge()
    before = ask(player, x=1.0)
    after = ask(player, **changed)
    assert after["message"].startswith(sentence)
    assert (after["stage"], after["frames"]) == (before["stage"], before["frames"])
    assert ask(player, x=1.5)["message"] == "" and player.reply == 3


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ({"function": "cube"}, ValueError),
        ({"x": "0"}, TypeError),
        ({"x": 9}, ValueError),
        ({"method": None}, ValueError),
    ],
)
def test_wrong_arguments_are_refused(arguments, fault):
    with pytest.raises(fault):
        nudge(**arguments)


def test_the_still_picture_has_all_three_charts():
    picture = record().picture()
    pictures.assert_inert(picture, {"svg", "g", "path", "circle", "text"})
    assert picture.count("<svg") == 4


def test_labs_are_apart_from_each_other_and_freed_when_closed():
    gc.collect()
    before = len(REGISTRY)
    labs = [nudge(), nudge("exp(x)")]
    ask(labs[0], x=2.0)
    assert labs[1].spec["title"] == "The slope of exp(x) at x = 0.7750, found by nudging"
    gone = [weakref.ref(lab) for lab in labs]
    for lab in labs:
        lab.close()
    del lab, labs
    gc.collect()
    assert [ref() for ref in gone] == [None, None] and len(REGISTRY) == before


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
