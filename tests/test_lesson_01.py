"""Lesson 01: every number in its text is what plain floats, dual numbers or the engine give."""

import math
import random
import re

import pytest

import autograd
from autograd.dual import forward_gradient
from exercises.lessons.lesson_01.choose_h import check as choose_h_check
from exercises.lessons.lesson_01.forward_passes import check as forward_passes_check
from exercises.quizzes.quiz_data import load
from figures.labs.nudge import METHODS, NUDGES, Case, best
from tests import lessons

PATH = lessons.NOTEBOOKS / "01_nudges_and_slopes.ipynb"


@pytest.fixture(scope="module")
def prose():
    """All text of the lesson and of its outputs, on one line."""
    return " ".join(lessons.prose_of(PATH).split())


@pytest.fixture(scope="module")
def names():
    """What the lesson's cells define."""
    return lessons.names_of(PATH)


def test_the_room(prose, names):
    area = names["area"]
    assert f"{area(3.01) - area(3):.4f}" == "0.0601" and "adds 0.0601" in prose
    found = [f"{(area(3 + h) - area(3)) / h:.6g}" for h in (1, 0.1, 0.01, 0.001)]
    assert found == ["7", "6.1", "6.01", "6.001"] and f"{', '.join(found)}: the answer settles at 6" in prose
    assert forward_gradient(lambda side: side * side, [3]) == [6]
    for h in (0.5, 0.25):
        assert (3 + h) ** 2 == 9 + 6 * h + h * h


def test_the_drive(prose, names):
    slow, fast = (forward_gradient(lambda speed: 120 / speed, [speed])[0] for speed in (30, 60))
    assert (f"{-fast:.4f}", f"{-slow:.4f}") == ("0.0333", "0.1333")
    assert "saves about 0.0333 hours, or 2 minutes" in prose and "saves 0.1333 hours, or 8 minutes" in prose
    assert (-fast * 60, -slow * 60) == pytest.approx((2, 8))
    hours = names["hours"]
    assert f"{(hours(60.01) - hours(60)) / 0.01:.4f}" == "-0.0333"
    assert f"{(hours(30.01) - hours(30)) / 0.01:.4f}" == "-0.1333"


def test_the_first_lab_and_its_tasks(prose):
    case = Case("x²", 1.5)
    slopes = {h: case.slope(h, "forward").slope for h in NUDGES}
    assert case.truth == 3 and "the tangent's slope is 3" in prose
    assert (
        slopes[1.0] == 4
        and slopes[0.1] == pytest.approx(3.1)
        and "The secant's slope is 4 at h = 1, and 3.1 at h = 0.1." in prose
    )
    case = Case("x²", -1.5)
    assert (case.truth, case.slope(1.0, "forward").slope) == (-3, -2) and "-3 and -2. The curve falls" in prose
    case = Case("relu(x)", -0.3)
    found = {h: round(case.slope(h, "forward").slope, 12) for h in NUDGES}
    assert {h: slope for h, slope in found.items() if slope} == {1.0: 0.7, 0.5: 0.4}
    assert case.truth == 0 and "For h = 1 it is 0.7, and for h = 0.5 it is 0.4" in prose
    assert max(h for h, slope in found.items() if not slope) == 0.2 and "From h = 0.2 down it is 0" in prose


def test_both_ways(prose):
    f = Case("x³", 2.0)
    assert f.truth == 12
    found = [f"{f.slope(h, method).slope:.6g}" for h in (0.1, 0.01) for method in METHODS]
    assert found == ["12.61", "12.01", "12.0601", "12.0001"]
    assert "Up only: 12.61. Both ways: 12.01" in prose and "12.0601 and 12.0001" in prose
    errors = [f.slope(h, method).error for method in METHODS for h in (0.1, 0.01)]
    assert errors[0] == pytest.approx(0.61) and errors[2] == pytest.approx(0.01)
    assert errors[0] / errors[1] == pytest.approx(10, rel=0.02) and errors[2] / errors[3] == pytest.approx(100)
    above, below = (2.1**3 - 8) / 0.1, (8 - 1.9**3) / 0.1
    assert above > 12 > below  # the step to the right is too steep, the one to the left too flat


def test_a_difference_that_rounding_has_eaten(prose, names):
    bent = names["bent"]
    before, after = repr(bent(0.775)), repr(bent(0.775 + 1e-12))
    same = next(i for i, (one, other) in enumerate(zip(before, after)) if one != other) - len("0.")
    assert same == 11 and "agree in their first eleven digits" in prose
    truth = Case("tanh(x)²", 0.775).truth
    error = abs((bent(0.775 + 1e-12) - bent(0.775)) / 1e-12 - truth) / truth
    assert f"{truth:.4f}" == "0.7508" and "The true slope is 0.7508" in prose
    assert 1e-6 < error < 1e-3 and "about four are left" in prose
    assert 0.775 + 1e-17 == 0.775 and "True" in prose


def test_the_valley(prose):
    """The relative errors of both differences. Where rounding rules, libraries differ: there within a factor of 3."""
    case = Case("tanh(x)²", 0.775)
    table = re.findall(r"\| (1e-\d+) \| (\S+e-\d+) \| (\S+e-\d+) \|", prose)
    assert [h for h, *_ in table] == ["1e-2", "1e-5", "1e-8", "1e-12"]
    relative = {}
    for h, *quoted in table:
        for method, text in zip(METHODS, quoted):
            relative[method, h] = case.slope(float(h), method).error / case.truth
            exact = h == "1e-2" or (h, method) == ("1e-5", "forward")
            assert float(text) == pytest.approx(relative[method, h], rel=0.06 if exact else 2)
            assert relative[method, h] < 3 * float(text)
    least = [min(("1e-2", "1e-5", "1e-8", "1e-12"), key=lambda h: relative[method, h]) for method in METHODS]
    assert least == ["1e-8", "1e-5"]
    assert "1e-8 is best for the forward difference and 1e-5 for the central one" in prose


def test_the_tasks_of_the_second_lab(prose):
    case = Case("tanh(x)²", 0.775)
    forward, central = (best([case.slope(h, method) for h in NUDGES]) for method in METHODS)
    assert 1e-9 <= forward.h <= 1e-7 and 5e-10 < forward.error < 1e-8
    assert 1e-6 <= central.h <= 1e-5 and 1e-12 < central.error < 5e-11
    assert "near 1e-8, with an error of a few 1e-9. Central: between 1e-6 and 1e-5, with about 1e-11" in prose
    far = Case("tanh(x)²", 2.0)
    assert 2 + 1e-16 == 2 and far.slope(1e-16, "forward").slope == 0
    assert f"{far.truth:.4f}" == "0.1362" and "the true slope is 0.1362" in prose


def test_choose_h_is_as_the_lesson_says(prose):
    assert len(choose_h_check.CURVES) == 8 and "eight functions" in prose
    assert choose_h_check.RELATIVE == 1e-9 and "no relative error may be above 1e-9" in prose


def test_the_wall(prose, names):
    names["wall"].backward(reset="all")
    assert (names["width"].grad, names["height"].grad) == (4, 3) and "4 and 3, up to rounding" in prose
    assert forward_gradient(lambda width, height: width * height, [3, 4]) == [4, 3]
    assert f"{(3.01 * 4 - 3 * 4) / 0.01:.4f} {(3 * 4.01 - 3 * 4) / 0.01:.4f}" == "4.0000 3.0000"


def network_loss(weights):
    """The loss of the lesson's network with these weights, a list of any numbers, by forward mode's rules alone."""
    sizes, values, place = [16, 16, 1], [1.0, -1.0], 0
    for size in sizes:
        outputs = []
        for _ in range(size):
            *w, b = weights[place : place + len(values) + 1]
            place += len(values) + 1
            total = b
            for weight, value in zip(w, values):
                total = total + weight * value
            outputs.append(total if size == 1 else total.tanh() if hasattr(total, "tanh") else math.tanh(total))
        values = outputs
    return (values[0] - 1) ** 2


def test_the_network(prose, names):
    fresh = autograd.MLP(2, [16, 16, 1], rng=random.Random(5))
    numbers = [weight.data for weight in fresh.parameters()]
    assert [len(layer.parameters()) for layer in fresh.layers] == [48, 272, 17] and len(numbers) == 337
    assert "48 of the weights are in the first layer, 272 in the second, 17 in the last" in prose
    assert network_loss(numbers) == pytest.approx(0.2062, abs=5e-5) and "the loss is 0.2062" in prose
    assert f"{fresh([1.0, -1.0]).data:.4f}" == "0.5459" and "It answers 0.5459" in prose
    slopes = names["slopes"]
    means = [sum(map(abs, part)) / len(part) for part in (slopes[:48], slopes[48:320], slopes[320:])]
    assert [f"{mean:.4f}" for mean in means[1:]] == ["0.0926", "0.6011"]
    assert means[1] < means[0] < means[2] and "the largest, 0.6011 on average" in prose and "0.0926" in prose
    assert sum(abs(slope) < 0.1 for slope in slopes[48:320]) > 272 / 2  # most of the second layer's crowd around 0
    assert min(slopes) < 0 < max(slopes)
    moved = [number - 0.001 * slope for number, slope in zip(numbers, slopes)]
    assert f"{network_loss(moved):.4f}" == "0.1852" and "fell from 0.2062 to 0.1852" in prose


def test_nudging_agrees_with_a_backward_pass_and_with_dual_numbers(prose, names):
    fresh = autograd.MLP(2, [16, 16, 1], rng=random.Random(5))
    numbers = [weight.data for weight in fresh.parameters()]
    slopes, passed = names["slopes"], [weight.grad for weight in names["again"].parameters()]
    duals = forward_gradient(lambda *weights: network_loss(weights), numbers)
    assert passed == pytest.approx(duals, rel=1e-9, abs=1e-12)
    largest = max(abs(one - other) for one, other in zip(slopes, duals))
    assert 0.9e-5 < largest < 1.1e-5 and "differ by at most about 1e-5, which is the error of the forward" in prose


def test_the_runs_are_counted(prose, names):
    """n + 1 runs of the loss for n weights, and 768 · 3072 of them."""
    runs, loss = [], names["loss"]
    names["loss"] = lambda network: runs.append(1) or loss(network)
    try:
        names["slopes_by_nudging"](names["network"])
    finally:
        names["loss"] = loss
    assert len(runs) == 337 + 1 == names["forward_passes"](337)
    assert 768 * 3072 == 2_359_296 == forward_passes_check.MANY
    assert "the whole network 2,359,296 times, and once more without a nudge" in prose and "2359296" in prose


def test_the_break(prose, names):
    found = names["forgetful_slopes"](names["total"], [2.0, -3.0, 10.0])
    right = forward_gradient(lambda a, b, c: a * b + c, [2, -3, 10])
    assert right == [-3, 2, 1] and "b, a and 1, so -3, 2 and 1" in prose
    assert found == pytest.approx([-3, -3 + 2, -3 + 2 + 1], abs=0.0011)
    h, total = 0.001, names["total"]
    together = (total([2 + h, -3 + h, 10 + h]) - total([2, -3, 10])) / h
    assert together == pytest.approx(0, abs=0.0011) and "one number, 0, for three slopes of which none is 0" in prose


def test_the_common_mistakes(prose):
    assert 5**2 - 3**2 == 16 and 6 * 2 == 12 and "going from 3 to 5 adds 16, not 12" in prose
    with pytest.raises(ZeroDivisionError):
        (3**2 - 3**2) / 0
    assert "h = 0 raises ZeroDivisionError" in prose
    assert Case("x²", 1.5).slope(1e-16, "forward").slope == 0  # or noise:
    assert Case("tanh(x)²", 0.775).slope(1e-16, "forward").error > 0.1


def test_the_numbers_of_the_quiz():
    questions = {question["id"]: question for question in load("01")["questions"]}
    assert questions["01-from-two-values"]["number"]["answer"] == pytest.approx((4.4 - 5) / (2.1 - 2))
    assert questions["01-tenth-of-h"]["number"]["answer"] == pytest.approx(2 * 0.1**2)
    assert 3**3 - 1 == 26 and forward_gradient(lambda x: x**3, [1]) == [3]
    assert forward_gradient(lambda x: x**3, [3]) == [27]
    assert questions["01-backward-beats-nudging"]["asks"] == "backward-beats-nudging"
