"""The checks of lesson 03: each passes what is right, and names the mistake in what is wrong."""

import math
import time

import pytest

from autograd.dual import Dual
from exercises import check, library, parts
from exercises.checks import lesson_03
from exercises.verdict import NOT_YET, PASSED, WRONG
from tests import lessons

PATH = lessons.NOTEBOOKS / "03_local_rules_one_step_at_a_time.ipynb"


def after(code=""):
    """The names that this code, run as a cell, defines."""
    names = {"math": math}
    exec(compile(code, "<cell>", "exec"), names)
    return names


def with_rule(sign, rule, before="", end="out._backward = _backward\n    return out"):
    """A learner's function for `+` or `*` that has this body as its rule."""
    lines = "".join(f"        {line}\n" for line in rule.splitlines())
    return after(
        f"def operate(self, other):\n    other = as_value(other)\n    {before or 'pass'}\n"
        f"    out = Value(self.data {sign} other.data, (self, other), '{sign}')\n\n"
        f"    def _backward():\n{lines}\n    {end}\n"
    )["operate"]


def judged(name, thing):
    """What the check of an exercise says."""
    return getattr(check, name)(thing)


def local(**instead):
    """The solved local_derivative, with other answers for some operations: `power` stands for **."""
    right = after(library.solution("local_derivatives").code)["local_derivative"]
    instead = {{"power": "**"}.get(op, op): rule for op, rule in instead.items()}
    return lambda op, x, y, n=None: instead[op](x, y, n) if op in instead else right(op, x, y, n)


def by_hand(**instead):
    """The four right numbers, with others in place of some."""
    numbers = after(library.solution("neuron_by_hand").code)["by_hand"]
    return numbers | {part.replace("_", "."): number for part, number in instead.items()}


THINGS = {
    "add_rule": "add_with_rule",
    "multiply_rule": "multiply_with_rule",
    "local_derivatives": "local_derivative",
    "neuron_by_hand": "by_hand",
}


@pytest.mark.parametrize("name", THINGS)
def test_the_solution_passes_quickly_and_says_something_true(name):
    thing = after(library.solution(name).code)[THINGS[name]]
    start = time.process_time()
    found = judged(name, thing)
    assert time.process_time() - start < 0.5
    assert found.state == PASSED, found.text()
    assert len(found.text().splitlines()) == 1


@pytest.mark.parametrize("name", THINGS)
def test_the_untouched_stub_is_not_yet(name):
    found = judged(name, after(library.stub(name))[THINGS[name]])
    assert found.state == NOT_YET and "not yet" in found.text()


@pytest.mark.parametrize("name", THINGS)
def test_nothing_given_is_not_yet(name):
    assert judged(name, ...).state == judged(name, None).state == NOT_YET


def test_the_rules_of_lesson_04_pass():
    names = after(library.solution("collect").code)
    assert check.add_rule(names["collecting_add"]) and check.multiply_rule(names["collecting_multiply"])


BOTH = "self.grad += {}\nother.grad += {}"
WRONG_RULES = {
    "+": {
        "upstream forgotten": (BOTH.format(1.0, 1.0), "the upstream gradient forgotten"),
        "-=": ("self.grad -= out.grad\nother.grad -= out.grad", "the sign turned round"),
        "= -": ("self.grad = -out.grad\nother.grad = -out.grad", "the sign turned round"),
        "the rule of *": (BOTH.format("other.data * out.grad", "self.data * out.grad"), "the rule of * in a sum"),
        "own numbers": (BOTH.format("self.data * out.grad", "other.data * out.grad"), "each input's own number"),
        "out.data": (BOTH.format("out.data", "out.data"), "the output's number in place of its gradient"),
        "halves": (BOTH.format("out.grad / 2", "out.grad / 2"), "the gradient shared out between the inputs"),
        "minus": (BOTH.format("out.grad", "-out.grad"), "the sign of a subtraction"),
        "one input": ("self.grad += out.grad", "an input left out"),
        "other input": ("other.grad += out.grad", "an input left out"),
        "old grad": (BOTH.format("self.grad * out.grad", "other.grad * out.grad"), "the input's own grad as a factor"),
        "grad multiplied": ("self.grad *= out.grad\nother.grad *= out.grad", "the input's own grad as a factor"),
        "the wrong way": ("out.grad += self.grad + other.grad + 1", "the wrong way round"),
        "data changed": ("self.data += out.grad\nother.data += out.grad", "data changed"),
        "grads exchanged": ("self.grad, other.grad = other.grad, self.grad", "a rule that changes nothing"),
        "names only": ("mine = self.grad + out.grad", "a rule that changes nothing"),
        "upstream forgotten, with =": ("self.grad = 1.0\nother.grad = 1.0", "the upstream gradient forgotten"),
        "upstream forgotten, and -=": (
            "self.grad -= 1.0\nother.grad -= 1.0",
            "the upstream gradient forgotten, and the sign turned round",
        ),
    },
    "*": {
        "upstream forgotten": (BOTH.format("other.data", "self.data"), "* forgets the upstream gradient"),
        "not swapped": (BOTH.format("self.data * out.grad", "other.data * out.grad"), "* does not swap its factors"),
        "the rule of +": (BOTH.format("out.grad", "out.grad"), "the rule of + in a product"),
        "-=": ("self.grad -= other.data * out.grad\nother.grad -= self.data * out.grad", "the sign turned round"),
        "out.data for out.grad": (
            BOTH.format("other.data * out.data", "self.data * out.data"),
            "the output's number in place of its gradient",
        ),
        "the product": (BOTH.format("out.data * out.grad", "out.data * out.grad"), "the product as local derivative"),
        "one input": ("self.grad += other.data * out.grad", "an input left out"),
        "neither": (
            BOTH.format("self.data", "other.data"),
            "* forgets the upstream gradient, and * does not swap its factors",
        ),
        "= and not swapped": (
            "self.grad = self.data * out.grad\nother.grad = other.data * out.grad",
            "* does not swap its factors",
        ),
        "-= and not swapped": (
            "self.grad -= self.data * out.grad\nother.grad -= other.data * out.grad",
            "* does not swap its factors, and the sign turned round",
        ),
        "old grad": (BOTH.format("self.grad * out.grad", "other.grad * out.grad"), "the input's own grad as a factor"),
    },
}


@pytest.mark.parametrize("sign, mistake", [(sign, name) for sign, rules in WRONG_RULES.items() for name in rules])
def test_a_wrong_rule_is_explained(sign, mistake):
    rule, said = WRONG_RULES[sign][mistake]
    found = judged({"+": "add_rule", "*": "multiply_rule"}[sign], with_rule(sign, rule))
    assert found.state == WRONG
    assert f"This is what one mistake gives: {said}" in found.text()
    assert found.case and "lesson 0" in found.text()


@pytest.mark.parametrize("sign, name", [("+", "add_rule"), ("*", "multiply_rule")])
@pytest.mark.parametrize(
    "end, said",
    [
        ("return out", "no rule on the new node"),
        ("out._backward = _backward\n    return self", "an input handed back"),
        ("out._backward = _backward()\n    return out", "the rule called instead of kept"),
    ],
)
def test_a_rule_that_is_not_kept_is_explained(sign, name, end, said):
    found = judged(name, with_rule(sign, BOTH.format("out.grad", "out.grad"), end=end))
    assert found.state == WRONG and f"This is what one mistake gives: {said}." in found.text()


def test_a_rule_is_tested_with_the_numbers_that_tell():
    """Upstream gradients that are not 1, whole numbers and floats; where += is asked for, grads and a + a as well."""
    cases = lesson_03.rule_cases(collecting=False)
    assert all(abs(case.upstream) != 1 for case in cases) and len(cases) >= 10
    assert not any(any(case.before) or case.twice for case in cases)
    assert {type(case.a) for case in cases} == {int, float}
    cases = lesson_03.rule_cases(collecting=True)
    assert sum(all(case.before) for case in cases) >= 8 and sum(case.twice for case in cases) >= 3


def test_a_rule_is_never_told_to_add():
    """Whether = or += is right is asked by lesson 04."""
    for sign, rules in WRONG_RULES.items():
        for rule, _ in rules.values():
            said = judged({"+": "add_rule", "*": "multiply_rule"}[sign], with_rule(sign, rule)).text()
            assert "+=" not in said and "a + a" not in said and "a * a" not in said


CORRECT_RULES = [
    ("+", "for node in (self, other):\n    node.grad += out.grad"),
    ("+", "self.grad = self.grad + out.grad\nother.grad = other.grad + out.grad"),
    ("+", "self.grad = out.grad\nother.grad = out.grad"),
    ("+", "self.grad += out.grad\nother.grad = out.grad"),
    ("+", "for node in {self, other}:\n    node.grad += out.grad"),  # of a + a lesson 04 asks
    ("+", "self.grad = other.grad = out.grad"),
    ("*", "self.grad = other.data * out.grad\nother.grad = self.data * out.grad"),
    ("*", "for node, local in zip(out._prev, (other.data, self.data)):\n    node.grad += local * out.grad"),
    ("*", "self.grad += out.grad * out._prev[1].data\nother.grad += out.grad * out._prev[0].data"),
]


@pytest.mark.parametrize("sign, rule", CORRECT_RULES)
def test_a_correct_variant_passes(sign, rule):
    assert judged({"+": "add_rule", "*": "multiply_rule"}[sign], with_rule(sign, rule)).state == PASSED


def test_local_derivatives_kept_as_numbers_pass():
    """Not a closure that reads the inputs, but numbers worked out when the operation runs."""
    function = with_rule(
        "*",
        "for node, local in zip((self, other), locals_):\n    node.grad += local * out.grad",
        before="locals_ = (other.data, self.data)",
    )
    assert check.multiply_rule(function).state == PASSED


def test_a_lambda_passes():
    function = with_rule(
        "+",
        "pass",
        end="out._backward = lambda: [setattr(n, 'grad', n.grad + out.grad) for n in (self, other)]\n    return out",
    )
    assert check.add_rule(function).state == PASSED


def test_float_noise_passes_and_small_errors_do_not():
    noisy = BOTH.format("other.data * out.grad * (1 + 1e-12)", "self.data * out.grad")
    off = BOTH.format("other.data * out.grad * 1.001", "self.data * out.grad")
    assert check.multiply_rule(with_rule("*", noisy)).state == PASSED
    assert check.multiply_rule(with_rule("*", off)).state == WRONG


def test_a_number_as_the_other_input_is_asked_for():
    code = library.solution("add_rule").code.replace("    other = as_value(other)\n", "")
    found = check.add_rule(after(code)["add_with_rule"])
    assert found.state == WRONG and "with a number as the other input" in found.text()


@pytest.mark.parametrize("given", [3, int, parts.fresh("multiply_rule")(2.0)])
def test_what_is_no_function_is_said_so(given):
    found = check.add_rule(given)
    assert found.state == WRONG and "Pass the function itself, by its name, without ()." in found.text()


def test_a_value_of_another_engine_is_said_so():
    code = library.solution("add_rule").code.replace("out = Value(", "out = course.Value(")
    found = check.add_rule(after(f"import exercises\n\ncourse = exercises.course_engine()\n{code}")["add_with_rule"])
    assert found.state == WRONG and "it returned a Value of another engine." in found.text()


def test_a_missing_return_is_said():
    found = check.add_rule(with_rule("+", "pass", end="out._backward = _backward"))
    assert found.state == NOT_YET and "a `return` is missing" in found.text()


def test_an_error_in_the_rule_is_two_sentences():
    found = check.add_rule(with_rule("+", "self.grad += out.gard"))
    assert found.state == WRONG and len(found.says) == 2
    assert found.says[0].startswith("Tested: the rule of +")
    assert "AttributeError" in found.says[1] and "gard" in found.says[1]


def test_an_endless_loop_is_stopped_and_the_next_check_works():
    found = check.add_rule(with_rule("+", "while True:\n    pass"))
    assert found.state == WRONG and "loop that never ends" in found.text()
    assert check.add_rule(after(library.solution("add_rule").code)["add_with_rule"])


# ---- six local derivatives

WRONG_LOCALS = {
    "** exponent kept": ({"power": lambda x, y, n: n * x**n}, "** leaves the exponent as it was"),
    "** no factor": ({"power": lambda x, y, n: x ** (n - 1)}, "the exponent not brought down as a factor"),
    "** parentheses": ({"power": lambda x, y, n: n * x**n - 1}, "n·xⁿ - 1 in place of n·xⁿ⁻¹"),
    "** lowered twice": ({"power": lambda x, y, n: (n - 1) * x ** (n - 1)}, "the exponent lowered twice"),
    "** by log": ({"power": lambda x, y, n: y * math.log(abs(x))}, "the exponent taken for the input"),
    "exp of input": ({"exp": lambda x, y, n: x}, "exp's derivative taken of the input"),
    "exp twice": ({"exp": lambda x, y, n: math.exp(y)}, "exp taken of the output"),
    "exp as a power": ({"exp": lambda x, y, n: x * math.exp(x - 1)}, "the power rule on eˣ"),
    "log itself": ({"log": lambda x, y, n: math.log(x)}, "the number, not its slope"),
    "log by x": ({"log": lambda x, y, n: x}, "the input itself"),
    "log by output": ({"log": lambda x, y, n: 1 / y if y else 9.0}, "1 over the output"),
    "log too far": ({"log": lambda x, y, n: -1 / x**2}, "the derivative of 1/x"),
    "tanh of input": ({"tanh": lambda x, y, n: 1 - x**2}, "tanh's derivative taken of the input"),
    "tanh not squared": ({"tanh": lambda x, y, n: 1 - y}, "the output not squared"),
    "tanh as sigmoid": ({"tanh": lambda x, y, n: y * (1 - y)}, "the sigmoid's rule for tanh"),
    "tanh twice": ({"tanh": lambda x, y, n: 1 - math.tanh(y) ** 2}, "tanh taken of the output"),
    "tanh sign": ({"tanh": lambda x, y, n: y * y - 1}, "the sign."),
    "sigmoid of input": ({"sigmoid": lambda x, y, n: x * (1 - x)}, "the sigmoid's derivative taken of the input"),
    "sigmoid as tanh": ({"sigmoid": lambda x, y, n: 1 - y * y}, "tanh's rule for the sigmoid"),
    "sigmoid factor": ({"sigmoid": lambda x, y, n: 1 - y}, "a factor missing"),
    "sigmoid itself": ({"sigmoid": lambda x, y, n: y}, "the number, not its slope"),
    "relu no gate": ({"relu": lambda x, y, n: 1.0}, "relu's gate is missing"),
    "relu itself": ({"relu": lambda x, y, n: max(0.0, x)}, "the number, not its slope"),
    "relu input": ({"relu": lambda x, y, n: x}, "the input as slope"),
    "relu turned": ({"relu": lambda x, y, n: float(x < 0)}, "the gate the wrong way"),
}


@pytest.mark.parametrize("mistake", WRONG_LOCALS)
def test_a_wrong_local_derivative_is_explained(mistake):
    instead, said = WRONG_LOCALS[mistake]
    found = check.local_derivatives(local(**instead))
    assert found.state == WRONG
    assert f"This is what one mistake gives: {said}" in found.text()
    assert found.text().count("Or: ") == 0


def test_a_right_rule_is_asked_on_both_sides_of_0():
    for op in ("**", "exp", "tanh", "sigmoid", "relu"):
        xs = [x for x, *_ in lesson_03.local_cases(op)]
        assert min(xs) < 0 < max(xs)


@pytest.mark.parametrize(
    "instead",
    [
        {"power": lambda x, y, n: n * y / x, "log": lambda x, y, n: math.exp(-y), "exp": lambda x, y, n: math.exp(x)},
        {"tanh": lambda x, y, n: 1 / math.cosh(x) ** 2, "sigmoid": lambda x, y, n: math.exp(-x) * y**2},
        {"relu": lambda x, y, n: y > 0},
        {"relu": lambda x, y, n: int(x > 0)},
        {"relu": lambda x, y, n: 0 if y == 0 else y / x},
    ],
)
def test_correct_local_derivatives_in_other_words_pass(instead):
    assert check.local_derivatives(local(**instead)).state == PASSED


def test_relu_open_at_0_is_a_convention():
    found = check.local_derivatives(local(relu=lambda x, y, n: 1.0 if x >= 0 else 0.0))
    assert found.state == PASSED and "convention" in found.text()
    assert check.local_derivatives(local(relu=lambda x, y, n: (x > 0) + 0.5 * (x == 0))).state == WRONG


def test_what_is_still_to_write_is_said():
    found = check.local_derivatives(local(log=lambda x, y, n: ..., relu=lambda x, y, n: None))
    assert found.state == NOT_YET
    assert "Right so far: **, exp, tanh, sigmoid. Still to write: log, relu." in found.text()
    found = check.local_derivatives(local(log=lambda x, y, n: ..., tanh=lambda x, y, n: 1 - x**2))
    assert found.state == WRONG  # what is written and wrong comes first


def test_a_branch_without_a_return_is_said():
    found = check.local_derivatives(local(relu=lambda x, y, n: 1.0 if x > 0 else None))
    assert found.state == WRONG and "no `return` is reached" in found.text()


def test_small_errors_in_a_local_derivative_do_not_pass():
    assert not check.local_derivatives(local(exp=lambda x, y, n: y * 1.001))
    assert check.local_derivatives(local(exp=lambda x, y, n: y * (1 + 1e-13)))


def test_the_oracle_of_the_local_derivatives_is_dual_numbers():
    for x, y, _, right in lesson_03.local_cases("tanh"):
        assert (y, right) == (math.tanh(x), Dual(x, 1.0).tanh().derivative)


def test_a_string_is_no_local_derivative():
    found = check.local_derivatives(local(exp=lambda x, y, n: "y"))
    assert found.state == WRONG and "A number was expected" in found.text()


# ---- a neuron by hand

WRONG_NUMBERS = [
    ({"z": 1.0}, "the bias left out"),
    ({"z": 2.8}, "w added, not multiplied"),
    ({"z": -3.7}, "the error for the sum"),
    ({"z": 1.6}, "the bias multiplied"),
    ({"loss": -3.7}, "the error not squared"),
    ({"loss": 6.845}, "a half in front"),
    ({"loss": 1.69}, "the target left out"),
    ({"loss": -13.69}, "the sign of a square"),
    ({"w_grad": 14.8}, "the sign of the error"),
    ({"w_grad": -3.7}, "scaled by itself"),
    ({"w_grad": 27.38}, "the loss as upstream"),
    ({"w_grad": 5.2}, "the target left out"),
    ({"w_grad": -14.79}, "a nudge's rounding"),
    ({"b_grad": -14.8}, "the weight's gradient for the bias"),
    ({"b_grad": 7.4}, "the sign of the error"),
    ({"b_grad": -3.7}, "the 2 of the square forgotten"),
    ({"b_grad": -2.22}, "scaled by itself"),
    ({"b_grad": 0}, "the bias taken for a constant"),
]


@pytest.mark.parametrize("instead, said", WRONG_NUMBERS)
def test_a_wrong_number_is_explained(instead, said):
    found = check.neuron_by_hand(by_hand(**instead))
    assert found.state == WRONG
    assert f"This is what one mistake gives: {said}." in found.text()


def test_two_mistakes_of_one_number_are_both_named():
    said = check.neuron_by_hand(by_hand(w_grad=-7.4)).text()
    assert "This is what one mistake gives: the input forgotten." in said
    assert "Or: the 2 of the square forgotten." in said


def test_no_solution_is_printed():
    for instead, _ in WRONG_NUMBERS:
        said = check.neuron_by_hand(by_hand(**instead)).text()
        part = next(iter(instead)).replace("_", ".")
        assert str(by_hand()[part]) not in said.replace(str(next(iter(instead.values()))), "").replace("-13.69", "")


def test_numbers_still_to_find_are_named():
    found = check.neuron_by_hand(by_hand(w_grad=..., b_grad=None))
    assert found.state == NOT_YET and "Right so far: z, loss. Still to find: w.grad, b.grad." in found.text()
    assert check.neuron_by_hand(by_hand(w_grad=..., z=1)).state == WRONG


def test_numbers_that_were_computed_pass():
    assert check.neuron_by_hand(by_hand(z=0.5 * 2 + 0.3, w_grad=2 * (1.3 - 5) * 2, b_grad=2 * (1.3 - 5)))
    assert check.neuron_by_hand([1.3, 13.69, -14.8, -7.4]).state == WRONG
