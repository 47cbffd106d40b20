"""Lesson 08: every number in its text is what the engine, dual numbers, floats or PyTorch give."""

import math
import random
import statistics

import pytest

import autograd
import figures
from autograd import MLP, Layer, Neuron, Value, topological_order
from autograd.dual import forward_gradient
from exercises import explain
from exercises.course import pytorch
from exercises.engine_file import check, trial
from exercises.quizzes import quiz_data
from figures.labs import shape, shape_picture
from tests.notebooks import Lesson

LESSON = Lesson("08", with_solutions=True)
INPUTS = [1.0, 2.0]


def gradients_shown(nodes):
    """The gradients of some nodes, as they are shown."""
    return [f"{node.grad:.4f}" for node in nodes]


@pytest.mark.long
def test_the_neuron_by_hand_and_its_weighted_sum_as_one_node():
    w1, w2, b = (Value(number, label=name) for name, number in (("w1", 0.3), ("w2", -0.4), ("b", 0.1)))
    out = (b + w1 * 1.0 + w2 * 2.0).tanh()
    assert math.tanh(0.1 + 0.3 * 1 - 0.4 * 2) == pytest.approx(out.data, abs=1e-15)
    slopes = forward_gradient(lambda w1, w2, b: (b + w1 * 1.0 + w2 * 2.0).tanh(), [0.3, -0.4, 0.1])
    assert check.predict(out, w1=0.8556, w2=1.7113, b=0.8556) and not check.predict(out, w1=0.3, w2=1.7113, b=0.8556)
    leaves = [node for node in topological_order(out) if not node._prev]
    assert (len(topological_order(out)), len(leaves), sum(bool(leaf.label) for leaf in leaves)) == (10, 5, 3)
    LESSON.says(f"{slopes[0]:.4f} × 2 = {slopes[1]:.4f}", "The ten boxes")
    LESSON.says("0.1 + 0.3 - 0.8 = **-0.4**. The output is tanh(-0.4) = **-0.3799**.")
    LESSON.shows("out   tanh     z       -0.3799")

    z = autograd.weighted_sum([w1, w2], INPUTS, b)
    one = z.tanh()
    frames = figures.step_backward(one, predict=True, explain=explain).recording.frames
    asked = [f"{frame.ask['answer']:.4f}" for frame in frames if frame.ask]
    assert asked == ["0.8556", "0.8556", "1.7113", "0.2567", "-0.3423", "0.8556"]
    drawn = figures.draw_graph(one).html()
    assert "v2" in drawn and "v3" in drawn
    one.backward()
    assert z._local == (1, 2, 0.3, -0.4, 1) and len(topological_order(one)) == 7
    assert one.data == out.data and gradients_shown(z._prev) == ["0.8556", "1.7113", "0.2567", "-0.3423", "0.8556"]
    inputs = forward_gradient(lambda x1, x2: (0.1 + 0.3 * x1 - 0.4 * x2).tanh(), INPUTS)
    assert [x.grad for x in z._prev[2:4]] == inputs
    LESSON.says("{:.4f} and {:.4f}".format(*inputs), "seven boxes in place of ten")


def test_a_layer_17_and_37():
    layer = Layer(2, 4, rng=random.Random(8))
    found = [out.data for out in layer(INPUTS)]
    for neuron, out in zip(layer.neurons, found):
        total = sum(w.data * x for w, x in zip(neuron.weights, INPUTS)) + neuron.bias.data
        assert out == pytest.approx(math.tanh(total))
    alone = MLP(2, [4], output="tanh", rng=random.Random(8))
    LESSON.shows(f"it gives {', '.join(f'{out:.4f}' for out in found)}.")
    assert [out.data for out in alone(INPUTS)] == found and len(alone.parameters()) == 12 == (2 + 1) * 4
    counts = [len(layer.parameters()) for layer in MLP(2, [4, 4, 1]).layers]
    LESSON.says(
        "{} + {} + {} = <b>{}</b>".format(*counts, sum(counts)), f"8 + 16 + 4 = {2 * 4 + 4 * 4 + 4 * 1} weights"
    )
    LESSON.says("(2 + 1) · 4 = 12 parameters", "(4 + 1) · 1 = 5. That makes **17**.")
    assert sum(counts) == 2 * 4 + 4 * 4 + 4 * 1 + 9 == 37
    assert [len(layer.parameters()) for layer in MLP(2, [4, 1]).layers] == [12, 5]


def test_the_shape_lab():
    lab = shape.shape(2, [4, 4, 1])
    net = lab.network
    bias, terms = shape_picture.opened_sum(net, 2, 3)
    assert net.parameters == 37 and f"{terms[-1][0]:.4f}" == "-0.7986"
    assert f"{terms[-1][3]:.4f}" == f"{net.values[2][2]:.4f}" == "0.0093"
    assert {product > 0 for *_, product, _ in terms} == {True, False} and bias < 0
    assert all(abs(value) > 0.2 for j, value in enumerate(net.values[2]) if j != 2)
    widths = {n: shape.Network(lab.values | {"hidden2": 0, "hidden1": n}).parameters for n in range(1, 17)}
    assert [n for n, count in widths.items() if count == 37] == [9]
    LESSON.says(f"{terms[0][0]:.4f}", f"{net.nodes} nodes in place of {net.ops}")


def test_equal_weights_get_equal_gradients_for_ever_and_the_histogram():
    equal = MLP(2, [4, 1], init=lambda rng, fan_in, fan_out: 0.5)
    for step in range(20):
        assert len({tuple((p.data, p.grad) for p in neuron.parameters()) for neuron in equal.layers[0].neurons}) == 1
        equal.zero_grad()
        out = equal(INPUTS)
        autograd.half_squares([out], [1.0]).backward()
        if step == 0:
            y = math.tanh(0.5 + 1.0)
            upstream = (4 * 0.5 * y - 1) * 0.5 * (1 - y * y)
            right = [round(upstream * x, 4) for x in (1, 2, 1)]
            found = [[round(p.grad, 4) for p in neuron.parameters()] for neuron in equal.layers[0].neurons]
            assert out.data > 1 and found == [right] * 4
            LESSON.shows(str(right))
        autograd.SGD(equal.parameters(), lr=0.1).step()
    gradients = LESSON["gradients"].values()
    first, second, last = (statistics.mean(map(abs, found)) for found in gradients)
    assert [len(found) for found in gradients] == [1200, 2000, 500]
    LESSON.says(f"{last:.2f}, against {second:.2f} and {first:.2f}")
    net = MLP(2, [4, 4, 1], output="tanh", rng=random.Random(3))
    assert all(-1 <= p.data <= 1 for p in net.parameters()) and any(n.bias.data for n in net.layers[0].neurons)


def test_one_neuron_four_times_and_a_weight_that_zip_leaves_out():
    layer, neuron, alone = Layer(2, 4), *(Neuron(2, rng=random.Random(8)) for _ in range(2))
    layer.neurons = [neuron] * 4
    outputs = layer(INPUTS)
    assert len({out.data for out in outputs}) == 1
    assert (len(layer.parameters()), len(set(layer.parameters()))) == (12, 3)
    sum(outputs).backward()
    before, grad = neuron.bias.data, neuron.bias.grad
    autograd.SGD(layer.parameters(), lr=0.1).step()
    moved = before - neuron.bias.data
    alone(INPUTS).backward()
    assert f"{alone.bias.grad:.4f}" == "0.7455" and f"{0.1 * alone.bias.grad:.4f}" == "0.0746"
    assert grad == pytest.approx(4 * alone.bias.grad) and moved == pytest.approx(16 * 0.1 * alone.bias.grad)
    assert len({out.data for out in layer(INPUTS)}) == 1
    LESSON.shows(f"({grad}, {moved})")
    weights = [Value(number) for number in (0.3, -0.4, 0.5)]
    sum((w * x for w, x in zip(weights, INPUTS)), Value(0.1)).tanh().backward()
    assert gradients_shown(weights) == ["0.8556", "1.7113", "0.0000"]
    LESSON.shows("('w3', 0.0)")


@pytest.mark.parametrize("use", [lambda w: w.data, float, lambda w: Value(w.data)], ids=["data", "float", "a Value"])
def test_the_other_ways_to_lose_a_parameter(use):
    w = Value(0.3)
    out = (use(w) * 2.0 + Value(0.1)).tanh()
    out.backward()
    assert w.grad == 0 and w not in topological_order(out)


def test_no_reset_reaches_what_is_outside_the_graph_and_a_grad_of_0_may_be_right():
    for reset in ("intermediates", "all", "nothing"):
        lost, used = Value(0.3), Value(0.4)
        lost.grad = 2.5
        (used * 2.0).backward(reset=reset)
        assert lost.grad == 2.5
    w, v = Value(0.3), Value(0.4)
    (w * 0.0 + (v - 1.0).relu()).backward()
    assert (w.grad, v.grad) == (0, 0)


def test_a_network_on_the_learners_engine_gets_the_packages_gradients():
    random.seed(8)
    own = trial.template_engine().MLP(2, [4, 4, 1])
    ours = MLP(2, [4, 4, 1], output="tanh", rng=random.Random(8))
    for net in (own, ours):
        ((net(INPUTS) - 1) ** 2).backward()
    assert [p.data for p in own.parameters()] == [p.data for p in ours.parameters()]
    assert [p.grad for p in own.parameters()] == pytest.approx([p.grad for p in ours.parameters()], rel=1e-9)
    assert all(p.grad for p in own.parameters())
    LESSON.shows("(37, 37)")
    LESSON.says("Both numbers should be 37")


def test_the_network_in_pytorch_is_the_same(torch):
    net = MLP(2, [4, 4, 1], output="tanh", rng=random.Random(8))
    theirs = {}
    for line in [pytorch.THEIRS, *(line for _, line in pytorch.PROGRAMS["a network"])]:
        exec(line, theirs)
    output = net(INPUTS)
    output.backward()
    assert theirs["count"] == len(net.parameters()) == 37
    assert theirs["output"].item() == pytest.approx(output.data, abs=1e-14) and f"{output.data:.4f}" == "0.1056"
    for linear, layer in zip(theirs["net"][::2], net.layers):
        assert tuple(linear.weight.shape) == (len(layer.neurons), len(layer.neurons[0].weights))
        for j, neuron in enumerate(layer.neurons):
            grads = [*linear.weight.grad[j].tolist(), linear.bias.grad[j].item()]
            assert grads == pytest.approx([p.grad for p in (*neuron.weights, neuron.bias)], abs=1e-14)
    LESSON.says(f"`{[*theirs['net'][0].weight.shape]}`")


def test_both_columns_say_the_same_and_the_quizs_numbers():
    ours, (theirs, _) = pytorch.ran_here("a network"), pytorch.recorded("a network")
    here, there = "\n".join(ours), "\n".join(theirs)
    assert ours[5] == theirs[5] == "37" and "0.1056" in here and "tensor([0.1056]" in there
    assert all(number in here and number in there for number in ("-0.1454", "-0.2908"))
    answers = {q["id"]: q["number"]["answer"] for q in quiz_data.load("08")["questions"] if "number" in q}
    weights = [Value(2.0), Value(-1.0)]
    z = autograd.weighted_sum(weights, [3.0, 5.0], Value(0.0))
    (z * 4.0).backward()
    assert weights[1].grad == answers["08-sum-as-one-node"]
    count = {layers: len(MLP(*layers).parameters()) for layers in ((3, (5, 2)), (2, (5, 1)), (2, (4, 1)))}
    assert count[3, (5, 2)] == answers["08-count-3-5-2"]
    assert count[2, (5, 1)] - count[2, (4, 1)] == answers["08-one-neuron-more"]
    layer = Layer(3, 5)
    layer.neurons = [Neuron(3)] * 5
    assert (len(layer.parameters()), len(set(layer.parameters()))) == (20, 4)
    assert len(autograd.weighted_sum([Value(1.0)] * 10, [1.0] * 10, Value(0.0))._prev) == 21
