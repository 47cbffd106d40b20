"""Lesson 06: every number in its text is what the engine, dual numbers, floats or nudging give."""

import inspect
import math
import random

import pytest

import autograd
from autograd import Value
from autograd.dual import Dual, forward_gradient
from exercises import read_engine
from exercises.engine_file import check, engine_source, parts
from exercises.engines.wrong_engines import WRONG_ENGINES, Engine
from exercises.judging.kill_matrix import kill_matrix
from exercises.quizzes.quiz_data import load
from exercises.shelf import library
from figures import forward_mode
from figures.labs import nudge
from tests import lessons

PATH = lessons.NOTEBOOKS / "06_prove_the_engine_right.ipynb"


@pytest.fixture(scope="module")
def names():
    """The names that the solved lesson defines."""
    return lessons.names_of(PATH)


def bent(a, b):
    """The lesson's function, on plain floats."""
    return math.tanh(a * b + a)


def central(f, xs, i, epsilon):
    """A slope by nudging both ways, on plain floats."""
    up, down = ([x + sign * epsilon * (k == i) for k, x in enumerate(xs)] for sign in (1, -1))
    return (f(*up) - f(*down)) / (2 * epsilon)


def test_backward_and_nudging_agree(names, prose):
    f, Closures = names["f"], names["Value"]
    a, b = Closures(0.5), Closures(-1.6)
    f(a, b).backward()
    assert [a.grad, b.grad] == pytest.approx(forward_gradient(f, [0.5, -1.6]), rel=1e-14)
    assert (round(a.grad, 4), round(b.grad, 4)) == (-0.5491, 0.4576)
    off = abs(a.grad - central(bent, [0.5, -1.6], 0, 1e-5))
    assert 1e-12 < off < 1e-11 and "twelfth decimal" in prose
    assert "`backward()` says -0.5491 for a and 0.4576 for b" in prose and "(-0.549082177" in prose
    root = f(a, b)
    a.data = 9.0
    assert root.data == bent(0.5, -1.6)  # changing a leaf moves no result


def test_the_gaps_of_two_wrong_engines(names, prose):
    gap, wrong = names["gap"], names["wrong"]
    assert sorted(wrong) == sorted(each.id for each in WRONG_ENGINES) and len(wrong) == 20
    assert gap(names["Value"]) < 1e-11
    assert f"M12 is off by {gap(wrong['M12']):.4f}, M14 by {gap(wrong['M14']):.4f} only" in prose
    assert all(f"'{name}': " in prose for name in ("right", "M12", "M14"))
    assert "6e-12" in prose and round(bent(0.5, -1.6), 4) == -0.2913 and round(0.5 * -1.6 + 0.5, 4) == -0.3
    for id in ("M12", "M14"):
        a = wrong[id](0.5)
        names["f"](a, wrong[id](-1.6)).backward()
        assert gap(wrong[id]) == pytest.approx(abs(a.grad - forward_gradient(names["f"], [0.5, -1.6])[0]), abs=1e-9)


def test_the_packages_gradient_check(names, prose):
    report = autograd.gradcheck(names["f"], [0.5, -1.6])
    assert report and [row.tolerance for row in report.rows] == [1e-6] * 2
    assert str(report) in prose and "A row passes up to 1e-6" in prose


def test_the_u_curve(names, prose):
    gap = names["gap"]
    large, best, tiny = (gap(names["Value"], epsilon) for epsilon in (1e-2, 1e-5, 1e-12))
    assert large > 1e5 * best and tiny > 1e6 * best
    assert min(range(1, 14), key=lambda k: gap(names["Value"], 10.0**-k)) == 5
    assert "best near 1e-5" in prose
    exact = forward_gradient(names["f"], [0.5, -1.6])[0]
    assert large == pytest.approx(abs(exact - central(bent, [0.5, -1.6], 0, 1e-2)), rel=1e-6)


def test_the_corner_in_the_lab(prose):
    opened, at_0 = nudge.Case("relu(x)", 1.0), nudge.Case("relu(x)", 0.0)
    assert [opened.slope(h, "central").slope for h in (1.0, 1e-5)] == pytest.approx([1, 1])
    for h in nudge.NUDGES:
        assert at_0.slope(h, "central").slope == 0.5
    assert at_0.slope(1e-5, "forward").slope == 1 and at_0.truth == 0
    beside = nudge.Case("relu(x)", 0.025)
    assert beside.truth == 1
    off = [h for h in nudge.NUDGES if abs(beside.slope(h, "central").slope - 1) > 1e-3 and h > 1e-12]
    assert off == [h for h in nudge.NUDGES if h > 0.025] and min(off) == 0.05
    assert beside.slope(0.05, "central").slope == pytest.approx(0.75)
    assert "h = 1 down to h = 0.05, where it says 0.75" in prose
    assert nudge.REACH / 0.025 == 100  # so the slider for x can be set to it


def test_the_histogram_of_errors(names, prose):
    right, assigned = names["right"], names["assigned"]
    assert len(right) == len(assigned) == 300
    assert max(right) < 1e-9 and "stays below 1e-9" in prose
    large, small = sum(e > 1e-6 for e in assigned), sum(e < 1e-9 for e in assigned)
    assert f"{large} of its errors are above 1e-6" in prose and f"But {small} are as small as the right" in prose
    assert sum(e > 1e-3 for e in assigned) > 0.9 * large  # most of them far above
    assert "Histogram of errors by layer" in prose


def test_the_errors_of_an_expression_are_those_that_dual_numbers_give(names):
    M1 = names["wrong"]["M1"]
    for seed in range(0, 300, 23):
        rng = random.Random(seed)
        xs = [rng.uniform(-1, 1), rng.uniform(-1, 1)]
        leaves = [M1(x) for x in xs]
        names["expression"](seed, *leaves).backward()
        slopes = forward_gradient(lambda a, b, seed=seed: names["expression"](seed, a, b), xs)
        off = max(abs(leaf.grad - slope) for leaf, slope in zip(leaves, slopes))
        assert names["assigned"][seed] == pytest.approx(off, abs=1e-8)


def test_a_right_engine_passes_the_tests_of_the_lesson_whoever_wrote_it(names):
    """The learner's cells ask for less than 1e-9, and for the package's numbers: any right engine gives both."""
    engines = [names["mine"].Value, names["Value"], Value, parts.fresh("backward"), parts.fresh("accumulate"), Engine]
    for engine in engines:
        assert names["gap"](engine) < 1e-10
        assert (
            max(names["difference"](engine, seed) for seed in range(300)) < 8e-10
        )  # most of it the bend of one function
        for f, xs in [*names["six_tests"], *names["tidy"]]:
            found, right = names["results"](engine, f, xs), names["results"](Value, f, xs)
            assert found == pytest.approx(right, abs=1e-12)
            assert found == pytest.approx([f(*map(Dual, xs)).value, *forward_gradient(f, xs)], abs=1e-12)
    assert not names["gap"](names["wrong"]["M12"]) < 1e-9
    assert max(names["difference"](names["wrong"]["M1"], seed) for seed in range(300)) > 1e-9


def test_what_the_learners_own_engine_is_asked(names):
    own = [cell for cell in lessons.read(PATH).cells if "own-engine" in cell.metadata.get("tags", [])]
    assert len(own) == 3 and own[0].source == 'mine = exercises.my_engine("06")'
    right = "Your class is right on 60 random graphs: values and gradients."
    for solved, given in ((True, [True] * 6), (False, [])):
        cells = lessons.ran(PATH, solved).cells
        shown = [o.data["text/plain"] for cell in cells for o in cell.get("outputs", ()) if o.get("data")]
        assert "(True, True)" in shown
        assert f"({given}, {right})" in [" ".join(text.split()) for text in shown]


def test_the_blind_spot(names, prose):
    M18 = names["wrong"]["M18"]
    v = M18(3.0)
    out = 1 - v
    out.backward()
    assert (out.data, v.grad) == (2, 1) and (1 - 3.0, forward_gradient(lambda v: 1 - v, [3.0])) == (-2, [-1])
    assert check.kill_matrix([(lambda v: 1 - v, [3.0])]).killed[0][17]  # by its value
    assert "(2.0, 1.0, 1.0000000000065512)" in prose and "The engine says 2 and 1" in prose
    mine = names["check_gradients"]
    assert mine(M18, lambda v: 1 - v, [3.0]) < 1e-10  # the solution's check lets it pass


def test_dual_numbers_by_hand(names, prose):
    squared = Dual(3.0, 1.0) * Dual(3.0, 1.0)
    assert (squared.value, squared.derivative) == (9, 6)
    assert "Dual(value=9.0000, derivative=6.0000)" in prose
    runs = [names["f"](Dual(0.5, 1.0), Dual(-1.6)), names["f"](Dual(0.5), Dual(-1.6, 1.0))]
    assert [round(run.derivative, 4) for run in runs] == [-0.5491, 0.4576]
    u, du, v, dv = 3.0, 0.5, -2.0, 1.5
    product = Dual(u, du) * Dual(v, dv)
    assert (product.value, product.derivative) == (u * v, du * v + u * dv)


def test_the_forward_lab_from_both_ends(prose):
    a, b = Value(0.5, label="a"), Value(-1.6, label="b")
    p = a * b
    s = p + a
    root = s.tanh()
    p.label, s.label, root.label = "p", "s", "f"
    forward = [Dual(0.5, 1.0) * -1.6]
    forward.append(forward[0] + Dual(0.5, 1.0))
    forward.append(forward[1].tanh())
    assert [round(each.derivative, 4) for each in forward] == [-1.6, -0.6, -0.5491]
    said = forward_mode(root).text()
    assert all(f"{each.derivative:.4f}" in said for each in forward)
    root.backward()
    assert [round(node.grad, 4) for node in (s, p, a)] == [0.9151, 0.9151, -0.5491]
    assert "-0.6000 and 0.9151. The first says how fast s changes with a" in prose
    edges = sum(len(node._prev) for node in autograd.topological_order(root))
    assert (2 * edges, edges) == (10, 5) and "Why does one way take 10 products, and the other 5?" in prose
    assert "It took 5 products" in said and "forward mode took 2 · 5 = 10" in said


def test_the_costs(names, prose):
    for n, ways in {1: (2, 1, 2), 10: (209, 190, 38), 100: (20099, 19900, 398)}.items():
        found = tuple(dict(names["costs"][way])[n] for way in ("nudging", "forward mode", "reverse mode"))
        run = 2 * n - 1
        assert found == ways == ((n + 1) * run, n * run, 2 * run)
    for row in (
        "| nudging | n + 1 | 2 | 209 | 20,099 |",
        "| forward mode | n | 1 | 190 | 19,900 |",
        "| reverse mode | 1, and back once | 2 | 38 | 398 |",
    ):
        assert row in prose
    assert 19900 / 398 == 50 and 50 < 20099 / 398 < 51 and "50 times cheaper" in prose
    weights = 768 * 3072
    assert weights == 2_359_296 and 1.0e6 < weights * (2 * weights - 1) / (2 * (2 * weights - 1)) < 1.3e6
    xs = [1.0, 2.0, 3.0]
    assert names["forward_mode"](xs) == names["reverse_mode"](xs) == [2, 4, 6]
    off = [abs(slope - 2 * x) for slope, x in zip(names["by_nudging"](xs), xs)]
    assert all(5e-7 < each < 2e-6 for each in off) and "error in the sixth decimal" in prose


def test_a_backward_pass_runs_one_rule_for_each_operation(names):
    """What `reverse_mode` adds to the count, counted here on the engine itself."""
    calls, kind = 0, names["Value"]
    leaves = [kind(0.1) for _ in range(30)]
    root = names["squares"](leaves)
    for node in names["topological_order"](root):

        def counted(node=node, rule=node._backward):
            nonlocal calls
            calls += node._op != ""
            rule()

        node._backward = counted
    root.backward()
    assert calls == 2 * 30 - 1 and all(leaf.grad == pytest.approx(0.2) for leaf in leaves)


def test_the_kill_matrix_of_tidy_tests(names, prose):
    matrix = kill_matrix(names["tidy"])
    caught = {each.id for each in matrix.caught}
    assert matrix.score == 10 and "</summary>10 of 20.</details>" in prose
    assert not caught & {f"M{i}" for i in range(1, 9)}
    by = {
        each.id: [i for i, row in enumerate(matrix.killed, 1) if row[j]]
        for j, each in enumerate(WRONG_ENGINES)
        if each.id in caught
    }
    assert [id for id, rows in by.items() if rows == [1, 2, 3, 4]] == ["M9", "M10"]
    assert "M9 begins at the leaves, M10 has no first 1" in prose
    for f, xs in names["tidy"]:
        order = autograd.topological_order(f(*map(Value, xs)))
        uses = [input for node in order for input in node._prev]
        assert len(uses) == len(set(uses))  # nothing is used twice


def test_a_test_with_fan_out(names, prose):
    more = kill_matrix([*names["tidy"], (lambda a, b: a * b + a, [0.5, -1.5])])
    assert more.score == 11
    assert [each.id for each in more.caught if each.id in ("M1", "M2", "M3", "M4")] == ["M2"]
    assert "11 of 20: of the four it caught M2 alone" in prose


def test_the_engine_is_read_from_its_file(prose):
    for name, lines in engine_source.LINES.items():
        method = getattr(Value, name.removeprefix("Value."))
        part = read_engine(name)
        assert [line.strip() for line, _ in part.lines] == [
            line.strip() for line in inspect.getsource(method).strip().splitlines()
        ]
        assert set(lines) <= {line.strip() for line, _ in part.lines}  # no explanation of what is not there
        start, end = (int(word) for word in part.place.split() if word.isdigit())
        text = inspect.getsource(inspect.getmodule(Value)).splitlines()[start - 1 : end]
        assert [line.strip() for line in text] == [line.strip() for line, _ in part.lines]
        assert part.html().count("<code") == len(part.lines) and "→" in repr(part)
    assert "input.grad += local * upstream" in prose
    with pytest.raises(ValueError, match=r"read_engine has Value.__init__, .*; got 'Value.cosh'"):
        read_engine("Value.cosh")


def test_what_stays_in_memory(names, prose):
    assert names["left_in_memory"](autograd.Value) == 0
    assert names["left_in_memory"](names["Value"]) == 101
    assert "(101, 0)" in prose and "All 101 of the closure engine's" in prose


def test_what_goes_stale(names, prose):
    assert (names["changed_in_between"](names["Value"]), names["changed_in_between"](Value)) == (100, 3)
    assert "(100.0, 3.0)" in prose


def test_the_common_mistakes():
    assert forward_gradient(lambda x: x * x, [3.0]) == [6]
    twice = check.check_gradients
    names = {}
    code = library.solution("check_gradients").code.replace("/ (2 * epsilon)", "/ epsilon")
    exec(code, names)
    assert names["check_gradients"](Engine, lambda x: x * x, [3.0]) == pytest.approx(6)  # 12 against 6
    assert not twice(names["check_gradients"])


def gradients(engine, f, xs):
    """The gradients that an engine gives for f."""
    leaves = [engine(x) for x in xs]
    f(*leaves).backward()
    return [leaf.grad for leaf in leaves]


def test_the_quizs_claims(names):
    questions = {question["id"]: question for question in load("06")["questions"]}
    assert {q["asks"] for q in questions.values() if "asks" in q} == {"reverse-beats-forward", "backward-beats-nudging"}

    def f(x, y):
        return x * y * x

    assert forward_gradient(f, [3.0, 2.0]) == [questions["06-dual-product"]["number"]["answer"], 9]
    breadth = next(each.engine for each in WRONG_ENGINES if each.id == "M8")

    def skips(a, b):
        h = a * b
        return (h * a).tanh() + h

    shown = {  # the options of what a test needs
        skips: True,
        lambda a, b: a * a * a: False,
        lambda a, b: ((a * b).tanh() * 0.5).exp(): False,
        lambda a, b: a + b + 3 + a + b + 3: False,
    }
    for function, differs in shown.items():
        right = forward_gradient(function, [0.5, 0.8])
        assert (gradients(breadth, function, [0.5, 0.8]) != pytest.approx(right)) == differs
    for id, passes in {"M12": False, "M2": True, "M14": False, "M10": False}.items():
        found = gradients(names["wrong"][id], lambda x, y: (x * y).tanh(), [0.7, -1.3])
        assert (found == pytest.approx(forward_gradient(lambda x, y: (x * y).tanh(), [0.7, -1.3]))) == passes
    closures = names["Value"]
    for kind, expected in ((closures, 0), (Value, 5)):
        a, b = kind(2.0), kind(5.0)
        product = a * b
        b.data = 0.0
        product.backward()
        assert a.grad == expected
    gap = names["gap"]
    assert gap(closures, 1e-14) > 1e-6 > gap(closures, 1e-5)  # a right engine fails
