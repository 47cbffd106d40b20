"""The checks of lesson 02: right answers pass in every form, wrong ones of every kind do not, and are named truly."""

import textwrap

import pytest

from exercises.engine_file import check, parts
from exercises.explaining.known import changed, known
from exercises.lessons.lesson_02 import operators, shared
from exercises.sandbox import guard
from exercises.shelf import library
from exercises.verdicts.cases import FLOATS, Case
from exercises.verdicts.verdict import MENDED


def verdict(name, code):
    """What the check of an exercise says of an answer written as in its cell."""
    checked = getattr(check, name)
    return checked(*checked.answers(textwrap.dedent(code)))


def instead(name, old, new):
    """The solution of an exercise with a part of it replaced wherever it stands."""
    return changed(library.solution(name).code, "diff", f"- {old}\n+ {new}")


def one(name, *body):
    """An answer to add, multiply, or a reflected function, by the lines of its body."""
    return f"def {name}(self, other):\n" + textwrap.indent("\n".join(body), "    ") + "\n"


def two(name, first, second):
    """An answer to subtract or divide, by what its two functions return."""
    return f"{one(name, f'return {first}')}\n\n{one(f'reflected_{name}', f'return {second}')}"


def plain(as_value="thing if isinstance(thing, Value) else Value(thing)", add="self + other", multiply="self * other"):
    """An answer to constants, by what its three functions return."""
    first = f"def as_value(thing):\n    return {as_value}\n"
    added, multiplied = one("reflected_add", f"return {add}"), one("reflected_multiply", f"return {multiply}")
    return f"{first}\n\n{added}\n\n{multiplied}"


def number(init="self.data = data", shown='return f"Value(data={self.data:.4f})"'):
    """An answer to make_value, by the bodies of its two methods."""
    return f"class Number:\n    def __init__(self, data):\n        {init}\n\n    def __repr__(self):\n        {shown}\n"


OTHER = "other = as_value(other)"
REPR = 'def __repr__(self):\n        return f"Value(data={self.data:.4f})"\n'
NODE = (
    "def node(number, inputs, op):\n    out = Value(number)\n    out._prev, out._op = inputs, op\n    return out\n\n\n"
)
COUNTED = (
    "def add(self, other, calls=[]):\n    calls.append(1)\n    return Value(self.data + other.data, (self, other), '+')"
)

RIGHT = {
    "make_value": [
        number("self.data = float(data)"),
        number(shown='return "Value(data=%.4f)" % self.data'),
        number("self.data, self.name = data, ''"),
        number("import numpy; self.data = numpy.float64(data)"),
        number(
            "import fractions; self.data = fractions.Fraction(data)", "return f'Value(data={float(self.data):.4f})'"
        ),
        number("print(data); self.data = data", "print('!'); return f'Value(data={self.data:.4f})'"),
        f"from typing import NamedTuple\n\n\nclass Number(NamedTuple):\n    data: float\n\n    {REPR}",
        f"import dataclasses\n\n\n@dataclasses.dataclass(repr=False)\nclass Number:\n    data: float\n\n    {REPR}",
        f"class Kept:\n    {REPR}\n\nclass Number(Kept):\n    __slots__ = ('data',)\n\n"
        "    def __init__(self, data=0.0):\n        self.data = data\n",
    ],
    "add": [
        'add = lambda self, other: type(self)(float(self.data + other.data), (self, other), "+")',
        one(
            "add",
            "out = Value(self.data + other.data)",
            "out._prev, out._op, out.label = (self, other), '+', 'sum'",
            "return out",
        ),
        one(
            "add",
            "from collections import namedtuple",
            "pair = namedtuple('Pair', 'left right')(self, other)",
            "return Value(self.data + other.data, pair, '+')",
        ),
        one(
            "add",
            "from fractions import Fraction",
            "return Value(Fraction(self.data) + Fraction(other.data), (self, other), '+')",
        ),
        one("add", "class Sum(Value):", "    pass", "return Sum(self.data + other.data, (self, other), '+')"),
        one("add", "out = Value(self.data + other.data, (self, other), '+')", "out._local = (1.0, 1.0)", "return out"),
        one("add", "return Value((self.data + other.data) * (1 + 1e-15), (self, other), '+')"),
        NODE + one("add", "return node(sum(x.data for x in (self, other)), (self, other), '+')"),
        COUNTED,
    ],
    "multiply": [
        'multiply = lambda a, b: Value(data=b.data * a.data, _op="*", _prev=(a, b), label="p")',
        one("multiply", "return Value(math.prod((self.data, other.data)), (self, other), '*')"),
        one("multiply", "import numpy", "return Value(numpy.prod([self.data, other.data]), (self, other), '*')"),
        one("multiply", "out = add(self, other)", "out.data, out._op = self.data * other.data, '*'", "return out"),
    ],
    "constants": [
        plain(),
        plain('thing if hasattr(thing, "_prev") else Value(thing)', "as_value(other) + self", "as_value(other) * self"),
        plain("Value(thing) if isinstance(thing, int | float) else thing"),
        plain("thing if isinstance(thing, Value) else Value(float(thing), label='number')"),
        plain(add="as_value(other).__add__(self)", multiply="self * as_value(other)"),
        plain(add="sum([self], as_value(other))", multiply="math.prod([self], start=as_value(other))"),
    ],
    "subtract": [
        two("subtract", "self + -as_value(other)", "-self + other"),
        two("subtract", "self + -1 * other", "(self - other) * -1.0"),
        two("subtract", "self + as_value(-other)", "subtract(other, self)"),
        two("subtract", "self * 3 + other * -1 + self * -2", "(lambda a, b: a - b)(as_value(other), self)"),
    ],
    "divide": [
        two("divide", "self * other**-1", "other * self**-1.0"),
        two("divide", "as_value(other).__pow__(-1) * self", "divide(as_value(other), self)"),
        two("divide", "self * as_value(other)**-3 * other**2", "as_value(other) / self"),
        two("divide", "self * (as_value(other) * other)**-1 * other", "as_value(other) / self"),
    ],
}


@pytest.mark.parametrize("name, code", [(name, code) for name, codes in RIGHT.items() for code in codes])
def test_right_answers_in_unusual_ways_pass(name, code):
    said = verdict(name, code)
    assert said, said


OWN_NODES = {  # right numbers and records, past which no gradient would come once lesson 03 has brought the rules
    "constants": [
        plain(add="add(as_value(other), self)", multiply="multiply(self, as_value(other))"),
        plain(add="Value(other + self.data, (as_value(other), self), '+')", multiply="as_value(other).__mul__(self)"),
        plain(multiply="Value(other * self.data, (self, as_value(other)), '*')"),
    ],
    "subtract": [
        two(
            "subtract",
            "Value(self.data - as_value(other).data, (self, as_value(other)), '-')",
            "as_value(other) - self",
        ),
        two("subtract", "self * 3 + other * -1 + self * -2", "Value(other - self.data, [as_value(other), self], '-')"),
        one("subtract", OTHER, "minus = Value(-other.data, (other,), 'neg')", "return self + minus")
        + one("reflected_subtract", OTHER, "return other + Value(-self.data, (self,), '-')"),
    ],
    "divide": [
        two(
            "divide", "Value(self.data / as_value(other).data, (self, as_value(other)), '/')", "as_value(other) / self"
        ),
        two("divide", "power(as_value(other), -1) * self", "divide(as_value(other), self)"),
        one("divide", OTHER, "return self * Value(1 / other.data, (other,), '**(-1)')")
        + one("reflected_divide", "return as_value(other) / self"),
        one("divide", OTHER, "return self * Value(other.data**-1, (other,), '**')")
        + one("reflected_divide", "return as_value(other) / self"),
    ],
}


@pytest.mark.parametrize("name, code", [(name, code) for name, codes in OWN_NODES.items() for code in codes])
def test_a_node_of_its_own_is_refused_where_operators_make_it(name, code):
    said = verdict(name, code)
    assert said.state == "wrong" and "Write it with operators that exist" in str(said)


@pytest.mark.parametrize("inputs", ["[self, other]", "__import__('collections').deque([self, other])"])
def test_the_inputs_are_kept_as_a_tuple(inputs):
    said = verdict("add", f"def add(self, other):\n    return Value(self.data + other.data, {inputs}, '+')\n")
    assert said.state == "wrong" and "expected (a, b)" in str(said)


@pytest.mark.parametrize("name", ["add", "multiply"])
def test_an_operation_with_its_rule_already_passes(name):
    code = library.solution(f"{name}_rule").code.replace(f"{name}_with_rule", name)
    assert verdict(name, code.replace("    other = as_value(other)\n", ""))


SUM, PRODUCT = "Value(self.data + other.data, (self, other), '+')", "Value(self.data * other.data, (self, other), '*')"
MINUS, OVER = (
    ("self + as_value(other) * -1", "as_value(other) - self"),
    ("self * as_value(other)**-1", "as_value(other) / self"),
)

WRONG = {  # exercise: (an answer that no file of known mistakes has, the name of the mistake, "" where none is named)
    "make_value": [
        (number("self.data = float(f'{data:.6f}')"), "the number itself is rounded"),
        (number("import numpy; self.data = numpy.float32(data)"), ""),
        (number("self.data = data or None"), ""),
        (number("self.number = [data]; self.date = data"), "kept under another name"),
        (number("self.data = 7"), "a fixed number"),
        (
            f"class Number:\n    data = 0\n\n    def __init__(self, data):\n        Number.data += data\n\n    {REPR}",
            "one number for all",
        ),
        (number(shown='return f"Value(data={self.data:.6f})"'), "no `.4` before the f"),
        (number(shown='return f"Value(data={self.data:.1f})"'), "another number of decimals"),
        (number(shown='return f"Value(data={self.data:9.4f})"'), "a space or a capital"),
        (number(shown='return "Value(data=self.data)"'), "the same text for every number"),
        (number(shown='return "Value(data={self.data})"'), "the braces are printed"),
        (number(shown='return f"Number(data={self.data:.4f})"'), "the other class's name"),
        (number(shown="return ['Value', self.data]"), ""),
        (number(shown='return f"Value(data={self.data:,.4f})"'), ""),
    ],
    "add": [
        (one("add", "return Value(self.data + other.data, [self], '+')"), "an input is missing"),
        (one("add", "self._prev = (self, other)", f"return {SUM}"), "an input is changed"),
        (one("add", f"out = {SUM}", "other.label = 'b'; self.label = 'b'", "return out"), "an input is changed"),
        (one("add", "other.grad += 1", f"return {SUM}"), "an input is changed"),
        (one("add", "return Value(round(self.data + other.data, 11), (self, other), '+')"), "rounded"),
        (one("add", f"return {SUM} if self.data else other"), "an input handed back"),
        (one("add", "if self is other:", "    return Value(2 * self.data, (self,), '+')", f"return {SUM}"), ""),
        (one("add", "if not other.data:", "    return Value(self.data)", f"return {SUM}"), ""),
        (one("add", "return Value(self.data + other.data, tuple({self, other}), '+')"), ""),
        (one("add", "return Value(self.data + other.data, {self: 1, other: 1}, '+')"), "not a tuple"),
        (one("add", "return Value(self.data + other.data, (self, other), 'plus')"), "another sign"),
        (one("add", "return Value(self.data + other.data, (self, other), add)"), "another sign"),
        (one("add", "return Value(-self.data + other.data, (self, other), '+')"), "subtracted"),
        (one("add", "return Value(self.data * other.data, (self, other))"), "multiplied"),
        (f"made = []\n\n\n{one('add', 'made.append(1)', f'return {SUM} if len(made) < 30 else Value(0.0)')}", ""),
        (
            f"{one('add', 'made = add.__dict__.setdefault((self, other), ' + SUM + ')', 'return made')}",
            "a result of an earlier call",
        ),
        (
            "import autograd\n\n\nclass Value(autograd.Value):\n    pass\n\n\n"
            + one("add", "return autograd.Value.__add__(self, other)"),
            "",
        ),
    ],
    "multiply": [
        (one("multiply", "return Value(self.data * self.data, (self, self), '*')"), "self twice"),
        (one("multiply", "return Value(self.data * other.data, (self, other), 'x')"), "another sign"),
        (one("multiply", "out = add(self, other)", "out._op = '*'", "return out"), "added"),
        (one("multiply", "return Value(round(self.data * other.data, 12), (self, other), '*')"), "rounded"),
        (one("multiply", f"return self if other.data == 1 else {PRODUCT}"), "an input handed back"),
        (one("multiply", f"return Value(-self.data, (self,), 'neg') if other.data == -1 else {PRODUCT}"), ""),
        (one("multiply", f"return {PRODUCT} if self.data and other.data else Value(0.0)"), ""),
        (one("multiply", f"return {PRODUCT} if self is not other else Value(self.data**2, (self,), '**2')"), ""),
        (one("multiply", "out = self", "out.data = self.data * other.data", "return out"), "an input is changed"),
        (
            one("multiply", "import numpy", "return Value(numpy.float32(self.data * other.data), (self, other), '*')"),
            "",
        ),
    ],
    "constants": [
        (plain("Value(thing) if isinstance(thing, bool | int) else thing"), ""),
        (plain("thing if isinstance(thing, Value) and thing.data else Value(getattr(thing, 'data', thing))"), ""),
        (plain("thing if isinstance(thing, Value) and not thing._prev else Value(getattr(thing, 'data', thing))"), ""),
        (plain("thing if isinstance(thing, Value) else Value(thing, (), str(thing))"), ""),
        (
            "known = {}\n" + plain("thing if isinstance(thing, Value) else known.setdefault(thing, Value(thing))"),
            "one leaf for equal numbers",
        ),
        (plain("setattr(thing, 'label', '') or thing if isinstance(thing, Value) else Value(thing)"), ""),
        (plain(add="other.__add__(self)"), "the question handed back"),
        (plain(add="self.__radd__(other)"), "a reflected method that calls itself"),
        (plain(multiply="self * self"), "self twice"),
        (plain(multiply="self * other if other != 1 else self"), "an input handed back"),
        (plain(multiply="self * other if other else Value(0)"), ""),
        (plain(multiply="self * other if other != -1 else -self"), ""),
        (plain(add="as_value(other + self.data)"), "what made it is not kept"),
        (plain(add="self + other + 0"), ""),
        (plain(add="self * other", multiply="self + other"), "the two exchanged"),
        (plain(add="as_value(other) + self.data"), "copies of the inputs"),
    ],
    "subtract": [
        (two("subtract", MINUS[0], "self + other * -1"), "number - value computed as value - number"),
        (two("subtract", "-self + as_value(other)", MINUS[1]), "turned round"),
        (
            two("subtract", "self + as_value(other) * -1 if other is not self else Value(0.0)", MINUS[1]),
            "the result forgets",
        ),
        (
            two("subtract", "self + as_value(other) * -1 if as_value(other).data else self", MINUS[1]),
            "an input handed back",
        ),
        (
            two("subtract", "self + Value(-as_value(other).data)", MINUS[1]),
            "the number of an input was used, not the input",
        ),
        (
            two("subtract", MINUS[0], "Value(other) - Value(self.data)"),
            "the number of an input was used, not the input",
        ),
        (
            two("subtract", "Value(self.data - as_value(other).data, (self, -as_value(other)), '-')", MINUS[1]),
            "the record tells another story",
        ),
        (
            two("subtract", "Value(self.data - as_value(other).data, (self, as_value(other)), '--')", MINUS[1]),
            "another sign",
        ),
        (two("subtract", "self + as_value(other) * -1.0001", MINUS[1]), ""),
        (
            two(
                "subtract", "Value(round(self.data - as_value(other).data, 9), (self, as_value(other)), '-')", MINUS[1]
            ),
            "rounded",
        ),
        (
            one("subtract", OTHER, "other.data *= -1", "return self + other")
            + one("reflected_subtract", f"return {MINUS[1]}"),
            "an input is changed",
        ),
        (
            one(
                "subtract",
                OTHER,
                "if not hasattr(subtract, 'made'):",
                f"    subtract.made = {MINUS[0]}",
                "return subtract.made",
            )
            + one("reflected_subtract", f"return {MINUS[1]}"),
            "a result of an earlier call",
        ),
    ],
    "divide": [
        (two("divide", OVER[0], "(self / other) ** 1"), "number / value computed as value / number"),
        (two("divide", "self**-1 * as_value(other)", OVER[1]), "turned round"),
        (two("divide", "self * as_value(other).data**-1", OVER[1]), "the number of an input was used, not the input"),
        (two("divide", OVER[0], "as_value(other) * self.data**-1"), "the number of an input was used, not the input"),
        (two("divide", OVER[0], "Value(other / self.data, (self,), '**-1')"), "the record tells another story"),
        (
            two("divide", "self * Value(1 / as_value(other).data, (as_value(other),), '**-2')", OVER[1]),
            "the record tells another story",
        ),
        (two("divide", "Value(self.data / as_value(other).data, (self,), '/')", OVER[1]), "an input is missing"),
        (two("divide", f"{OVER[0]} if other is not self else Value(1.0)", OVER[1]), "the result forgets"),
        (two("divide", f"{OVER[0]} if as_value(other).data != 1 else self", OVER[1]), "an input handed back"),
        (
            two("divide", "Value(round(self.data / as_value(other).data, 10), (self, as_value(other)), '/')", OVER[1]),
            "rounded",
        ),
        (two("divide", "self * (1 / as_value(other))", OVER[1]), "it asks itself"),
        (two("divide", OVER[0], "1 / self"), "a reflected method that calls itself"),
    ],
}


@pytest.mark.parametrize("name, code, mistake", [(name, *each) for name, those in WRONG.items() for each in those])
def test_wrong_answers_of_every_kind_are_refused_and_named(name, code, mistake):
    said = verdict(name, code)
    assert said.state == "wrong", said
    names = [each.name for each in said.mistakes] if said.is_whole else []
    assert mistake in names or not mistake, said


SEEN = ["one list for all", "an input is changed", "an input handed back", "a result of an earlier call", "rounded"]
SEEN_IN_RECORDS = [
    "the result forgets",
    "the number of an input was used, not the input",
    "the record tells another story",
]
SEEN_IN_RECORDS += ["numbers in place of inputs", "a set of inputs", "not a tuple", "an input is missing", "no sign"]


@pytest.mark.parametrize("name", [name for name in check.EXERCISES["02"] if name != "make_value"])
def test_what_a_check_sees_itself_has_words_in_each_file(name):
    for seen in [*SEEN, "another sign", *(SEEN_IN_RECORDS if name in ("subtract", "divide") else [])]:
        assert seen in [each.mistake.name for each in known(name)]


def test_a_function_that_fails_when_it_is_called_once_more_is_no_surprise():
    for calls in range(1, 80, 3):
        code = f"made = []\n\n\n{one('add', 'made.append(1)', f'return {SUM} if len(made) < {calls} else 1 / 0')}"
        assert verdict("add", code).state == "wrong"


def test_two_mistakes_in_one_answer_are_both_named():
    said = verdict("multiply", one("multiply", "return Value(self.data + other.data, {self, other}, '*')"))
    assert "Step 1 of 2." in said.text() and said.mistakes[0].name == "added"
    said = verdict("add", one("add", "return Value(self.data + other.data, {self, other})"))
    assert said.mistakes[0].name in ("a set of inputs, and no sign", "no sign, and a set of inputs")


@pytest.mark.parametrize("error", [1e-3, 1e-8])
def test_a_small_error_never_passes(error):
    answers = {
        "add": one("add", f"return Value(self.data + other.data + {error}, (self, other), '+')"),
        "multiply": one("multiply", f"return Value(self.data * other.data * {1 + error}, (self, other), '*')"),
        "subtract": two("subtract", f"{MINUS[0]} + {error}", MINUS[1]),
        "divide": two("divide", f"{OVER[0]} + {error}", OVER[1]),
    }
    for name, code in answers.items():
        said = verdict(name, code)
        assert said.state == "wrong" and "The number is wrong" in str(said)
        assert said.lead == MENDED or not said.mistakes, "no known mistake"


ERRORS = {
    "make_value": number("self.data = date"),
    "add": one("add", "return Value(self.date, (self, other), '+')"),
    "multiply": one("multiply", "return Value(self.data * othr.data)"),
    "constants": plain("thinq if isinstance(thing, Value) else Value(thing)"),
    "subtract": two("subtract", "self + as_valeu(other) * -1", MINUS[1]),
    "divide": two("divide", OVER[0], "1 / 0"),
}


@pytest.mark.parametrize("name, code", ERRORS.items())
def test_an_error_in_a_learners_code_is_said_with_what_was_tested_and_not_explained(name, code):
    said = verdict(name, code)
    assert said.state == "wrong" and (said.lead == MENDED or not said.mistakes), said
    assert "Tested: " in said.says[0] and "It raised " in said.says[0]


def test_half_an_answer_says_what_is_next():
    said = verdict("make_value", number(shown="raise NotImplementedError"))
    assert said.state == "not yet" and "`__init__` keeps the number. Now `__repr__`." in str(said)
    half = two("subtract", MINUS[0], "1").replace("return 1", "raise NotImplementedError")
    said = verdict("subtract", half)
    assert said.state == "not yet" and "so far is right. Not written yet: d = 2.5 - a." in str(said)


def test_what_is_wrong_before_a_part_that_is_not_written_is_told_first():
    said = verdict(
        "subtract", two("subtract", "self + as_value(other)", "1").replace("return 1", "raise NotImplementedError")
    )
    assert said.state == "wrong" and "d.data: expected 6.5000, got -1.5000" in str(said)


@pytest.mark.parametrize("given", [3, object, parts.fresh("add")(2.0)])
def test_what_is_no_function_is_said_so(given):
    said = check.add(given)
    assert said.state == "wrong" and "Pass the function itself, by its name, without ()." in str(said)


def test_what_is_no_class_of_ones_own_is_said_so():
    assert "Pass the class itself: check.make_value(Number)." in str(check.make_value(3))
    said = verdict("make_value", "import autograd\n\n\nclass Number(autograd.Value):\n    pass\n")
    assert said.state == "wrong" and "comes from the course itself" in str(said)


def test_a_loop_that_never_ends_is_stopped(monkeypatch):
    monkeypatch.setattr(guard, "SECONDS", 0.3)
    said = verdict("add", one("add", "while True:", "    pass"))
    assert said.state == "wrong" and "Is there a loop that never ends?" in str(said)


@pytest.mark.parametrize("kinds", [("+",), ("*",), ("-", "v-n", "n-v"), ("/", "v/n", "n/v")])
def test_the_cases_are_of_every_sort(kinds):
    tests = shared.small_cases(kinds)
    numbers = [number for case in tests for _, number in case.leaves]
    assert len(tests) >= 28 and all(isinstance(case, Case) for case in tests)
    assert {int, float} == set(map(type, numbers)) and {0, 1, -1} <= set(numbers)
    assert min(abs(number) for number in numbers if number) < 1e-7
    patterns = {tuple(isinstance(o, str) for o in operands) for case in tests for _, _, operands in case.steps}
    assert patterns == ({(True, True)} if len(kinds) == 1 else {(True, True), (True, False), (False, True)})
    assert any(len(set(operands)) == 1 for case in tests for _, _, operands in case.steps)  # a node with itself
    assert any(len({number for _, number in case.leaves}) < len(case.leaves) for case in tests)  # equal numbers
    assert any(len(case.steps) > 3 for case in tests)


@pytest.mark.parametrize("sign, name", [("-", "subtract"), ("/", "divide")])
def test_a_record_is_worked_out_as_floats_are(sign, name):
    Value = parts.fresh(name)
    for case in shared.small_cases((sign, f"v{sign}n", f"n{sign}v")):
        nodes = case.run(Value)
        others = [number * 1.5 or 0.75 for _, number in case.leaves]
        again = operators.worked_out(
            nodes[case.root], {id(nodes[leaf]): x for (leaf, _), x in zip(case.leaves, others)}
        )
        assert again is None or again == pytest.approx(case.compute(others, FLOATS)[case.root], rel=1e-9)


def test_no_exponent_is_read_from_a_sign():
    """2.3456789 written with six digits is another number: nothing is claimed of it, and a contradiction is seen."""
    base, n = 1.7, 2.3456789
    assert operators.power(3.0, base, base**n, f"**{n:g}") is None
    assert operators.power(3.0, base, base**-1, "**-1") == 1 / 3.0 == operators.power(3.0, base, base**-1, "**")
    assert operators.power(3.0, -1.0, -1.0, "**-1") is None  # also (-1)**3
    with pytest.raises(operators.Untold, match=r"made of 1\.7"):
        operators.power(3.0, base, base**-1, "**2")


KEEPS = "    def __init__(self, data):\n        "
SHOWS = "    def __repr__(self):\n        "
PRINTS = f'{SHOWS}return f"Value(data={{self.data:.4f}})"'


@pytest.mark.parametrize(
    "name, code, names",
    [
        ("make_value", f"class Number:\n    data = 0.0\n{KEEPS}self.data = -data\n{PRINTS}", ["the sign turned"]),
        ("make_value", f"class Number:\n    data = 0.0\n{KEEPS}self.data = 7.0\n{PRINTS}", ["a fixed number"]),
        (
            "make_value",
            f"class Number:\n    __slots__ = ('value',)\n{KEEPS}self.value = data\n{PRINTS.replace('.data', '.value')}",
            ["kept under another name"],
        ),
        (
            "make_value",
            f"class Number:\n{KEEPS}self.data = data\n{PRINTS.replace('__repr__', '_repr_')}\n"
            + SHOWS.replace("repr", "str")
            + "return 'a Number'",
            ["no `__repr__`"],
        ),
        (
            "make_value",
            f"class Number:\n{KEEPS}self.data = data\n{PRINTS.replace('{', '{{').replace('}', '}}')}",
            ["the braces are printed"],
        ),
        (
            "make_value",
            f"class Number:\n{KEEPS}self.data = data\n        Number.text = f'Value(data={{data:.4f}})'\n"
            f"{SHOWS}return self.text",
            [],
        ),
        ("make_value", f"class Number:\n{KEEPS}self.data = data\n{SHOWS}return f'Number({{self.data}})'", []),
        (
            "make_value",
            f"class Number:\n{KEEPS}self.data = self.n = data\n{PRINTS.replace('self.data', 'self.n')}",
            ["printed as it was at first"],
        ),
        ("add", "def add(self, other):\n    return Value(self.data + other.data, (self, other), None)", []),
        (
            "subtract",
            "def subtract(self, other):\n    other = as_value(other)\n"
            "    return Value(self.data - other.data, (self, other, Value(-1)), '+')\n\n\n"
            "def reflected_subtract(self, other):\n    return as_value(other) - self",
            [],
        ),
    ],
)
def test_what_is_seen_is_named_only_where_its_sentence_holds(name, code, names):
    said = verdict(name, code)
    assert said.state == "wrong" and [each.name for each in said.mistakes if said.is_whole] == names, said
