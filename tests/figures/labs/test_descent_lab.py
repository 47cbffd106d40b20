"""The descent lab: its path is that of a plain loop and of the formulas, its curvature that of calculus."""

import itertools
import math
import re

import numpy as np
import pytest

from autograd import numerical_gradient
from autograd.errors.messages import show
from figures import descent
from figures.charts import contours
from figures.labs import descent as lab
from figures.page import svg
from figures.training.plane import DOTS, LOSSES, Loss, walk
from tests.labs import ask, message
from tests.walks import assert_plays, shown

PLAIN = {
    "bowl": lambda u, v: 4 * u * u + v * v,
    "valley": lambda u, v: (u * v - 1) ** 2,
    "line": lambda u, v: sum((u * x + v - y) ** 2 for x, y in DOTS) / 3,
}
SLOPES = {
    "bowl": lambda u, v: (8 * u, 2 * v),
    "valley": lambda u, v: (2 * v * (u * v - 1), 2 * u * (u * v - 1)),
    "line": lambda u, v: tuple(2 * sum((u * x + v - y) * k for x, y in DOTS for k in [(x, 1)[i]]) / 3 for i in (0, 1)),
}
HESSIANS = {
    "bowl": lambda u, v: [[8, 0], [0, 2]],
    "valley": lambda u, v: [[2 * v * v, 4 * u * v - 2], [4 * u * v - 2, 2 * u * u]],
    "line": lambda u, v: [[10 / 3, 2], [2, 2]],
}
PLACES = [(1.0, 3.0), (-2.5, 0.7), (0.0, 0.0), (3.5, -3.5), (0.1, -0.2)]
STARTS = [(1.0, 3.0), (-3.5, 2.0), (0.3, -0.1)]


def by_hand(loss, start, lr, zero, steps):
    """The same loop on plain numbers: for each step u, v, and the sums that stand in the grads."""
    (u, v), grads, found = start, (0.0, 0.0), []
    for _ in range(steps):
        slopes = SLOPES[loss](u, v)
        grads = slopes if zero else (grads[0] + slopes[0], grads[1] + slopes[1])
        found.append((u, v, *grads))
        u, v = u - lr * grads[0], v - lr * grads[1]
    return found


def swing(start, curvature, lr, step):
    """Where a parameter of a bowl is if gradients add up, by the difference equation: a swing without friction."""
    angle = math.acos(1 - curvature * lr / 2)
    return start * math.cos((step + 0.5) * angle) / math.cos(angle / 2)


# The walk


@pytest.mark.parametrize("at", PLACES)
@pytest.mark.parametrize("name", LOSSES)
def test_losses_gradients_and_curvatures_are_those_of_calculus_and_of_differences(name, at):
    loss = LOSSES[name]
    assert loss.at(*at) == pytest.approx(PLAIN[name](*at), abs=1e-12)
    assert loss.gradient(*at) == pytest.approx(SLOPES[name](*at), rel=1e-12, abs=1e-12)
    assert loss.gradient(*at) == pytest.approx(numerical_gradient(loss.function, list(at)), rel=1e-6, abs=1e-6)
    steepest = float(np.linalg.eigvalsh(HESSIANS[name](*at))[-1])
    assert loss.curvature(*at) == pytest.approx(steepest, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("zero", [True, False])
@pytest.mark.parametrize("lr", [0.005, 0.05, 0.125, 0.2, 0.5])
@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("name", LOSSES)
def test_the_walk_is_that_of_a_plain_loop(name, start, lr, zero):
    for place, plain in zip(walk(LOSSES[name], start, lr, zero, 12), by_hand(name, start, lr, zero, 13)):
        if max(map(abs, plain)) < 1e6:  # of a walk that flies off, every digit is its own
            assert (place.u, place.v, *place.grads) == pytest.approx(plain, rel=1e-6, abs=1e-9)
            assert place.gradient == pytest.approx(SLOPES[name](place.u, place.v), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("lr", [0.005, 0.05, 0.125, 0.2, 0.245, 0.25, 0.255, 0.3, 0.45, 0.49])
def test_the_bowl_is_left_by_powers_and_without_zeroing_it_is_a_swing_that_never_rests(lr):
    """At 0.125 u is done in one step, at 0.25 it jumps from side to side for ever, at 0.255 it leaves."""
    for step, place in enumerate(walk(LOSSES["bowl"], (1.0, 3.0), lr, True, 60)):
        expected = (1 - 8 * lr) ** step, 3 * (1 - 2 * lr) ** step
        assert (place.u, place.v) == pytest.approx(expected, rel=1e-9, abs=1e-9) and place.gradient == place.grads
    for step, place in enumerate(walk(LOSSES["bowl"], (1.0, 3.0), lr, False, 3000)):
        expected = swing(1.0, 8, lr, step), swing(3.0, 2, lr, step)
        assert (place.u, place.v) == pytest.approx(expected, abs=1e-8)


def test_a_walk_ends_where_its_numbers_do():
    places = walk(LOSSES["valley"], (1.0, 3.0), 0.3, True, 60)
    assert [place.finite for place in places] == [True] * (len(places) - 1) + [False]
    raises = Loss("", lambda u, v: (u.log() - v) ** 2)
    places = walk(raises, (1.0, -3.0), 0.5, True, 60)
    assert len(places) == 2 and places[-1].u == -2 and math.isnan(places[-1].loss)
    player = descent(raises.function, (1, -3), lr=0.5)
    assert player.text().endswith("loss nan. The loss has no value here, so there is no gradient to follow.")


# The lab


@pytest.mark.parametrize("zero", [True, False])
@pytest.mark.parametrize("name", LOSSES)
def test_every_frame_shows_and_says_its_numbers(name, zero):
    player = descent(name, (-2.0, 1.5), lr=0.02, zero=zero)
    plain = by_hand(name, (-2.0, 1.5), 0.02, zero, 61)
    assert len(player.recording.frames) == 61
    for step, (u, v, *grads) in enumerate(plain):
        text, say = shown(player, step), player.recording.frames[step].say
        for letter, number, grad, slope in zip("uv", (u, v), grads, SLOPES[name](u, v)):
            found = [text[f"sum.{key}"] for key in (letter, f"gradient.{letter}", f"grad.{letter}", f"step.{letter}")]
            assert list(map(float, found)) == pytest.approx([number, slope, grad, -0.02 * grad], rel=1e-3, abs=2e-4)
            assert f"{letter} = {found[0]}" in say
            assert step == 60 or (f"{letter}.grad {found[2]}" in say.replace("is ", "") and f"by {found[3]}" in say)
        assert float(text["sum.loss"]) == pytest.approx(PLAIN[name](u, v), rel=1e-3, abs=2e-4)
        curvature = float(np.linalg.eigvalsh(HESSIANS[name](u, v))[-1])
        assert float(text["sum.curvature"]) == pytest.approx(curvature, rel=1e-3, abs=2e-4)
        assert f"loss {text['sum.loss']}" in say and say.endswith(".")
        assert player.recording.frames[step].at == f"Step {step} of 60"
    assert_plays(player)


def test_the_first_step_can_be_checked_by_hand():
    frames = descent().recording.frames
    assert frames[0].say == (
        "Step 0: u = 1.0000, v = 3.0000, loss 13.0000. u.grad is 8.0000 and v.grad 6.0000, so the next step moves u by "
        "-0.4000 and v by -0.3000. The learning rate 0.0500 is below the border 2/8.0000 = 0.2500: a step multiplies "
        "the steepest direction by 0.6000."
    )
    assert frames[1].say.startswith("Step 1: u = 0.6000, v = 2.7000, loss 8.7300.")
    wrong = descent(zero=False).recording.frames[1].say
    assert (
        "u.grad is 12.8000 and v.grad 11.4000, the sums of 2 gradients; those here alone are 4.8000 and 5.4000" in wrong
    )


@pytest.mark.parametrize(
    ("lr", "zero", "where", "happens"),
    [
        (0.245, True, "below", "a step multiplies the steepest direction by -0.9600"),
        (0.25, True, "on", "a step multiplies the steepest direction by -1.0000"),
        (0.255, True, "above", "a step multiplies the steepest direction by -1.0400"),
        (0.495, False, "below", "it swings, and nothing slows it"),
        (0.5, False, "on", "each swing goes a little further"),
        (0.505, False, "above", "it swings out"),
    ],
)
def test_it_says_on_which_side_of_the_border_the_rate_is(lr, zero, where, happens):
    player = descent(lr=lr, zero=zero)
    limit, end = (2, 2.6) if zero else (4, 5.2)
    said = f"{show(lr)} is {where} the border {limit}/8.0000 = {show(limit / 8)}: {happens}"
    assert all(said in frame.say for frame in player.recording.frames)
    left, right = lab.TIME.start, lab.TIME.end
    mark = float(re.match(r"M([\d.]+),", player.recording.frames[0].marks["rate"]["d"])[1])
    assert mark == pytest.approx(left + (right - left) * min(1, 8 * lr / end), abs=0.06)
    border = left + (right - left) * limit / end
    assert [mark > border + 0.06, mark < border - 0.06] == [where == "above", where == "below"]
    text = shown(player, 0)
    assert text[f"tick.{limit}"] == f"border: {limit}/8.0000 = {show(limit / 8)}"
    assert text["rate.name"] == f"learning rate {show(lr)}"
    assert not zero or text["tick.1"] == "1/8.0000 = 0.1250"


@pytest.mark.parametrize(("lr", "arrives"), [(0.05, True), (0.2, True), (0.23, True), (0.24, False), (0.26, False)])
def test_the_last_frame_says_whether_it_has_arrived(lr, arrives):
    """It has if its last three steps moved neither u nor v by 0.001."""
    player = descent(lr=lr)
    moves = [abs(float(shown(player, step)[f"sum.step.{name}"])) for step in (57, 58, 59) for name in "uv"]
    assert (max(moves) < 0.001) == arrives
    say = player.recording.frames[-1].say
    assert ("It has arrived: the last steps moved u and v by less than 0.001." in say) == arrives
    if not arrives:
        assert f"the last step moved u by {show(moves[-2])} and v by {show(moves[-1])}." in say


@pytest.mark.parametrize(("lr", "zero"), [(0.27, True), (0.05, False), (0.6, True)])
def test_what_is_drawn_stays_on_the_map_and_off_it_a_ring_a_text_and_the_sentence_say_so(lr, zero):
    for frame in descent(lr=lr, zero=zero).recording.frames:
        marks = frame.marks
        off = any(abs(float(re.search(rf"{name} = ([-\d.e+]+),", frame.say)[1])) > 3.6 for name in "uv")
        assert off == (marks["edge"]["r"] != "0") == (marks["off"]["text"] == "off the map")
        assert off == (" off the map." in frame.say) or frame.at == "Step 60 of 60"
        assert lab.X.start <= float(marks["here"]["cx"]) <= lab.X.end
        for key in ("trail", "stops"):
            points = re.findall(r"[ML](-?[\d.]+),(-?[\d.]+)", marks[key]["d"].removeprefix("M0,0"))
            assert all(33.9 <= float(x) <= 354.1 and 51.9 <= float(y) <= 372.1 for x, y in points)


def test_the_path_and_the_arrow_go_to_the_next_point():
    player = descent(lr=0.2)
    dots = re.findall(r"M([\d.]+),([\d.]+)h0", player.recording.frames[20].marks["stops"]["d"])
    plain = by_hand("bowl", (1.0, 3.0), 0.2, True, 21)
    assert dots == [(f"{lab.X(u):.1f}", f"{lab.Y(v):.1f}") for u, v, *_ in plain]
    for frame, after in itertools.pairwise(player.recording.frames[:8]):
        points = re.findall(r"[ML]([\d.]+),([\d.]+)", frame.marks["next"]["d"])
        assert points[0] == (frame.marks["here"]["cx"], frame.marks["here"]["cy"])
        assert points[1] == points[3] == (after.marks["here"]["cx"], after.marks["here"]["cy"])
    assert player.recording.frames[-1].marks["next"]["d"] == "M0,0"


def test_a_loss_beyond_its_axis_is_told_and_numbers_that_overflow_end_it():
    assert shown(descent(lr=0.27))["loss.off"] == "the loss is above this axis"
    assert shown(descent(lr=0.2))["loss.off"] == "the loss is below this axis"
    assert {shown(descent(lr=0.05), step)["loss.off"] for step in (0, 30, 60)} == {""}
    player = descent("valley", lr=0.3)
    said = player.recording.frames[-1].say
    assert said.endswith("A number is larger than the largest float, 1.8e308, so there is no gradient to follow.")
    assert len(player.recording.frames) < 15
    assert (shown(player)["sum.loss"], shown(player)["rate.name"]) == ("inf", "no numbers are left")
    assert_plays(player)


def test_a_loss_of_ones_own_stands_beside_the_others():
    player = descent(lambda u, v: (u.tanh() - v) ** 2 + (u - 1).exp(), (0.5, -1), lr=0.1)
    control = player.controls[0]
    assert control.options == ("yours", "bowl", "valley", "line") and control.value == "yours"
    loss = math.tanh(0.5) + 1
    assert shown(player, 0)["sum.loss"] == show(loss**2 + math.exp(-0.5))
    assert shown(player, 0)["sum.grad.v"] == show(-2 * loss)
    assert_plays(player)
    ask(player, loss="bowl", lr=0.25)
    assert shown(player, 1)["sum.u"] == show(-0.5)
    ask(player, lr=0.05, loss="valley", u=2.0, v=0.5, zero=False)
    assert message(player) == "" and player.recording.title == "Downhill without zero_grad(): (u·v − 1)²"
    assert shown(player, 0)["sum.loss"] == "0.0000"
    flat = descent(lambda u, v: u + 2 * v, lr=0.1)  # which does not curve upwards
    text = shown(flat, 3)
    assert "The ground does not curve upwards here, so there is no border." in flat.recording.frames[3].say
    assert (text["sum.u"], text["sum.v"]) == (show(1 - 3 * 0.1), show(3 - 6 * 0.1))
    assert text["tick.2"] == "–" and text["rate.name"].startswith("no border here")
    assert_plays(flat)
    below = descent(lambda u, v: u**2 + v**2 - 5, lr=0.1)  # a loss below 0 has no logarithm
    assert_plays(below)
    assert ">-4</text>" in below.spec["stage"] and "10⁴" not in below.spec["stage"]


@pytest.mark.long
def test_every_place_of_the_sliders_can_be_shown():
    player = descent()
    for lr, zero, loss in itertools.product((0.005, 0.6), (True, False), LOSSES):
        for u, v in itertools.product((-3.5, 0.0, 3.5), repeat=2):
            ask(player, lr=lr, zero=zero, loss=loss, u=u, v=v)
            assert message(player) == "" and all(frame.say.endswith(".") for frame in player.recording.frames)


# The map


BOX = svg.Scale(-2, 2, 0, 100), svg.Scale(-2, 2, 100, 0)


def area(d):
    """The area within closed lines, holes taken off."""
    total = 0.0
    for ring in filter(None, d.split("M")):
        points = [tuple(map(float, point.split(","))) for point in ring.rstrip("Z").split("L")]
        total += sum(a * d - b * c for (a, b), (c, d) in zip(points, [*points[1:], points[0]])) / 2
    return abs(total)


def test_the_bands_of_a_map_cover_it_once_and_each_lies_between_its_levels():
    xs, ys, heights = contours.grid(lambda x, y: x * x + y * y, *BOX, 61)
    levels = contours.levels(heights, 8)
    assert levels == sorted(levels) and levels[0] == heights.min() and levels[-1] == heights.max() == 8
    areas = [area(d) for d in contours.bands(xs, ys, heights, levels, *BOX)]
    assert sum(areas) == pytest.approx(100 * 100, rel=1e-3)
    within = [math.pi * level * 25**2 for level in levels if level < 4]  # of circles that are whole
    assert list(itertools.accumulate(areas))[: len(within) - 1] == pytest.approx(within[1:], rel=0.02)


def test_a_map_of_a_function_that_is_not_everywhere_or_the_same_everywhere():
    def half(x, y):
        if x < 0:
            raise ValueError("none")
        return x

    xs, ys, heights = contours.grid(half, *BOX, 21)
    found = contours.bands(xs, ys, heights, contours.levels(heights, 4), *BOX)
    assert sum(map(area, found)) == pytest.approx(5000, rel=1e-3)
    for height in (lambda x, y: 3.0, lambda x, y: math.inf):
        xs, ys, heights = contours.grid(height, *BOX, 5)
        assert contours.levels(heights, 4) == [] and contours.bands(xs, ys, heights, [], *BOX) == []


def test_what_a_learner_is_told_is_lowest_is_lowest():
    for name, lowest in (("bowl", (0, 0)), ("valley", (2, 0.5)), ("line", (1, 1))):
        assert LOSSES[name].at(*lowest) == 0 and LOSSES[name].gradient(*lowest) == (0, 0)
