"""`exercises.debug`: the twenty wrong engines are each pinned to their line, and whatever else a class may do."""

import inspect
import linecache
import math
import re

import numpy as np
import pytest

import autograd
import exercises
from exercises.engine_file import parts
from exercises.engines.wrong_engines import WRONG_ENGINES, Engine
from exercises.explaining import debugging
from exercises.explaining.debugging import RIGHT
from exercises.explaining.known import known
from exercises.explaining.tracing import trace
from exercises.explaining.watched import LIMIT
from exercises.shelf import library
from exercises.verdicts.cases import cases
from figures.page.player import Player
from tests.test_identify import Stored

CASES = sorted(cases(count=60), key=lambda case: len(case.steps))
PINNED = {  # the words of the line that is wrong
    "M1": "input.grad = local * out.grad",
    "M2": "input.grad = local * out.grad",
    "M3": "input.grad = local * out.grad",
    "M4": "input.grad = local * out.grad",
    "M11": "left.grad += right.data",
    "M12": '"*", (self.data, other.data)',
    "M13": "other * self.data**other",
    "M14": "1 - self.data**2",
    "M15": '"exp", (self.data,)',
    "M16": "float(self.data >= 0)",
    "M17": '"relu", (1.0,)',
    "M18": "return self - other",
    "M19": "return self / other",
}
READ = {  # no line is wrong: what was read too early, or never came
    "M5": "was read too early",
    "M6": "was read too early",
    "M7": "was read too early",
    "M8": "was read too early",
    "M9": "was read too early",
    "M10": "the root's own, was 0.0000: it has to be 1 before the first rule runs",
    "M20": "Nothing came along",
}


def function_of(case):
    """A Case as a function of its leaves, under their names."""

    def f(*xs):
        return case.compute(xs)[case.root]

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    f.__signature__ = inspect.Signature([inspect.Parameter(name, kind) for name, _ in case.leaves])
    return f


def traced(cls, case):
    return trace(cls, function_of(case), [number for _, number in case.leaves])


def first_wrong(cls):
    """The Trace of the first Case that shows a class to be wrong."""
    return next(found for case in CASES if (found := traced(cls, case)).finding)


def test_all_twenty_are_here():
    assert PINNED.keys() | READ.keys() == {wrong.id for wrong in WRONG_ENGINES}


@pytest.mark.parametrize("wrong", [w for w in WRONG_ENGINES if w.id in PINNED], ids=lambda w: w.id)
def test_a_wrong_engine_is_pinned_to_its_line(wrong):
    finding = first_wrong(wrong.engine).finding
    assert finding.kind in ("rule", "forward")
    assert any(PINNED[wrong.id] in line.text for line in finding.lines), finding
    assert all(str(line) in finding.says and "your" not in finding.says for line in finding.lines)


@pytest.mark.parametrize("wrong", [w for w in WRONG_ENGINES if w.id in READ], ids=lambda w: w.id)
def test_where_no_line_is_wrong_it_says_what_was_read_too_early(wrong):
    finding = first_wrong(wrong.engine).finding
    assert finding.kind in ("early", "missing")
    assert READ[wrong.id] in finding.says


@pytest.mark.parametrize(
    "cls", [Engine, autograd.Value, parts.course_engine().Value], ids=["closures", "local derivatives", "my_engine"]
)
def test_of_a_right_class_no_write_is_wrong_and_the_last_are_the_gradients(cls):
    for case in CASES:
        found = traced(cls, case)
        assert found.finding is None, (case.text(), found.finding)
        grads = {write.node: write.after for write in found.writes}
        for name, slope in case.gradients().items():
            if name in found.names:
                assert grads.get(found.names.index(name), 0.0) == pytest.approx(slope, abs=1e-9)


def test_a_factor_of_two_in_a_rule_is_no_known_mistake_and_is_found():
    class Doubles(Engine):
        def __mul__(self, other):
            other = self.lifted(other)
            return self.made(self.data * other.data, (self, other), "*", (2 * other.data, self.data))

    finding = trace(Doubles, lambda a, b: a * b, (3.0, 4.0)).finding
    assert "changed a.grad from 0.0000 to 8.0000, by 8.0000; the chain rule gives 4.0000 along a → v2" in finding.says
    assert "2 * other.data" in finding.says


class Slots:
    """An engine with __slots__, whose * stores."""

    __slots__ = ("_backward", "_op", "_prev", "data", "grad", "label")

    def __init__(self, data, prev=(), op=""):
        self.data, self.grad, self._prev, self._op, self.label = data, 0.0, prev, op, ""
        self._backward = lambda: None

    def __mul__(self, other):
        out = Slots(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad = other.data * out.grad
            other.grad = self.data * out.grad

        out._backward = _backward
        return out


def test_slots_a_class_without_backward_and_an_edge_that_stores():
    before = vars(Slots)["grad"]
    lab = exercises.debug(Slots, lambda a: a * a, 3.0)
    assert vars(Slots)["grad"] is before
    assert isinstance(lab, Player)
    shown = lab.recording.frames[lab.index].say
    assert ": other.grad = self.data * out.grad," in shown
    assert "changed a.grad from 3.0000 to 3.0000, by 0.0000; the chain rule gives 3.0000 along a → v1" in shown


def test_the_class_is_left_as_it_was_whatever_happens():
    class Breaks(Engine):
        def backward(self):
            raise ZeroDivisionError("at the end")

    for f in (lambda a: a * a, lambda a: a.nothing(), lambda a: 1 / 0):
        exercises.debug(Breaks, f, 2.0)
        assert "grad" not in vars(Breaks)
    assert Breaks(2.0).grad == 0.0


class TestSentences:
    def last(self, cls, f=lambda a: a * a, *xs):
        found = exercises.debug(cls, f, *(xs or (2.0,)))
        return found.recording.frames[-1].say if isinstance(found, Player) else str(found)

    def test_an_exception(self):
        class Breaks(Engine):
            def backward(self):
                self.grad = 1.0
                raise KeyError("oops")

        said = self.last(Breaks)
        assert said.startswith("It raised KeyError: 'oops', in line ")
        assert ': raise KeyError("oops")' in said

    def test_a_loop_that_writes(self):
        class Loops(Engine):
            def backward(self):
                while True:
                    self.grad = 1.0

        assert f"It had written to a gradient {LIMIT:,} times, and was stopped." in self.last(Loops)

    def test_a_recursion(self):
        class Calls(Engine):
            def backward(self):
                self.backward()

        assert "RecursionError" in self.last(Calls)

    def test_an_operation_that_is_not_there(self):
        assert "has no attribute 'arctan'" in self.last(Engine, lambda a: a.arctan())

    def test_a_gradient_that_is_no_number(self):
        class Words(Engine):
            def backward(self):
                self.grad = "one"

        lab = exercises.debug(Words, lambda a: a * a, 2.0)
        assert "put no number into v1.grad" in lab.recording.frames[lab.index].say

    def test_a_way_forward_that_is_wrong(self):
        class Adds(Engine):
            def __mul__(self, other):
                return self + other

        said = self.last(Adds, lambda a, b: a * b, 2.0, 3.0)
        assert re.match(r"The way forward is wrong already: a \(2\.0000\) \* b \(3\.0000\), your line \d+: ", said)
        assert said.endswith("gives 5.0000; it is 6.0000.")

    @pytest.mark.parametrize(
        "arguments, words",
        [
            ((3, abs, 1.0), "debug takes a class"),
            ((Engine, 3, 1.0), "debug takes a function of nodes"),
            ((Engine, abs), "debug takes a number for each argument"),
            ((Engine, abs, "2"), "debug takes a number for each argument"),
        ],
    )
    def test_wrong_arguments(self, arguments, words):
        with pytest.raises((TypeError, ValueError), match=words):
            exercises.debug(*arguments)


def test_the_lab_shows_each_write_with_its_line_and_begins_at_the_wrong_one():
    wrong = next(w for w in WRONG_ENGINES if w.id == "M2")
    lab = exercises.debug(wrong.engine, lambda a, b: a * b * a, 2.0, 5.0)
    frames = lab.recording.frames
    assert frames[0].say.endswith(f"The first wrong write is event {lab.index} of {len(frames) - 1}.")
    assert frames[lab.index].at == f"Event {lab.index} of {len(frames) - 1}"
    page = lab.recording.render(frames[lab.index].marks)
    assert "input.grad = local * out.grad" in page and "its edge gives" in page
    assert lab.index not in (0, len(frames))


class TestVerdict:
    """A wrong verdict on a part of the engine offers the failing case."""

    def verdict(self, name, mistake):
        check = getattr(exercises.check, name)
        known_mistake = next(each for each in known(name) if each.mistake.name == mistake)
        return check(*check.answers(known_mistake.codes(library.solution(name).code)[0]))

    @pytest.mark.parametrize(
        "name, mistake, said",
        [
            ("collect", "= instead of +=", "changed a.grad from 10.0000 to 10.0000, by 0.0000"),
            ("multiply_rule", "* does not swap its factors", "the chain rule gives -30.0000 along a → v2"),
            ("topological_order", "breadth-first order", "was read too early"),
            ("deep_order", "marked when put on the stack", "was read too early"),
            ("backward", "the first gradient is not set to 1", "it has to be 1 before the first rule runs"),
            ("accumulate", "recursion without an order", "was read too early"),
        ],
    )
    def test_the_failing_case_is_stepped_through(self, name, mistake, said):
        verdict = self.verdict(name, mistake)
        assert verdict.text().endswith("To step through it, write by write: exercises.debug()")
        assert "<code>exercises.debug()</code>" in verdict.html()
        lab = exercises.debug()
        assert said in lab.recording.frames[lab.index].say

    def test_a_rule_of_the_courses_is_called_so(self):
        self.verdict("topological_order", "breadth-first order")
        lab = exercises.debug()
        assert "the course's " in lab.recording.frames[lab.index].say
        assert "your line" not in lab.recording.frames[lab.index].say

    def test_where_a_pass_shows_nothing_wrong_nothing_is_offered(self):
        verdict = self.verdict("accumulate", "no old gradient is cleared")  # two passes are needed
        assert not verdict.offer
        assert str(exercises.debug()).startswith("No check has offered a case.")

    def test_nor_where_it_is_no_expression(self):
        assert not self.verdict("local_derivatives", "** leaves the exponent as it was").offer

    @pytest.mark.parametrize("case", ["", "a = 3", "slope(f, 3, 0.5)", "a = Value(1.0)\nb = c * 2", "a = Value(1.0)"])
    def test_what_is_no_expression_of_nodes(self, case):
        assert debugging.read(case) is None


@pytest.mark.parametrize(
    "returned, said",
    [(5, "an int"), (None, "None"), ((1, 2), "a tuple of 2")],
)
def test_what_f_returns_is_a_node_or_a_sentence(returned, said):
    note = exercises.debug(Engine, lambda a: returned, 2.0)
    assert repr(note) == f"f has to return the node that it makes, of your class; it returned {said}."


@pytest.mark.parametrize("x", [True, 10**400, float("nan"), "2", 2j])
def test_what_is_no_finite_number_is_refused(x):
    with pytest.raises(ValueError, match="debug takes a number for each argument of f"):
        exercises.debug(Engine, lambda a: a * a, x)


def test_numbers_of_numpy_are_numbers():
    for x in (np.float32(2), np.float64(2), np.int64(2)):
        assert isinstance(exercises.debug(Engine, lambda a: a * a, x), Player)


def test_a_class_of_pythons_own_is_refused_in_a_sentence():
    with pytest.raises(TypeError, match=r"^debug takes a class of your own, got Python's int\.$"):
        exercises.debug(int, lambda a: a * a, 2.0)


def test_an_overflow_on_both_sides_is_no_fault_of_the_class():
    assert trace(Engine, lambda a: a * a, [1e200]).finding is None


def test_an_infinite_gradient_is_no_fault_of_the_class():
    found = trace(Engine, lambda a, b: a * a * b * b, [1e200, 1e200])
    assert found.finding is None and found.writes[-1].after == float("inf")


def said_of(cls, f, *xs):
    """What the first wrong event says, or the ending."""
    lab = exercises.debug(cls, f, *xs)
    if not isinstance(lab, Player):
        return str(lab)
    return lab.recording.frames[lab.index if lab.index else -1].say


class TestUnusualClasses:
    def test_a_result_that_keeps_no_input_is_named(self):
        class Forgets(Stored):
            def tanh(self):
                return type(self)(math.tanh(self.data), (), (1 - math.tanh(self.data) ** 2,), "tanh")

        said = said_of(Forgets, lambda a: a.tanh() * a, 2.0)
        assert said.startswith("The result of a (2.0000).tanh(), made in your line ")
        assert "return type(self)(math.tanh(self.data), ()" in said
        right = math.tanh(2) + 2 * (1 - math.tanh(2) ** 2)
        assert said.endswith(
            f"keeps no edge to a (2.0000): nothing can go back along it. At the end a.grad is {math.tanh(2):.4f}; "
            f"{right:.4f} is right."
        )

    @pytest.mark.parametrize("missing", ["_op", "odd"])
    def test_a_right_class_whose_operations_are_not_known_is_right(self, missing):
        class Other(Stored):
            def __init__(self, data, prev=(), local=(), op=""):
                super().__init__(data, prev, local, op and "mul")
                if missing == "_op":
                    del self._op

        said = said_of(Other, lambda a, b: a * b + a * a, 2.0, 3.0)
        assert said == RIGHT

    def test_a_wrong_class_whose_operations_are_not_known_is_pinned_to_its_rule(self):
        class Other(Stored):
            locals_of_mul = staticmethod(lambda a, b: (a, b))

            def __init__(self, data, prev=(), local=(), op=""):
                super().__init__(data, prev, local, op and "mul")

        said = said_of(Other, lambda a, b: a * b, 2.0, 3.0)
        assert "by 2.0000; the chain rule gives 3.0000 along a → v2. v2 was made in your line " in said

    def test_a_right_class_that_collects_elsewhere_is_right(self):
        class Pulls(Stored):
            def backward(self):
                found = {id(self): 1.0}
                for node in self.order():
                    for each, local in zip(node._prev, node.local):
                        found[id(each)] = found.get(id(each), 0.0) + local * found[id(node)]
                for node in self.order():
                    node.grad = found[id(node)]

        assert said_of(Pulls, lambda a, b: a * b + a * a, 2.0, 3.0) == RIGHT

    def test_inputs_in_a_set(self):
        class InSets(Slots):
            def __init__(self, data, prev=(), op=""):
                super().__init__(data, set(prev), op)

            def __add__(self, other):
                out = InSets(self.data + other.data, (self, other), "+")

                def _backward():
                    self.grad += out.grad
                    other.grad += out.grad

                out._backward = _backward
                return out

            def __mul__(self, other):
                out = InSets(self.data * other.data, (self, other), "*")

                def _backward():
                    self.grad += other.data * out.grad
                    other.grad += self.data * out.grad

                out._backward = _backward
                return out

        said = said_of(InSets, lambda a, b: a * b + a * a, 2.0, 3.0)
        assert said.startswith("The gradients of all leaves are right at the end")

    def test_no_grad_before_the_pass(self):
        class Nones(Stored):
            def __init__(self, *given):
                super().__init__(*given)
                self.grad = None

            def backward(self):
                self.grad = 1.0
                for node in self.order():
                    for each, local in zip(node._prev, node.local):
                        each.grad = local * node.grad + (each.grad or 0.0)

        assert said_of(Nones, lambda a, b: a * b + a * a, 2.0, 3.0) == debugging.RIGHT

    def test_a_mistake_within_a_composed_operation_names_both_lines(self):
        class Unswapped(Stored):
            locals_of_mul = staticmethod(lambda a, b: (a, b))

        said = said_of(Unswapped, lambda a, b: a / b, 2.0, 4.0)
        assert re.search(
            r'local, "\*"\), by way of your line \d+: return self \* self.lifted\(other\) \*\* -1\.$', said
        )

    def test_what_never_comes_was_not_read_too_early(self):
        class Skips(Stored):
            def order(self):
                return super().order()[1:]

        said = said_of(Skips, lambda a, b: a * b + a, 2.0, 3.0)
        assert "v2.grad was 0.0000 when it was read, without what comes along v2 → v3, and has to be 1.0000." in said

    def test_numbers_that_look_alike_are_written_out(self):
        class Nearly(Stored):
            locals_of_mul = staticmethod(lambda a, b: (b + 1e-6, a))

        said = said_of(Nearly, lambda a, b: a * b, 2.0, 3.0)
        assert "by 3.000001; the chain rule gives 3.0 along a → v2" in said

    def test_a_comparison_in_f_and_a_method_that_values_lack(self):
        assert said_of(Stored, lambda a, b: a * b if a > b else a + b, 2.0, 3.0) == debugging.RIGHT
        assert "f uses .arctan, which autograd's Value has not." in said_of(Stored, lambda a: a.arctan(), 2.0)

    def test_a_graph_that_goes_in_a_circle(self):
        class Circles(Stored):
            def __mul__(self, other):
                out = super().__mul__(other)
                self._prev = (out,)
                return out

        assert said_of(Circles, lambda a, b: a * b, 2.0, 3.0).startswith("This graph goes in a circle")

    def test_a_class_without_data(self):
        class Named:
            def __init__(self, value):
                self.value, self._prev = value, ()

        said = said_of(Named, lambda a: a * a, 2.0)
        assert said == "debug reads `data` of each node, and nodes of Named have none."

    def test_data_that_backward_overwrites_are_shown_as_they_were(self):
        class Resets(Stored):
            def backward(self):
                super().backward()
                self.data = 0.0

        lab = exercises.debug(Resets, lambda a, b: a * b, 2.0, 3.0)
        assert lab.recording.frames[0].say.startswith("v2 = 6.0000 is computed.")

    def test_a_pass_of_thousands_of_writes_is_cut(self):
        class Loops(Stored):
            def backward(self):
                self.grad = 1.0
                while True:
                    self.grad = 1.0

        lab = exercises.debug(Loops, lambda a: a * a, 2.0)
        assert f"Shown are the first {debugging.MOST} of" in lab.recording.frames[0].say


MICROGRAD = """
class Value:
    def __init__(self, data, prev=(), op=""):
        self.data, self.grad, self._prev, self.label = data, 0.0, tuple(prev), ""
        self._backward = lambda: None
        self._op = op

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other), "+")

        def back():
            self.grad += out.grad  # add, left
            other.grad += out.grad  # add, right

        out._backward = back
        return out

    def __mul__(self, other):
        out = Value(self.data * other.data, (self, other), "*")

        def back():
            self.grad += other.data * out.grad  # mul, left
            other.grad += self.data * out.grad  # mul, right

        out._backward = back
        return out

    def relu(self):
        out = Value(max(0.0, self.data), (self,), "relu")

        def back():
            self.grad += (out.data > 0) * out.grad  # relu

        out._backward = back
        return out

    def tanh(self):
        import math
        out = Value(math.tanh(self.data), (self,), "tanh")

        def back():
            self.grad += (1 - out.data**2) * out.grad  # tanh

        out._backward = back
        return out

    def backward(self):
        order, seen = [], set()

        def visit(node):
            if node not in seen:
                seen.add(node)
                for each in node._prev:
                    visit(each)
                order.append(node)

        visit(self)
        self.grad = 1.0
        for node in reversed(order):
            node._backward()
"""
COLLECTED = """
import math

class Value:
    def __init__(self, data, prev=(), slopes=(), op=""):
        self.data, self.grad, self._prev, self.slopes, self.label = data, 0.0, tuple(prev), slopes, ""
        self._op = op

    def __add__(self, other):
        return Value(self.data + other.data, (self, other), (1.0, 1.0), "+")  # add

    def __mul__(self, other):
        return Value(self.data * other.data, (self, other), (other.data, self.data), "*")  # mul

    def relu(self):
        return Value(max(0.0, self.data), (self,), (float(self.data > 0),), "relu")  # relu

    def tanh(self):
        y = math.tanh(self.data)
        return Value(y, (self,), (1 - y * y,), "tanh")  # tanh

    def backward(self):
        order, seen = [], set()

        def visit(node):
            if id(node) not in seen:
                seen.add(id(node))
                for each in node._prev:
                    visit(each)
                order.append(node)

        visit(self)
        PASS
"""
DICT = """grads = {id(node): 0.0 for node in order}
        grads[id(self)] = 1.0
        for node in reversed(order):
            for each, slope in zip(node._prev, node.slopes):
                grads[id(each)] += slope * grads[id(node)]  # pass
        for node in order:
            node.grad = grads[id(node)]"""
PULLED = """self.grad = 1.0
        for node in reversed(order[:-1]):
            users = [(u, s) for u in order for each, s in zip(u._prev, u.slopes) if each is node]
            node.grad = sum(s * u.grad for u, s in users)  # pass"""
STYLES = {"closures": MICROGRAD, "dict": COLLECTED.replace("PASS", DICT), "pulled": COLLECTED.replace("PASS", PULLED)}
RULES = {
    "add": "(1.0, 1.0)",
    "mul": "(other.data, self.data)",
    "relu": "(float(self.data > 0),)",
    "tanh": "(1 - y * y,)",
}
MADE = [  # the style, the mark of the line, what stands there instead of what
    ("closures", "add, left", "out.grad", "2 * out.grad"),
    ("closures", "add, left", "+=", "="),
    ("closures", "add, right", "+=", "-="),
    ("closures", "add, right", "+=", "="),
    ("closures", "mul, left", "other.data", "self.data"),
    ("closures", "mul, left", "* out.grad", ""),
    ("closures", "mul, left", "+=", "="),
    ("closures", "mul, right", "+=", "="),
    ("closures", "mul, right", "self.data", "out.data"),
    ("closures", "mul, right", "self.data * out.grad", "self.data + out.grad"),
    ("closures", "# relu", "out.data > 0", "out.grad > 0"),
    ("closures", "# relu", "(out.data > 0) * ", ""),
    ("closures", "# tanh", "out.data**2", "self.data**2"),
    ("closures", "# tanh", "out.data**2", "out.data"),
    ("closures", "self.data, self.grad", "data, 0.0", "data, 1.0"),
    ("closures", "self.grad = 1.0", "1.0", "2.0"),
    ("closures", "reversed(order)", "reversed(order)", "order"),
    ("dict", "# add", "(1.0, 1.0)", "(1.0, 2.0)"),
    ("dict", "# mul", "(other.data, self.data)", "(self.data, other.data)"),
    ("dict", "# relu", "self.data > 0", "self.data < 0"),
    ("dict", "# pass", "+=", "="),
    ("pulled", "# add", "(1.0, 1.0)", "(1.0, -1.0)"),
    ("pulled", "# mul", "(other.data, self.data)", "(other.data, 1.0)"),
    ("pulled", "# tanh", "1 - y * y", "1 - y"),
    ("pulled", "# pass", "s * u.grad", "u.grad"),
    ("pulled", "# pass", "s * u.grad", "s"),
]
SHOWING = [
    (lambda a, b: (a * b + a).relu() * b + a * a, (2.0, 3.0)),
    (lambda a, b: ((a + b).relu() * b).tanh() + (a * b).tanh() * b, (0.5, -0.25)),
    (lambda a, b: (a + a * b) * (b + a), (-2.0, 3.0)),
    (lambda a, b: a.relu() * b + b.relu() * a, (2.0, -3.0)),
]


def engine_of(text, folder):
    """The class of a file."""
    place = folder / "own.py"
    place.write_text(text, encoding="utf-8")
    linecache.checkcache(str(place))
    names = {"__name__": "own"}
    exec(compile(text, str(place), "exec"), names)
    return names["Value"]


def without_op(text):
    """The same engine, whose nodes keep no `_op`."""
    return "\n".join(line for line in text.splitlines() if "self._op" not in line)


@pytest.mark.parametrize("kept", [True, False], ids=["_op", "no _op"])
@pytest.mark.parametrize("style", STYLES)
def test_right_engines_of_all_styles_are_right(style, kept, tmp_path):
    cls = engine_of(STYLES[style] if kept else without_op(STYLES[style]), tmp_path)
    for f, xs in SHOWING:
        assert trace(cls, f, xs).finding is None


@pytest.mark.parametrize("kept", [True, False], ids=["_op", "no _op"])
@pytest.mark.parametrize("style, mark, old, new", MADE)
def test_the_wrong_line_is_found_or_none_is_accused(style, mark, old, new, kept, tmp_path):
    text = STYLES[style] if kept else without_op(STYLES[style])
    line = next(each for each in text.splitlines() if mark in each)
    assert old in line
    changed = line.replace(old, new, 1) if old != "+=" else line.replace(old, new)
    cls = engine_of(text.replace(line, changed), tmp_path)
    findings = [found.finding for found in (trace(cls, f, xs) for f, xs in SHOWING) if found.finding]
    assert findings
    for finding in findings:
        order = "reversed" in mark and finding.kind in ("early", "missing")
        assert order or not finding.lines or changed.strip() in [each.text for each in finding.lines], finding
