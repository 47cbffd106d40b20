"""Lesson 05: the numbers of its text, computed by plain floats and dual numbers, and what its cells show."""

import numpy as np
import pytest

from autograd.dual import forward_gradient
from figures.labs.goal import DOTS, RATE
from tests.engines import RIGHT, TEMPLATE, names_in, swapped
from tests.notebooks import Lesson

LESSON = Lesson("05_again")
ENGINES = {way: names_in(swapped(TEMPLATE, *changes)) for way, changes in RIGHT.items()}


def test_grads_after_a_second_pass():
    a, b, d = forward_gradient(lambda a, b, d: (a + b) * d, [3.0, 2.0, 1.0])
    assert (a, b, d) == (1, 1, 5)
    LESSON.says("After one pass, d.grad is c's value, 5. a.grad and b.grad are 1")
    drawn = LESSON.output("figures.draw_graph(e)").splitlines()
    grads = {line.split()[0]: float(line.split()[-1]) for line in drawn[1:]}
    assert grads == {"a": 3 * a, "b": 3 * b, "c": 2, "d": 2 * d, "e": 1}
    LESSON.says("d has doubled, to 10. But a and b have tripled, to 3", "c passed on 2, and a went from 1 to 3")


def descended(rounds, zero):
    """Return the path of w under the loss (w - 3)² and the gradients that each round uses, by floats."""
    w, used, path, slopes = 0.0, 0.0, [], []
    for _ in range(rounds):
        used = 2 * (w - 3) + (0 if zero else used)
        slopes.append(2 * (w - 3))
        w -= 0.25 * used
        path.append(w)
    return path, slopes, used


def test_loop_with_and_without_zeroing():
    assert LESSON.output("round(w.grad, 6)") == "8.0"
    assert LESSON.output("descend(4, zero=True)") == str(descended(4, True)[0])
    path, slopes, _ = descended(8, False)
    assert LESSON.output("descend(8, zero=False)") == str([round(w, 6) for w in path])
    assert path[0] < 3 < path[1] and slopes[:3] == [-6, -3, 1.5] and sum(slopes[:3]) == -7.5 and path[7] < 0
    LESSON.says("After two rounds w is past 3, and its slope, 1.5,", "the sum −6 − 3 + 1.5 = −7.5")


def test_learning_rate_limit_is_2_over_the_largest_curvature():
    def last(lr, zero):
        point, held = np.array([1.0, 3.0]), np.zeros(2)
        for _ in range(40):
            held = np.array([8.0, 2.0]) * point + (0 if zero else held)
            point = point - lr * held
        return abs(point).max()

    assert 1 - 8 * 0.25 == -1 and last(0.24, True) < 1 < 1e3 < last(0.3, True)
    assert last(0.3, False) < 10 and last(0.05, False) > 0.5
    LESSON.says(
        "Above 0.25. At 0.25 the factor is −1",
        "A smaller rate only makes it swing more slowly",
        "The limit is 2/8",
        "On its own, v could take a rate of 1",
    )


@pytest.mark.parametrize("way", ENGINES)
def test_any_right_engine_tunes_the_three_dials(way):
    Value = ENGINES[way]["Value"]
    dials, losses, sizes = [Value(0.0) for _ in "abc"], [], []
    for _ in range(101):
        for dial in dials:
            dial.grad = 0.0
        a, b, c = dials
        loss = sum((a + b * x + c * x**2 - y) ** 2 for x, y in DOTS)
        loss.backward()
        losses.append(loss.data)
        sizes.append(np.mean([abs(dial.grad) for dial in dials]))
        for dial in dials:
            dial.data -= RATE * dial.grad
    assert LESSON.output("dials = a, b, c") == str(round(losses[100], 4)) == "0.011" and losses[0] == 5
    assert np.mean(sizes[:10]) / np.mean(sizes[-10:]) == pytest.approx(224, rel=0.01)
    best = np.linalg.lstsq(np.vander([x for x, _ in DOTS], 3), [y for _, y in DOTS], rcond=None)[1][0]
    LESSON.says(f"No setting gets it below {best:.4f}", f"dots = {[*DOTS]}", "the loss is exactly 5", "To 0.0110")
    LESSON.says("some two hundred times smaller")
