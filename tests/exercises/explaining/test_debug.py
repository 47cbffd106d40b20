"""`exercises.debug` pins each of the twenty wrong engines to its line, and copes with whatever else a class may do."""

import inspect
import re

import numpy as np
import pytest

import autograd
import exercises
from exercises.content import library
from exercises.engine_file import trial
from exercises.engines.wrong_engines import WRONG_ENGINES, Engine
from exercises.explaining import debugging
from exercises.explaining.catalogue import known_mistakes
from exercises.explaining.tracing import trace
from exercises.verdicts.cases import cases
from figures.page.player import Player
from tests.approve import approved
from tests.engines import CLOSURES, SLOTS, STORED, engine, names_in, swapped

CASES = sorted(cases(count=60), key=lambda case: len(case.steps))
PINNED = {  # the words of the line that writes what is wrong
    "M1": "er.grad = out.grad",
    "M2": "self.grad = other.data * out.grad",
    "M3": "self.grad = out.data * out.grad",
    "M4": "self.grad = (1 - out.data**2) * out.grad",
    "M11": "self.grad += other.data",
    "M12": "self.grad += self.data * out.grad",
    "M13": "n * self.data**n",
    "M14": "1 - self.data**2",
    "M15": "self.grad += self.data * out.grad",
    "M16": "self.data >= 0",
    "M17": "self.grad += 1.0 * out.grad",
    "M18": "return self - as_value(self, other)",
    "M19": "return self / as_value(self, other)",
}
READ = {  # no line is wrong: what was read too early, or never came
    **dict.fromkeys(("M5", "M6", "M7", "M8", "M9"), "was read too early"),
    "M10": "the root's own, was 0.0000: it has to be 1 before the first rule runs",
    "M20": "Nothing came along",
}


def traced(cls, case):
    """Return the Trace of a class on a Case, as a function of its leaves under their names."""

    def f(*xs):
        return case.compute(xs)[case.root]

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    f.__signature__ = inspect.Signature([inspect.Parameter(name, kind) for name, _ in case.leaves])
    return trace(cls, f, [number for _, number in case.leaves])


@pytest.mark.parametrize("wrong", WRONG_ENGINES, ids=lambda w: w.id)
def test_debug_finds_the_line_of_each_wrong_engine(wrong):
    finding = next(found for case in CASES if (found := traced(wrong.engine, case)).finding).finding
    if wrong.id in READ:
        assert finding.kind in ("early", "missing") and READ[wrong.id] in finding.says
    else:
        assert finding.kind in ("rule", "forward")
        assert any(PINNED[wrong.id] in line.text for line in finding.lines), finding
        assert [line for line in finding.lines if not (str(line) in finding.says and "your" not in finding.says)] == []


@pytest.mark.parametrize(
    "cls", [Engine, autograd.Value, trial.template_engine().Value], ids=["closures", "local derivatives", "my_engine"]
)
def test_debug_finds_no_wrong_write_in_right_engines(cls):
    for case in CASES:
        found = traced(cls, case)
        assert found.finding is None, (case.to_source(), found.finding)
        grads = {write.node: write.after for write in found.writes}
        for name, slope in case.gradients().items():
            if name in found.names:
                assert grads.get(found.names.index(name), 0.0) == pytest.approx(slope, abs=1e-9)


PASS = "        self.grad = 1.0\n"
PRODUCT = "(other.data, self.data)"
SUM = "a * b + a * a"
SAID = [  # what a class does, and that text of STORED changed; the function that is stepped through, with a = 2, b = 3
    ("raises", [(PASS, f'{PASS}        raise KeyError("oops")\n')], "a * a"),
    ("writes for ever", [(PASS, "        while True:\n            self.grad = 1.0\n")], "a * a"),
    ("has a gradient that is no number", [(PASS, '        self.grad = "one"\n')], "a * a"),
    ("adds where it multiplies", [("(self.data * other.data", "(self.data + other.data")], "a * b"),
    ("has a factor of two in a rule", [(PRODUCT, "(2 * other.data, self.data)")], "a * b"),
    ("is nearly right", [(PRODUCT, "(other.data + 1e-6, self.data)")], "a * b"),
    ("does not swap, under a name that nobody knows", [(f'{PRODUCT}, "*"', '(self.data, other.data), "mul"')], "a * b"),
    ("does not swap, in an operation made of others", [(PRODUCT, "(self.data, other.data)")], "a / b"),
    ("makes a result that keeps no input", [("(self,), (1 - y * y,)", "(), (1 - y * y,)")], "a.tanh() * a"),
    ("leaves out the root's rule", [("found[::-1]", "found[::-1][1:]")], "a * b + a"),
    ("keeps no data", [("self.data, self.grad", "self.value, self.grad")], "a * a"),
    ("overwrites its data in the pass", [(PASS, f"{PASS}        self.data = 0.0\n")], "a * b"),
    ("begins without gradients", [("0.0, prev", "None, prev"), ("grad +=", "grad = (each.grad or 0) +")], SUM),
    ("is right", [], "a * b if a > b else a + b"),
    ("is right, and lacks an operation", [], "a.arctan()"),
]  # fmt: skip
SAID_OF_CLOSURES = [
    ("goes in a circle", [('(self, other), "*")\n', '(self, other), "*")\n        self._prev = (out,)\n')], "a * b"),
    ("keeps its inputs in a set", [("self._prev = _prev", "self._prev = set(_prev)")], SUM),
]  # fmt: skip


def debugged(cls, code):
    """Return what `debug` gives for a class on a function of a = 2 and of b = 3, if that is in it."""
    names = [name for name in "ab" if re.search(rf"\b{name}\b", code)]
    return exercises.debug(cls, eval(f"lambda {', '.join(names)}: {code}"), *(2.0, 3.0)[: len(names)])


def said_of(lab):
    """Return what a lab says at the first wrong event, or at its end; a sentence unchanged."""
    return lab.recording.frames[lab.index or -1].say if isinstance(lab, Player) else str(lab)


def test_debug_messages_for_unusual_classes():
    said = []
    for text, table in ((STORED, SAID), (CLOSURES, SAID_OF_CLOSURES)):
        for name, swaps, code in table:
            lab = debugged(engine(text, *swaps), code)
            opening = [lab.recording.frames[0].say] if isinstance(lab, Player) else []
            said += [f"{code}, where the class {name}:", *(f"  {line}" for line in [*opening, said_of(lab)])]
    approved("debug", "\n".join(said))


def test_debug_handles_slots_missing_backward_and_assignment():
    stores = (
        ("+= other.data * out.grad", "= other.data * out.grad"),
        ("+= self.data * out.grad", "= self.data * out.grad"),
    )
    cls = engine(SLOTS, *stores, ("def backward", "def other"))
    before = vars(cls)["grad"]
    said = said_of(exercises.debug(cls, lambda a: a * a, 3.0))
    assert vars(cls)["grad"] is before
    assert ": other.grad = self.data * out.grad," in said
    assert "changed a.grad from 3.0000 to 3.0000, by 0.0000; the chain rule gives 3.0000 along a → v1" in said


def test_debug_leaves_the_class_unchanged():
    cls = engine(STORED, (PASS, '        raise ZeroDivisionError("at the end")\n'))
    for f in (lambda a: a * a, lambda a: a.nothing(), lambda a: 1 / 0):
        exercises.debug(cls, f, 2.0)
        assert "grad" not in vars(cls)
    assert cls(2.0).grad == 0.0
    assert "RecursionError" in said_of(debugged(engine(STORED, (PASS, "        self.backward()\n")), "a * a"))


@pytest.mark.parametrize(
    "arguments, words",
    [
        ((3, abs, 1.0), "debug takes a class"),
        ((int, abs, 2.0), r"^debug takes a class of your own, got Python's int\.$"),
        ((Engine, 3, 1.0), "debug takes a function of nodes"),
        *(
            ((Engine, abs, *xs), "debug takes a number for each argument of f")
            for xs in [(), ("2",), (True,), (10**400,), (float("nan"),), (2j,)]
        ),
    ],
    ids=str,
)
def test_debug_rejects_wrong_arguments(arguments, words):
    with pytest.raises((TypeError, ValueError), match=words):
        exercises.debug(*arguments)


@pytest.mark.parametrize("x", [np.float32(2), np.float64(2), np.int64(2)])
def test_debug_accepts_numpy_numbers(x):
    assert isinstance(exercises.debug(Engine, lambda a: a * a, x), Player)


@pytest.mark.parametrize("returned, said", [(5, "an int"), (None, "None"), ((1, 2), "a tuple of 2")])
def test_debug_requires_f_to_return_a_node(returned, said):
    note = exercises.debug(Engine, lambda a: returned, 2.0)
    assert repr(note) == f"f has to return the node that it makes, of your class; it returned {said}."


def test_overflow_is_not_reported_as_a_mistake():
    assert trace(Engine, lambda a: a * a, [1e200]).finding is None
    found = trace(Engine, lambda a, b: a * a * b * b, [1e200, 1e200])
    assert found.finding is None and found.writes[-1].after == float("inf")


def test_debug_lab_starts_at_the_first_wrong_write():
    wrong = next(w for w in WRONG_ENGINES if w.id == "M2")
    lab = exercises.debug(wrong.engine, lambda a, b: a * b * a, 2.0, 5.0)
    frames = lab.recording.frames
    assert frames[0].say.endswith(f"The first wrong write is event {lab.index} of {len(frames) - 1}.")
    assert frames[lab.index].at == f"Event {lab.index} of {len(frames) - 1}"
    page = lab.recording.render(frames[lab.index].updates)
    assert "self.grad = other.data * out.grad" in page and "its edge gives" in page
    assert lab.index not in (0, len(frames))


class TestVerdict:
    """A wrong verdict on a part of the engine offers the failing case."""

    def verdict(self, name, mistake):
        check = getattr(exercises.check, name)
        known_mistake = next(each for each in known_mistakes(name) if each.mistake.name == mistake)
        return check(*check.answers(known_mistake.codes(library.solution(name).code)[0]))

    @pytest.mark.parametrize(
        "name, mistake, said",
        [
            ("first_rules", "= instead of +=", "changed a.grad from 10.0000 to 10.0000, by 0.0000"),
            ("rules", "* does not swap its factors", "the chain rule gives -30.0000 along a → v2"),
            ("topological_order", "nodes near the root first", "was read too early"),
            ("deep_order", "marked when put on the stack", "was read too early"),
            ("backward", "the first gradient is not set to 1", "it has to be 1 before the first rule runs"),
            ("accumulate", "recursion without an order", "was read too early"),
        ],
    )
    def test_verdict_offers_to_debug_the_failing_case(self, name, mistake, said):
        verdict = self.verdict(name, mistake)
        assert verdict.render_text().endswith("To step through it, write by write: exercises.debug()")
        assert "<code>exercises.debug()</code>" in verdict.html()
        shown = said_of(exercises.debug())
        assert said in shown
        if name == "topological_order":  # the rules are not the learner's
            assert "the course's " in shown and "your line" not in shown

    def test_verdict_offers_nothing_when_one_pass_shows_no_fault(self):
        assert not self.verdict("accumulate", "no old gradient is cleared").offer  # two passes are needed
        assert str(exercises.debug()).startswith("No check has offered a case.")

    @pytest.mark.parametrize("case", ["", "a = 3", "slope(f, 3, 0.5)", "a = Value(1.0)\nb = c * 2", "a = Value(1.0)"])
    def test_debugging_reads_only_node_expressions(self, case):
        assert debugging.read(case) is None


DICT = """grads = {id(node): 0.0 for node in order}
        grads[id(self)] = 1.0
        for node in order:
            for each, local in zip(node._prev, node.local):
                grads[id(each)] += local * grads[id(node)]  # pass
        for node in order:
            node.grad = grads[id(node)]
"""
PULLED = """self.grad = 1.0
        for node in order[1:]:
            users = [(u, s) for u in order for each, s in zip(u._prev, u.local) if each is node]
            node.grad = sum(s * u.grad for u, s in users)  # pass
"""
BEGUN = f"{STORED.partition(PASS)[0]}        order = self.order()\n        "
STYLES = {"closures": CLOSURES, "stored": STORED, "dict": BEGUN + DICT, "pulled": BEGUN + PULLED}
MADE = [  # the style, the words of a line, the wrong text and the right one
    ("closures", "self.grad += out.grad", "out.grad", "2 * out.grad"),
    ("closures", "self.grad += out.grad", "+=", "="),
    ("closures", "other.grad += out.grad", "+=", "-="),
    ("closures", "self.grad += other.data", "other.data", "self.data"),
    ("closures", "self.grad += other.data", " * out.grad", ""),
    ("closures", "self.grad += other.data", "+=", "="),
    ("closures", "other.grad += self.data", "self.data", "out.data"),
    ("closures", "other.grad += self.data", "self.data * out.grad", "self.data + out.grad"),
    ("closures", "self.grad += local", "local", "(out.grad > 0)"),
    ("closures", '"relu", float', "float(self.data > 0)", "1.0"),
    ("closures", '"tanh", ', "1 - y * y", "1 - self.data**2"),
    ("closures", '"tanh", ', "1 - y * y", "1 - y"),
    ("closures", "self.grad = 0.0", "0.0", "1.0"),
    ("closures", "self.grad = 1.0", "1.0", "2.0"),
    ("closures", "reversed(", "reversed(topological_order(self))", "topological_order(self)"),
    ("dict", '(self, other), (1.0, 1.0), "+"', "(1.0, 1.0)", "(1.0, 2.0)"),
    ("dict", PRODUCT, PRODUCT, "(self.data, other.data)"),
    ("dict", '"relu"', "self.data > 0", "self.data < 0"),
    ("dict", "# pass", "+=", "="),
    ("pulled", '(self, other), (1.0, 1.0), "+"', "(1.0, 1.0)", "(1.0, -1.0)"),
    ("pulled", PRODUCT, PRODUCT, "(other.data, 1.0)"),
    ("pulled", "# pass", "s * u.grad", "u.grad"),
    ("pulled", "# pass", "s * u.grad", "s"),
]
SHOWING = [
    (lambda a, b: (a * b + a).relu() * b + a * a, (2.0, 3.0)),
    (lambda a, b: ((a + b).relu() * b).tanh() + (a * b).tanh() * b, (0.5, -0.25)),
    (lambda a, b: (a + a * b) * (b + a), (-2.0, 3.0)),
    (lambda a, b: a.relu() * b + b.relu() * a, (2.0, -3.0)),
]
SIGNS = {  # how an engine's text writes what made a node
    "_op": lambda text: text,
    "no _op": lambda text: re.sub(r"(?m)^.*self\._op.*\n", "", text),
    "odd": lambda text: re.sub(r'"([+*]|relu|tanh)"', r'"my \1"', text),
}


@pytest.mark.parametrize("signs", SIGNS)
@pytest.mark.parametrize("style", STYLES)
def test_right_engines_of_all_styles_are_right(style, signs):
    cls = names_in(SIGNS[signs](STYLES[style]))["Value"]
    for f, xs in SHOWING:
        assert trace(cls, f, xs).finding is None
    assert said_of(debugged(cls, "a * b + a * a")) == debugging.RIGHT


@pytest.mark.parametrize("signs", ["_op", "no _op"])
@pytest.mark.parametrize("style, mark, old, new", MADE)
def test_debug_accuses_only_the_wrong_line(style, mark, old, new, signs):
    text = SIGNS[signs](STYLES[style])
    line = next(each for each in text.splitlines() if mark in each)
    changed = swapped(line, (old, new))
    cls = engine(text, (line, changed))
    findings = [found.finding for found in (trace(cls, f, xs) for f, xs in SHOWING) if found.finding]
    assert findings
    for finding in findings:
        order = "reversed" in mark and finding.kind in ("early", "missing")
        assert order or not finding.lines or changed.strip() in [each.text for each in finding.lines], finding
