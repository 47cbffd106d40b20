"""The checks of lesson 04: right answers of every kind pass, wrong ones are refused, and each is told what it is."""

import collections
import fractions
import math

import numpy as np
import pytest

from autograd.dual import forward_gradient
from exercises.engine_file import check, parts
from exercises.lessons.lesson_04 import shared
from exercises.lessons.lesson_04.used_three_times import check as used_three_times_check
from exercises.sandbox import guard
from exercises.shelf import library

RIGHT = [-3, 2, 6]


def defined(code):
    """The names that an exercise's cell defines."""
    names = {}
    exec(code, names)
    return names


def path_sum(paths):
    """A right answer, shorter than the solution."""
    return sum(map(math.prod, paths))


def named(verdict):
    """The names of the mistakes that give everything."""
    return [mistake.name for mistake in verdict.mistakes] if verdict.is_whole else []


def judged(head, body, above=""):
    """What a check says of a function, or of one with this body, whose text it then has."""
    name = "used_three_times" if above else head.partition("(")[0]
    if not isinstance(body, str):
        return getattr(check, name)(*([RIGHT] if above else []), body)
    return getattr(check, name)(*getattr(check, name).answers(f"{above}\n\n\ndef {head}:\n    {body}\n"))


# Rules that add

ADD = "self.grad += out.grad", "other.grad += out.grad"
MULTIPLY = "self.grad += other.data * out.grad", "other.grad += self.data * out.grad"


def collected(sign, *lines, code=None, end=""):
    """The Verdict on the solution of `collect` with other lines as the rule of a sign, or another end."""
    code = code or library.solution("collect").code
    right = ADD if sign == "+" else MULTIPLY
    old = "        " + "\n        ".join(right) + "\n\n    out._backward = _backward\n    return out\n"
    assert code.count(old) == 1
    rule = "\n".join(f"        {line}" for line in lines or right)
    names = defined(code.replace(old, f"{rule}\n\n    {end or 'out._backward = _backward; return out'}\n"))
    return check.collect(names["collecting_add"], names["collecting_multiply"])


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
    "=+ for +=": (("+", "self.grad =+ out.grad", "other.grad =+ out.grad"), "= instead of +="),
    "edges kept in a dict": (
        ("*", "for n, local in {self: other.data, other: self.data}.items(): n.grad += local * out.grad"),
        "a node on both sides counted once",
    ),
    "edges told apart by number": (
        ("+", "for n in {n.data: n for n in (self, other)}.values(): n.grad += out.grad"),
        "",
    ),
    "the larger one kept": (("+", "for n in (self, other): n.grad = max(n.grad, out.grad)"), ""),
    "the mean": (("+", "for n in (self, other): n.grad = (n.grad + out.grad) / 2"), ""),
    "a first contribution kept": (("+", "for n in (self, other): n.grad = n.grad or out.grad"), ""),
    "a second one dropped": (("*", "if self.grad: return", *MULTIPLY), ""),
    "a rule that runs once": (("*", "if 'done' in vars(out): return", "out.done = True", *MULTIPLY), ""),
    "the sum of both": (("+", "self.grad += out.grad + other.grad", "other.grad += out.grad"), ""),
}


@pytest.mark.parametrize("rule, name", NOT_COLLECTING.values(), ids=NOT_COLLECTING)
def test_a_rule_that_loses_or_gains_a_contribution_is_refused(rule, name):
    found = collected(*rule)
    assert found.state == "wrong" and (not name or name in named(found)), found


def test_a_learner_who_assigns_is_shown_a_plus_a():
    verdict = collected("+", "self.grad = out.grad", "other.grad = out.grad")
    assert verdict.case == "a = Value(3.0)\nout = a + a\nout.grad = 10.0\nout._backward()"
    assert verdict.rows == (("a.grad", 20.0, 10.0),)
    assert "See lesson 04, “One number, two uses”" in verdict.text()


def test_what_is_right_at_the_shown_points_alone_is_wrong_elsewhere():
    known = shared.points(3)
    body = f"return a * b + c if (a.data, b.data, c.data) in {known} else a * b + c * a"
    assert judged("equals_is_right(a, b, c)", body).state == "wrong"


def test_one_rule_of_two_is_not_yet():
    for sign, other in ("+*", "*+"):
        verdict = collected(sign, "raise NotImplementedError")
        assert verdict.state == "not yet"
        assert f"The rule of {other} is right. That of {sign} is not written yet, or" in verdict.text()
    assert "check.collect(collecting_add, collecting_multiply)" in check.collect(path_sum).text()


def test_a_rule_is_named_whatever_the_other_one_is():
    stub = library.solution("collect").code.replace(ADD[0], "raise NotImplementedError").replace(ADD[1], "pass")
    odd = library.solution("collect").code.replace("self.data * out.grad", "3 * self.data * out.grad")
    for code, sign, right in ((stub, "*", MULTIPLY), (odd, "+", ADD)):
        lines = [line.replace("+=", "=") for line in right]
        assert named(collected(sign, *lines, code=code)) == ["= instead of +="]


# What = does to an expression


def shared_square(a, b, c):
    d = a + b
    return d * d + c


RIGHT_ANSWERS = {
    "two": lambda a, b, c: a + b + c,
    "functions": lambda a, b, c: ((a * b) + c).tanh(),
    "a power": lambda a, b, c: (a - b) ** 2 / c,
    "numbers": lambda a, b, c: 2 * a * b + c,
    "reflected": lambda a, b, c: 1 / (a * b - c),
    "outside its domain at some points": lambda a, b, c: a.log() * b + c,
    "flat at some points": lambda a, b, c: (a * b + c).relu(),
    "a Value as exponent": lambda a, b, c: a**b + c,
    "by sum": lambda *inputs: sum(inputs),
}


@pytest.mark.parametrize("function", RIGHT_ANSWERS.values(), ids=RIGHT_ANSWERS)
def test_where_equals_is_right_many_answers_pass(function):
    assert check.equals_is_right(function), check.equals_is_right(function)


NOT_RIGHT = {
    "two consumers": (lambda a, b, c: a * b + a * c, "a has 2 consumers", "an input used twice"),
    "a square": (shared_square, "the result of + is both inputs of *", "one node on both sides"),
    "divided by itself": (lambda a, b, c: a / a * b + c, "a is both inputs of /", "one node on both sides"),
    "one only": (lambda a, b, c: a, "b and c do not reach the result", "an input left out"),
    "long": (lambda a, b, c: a + b + c + 1 + 2 + 3, "takes 5 operations; at most 4", "too many operations"),
    "data of one": ("return a.data * a + b * c", "such as its `.data`", "computed with plain numbers"),
    "no function": (3.0, "It is a float", None),
    "a division by 0": (lambda a, b, c: a / 0, "It raised ZeroDivisionError", None),
    "an operator that it has not": (lambda a, b, c: a @ b + c, "It raised TypeError", None),
    "a comparison": (lambda a, b, c: a + b == c, "it returned a bool", None),
}


@pytest.mark.parametrize("function, said, name", NOT_RIGHT.values(), ids=NOT_RIGHT)
def test_where_equals_is_right_wrong_answers_are_explained(function, said, name):
    verdict = judged("equals_is_right(a, b, c)", function)
    assert verdict.state == "wrong" and said in verdict.text(), verdict
    assert named(verdict) == ([name] if name else []) and "a * b + c" not in verdict.text()


def test_a_failing_case_is_shown_with_its_graph_and_both_gradients():
    verdict = check.equals_is_right(lambda a, b, c: a * b + a * c)
    assert verdict.case == "a, b, c = Value(2), Value(3), Value(5)\nequals_is_right(a, b, c)"
    assert verdict.rows == (("a.grad with =", 8.0, 3.0),)
    assert verdict.graph is not None and "Computation graph" in verdict.html()


def test_a_result_of_another_call_or_another_engine_is_refused():
    kept = []
    assert check.equals_is_right(lambda a, b, c: kept.append(a * b + c) or kept[0]).state == "wrong"
    assert check.equals_is_right(lambda a, b, c: parts.course_engine().Value(3.0)).state == "wrong"


WRONG_ANSWERS = {
    "a square": lambda a, b: a + b * b,
    "through a": lambda a, b: (a + b) * b,
    "a sum": lambda a, b: a * (b + b),
    "a difference": lambda a, b: a + (b - b),
    "bent": lambda a, b: (a + b * b).tanh(),
    "three times": lambda a, b: a + b * b * b,
    "a function beside": lambda a, b: a * b.exp() + b,
    "a loss that hangs on the order": lambda a, b: a + b + 0 * (b + 1),
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
    "a tree": (lambda a, b: a - b, "nothing is lost", "no node is used twice"),
    "a power": (lambda a, b: (a * b) ** 2, "nothing is lost", "a power has one edge"),
    "zeros": (lambda a, b: a + b.relu() * 0 * b, "nothing is lost", "what is lost reaches no input"),
    "the other": (lambda a, b: b * a + a, "a.grad is wrong, and b.grad is right", "the other way round"),
    "a result on both sides": (doubled_product, "the result of * is both inputs of +", "one node on both sides"),
    "b and a result": (square_of_both, "the result of + is both inputs of *", "one node on both sides"),
    "data": ("return a * b**b.data", "such as its `.data`", "computed with plain numbers"),
    "one parameter": (lambda a: a, "It raised TypeError", None),
}


@pytest.mark.parametrize("function, said, name", NOT_WRONG.values(), ids=NOT_WRONG)
def test_where_equals_is_wrong_wrong_answers_are_explained(function, said, name):
    verdict = judged("equals_is_wrong(a, b)", function)
    assert verdict.state == "wrong" and said in verdict.text(), verdict
    assert named(verdict) == ([name] if name else []) and "a + b * b" not in verdict.text()


# Three paths from x


@pytest.mark.parametrize(
    "contributions",
    [
        *(
            [-3, 2, 6],
            (6, 2.0, -3),
            [2.0 + 1e-12, -3.0, 6.0],
            {-3, 2, 6},
            np.array([-3, 2, 6]),
            (n for n in (2, 6, -3)),
        ),
        *(collections.deque([6, 2, -3]), [fractions.Fraction(-3), np.int64(2), np.float32(6)]),
    ],
    ids=lambda given: type(given).__name__,
)
def test_contributions_pass_in_any_order_and_form(contributions):
    assert check.used_three_times(contributions, path_sum)


def test_the_three_contributions_are_the_gradients_of_the_uses_told_apart():
    assert used_three_times_check.RIGHT == RIGHT
    whole = forward_gradient(
        lambda x: x * used_three_times_check.Y + (x + used_three_times_check.Z) * x, [used_three_times_check.X]
    )
    assert whole == [sum(RIGHT)] == [5]


NOT_CONTRIBUTIONS = {
    "the sum among them": (
        [-3, 2, 5],
        "Two of the three contributions are in your list",
        None,
    ),
    "values and a right one": ([-3, 12, 2], "Two of the three", "values in place of gradients"),
    "one left out": ((6, -3), "It holds 2 numbers", "a use left out"),
    "a 1e-3 off": ([-3, 2, 6.001], "Two of the three contributions are in your list", None),
    "none": ([], "It holds 0 numbers", None),
    "four": ([-3, 2, 6, 0], "It holds 4 numbers", "one number too many"),
    "twice the same": ([-3, 2, 2], "Two of the three", None),
    "a number": (5, "A list of three numbers was expected; this is an int", None),
    "a dict": ({-3: 1, 2: 1, 6: 1}, "A list of three numbers was expected; this is a dict", None),
    "a text": (["-3", 2, 6], "A number was expected", None),
}


@pytest.mark.parametrize("contributions, said, name", NOT_CONTRIBUTIONS.values(), ids=NOT_CONTRIBUTIONS)
def test_wrong_contributions_are_explained_and_the_right_ones_not_told(contributions, said, name):
    code = f"contributions = {contributions!r}\n" + library.solution("used_three_times").code.partition("\n\n\n")[2]
    verdict = check.used_three_times(*check.used_three_times.answers(code))
    assert verdict.state == "wrong" and said in verdict.text(), verdict
    assert name is None or named(verdict) == [name]
    assert all(expected == "one for each edge" for _, expected, _ in verdict.rows)


def recursive(paths):
    """Paths one after the other, each by recursion."""

    def product(path):
        return path[0] * product(path[1:]) if path else 1

    return product(paths[0]) + recursive(paths[1:]) if paths else 0


def emptying_copies(paths):
    """Takes copies of its argument apart."""
    total, paths = 0, [list(path) for path in paths]
    while paths:
        path, product = paths.pop(), 1.0
        while path:
            product *= path.pop()
        total += product
    return total


@pytest.mark.parametrize(
    "function",
    [
        path_sum,
        recursive,
        emptying_copies,
        lambda paths: path_sum(paths) + 1e-12,
        lambda paths: sum(map(np.prod, paths)),
    ],
)
def test_any_right_sum_of_paths_passes(function):
    assert check.used_three_times(RIGHT, function)


def emptying(paths):
    total = 0
    while paths:
        total += math.prod(paths.pop())
    return total


def shortening(paths):
    return sum(path.pop() * math.prod(path) for path in paths)


def sorting(paths):
    paths.sort()
    return path_sum(paths)


def remembering(paths, known={}):  # noqa: B006
    return known.setdefault(len(paths), path_sum(paths))


NOT_SUMS = {
    "a list of products": ("return [math.prod(path) for path in paths]", "it returned a list", "several numbers"),
    "paths used up": (emptying, "It changed the list", "the lists used up"),
    "edges used up": (shortening, "the paths afterwards", None),
    "paths sorted in place": (sorting, "It changed the list", None),
    "remembered by how many": (remembering, "gradient", None),
    "equal edges once": (lambda paths: sum(math.prod(set(path)) for path in paths), "gradient", None),
    "three paths at most": (lambda paths: path_sum(paths[:3]), "gradient", None),
    "four edges at most": (lambda paths: sum(math.prod(path[:4]) for path in paths), "gradient", None),
    "the largest": (lambda paths: max(map(math.prod, paths)), "gradient", None),
    "a 0 passed over": (lambda paths: sum(math.prod(n or 1 for n in path) for path in paths), "gradient", None),
    "six digits": (lambda paths: round(path_sum(paths), 6), "gradient", None),
    "its result": (path_sum([RIGHT]), "It is an int", None),
    "a 1e-3 off": (lambda paths: path_sum(paths) + 1e-3, "Test 2 of 36", None),
    "an index": (lambda paths: paths[0][9], "It raised IndexError", None),
}


@pytest.mark.parametrize("function, said, name", NOT_SUMS.values(), ids=NOT_SUMS)
def test_wrong_sums_of_paths_are_explained(function, said, name):
    verdict = judged("gradient_from_paths(paths)", function, f"contributions = {RIGHT}")
    assert verdict.state == "wrong" and said in verdict.text(), verdict
    assert name is None or named(verdict) == [name]


def test_the_half_that_is_missing_is_named():
    assert "or a `return` is missing" in check.used_three_times(RIGHT, lambda paths: ...).text()
    assert "each `...`" in check.used_three_times([-3, ..., 6], path_sum).text()
    assert check.used_three_times(RIGHT, lambda paths: ...).state == "not yet"


def test_an_endless_loop_is_stopped(monkeypatch):
    monkeypatch.setattr(guard, "SECONDS", 0.3)

    def endless(paths):
        while True:
            pass

    assert "loop that never ends" in check.used_three_times(RIGHT, endless).text()
    assert check.used_three_times(RIGHT, path_sum)


@pytest.mark.parametrize(
    "function, name",
    [
        (lambda a, b: a**2 * b, "no node is used twice"),
        (lambda a, b: a / b, "no node is used twice"),
        (lambda a, b: a * b**2, "a power has one edge"),
        (lambda a, b: a + (b * 0 + 1) * 1, "no node is used twice"),
    ],
)
def test_a_power_is_named_where_b_is_in_one(function, name):
    assert named(check.equals_is_wrong(function)) == [name]
