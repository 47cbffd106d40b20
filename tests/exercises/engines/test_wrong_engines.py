"""The twenty wrong engines are each wrong on a small graph, and the learners' checks catch them, and others."""

import math

import pytest

import autograd
from exercises.content.lessons import BY_NUMBER
from exercises.engine_file import parts
from exercises.engine_file.trial import template_engine
from exercises.engines import wrong_engines
from exercises.engines.wrong_engines import HELD_OUT, HUNT, WRONG_ENGINES, Engine
from exercises.engines.wrong_tensors import WRONG_TENSORS
from exercises.judging import answers
from exercises.verdicts import cases
from exercises.verdicts.cases import Case, is_close
from tests import notebooks
from tests.behaviour import agree, behaviour_or_none
from tests.engines import swapped

each_wrong = pytest.mark.parametrize("wrong", WRONG_ENGINES, ids=lambda wrong: wrong.id)


def caught(engine, case):
    return not agree(behaviour_or_none(engine, case), (case.value, case.gradients()))


def test_twenty_wrong_engines_exist_with_unique_names():
    assert [wrong.id for wrong in WRONG_ENGINES] == [f"M{i}" for i in range(1, 21)]
    assert len({wrong.name for wrong in WRONG_ENGINES}) == 20


@pytest.mark.parametrize("seed", range(30))
def test_sixteen_graphs_catch_all_twenty(seed):
    tests = cases.cases(count=16, seed=seed)
    assert [case for case in tests if len(case.steps) > 8] == []
    assert [(case, engine) for case in tests for engine in (Engine, autograd.Value) if caught(engine, case)] == []
    away = [wrong.id for wrong in WRONG_ENGINES if not any(caught(wrong.engine, case) for case in tests)]
    assert away == []


def first_fault(engine, **options):
    """Return the first test of the learners' checks that an engine fails; None if it passes all."""
    return next((test for test in answers.engine_tests(engine, **options) if not test.is_right), None)


@each_wrong
def test_learners_checks_catch_each_wrong_engine(wrong):
    found = first_fault(wrong.engine)
    assert found.wrong_rows and "Value(" in found.case


@pytest.mark.parametrize("wrong", (*WRONG_ENGINES, *HELD_OUT, *HUNT, *WRONG_TENSORS), ids=lambda wrong: wrong.id)
def test_each_wrong_engine_points_to_an_existing_section(wrong):
    assert wrong.sentence.endswith(".")
    path = notebooks.NOTEBOOKS / BY_NUMBER[wrong.lesson].file
    headings = "\n".join(cell.source for cell in notebooks.cells(notebooks.read(path), "markdown"))
    assert f"# {wrong.section}\n" in f"{headings}\n"


def test_the_right_engines_pass():
    for engine in (Engine, autograd.Value, parts.value_class("backward"), template_engine().Value):
        assert first_fault(engine) is None


PASS, TURNED = "        node._backward()", "        {}\n            node._backward()"
RULE = "x.grad += local * out.grad"
OTHERS = {  # mistakes of other people, beyond those with names: the text in the right engine, and the wrong one
    "sigmoid' is y": ("y * (1 - y)", "y"),
    "log' is log": ("1 / self.data * out.grad", "out.data * out.grad"),
    "log' is 1/y": ("1 / self.data * out.grad", "(1 / out.data if out.data else 0.0) * out.grad"),
    "tanh' is 1 + y²": ("1 - out.data**2", "1 + out.data**2"),
    "exp' is 1": ("self.grad += out.data * out.grad", "self.grad += out.grad"),
    "relu' is y": ("(1.0 if self.data > 0", "(out.data if self.data > 0"),
    "relu' is x > 1": ("self.data > 0 else 0.0)", "self.data > 1 else 0.0)"),
    "- turned": ('self.data - other.data, "-", 1.0, -1.0', 'other.data - self.data, "-", -1.0, 1.0'),
    "/ without its sign": ("-quotient / other.data", "quotient / other.data"),
    "neg passes on unchanged": ('"neg", -1.0', '"neg", 1.0'),
    "** with exponent n - 2": ("n * self.data ** (n - 1) if n", "n * self.data ** (n - 2) if n and self.data"),
    **{
        f"= in {op}": (RULE, f"x.grad = local * out.grad + (0.0 if op == {op!r} else x.grad)")
        for op in ("sigmoid", "neg")
    },
    **{
        f"= in {op}": (f"self.grad += {slope}", f"self.grad = {slope}")
        for op, slope in (("**", "(n *"), ("log", "1 / self"), ("relu", "(1.0 if"))
    },
    **{
        f"= in {op}": (f"{rule} += local", f"{rule} = (0.0 if op == {op!r} else {rule}) + local")
        for op, rule in (("-", "self.grad"), ("/", "self.grad"))
    },
    "whole numbers taken for leaves": (PASS, TURNED.format("if node is self or node.data % 1:")),
    "negative gradients dropped": (PASS, TURNED.format("if node.grad > 0:")),
    "gradients dealt out in shares": (
        PASS,
        f"        kept, node.grad = node.grad, node.grad / max(1, len(node._prev))\n{PASS}\n        node.grad = kept",
    ),
    "ordered by op": (
        "reversed(topological_order(self))",
        "sorted(reversed(topological_order(self)), key=lambda n: (n is not self, n._op))",
    ),
    "constants on the left lost": ("return as_value(self, other) + self", "return self * 1.0"),
    "n * v as v * v": ("return as_value(self, other) * self", "return self * self"),
    "visited by what it looks like": ("return order", "return list({(n._op, n.data): n for n in order}.values())"),
    "starts at 2": ("self.grad = 1.0", "self.grad = 2.0"),
}


def engine(*swaps):
    return wrong_engines.names_in(swapped(wrong_engines.RIGHT, *swaps), "a test")["Value"]


@pytest.mark.parametrize("name", OTHERS)
def test_unlisted_mistakes_are_caught(name):
    for seed in range(10):
        assert first_fault(engine(OTHERS[name]), seed=seed).wrong_rows


@pytest.mark.parametrize("wrong", (*HELD_OUT, *HUNT), ids=lambda wrong: wrong.id)
def test_held_out_engines_are_caught(wrong):
    for seed in range(10):
        assert first_fault(wrong.engine, seed=seed).wrong_rows


def test_tolerance_accepts_noise_and_rejects_small_errors():
    assert first_fault(engine(("1 - out.data**2", "1 - out.data**2 + 1e-12"))) is None
    assert first_fault(engine(("1 - out.data**2", "1 - out.data**2 + 1e-3"))) is not None
    assert is_close(1.0 + 1e-10, 1.0) and not is_close(1.0 + 1e-6, 1.0) and not is_close(math.nan, 1.0)


def test_a_case_is_plain_data():
    case = Case((("a", 2.0), ("b", -3.0)), (("d", "*", ("a", "b")), ("e", "+", ("d", "a")), ("f", "tanh", ("e",))))
    assert case.to_source() == "a, b = Value(2.0), Value(-3.0)\nd = a * b\ne = d + a\nf = e.tanh()"
    assert case.value == math.tanh(-4.0)
    slope = 1 - math.tanh(-4.0) ** 2
    assert case.gradients() == pytest.approx({"a": slope * -2, "b": slope * 2}, rel=1e-9)
    assert [node.label for node in autograd.topological_order(case.graph())] == ["a", "b", "d", "e", "f"]


@pytest.mark.parametrize("kinds", [("+",), ("+", "*"), ("n-v", "v-n"), ("exp",), cases.ALL], ids=str)
def test_cases_use_only_their_operations_and_reach_every_leaf(kinds):
    names = {cases.KINDS[kind][0] for kind in kinds}
    for case in cases.cases(kinds, 12, 3):
        assert {operation for _, operation, _ in case.steps} <= names
        assert {node.label for node in autograd.topological_order(case.graph()) if node.label in "abc"} >= {
            name for name, _ in case.leaves
        }
        assert abs(case.value) <= cases.LARGEST
        lines = case.to_source().replace("Value", "float").splitlines() if names <= {"+", "*", "-", "/"} else []
        known = {}
        for line in lines:
            exec(line.replace("float(", "(") if "," in line else line, known)
        assert not lines or known[case.root] == case.value


def test_cases_are_reproducible_and_depend_on_the_seed():
    assert cases.cases(seed=1) == cases.cases.__wrapped__(seed=1) != cases.cases(seed=2)
