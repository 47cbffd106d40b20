"""The checks of lesson 02: right answers pass in every form, and each typical mistake gets its own explanation."""

import time

import pytest

from exercises import check, library, parts
from exercises.cases import Case
from exercises.checks import lesson_02
from exercises.diagnosis import mistake_of
from tests import lessons

NAMES = check.EXERCISES["02"]


def verdict(name, code):
    """What the check of an exercise says of an answer written as in its cell."""
    names = {}
    exec(compile(code, "<cell>", "exec"), names)
    return getattr(check, name)(*(names[given] for given in parts.BY_NAME[name].gives))


def changed(name, *pairs):
    """The solution of an exercise with parts of it replaced; each part must occur in it."""
    code = library.solution(name).code
    for old, new in pairs:
        assert old in code, old
        code = code.replace(old, new)
    return code


@pytest.mark.parametrize("name", NAMES)
def test_the_solution_passes_and_soon(name):
    verdict(name, library.solution(name).code)
    start = time.perf_counter()
    said = verdict(name, library.solution(name).code)
    assert said and str(said).startswith(f"✓ {name}: yes.") and "\n" not in str(said)
    assert time.perf_counter() - start < 0.5


@pytest.mark.parametrize("name", NAMES)
def test_the_untouched_stub_is_not_yet(name):
    said = verdict(name, library.stub(name))
    assert said.state == "not yet" and "It is as it was" in str(said)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_passed_is_not_yet(name):
    assert getattr(check, name)().state == "not yet"
    assert getattr(check, name)(...).state == "not yet"


RECORDED = """
class Recorded:
    def __init__(self, data, _prev=(), _op=""):
        self.data, self._prev, self._op = data, _prev, _op


"""
KEEP_IT, SHOW_IT = "self.data = data", 'return f"Value(data={self.data:.4f})"'

RIGHT = {
    "data as a float": ("make_value", changed("make_value", ("= data", "= float(data)"))),
    "the older way to format": (
        "make_value",
        changed("make_value", ('f"Value(data={self.data:.4f})"', '"Value(data=%.4f)" % self.data')),
    ),
    "more than was asked": ("make_value", changed("make_value", (KEEP_IT, "self.data, self.name = data, ''"))),
    "a list of inputs": ("add", changed("add", (", (self, other),", ", [self, other],"))),
    "members set afterwards": (
        "add",
        """
def add(self, other):
    out = Value(self.data + other.data)
    out._prev, out._op, out.label = (self, other), "+", "sum"
    return out
""",
    ),
    "type(self)": (
        "add",
        'add = lambda self, other: type(self)(float(self.data + other.data), (self, other), "+")',
    ),
    "named arguments": (
        "multiply",
        'multiply = lambda a, b: Value(data=b.data * a.data, _op="*", _prev=(a, b), label="p")',
    ),
    "reflected by turning round": (
        "constants",
        changed("constants", ("as_value(other) + self", "self + other"), ("as_value(other) * self", "self * other")),
    ),
    "told by a member": (
        "constants",
        changed("constants", ("thing if isinstance(thing, Value)", 'thing if hasattr(thing, "_prev")')),
    ),
    "told by numbers": (
        "constants",
        changed(
            "constants",
            (
                "thing if isinstance(thing, Value) else Value(thing)",
                "Value(thing) if isinstance(thing, int | float) else thing",
            ),
        ),
    ),
    "minus as one node": (
        "subtract",
        """
def subtract(self, other):
    other = as_value(other)
    return Value(self.data - other.data, (self, other), "-")


def reflected_subtract(self, other):
    return as_value(other) - self
""",
    ),
    "minus by the sign": (
        "subtract",
        "subtract = lambda a, b: a + -as_value(b)\nreflected_subtract = lambda a, b: -a + b",
    ),
    "minus by the product": (
        "subtract",
        "subtract = lambda a, b: a + -1 * b\nreflected_subtract = lambda a, b: (a - b) * -1.0",
    ),
    "division as one node": (
        "divide",
        """
def divide(self, other):
    other = as_value(other)
    return Value(self.data / other.data, (self, other), "/")


def reflected_divide(self, other):
    return as_value(other) / self
""",
    ),
    "division by powers": (
        "divide",
        "divide = lambda a, b: a * b**-1\nreflected_divide = lambda a, b: b * a**-1.0",
    ),
}


@pytest.mark.parametrize("name, code", RIGHT.values(), ids=RIGHT)
def test_other_right_answers_pass(name, code):
    said = verdict(name, code)
    assert said, said


@pytest.mark.parametrize("name", ["add", "multiply"])
def test_an_operation_with_its_rule_already_passes(name):
    code = library.solution(f"{name}_rule").code.replace(f"{name}_with_rule", name)
    assert verdict(name, code.replace("    other = as_value(other)\n", ""))


def operation(name, returned):
    """An answer to add or multiply that returns something else."""
    return f"def {name}(self, other):\n    return {returned}\n"


def two_sided(name, first, second):
    """An answer to subtract or divide."""
    return (
        f"def {name}(self, other):\n    return {first}\n\n\ndef reflected_{name}(self, other):\n    return {second}\n"
    )


WRONG = [  # (exercise, answer, the name of the mistake, something else that is said)
    ("make_value", changed("make_value", (KEEP_IT, "data = data")), "the number is not kept", "no `data`"),
    ("make_value", changed("make_value", (KEEP_IT, "pass")), "the number is not kept", "no `data`"),
    ("make_value", changed("make_value", (KEEP_IT, "self.value = data")), "kept under another name", "no `data`"),
    ("make_value", changed("make_value", (KEEP_IT, "Number.data = data")), "one number for all", "not the number"),
    ("make_value", changed("make_value", (KEEP_IT, 'self.data = f"{data:.4f}"')), "a text is kept", "not the number"),
    ("make_value", changed("make_value", (KEEP_IT, "self.data = round(data, 4)")), "the number itself is rounded", ""),
    ("make_value", changed("make_value", (KEEP_IT, "self.data = int(data)")), "only the whole part is kept", "got 2"),
    ("make_value", changed("make_value", ("__init__", "_init_")), "no `__init__`", "of its own"),
    ("make_value", changed("make_value", ("__repr__", "_repr_")), "no `__repr__`", "<… object at …>"),
    ("make_value", changed("make_value", (SHOW_IT, SHOW_IT.replace("return ", "print(") + ")")), "printed, not", ""),
    ("make_value", changed("make_value", (":.4f", "")), "all digits, or too few", "got Value(data=2.5)"),
    ("make_value", changed("make_value", (":.4f", ":.4")), "`:.4` without f", "got Value(data=2.5)"),
    ("make_value", changed("make_value", (":.4f", ":4f")), "`:4f` without a point", "got Value(data=2.500000)"),
    ("make_value", changed("make_value", ("{self.data:.4f}", "{round(self.data, 4)}")), "rounded, not formatted", ""),
    ("make_value", changed("make_value", ("Value(data={self.data:.4f})", "{self.data:.4f}")), "the number alone", ""),
    ("make_value", changed("make_value", ("(data=", "(")), "`data=` is missing", "expected Value(data=2.5000)"),
    ("make_value", changed("make_value", ("4f})", "4f}, grad=0.0000)")), "a gradient already", ""),
    ("make_value", changed("make_value", ("{self.data:.4f}", "2.5000")), "the same text for every number", ""),
    ("make_value", changed("make_value", ('"Value(', '"Number(')), "the other class's name", "got Number(data=2.5000)"),
    ("add", operation("add", "self.data + other.data"), "a plain number is returned", "a float"),
    ("add", operation("add", 'Value(self.data * other.data, (self, other), "+")'), "multiplied", "Step 1"),
    ("add", operation("add", 'Value(self.data - other.data, (self, other), "+")'), "subtracted", "Step 1"),
    ("add", operation("add", 'Value(self.data + self.data, (self, other), "+")'), "self twice", "Step 1"),
    ("add", operation("add", "Value(self.data + other.data)"), "what made it is not kept", "Step 1 of 2 is"),
    ("add", operation("add", 'Value(self.data + other.data, {self, other}, "+")'), "a set of inputs", ""),
    ("add", operation("add", 'Value(self.data + other.data, (self,), "+")'), "an input is missing", "(a,)"),
    (
        "add",
        operation("add", 'Value(self.data + other.data, (self, other, "+"))'),
        "more than the inputs",
        "(a, b, '+')",
    ),
    ("add", operation("add", 'Value(self.data + other.data, self, "+")'), "not a tuple", "Step 2"),
    ("add", operation("add", "Value(self.data + other.data, (self, other))"), "no sign", "got ''"),
    (
        "add",
        operation("add", 'Value(self.data + other.data, (self.data, other.data), "+")'),
        "numbers in place of inputs",
        "Step 2",
    ),
    (
        "add",
        operation("add", 'Value(self.data + other.data, (Value(self.data), Value(other.data)), "+")'),
        "copies of the inputs",
        "another Value(data=",
    ),
    (
        "add",
        operation("add", 'Value(self.data + other.data, (other, self), "+")'),
        "the inputs turned round",
        "expected (a, b), got (b, a)",
    ),
    (
        "add",
        "def add(self, other):\n    self.data += other.data\n    return self\n",
        "an input is changed",
        "data afterwards",
    ),
    (
        "add",
        RECORDED + operation("add", 'Recorded(self.data + other.data, (self, other), "+")'),
        "a node of another class",
        "it returned a Recorded.",
    ),
    (
        "add",
        "import autograd\n\n\n" + operation("add", "autograd.Value(self.data + other.data)"),
        "a node of another class",
        "it returned a Value of another engine.",
    ),
    ("multiply", operation("multiply", "self.data * other.data"), "a plain number is returned", "Step 1"),
    ("multiply", operation("multiply", 'Value(self.data + other.data, (self, other), "*")'), "added", ""),
    ("multiply", operation("multiply", 'Value(self.data ** other.data, (self, other), "*")'), "a power", ""),
    (
        "multiply",
        operation("multiply", 'Value(self.data * self.data, (self, other), "*")'),
        "self twice",
        "",
    ),
    (
        "multiply",
        operation("multiply", "Value(self.data * other.data)"),
        "what made it is not kept",
        "Step 2",
    ),
    ("multiply", operation("multiply", 'Value(self.data * other.data, {self, other}, "*")'), "a set of", ""),
    (
        "constants",
        changed("constants", ("    return thing if isinstance(thing, Value) else Value(thing)", "    return thing")),
        "the number as it was",
        "",
    ),
    (
        "constants",
        changed("constants", ("thing if isinstance(thing, Value) else Value(thing)", "Value(thing)")),
        "a Value inside a Value",
        "is v",
    ),
    (
        "constants",
        changed("constants", ("thing if isinstance(thing, Value)", "Value(thing.data) if isinstance(thing, Value)")),
        "a Value copied",
        "as it is",
    ),
    (
        "constants",
        changed(
            "constants",
            ("thing if isinstance(thing, Value) else Value(thing)", "Value(thing) if type(thing) is float else thing"),
        ),
        "the number as it was",
        "as_value(2)",
    ),
    (
        "constants",
        changed("constants", ("else Value(thing)", "else autograd.Value(thing)")).replace(
            "def", "import autograd\ndef", 1
        ),
        "a node of another class",
        "it returned a Value of another engine.",
    ),
    (
        "constants",
        changed("constants", ("as_value(other) * self", 'Value(other.data * self.data, (other, self), "*")')),
        "a plain number has no `.data`",
        "AttributeError",
    ),
    (
        "constants",
        changed("constants", ("as_value(other) + self", "other + self")),
        "a reflected method that calls",
        "",
    ),
    (
        "constants",
        changed("constants", ("as_value(other) * self", "as_value(other) + self")),
        "number * value computed as a sum",
        "The number is wrong",
    ),
    (
        "constants",
        changed("constants", ("as_value(other) + self", "as_value(other) * self")),
        "number + value computed as a product",
        "The number is wrong",
    ),
    (
        "constants",
        changed("constants", ("as_value(other) * self", "NotImplemented")),
        "the question handed back",
        "TypeError",
    ),
    (
        "constants",
        changed("constants", ("as_value(other) * self", 'Value(other * self.data, (self,), "*")')),
        "the plain number is no input",
        "got (a,)",
    ),
    (
        "subtract",
        two_sided("subtract", "self + as_value(other) * -1", "self - other"),
        "number - value computed as",
        "",
    ),
    ("subtract", two_sided("subtract", "as_value(other) + self * -1", "as_value(other) - self"), "turned round", ""),
    ("subtract", two_sided("subtract", "self + as_value(other)", "as_value(other) - self"), "added", "wrong"),
    ("subtract", two_sided("subtract", "(self + other) * -1", "as_value(other) - self"), "both signs turned", "wrong"),
    ("subtract", two_sided("subtract", "self * as_value(other) * -1", "as_value(other) - self"), "multiplied", "wrong"),
    ("subtract", two_sided("subtract", "self + as_value(other) * -1", "other - self"), "a reflected method that", ""),
    (
        "subtract",
        two_sided("subtract", "self.data - other.data", "other - self.data"),
        "a plain number is returned",
        "",
    ),
    (
        "subtract",
        two_sided("subtract", "Value(self.data - as_value(other).data)", "as_value(other) - self"),
        "the result forgets",
        "",
    ),
    (
        "subtract",
        two_sided("subtract", "self + -as_value(other).data", "as_value(other) - self"),
        "the number of an input was used",
        "depends on b",
    ),
    (
        "subtract",
        two_sided(
            "subtract",
            'Value(self.data - as_value(other).data, (self, as_value(other)), "+")',
            "as_value(other) - self",
        ),
        "the record tells another story",
        "worked out again with",
    ),
    (
        "subtract",
        two_sided("subtract", 'Value(self.data - other.data, (self, other), "-")', "as_value(other) - self"),
        "a plain number has no `.data`",
        "AttributeError",
    ),
    ("divide", two_sided("divide", "self * as_value(other) ** -1", "self / other"), "number / value computed as", ""),
    ("divide", two_sided("divide", "as_value(other) * self ** -1", "as_value(other) / self"), "turned round", "wrong"),
    ("divide", two_sided("divide", "self * as_value(other)", "as_value(other) / self"), "multiplied", "wrong"),
    ("divide", two_sided("divide", "self * as_value(other) * -1", "as_value(other) / self"), "`* -1` for `** -1`", ""),
    ("divide", two_sided("divide", "(self * other) ** -1", "as_value(other) / self"), "both below", "wrong"),
    ("divide", two_sided("divide", "self * as_value(other) ** -1", "other / self"), "a reflected method that", ""),
    (
        "divide",
        two_sided(
            "divide", 'Value(self.data // as_value(other).data, (self, as_value(other)), "/")', "as_value(other) / self"
        ),
        "`//` for `/`",
        "wrong",
    ),
    (
        "divide",
        two_sided("divide", "self * (1 / as_value(other).data)", "as_value(other) / self"),
        "the number of an input was used",
        "depends on b",
    ),
    (
        "divide",
        two_sided(
            "divide", 'Value(self.data / as_value(other).data, (self, as_value(other)), "*")', "as_value(other) / self"
        ),
        "the record tells another story",
        "worked out again with",
    ),
]


@pytest.mark.parametrize("name, code, mistake, says", WRONG, ids=[f"{name}: {m}" for name, _, m, _ in WRONG])
def test_each_mistake_gets_its_own_explanation(name, code, mistake, says):
    said = verdict(name, code)
    assert said.state == "wrong", said
    assert len(said.mistakes) == 1 and said.mistakes[0].name.startswith(mistake), said
    assert says in str(said)
    assert said.mistakes[0].sentence in str(said) and "See lesson 02" in str(said)


@pytest.mark.parametrize("name", NAMES)
def test_at_least_four_mistakes_of_each_exercise_are_known(name):
    assert len({mistake for exercise, _, mistake, _ in WRONG if exercise == name}) >= 4


def test_a_mistakes_section_stands_in_the_lesson():
    path = lessons.NOTEBOOKS / "02_a_value_that_remembers.ipynb"
    headings = [
        line.lstrip("# ")
        for cell in lessons.cells(lessons.read(path), "markdown")
        for line in cell.source.splitlines()
        if line.startswith("#")
    ]
    known = [m for name, code, _, _ in WRONG for m in verdict(name, code).mistakes]
    assert known and all(m.section in headings for m in known), {m.section for m in known}


@pytest.mark.parametrize("name", NAMES)
def test_no_verdict_prints_the_solution(name):
    lines = {line.strip() for line in library.solution(name).code.splitlines()} - {
        line.strip() for line in library.stub(name).splitlines()
    }
    for exercise, code, _, _ in WRONG:
        if exercise == name:
            said = str(verdict(name, code))
            assert not any(line in said for line in lines if line != "other = as_value(other)"), said


@pytest.mark.parametrize(
    "name, code",
    [
        ("add", operation("add", "Value(self.data + other.data + 1e-3, (self, other), '+')")),
        ("multiply", operation("multiply", "Value(self.data * other.data * 1.001, (self, other), '*')")),
        ("subtract", two_sided("subtract", "self + as_value(other) * -1 + 1e-3", "as_value(other) - self")),
        ("divide", two_sided("divide", "self * as_value(other) ** -1 + 1e-3", "as_value(other) / self")),
    ],
)
def test_a_small_error_never_passes(name, code):
    said = verdict(name, code)
    assert said.state == "wrong" and "The number is wrong" in str(said) and not said.mistakes


def test_float_noise_passes():
    assert verdict("add", operation("add", "Value(self.data + other.data + 1e-11, (self, other), '+')"))


@pytest.mark.parametrize("name", NAMES)
def test_an_error_in_a_learners_code_is_two_sentences(name):
    code = {
        "make_value": changed("make_value", (KEEP_IT, "self.data = date")),
        "add": operation("add", "Value(self.date, (self, other), '+')"),
        "multiply": operation("multiply", "Value(self.data * othr.data)"),
        "constants": changed("constants", ("return thing if", "return thinq if")),
        "subtract": two_sided("subtract", "self + as_valeu(other) * -1", "as_value(other) - self"),
        "divide": two_sided("divide", "self * as_value(other) ** -1", "1 / 0"),
    }[name]
    said = verdict(name, code)
    assert said.state == "wrong" and len(said.says) == 2 and "\n" not in str(said)
    assert said.says[0].startswith("Tested: ") and said.says[1].startswith("It raised ")


def test_half_an_answer_says_what_is_next():
    half = changed("make_value", (SHOW_IT, "raise NotImplementedError"))
    assert "`__init__` keeps the number. Now `__repr__`." in str(verdict("make_value", half))
    half = two_sided("subtract", "self + as_value(other) * -1", "1 / 0").replace(
        "return 1 / 0", "raise NotImplementedError"
    )
    said = verdict("subtract", half)
    assert said.state == "not yet" and "Not written yet: d = " in str(said) and "- a" in str(said)


@pytest.mark.parametrize("given", [3, object, parts.fresh("add")(2.0)])
def test_what_is_no_function_is_said_so(given):
    said = check.add(given)
    assert said.state == "wrong" and "Pass the function itself, by its name, without ()." in str(said)


def test_what_is_no_class_is_said_so():
    said = check.make_value(3)
    assert said.state == "wrong" and "Pass the class itself: check.make_value(Number)." in str(said)


def test_a_loop_that_never_ends_is_stopped():
    said = verdict("add", "def add(self, other):\n    while True:\n        pass\n")
    assert said.state == "wrong" and "Is there a loop that never ends?" in str(said)


@pytest.mark.parametrize("kinds", [("+",), ("-", "v-n", "n-v"), ("/", "v/n", "n/v")])
def test_the_cases_are_random_and_of_every_sort(kinds):
    tests = lesson_02.small_cases(kinds)
    numbers = [number for case in tests for _, number in case.leaves]
    assert len(tests) >= 18 and all(isinstance(case, Case) for case in tests)
    assert any(isinstance(n, int) for n in numbers) and any(isinstance(n, float) and n % 0.5 for n in numbers)
    patterns = {tuple(isinstance(o, str) for o in operands) for case in tests for _, _, operands in case.steps}
    assert patterns == ({(True, True)} if len(kinds) == 1 else {(True, True), (True, False), (False, True)})
    assert any(len(set(operands)) == 1 for case in tests for _, _, operands in case.steps)  # a node with itself
    assert any(len(case.steps) > 3 for case in tests)


@pytest.mark.parametrize("name", NAMES)
def test_the_hints_are_two_and_the_stub_is_no_answer(name):
    assert len(library.solution(name).hints) == 2
    assert library.solution(name).code != library.stub(name)


@pytest.mark.parametrize("name, id", [("subtract", "M18"), ("divide", "M19")])
def test_the_wrong_engines_that_are_met_here_are_named(name, id):
    sign = {"subtract": "-", "divide": "/"}[name]
    said = verdict(name, changed(name, (f"as_value(other) {sign} self", f"self {sign} other")))
    assert [mistake.name for mistake in said.mistakes] == [mistake_of(id).name]
