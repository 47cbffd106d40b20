"""The expression lab: what is typed becomes the engine's graph, or a sentence that points at the fault."""

import math
import random
from pathlib import Path

import pytest

from autograd import Value, topological_order
from figures import expression
from figures.page import expression_parser
from figures.page.expression_parser import DEPTH, FUNCTIONS, Fault, build, names, parse
from figures.page.style import number
from tests.approve import approved
from tests.lab_graphs import shown
from tests.labs import ask, message

AT = {"x": 2.0, "y": 3.0, "a": 0.5, "b": 4.0, "w": 1.5, "xx": 1.0}
ALIKE = (  # texts that mean the same in Python
    "x*y + 3*x;x + y*a - b/w;x - y - a;x / y / a;x / (y / a);-x**2;(-x)**2;x**-1;-x;--x;x*-y;x - -y;2*x;2*3*x;x*2*3;"
    "(1 + 2)*x - 4/8;2**3**2*x;x**2**3;x**(1 + 1);x**y;2**x;x**y**a;a + a;a*a*a;tanh(w*x + b);"
    "sigmoid(relu(x - y) + leaky_relu(y - x*2));exp(log(x))*sqrt(b) + sin(x)*cos(y);((((x))));1e3*x + .5 + 2.;  x+ y "
)


def value(text):
    """The Value of a text."""
    term = parse(text)
    return build(term, {name: Value(AT[name], label=name) for name in names(term)})


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


@pytest.mark.parametrize("text", ALIKE.split(";"))
def test_parsed_text_matches_python_and_shows_engine_numbers(text):
    root, lab = value(text), expression(text, AT, gradients=True)
    assert shape(root) == shape(by_python(text.strip()))
    root.backward()
    for i, node in enumerate(topological_order(root)):
        assert (shown(lab)[f"n{i}.data"], shown(lab)[f"n{i}.grad"]) == (number(node.data), number(node.grad))
    assert sliders(lab) == [(name, AT[name]) for name in names(parse(text))]


def test_random_texts_match_python():
    rng, compared = random.Random(0), 0

    def grown(depth):
        if depth == 0 or rng.random() < 0.2:
            return rng.choice(["x", "y", "a", "b", "2", "0.5", "3"])
        left = grown(depth - 1)
        return rng.choice(
            [
                *(f"{left} {sign} {grown(depth - 1)}" for sign in "+-*/"),
                *(f"({left})", f"-{left}", f"{rng.choice(['x', '(x + a)'])}**{rng.choice(['2', '-1', '3'])}"),
                f"x*{rng.choice(['tanh', 'sigmoid', 'relu', 'sin'])}({left} + y)",
            ]
        )

    for text in (grown(4) for _ in range(300)):
        try:
            expected = by_python(text)
        except ZeroDivisionError:
            continue
        found, expected = value(text), expected if isinstance(expected, Value) else Value(expected)
        assert found.data == pytest.approx(expected.data, rel=1e-12), text
        assert [row[0] for row in shape(found)] == [row[0] for row in shape(expected)], text
        compared += 1
    assert compared > 250


def test_largest_texts_are_quick_and_never_executed():
    """No power of plain numbers grows beyond a float, and the longest graphs are ordinary ones."""
    assert value("9**9**9*x").data == value("9**" * 20 + "9").data == math.inf
    assert len(topological_order(value("x+" * 99 + "xx"))) == 101
    assert value("(" * DEPTH + "x" + ")" * DEPTH).data == 2.0
    with pytest.raises(Fault, match=r"^An operator such as \* is missing before import\.\n    x import os\n      \^$"):
        parse("x\nimport os")
    source = Path(expression_parser.__file__).read_text(encoding="utf-8")
    assert not [word for word in ("eval(", "exec(", "compile(text", "import ast", "__import__") if word in source]


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


def test_typed_text_is_drawn_or_its_error_marked():
    """The last graph stays if there is a fault; outside an op's domain, sliders that can fix it appear."""
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
