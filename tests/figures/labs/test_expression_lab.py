"""The expression lab: what is typed becomes the engine's graph, or a sentence that points at the fault."""

import json
import math
import random
from pathlib import Path

import pytest

from autograd import Value, topological_order
from autograd.errors.messages import show
from figures import expression
from figures.page import expression_parser
from figures.page.expression_parser import DEPTH, FUNCTIONS, Fault, build, names, parse
from tests import pictures
from tests.approve import approved
from tests.labs import ask, message
from tests.walks import assert_plays, shown

AT = {"x": 2.0, "y": 3.0, "a": 0.5, "b": 4.0, "w": 1.5}


def value(text, **numbers):
    """The Value of a text."""
    term = parse(text)
    return build(term, {name: Value({**AT, **numbers}[name], label=name) for name in names(term)})


def shape(root):
    """A graph without its numbers' places in memory: op, label, data and inputs of each node."""
    order = topological_order(root)
    place = {id(node): i for i, node in enumerate(order)}
    return [(node._op, node.label, node.data, [place[id(input)] for input in node._prev]) for node in order]


def by_python(text):
    """The same text as Python itself reads it, on the engine's Values: the oracle, for texts of this file only."""
    leaves = {name: Value(number, label=name) for name, number in AT.items()}
    functions = {name: lambda v, name=name: getattr(v, name)() for name in FUNCTIONS}
    return eval(text, {"__builtins__": {}}, {**leaves, **functions})


def sliders(lab):
    """The sliders of a lab: name and value."""
    return [(control.label, control.value) for control in lab.controls if control.kind == "range"]


ALIKE = (  # texts that mean the same in Python
    "x*y + 3*x;x + y*a - b/w;x - y - a;x / y / a;x / (y / a);-x**2;(-x)**2;x**-1;-x;--x;x*-y;x - -y;2*x;2*3*x;x*2*3;"
    "(1 + 2)*x - 4/8;2**3**2*x;x**2**3;x**(1 + 1);x**y;2**x;x**y**a;a + a;a*a*a;tanh(w*x + b);"
    "sigmoid(relu(x - y) + leaky_relu(y - x*2));exp(log(x))*sqrt(b) + sin(x)*cos(y);((((x))));1e3*x + .5 + 2.;  x+ y "
)


@pytest.mark.parametrize("text", ALIKE.split(";"))
def test_a_text_means_what_it_means_in_python_and_its_graph_shows_the_engines_numbers(text):
    root, lab = value(text), expression(text, AT)
    assert shape(root) == shape(by_python(text.strip()))
    root.backward()
    order = topological_order(root)
    for gradients in (False, True):
        ask(lab, gradients=gradients)
        texts = shown(lab)
        for i, node in enumerate(order):
            assert texts[f"n{i}.data"] == show(node.data)
            assert texts[f"n{i}.grad"] == (show(node.grad) if gradients else "–")
        assert texts["count"] == str(len(order)) and texts["root"] == show(root.data)
        assert sliders(lab) == [(name, AT[name]) for name in names(parse(text))]


def test_random_texts_mean_what_they_mean_in_python():
    rng, compared = random.Random(0), 0

    def grown(depth):
        if depth == 0 or rng.random() < 0.2:
            return rng.choice(["x", "y", "a", "b", "2", "0.5", "3"])
        kind = rng.random()
        if kind < 0.6:
            return f"{grown(depth - 1)} {rng.choice(['+', '-', '*', '/'])} {grown(depth - 1)}"
        if kind < 0.75:
            return f"({grown(depth - 1)})"
        if kind < 0.85:
            return f"-{grown(depth - 1)}"
        if kind < 0.92:
            return f"{rng.choice(['x', 'y', '(x + a)'])}**{rng.choice(['2', '-1', '3'])}"
        return f"x*{rng.choice(['tanh', 'sigmoid', 'relu', 'sin'])}({grown(depth - 1)} + y)"

    for _ in range(300):
        text = grown(4)
        try:
            expected = by_python(text)
        except ZeroDivisionError:
            continue
        expected = expected if isinstance(expected, Value) else Value(expected)
        found = value(text)
        assert found.data == pytest.approx(expected.data, rel=1e-12), text
        assert [row[0] for row in shape(found)] == [row[0] for row in shape(expected)], text
        compared += 1
    assert compared > 250


def test_the_largest_texts_are_still_quick_and_small():
    """No power of plain numbers grows beyond a float, and the longest graphs are ordinary ones."""
    assert value("9**9**9*x").data == math.inf
    assert value("9**" * 20 + "9").data == math.inf
    assert len(topological_order(value("x+" * 99 + "xx", xx=1.0))) == 101
    assert value("(" * DEPTH + "x" + ")" * DEPTH).data == 2.0


def test_a_fault_is_shown_under_its_text_which_takes_one_line():
    with pytest.raises(Fault, match=r"^An operator such as \* is missing before import\.\n    x import os\n      \^$"):
        parse("x\nimport os")


def test_the_parser_has_no_way_to_run_a_text():
    source = Path(expression_parser.__file__).read_text(encoding="utf-8")
    assert not [word for word in ("eval(", "exec(", "compile(text", "import ast", "__import__") if word in source]


# The lab

TYPED = {  # what a lab opens with, and what is changed then, one after another
    "x": [{"expression": "x*y + 3*x"[:end]} for end in (1, 2, 3, 5, 9)],
    "x*y + 3*x": [{"expression": "x*y + * x"}, {"expression": "x*y + 2*x"}],
    "log(q)": [
        {"expression": "log(q -"},
        {"expression": "log(q - 5)"},
        {"leaf q": 7.0},
        {"expression": "1/(q - q)"},
        {"expression": "q"},
    ],
    "x*y": [{"leaf x": -4.5}, *({"expression": text} for text in ("y", "y*x", "y*xa"))],
    "gradients * expression": [{"gradients": True, "leaf expression": 7.0}],
    "a + a": [{"gradients": True}],
    "x**2 + 3*x*y + 1": [{"leaf x": 3.0, "leaf y": 1.0, "gradients": True}],
    "1e200*x*1e200": [{"expression": "2*3 + 1"}],
    "x*y" + "+x*y" * 30: [{"gradients": True}],
}


def test_what_is_typed_is_drawn_or_pointed_at_and_names_get_sliders():
    """The last graph stays where there is a fault; outside of an op's domain the sliders come that can mend it."""
    lines = []
    for text, changes in TYPED.items():
        lab = expression(text)
        lines.append(text)
        for changed in changes:
            before = lab.spec
            ask(lab, **changed)
            if said := message(lab):
                assert (lab.spec["stage"], lab.spec["frames"]) == (before["stage"], before["frames"])
            if "fault" in lab.spec:
                assert lab.spec["controls"] == before["controls"] and lab.spec["fault"]["name"] == "expression"
                said = f"{' ' * lab.spec['fault']['at']}^ {said}"
            named = ", ".join(f"{name} at {number}" for name, number in sliders(lab))
            inputs = ", ".join(f"{name}: {new}" for name, new in changed.items())
            drawn = "{count} nodes, {root}".format(**shown(lab))
            lines.append(f"    {inputs} → {said or drawn} ({named})")
        lines += [f"    {lab.recording.frames[0].say}"] if len(changes) == 1 else []
        assert lab.spec["controls"][0]["value"] == {"expression": text, **changed}["expression"]
    approved("expression_typed", "\n".join(lines))


def test_a_plus_a_shows_two_edges():
    edges = [key for key in pictures.parts(expression("a + a").spec["stage"]) if key.startswith("e")]
    assert edges == ["e1.0", "e1.1"]


def test_a_slider_changes_the_numbers_and_not_the_stage():
    lab = expression("tanh(x*w + b)", gradients=True)
    stage, before = lab.spec["stage"], shown(lab)
    ask(lab, **{"leaf x": -0.3})
    assert lab.spec["stage"] == stage and shown(lab) != before and shown(lab).keys() == before.keys()
    assert_plays(lab)


def test_without_graphviz_there_is_a_table(monkeypatch):
    monkeypatch.setattr("figures.graph.layout.BACKENDS", (pictures.absent,))
    pictures.clear()
    try:
        lab = expression("x*y", gradients=True)
        assert (shown(lab)["n2.data"], shown(lab)["n0.grad"]) == ("6.0000", "3.0000")
        assert "<table>" in lab.spec["stage"]
    finally:
        pictures.clear()


def test_what_overflows_is_sent_as_a_text():
    lab = expression("1e200*x*1e200")
    assert shown(lab)["root"] == "inf"
    assert json.loads(json.dumps(lab.spec, allow_nan=False))["frames"] == lab.spec["frames"]
