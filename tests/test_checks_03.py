"""The checks of lesson 03: what is right passes in any form, and what is wrong in any way is refused."""

import math

import pytest

from autograd.dual import Dual, forward_gradient
from exercises.engine_file import cells, check, parts
from exercises.engines.wrong_engines import Engine
from exercises.lessons.lesson_03 import shared
from exercises.lessons.lesson_03.local_derivatives import check as local_derivatives_check
from exercises.sandbox import guard
from exercises.shelf import library
from exercises.verdicts.cases import OPERATIONS
from exercises.verdicts.verdict import NOT_YET, PASSED, WRONG

NAMES = {"+": "add_rule", "*": "multiply_rule"}


def after(code=""):
    """The names that this code, run as a cell, defines."""
    names = {"math": math}
    exec(compile(code, cells.known_as(code, "a test"), "exec"), names)
    return names


def with_rule(sign, rule, before="", made="", end="out._backward = _backward\n    return out"):
    """A learner's function for `+` or `*` that has this body as its rule."""
    name = {"+": "add_with_rule", "*": "multiply_with_rule"}[sign]
    lines = "".join(f"        {line}\n" for line in rule.splitlines())
    return after(
        f"def {name}(self, other):\n    other = as_value(other)\n    {before or 'pass'}\n"
        f"    out = {made or f'Value(self.data {sign} other.data, (self, other), {sign!r})'}\n\n"
        f"    def _backward():\n{lines}\n    {end}\n"
    )[name]


def judged(sign, rule, **parts_of_it):
    """What the check of a sign's rule says."""
    return getattr(check, NAMES[sign])(with_rule(sign, rule, **parts_of_it))


def named(verdict):
    """The names of the mistakes that give everything."""
    return [mistake.name for mistake in verdict.mistakes] if verdict.is_whole else []


def local(**instead):
    """The solved local_derivative, with other answers for some operations: `power` stands for **."""
    right = after(library.solution("local_derivatives").code)["local_derivative"]
    instead = {{"power": "**"}.get(op, op): rule for op, rule in instead.items()}
    return lambda op, x, y, n=None: instead[op](x, y, n) if op in instead else right(op, x, y, n)


def by_hand(**instead):
    """The six right numbers, with others in place of some."""
    numbers = after(library.solution("neuron_by_hand").code)["by_hand"]
    return numbers | {part.replace("_", "."): number for part, number in instead.items()}


BOTH = "self.grad += {}\nother.grad += {}"
RULES = {"+": BOTH.format("out.grad", "out.grad"), "*": BOTH.format("other.data * out.grad", "self.data * out.grad")}


# The rules of + and *


def test_the_rules_of_lesson_04_pass():
    names = after(library.solution("collect").code)
    assert check.add_rule(names["collecting_add"]) and check.multiply_rule(names["collecting_multiply"])


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
    ("*", "self.grad, other.grad = self.grad + other.data * out.grad, other.grad + self.data * out.grad"),
]


@pytest.mark.parametrize("sign, rule", CORRECT_RULES)
def test_a_correct_variant_passes(sign, rule):
    assert judged(sign, rule).state == PASSED


STORED = """
def rule(out, locals_):
    for node, local in zip(out._prev, locals_):
        node.grad += local * out.grad
"""
CLASS = """
class Rule:
    def __init__(self, out, locals_):
        self.out, self.locals = out, locals_

    def __call__(self):
        for node, local in zip(self.out._prev, self.locals):
            node.grad += local * self.out.grad
"""
OTHER_FORMS = {
    "local derivatives kept as numbers": ("", "out._local = (other.data, self.data)", "lambda: pass_on(out)"),
    "a function of its own, as a partial": (f"import functools\n{STORED}", "", "functools.partial(rule, out, locals_)"),
    "defaults that are harmless": (STORED, "", "lambda out=out, locals_=locals_: rule(out, locals_)"),
    "an object": (CLASS, "", "Rule(out, locals_)"),
    "a method of an object": (CLASS, "", "Rule(out, locals_).__call__"),
}
PASS_ON = """
def pass_on(out):
    for node, local in zip(out._prev, out._local):
        node.grad = node.grad + local * out.grad
"""


@pytest.mark.parametrize("above, line, rule", OTHER_FORMS.values(), ids=OTHER_FORMS)
def test_a_rule_may_be_kept_in_any_form(above, line, rule):
    code = (
        f"{above}{PASS_ON}\ndef operate(self, other):\n    other = as_value(other)\n"
        f"    out = Value(self.data * other.data, [self, other], '*')\n    locals_ = (other.data, self.data)\n"
        f"    {line or 'pass'}\n    out._backward = {rule}\n    return out\n"
    )
    assert check.multiply_rule(after(code)["operate"]), check.multiply_rule(after(code)["operate"])


def test_the_operation_of_lesson_02_may_make_the_node():
    made = {"+": "add(self, other)", "*": "multiply(self, other)"}
    assert all(judged(sign, RULES[sign], made=made[sign]) for sign in "+*")


def test_float_noise_passes_and_small_errors_do_not():
    noisy = BOTH.format("other.data * out.grad * (1 + 1e-12)", "self.data * out.grad")
    off = BOTH.format("other.data * out.grad * 1.001", "self.data * out.grad")
    assert judged("*", noisy).state == PASSED and judged("*", off).state == WRONG


@pytest.mark.parametrize("sign", "+*")
@pytest.mark.parametrize("collecting", [False, True])
def test_a_rule_is_tested_with_the_numbers_that_tell(sign, collecting):
    text = [script.text() for script in shared.scripts(sign, collecting)]
    assert 45 <= len(text) <= 60 and text[0] == text[-1]
    for piece in (f"a {sign} 1", f"0 {sign} a", "Value(0)", "Value(-1)", "Value(4.0), Value(4.0)", 'label="a"'):
        assert any(piece in each for each in text), piece
    grads_there = [each for each in text if f"{sign} a\na.grad = " in each or "a.grad, b.grad = " in each]
    assert len(grads_there) == (15 if collecting else 0)
    assert any(f"a {sign} a" in each for each in text) is collecting


@pytest.mark.parametrize("sign", "+*")
def test_what_is_right_is_what_dual_numbers_give(sign):
    for a, b, upstream in ((2.0, -3.0, 10.0), (0, 5.0, -2.5), (1e-4, 2e3, 1.5e4)):
        found = shared.right(shared.of_two(sign, a, b, upstream))
        expected = [upstream * slope for slope in forward_gradient(OPERATIONS[sign], [a, b])]
        assert [found["a.grad"], found["b.grad"]] == pytest.approx(expected)
        assert found["out._prev"] == ["a", "b"] and found["a.grad at first"] == 0


def test_the_tests_of_a_rule_leave_everything_else_open():
    """The engine in closure style passes them as it is, also where contributions are to add up."""
    for sign in "+*":
        for collecting in (False, True):
            assert all(test.is_right for test in shared.rule_tests(Engine, sign, collecting))


NOT_SWAPPED = "self.grad {0} self.data * out.grad\nother.grad {0} other.data * out.grad"
ITSELF = "self.data * self.grad"
ASSIGNED = [
    ("+", "self.grad = 1.0\nother.grad = 1.0", "the upstream gradient forgotten"),
    ("+", "self.grad = other.grad = out.grad / 2", "the gradient shared out between the inputs"),
    ("*", NOT_SWAPPED.format("="), "* does not swap its factors"),
    ("*", NOT_SWAPPED.format("-="), "the sign turned round, and * does not swap its factors"),
    ("+", "self.grad -= 1.0\nother.grad -= 1.0", "the sign turned round, and the upstream gradient forgotten"),
    ("*", BOTH.format("self.data", "other.data"), "* forgets the upstream gradient, and * does not swap its factors"),
    ("+", "out.grad += self.grad + other.grad + 1", "the wrong way round"),
    (
        "*",
        BOTH.format("other.data * out.grad", "self.data * self.grad"),
        "the name `self`, in `other.grad += self.data * self.grad`",
    ),
]


@pytest.mark.parametrize("sign, rule, name", ASSIGNED)
def test_a_mistake_is_named_however_it_is_written(sign, rule, name):
    found = judged(sign, rule)
    assert found.state == WRONG and name in named(found), found
    said = found.text().replace(rule.splitlines()[-1], "")
    assert "+=" not in said and "a + a" not in said, "whether = or += is right is asked by lesson 04"


WRONG_RULES = {
    "a factor 0 taken as 1": ("*", BOTH.format("(other.data or 1) * out.grad", "(self.data or 1) * out.grad")),
    "an upstream of 0 taken as 1": ("+", BOTH.format("(out.grad or 1.0)", "(out.grad or 1.0)")),
    "inputs of 0 passed over": ("+", "for n in (self, other): n.grad += out.grad if n.data else 0"),
    "only where there is something": ("+", "for n in (self, other): n.grad += out.grad if n.grad else 0"),
    "the labels of inputs overwritten": ("+", RULES["+"] + "\nself.label = 'a'"),
    "the inputs of inputs overwritten": ("+", RULES["+"] + "\nself._prev = ()"),
    "the inputs' rules run before": ("*", "self._backward()\nother._backward()\n" + RULES["*"]),
    "five decimals": ("*", BOTH.format("round(other.data * out.grad, 5)", "round(self.data * out.grad, 5)")),
    "whole numbers only": ("*", BOTH.format("int(other.data) * out.grad", "int(self.data) * out.grad")),
    "cut off at 100": ("+", "for n in (self, other): n.grad += max(-100, min(100, out.grad))"),
    "equal numbers counted once": ("+", "for n in {n.data: n for n in (self, other)}.values(): n.grad += out.grad"),
    "divided out but for 0": ("*", "for n in (self, other): n.grad += (out.data / n.data if n.data else 0) * out.grad"),
    "the first upstream kept": ("+", "u = vars(out).setdefault('u', out.grad)\nself.grad += u\nother.grad += u"),
    "a rule that runs once": ("*", f"if 'done' in vars(out): return\nout.done = True\n{RULES['*']}"),
    "upstream cleared": ("+", RULES["+"] + "\nout.grad = 0.0"),
    "the larger one kept": ("+", "for n in (self, other): n.grad = max(n.grad, out.grad)"),
    "the grads exchanged": ("+", "self.grad, other.grad = other.grad, self.grad"),
}


@pytest.mark.parametrize("sign, rule", WRONG_RULES.values(), ids=WRONG_RULES)
def test_a_wrong_rule_is_refused(sign, rule):
    assert judged(sign, rule).state == WRONG


NODES = [
    *(
        "(other,), '*'",
        "{self: 1, other: 1}, '*'",
        "(other, other), '*'",
        "(self, other, self), '*'",
        "(self, other), 'x'",
    ),
    *("(self.data, other.data), '*'", "(Value(self.data), other), '*'", "(self, other), '*', 'product'"),
]


@pytest.mark.parametrize("made", NODES)
def test_a_node_that_keeps_something_else_is_refused(made):
    assert judged("*", RULES["*"], made=f"Value(self.data * other.data, {made})").state == WRONG


ENDS = {
    "1 * x is x": {"before": "if self.data == 1: return other"},
    "x * 0 is 0": {"before": "if other.data == 0: return other"},
    "x * 1 is a copy of x": {"before": "if other.data == 1: return Value(self.data)"},
    "data changed": {"before": "self.data = float(self.data) + 0.5"},
    "a number": {"end": "return out.data"},
    "the rule itself": {"end": "return _backward"},
    "one result for all": {"end": "out._backward = _backward\n    return as_value.__dict__.setdefault('kept', out)"},
}


@pytest.mark.parametrize("parts_of_it", ENDS.values(), ids=ENDS)
def test_an_operation_that_gives_something_else_is_refused(parts_of_it):
    assert judged("*", RULES["*"], **parts_of_it).state == WRONG


def test_a_number_as_the_other_input_is_asked_for():
    code = library.solution("add_rule").code.replace("    other = as_value(other)\n", "")
    found = check.add_rule(after(code)["add_with_rule"])
    assert found.state == WRONG and "as_value left out" in named(found) and "'int' object" in found.text()


@pytest.mark.parametrize("given", [3, int, parts.fresh("multiply_rule")(2.0)])
def test_what_is_no_function_is_said_so(given):
    found = check.add_rule(given)
    assert found.state == WRONG and "Pass the function itself, by its name, without ()." in found.text()


def test_a_value_of_another_engine_is_said_so():
    code = library.solution("add_rule").code.replace("out = Value(", "out = course.Value(")
    found = check.add_rule(after(f"import exercises\n\ncourse = exercises.course_engine()\n{code}")["add_with_rule"])
    assert found.state == WRONG and "got a Value of another engine" in found.text()
    assert named(found) == ["a Value of another engine"]


def test_a_missing_return_is_said():
    found = judged("+", "pass", end="out._backward = _backward")
    assert found.state == NOT_YET and "a `return` is missing" in found.text()


def test_an_error_in_the_rule_is_told_without_a_guess():
    for rule, words in (("self.grad += out.gard", "gard"), ("self.grad += None * out.grad", "NoneType")):
        found = judged("+", rule)
        assert found.state == WRONG and not found.mistakes and words in found.text()
        assert found.says[0].startswith("Tested: a, b = Value(2.0), Value(-3.0); out = a + b")


def test_an_endless_loop_is_stopped_and_the_next_check_works(monkeypatch):
    monkeypatch.setattr(guard, "SECONDS", 0.3)
    found = judged("+", "while True:\n    pass")
    assert found.state == WRONG and "loop that never ends" in found.text()
    assert check.add_rule(after(library.solution("add_rule").code)["add_with_rule"])


# Six local derivatives


@pytest.mark.parametrize(
    "instead",
    [
        {"power": lambda x, y, n: n * y / x if x else n * x ** (n - 1), "log": lambda x, y, n: math.exp(-y)},
        {"tanh": lambda x, y, n: 1 / math.cosh(x) ** 2, "sigmoid": lambda x, y, n: math.exp(-x) * y**2},
        {"relu": lambda x, y, n: y > 0, "exp": lambda x, y, n: math.exp(x)},
        {"relu": lambda x, y, n: int(x > 0), "log": lambda x, y, n: pow(x, -1)},
        {"relu": lambda x, y, n: 0 if y == 0 else y / x},
        {"exp": lambda x, y, n: y * (1 + 1e-13)},
    ],
)
def test_correct_local_derivatives_in_other_words_pass(instead):
    assert check.local_derivatives(local(**instead)).state == PASSED


def test_the_last_parameter_may_have_any_name_and_no_default():
    right = after(library.solution("local_derivatives").code)["local_derivative"]
    assert check.local_derivatives(lambda op, x, y, exponent: right(op, x, y, exponent))


WRONG_LOCALS = {
    "right where x is positive": {"power": lambda x, y, n: n * abs(x) ** (n - 1)},
    "remembered by its number": {"power": lambda x, y, n, kept={}: kept.setdefault(x, n * x ** (n - 1) if x else 0)},
    "whole exponents only": {"power": lambda x, y, n: int(n) * x ** (int(n) - 1) if x else 0},
    "a gate at 1e-2": {"relu": lambda x, y, n: x > 1e-2},
    "a gate at -1": {"relu": lambda x, y, n: x > -1},
    "shut again above 6": {"relu": lambda x, y, n: 0 < x < 6},
    "a half at 0": {"relu": lambda x, y, n: (x > 0) + 0.5 * (x == 0)},
    "a 1e-3 off": {"exp": lambda x, y, n: y * 1.001},
    "rounded": {"sigmoid": lambda x, y, n: round(y * (1 - y), 6)},
    "flat far out": {"tanh": lambda x, y, n: 0.0 if abs(x) > 2 else 1 - y * y},
    "nan": {"exp": lambda x, y, n: math.nan},
    "a text": {"exp": lambda x, y, n: "y"},
}


@pytest.mark.parametrize("instead", WRONG_LOCALS.values(), ids=WRONG_LOCALS)
def test_a_wrong_local_derivative_is_refused(instead):
    assert check.local_derivatives(local(**instead)).state == WRONG


def test_a_right_rule_is_asked_on_both_sides_of_0():
    for op in ("**", "exp", "tanh", "sigmoid", "relu"):
        xs = [x for x, *_ in local_derivatives_check.local_cases(op)]
        assert min(xs) < 0 < max(xs) and 0 in xs
        assert local_derivatives_check.local_cases(op)[0] == local_derivatives_check.local_cases(op)[-1]


def test_relu_open_at_0_is_a_convention():
    found = check.local_derivatives(local(relu=lambda x, y, n: 1.0 if x >= 0 else 0.0))
    assert found.state == PASSED and "convention" in found.text()
    assert "convention" not in check.local_derivatives(local()).text()


def test_what_is_still_to_write_is_said():
    found = check.local_derivatives(local(log=lambda x, y, n: ..., relu=lambda x, y, n: None))
    assert found.state == NOT_YET
    assert "Right so far: **, exp, tanh, sigmoid. Still to write: log, relu." in found.text()


def test_what_is_written_and_wrong_is_named_whatever_the_rest_is():
    wrong = local(log=lambda x, y, n: ..., tanh=lambda x, y, n: 1 - x**2, relu=lambda x, y, n: x)
    assert named(check.local_derivatives(wrong)) == ["tanh's derivative taken of the input"]


def test_a_branch_without_a_return_is_said():
    found = check.local_derivatives(local(relu=lambda x, y, n: 1.0 if x > 0 else None))
    assert found.state == WRONG and "no `return` is reached" in found.text()


def test_the_oracle_of_the_local_derivatives_is_dual_numbers():
    for x, y, _, right in local_derivatives_check.local_cases("tanh"):
        assert (y, right) == (math.tanh(x), Dual(x, 1.0).tanh().derivative)


# A neuron by hand


def test_two_mistakes_of_one_number_are_told_as_what_they_have_in_common():
    assert named(check.neuron_by_hand(by_hand(w_grad=-7.4))) == ["a factor of 2 forgotten"]
    assert named(check.neuron_by_hand(by_hand(b_grad=-3.7))) == ["the 2 of the square forgotten"]


@pytest.mark.parametrize(
    "part, number", [("z", 1.0), ("loss", 6.845), ("w_grad", 14.8), ("b_grad", 0), ("w_grad", -29.6)]
)
def test_the_right_number_is_not_told(part, number):
    found = check.neuron_by_hand(by_hand(**{part: number}))
    assert found.state == WRONG and [row[1] for row in found.rows] == ["another number"]
    assert str(by_hand()[part.replace("_", ".")]) not in found.text().replace(str(number), "")


def test_numbers_that_follow_from_a_wrong_one_are_not_blamed():
    found = check.neuron_by_hand(by_hand(z=1.0, loss=16.0, w_grad=-16.0, b_grad=-8.0))
    assert named(found) == ["the bias left out"] and [row[0] for row in found.rows] == ["z"]


def test_numbers_still_to_find_are_named():
    found = check.neuron_by_hand(by_hand(w_grad=..., b_grad=None))
    assert (
        found.state == NOT_YET
        and "Right so far: z, output, loss, w.grad if b = -1.3. Still to find: w.grad, b.grad." in found.text()
    )
    assert check.neuron_by_hand(by_hand(w_grad=..., z=1)).state == WRONG


def test_numbers_that_were_computed_pass():
    assert check.neuron_by_hand(by_hand(z=0.5 * 2 + 0.3, w_grad=2 * (1.3 - 5) * 2, b_grad=2 * (1.3 - 5)))
    assert check.neuron_by_hand([1.3, 1.3, 13.69, -14.8, -7.4, 0.0]).state == WRONG


def test_a_result_of_an_earlier_call_is_no_input_handed_back():
    code = (
        "made = {}\n\n\ndef multiply_with_rule(self, other):\n    other = as_value(other)\n    if self in made:\n"
        "        return made[self]\n    out = made[self] = Value(self.data * other.data, (self, other), '*')\n\n"
        "    def _backward():\n        self.grad += other.data * out.grad\n"
        "        other.grad += self.data * out.grad\n\n"
        "    out._backward = _backward\n    return out\n"
    )
    found = check.multiply_rule(*check.multiply_rule.answers(code))
    assert found.state == "wrong" and "an input handed back" not in [each.name for each in found.mistakes]
