"""The expression lab: what is typed becomes the engine's graph, or a sentence that points at the fault."""

import gc
import json
import math
import random
import weakref
from pathlib import Path

import pytest
from ipywidgets.widgets.widget import _instances as REGISTRY

import autograd
from autograd import Value, topological_order
from autograd.messages import show
from figures import expression
from figures.graph import layout
from figures.labs import expression_parser
from figures.labs.expression_parser import DEPTH, FUNCTIONS, LENGTH, NAMES, Fault, build, names, parse
from tests import pictures

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


def type_in(player, text=None, gradients=None, presses=(), **leaves):
    """What the browser does when the text, the switch or sliders change."""
    values = {control["name"]: control["value"] for control in player.spec["controls"]}
    if text is not None:
        values["expression"] = text
    if gradients is not None:
        values["gradients"] = gradients
    values |= {f"leaf {name}": number for name, number in leaves.items()}
    player.request = {"values": values, "presses": list(presses), "number": player.reply + 1}
    return player.spec


def sliders(spec):
    """The sliders of a lab: name and value."""
    return [(control["label"], control["value"]) for control in spec["controls"] if control["kind"] == "range"]


def shown(spec):
    """The texts that the lab shows."""
    return {key: mark["text"] for key, mark in spec["frames"][0]["set"].items() if "text" in mark}


# The parser

ALIKE = [
    "x*y + 3*x",
    "x + y*a - b/w",
    "x - y - a",
    "x / y / a",
    "x / (y / a)",
    "-x**2",
    "(-x)**2",
    "x**-1",
    "-x",
    "--x",
    "x*-y",
    "x - -y",
    "2*x",
    "2*3*x",
    "x*2*3",
    "(1 + 2)*x - 4/8",
    "2**3**2*x",
    "x**2**3",
    "x**(1 + 1)",
    "x**y",
    "2**x",
    "x**y**a",
    "a + a",
    "a*a*a",
    "tanh(w*x + b)",
    "sigmoid(relu(x - y) + leaky_relu(y - x*2))",
    "exp(log(x))*sqrt(b) + sin(x)*cos(y)",
    "((((x))))",
    "1e3*x + .5 + 2.",
    "  x+ y ",
]


@pytest.mark.parametrize("text", ALIKE)
def test_a_text_means_what_it_means_in_python(text):
    assert shape(value(text)) == shape(by_python(text.strip()))


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


@pytest.mark.parametrize(
    ("text", "at", "sentence"),
    [
        ("", 0, "Type an expression, such as x*y + 3*x."),
        ("   ", 0, "Type an expression, such as x*y + 3*x."),
        ("x*", 2, "After * comes a number, a name or an opening parenthesis; here the text ends."),
        ("x * * y", 4, "After * comes a number, a name or an opening parenthesis, not *."),
        ("+x", 0, "An expression begins with a number, a name or an opening parenthesis, not +."),
        ("(x + y", 0, "This parenthesis is not closed."),
        ("x)", 1, "This parenthesis was never opened."),
        ("tanh()", 5, "There is nothing between these parentheses."),
        ("3x", 1, "A sign such as * is missing before x."),
        ("x y", 2, "A sign such as * is missing before y."),
        ("x(2)", 0, "There is no function x. There are exp, log, "),
        ("tanh", 0, "tanh is a function: write tanh(x)."),
        ("x^2", 1, "^ is not understood: a power is written **, as in x**2."),
        ("x²", 1, "² is not understood: a power is written **, as in x**2."),
        ("x = 3", 2, "= is not understood: a name gets its number from its slider."),
        ("x.tanh()", 1, ". is not understood: a function is written before its input: tanh(x)."),
        ("leaky_relu(x, 1)", 12, ", is not understood: a function here has one input"),
        ("x ; y", 2, "; is not understood: an expression is made of names, numbers, + - * / ** and parentheses."),
        ("x + '\u202e'", 4, "' is not understood"),
        ("\u202ex", 0, "The character U+202E is not understood"),
        ("x\0", 1, "The character U+0000 is not understood"),
        ("1e999", 0, "The largest number here is about 1.8e308."),
        ("x + abcdefghijklm", 4, "A name has at most 12 characters here."),
        ("+".join("abcdefghi"), 16, f"There is room for {NAMES} different names, and i is one more."),
        ("x" * (LENGTH + 1), LENGTH, f"An expression has at most {LENGTH} characters here; this has {LENGTH + 1}."),
    ],
)
def test_anything_else_is_a_sentence_with_the_place_of_the_fault(text, at, sentence):
    with pytest.raises(Fault) as caught:
        parse(text)
    assert caught.value.sentence.startswith(sentence)
    assert caught.value.at == at
    *_, line, caret = str(caught.value).split("\n")
    assert len(line) == 4 + min(len(text), LENGTH) and caret.index("^") == 4 + at


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('x')",
        "().__class__.__bases__",
        "x.__class__",
        "lambda: 0",
        "[x for x in y]",
        "open('f')",
        "x if x else y",
        "f'{x}'",
        "getattr(x, y)",
        "exec(x)",
        "x := 3",
        "x\nimport os",
        "backward(x)",
        "__init__(x)",
    ],
)
def test_python_is_not_run(text):
    with pytest.raises(Fault):
        parse(text)


@pytest.mark.parametrize(
    "text", ["(" * 150, "-" * 199 + "x", "x**" * 60 + "x", "tanh(" * 39 + "x" + ")" * 4, "((" * 50 + "x"]
)
def test_hostile_depth_is_refused(text):
    with pytest.raises(Fault, match=f"at most {DEPTH} deep|not closed"):
        parse(text)


def test_the_largest_texts_are_still_quick_and_small():
    """No power of plain numbers grows beyond a float, and the longest graphs are ordinary ones."""
    assert value("9**9**9*x").data == math.inf
    assert value("9**" * 20 + "9").data == math.inf
    assert len(topological_order(value("x+" * 99 + "xx", xx=1.0))) == 101
    assert value("(" * DEPTH + "x" + ")" * DEPTH).data == 2.0


def test_the_parser_has_no_way_to_run_a_text():
    source = Path(expression_parser.__file__).read_text(encoding="utf-8")
    assert not [word for word in ("eval(", "exec(", "compile(text", "import ast", "__import__") if word in source]


def test_every_function_of_an_engines_value_is_there():
    assert {name for name in FUNCTIONS if callable(getattr(Value, name))} == set(FUNCTIONS)
    assert set(autograd.nn.FUNCTIONS) == set(FUNCTIONS)


# The lab


@pytest.mark.parametrize("text", ALIKE)
@pytest.mark.parametrize("gradients", [False, True])
def test_the_graph_shows_the_engines_numbers(text, gradients):
    player = expression(text, AT, gradients=gradients)
    root = value(text)
    root.backward()
    texts = shown(player.spec)
    order = topological_order(root)
    for i, node in enumerate(order):
        assert texts[f"n{i}.data"] == show(node.data)
        assert texts[f"n{i}.grad"] == (show(node.grad) if gradients else "–")
    assert texts["count"] == str(len(order)) and texts["root"] == show(root.data)
    assert sliders(player.spec) == [(name, AT[name]) for name in names(parse(text))]


def test_a_plus_a_shows_two_edges():
    player = expression("a + a")
    edges = [key for key in pictures.parts(player.spec["stage"]) if key.startswith("e")]
    assert edges == ["e1.0", "e1.1"]
    assert player.text() == (
        "1. 2 nodes: 1 leaf (a) and 1 operation. The result is 4.0000. "
        "No backward pass has run, so every gradient is –."
    )
    type_in(player, gradients=True)
    assert player.text().endswith("Backward: a.grad = 2.0000.")


def test_the_courses_example():
    """x² + 3xy + 1 at (3, 1): 19, gradients 9 and 9 (source C)."""
    spec = expression("x**2 + 3*x*y + 1", {"x": 3, "y": 1}, gradients=True).spec
    assert shown(spec)["root"] == "19.0000"
    assert spec["frames"][0]["say"].endswith("Backward: x.grad = 9.0000, y.grad = 9.0000.")


def test_typing_redraws_the_graph_and_gives_new_names_sliders():
    player, text = expression("x"), "x*y + 3*x"
    drawn = []
    for end in range(1, len(text) + 1):
        spec = type_in(player, text[:end])
        drawn.append((shown(spec)["count"], spec["message"] != "", [name for name, _ in sliders(spec)]))
    assert drawn[0] == ("1", False, ["x"])
    assert drawn[1] == ("1", True, ["x"]), "x* is not finished, and the last graph stays"
    assert drawn[2] == ("3", False, ["x", "y"])
    assert drawn[-1] == ("6", False, ["x", "y"])
    assert player.reply == len(text)


def test_a_fault_points_at_its_place_and_the_last_graph_stays():
    player = expression()
    before = player.spec
    after = type_in(player, "x*y + * x")
    assert after["message"] == "At character 7: After + comes a number, a name or an opening parenthesis, not *."
    assert after["fault"] == {"name": "expression", "at": 6}
    assert (after["stage"], after["frames"], after["controls"]) == (
        before["stage"],
        before["frames"],
        before["controls"],
    )
    again = type_in(player, "x*y + 2*x")
    assert again["message"] == "" and "fault" not in again and shown(again)["root"] == "10.0000"


def test_outside_an_ops_domain_the_sliders_come_and_can_mend_it():
    player = expression("x")
    spec = type_in(player, "log(q - 5)")
    assert spec["message"] == "log of -3.0: log needs a positive number." and "fault" not in spec
    assert [name for name, _ in sliders(spec)] == ["q"] and shown(spec)["root"] == "2.0000"
    spec = type_in(player, "log(q - 5)", q=7.0)
    assert spec["message"] == "" and shown(spec)["root"] == show(math.log(2))
    spec = type_in(player, "1/(q - q)")
    assert spec["message"] == "(1.0) / (0.0): division by 0 has no value." and shown(spec)["root"] == show(math.log(2))


def test_a_name_that_comes_back_is_where_it_was_and_a_renamed_one_keeps_its_number():
    player = expression("x*y")
    type_in(player, x=-4.5)
    type_in(player, "y")
    assert sliders(type_in(player, "y*x")) == [("y", 3.0), ("x", -4.5)]
    assert sliders(type_in(player, "y*xa")) == [("y", 3.0), ("xa", -4.5)]


def test_a_name_may_be_that_of_another_input():
    player = expression("gradients * expression")
    assert shown(type_in(player, gradients=False, expression=7.0))["root"] == "14.0000"
    assert player.spec["controls"][0]["value"] == "gradients * expression"


def test_a_slider_changes_the_numbers_and_not_the_stage():
    player = expression("tanh(x*w + b)", gradients=True)
    stage, before = player.spec["stage"], shown(player.spec)
    after = type_in(player, x=-0.3)
    assert after["stage"] == stage and shown(after) != before
    assert set(shown(after)) == set(before)
    assert set(after["frames"][0]["set"]) <= set(pictures.parts(stage))


def test_numbers_alone():
    assert expression("2*3 + 1").text() == (
        "1. 1 node: 1 plain number. The result is 7.0000. Numbers alone are worked out before the engine sees them; "
        "add a name to give it work."
    )


def test_a_graph_too_large_to_draw_is_collapsed():
    spec = expression("+".join(["x*y"] * 40), gradients=True).spec
    assert shown(spec)["count"] == "81" and "more than the 60 that a drawing can show" in spec["frames"][0]["say"]
    assert "x.grad = 120.0000" in spec["frames"][0]["say"]


def test_without_graphviz_there_is_a_table(monkeypatch):
    monkeypatch.setattr(layout, "BACKENDS", (pictures.absent,))
    pictures.clear()
    try:
        player = expression("x*y", gradients=True)
        texts = pictures.texts(player.recording.render(player.recording.frames[0].marks))
        assert texts["n2.data"] == "6.0000" and texts["n0.grad"] == "3.0000"
        assert "<table>" in player.spec["stage"]
    finally:
        pictures.clear()


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"leaf x": "2"}, "x needs a real number, got the str '2'."),
        ({"leaf x": None}, "x needs a real number, got None."),
        ({"leaf x": math.inf}, "x is a number on a slider, from -1.8e308 to 1.8e308; got inf."),
        ({"expression": 5}, "an expression is a text, such as 'x*y + 3*x'; got int."),
    ],
)
def test_bad_input_gets_a_sentence_and_the_last_picture_stays(values, sentence):
    player = expression()
    before = player.spec
    known = {control["name"]: control["value"] for control in before["controls"]}
    player.request = {"values": {**known, **values}, "presses": [], "number": 1}
    assert player.spec["message"].startswith(sentence) and player.reply == 1
    assert (player.spec["stage"], player.spec["frames"]) == (before["stage"], before["frames"])


@pytest.mark.parametrize(
    ("arguments", "fault", "sentence"),
    [
        (("x +",), ValueError, r"here the text ends.\n    x \+\n       \^"),
        ((5,), TypeError, "an expression is a text"),
        (("x", {"x": "1"}), TypeError, "x needs a real number"),
        (("x", {"x": math.nan}), ValueError, "x is a number on a slider"),
        (("log(x)", {"x": -1}), ValueError, "log of x = -1.0: log needs a positive number"),
    ],
)
def test_wrong_arguments_are_refused(arguments, fault, sentence):
    before = len(REGISTRY)
    with pytest.raises(fault, match=sentence):
        expression(*arguments)
    gc.collect()
    assert len(REGISTRY) <= before


def test_the_switch_is_true_or_false():
    with pytest.raises(TypeError, match="gradients is True or False, got the str 'yes'"):
        expression("x", gradients="yes")


def test_hostile_names_are_text_and_what_is_sent_is_plain():
    player = expression("x")
    type_in(player, "<script>alert(1)</script>")
    assert player.spec["message"].startswith("At character 1: ") and "<script" not in player.spec["stage"]
    type_in(player, "1e200*x*1e200")
    assert shown(player.spec)["root"] == "inf"
    assert json.loads(json.dumps(player.spec, allow_nan=False))["frames"] == player.spec["frames"]


def test_labs_are_apart_from_each_other_and_freed_when_closed():
    gc.collect()
    before = len(REGISTRY)
    labs = [expression("x"), expression("x + y")]
    type_in(labs[0], "x*x*x", x=4.0)
    assert shown(labs[1].spec)["root"] == "5.0000"
    gone = [weakref.ref(lab) for lab in labs]
    for lab in labs:
        lab.close()
    del lab, labs
    gc.collect()
    assert [ref() for ref in gone] == [None, None] and len(REGISTRY) == before
