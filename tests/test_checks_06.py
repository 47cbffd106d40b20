"""The checks of lesson 06: right answers in unusual ways, fresh wrong ones, and what the tests are made of."""

import math

import pytest

import autograd
from autograd.dual import forward_gradient
from exercises.engine_file import check
from exercises.engines.wrong_engines import WRONG_ENGINES, Engine
from exercises.judging.kill_matrix import kill_matrix
from exercises.lessons.lesson_06.check_gradients import check as check_gradients_check
from exercises.lessons.lesson_06.dual import check as dual_check
from exercises.lessons.lesson_06.six_tests import check as six_tests_check
from exercises.sandbox import guard
from exercises.shelf import library
from exercises.verdicts.cases import FLOATS


@pytest.fixture(autouse=True)
def own_progress(tmp_path, monkeypatch):
    """Progress and an engine that no other test, and no learner, shares."""
    monkeypatch.setenv("BACKPROP_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("BACKPROP_ENGINE_DIR", str(tmp_path))


def verdict(name, code):
    """What a check says of a cell with this text."""
    checked = getattr(check, name)
    return checked(*checked.answers(code))


def names_in(found):
    """The names of the mistakes in a verdict."""
    return [mistake.name for mistake in found.mistakes]


# The gradient check


def checker(
    slope="(out(up) - out(down)) / (2 * epsilon)",
    keep="largest = max(largest, abs(grad - slope))",
    leaves="leaves = [engine(x) for x in xs]",
    backward="f(*leaves).backward()",
    up="up = [*xs[:i], xs[i] + epsilon, *xs[i + 1:]]",
    down="down = [*xs[:i], xs[i] - epsilon, *xs[i + 1:]]",
    start="largest = 0.0",
    end="return largest",
    loop="for i, grad in enumerate(grads):",
):
    """A gradient check as code; each of its parts can be written in another way."""
    return f"""
def check_gradients(engine, f, xs, epsilon=1e-5):
    def out(xs):
        return f(*[engine(x) for x in xs]).data
    {leaves}
    {backward}
    grads = [leaf.grad for leaf in leaves]
    {start}
    {loop}
        {up}
        {down}
        slope = {slope}
        {keep}
    {end}
"""


BOTH = "(above - below) / (2 * epsilon)"
RIGHT_CHECKS = {
    "a list": checker(start="found = []", keep="found.append(abs(slope - grad))", end="return max(found)"),
    "on a copy that is put back": checker(
        start="largest, at = 0.0, list(xs)",
        up="at[i] = xs[i] + epsilon; above = out(at)",
        down="at[i] = xs[i] - epsilon; below = out(at); at[i] = xs[i]",
        slope=BOTH,
    ),
    "on the list itself, put back": checker(
        up="x = xs[i]; xs[i] = x + epsilon; above = out(xs)",
        down="xs[i] = x - epsilon; below = out(xs); xs[i] = x",
        slope=BOTH,
    ),
    "the leaves' data changed and put back": checker(
        up="leaves[i].data = xs[i] + epsilon; above = f(*leaves).data",
        down="leaves[i].data = xs[i] - epsilon; below = f(*leaves).data; leaves[i].data = xs[i]",
        slope=BOTH,
    ),
    "the package's nudges": checker(
        slope="autograd.numerical_gradient(lambda *v: f(*map(engine, v)).data, xs, epsilon)[i]"
    ),
    "NumPy": """
import numpy as np

def check_gradients(engine, f, xs, epsilon=1e-5):
    leaves = [engine(x) for x in xs]
    f(*leaves).backward()
    steps = epsilon * np.eye(len(xs))
    slopes = [f(*map(engine, xs + s)).data - f(*map(engine, xs - s)).data for s in steps]
    return np.abs(np.array([leaf.grad for leaf in leaves]) - np.array(slopes) / (2 * epsilon)).max()
""",
    "recursion, and a sum for a nudge": """
def check_gradients(engine, f, xs, epsilon=1e-5):
    leaves = tuple(map(engine, xs))
    f(*leaves).backward()

    def rest(i):
        if i == len(leaves):
            return 0
        above, below = (f(*leaves[:i], leaves[i] + d, *leaves[i + 1:]).data for d in (epsilon, -epsilon))
        return max(abs((above - below) / (epsilon + epsilon) - leaves[i].grad), rest(i + 1))

    return rest(0)
""",
    "a backward pass for each input": checker(
        backward="grads = []",
        up="fresh = [engine(x) for x in xs]; f(*fresh).backward(); grad = fresh[i].grad",
        slope="(out([*xs[:i], xs[i] + epsilon, *xs[i + 1:]]) - out(down)) / (2 * epsilon)",
        loop="for i in range(len(xs)):",
    ),
}


@pytest.mark.parametrize("code", RIGHT_CHECKS.values(), ids=RIGHT_CHECKS)
def test_right_gradient_checks_of_many_forms_pass(code):
    assert verdict("check_gradients", code)


LEAF, AGAIN = "leaves[i].data", "f(*leaves).data"
MOVED, OWN_CLASS = "a nudged number is not put back", "the engine that was handed over is not used"
WRONG_CHECKS = {
    "a worst of all times": "worst = 0\n" + checker(start="global worst").replace("largest", "worst"),
    "nudges on dual numbers": checker(
        slope="(f(*map(autograd.Dual, up)).value - f(*map(autograd.Dual, down)).value) / (2 * epsilon)"
    ),
    "no step below 1e-6": checker(start="largest, epsilon = 0.0, max(epsilon, 1e-6)"),
    "no step above 0.01": checker(start="largest, epsilon = 0.0, min(epsilon, 0.01)"),
    "none below a limit": checker(end="return largest if largest > 1e-9 else 0.0"),
    "twelve decimals": checker(end="return round(largest, 12)"),
    "the list emptied": checker(end="xs.clear(); return largest"),
    "a list made longer": checker(end="xs.append(largest); return largest"),
    "sorted gradients": checker(start="grads.sort(); largest = 0.0"),
    "always 0": "def check_gradients(engine, f, xs, epsilon=1e-5):\n    return 0.0",
}


@pytest.mark.parametrize("code", WRONG_CHECKS.values(), ids=WRONG_CHECKS)
def test_a_wrong_gradient_check_is_refused(code):
    found = verdict("check_gradients", code)
    assert found.state == "wrong" and "check_gradients(" in found.case, found


@pytest.mark.parametrize(
    "code, mistake",
    [
        (checker(up="up = down = list(xs); up[i] += epsilon; down[i] -= epsilon", down=""), "two names for one list"),
        (checker(up="up = xs", down="down = xs"), "no nudge reaches f"),
        (checker(keep="largest = max(largest, abs(slope))"), "the slope alone"),
        (checker(slope="0.0 * (out(up) - out(down))"), "the gradient alone"),
        (
            checker(
                up=f"{LEAF} += epsilon; above = {AGAIN}", down=f"{LEAF} -= 2 * epsilon; below = {AGAIN}", slope=BOTH
            ),
            MOVED,
        ),
        (checker(slope="(f(*map(Value, up)).data - f(*map(Value, down)).data) / (2 * epsilon)"), OWN_CLASS),
        (checker(leaves="leaves = [autograd.Value(x) for x in xs]"), OWN_CLASS),
        (checker(keep="largest = max(largest, abs(grad - slope)) if grad else largest"), "a 0 is left out"),
        (checker(keep="largest = max(largest, abs(grad - slope)) if grad * slope else largest"), "a 0 is left out"),
        (checker(loop="for i, grad in list(enumerate(grads))[:len(xs) - 1]:"), "not every input counts"),
        (checker(loop="for i, grad in list(enumerate(grads))[:len(xs) // 2 + 1]:"), "not every input counts"),
    ],
)
def test_the_cause_of_a_wrong_gradient_check_is_named(code, mistake):
    found = verdict("check_gradients", code)
    assert mistake in names_in(found) and found.is_whole, found
    assert "the graph was not made anew" not in names_in(found)


def test_a_failing_gradient_check_shows_its_case_graph_and_numbers():
    found = verdict("check_gradients", checker(slope="(out(up) - out(down)) / epsilon"))
    assert found.case.startswith("def f(a):\n    b = a**3\n    return b") and found.case.endswith("f, [1.5], 0.5)")
    assert found.rows == (("largest difference", 0.25, pytest.approx(2 * 7.0 - 6.75)),)  # slope 7, gradient 6.75
    assert "Computation graph" in found.html()


def test_the_gradient_check_is_tried_on_wrong_engines_of_every_kind():
    tests = check_gradients_check.gradient_tests()
    tried = {each.id for each in WRONG_ENGINES for test in tests if test.engine is each.engine}
    assert tried == {*check_gradients_check.TESTED, "M18"}
    assert all(test.answer > 1e-2 for test in tests if test.name and test.case is not check_gradients_check.TURNED)
    turned = next(test for test in tests if test.case is check_gradients_check.TURNED)
    assert turned.answer < 1e-4 and turned.numbers == [3.0]  # backward fits the wrong function that nudging finds


def test_the_right_engines_answers_are_those_of_dual_numbers_and_floats():
    for test in check_gradients_check.gradient_tests():
        if test.engine is Engine:
            case, step = test.case, test.epsilon or 1e-5

            def output(*xs, case=case):
                return case.compute(xs, FLOATS)[case.root]

            true = forward_gradient(lambda *xs, case=case: case.compute(xs)[case.root], test.numbers)
            nudged = autograd.numerical_gradient(output, test.numbers, step)
            assert test.is_near(max(abs(g - s) for g, s in zip(true, nudged)))


@pytest.mark.parametrize(
    "code, said",
    [
        (checker(end="return grads"), "it returned a list"),
        (checker(end=""), "It returned None"),
        (checker(slope="out(up, down)"), "It raised TypeError"),
        (checker(slope="f(*up)"), "got Values of `engine`, a float"),
        (checker(backward="f(*leaves, *leaves).backward()"), "f takes 1 input, one by one; it was given 2"),
    ],
    ids=["a list", "None", "arguments", "floats", "too many"],
)
def test_what_is_no_number_or_fails_is_told_so(code, said):
    found = verdict("check_gradients", code)
    assert not found and said in found.text()


def test_an_exception_is_not_explained_by_another_one():
    code = (
        checker().replace("epsilon=1e-5", "step=1e-5").replace(" epsilon", " step").replace("engine, f,", "f, engine,")
    )
    assert "the list itself" not in verdict("check_gradients", code).text()
    typo = verdict("check_gradients", checker().replace("leaf.grad", "leaf.gradient"))
    assert "no attribute 'gradient'" in typo.text() and not typo.mistakes


def test_an_endless_loop_is_stopped(monkeypatch):
    monkeypatch.setattr(guard, "SECONDS", 0.3)
    assert "loop that never ends" in verdict("check_gradients", checker(keep="while True: pass")).text()


# Dual numbers

PLAIN = """
class Dual:
    def __init__(self, value, derivative=0.0):
        self.value, self.derivative = value, derivative
    def __add__(self, other):
        v, dv = OTHER
        return Dual(self.value + v, ADD)
    def __mul__(self, other):
        v, dv = OTHER
        return Dual(self.value * v, MUL)
    def exp(self):
        y = math.exp(self.value)
        return Dual(y, EXP)
    def tanh(self):
        y = math.tanh(self.value)
        return Dual(y, TANH)
"""
RULES = {
    "OTHER": "(other.value, other.derivative) if isinstance(other, Dual) else (other, 0)",
    "ADD": "self.derivative + dv",
    "MUL": "self.derivative * v + self.value * dv",
    "EXP": "y * self.derivative",
    "TANH": "(1 - y * y) * self.derivative",
}


def dual_code(*changes, **rules):
    """Dual numbers as code, some of their rules replaced, and then some of their text."""
    code = PLAIN
    for name, rule in (RULES | rules).items():
        code = code.replace(name, rule)
    for old, new in changes:
        assert old in code
        code = code.replace(old, new)
    return code


METHODS = "    def __add__" + dual_code().split("    def __add__", 1)[1]
RIGHT_DUALS = {
    "cosh": dual_code(TANH="self.derivative / math.cosh(self.value) ** 2"),
    "a dataclass": "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass Dual:\n    value: float\n"
    f"    derivative: float = 0.0\n{METHODS}",
    "a named tuple": "from typing import NamedTuple\nclass Dual(NamedTuple):\n    value: float\n"
    f"    derivative: float = 0.0\n{METHODS}",
    "slots, and type(self)": dual_code(("class Dual:", "class Dual:\n    __slots__ = 'value', 'derivative'")).replace(
        "return Dual(", "return type(self)("
    ),
    "by its members": dual_code(("isinstance(other, Dual)", "hasattr(other, 'derivative')")),
    "constants first": dual_code(
        OTHER="(other, 0) if isinstance(other, (int, float)) else (other.value, other.derivative)"
    ),
    "NumPy": "import numpy as np\n" + dual_code(("math.", "np.")),
    "a subclass": dual_code(("class Dual:", "class Base:")) + "\nclass Dual(Base):\n    pass\n",
    "methods made outside": dual_code().split("    def exp")[0]
    + "def lifted(f, slope):\n    return lambda x: Dual(f(x.value), slope(x.value) * x.derivative)\n"
    "Dual.exp, Dual.tanh = lifted(math.exp, math.exp), lifted(math.tanh, lambda x: 1 - math.tanh(x) ** 2)\n",
    "rounding noise": dual_code(EXP="y * self.derivative * (1 + 1e-13)"),
}


@pytest.mark.parametrize("code", RIGHT_DUALS.values(), ids=RIGHT_DUALS)
def test_right_dual_numbers_of_many_forms_pass(code):
    assert verdict("dual", code)


WRONG_DUALS = {
    "the larger term": dual_code(MUL="max(self.derivative * v, self.value * dv)"),
    "the slope nudged": dual_code(TANH="(math.tanh(self.value + 1e-4) - y) / 1e-4 * self.derivative"),
    "a shortcut for squares": dual_code(MUL="2 * v if other is self else self.derivative * v + self.value * dv"),
    "an upstream of 0 taken for 1": dual_code(EXP="y * (self.derivative or 1)"),
    "results kept": dual_code(
        ("return Dual(y, y * self.derivative)", "return KEPT.setdefault(y, Dual(y, y * self.derivative))"),
        ("class Dual:", "KEPT = {}\nclass Dual:"),
    ),
    "values whole": dual_code(("= value, derivative", "= int(value), derivative")),
    "a default of None": dual_code(("derivative=0.0", "derivative=None")),
    "another's class": "class Dual(autograd.Dual):\n    pass",
}


@pytest.mark.parametrize("code", WRONG_DUALS.values(), ids=WRONG_DUALS)
def test_wrong_dual_numbers_are_refused(code):
    found = verdict("dual", code)
    assert found.state == "wrong" and "Dual(" in found.text(), found


def test_two_mistakes_made_together_are_both_named():
    found = verdict("dual", dual_code(MUL="self.derivative * dv", EXP="y"))
    [both] = names_in(found)
    assert set(both.split(", and ")) == {"the derivatives multiplied", "the derivative that comes in is left out"}


def test_a_wrong_value_is_told_from_a_wrong_derivative():
    found = verdict("dual", dual_code().replace("self.value * v,", "self.value * v + 1e-3,"))
    assert found.says[0].startswith("The value is wrong") and found.rows[0][0].endswith(".value")
    found = verdict("dual", dual_code(EXP="y * self.derivative + 1e-3"))
    assert found.says[0].startswith("The value is right, the derivative is wrong")
    add, in_place = (
        f"return Dual(self.value + v, {RULES['ADD']})",
        "self.value += v; self.derivative += dv; return self",
    )
    found = verdict("dual", dual_code((add, in_place)))
    assert found.says[0].startswith("The result is right.") and found.rows[0][0] == "a.value afterwards"


def test_the_first_tests_are_single_operations():
    assert [len(test.case.steps) for test in dual_check.forwards()[:10]] == [1] * 10
    found = verdict("dual", dual_code(TANH="(1 - y) * self.derivative"))
    assert found.case == "a = Dual(0.5, 2.0)\nc = a.tanh()" and len(found.rows) == 1


def test_derivatives_are_what_nudging_both_ways_gives():
    for test in dual_check.forwards():
        seeds, step = [seed or 0.0 for seed in test.seeds], 1e-6
        ends = [
            test.case.compute([x + way * step * seed for (_, x), seed in zip(test.case.leaves, seeds)], FLOATS)
            for way in (1, -1)
        ]
        slope = (ends[0][test.case.root] - ends[1][test.case.root]) / (2 * step)
        assert test.answers[test.case.root].derivative == pytest.approx(slope, rel=1e-5, abs=1e-6)


def test_the_rules_that_are_missing_are_named():
    found = verdict("dual", dual_code(("return Dual(y, (1 - y * y) * self.derivative)", "raise NotImplementedError")))
    assert found.state == "not yet" and "Still to be written: tanh." in found.text()


def test_what_is_no_class_of_ones_own_is_told_so():
    assert "The class itself was expected" in check.dual(dual_check.Forward((), ())).text()
    assert "comes from the course itself" in check.dual(autograd.Dual).text()
    assert "a Dual of another class" in verdict("dual", WRONG_DUALS["another's class"]).text()


# Six tests


def shared(a, b):
    h = a * b
    return h.tanh() * h + h.exp() * h


SHARED = (shared, [0.5, 0.8])
SUMS = (lambda a, b: (a + a * b) * (a * b + b), [2.0, 3.0])
WEAK = {  # and what is named, at least
    "equal factors": ([(lambda a, b: (a * b + a).tanh(), [0.5, 0.5])], "no result is used twice"),
    "few operations": ([SHARED], "an operation that no test uses"),
    "relu times relu": ([SHARED, (lambda a: ((a - 1) ** 2 / 2).relu() * (-a).relu(), [0.5])], "no gradient arrives"),
    "numbers on the right": (
        [SHARED, SUMS, (lambda a: ((a - 1) ** 2 / 2).relu() + (-a).relu(), [0.5])],
        "no number stands on the left",
    ),
    "relu above 0": (
        [SHARED, (lambda a: (1 - a).relu() * (1 / a) ** 3 + (2 - a), [0.5])],
        "relu is never used below 0",
    ),
    "a number before / alone": (
        [SHARED, SUMS, (lambda a: (2 / a).relu() + a**2, [0.5])],
        "no number stands before a minus",
    ),
    "1 - v squared": ([SHARED, SUMS, (lambda a: (1 - a) ** 2 * 3 + 1 / a, [0.5])], "a minus that does not matter"),
    "behind a closed gate": ([SHARED, SUMS, (lambda a: (-a - a**2).relu() + a, [0.5])], "no gradient arrives"),
}


@pytest.mark.parametrize("tests, mistake", WEAK.values(), ids=WEAK)
def test_tests_that_miss_too_much_are_told_what_they_share(tests, mistake):
    found = check.six_tests(tests)
    assert found.state == "wrong" and mistake in names_in(found), found.text()
    away = [w for w in WRONG_ENGINES if w not in kill_matrix(tests).caught]
    assert len(away) > 2 and f"One that got away is {away[0].id}, {away[0].name}." in found.text()


def test_nothing_is_said_that_these_tests_do():
    both = check.six_tests([SHARED, SUMS, (lambda a: (a - 1).relu() * 2 + (1 - a).relu(), [0.5])])
    assert both.state == "wrong" and "below 0" not in both.text()  # relu is used on both sides
    squared = check.six_tests(WEAK["1 - v squared"][0])
    assert not any(name.startswith("no number stands") for name in names_in(squared))
    exponents = check.six_tests([SHARED, (lambda a: a**2.3456789 * 2, [100.0])])
    assert not any("**" in w.name for w in WRONG_ENGINES if w.name in exponents.text())


GOOD = [
    SHARED,
    (lambda a, b: (a + a * b) * (a * b + b) * a**2, [2.0, 3.0]),
    (lambda a: a.exp() * a.exp() + (1 - a).relu() * a + 1 / a, [2.0]),
]


@pytest.mark.parametrize("tests", [[*GOOD, ..., None], tuple(GOOD), (test for test in GOOD), [list(t) for t in GOOD]])
def test_three_tests_can_be_enough_and_two_engines_may_get_away(tests):
    found = check.six_tests(tests)
    assert found and "3 tests catch" in found.text()
    assert 18 <= kill_matrix(GOOD).score < 20
    assert all(w.name in found.text() for w in WRONG_ENGINES if w not in kill_matrix(GOOD).caught)


def test_too_many_or_faulty_tests_are_refused():
    assert "at most 6" in check.six_tests([*GOOD, *GOOD, *GOOD]).text()
    for bad, said in (
        ((lambda a: a, 3.0), "The inputs are a list of numbers"),
        (3, "A test is a pair (f, xs)"),
        ((lambda a: a / 0, [1.0]), "ZeroDivisionError"),
        ((lambda a: 3, [1.0]), "it returned an int"),
        ((lambda a: a * 1e308 * 10, [5.0]), "too large for a float"),
    ):
        found = check.six_tests([bad])
        assert found.state == "wrong" and said in found.text(), found.text()
    assert "A list of pairs" in check.six_tests(3).text()
    assert "It, too, stands in a list" in check.six_tests((lambda a: a, [3.0])).text()


def test_asserts_inside_f_are_told_so():
    def asserts(a):
        a.backward()
        return a

    def compares(a):
        assert (a * a) == 4
        return a

    def sets(a):
        a.data = 5.0
        return a * a

    def sets_a_constant(a):
        two = autograd.Value(2.0)
        two.data = 3.0
        return a * two

    for f in (asserts, compares, sets, sets_a_constant, lambda a: a * a.data, lambda a: a * len(a._prev)):
        assert names_in(check.six_tests([(f, [2.0])])) == ["more than computing inside f"]


def test_twenty_engines_can_be_caught():
    (tests,) = check.six_tests.answers(library.solution("six_tests").code)
    assert kill_matrix(tests).score == 20 and len(tests) <= six_tests_check.MOST
    for f, xs in tests:
        assert all(map(math.isfinite, forward_gradient(f, xs)))


def test_a_list_that_was_changed_otherwise_holds_no_nudged_number():
    code = (
        "def check_gradients(engine, f, xs, epsilon=1e-5):\n    ys = list(xs)\n    for i, x in enumerate(ys):\n"
        "        xs[i] = engine(x)\n    f(*xs).backward()\n    largest = 0.0\n    for i, leaf in enumerate(xs):\n"
        "        above = f(*[engine(x + epsilon * (i == k)) for k, x in enumerate(ys)]).data\n"
        "        below = f(*[engine(x - epsilon * (i == k)) for k, x in enumerate(ys)]).data\n"
        "        largest = max(largest, abs(leaf.grad - (above - below) / (2 * epsilon)))\n    return largest\n"
    )
    found = check.check_gradients(*check.check_gradients.answers(code))
    assert found.state == "wrong" and "a nudged number is not put back" not in [each.name for each in found.mistakes]
