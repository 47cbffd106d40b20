"""The checks of lesson 06: right answers of every kind pass, and each typical mistake is told what it is."""

import itertools
import math
import time

import pytest

from autograd.dual import forward_gradient
from exercises import check, guard, library, parts
from exercises.cases import cases
from exercises.checks import lesson_06
from exercises.checks.lesson_06 import Pair, pair
from exercises.kill_matrix import kill_matrix
from exercises.verdict import LESSONS, Mistake
from exercises.wrong_engines import WRONG_ENGINES, Engine
from tests import lessons, test_notebooks

ANSWERS = {"check_gradients": "check_gradients", "dual": "Dual", "six_tests": "six_tests"}


@pytest.fixture(autouse=True)
def own_progress(tmp_path, monkeypatch):
    """Progress that no other test, and no learner, shares."""
    monkeypatch.setenv("BACKPROP_DATA_DIR", str(tmp_path))


def verdict(name, code):
    """What a check says of code in place of its stub, in a notebook that has an engine and the lesson's imports."""
    names = parts.stage("backward")
    exec(code, names)
    return getattr(check, name)(names[ANSWERS[name]])


def names_in(found):
    """The names of the mistakes in a verdict."""
    return [mistake.name for mistake in found.mistakes]


@pytest.mark.parametrize("name", ANSWERS)
def test_a_solution_passes_and_a_stub_is_not_yet(name):
    started = time.process_time()
    assert verdict(name, library.solution(name).code), verdict(name, library.solution(name).code)
    assert time.process_time() - started < 1.0  # two checks
    found = verdict(name, library.stub(name))
    assert found.state == "not yet" and "not yet" in found.text()


@pytest.mark.parametrize("name", ANSWERS)
def test_there_are_two_hints_and_they_hold_no_solution(name):
    solution = library.solution(name)
    assert len(solution.hints) == 2
    bodies = [
        line.strip() for line in solution.code.splitlines() if line.strip().startswith(("return", "largest =", "("))
    ]
    assert bodies and not any(body in hint for body in bodies for hint in solution.hints)


# The gradient check


def checker(
    slopes="(out(up) - out(down)) / (2 * epsilon)",
    keep="largest = max(largest, abs(grad - slope))",
    leaves="leaves = [engine(x) for x in xs]",
    backward="f(*leaves).backward()",
    up="up = [*xs[:i], xs[i] + epsilon, *xs[i + 1:]]",
    down="down = [*xs[:i], xs[i] - epsilon, *xs[i + 1:]]",
    start="largest = 0.0",
    end="return largest",
    after="",
):
    """A gradient check as code; each of its parts can be written wrongly."""
    return f"""
def check_gradients(engine, f, xs, epsilon=1e-5):
    def out(xs):
        return f(*[engine(x) for x in xs]).data
    {leaves}
    {backward}
    grads = [leaf.grad for leaf in leaves]
    {start}
    for i, grad in enumerate(grads):
        {up}
        {down}
        slope = {slopes}
        {keep}
        {after}
    {end}
"""


RIGHT_CHECKS = {
    "plain": checker(),
    "divided twice": checker(slopes="(out(up) - out(down)) / epsilon / 2"),
    "a list and its maximum": checker(
        start="found = []", keep="found.append(abs(slope - grad))", end="return max(found)"
    ),
    "a tuple of numbers": checker(up="up = (*xs[:i], xs[i] + epsilon, *xs[i + 1:])"),
    "on a copy that is put back": checker(
        start="largest, at = 0.0, list(xs)",
        up="at[i] = xs[i] + epsilon; above = out(at)",
        down="at[i] = xs[i] - epsilon; below = out(at); at[i] = xs[i]",
        slopes="(above - below) / (2 * epsilon)",
    ),
    "the leaves' data changed and put back": checker(
        up="leaves[i].data = xs[i] + epsilon; above = f(*leaves).data",
        down="leaves[i].data = xs[i] - epsilon; below = f(*leaves).data; leaves[i].data = xs[i]",
        slopes="(above - below) / (2 * epsilon)",
    ),
}


@pytest.mark.parametrize("code", RIGHT_CHECKS.values(), ids=RIGHT_CHECKS)
def test_right_gradient_checks_of_many_forms_pass(code):
    assert verdict("check_gradients", code), verdict("check_gradients", code)


SAME_LEAVES = "leaves[i].data = xs[i] {} epsilon; {} = root.data"
WRONG_CHECKS = {
    "up only": (checker(slopes="(out(up) - out(xs)) / epsilon"), "nudged one way only"),
    "down only": (checker(slopes="(out(xs) - out(down)) / epsilon"), "nudged one way only"),
    "by epsilon": (checker(slopes="(out(up) - out(down)) / epsilon"), "divided by the wrong length"),
    "without brackets": (checker(slopes="(out(up) - out(down)) / 2 * epsilon"), "divided by the wrong length"),
    "not divided": (checker(slopes="out(up) - out(down)"), "divided by the wrong length"),
    "x stays below": (
        checker(start="largest, xs = 0.0, list(xs)", after="xs[i] -= epsilon"),
        "a nudged number is not put back",
    ),
    "x stays above": (
        checker(start="largest, xs = 0.0, list(xs)", after="xs[i] += epsilon"),
        "a nudged number is not put back",
    ),
    "the caller's list is changed": (checker(after="xs[i] += 2 * epsilon"), "a nudged number is not put back"),
    "the graph not made anew": (
        checker(
            backward="root = f(*leaves); root.backward()",
            up=SAME_LEAVES.format("+", "above"),
            down=SAME_LEAVES.format("-", "below"),
            slopes="(above - below) / (2 * epsilon)",
        ),
        "the graph was not made anew",
    ),
    "no backward": (checker(backward="f(*leaves)"), "no backward pass reached these leaves"),
    "other leaves": (
        checker(backward="f(*[engine(x) for x in xs]).backward()"),
        "no backward pass reached these leaves",
    ),
    "no abs": (checker(keep="largest = max(largest, grad - slope)", start="largest = -1e9"), "the sign is kept"),
    "no abs, turned": (
        checker(keep="largest = max(largest, slope - grad)", start="largest = -1e9"),
        "the sign is kept",
    ),
    "a sum": (checker(keep="largest += abs(grad - slope)"), "the differences are added"),
    "a mean": (
        checker(keep="largest += abs(grad - slope)", end="return largest / len(xs)"),
        "the differences are averaged",
    ),
    "sizes": (checker(keep="largest = max(largest, abs(abs(grad) - abs(slope)))"), "sizes are compared"),
    "a share": (
        checker(keep="largest = max(largest, abs(grad - slope) / max(abs(grad), abs(slope), 1e-300))"),
        "a share in place of a difference",
    ),
    "the first": (checker(after="break"), "one input stands for all"),
    "the last": (checker(keep="largest = abs(grad - slope)"), "one input stands for all"),
    "the smallest": (
        checker(start="largest = 1e9", keep="largest = min(largest, abs(grad - slope))"),
        "one input stands for all",
    ),
    "its own epsilon": (checker(start="largest, epsilon = 0.0, 1e-5"), "epsilon is not used"),
    "its own class": (checker().replace("engine(x)", "Value(x)"), "the engine that was handed over is not used"),
}


@pytest.mark.parametrize("code, mistake", WRONG_CHECKS.values(), ids=WRONG_CHECKS)
def test_a_wrong_gradient_check_is_told_what_is_wrong(code, mistake):
    found = verdict("check_gradients", code)
    assert found.state == "wrong" and names_in(found) == [mistake], found.text()
    assert "check_gradients(" in found.case


def test_a_failing_gradient_check_shows_its_case_graph_and_numbers():
    found = verdict("check_gradients", checker(slopes="(out(up) - out(down)) / epsilon"))
    assert found.case.startswith("def f(") and "\n    return " in found.case
    ((what, expected, got),) = found.rows
    assert what == "largest difference" and expected < 1e-3 < got
    assert "Computation graph" in found.html()


def test_the_gradient_check_is_tried_on_wrong_engines_of_every_kind():
    tests = lesson_06.gradient_tests()
    tried = {each.id for each in WRONG_ENGINES for engine, *_ in tests if engine is each.engine}
    assert tried == set(lesson_06.TESTED)
    assert all(expected > 1e-2 for engine, _, _, expected in tests if engine is not Engine)
    assert all(expected < 1e-2 for engine, _, _, expected in tests if engine is Engine)


@pytest.mark.parametrize(
    "code, said",
    [
        (checker(end="return largest < 1e-6"), "it returned a bool"),
        (checker(end="return grads"), "it returned a list"),
        (checker(end=""), "It returned None"),
        (checker(slopes="out(up, down)"), "It raised TypeError"),
        (checker(slopes="f(*up)"), "It raised "),
    ],
    ids=["a verdict", "a list", "None", "arguments", "floats"],
)
def test_what_is_no_number_or_fails_is_told_in_two_sentences(code, said):
    found = verdict("check_gradients", code)
    assert not found and said in found.text()
    assert found.state == "not yet" or len(found.says) == 2


def test_an_endless_loop_is_stopped(monkeypatch):
    monkeypatch.setattr(guard.guarded, "__defaults__", (0.3, guard.PATIENCE))
    assert "loop that never ends" in verdict("check_gradients", checker(keep="while True: pass")).text()
    assert verdict("check_gradients", checker())


# Dual numbers

PLAIN = """
class Dual:
    def __init__(self, value, derivative=0.0):
        self.value, self.derivative = value, derivative
    def __add__(self, other):
        constant = not isinstance(other, Dual)
        v, dv = (other, CONSTANT) if constant else (other.value, other.derivative)
        return Dual(self.value + v, ADD)
    def __mul__(self, other):
        constant = not isinstance(other, Dual)
        v, dv = (other, CONSTANT) if constant else (other.value, other.derivative)
        return Dual(self.value * v, MUL)
    def exp(self):
        y = math.exp(self.value)
        return Dual(y, EXP)
    def tanh(self):
        y = math.tanh(self.value)
        return Dual(y, TANH)
"""
RULES = {
    "CONSTANT": "0",
    "ADD": "self.derivative + dv",
    "MUL": "self.derivative * v + self.value * dv",
    "EXP": "y * self.derivative",
    "TANH": "(1 - y * y) * self.derivative",
}


def dual_code(**rules):
    """Dual numbers as code, some of their rules replaced."""
    code = PLAIN
    for name, rule in (RULES | rules).items():
        code = code.replace(name, rule)
    return code


@pytest.mark.parametrize(
    "code",
    [
        dual_code(),
        dual_code(TANH="self.derivative / math.cosh(self.value) ** 2"),
        dual_code(EXP="math.exp(self.value) * self.derivative"),
    ],
    ids=["plain", "cosh", "exp again"],
)
def test_right_dual_numbers_of_many_forms_pass(code):
    assert verdict("dual", code), verdict("dual", code)


WRONG_DUALS = {
    "first term only": (dual_code(MUL="self.derivative * v"), "half of the product rule"),
    "second term only": (dual_code(MUL="self.value * dv"), "half of the product rule"),
    "derivatives multiplied": (dual_code(MUL="self.derivative * dv"), "the derivatives multiplied"),
    "not swapped": (dual_code(MUL="self.derivative * self.value + v * dv"), "the factors are not swapped"),
    "sum rule for a product": (dual_code(MUL="self.derivative + dv"), "the rule of addition used for a product"),
    "constant 1": (dual_code(CONSTANT="1"), "a constant with the derivative 1"),
    "half a sum": (dual_code(ADD="self.derivative"), "the second derivative of a sum is left out"),
    "product rule for a sum": (dual_code(ADD=RULES["MUL"]), "the product rule used for a sum"),
    "exp alone": (dual_code(EXP="y"), "the derivative that comes in is left out"),
    "tanh alone": (dual_code(TANH="1 - y * y"), "the derivative that comes in is left out"),
    "both alone": (dual_code(EXP="y", TANH="1 - y * y"), "the derivative that comes in is left out"),
    "tanh' of the input": (
        dual_code(TANH="(1 - self.value ** 2) * self.derivative"),
        "a derivative taken of the input in place of the output",
    ),
    "exp' of the input": (
        dual_code(EXP="self.value * self.derivative"),
        "a derivative taken of the input in place of the output",
    ),
    "no square": (dual_code(TANH="(1 - y) * self.derivative"), "a square is missing"),
    "exp of the derivative": (dual_code(EXP="math.exp(self.derivative)"), "the function applied to the derivative"),
    "tanh of the derivative": (dual_code(TANH="math.tanh(self.derivative)"), "the function applied to the derivative"),
}


@pytest.mark.parametrize("code, mistake", WRONG_DUALS.values(), ids=WRONG_DUALS)
def test_wrong_dual_numbers_are_told_what_is_wrong(code, mistake):
    found = verdict("dual", code)
    assert found.state == "wrong" and names_in(found) == [mistake], found.text()
    assert "Dual(" in found.case and "derivative is" in found.says[0] and ".derivative" in found.rows[0][0]


def test_a_wrong_value_is_told_from_a_wrong_derivative():
    found = verdict("dual", dual_code().replace("self.value * v,", "self.value * v + 1e-3,"))
    assert found.says[0].startswith("The value is wrong") and found.rows[0][0].endswith(".value")
    assert not verdict("dual", dual_code(EXP="y * self.derivative + 1e-3"))
    assert verdict("dual", dual_code(EXP="y * self.derivative * (1 + 1e-13)"))


def test_the_rules_that_are_missing_are_named():
    part = dual_code().replace("return Dual(y, (1 - y * y) * self.derivative)", "raise NotImplementedError")
    found = verdict("dual", part)
    assert found.state == "not yet" and "Still to be written: tanh." in found.text()


def test_dual_numbers_without_constants_or_of_the_wrong_kind_get_two_sentences():
    bare = dual_code().replace("constant = not isinstance(other, Dual)", "constant = False")
    found = verdict("dual", bare)
    assert found.state == "wrong" and len(found.says) == 2 and "has no attribute 'value'" in found.text()
    assert "The class itself was expected" in check.dual(Pair(1.0)).text()
    floats = dual_code().replace("return Dual(self.value + v, self.derivative + dv)", "return self.value + v")
    assert not verdict("dual", floats)


def test_no_two_mistakes_of_dual_numbers_are_told_apart_wrongly():
    """Different mistakes give different numbers on the check's own expressions."""
    tests = cases(lesson_06.DUAL_KINDS, 24, 6)
    right = [lesson_06.forward_run(Pair, case) for case in tests]
    found = [[lesson_06.forward_run(make, case) for case in tests] for make, _ in lesson_06.DUAL_MISTAKES]
    for one, other in itertools.combinations([right, *found], 2):
        assert not all(map(lesson_06.alike, one, other))
    assert right[0][1:] == pytest.approx(list(tests[0].gradients().values()))
    assert pair().__mro__[1] is Pair


# Six tests


def shared(a, b):
    h = a * b
    return h.tanh() * h + h.exp() * h


SINGLE = [
    (lambda a, b, c: (a * b + c).tanh(), [0.5, -1.5, 2.0]),
    (lambda a, b: (a - b) ** 3 * 0.5, [2.0, 0.5]),
    (lambda a: (1 - a).relu() * 2, [1.5]),
    (lambda a: 2 * (1 / a).exp(), [2.0]),
]
LEAVES = [
    (lambda a, b: a * b + a * 2 * b + a, [0.5, -1.5]),
    (lambda a: a.exp() * a + a.tanh() * a, [0.5]),
    (lambda a: a**3 * 2, [2.0]),
]
WEAK = {
    "nothing twice": (SINGLE, "nothing is used twice"),
    "leaves only": (LEAVES, "no result is used twice"),
    "* is always last": ([(lambda a, b: a * b + a + b, [2.0, 3.0])], "upstream is always 1"),
    "equal numbers": ([(lambda a, b: (a * b + a).tanh(), [0.5, 0.5])], "numbers that hide a mistake"),
    "few operations": ([(shared, [0.5, 0.8])], "an operation that no test uses"),
    "numbers on the right": (
        [(shared, [0.5, 0.8]), (lambda a: ((a - 1) ** 2 / 2).relu() * (-a).relu(), [0.5])],
        "no number stands on the left",
    ),
    "relu above 0": (
        [(shared, [0.5, 0.8]), (lambda a: (1 - a).relu() * (1 / a) ** 3 + (2 - a), [0.5])],
        "only one side of relu",
    ),
}


@pytest.mark.parametrize("tests, mistake", WEAK.values(), ids=WEAK)
def test_tests_that_miss_too_much_are_told_what_they_share(tests, mistake):
    found = check.six_tests(tests)
    assert found.state == "wrong" and mistake in names_in(found), found.text()
    away = [w for w in WRONG_ENGINES if w not in kill_matrix(tests).caught]
    assert len(away) > 2 and f"One that got away is {away[0].id}, {away[0].name}." in found.text()


GOOD = [
    (shared, [0.5, 0.8]),
    (lambda a, b: (a + a * b) * (a * b + b) * a**2, [2.0, 3.0]),
    (lambda a: a.exp() * a.exp() + (1 - a).relu() * a + 1 / a, [2.0]),
]


def test_three_tests_can_be_enough_and_two_engines_may_get_away():
    matrix = kill_matrix(GOOD)
    assert 18 <= matrix.score < 20
    found = check.six_tests([*GOOD, ..., None])
    assert found and "3 tests catch" in found.text()
    assert all(w.name in found.text() for w in WRONG_ENGINES if w not in matrix.caught)


def test_too_many_or_faulty_tests_are_refused():
    assert "at most 6" in check.six_tests([*GOOD, *GOOD, *GOOD]).text()
    for bad, said in (
        ((lambda a: a, 3.0), "test 1"),
        (3, "A test is a pair (f, xs)"),
        ((lambda a: a / 0, [1.0]), "ZeroDivisionError"),
        ((lambda a: 3, [1.0]), "test 1"),
    ):
        found = check.six_tests([bad])
        assert found.state == "wrong" and said in found.text(), found.text()
    assert "A list of pairs" in check.six_tests(3).text()


def test_twenty_engines_can_be_caught():
    names = {}
    exec(library.solution("six_tests").code, names)
    assert kill_matrix(names["six_tests"]).score == 20 and len(names["six_tests"]) <= lesson_06.MOST
    for f, xs in names["six_tests"]:
        assert all(map(math.isfinite, forward_gradient(f, xs)))


def test_every_section_that_a_mistake_points_to_is_there():
    places = [m for m in vars(lesson_06).values() if isinstance(m, Mistake)]
    places += [m for _, m in (*lesson_06.CHECK_MISTAKES, *lesson_06.DUAL_MISTAKES)]
    assert len(places) > 25
    for mistake in places:
        place = lessons.NOTEBOOKS / f"{LESSONS[mistake.lesson]}.ipynb"
        assert mistake.section.replace("-", " ") in test_notebooks.headings_of(place), mistake.section


@pytest.mark.parametrize("name", ANSWERS)
def test_a_wrong_answer_is_never_told_the_solution(name):
    lines = [line.strip() for line in library.solution(name).code.splitlines() if len(line.strip()) > 25]
    wrong = {"check_gradients": WRONG_CHECKS, "dual": WRONG_DUALS, "six_tests": WEAK}[name]
    for answer, _ in wrong.values():
        found = check.six_tests(answer) if name == "six_tests" else verdict(name, answer)
        assert not any(line in found.text() for line in lines)
