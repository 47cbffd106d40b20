"""The twenty wrong engines are each wrong on a small graph, and the learners' checks catch them, and others."""

import math

import pytest

import autograd
from exercises import course_engine
from exercises.engine_file import parts
from exercises.engines.wrong_engines import WRONG_ENGINES, Engine, post_order
from exercises.judging import answers
from exercises.verdicts import cases
from exercises.verdicts.cases import Case, same
from tests import lessons
from tests.behaviour import agree, behaviour_or_none

each_wrong = pytest.mark.parametrize("wrong", WRONG_ENGINES, ids=lambda wrong: wrong.id)


def caught(engine, case):
    """Whether a Case tells an engine from the right one."""
    return not agree(behaviour_or_none(engine, case), (case.value, case.gradients()))


def test_there_are_twenty():
    assert [wrong.id for wrong in WRONG_ENGINES] == [f"M{i}" for i in range(1, 21)]
    assert len({wrong.name for wrong in WRONG_ENGINES}) == 20


@pytest.mark.parametrize("seed", range(30))
def test_sixteen_graphs_catch_twenty_of_twenty(seed):
    tests = cases.cases(count=16, seed=seed)
    assert all(len(case.steps) <= 8 for case in tests)
    assert not any(caught(engine, case) for case in tests for engine in (Engine, autograd.Value))
    away = [wrong.id for wrong in WRONG_ENGINES if not any(caught(wrong.engine, case) for case in tests)]
    assert away == []


def first_fault(engine, **options):
    """The first test of the learners' checks that an engine fails; None where it passes all."""
    return next((test for test in answers.engine_tests(engine, **options) if not test.is_right), None)


@each_wrong
def test_the_learners_checks_catch_each(wrong):
    found = first_fault(wrong.engine)
    assert found.wrong_rows and "Value(" in found.case


@each_wrong
def test_each_says_where_it_is_treated(wrong):
    assert wrong.sentence.endswith(".")
    known = {path.name[:2]: path for path in lessons.LESSONS}
    if wrong.lesson in known:  # lessons that are planned are not there yet
        headings = "\n".join(cell.source for cell in lessons.cells(lessons.read(known[wrong.lesson]), "markdown"))
        assert f"# {wrong.section}\n" in f"{headings}\n"


def test_the_right_engines_pass():
    for engine in (Engine, autograd.Value, parts.fresh("backward"), course_engine().Value):
        assert first_fault(engine) is None


# Mistakes of other people, beyond the twenty: each is the right engine with one thing wrong.


def with_local(name, local):
    """The right engine with another local derivative for a function of one input: local(x, y)."""

    def method(self):
        right = getattr(Engine, name)(self)
        return self.made(right.data, (self,), name, (local(self.data, right.data),))

    return type(f"Wrong_{name}", (Engine,), {name: method})


def with_method(name, method):
    """The right engine with another method."""
    return type(f"Wrong_{name}", (Engine,), {name: method})


def overwrites(name):
    """The right engine in which one operation's rule stores with = where += is meant."""

    def method(self, *others):
        out = getattr(Engine, name)(self, *others)
        right = out._backward

        def _backward():
            before = [(input, input.grad) for input in dict.fromkeys(out._prev)]
            for input, _ in before:
                input.grad = 0.0
            right()

        out._backward = _backward
        return out

    return with_method(name, method)


def leaves_only(self):
    """Leaf detection by number: a node whose value is a whole number is taken for a leaf."""
    self.grad = 1.0
    for node in reversed(post_order(self)):
        if node is self or node.data % 1:
            node._backward()


def skips_last_input(self):
    """The search never goes into the second input."""
    self.grad = 1.0

    def visit(node):
        node._backward()
        for input in node._prev[:1]:
            visit(input)

    visit(self)


def drops_negative(self):
    """A gradient below 0 is not passed on."""
    self.grad = 1.0
    for node in reversed(post_order(self)):
        if node.grad > 0:
            node._backward()


def deals_out_shares(self):
    """A gradient is divided by the number of inputs."""
    self.grad = 1.0
    for node in reversed(post_order(self)):
        kept, node.grad = node.grad, node.grad / max(1, len(node._prev))
        node._backward()
        node.grad = kept


def ordered_by_op(self):
    """The order is by name of operation, the root first."""
    self.grad = 1.0
    for node in sorted(post_order(self), key=lambda n: (n is not self, n._op)):
        node._backward()


OTHERS = {
    "sigmoid' of the input": with_local("sigmoid", lambda x, y: x * (1 - x)),
    "sigmoid' is y": with_local("sigmoid", lambda x, y: y),
    "log' is log": with_local("log", lambda x, y: y),
    "log' is x": with_local("log", lambda x, y: x),
    "log' is 1/y": with_local("log", lambda x, y: 1 / y if y else 0.0),
    "tanh' is 1 - y": with_local("tanh", lambda x, y: 1 - y),
    "tanh' is 1 + y²": with_local("tanh", lambda x, y: 1 + y * y),
    "exp' is 1": with_local("exp", lambda x, y: 1.0),
    "relu' is y": with_local("relu", lambda x, y: y),
    "relu' is x > 1": with_local("relu", lambda x, y: float(x > 1)),
    "- without its sign": with_method(
        "__sub__", lambda a, b: a.made(a.data - a.lifted(b).data, (a, a.lifted(b)), "-", (1, 1))
    ),
    "- turned": with_method("__sub__", lambda a, b: a.lifted(b) + -a),
    "/ without its square": with_method(
        "__truediv__",
        lambda a, b: a.made(a.data / (b := a.lifted(b)).data, (a, b), "/", (1 / b.data, -a.data / b.data)),
    ),
    "/ without its sign": with_method(
        "__truediv__",
        lambda a, b: a.made(a.data / (b := a.lifted(b)).data, (a, b), "/", (1 / b.data, a.data / b.data**2)),
    ),
    "neg passes on unchanged": with_method("__neg__", lambda a: a.made(-a.data, (a,), "neg", (1.0,))),
    "** with exponent n - 2": with_method(
        "__pow__", lambda a, n: a.made(a.data**n, (a,), f"**{n}", (n * a.data ** (n - 2) if a.data else 0.0,))
    ),
    "** without its factor": with_method(
        "__pow__", lambda a, n: a.made(a.data**n, (a,), f"**{n}", (a.data ** (n - 1),))
    ),
    "= in -": overwrites("__sub__"),
    "= in /": overwrites("__truediv__"),
    "= in **": overwrites("__pow__"),
    "= in log": overwrites("log"),
    "= in sigmoid": overwrites("sigmoid"),
    "= in relu": overwrites("relu"),
    "= in neg": overwrites("__neg__"),
    "whole numbers taken for leaves": with_method("backward", leaves_only),
    "only the first input": with_method("backward", skips_last_input),
    "negative gradients dropped": with_method("backward", drops_negative),
    "gradients dealt out in shares": with_method("backward", deals_out_shares),
    "ordered by op": with_method("backward", ordered_by_op),
    "constants on the left lost": with_method("__radd__", lambda a, n: a * 1.0),
    "n * v as v * v": with_method("__rmul__", lambda a, n: a * a),
}


class SameInputOnce(Engine):
    """A node whose two inputs are one node passes on along one edge only, as where inputs are kept in a set."""

    def made(self, data, inputs, op, locals):
        out = super().made(data, inputs, op, locals)
        if len(inputs) == 2 and inputs[0] is inputs[1]:

            def _backward():
                inputs[0].grad += locals[0] * out.grad

            out._backward = _backward
        return out


class VisitedByLooks(Engine):
    """Nodes are equal if number and operation are, as those of a dataclass would be."""

    def order(self):
        return reversed(post_order(self, key=lambda node: (node._op, node.data)))


class StaleAfterwards(Engine):
    """Each pass leaves the root's gradient at 1 more than before, and begins with it."""

    def backward(self):
        self.grad += 2.0
        for node in self.order():
            node._backward()


OTHERS |= {
    "a node twice as input": SameInputOnce,
    "visited by what it looks like": VisitedByLooks,
    "starts at 2": StaleAfterwards,
}


@pytest.mark.parametrize("name", OTHERS)
def test_mistakes_beyond_the_list_are_caught_too(name):
    for seed in range(10):
        assert first_fault(OTHERS[name], seed=seed).wrong_rows


def test_noise_passes_and_small_errors_do_not():
    def off_by(error):
        return type(
            "Off",
            (Engine,),
            {
                "tanh": lambda self: self.made(
                    math.tanh(self.data), (self,), "tanh", (1 - math.tanh(self.data) ** 2 + error,)
                )
            },
        )

    assert first_fault(off_by(1e-12)) is None
    assert first_fault(off_by(1e-3)) is not None
    assert same(1.0 + 1e-10, 1.0) and not same(1.0 + 1e-6, 1.0) and not same(math.nan, 1.0)


def test_a_case_is_plain_data():
    case = Case((("a", 2.0), ("b", -3.0)), (("d", "*", ("a", "b")), ("e", "+", ("d", "a")), ("f", "tanh", ("e",))))
    assert case.text() == "a, b = Value(2.0), Value(-3.0)\nd = a * b\ne = d + a\nf = e.tanh()"
    assert case.value == math.tanh(-4.0)
    slope = 1 - math.tanh(-4.0) ** 2
    assert case.gradients() == pytest.approx({"a": slope * -2, "b": slope * 2}, rel=1e-9)
    assert [node.label for node in autograd.topological_order(case.graph())] == ["a", "b", "d", "e", "f"]


@pytest.mark.parametrize("kinds", [("+",), ("+", "*"), ("n-v", "v-n"), ("exp",), cases.ALL], ids=str)
def test_cases_keep_to_their_kinds_and_reach_every_leaf(kinds):
    names = {cases.KINDS[kind][0] for kind in kinds}
    for case in cases.cases(kinds, 12, 3):
        assert {operation for _, operation, _ in case.steps} <= names
        assert {node.label for node in autograd.topological_order(case.graph()) if node.label in "abc"} >= {
            name for name, _ in case.leaves
        }
        assert abs(case.value) <= cases.LARGEST
        lines = case.text().replace("Value", "float").splitlines() if names <= {"+", "*", "-", "/"} else []
        known = {}
        for line in lines:
            exec(line.replace("float(", "(") if "," in line else line, known)
        assert not lines or known[case.root] == case.value


def test_cases_are_the_same_each_time_and_differ_by_seed():
    assert cases.cases(seed=1) == cases.cases.__wrapped__(seed=1) != cases.cases(seed=2)
