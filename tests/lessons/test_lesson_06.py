"""Lesson 06: every number in its text is what the engine, dual numbers, floats or nudging give."""

import inspect
import math
import random

import pytest

import autograd
from autograd import Value
from autograd.dual import Dual, forward_gradient
from exercises import read_engine
from exercises.engine_file import check, line_by_line, parts
from exercises.engines.wrong_engines import WRONG_ENGINES, Engine
from exercises.judging.kills import kill_matrix
from exercises.quizzes.quiz_data import load
from exercises.shelf import library
from figures import forward_mode
from figures.labs import nudge
from tests import notebooks

LESSON = notebooks.Lesson("06", with_solutions=True)
POINT = [0.5, -1.6]


def bent(a, b):
    """The lesson's function, on plain floats."""
    return math.tanh(a * b + a)


def gradients(engine, f, xs):
    """The gradients that an engine gives for f."""
    leaves = [engine(x) for x in xs]
    f(*leaves).backward()
    return [leaf.grad for leaf in leaves]


@pytest.mark.long
def test_backward_nudging_and_dual_numbers_agree():
    f, found = LESSON["f"], gradients(LESSON["Value"], LESSON["f"], POINT)
    assert found == pytest.approx(forward_gradient(f, POINT), rel=1e-14)
    nudged = (bent(0.5 + 1e-5, -1.6) - bent(0.5 - 1e-5, -1.6)) / 2e-5
    assert 1e-12 < abs(found[0] - nudged) < 1e-11
    LESSON.says("twelfth decimal", "`backward()` says {:.4f} for a and {:.4f} for b".format(*found))
    LESSON.shows(f"({nudged:.9f}"[:-1], "Dual(value=9.0000, derivative=6.0000)")
    a = LESSON["Value"](0.5)
    root = f(a, LESSON["Value"](-1.6))
    a.data = 9.0
    assert root.data == bent(*POINT)  # changing a leaf moves no result
    assert autograd.gradcheck(f, POINT)
    assert inspect.signature(autograd.gradcheck).parameters["epsilon"].default == 1e-5
    LESSON.says("The package's own check, `autograd.gradcheck(f, xs)`, uses 1e-5.")


@pytest.mark.long
def test_the_gaps_of_wrong_engines_the_u_curve_and_the_corner():
    gap, wrong, exact = LESSON["gap"], LESSON["wrong"], forward_gradient(LESSON["f"], POINT)[0]
    assert sorted(wrong) == sorted(each.id for each in WRONG_ENGINES) and len(wrong) == 20
    for name in ("M12", "M14"):
        off = abs(gradients(wrong[name], LESSON["f"], POINT)[0] - exact)
        assert gap(wrong[name]) == pytest.approx(off, abs=1e-9)
    LESSON.says(f"M12 is off by {gap(wrong['M12']):.4f}, and M14 by only {gap(wrong['M14']):.4f}", "6e-12")
    LESSON.shows("'right': ", "'M12': ", "'M14': ")
    LESSON.says(f"tanh's input was {0.5 * -1.6 + 0.5:.1f} and its output {bent(*POINT):.4f}")
    sizes = {k: gap(LESSON["Value"], 10.0**-k) for k in range(1, 14)}
    assert sizes[2] > 1e5 * sizes[5] and sizes[12] > 1e6 * sizes[5] and min(sizes, key=sizes.get) == 5
    assert sizes[2] == pytest.approx(abs(exact - (bent(0.51, -1.6) - bent(0.49, -1.6)) / 0.02), rel=1e-6)
    LESSON.says("best near 1e-5")
    slopes = {
        x: {h: nudge.Case("relu(x)", x).slope(h, "central").slope for h in nudge.NUDGES} for x in (0.0, 0.025, 1.0)
    }
    assert [slopes[1.0][h] for h in (1.0, 1e-5)] == pytest.approx([1, 1]) and {*slopes[0.0].values()} == {0.5}
    assert nudge.Case("relu(x)", 0.0).slope(1e-5, "forward").slope == 1
    assert [nudge.Case("relu(x)", x).truth for x in (0.0, 0.025)] == [0, 1]
    off = [h for h, slope in slopes[0.025].items() if abs(slope - 1) > 1e-3 and h > 1e-12]
    assert off == [h for h in nudge.NUDGES if h > 0.025]
    LESSON.says(f"h = {max(off):g} down to h = {min(off)}, where it says {slopes[0.025][min(off)]:g}")
    assert nudge.REACH / 0.025 == 100  # so the slider for x can be set to it


def test_the_histogram_of_errors():
    right, assigned, M1 = LESSON["right"], LESSON["assigned"], LESSON["wrong"]["M1"]
    large, small = sum(e > 1e-6 for e in assigned), sum(e < 1e-9 for e in assigned)
    assert len(right) == len(assigned) == 300 and max(right) < 1e-9
    assert sum(e > 1e-3 for e in assigned) > 0.9 * large  # most of them far above
    LESSON.says("stays below 1e-9", f"{large} of its errors are above 1e-6", f"But {small} are as small as the right")
    LESSON.shows("Histogram of errors by layer")
    for seed in range(0, 300, 23):  # the errors are those that dual numbers give
        rng = random.Random(seed)
        xs = [rng.uniform(-1, 1), rng.uniform(-1, 1)]

        def f(a, b, seed=seed):
            return LESSON["expression"](seed, a, b)

        off = max(abs(one - other) for one, other in zip(gradients(M1, f, xs), forward_gradient(f, xs)))
        assert assigned[seed] == pytest.approx(off, abs=1e-8)


@pytest.mark.long
def test_a_right_engine_passes_the_tests_of_the_lesson_whoever_wrote_it():
    """The learner's cells ask for less than 1e-9, and for the package's numbers: any right engine gives both."""
    ways = [LESSON["mine"].Value, LESSON["Value"], Value, parts.fresh("backward"), parts.fresh("accumulate"), Engine]
    for engine in ways:
        assert LESSON["gap"](engine) < 1e-10
        assert max(LESSON["difference"](engine, seed) for seed in range(300)) < 8e-10  # most of it one function's bend
        for f, xs in [*LESSON["six_tests"], *LESSON["tidy"]]:
            found = [f(*map(Dual, xs)).value, *forward_gradient(f, xs)]
            assert LESSON["results"](engine, f, xs) == pytest.approx(found, abs=1e-12)
    assert not LESSON["gap"](LESSON["wrong"]["M12"]) < 1e-9 and max(LESSON["assigned"]) > 1e-9
    right = "Your class is right on 60 random graphs: values and gradients."
    for solved, given in ((True, [True] * 6), (False, [])):
        own = [c for c in notebooks.cells(notebooks.ran(LESSON.path, solved), "code") if notebooks.runs_own_engine(c)]
        assert own[0].source.startswith('mine = exercises.my_engine("06")')
        shown = [notebooks.joined(notebooks.output_of(c)) for c in own[1:]]  # what is loaded, then the result
        assert len(shown) == 2 and shown[0].endswith("(True, True)") and shown[1].endswith(f"({given}, {right})")


def test_the_blind_spot_memory_stale_numbers_and_the_common_mistakes():
    M18 = LESSON["wrong"]["M18"]
    LESSON.shows("(2.0, 1.0, 1.0000000000065512)")
    LESSON.says(f"1 - 3 is {1 - 3}, and the slope of 1 - v is -1. The engine says 2 and 1.")
    assert check.kill_matrix([(lambda v: 1 - v, [3.0])]).killed[0][17]  # by its value
    assert LESSON["check_gradients"](M18, lambda v: 1 - v, [3.0]) < 1e-10  # the solution's check lets it pass
    LESSON.shows("(101, 0)", "(100.0, 3.0)")
    LESSON.says("All 101 of your engine's nodes, and none of the package's.", "so 3 is right")
    names = {}
    exec(library.solution("check_gradients").code.replace("/ (2 * epsilon)", "/ epsilon"), names)
    assert names["check_gradients"](Engine, lambda x: x * x, [3.0]) == pytest.approx(6)  # 12 against 6
    assert not check.check_gradients(names["check_gradients"])


def test_the_forward_lab_from_both_ends_and_the_costs():
    a, b = Value(0.5, label="a"), Value(-1.6, label="b")
    p = a * b
    s = p + a
    root = s.tanh()
    p.label, s.label, root.label = "p", "s", "f"
    product = Dual(0.5, 1.0) * -1.6
    total = product + Dual(0.5, 1.0)
    forward = [f"{each.derivative:.4f}" for each in (product, total, total.tanh())]
    said = forward_mode(root).text()
    root.backward()
    assert forward == ["-1.6000", "-0.6000", "-0.5491"] and all(number in said for number in forward)
    assert [f"{node.grad:.4f}" for node in (s, p, a)] == ["0.9151", "0.9151", "-0.5491"]
    LESSON.says(f"{forward[1]} and {s.grad:.4f}. The first says how fast s changes with a")
    edges = sum(len(node._prev) for node in autograd.topological_order(root))
    LESSON.says(f"Why does one way take {2 * edges} products, and the other {edges}?")
    assert "It took 5 products" in said and "forward mode took 2 · 5 = 10" in said
    found = {way: dict(numbers) for way, numbers in LESSON["costs"].items()}
    for way, runs in (("by_nudging", lambda n: n + 1), ("forward_mode", lambda n: n), ("reverse_mode", lambda n: 2)):
        assert [found[way][n] for n in (1, 10, 100)] == [runs(n) * (2 * n - 1) for n in (1, 10, 100)]
    tens, hundreds = ([found[way][n] for way in found] for n in (10, 100))
    LESSON.says("Nudging takes {:,}, forward mode {:,}, and reverse mode {}.".format(*hundreds))
    LESSON.says("With 10 inputs they take {}, {} and {}.".format(*tens))
    assert found["forward_mode"][100] / found["reverse_mode"][100] == 50 < found["by_nudging"][100] / 398 < 51
    LESSON.says("50 times cheaper", f"the {768 * 3072:,} weights", "error in the sixth decimal")
    xs = [1.0, 2.0, 3.0]
    assert LESSON["forward_mode"](xs) == LESSON["reverse_mode"](xs) == [2, 4, 6]
    assert all(5e-7 < abs(slope - 2 * x) < 2e-6 for slope, x in zip(LESSON["by_nudging"](xs), xs))


def test_the_kill_matrix_of_tidy_tests_and_of_one_with_fan_out():
    matrix, more = (kill_matrix([*LESSON["tidy"], *tests]) for tests in ([], [(lambda a, b: a * b + a, [0.5, -1.5])]))
    caught, again = ([each.id for each in found.caught] for found in (matrix, more))
    assert not set(caught) & {f"M{i}" for i in range(1, 9)}
    assert [name for name in again if name in ("M1", "M2", "M3", "M4")] == ["M2"]
    LESSON.says(f"</summary>{matrix.score} of 20.</details>", f"{more.score} of 20: of the four it caught M2 alone.")
    for f, xs in LESSON["tidy"]:
        uses = [input for node in autograd.topological_order(f(*map(Value, xs))) for input in node._prev]
        assert len(uses) == len(set(uses))  # nothing is used twice


@pytest.mark.parametrize("name", line_by_line.PACKAGE)
def test_the_engine_is_read_from_its_file(name):
    part, source = read_engine(name), inspect.getsource(getattr(Value, name.removeprefix("Value.")))
    lines = [line.strip() for line, _ in part.lines]
    assert lines == [line.strip() for line in source.strip().splitlines()]
    start, end = (int(word) for word in part.place.split() if word.isdigit())
    text = inspect.getsource(inspect.getmodule(Value)).splitlines()[start - 1 : end]
    assert [line.strip() for line in text] == lines
    assert part.html().count("<code") == len(lines) and "→" in repr(part)
    LESSON.shows("input.grad += local * upstream")
    with pytest.raises(ValueError, match=r"read_engine has Value.__init__, .*; got 'Value.cosh'"):
        read_engine("Value.cosh")


def test_the_quizs_claims():
    questions = {question["id"]: question for question in load("06")["questions"]}
    assert {q["asks"] for q in questions.values() if "asks" in q} == {"reverse-beats-forward", "backward-beats-nudging"}
    slopes = forward_gradient(lambda x, y: x * y * x, [3.0, 2.0])
    assert slopes == [questions["06-dual-product"]["number"]["answer"], 9]

    def skips(a, b):
        h = a * b
        return (h * a).tanh() + h

    wrong = LESSON["wrong"]
    for engine, function, xs, differs in (  # the options of what a test needs, and of what a tidy test sees
        (wrong["M8"], skips, [0.5, 0.8], True),
        (wrong["M8"], lambda a, b: a * a * a, [0.5, 0.8], False),
        (wrong["M8"], lambda a, b: ((a * b).tanh() * 0.5).exp(), [0.5, 0.8], False),
        (wrong["M8"], lambda a, b: a + b + 3 + a + b + 3, [0.5, 0.8], False),
        *((wrong[id], lambda x, y: (x * y).tanh(), [0.7, -1.3], id != "M2") for id in ("M12", "M2", "M14", "M10")),
    ):
        assert (gradients(engine, function, xs) != pytest.approx(forward_gradient(function, xs))) == differs
    for kind, expected in ((LESSON["Value"], 0), (Value, 5)):
        a, b = kind(2.0), kind(5.0)
        product = a * b
        b.data = 0.0
        product.backward()
        assert a.grad == expected
    assert LESSON["gap"](LESSON["Value"], 1e-14) > 1e-6  # a right engine fails
