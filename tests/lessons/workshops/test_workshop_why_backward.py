"""Why backward, and not forward? Its numbers are what dual numbers, graphs and counts give."""

import pytest

from autograd import Dual, Value, topological_order
from autograd.dual import forward_gradient
from exercises.quizzes.quiz_data import load
from figures import forward_mode
from tests.notebooks import Lesson

WORKSHOP = Lesson("why_backward", with_solutions=True)


def test_forward_mode_lab_results_and_costs():
    root = WORKSHOP["f"](Value(0.5, label="a"), Value(-1.6, label="b"))
    product = Dual(0.5, 1.0) * -1.6
    total, said = product + Dual(0.5, 1.0), forward_mode(root).render_text()
    root.backward()
    WORKSHOP.says("{:.4f} and {:.4f} both times".format(*forward_gradient(WORKSHOP["f"], [0.5, -1.6])))
    WORKSHOP.says(f"{total.derivative:.4f} and {root._prev[0].grad:.4f}. The first is how fast s changes with a")
    edges = sum(len(node._prev) for node in topological_order(root))
    WORKSHOP.says(f"Why does one way take {2 * edges} products, and the other {edges}?")
    assert "It took 5 products" in said and "forward mode took 2 · 5 = 10" in said
    found = {way: dict(numbers) for way, numbers in WORKSHOP["costs"].items()}
    for way, runs in (("by_nudging", lambda n: n + 1), ("forward_mode", lambda n: n), ("reverse_mode", lambda n: 2)):
        assert [found[way][n] for n in (1, 10, 100)] == [runs(n) * (2 * n - 1) for n in (1, 10, 100)]
    tens, hundreds = ([way[n] for way in found.values()] for n in (10, 100))
    WORKSHOP.says("Nudging takes {:,}, forward mode {:,}, and reverse mode {}.".format(*hundreds))
    WORKSHOP.says("With 10 inputs they take {}, {} and {}.".format(*tens))
    xs = [1.0, 2.0, 3.0]
    assert WORKSHOP["forward_mode"](xs) == WORKSHOP["reverse_mode"](xs) == [2, 4, 6]
    assert [
        (slope, x) for slope, x in zip(WORKSHOP["by_nudging"](xs), xs) if not (5e-7 < abs(slope - 2 * x) < 2e-6)
    ] == []


def test_pass_counts_for_a_network_and_a_curve():
    assert sum(map(len, WORKSHOP["layers"].values())) == len(WORKSHOP["net"].parameters()) == 337
    assert WORKSHOP["curve"][50].derivative == pytest.approx(forward_gradient(lambda t: (t * 0.5).tanh(), [0.5])[0])
    WORKSHOP.shows("Dual(value=9.0000, derivative=6.0000)", "Dual(value=12.0000, derivative=12.0000)")
    dual = next(each for each in load(WORKSHOP.path.stem)["questions"] if each["id"] == "06-dual-product")
    assert forward_gradient(lambda x, y: x * y * x, [3.0, 2.0])[0] == dual["number"]["answer"]
