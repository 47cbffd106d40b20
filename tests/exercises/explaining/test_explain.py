"""A typed number is explained by the simplest slip of a pencil that gives it, not by an engine's bug."""

import itertools
import math

import pytest

import autograd
import exercises
from autograd.inspect.steps import backward_steps
from exercises.engine_file import check
from exercises.engines.wrong_engines import WRONG_ENGINES
from exercises.verdicts.cases import is_close
from figures.labs import step
from tests.behaviour import graph

GRAPHS = {
    "b is used twice": ("a * b + (b + c)", {"a": 2.0, "b": 3.0, "c": 4.0}),
    "two paths from each leaf": ("(a * b) * (a + b)", {"a": -2.0, "b": 3.0}),
    "a wrong order shows": ("((c := a + b) + (d := a * b)) + (c * d)", {"a": 2.0, "b": 3.0}),
    "the neuron of lesson 03": (
        "(((w1 * x1 + w2 * x2) + b).sigmoid() - y) ** 2 * half",
        {"x1": 2.0, "x2": 3.0, "w1": 0.5, "w2": -0.5, "b": 0.1, "y": 1.0, "half": 0.5},
    ),
    "the tanh neuron whose output is 0.7071": (
        "((w1 * x1 + w2 * x2) + b).tanh()",
        {"x1": 2.0, "x2": 0.0, "w1": -3.0, "w2": 1.0, "b": 6.8813735870195432},
    ),
    "relu twice": ("(z := 2 * x + 2 + x) and (q := z.relu() + z * x) and (z * z).relu() + q + q * x", {"x": -4.0}),
    "exp, tanh, ** and relu at 0, numbers on the left, two leaves of one value": (
        "(a - b).relu() * a + (1 - (p := a * b)) * (2 / b) + (p.exp() * p + p.tanh() * p + p**3)",
        {"a": 0.5, "b": 0.5},
    ),
}


@pytest.mark.parametrize("code, numbers", GRAPHS.values(), ids=GRAPHS)
def test_explanations_are_unique_and_never_name_engine_bugs(code, numbers):
    root, _ = graph(code, **numbers)
    spoken = []
    for one in backward_steps(root):
        if one.kind == "chain":
            explained = list(exercises.explain(root, one))
            assert [number for number, _ in explained if is_close(number, one.after)] == []
            assert [
                pair for pair in itertools.combinations([number for number, _ in explained], 2) if is_close(*pair)
            ] == []
            spoken += [said for _, said in explained]
    assert len(spoken) > 10
    for wrong in WRONG_ENGINES:
        assert [said for said in spoken if said.lower().startswith(f"{wrong.name.lower()}.")] == [], wrong.name


SKIPPED = "(x * 5) * (x + 1) + x"  # at 2, paths bring 15, 10 and 1
ONE_WAY = "((x * 5) ** 2) * 3"  # at 2, the path has the factors 5, 20 and 3
PENCIL = [  # an expression of x, x, what is typed for x.grad, how the sentence begins; "?" if the reply is a question
    ("(x + x + x) * k", 2, 6, "one of the 3 uses forgotten"),
    ("(x + x + x) * k", 2, 3, "one path alone"),
    ("(x + x + x + x) * k", 2, 9, "one of the 4 uses forgotten"),
    ("(x + x + x + x) * k", 2, 6, "2 of the 4 uses forgotten"),
    ("(x + x) * k", 2, 9, "paths multiplied"),
    ("(x + x) * k", 2, -6, "the sign"),
    ("(x + x) * k", 2, 6.7, "?"),
    (SKIPPED, 2, 16, "one of the 3 uses forgotten"),
    (SKIPPED, 2, 11, "one of the 3 uses forgotten"),
    (SKIPPED, 2, 1, "only the direct path"),
    (SKIPPED, 2, 15, "one path alone"),
    (SKIPPED, 2, 150, "paths multiplied"),
    (ONE_WAY, 2, 300, None),
    (ONE_WAY, 2, 100, "a factor forgotten"),
    (ONE_WAY, 2, 15, "a factor forgotten"),
    (ONE_WAY, 2, 28, "added along the path"),
    (ONE_WAY, 2, 5, "the upstream gradient is forgotten"),
    (ONE_WAY, 2, -300, "the sign"),
    ("(1 - x) * 4", 3, 4, "the sign"),
    ("(1 - x) * 4", 3, -1, "the upstream gradient is forgotten"),
    ("(1 - x) * 4", 3, -0.04, "the change in place of the slope"),
    ("x * 0.5", 2, 0.005, "?"),  # a hundredth of a small slope is near too many numbers
    ("x.sigmoid().sigmoid().sigmoid()", 0, 1 / 64, "the slope at 0 everywhere"),  # ¼ is the slope of the first alone
]


@pytest.mark.parametrize("code, x, typed, name", PENCIL)
def test_only_the_matching_hand_error_is_named(code, x, typed, name):
    verdict = check.predict(graph(code, x=float(x), k=3.0)[0], x=typed)
    said = verdict.render_text()
    if name is None:
        assert verdict
    elif name == "?":
        assert not verdict and said.count("?") >= 1
    else:
        assert f"{name[0].upper()}{name[1:]}. " in said and " Or: " not in said and len(verdict.mistakes) == 1
    assert ("¼ is the sigmoid's slope at 0" in said) == ("sigmoid" in code)


def test_lab_recording_contains_the_explanations():
    root, _ = graph("(a * b + c) * -2.0", a=2, b=-3, c=10)
    frames = step.record(root, forward=False, predict=True, explain=exercises.explain).frames
    asks = [frame.ask for frame in frames if frame.ask]
    assert asks and [ask for ask in asks if not ask["wrong"]] == []
    ask = next(ask for ask in asks if ask["what"] == "a.grad")  # 6 is right
    assert any(number == -3.0 and "The upstream gradient is forgotten" in said for number, said in ask["wrong"])
    assert [(ask, number) for ask in asks for number, _ in ask["wrong"] if not math.isfinite(number)] == []


def test_explaining_avoids_walking_exponentially_many_paths():
    node = autograd.Value(1.001, label="x")
    for _ in range(40):
        node = node + node * autograd.Value(-0.5)
    one = list(backward_steps(node))[-1]
    assert [said for _, said in exercises.explain(node, one)] != []
