"""The checks of lesson 04: right answers of every kind pass, and each typical mistake is told what it is."""

import math
import time

import pytest

from autograd.dual import forward_gradient
from exercises import check, guard, library, parts
from exercises.checks import lesson_04
from exercises.verdict import LESSONS
from tests import lessons

NAMES = ("collect", "equals_is_right", "equals_is_wrong", "used_three_times")
RIGHT = [-3, 2, 6]


def defined(code):
    """The names that an exercise's cell defines."""
    names = {}
    exec(code, names)
    return names


def checked(name, names):
    """The Verdict on what a cell defines."""
    if name == "used_three_times":
        return check.used_three_times(names["contributions"], names["gradient_from_paths"])
    if name == "collect":
        return check.collect(names["collecting_add"], names["collecting_multiply"])
    return getattr(check, name)(names[name])


def path_sum(paths):
    """A right answer, shorter than the solution."""
    return sum(map(math.prod, paths))


@pytest.mark.parametrize("name", NAMES)
def test_a_solution_passes_and_takes_well_under_half_a_second(name):
    names = defined(library.solution(name).code)
    started = time.process_time()
    assert checked(name, names), checked(name, names)
    assert time.process_time() - started < 1.0  # two checks


@pytest.mark.parametrize("name", NAMES)
def test_an_untouched_stub_is_not_yet(name):
    verdict = checked(name, defined(library.stub(name)))
    assert verdict.state == "not yet" and "not yet" in verdict.text()


@pytest.mark.parametrize("name", NAMES)
def test_hints_are_two_and_the_solution_is_the_stub_filled_in(name):
    solution = library.solution(name)
    assert len(solution.hints) == 2
    lines = library.stub(name).splitlines()
    assert lines[0].split("=")[0].split("(")[0] == solution.code.splitlines()[0].split("=")[0].split("(")[0]
    assert [line for line in lines if line.startswith("def")] == [
        line for line in solution.code.splitlines() if line.startswith("def")
    ]


ADD = "self.grad += out.grad", "other.grad += out.grad"
MULTIPLY = "self.grad += other.data * out.grad", "other.grad += self.data * out.grad"


def collected(sign, *lines, end=""):
    """The Verdict on the solution of `collect` with other lines as the rule of a sign, or another end."""
    code = library.solution("collect").code
    right = ADD if sign == "+" else MULTIPLY
    old = "        " + "\n        ".join(right) + "\n\n    out._backward = _backward\n    return out\n"
    assert code.count(old) == 1
    rule = "\n".join(f"        {line}" for line in lines or right)
    code = code.replace(old, f"{rule}\n\n    {end or 'out._backward = _backward; return out'}\n")
    return checked("collect", defined(code))


RIGHT_RULES = {
    "a loop": ("+", "for node in (self, other):", "    node.grad += out.grad"),
    "written out": ("+", "self.grad = self.grad + out.grad", "other.grad = other.grad + out.grad"),
    "the other first": ("+", "other.grad += out.grad", "self.grad += out.grad"),
    "by local derivatives": (
        "*",
        "for node, local in zip(out._prev, (other.data, self.data)):",
        "    node.grad += local * out.grad",
    ),
    "a case of its own for a * a": (
        "*",
        "if self is other:",
        "    self.grad += 2 * self.data * out.grad",
        "else:",
        "    self.grad += other.data * out.grad",
        "    other.grad += self.data * out.grad",
    ),
}


@pytest.mark.parametrize("rule", RIGHT_RULES.values(), ids=RIGHT_RULES)
def test_rules_that_collect_pass_in_any_form(rule):
    assert collected(*rule), collected(*rule)


def test_the_rules_of_lesson_03_pass_if_they_add():
    engine = parts.course_engine()
    found = check.collect(engine.add_with_rule, engine.multiply_with_rule)
    assert found.state == "wrong" and "comes from the course itself" in found.text()
    names = defined(library.solution("add_rule").code + library.solution("multiply_rule").code)
    assert check.collect(names["add_with_rule"], names["multiply_with_rule"])


NOT_COLLECTING = {
    "= in +": ("+", ("self.grad = out.grad", "other.grad = out.grad"), "= instead of +="),
    "= for the second in +": ("+", ("self.grad += out.grad", "other.grad = out.grad"), "= instead of +="),
    "= for the first in +": ("+", ("self.grad = out.grad", "other.grad += out.grad"), "= instead of +="),
    "= in *": (
        "*",
        ("self.grad = other.data * out.grad", "other.grad = self.data * out.grad"),
        "= instead of +=",
    ),
    "= and upstream forgotten": (
        "+",
        ("self.grad = 1.0", "other.grad = 1.0"),
        "the upstream gradient forgotten, and = instead of +=",
    ),
    "= and not swapped": (
        "*",
        ("self.grad = self.data * out.grad", "other.grad = other.data * out.grad"),
        "* does not swap its factors, and = instead of +=",
    ),
    "inputs as a set": ("+", ("for node in {self, other}:", "    node.grad += out.grad"), "an input left out"),
    "a + a taken for one use": (
        "+",
        ("self.grad += out.grad", "if other is not self:", "    other.grad += out.grad"),
        "an input left out",
    ),
    "a * a taken for one use": (
        "*",
        ("self.grad += other.data * out.grad", "if other is not self:", "    other.grad += self.data * out.grad"),
        "an input left out",
    ),
    "-=": ("+", ("self.grad -= out.grad", "other.grad -= out.grad"), "the sign turned round"),
    "upstream forgotten": ("*", ("self.grad += other.data", "other.grad += self.data"), "* forgets the upstream"),
}


@pytest.mark.parametrize("sign, lines, said", NOT_COLLECTING.values(), ids=NOT_COLLECTING)
def test_a_rule_that_loses_a_contribution_is_explained(sign, lines, said):
    verdict = collected(sign, *lines)
    assert verdict.state == "wrong" and f"This is what one mistake gives: {said}" in verdict.text(), verdict.text()
    assert f"The rule of {sign} passes back something else here" in verdict.text()


def test_a_learner_who_assigns_is_shown_a_plus_a():
    verdict = collected("+", "self.grad = out.grad", "other.grad = out.grad")
    assert verdict.case == "a = Value(3.0)\nout = a + a\nout.grad = 10.0\nout._backward()"
    assert verdict.rows == (("a.grad", 20.0, 10.0),)
    assert "See lesson 04, “One number, two uses”" in verdict.text()


def test_one_rule_of_two_is_not_yet():
    for sign, other in ("+*", "*+"):
        verdict = collected(sign, "raise NotImplementedError")
        assert verdict.state == "not yet"
        assert f"The rule of {other} is right. That of {sign} is not written yet." in verdict.text()
    assert "no rule on the new node" in collected("*", end="return out").text()
    assert "Tested: collecting_add. It is an int." in check.collect(3, 4).text()
    assert "check.collect(collecting_add, collecting_multiply)" in check.collect(path_sum).text()


def shared_square(a, b, c):
    d = a + b
    return d * d + c


def shared_result(a, b, c):
    d = a * b
    return (d + c) * d


RIGHT_ANSWERS = {
    "two": lambda a, b, c: a + b + c,
    "functions": lambda a, b, c: ((a * b) + c).tanh(),
    "a power": lambda a, b, c: (a - b) ** 2 / c,
    "numbers": lambda a, b, c: 2 * a * b + c,
    "reflected": lambda a, b, c: 1 / (a * b - c),
    "outside its domain at some points": lambda a, b, c: a.log() * b + c,
    "flat at some points": lambda a, b, c: (a * b + c).relu(),
}


@pytest.mark.parametrize("function", RIGHT_ANSWERS.values(), ids=RIGHT_ANSWERS)
def test_where_equals_is_right_many_answers_pass(function):
    assert check.equals_is_right(function), check.equals_is_right(function)


NOT_RIGHT = {
    "two consumers": (lambda a, b, c: a * b + a * c, "an input used twice. a has 2 consumers"),
    "both inputs": (lambda a, b, c: a * a + b * c, "one node on both sides. a is both inputs of *"),
    "a square": (shared_square, "one node on both sides. The result of + is both inputs of *"),
    "a result": (shared_result, "a result used twice. The result of * has 2 consumers"),
    "c missing": (lambda a, b, c: a + b, "c does not reach the result"),
    "one only": (lambda a, b, c: a, "b and c do not reach the result"),
    "long": (lambda a, b, c: a + b + c + 1 + 2 + 3, "takes 5 operations; at most 4"),
    "data": (lambda a, b, c: a.data + b.data * c.data, "it returned a float. Compute with the Values themselves"),
    "data of one": (lambda a, b, c: a.data * a + b * c, "It takes a part of a Value, such as its `.data`"),
    "nothing lost, but not for sure": (lambda a, b, c: a * 0 + a * b + c, "a.grad with =: expected 3.0000, got 0.0000"),
    "no function": (3.0, "A function was expected; this is a float"),
}


@pytest.mark.parametrize("function, said", NOT_RIGHT.values(), ids=NOT_RIGHT)
def test_where_equals_is_right_wrong_answers_are_explained(function, said):
    verdict = check.equals_is_right(function)
    assert verdict.state == "wrong" and said in verdict.text(), verdict.text()


def test_a_failing_case_is_shown_with_its_graph_and_both_gradients():
    verdict = check.equals_is_right(lambda a, b, c: a * b + a * c)
    assert verdict.case == "a, b, c = Value(2), Value(3), Value(5)\nequals_is_right(a, b, c)"
    assert verdict.rows == (("a.grad with =", 8.0, 3.0),)
    assert verdict.graph is not None and "Computation graph" in verdict.html()


WRONG_ANSWERS = {
    "a square": lambda a, b: a + b * b,
    "through a": lambda a, b: (a + b) * b,
    "a sum": lambda a, b: a * (b + b),
    "a difference": lambda a, b: a + (b - b),
    "bent": lambda a, b: (a + b * b).tanh(),
    "three times": lambda a, b: a + b * b * b,
}


@pytest.mark.parametrize("function", WRONG_ANSWERS.values(), ids=WRONG_ANSWERS)
def test_where_equals_is_wrong_many_answers_pass(function):
    assert check.equals_is_wrong(function), check.equals_is_wrong(function)


def doubled_product(a, b):
    c = a * b
    return c + c


def square_of_both(a, b):
    d = a + b * b
    return d * d


NOT_WRONG = {
    "a tree": (lambda a, b: a + b, "no node is used twice"),
    "a power": (lambda a, b: a + b**2, "a power has one edge"),
    "both twice": (lambda a, b: a * b + a + b, "an input used twice. a has 2 consumers"),
    "the other": (lambda a, b: a * a + b, "the other way round. Here a is the one that fans out"),
    "a result on both sides": (doubled_product, "one node on both sides. The result of * is both inputs of +"),
    "b and a result": (square_of_both, "The result of + is both inputs of *"),
    "a missing": (lambda a, b: b * b, "a does not reach the result"),
    "long": (lambda a, b: a + b + b + b + b + b, "takes 5 operations; at most 4"),
    "hidden": (lambda a, b: a + b + 0 * (b + 1), "b.grad"),
}


@pytest.mark.parametrize("function, said", [*NOT_WRONG.values()][:-1], ids=[*NOT_WRONG][:-1])
def test_where_equals_is_wrong_wrong_answers_are_explained(function, said):
    verdict = check.equals_is_wrong(function)
    assert verdict.state == "wrong" and said in verdict.text(), verdict.text()


def test_a_loss_that_hangs_on_the_order_counts_as_one():
    """One of b's two contributions is 0: = leaves it, or the other one, as the consumers are visited."""
    assert check.equals_is_wrong(NOT_WRONG["hidden"][0])
    assert not check.equals_is_right(lambda a, b, c: a + b * c + 0 * b)


@pytest.mark.parametrize("contributions", [[-3, 2, 6], (6, 2.0, -3), [2.0 + 1e-12, -3.0, 6.0]], ids=str)
def test_contributions_pass_in_any_order(contributions):
    assert check.used_three_times(contributions, path_sum)


def test_the_three_contributions_are_the_gradients_of_the_uses_told_apart():
    assert lesson_04.RIGHT == RIGHT
    whole = forward_gradient(lambda x: x * lesson_04.Y + (x + lesson_04.Z) * x, [lesson_04.X])
    assert whole == [sum(RIGHT)] == [5]


NOT_CONTRIBUTIONS = {
    "sums along paths": ([-2, 4, 7], "added along a path"),
    "two": ([-3, 8], "two uses taken as one"),
    "two and a 0": ([-3, 8, 0], "two uses taken as one"),
    "not swapped": ([2, 2, 6], "x * y does not swap"),
    "no upstream": ([-3, 1, 6], "the upstream gradient forgotten"),
    "values": ([-6, 6, 12], "values in place of gradients"),
    "the sum": ([5], "the sum in place of its parts"),
    "the sum, thrice": ([5, 5, 5], "the sum in place of its parts"),
    "one left out": ([-3, 6], "a use left out"),
    "one is 0": ([-3, 2, 0], "a use left out"),
    "a 1e-3 off": ([-3, 2, 6.001], "Two of the three contributions are in your list"),
    "four": ([-3, 2, 6, 0], "It holds 4 numbers"),
    "a number": (5, "A list of three numbers was expected; this is an int"),
    "a text": (["-3", 2, 6], "A number was expected"),
}


@pytest.mark.parametrize("contributions, said", NOT_CONTRIBUTIONS.values(), ids=NOT_CONTRIBUTIONS)
def test_wrong_contributions_are_explained(contributions, said):
    verdict = check.used_three_times(contributions, path_sum)
    assert verdict.state == "wrong" and said in verdict.text(), verdict.text()
    assert not verdict.rows  # they would be the solution


def recursive(paths):
    """Paths one after the other, each by recursion."""

    def product(path):
        return path[0] * product(path[1:]) if path else 1

    return product(paths[0]) + recursive(paths[1:]) if paths else 0


def emptying(paths):
    """Takes its argument apart."""
    total = 0
    while paths:
        path, product = paths.pop(), 1.0
        while path:
            product *= path.pop()
        total += product
    return total


@pytest.mark.parametrize("function", [path_sum, recursive, emptying, lambda paths: path_sum(paths) + 1e-12])
def test_any_right_sum_of_paths_passes(function):
    assert check.used_three_times(RIGHT, function)


def overwritten(paths):
    for path in paths:
        gradient = math.prod(path)
    return gradient


def returns_early(paths):
    for path in paths:
        return math.prod(path)


def carries_on(paths):
    total, product = 0.0, 1.0
    for path in paths:
        for local in path:
            product *= local
        total += product
    return total


NOT_SUMS = {
    "=": (overwritten, "only the last path is left"),
    "return in the loop": (returns_early, "only the first path is counted"),
    "sums of sums": (lambda paths: sum(map(sum, paths)), "added along a path"),
    "products of products": (lambda paths: math.prod(map(math.prod, paths)), "paths multiplied"),
    "product of sums": (lambda paths: math.prod(map(sum, paths)), "sum and product the wrong way round"),
    "mean": (lambda paths: path_sum(paths) / len(paths), "the mean of the paths"),
    "product not begun anew": (carries_on, "the product goes on from path to path"),
    "count": (len, "paths counted"),
    "a list": (lambda paths: [math.prod(path) for path in paths], "A number was expected; it returned a list"),
    "its result": (path_sum([RIGHT]), "A function was expected; this is an int"),
    "a 1e-3 off": (lambda paths: path_sum(paths) + 1e-3, "test 1 of 30"),
}


@pytest.mark.parametrize("function, said", NOT_SUMS.values(), ids=NOT_SUMS)
def test_wrong_sums_of_paths_are_explained(function, said):
    verdict = check.used_three_times(RIGHT, function)
    assert verdict.state == "wrong" and said in verdict.text(), verdict.text()


def test_the_half_that_is_missing_is_named():
    assert "is still missing" in check.used_three_times(RIGHT, lambda paths: ...).text()
    assert "each `...`" in check.used_three_times([-3, ..., 6], path_sum).text()
    assert check.used_three_times(RIGHT, lambda paths: ...).state == "not yet"


@pytest.mark.parametrize(
    "verdict",
    [
        lambda: check.equals_is_right(lambda a, b, c: a / 0),
        lambda: check.equals_is_wrong(lambda a: a),
        lambda: check.used_three_times(RIGHT, lambda paths: paths[0][9]),
    ],
    ids=["a division by 0", "one input", "an index"],
)
def test_an_error_in_the_answer_is_told_in_two_sentences(verdict):
    found = verdict()
    assert found.state == "wrong" and len(found.says) == 2
    assert found.says[0].startswith("Tested: ") and "It raised " in found.says[1]


def test_an_endless_loop_is_stopped(monkeypatch):
    monkeypatch.setattr(guard.guarded, "__defaults__", (0.3, guard.PATIENCE))

    def endless(paths):
        while True:
            pass

    assert "loop that never ends" in check.used_three_times(RIGHT, endless).text()
    assert check.used_three_times(RIGHT, path_sum)


def test_every_section_that_is_named_exists():
    mistakes = [mistake for _, mistake in (*lesson_04.SLIPS, *lesson_04.WRONG_SUMS)]
    for function, _ in NOT_RIGHT.values():
        mistakes += check.equals_is_right(function).mistakes
    for function, _ in NOT_WRONG.values():
        mistakes += check.equals_is_wrong(function).mistakes
    for sign, lines, _ in NOT_COLLECTING.values():
        mistakes += collected(sign, *lines).mistakes
    named = {(mistake.lesson, mistake.section) for mistake in mistakes if mistake.lesson}
    assert {section for lesson, section in named if lesson == "04"} == {
        *("Break it: = for +=", "Paths and their sum", "One number, two uses")
    }
    for lesson, section in named:
        notebook = lessons.read(lessons.NOTEBOOKS / f"{LESSONS[lesson]}.ipynb")
        headings = [line for cell in lessons.cells(notebook, "markdown") for line in cell.source.splitlines()]
        assert f"## {section}" in headings, section


@pytest.mark.parametrize("name", NAMES)
def test_a_wrong_answer_is_never_told_the_solution(name):
    code = {
        "equals_is_right": [each[0] for each in NOT_RIGHT.values()],
        "equals_is_wrong": [each[0] for each in NOT_WRONG.values()][:-1],
    }
    solution = library.solution(name).code.splitlines()[-1].strip().removeprefix("return ")
    for function in code.get(name, []):
        assert solution not in getattr(check, name)(function).text()
    if name == "used_three_times":
        for function, _ in NOT_SUMS.values():
            assert "product *= local" not in check.used_three_times(RIGHT, function).text()
