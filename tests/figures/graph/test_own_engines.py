"""Labs on the nodes of a learner's engine: they show what its own rules compute, and leave its nodes unchanged."""

import re

import numpy as np
import pytest

import figures
from exercises import check, why
from exercises.verdicts.results import PASSED, WRONG
from figures.graph.reader import Node, read_slopes, things_of
from figures.graph.sums import gradients_of
from tests.behaviour import graph
from tests.engines import ADDED, CLOSURES, KEPT, STYLES, engine
from tests.pictures import Bare, expected, texts

LEAVES = {"w1": -0.5, "w2": 1.5, "x1": 2.0, "x2": 0.25, "b": 0.8}
LOSS = "(y := ({}).tanh()) * y + (y - 1) ** 2"
STEPS = "step_forward", "step_backward", "step_through"


def made(style):
    """Return (root, {name: node}) of a loss that uses a neuron's output three times, in an engine's style."""
    text, code = STYLES[style]
    return graph(LOSS.format(code), engine(text), **LEAVES)


def gradients():
    """Return {leaf: gradient} of the same loss, from autograd."""
    root, nodes = graph(LOSS.format("w1 * x1 + w2 * x2 + b"), **LEAVES)
    root.backward()
    return {name: nodes[name].grad for name in LEAVES}


def state(root):
    kept = ("data", "grad", "label", "_prev", "_backward")
    return [getattr(thing, name, None) for thing in things_of(root) for name in kept]


def shown_locals(root, shown):
    """Return {leaf: gradient} computed from the local derivatives on the arrows of a drawing."""
    nodes = read_slopes(root)
    keys = [[f"e{i}.{k}.local" for k in range(len(node.inputs))] for i, node in enumerate(nodes)]
    slopes = [tuple(number_of(shown[key]) for key in each) for each in keys]
    drawn = [Node(node.name, True, "", 0.0, None, node.inputs, slope) for node, slope in zip(nodes, slopes)]
    return {node.name: gradient for node, gradient in zip(nodes, gradients_of(drawn)) if node.name in LEAVES}


def leaves_of(root):
    return [thing for thing in things_of(root) if getattr(thing, "label", "") in LEAVES]


def number_of(text):
    return float(text.replace("−", "-"))


def in_words(pattern, said):
    """{name: number} that a sentence gives."""
    return {name: number_of(number) for name, number in re.findall(pattern, said)}


def by_predict(root):
    right = gradients()
    assert check.predict(root, **right).state == PASSED
    assert [
        (name, number) for name, number in right.items() if check.predict(root, **{name: number + 0.1}).state != WRONG
    ] == []
    return right


def by_step(name):
    def read(root):
        shown = expected(getattr(figures, name)(root).recording.frames[-1].updates)
        if name == "step_forward":
            return shown_locals(root, shown)
        places = {node.name: i for i, node in enumerate(read_slopes(root))}
        return {leaf: number_of(shown[f"n{places[leaf]}.grad"]) for leaf in LEAVES}

    return read


def by_order(root):
    said = figures.order(root, choice="reverse topological").recording.frames[-1].say
    assert said.startswith("Right: ")
    return in_words(r"(\w+)\.grad = (-?[\d.]+\d)", said)


def by_paths(root):
    found = {}
    for name in LEAVES:
        frames = figures.paths(root, name).recording.frames
        assert sum(frame.at.startswith("Path ") for frame in frames) == 3  # y · y has two of them
        found |= in_words(r"= (?=-?[\d.]+ = (\w+)\.grad)(-?[\d.]+\d)", frames[-1].say)
    return found


def by_forward_mode(root):
    frames = figures.forward_mode(root).recording.frames
    found = {}
    for frame in frames:
        if frame.at.endswith("result"):
            found |= in_words(r"∂\w+/∂(\w+) = (-?[\d.]+\d)", frame.say)
    return {name: found[name] for name in LEAVES}


LABS = {
    "draw_graph": lambda root: shown_locals(root, texts(figures.draw_graph(root, local=True).svg)),
    **{name: by_step(name) for name in STEPS},
    "order": by_order,
    "paths": by_paths,
    "forward_mode": by_forward_mode,
    "check.predict": by_predict,
    "why": lambda root: {thing.label: why(thing, root).gradient for thing in leaves_of(root)},
}


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("lab", LABS)
def test_labs_show_gradients_of_any_engine_and_leave_it_unchanged(lab, style):
    root, _ = made(style)
    before = state(root)
    shown = LABS[lab](root)
    assert state(root) == before
    assert shown == pytest.approx(gradients(), abs=2e-3 if lab in ("draw_graph", "step_forward") else 6e-5)


# Rules that are wrong, or missing

PRODUCT = "            self.grad += other.data * out.grad"
FACTOR = PRODUCT, "            self.grad += 5.0 * out.grad"
ASSIGNED = ADDED, ADDED.replace("+=", "=")
NO_UPSTREAM = PRODUCT, "            self.grad += other.data"
RAISES = PRODUCT, "            raise KeyError(7)"
ONE_SHARE = PRODUCT, "            pass"
ODD = '(self, other), "*"', '(self, other), "mul"'
NO_RULES = "out._backward = _backward", "pass"
NEEDS_SLOPES = {
    "draw_graph": lambda root: figures.draw_graph(root, local=True),
    **{name: getattr(figures, name) for name in ("order", "paths", "forward_mode")},
    "why": lambda root: why(root, root),
    "check.predict": lambda root: check.predict(root, a=1),
}


def own(*swaps, code="a * b"):
    """Return the root of an expression of a = 2 and b = 3, on an engine with some text replaced."""
    return graph(code, engine(CLOSURES, *swaps), a=2.0, b=3.0)[0]


def grads_of(player):
    """Return the gradients of a and b in the last frame of a step lab."""
    updates = expected(player.recording.frames[-1].updates)
    return updates["n0.grad"], updates.get("n1.grad")


def test_wrong_rule_shows_its_own_numbers():
    root = own(FACTOR)
    assert texts(figures.draw_graph(root, local=True).svg)["e2.0.local"] == "5"
    assert "local derivative 5.0000 times upstream gradient 1.0000" in figures.step_backward(root).render_text()
    assert grads_of(figures.step_through(root)) == ("5", "2")
    assert why(root._prev[0], root).gradient == 5.0
    assert check.predict(root, a=5).state == PASSED


@pytest.mark.parametrize(
    ("swap", "code", "grad", "opening", "step"),
    [
        (ASSIGNED, "a + a", "1", "v1 replaces what is in a grad", "(its 2 edges at once)"),
        (ASSIGNED, "a + b * a", "1", "v3 replaces what is in a grad", "turns it into 1.0000"),
        (NO_UPSTREAM, "a * b * a", "6", "not a local derivative times v2.grad", "turns it into 3.0000"),
        (ONE_SHARE, "a * a", "2", "v1 has an input twice", "turns it into 2.0000"),
    ],
)
def test_rule_without_local_derivatives_is_run_without_questions(swap, code, grad, opening, step):
    root = own(swap, code=code)
    before = state(root)
    for lab in (figures.step_backward, figures.step_through):
        player = lab(root, predict=True)
        assert opening in player.recording.frames[0].say and step in player.render_text()
        assert [frame for frame in player.recording.frames if frame.ask] == []
        shown = grads_of(player)[0]
    assert state(root) == before
    root.backward()
    assert number_of(shown) == things_of(root)[0].grad


@pytest.mark.parametrize(
    ("root", "says"),
    [
        (own(NO_UPSTREAM), "What the rule of v2 passes on is not a local derivative times v2.grad."),
        (own(RAISES), "The rule of v2 raised KeyError: 7"),
        (own(ONE_SHARE, code="a * a"), "v1 has an input twice, and its rule passes on something else to it."),
        (own(ODD, NO_RULES), "v2 was made by 'mul', whose slope is not known here."),
        (Bare(1.0, [Bare(2.0)]), "v1 was made by an operation that `_op` does not name."),
        (Bare(np.ones(2), [Bare(2.0)]), "v1 is an array. Local derivatives are shown of graphs of single numbers."),
    ],
)
@pytest.mark.parametrize("lab", NEEDS_SLOPES)
def test_unreadable_graph_gets_one_message(lab, root, says):
    before = state(root)
    if lab == "why" and isinstance(root.data, np.ndarray):
        says = "why takes two nodes of a graph of numbers"
    with pytest.raises((TypeError, ValueError)) as caught:
        NEEDS_SLOPES[lab](root)
    assert says in str(caught.value)
    assert [(now, then) for now, then in zip(state(root), before, strict=True) if now is not then] == []


@pytest.mark.parametrize("code", ["a - b", "b / a", "b ** 2", "(b - a) * (b - a)", "a.relu() - b.relu()"])
def test_inputs_in_a_set_are_read_in_operation_order(code):
    """Try without rules, so that only `_op` gives the slopes, and with a class that calls relu ReLU."""
    kept = (KEPT, "self._prev = set(_prev)"), ('"relu"', '"ReLU"')
    minus = (
        "        return self + as_value(other) * -1",
        '        return Value(self.data - as_value(other).data, (self, as_value(other)), "-")\n\n'
        "    def __truediv__(self, other):\n"
        '        return Value(self.data / other.data, (self, other), "/")',
    )
    right, nodes = graph(code, a=2.0, b=3.0)
    right.backward()
    for _ in range(5):  # wherever they lie in memory
        root = own(*kept, minus, NO_RULES, code=code)
        assert in_words(r"∂\w+/∂(\w+) = (-?[\d.]+\d)", figures.forward_mode(root).recording.frames[-1].say) == {
            name: node.grad for name, node in nodes.items() if name in code
        }


def test_recursive_printing_rule_leaves_no_trace(capsys):
    """The rules recurse instead of using an order: each runs those of its inputs."""
    on = "other.grad += self.data * out.grad\n            print(out.grad)\n            self._backward()"
    root = own(("other.grad += self.data * out.grad", on), code="(a * b) * 4")
    root.backward()
    before, _ = state(root), capsys.readouterr()
    figures.draw_graph(root, local=True)
    assert state(root) == before and capsys.readouterr().out == ""
