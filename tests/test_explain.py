"""What is said of a number that a person typed: the simplest slip of a pencil that gives it, and no engine's bug."""

import functools
import itertools
import math

import pytest

import autograd
import exercises
from autograd.steps import backward_steps
from exercises.engine_file import check
from exercises.engines.wrong_engines import WRONG_ENGINES
from exercises.verdicts.cases import same
from figures.labs import step


def sum_of_products(make):
    """ab + (b + c): b is used twice."""
    a, b, c = make(2.0), make(3.0), make(4.0)
    return a * b + (b + c)


def factor_twice(make):
    """(ab)(a + b) at (-2, 3): two paths from each leaf."""
    a, b = make(-2.0), make(3.0)
    return (a * b) * (a + b)


def product_and_sum(make):
    """(c + d) + cd with c = a + b and d = ab: a wrong order shows."""
    a, b = make(2.0), make(3.0)
    c, d = a + b, a * b
    return (c + d) + (c * d)


def sigmoid_neuron(make):
    """The neuron of lesson 03: ½(σ(w·x + b) - y)²."""
    x1, x2, w1, w2, b, y = make(2.0), make(3.0), make(0.5), make(-0.5), make(0.1), make(1.0)
    return (((w1 * x1 + w2 * x2) + b).sigmoid() - y) ** 2 * make(0.5)


def tanh_neuron(make):
    """The tanh neuron whose output is 0.7071."""
    x1, x2, w1, w2 = make(2.0), make(0.0), make(-3.0), make(1.0)
    return ((w1 * x1 + w2 * x2) + make(6.8813735870195432)).tanh()


def relu_twice(make):
    """x = -4: z = 2x + 2 + x; q = relu(z) + zx; h = relu(z²); h + q + qx."""
    x = make(-4.0)
    z = make(2.0) * x + make(2.0) + x
    q = z.relu() + z * x
    h = (z * z).relu()
    return h + q + q * x


def mixture(make):
    """Beside the standard graphs: exp, tanh, ** and relu at 0, numbers on the left, and two leaves of one value."""
    a, b = make(0.5), make(0.5)
    p = a * b
    curved = p.exp() * p + p.tanh() * p + p**3
    return (a - b).relu() * a + (1 - p) * (2 / b) + curved


def maker(engine):
    """`make(number)` for a graph: leaves labelled x0, x1, …, as they are made."""
    count = itertools.count()
    return lambda number: engine(number, label=f"x{next(count)}")


STANDARD = (sum_of_products, factor_twice, product_and_sum, sigmoid_neuron, tanh_neuron, relu_twice)
GRAPHS = (*STANDARD, mixture)


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.__name__)
def test_a_right_number_is_never_explained(graph):
    root = graph(maker(autograd.Value))
    for one in backward_steps(root):
        if one.kind == "chain":
            assert not any(same(value, one.after) for value, _ in exercises.explain(root, one))


def labelled():
    """(ab + c)f at (2, -3, 10, -2), as in lesson 03, and its steps by the label of the input."""
    a, b, c, f = (autograd.Value(number, label=label) for label, number in dict(a=2, b=-3, c=10, f=-2).items())
    root = (a * b + c) * f
    order = autograd.topological_order(root)
    steps = {order[one.input].label: one for one in backward_steps(root) if one.kind == "chain"}
    return root, steps


def sentences(root, one, number):
    """What is said of a number at a step."""
    return [said for value, said in exercises.explain(root, one) if same(value, number)]


def x_times(uses):
    """x + x + … with x = 1 after a factor 3, so that each use brings 3."""
    x = autograd.Value(2.0, label="x")
    return sum((x for _ in range(uses - 1)), x) * autograd.Value(3.0, label="k")


def skipped():
    """f = m·n + x, m = 5x, n = x + 1 at x = 2: paths bring 15, 10 and 1."""
    x = autograd.Value(2.0, label="x")
    return (x * 5.0) * (x + 1.0) + x


def one_way():
    """f = (5x)² · 3 at x = 2: one path of the factors 5, 20 and 3."""
    x = autograd.Value(2.0, label="x")
    return ((x * 5.0) ** 2) * 3.0


def below():
    """f = (1 - x) · 4."""
    return (1.0 - autograd.Value(3.0, label="x")) * 4.0


PENCIL = [  # a graph, what is typed for x.grad, how the sentence begins; "?" where a question is asked
    (functools.partial(x_times, 3), 6, "one of the 3 uses forgotten"),
    (functools.partial(x_times, 3), 3, "one path alone"),
    (functools.partial(x_times, 4), 9, "one of the 4 uses forgotten"),
    (functools.partial(x_times, 4), 6, "2 of the 4 uses forgotten"),
    (functools.partial(x_times, 2), 9, "paths multiplied"),
    (functools.partial(x_times, 2), -6, "the sign"),
    (functools.partial(x_times, 2), 6.7, "?"),
    (skipped, 16, "one of the 3 uses forgotten"),
    (skipped, 11, "one of the 3 uses forgotten"),
    (skipped, 1, "only the direct path"),
    (skipped, 15, "one path alone"),
    (skipped, 150, "paths multiplied"),
    (one_way, 300, None),
    (one_way, 100, "a factor forgotten"),
    (one_way, 15, "a factor forgotten"),
    (one_way, 28, "added along the path"),
    (one_way, 5, "the upstream gradient forgotten"),
    (one_way, -300, "the sign"),
    (below, 4, "the sign"),
    (below, -1, "the upstream gradient forgotten"),
]


@pytest.mark.parametrize("make, typed, name", PENCIL)
def test_a_slip_of_the_pencil_is_named_and_no_other(make, typed, name):
    verdict = check.predict(make(), x=typed)
    said = verdict.text()
    if name is None:
        assert verdict
    elif name == "?":
        assert not verdict and said.count("?") >= 1
    else:
        assert f"{name[0].upper()}{name[1:]}. " in said and " Or: " not in said and len(verdict.mistakes) == 1


def spoken(root):
    """All that is said at any step."""
    return [said for one in backward_steps(root) if one.kind == "chain" for _, said in exercises.explain(root, one)]


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.__name__)
def test_no_bug_of_an_engine_is_named(graph):
    said = spoken(graph(maker(autograd.Value)))
    assert len(said) > 10
    for wrong in WRONG_ENGINES:
        assert not any(each.lower().startswith(f"{wrong.name.lower()}.") for each in said), wrong.name


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.__name__)
def test_a_number_is_told_once(graph):
    root = graph(maker(autograd.Value))
    for one in backward_steps(root):
        if one.kind == "chain":
            numbers = [number for number, _ in exercises.explain(root, one)]
            assert not any(same(*pair) for pair in itertools.combinations(numbers, 2))


def test_the_recording_of_the_lab_carries_the_explanations():
    a, b, c = (autograd.Value(number, label=label) for label, number in dict(a=2, b=-3, c=10).items())
    frames = step.record((a * b + c) * -2.0, forward=False, predict=True, explain=exercises.explain).frames
    asks = [frame.ask for frame in frames if frame.ask]
    assert asks and all(ask["wrong"] for ask in asks)
    ask = next(ask for ask in asks if ask["what"] == "a.grad")  # 6 is right
    assert any(number == -3.0 and "The upstream gradient forgotten" in said for number, said in ask["wrong"])
    assert all(math.isfinite(number) for ask in asks for number, _ in ask["wrong"])


def test_a_graph_of_very_many_paths_is_explained_without_walking_them():
    node = autograd.Value(1.001, label="x")
    for _ in range(40):
        node = node + node * autograd.Value(-0.5)
    one = list(backward_steps(node))[-1]
    assert [said for _, said in exercises.explain(node, one)] != []


def test_a_quarter_for_each_sigmoid_is_named():
    """Lesson 10's three sigmoids: ¼ is the slope of the first alone, whose input is 0."""
    x = autograd.Value(0.0, label="x")
    root = x.sigmoid().sigmoid().sigmoid()
    said = exercises.check.predict(root, x=1 / 64).text()
    assert "slope at 0 everywhere" in said and "¼ is the sigmoid's slope at 0" in said
