"""Lesson 01: every number in its text is what plain floats, dual numbers or the engine give."""

import math
import random
import statistics

import pytest

import autograd
from autograd.dual import forward_gradient
from exercises.quizzes.quiz_data import load
from exercises.tasks.choose_h import check as choose_h_check
from exercises.tasks.forward_passes import check as forward_passes_check
from figures.labs.nudge import METHODS, NUDGES, Case, best
from tests.notebooks import Lesson

LESSON = Lesson("01", with_solutions=True)


def test_the_room_the_wall_and_the_drive():
    area = LESSON["area"]
    found = ", ".join(f"{(area(3 + h) - area(3)) / h:.6g}" for h in (1, 0.1, 0.01, 0.001))
    LESSON.says(f"adds {area(3.01) - area(3):.4f}", f"{found}: the answer settles at 6")
    LESSON["wall"].backward(reset="all")
    assert (LESSON["width"].grad, LESSON["height"].grad) == (4, 3)
    LESSON.says("4 and 3, up to rounding")
    slow, fast = (-forward_gradient(lambda speed: 120 / speed, [speed])[0] for speed in (30, 60))
    LESSON.says(f"saves about {fast:.4f} hours, or {60 * fast:g} minutes")
    LESSON.says(f"saves {slow:.4f} hours, or {60 * slow:g} minutes")
    hours = LESSON["hours"]
    assert [f"{(hours(speed + 0.01) - hours(speed)) / 0.01:.4f}" for speed in (60, 30)] == ["-0.0333", "-0.1333"]


def slopes(case, method="forward"):
    """{h: slope} of a lab's curve."""
    return {h: round(case.slope(h, method).slope, 12) for h in NUDGES}


def test_the_two_labs_and_their_tasks():
    case, left, gate = Case("x²", 1.5), Case("x²", -1.5), Case("relu(x)", -0.3)
    right, shut = slopes(case), slopes(gate)
    LESSON.says(
        f"the tangent's slope is {case.truth:g}",
        f"The secant's slope is {right[1.0]:g} at h = 1, and {right[0.1]:g} at h = 0.1.",
        f"{left.truth:g} and {slopes(left)[1.0]:g}. The curve falls",
        f"For h = 1 it is {shut[1.0]:g}, and for h = 0.5 it is {shut[0.5]:g}",
        f"From h = {max(h for h in shut if not shut[h]):g} down it is 0",
    )
    assert [h for h in shut if shut[h]] == [1.0, 0.5] and gate.truth == 0
    case, far = Case("tanh(x)²", 0.775), Case("tanh(x)²", 2.0)
    forward, central = (best([case.slope(h, method) for h in NUDGES]) for method in METHODS)
    assert 1e-9 <= forward.h <= 1e-7 and 5e-10 < forward.error < 1e-8
    assert 1e-6 <= central.h <= 1e-5 and 1e-12 < central.error < 5e-11
    LESSON.says("near 1e-8, with an error of a few 1e-9, and the central line between 1e-6 and 1e-5, with about 1e-11")
    assert far.slope(1e-16, "forward").slope == 0
    LESSON.says(f"although the true slope is {far.truth:.4f}")
    assert len(choose_h_check.CURVES) == 8 and choose_h_check.RELATIVE == 1e-9
    LESSON.says("eight functions", "no relative error (the error divided by the slope) may be above 1e-9")


def test_both_ways_and_a_difference_that_rounding_has_eaten():
    f = Case("x³", 2.0)
    found = [f"{f.slope(0.1, method).slope:.6g}" for method in METHODS]
    LESSON.says("it gives {}. Nudging both ways is a **central difference**, which gives {}:".format(*found))
    errors = [f.slope(h, method).error for method in METHODS for h in (0.1, 0.01)]
    assert f.truth == 12 and [errors[0], errors[2]] == pytest.approx([0.61, 0.01])
    assert errors[0] / errors[1] == pytest.approx(10, rel=0.02) and errors[2] / errors[3] == pytest.approx(100)
    bent, truth = LESSON["bent"], Case("tanh(x)²", 0.775).truth
    before, after = repr(bent(0.775)), repr(bent(0.775 + 1e-12))
    assert next(i for i, (one, other) in enumerate(zip(before, after)) if one != other) == len("0.") + 11
    assert 1e-6 < abs((bent(0.775 + 1e-12) - bent(0.775)) / 1e-12 - truth) / truth < 1e-3
    LESSON.says("agree in their first eleven digits", f"The true slope is {truth:.4f}", "about four are left")


def test_the_valley():
    """Which of four nudges has the least error, and what makes it at both ends."""
    case, nudges = Case("tanh(x)²", 0.775), (1e-2, 1e-5, 1e-8, 1e-12)
    error = {method: [case.slope(h, method).error for h in nudges] for method in METHODS}
    least = [f"{min(zip(error[method], nudges))[1]:.0e}".replace("e-0", "e-") for method in METHODS]
    LESSON.says("{} is best for the forward difference and {} for the central one".format(*least))
    bending = [case.slope(0.01, method).error / case.slope(0.001, method).error for method in METHODS]
    assert [round(math.log10(fall)) for fall in bending] == [1, 2]  # the central line falls twice as steeply
    assert all(error[method][-1] > 1000 * min(error[method]) for method in METHODS)  # and rounding lifts both


def network_loss(*weights):
    """The loss of the lesson's network with these weights, dual numbers, by forward mode's rules alone."""
    numbers, values = iter(weights), [1.0, -1.0]
    for size in (16, 16, 1):
        rows = [[next(numbers) for _ in range(len(values) + 1)] for _ in range(size)]
        sums = [sum((w * x for w, x in zip(row, values)), row[-1]) for row in rows]
        values = [each.tanh() for each in sums]
    return (sums[0] - 1) ** 2


def test_the_network():
    """Its loss and its slopes, by plain floats and by dual numbers."""
    fresh = autograd.MLP(2, [16, 16, 1], rng=random.Random(5))
    numbers, slopes = [weight.data for weight in fresh.parameters()], LESSON["slopes"]
    counts = [len(layer.parameters()) for layer in fresh.layers]
    LESSON.says("{} of the weights are in the first layer, {} in the second, {} in the last".format(*counts))
    assert len(numbers) == 337
    first, second, last = (statistics.mean(map(abs, part)) for part in (slopes[:48], slopes[48:320], slopes[320:]))
    moved = [number - 0.001 * slope for number, slope in zip(numbers, slopes)]
    before, after = (network_loss(*map(autograd.Dual, weights)).value for weights in (numbers, moved))
    LESSON.says(
        f"the loss is {before:.4f}",
        f"It answers {fresh([1.0, -1.0]).data:.4f}",
        f"The slopes of the last layer are the largest, {last:.4f} on average",
        f"{second:.4f}",
        f"fell from {before:.4f} to {after:.4f}",
    )
    assert second < first < last and min(slopes) < 0 < max(slopes)
    assert sum(abs(slope) < 0.1 for slope in slopes[48:320]) > 272 / 2  # most of the second layer's crowd around 0
    duals = forward_gradient(network_loss, numbers)
    assert [weight.grad for weight in LESSON["again"].parameters()] == pytest.approx(duals, rel=1e-9, abs=1e-12)
    assert 0.9e-5 < max(abs(one - other) for one, other in zip(slopes, duals)) < 1.1e-5
    LESSON.says("differ by at most about 1e-5, which is the error of the forward")


@pytest.mark.long
def test_the_runs_are_counted(monkeypatch):
    """n + 1 runs of the loss for n weights, and 768 · 3072 of them."""
    runs, loss = [], LESSON["loss"]
    monkeypatch.setitem(LESSON.names, "loss", lambda network: runs.append(1) or loss(network))
    LESSON["slopes_by_nudging"](LESSON["network"])
    assert len(runs) == 337 + 1 == LESSON["forward_passes"](337) and forward_passes_check.MANY == 768 * 3072
    LESSON.says(f"the whole network {768 * 3072:,} times, and once more without a nudge")
    LESSON.shows("2359296")


def test_the_break_the_common_mistakes_and_the_quiz():
    h, total = 0.001, LESSON["total"]
    a, b, c = forward_gradient(lambda a, b, c: a * b + c, [2, -3, 10])
    LESSON.says(f"b, a and 1: {a:g}, {b:g} and {c:g}")
    assert LESSON["forgetful_slopes"](total, [2.0, -3.0, 10.0]) == pytest.approx([a, a + b, a + b + c], abs=0.0011)
    assert (total([2 + h, -3 + h, 10 + h]) - total([2, -3, 10])) / h == pytest.approx(0, abs=0.0011)
    LESSON.says("You'd also get that last 0 if you nudged *all* weights at once", "h = 0 raises ZeroDivisionError")
    assert Case("x²", 1.5).slope(1e-16, "forward").slope == 0  # or noise:
    assert Case("tanh(x)²", 0.775).slope(1e-16, "forward").error > 0.1
    questions = {question["id"]: question for question in load("01")["questions"]}
    assert questions["01-from-two-values"]["number"]["answer"] == pytest.approx((4.4 - 5) / (2.1 - 2))
    assert questions["01-tenth-of-h"]["number"]["answer"] == pytest.approx(2 * 0.1**2)
    assert questions["01-backward-beats-nudging"]["asks"] == "backward-beats-nudging"
