"""`exercises.why`: paths counted and ranked, what cancels, which factor is small."""

import itertools
import math
import random

import pytest

import exercises
from autograd import MLP, Value, topological_order
from autograd.messages import show
from exercises.engine_file import parts
from exercises.verdicts.cases import cases


def walked(node, root):
    """The products of all paths from the root to a node, one by one."""
    if node is root:
        return [1.0]
    return [local * rest for input, local in zip(root._prev, root._local) for rest in walked(node, input)]


@pytest.mark.parametrize("case", cases(count=40), ids=lambda case: case.root + str(len(case.steps)))
def test_the_largest_paths_their_number_and_their_sum(case):
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


def neuron():
    x1, w1, b = Value(2.0, label="x1"), Value(-0.5, label="w1"), Value(0.8, label="b")
    z = x1 * w1 + b
    z.label = "z"
    loss = z.sigmoid() * -0.6
    loss.label = "loss"
    return w1, loss


def test_one_path_in_words():
    w1, loss = neuron()
    slope = loss._prev[0]._local[0]
    said = repr(exercises.why(w1, loss))
    assert said.startswith(
        f"∂loss/∂w1 is {2 * slope * -0.6:.4f}: one path, 2.0000 (x1) × {slope:.4f} (sigmoid′ at z) ×"
    )
    assert said.endswith(f"What makes it small is sigmoid′ at z: it leaves {100 * slope:.2g} %.")


@pytest.mark.parametrize(
    "f, said",
    [
        (lambda a: a * 5.0 - a * 4.0, "5.0000 in all and others -4.0000, so they cancel in part, and 1.0000 is left."),
        (lambda a: a * 2.0 - a * 2.0, "bring 2.0000 in all and others -2.0000, so they cancel."),
        (lambda a: a * 0.1 + a * 0.2 - a * 0.3, "others -0.3000, so they cancel."),
        (lambda a: a * 2.0 - a * 1.99999, "bring 2.0 in all and others -1.99999, so they cancel in part"),
    ],
)
def test_what_cancels_is_said_with_its_numbers(f, said):
    a = Value(3.0, label="a")
    assert said in repr(exercises.why(a, f(a)))


@pytest.mark.parametrize("factor, count, left", [(0.5, 30, "9.3e-10 of it"), (-0.9, 4, "66 %"), (0.25, 3, "1.6 %")])
def test_a_chain_of_equal_factors_is_a_power(factor, count, left):
    y = x = Value(1.0, label="x")
    for _ in range(count):
        y = y * factor
    said, power = repr(exercises.why(x, y)), str(count).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    base = f"({factor:.4f})" if factor < 0 else f"{factor:.4f}"
    assert f"one path, {base}{power} (" in said and f" = {show(factor**count)}" in said
    assert f"is {factor:.4f}, {count} times a factor: they leave " in said and left in said


def test_a_shut_gate_leaves_nothing():
    a = Value(-3.0, label="a")
    found = exercises.why(a, a.relu() * 2.0)
    assert found.gradient == 0 and "it leaves nothing" in repr(found)


def test_a_line_for_ones_own_sentence_comes_first():
    page = exercises.why(*neuron())._repr_mimebundle_()["text/html"]
    assert page.index("<input") < page.index("<details>") < page.index("one path")


def test_paths_are_counted_and_not_walked():
    x = root = Value(1.0001, label="x")
    for _ in range(200):
        root = root * 0.5 + root * 0.5
    found = exercises.why(x, root)
    assert found.count == 2**200 and len(found.paths) == 3


def test_in_a_dead_network_it_comes_to_an_end():
    x = root = Value(-1.0, label="x")
    for _ in range(60):
        root = root.relu() + root.relu()
    found = exercises.why(x, root)
    assert found.count == 2**60 and found.gradient == 0


def test_a_network_and_a_weighted_sum():
    network = MLP(2, [8, 8, 1], rng=random.Random(0))
    (out,) = itertools.chain([network([Value(0.5), Value(-1.0)])])
    loss = (out - 1) ** 2
    loss.backward()
    for parameter in network.parameters()[:5]:
        assert exercises.why(parameter, loss).gradient == pytest.approx(parameter.grad, abs=1e-12)
    assert exercises.why(network.parameters()[0], loss).count == 8


def test_on_ones_own_engine():
    own = parts.course_engine().Value
    a, b = own(2.0), own(-3.0)
    a.label, b.label = "a", "b"
    root = (a * b + a**3).tanh() * 4.0
    root.backward()
    for node in (a, b):
        before = node.grad
        assert exercises.why(node, root).gradient == pytest.approx(before)
        assert node.grad == before


def test_what_is_no_pair_of_a_node_and_its_root():
    w1, loss = neuron()
    with pytest.raises(ValueError, match="the node first and the root second"):
        exercises.why(loss, w1)
    with pytest.raises(TypeError, match="two nodes"):
        exercises.why(3, loss)
    apart = exercises.why(Value(1.0, label="far"), loss)
    assert repr(apart) == "∂loss/∂far is 0.0000: no path leads from far to loss."
    assert len(topological_order(loss)) > 1


@pytest.mark.parametrize("number", [math.inf, -math.inf])
def test_an_infinite_factor_is_an_infinite_gradient_as_in_the_engine(number):
    a, b = Value(number), Value(3.0)
    root = a * b + a
    root.backward()
    assert exercises.why(b, root).gradient == b.grad == number


def test_zero_times_infinity_is_what_the_engine_makes_of_it():
    a = Value(2.0)
    root = Value(0.0) * (Value(math.inf) * a)
    root.backward()
    assert math.isnan(a.grad) and math.isnan(exercises.why(a, root).gradient)


def test_where_every_path_brings_0_it_says_where_they_end():
    shut = MLP(2, [4, 4, 1], "relu", "relu", init="uniform_zero_bias", rng=random.Random(0))
    output = shut([1.0, 1.0])
    found = exercises.why(shut.parameters()[0], output)
    gates = [node for node in topological_order(output) if node._op == "relu" and node is output]
    assert len(gates) == 1 and output._local == (0.0,)
    assert found.gradient == 0 and found.count == 4 and len(found.ends) == 1
    assert repr(found).endswith(f"each of 4 paths brings 0. Going back, they end at {found.ends[0]}, which is 0.")
    a, b = Value(0.0, label="a"), Value(2.0, label="b")
    assert exercises.why(b, a * b + b * a).ends == ("a",)
    assert exercises.why(b, a * b + b * 3).ends == ()  # one path brings 3
    gates = [Value(-1.0 - i, label=f"g{i}") for i in range(6)]
    many = exercises.why(b, sum((gate + b * 0.1).relu() for gate in gates))
    assert many.count == 6 and " or 2 others, which are 0." in repr(many)


def test_numbers_too_long_to_print_are_rounded():
    y = b = Value(1.0, label="b")
    for _ in range(50):
        y = y + y
    assert "over about 10^15 paths" in repr(exercises.why(b, y))
    w = Value(1e-9, label="w")
    assert repr(exercises.why(b, b * w)).endswith("it leaves next to nothing, 1.0e-09 of it.")


def test_a_node_that_is_not_in_the_graph_and_a_graph_that_goes_in_a_circle():
    a = Value(2.0, label="a")
    assert repr(exercises.why(Value(1.0), a * a)) == "∂v1/∂the node is 0.0000: no path leads from the node to v1."
    b = a * 3.0
    a._prev = (b,)
    with pytest.raises(ValueError, match="goes in a circle"):
        exercises.why(a, b)


def test_inputs_that_are_kept_in_a_set():
    class Kept:
        def __init__(self, data, prev=(), op=""):
            self.data, self._prev, self._op, self.label = data, set(prev), op, ""

        def __mul__(self, other):
            return Kept(self.data * other.data, (self, other), "*")

    a = Kept(3.0)
    assert exercises.why(a, a * a).gradient == 6.0
    a._prev, a._op = {Kept(1.0)}, "mul"
    with pytest.raises(ValueError, match="v1 was made by 'mul', whose slope is not known here"):
        exercises.why(next(iter(a._prev)), a)
