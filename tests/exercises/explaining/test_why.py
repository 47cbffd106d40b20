"""`exercises.why`: paths counted and ranked, what cancels, which factor is small."""

import math
import random

import pytest

import exercises
from autograd import MLP, Value, topological_order
from autograd.errors.messages import show
from exercises.engine_file import trial
from exercises.verdicts.cases import cases
from tests.approve import approved
from tests.behaviour import graph


def walked(node, root):
    """Yield the products of all paths from the root to a node, one by one."""
    if node is root:
        return [1.0]
    return [local * rest for input, local in zip(root._prev, root._local) for rest in walked(node, input)]


@pytest.mark.parametrize("case", cases(count=40), ids=lambda case: case.root + str(len(case.steps)))
def test_why_ranks_paths_and_their_sum_is_the_gradient(case):
    nodes = case.run(Value)
    root = nodes[case.root]
    for name, _ in case.leaves:
        found, products = exercises.why(nodes[name], root), walked(nodes[name], root)
        assert found.count == len(products)
        assert found.gradient == pytest.approx(math.fsum(products), abs=1e-9)
        assert found.gradient == pytest.approx(case.gradients()[name], abs=1e-9)
        largest = sorted(map(abs, products), reverse=True)[: len(found.paths)]
        assert [abs(path.product) for path in found.paths] == pytest.approx(largest, abs=1e-12)
        assert found.up - found.down == pytest.approx(found.gradient, abs=1e-9)
        assert found.up + found.down == pytest.approx(math.fsum(map(abs, products)), abs=1e-9)
        for path in found.paths:
            assert math.prod(number for number, _ in path.factors) == pytest.approx(path.product, abs=1e-9)


NEURON = "(loss := (z := x1 * w1 + b).sigmoid() * -0.6)", {"w1": -0.5, "x1": 2.0, "b": 0.8}
GATES = " + ".join(f"(g{i} + x * 0.1).relu()" for i in range(6))
SAID = [  # an expression and its leaves; the first of these is explained
    NEURON,
    ("x * 5 - x * 4", {"x": 3.0}),
    ("x * 2 - x * 2", {"x": 3.0}),
    ("x * 0.1 + x * 0.2 - x * 0.3", {"x": 3.0}),
    ("x * 2 - x * 1.99999", {"x": 3.0}),
    ("x.relu() * 2", {"x": -3.0}),  # a shut gate
    ("a * x + x * a", {"x": 2.0, "a": 0.0}),
    ("a * x + x * 3", {"x": 2.0, "a": 0.0}),  # one path brings 3
    (GATES, {"x": 2.0} | {f"g{i}": -1.0 - i for i in range(6)}),
    ("x * w", {"x": 1.0, "w": 1e-9}),
    ("w * w", {"x": 1.0, "w": 2.0}),
]


def test_why_messages():
    said = []
    for code, numbers in SAID:
        root, nodes = graph(code, **numbers)
        said.append(f"{code}, {numbers}: {exercises.why(next(iter(nodes.values())), root)!r}")
    approved("why", "\n".join(said))
    slope = math.exp(0.2) / (1 + math.exp(0.2)) ** 2  # of the sigmoid at z = -0.2
    begins = f"∂loss/∂w1 is {2 * slope * -0.6:.4f}: one path, 2.0000 (x1) × {slope:.4f} (sigmoid′ at z) × "
    assert begins in said[0] and said[0].endswith(f"it leaves {100 * slope:.2g} %.")


@pytest.mark.parametrize("factor, count, left", [(0.5, 30, "9.3e-10 of it"), (-0.9, 4, "66 %"), (0.25, 3, "1.6 %")])
def test_repeated_factors_are_written_as_a_power(factor, count, left):
    y = x = Value(1.0, label="x")
    for _ in range(count):
        y = y * factor
    said, power = repr(exercises.why(x, y)), str(count).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    base = f"({factor:.4f})" if factor < 0 else f"{factor:.4f}"
    assert f"one path, {base}{power} (" in said and f" = {show(factor**count)}" in said
    assert f"is {factor:.4f}, {count} times a factor: they leave " in said and left in said


def test_several_small_factors_share_the_blame():
    x = Value(0.0, label="x")
    said = repr(exercises.why(x, x.sigmoid().sigmoid().sigmoid()))
    assert said.endswith("It is small because of 3 factors below ½: together they leave 1.3 %.")


def test_answer_field_comes_before_the_explanation():
    root, nodes = graph(*NEURON[:1], **NEURON[1])
    page = exercises.why(nodes["w1"], root)._repr_mimebundle_()["text/html"]
    assert page.index("<input") < page.index("<details>") < page.index("one path")


@pytest.mark.parametrize(
    ("start", "code", "times", "said"),
    [
        (1.0001, "x * 0.5 + x * 0.5", 200, "over about 10^60 paths"),
        (-1.0, "x.relu() + x.relu()", 60, "each of about 10^18 paths brings 0"),  # a dead network
        (1.0, "x + x", 50, "over about 10^15 paths"),
    ],
)
def test_exponentially_many_paths_are_counted_without_walking(start, code, times, said):
    x = root = Value(start, label="x")
    for _ in range(times):
        root = eval(code, {"x": root})
    found = exercises.why(x, root)
    assert found.count == 2**times and len(found.paths) <= 3 and said in repr(found)


def test_why_works_on_a_network_with_weighted_sums():
    network = MLP(2, [8, 8, 1], rng=random.Random(0))
    loss = (network([Value(0.5), Value(-1.0)]) - 1) ** 2
    loss.backward()
    for parameter in network.parameters()[:5]:
        assert exercises.why(parameter, loss).gradient == pytest.approx(parameter.grad, abs=1e-12)
    assert exercises.why(network.parameters()[0], loss).count == 8


@pytest.mark.parametrize("number", [math.inf, -math.inf, 2.0])
@pytest.mark.parametrize("code", ["a * b + a", "b * 0.0 * (a * 3.0)", "(a * b + a**3).tanh() * 4.0"])
def test_why_uses_the_learners_gradient_and_changes_nothing(code, number):
    """Also if a factor is infinite, and if zero times infinity is no number."""
    root, nodes = graph(code, trial.template_engine().Value, a=number, b=-3.0)
    root.backward()
    for node in nodes.values():
        before = node.grad
        assert exercises.why(node, root).gradient == pytest.approx(before, nan_ok=True)
        assert node.grad == pytest.approx(before, nan_ok=True)


def test_why_rejects_invalid_pairs_of_nodes():
    root, nodes = graph(*NEURON[:1], **NEURON[1])
    with pytest.raises(ValueError, match="the node first and the root second"):
        exercises.why(root, nodes["w1"])
    with pytest.raises(TypeError, match="two nodes"):
        exercises.why(3, root)
    a = Value(2.0, label="a")
    assert repr(exercises.why(Value(1.0), a * a)) == "∂v1/∂the node is 0.0000: no path leads from the node to v1."
    b = a * 3.0
    a._prev = (b,)
    with pytest.raises(ValueError, match="a depends on itself"):
        exercises.why(a, b)


def test_why_names_the_nodes_that_end_zero_paths():
    shut = MLP(2, [4, 4, 1], "relu", "relu", init="uniform_zero_bias", rng=random.Random(0))
    output = shut([1.0, 1.0])
    found = exercises.why(shut.parameters()[0], output)
    assert [node for node in topological_order(output) if node._op == "relu" and node is output] == [output]
    assert output._local == (0.0,)
    assert found.gradient == 0 and found.count == 4 and len(found.ends) == 1
    assert repr(found).endswith(f"each of 4 paths brings 0. Going back, they end at {found.ends[0]}, which is 0.")
