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
from exercises.engine_file import check, parts
from exercises.quizzes import quiz_data
from exercises.shelf import library
from figures.labs import shape, shape_picture
from tests import lessons

PATH = lessons.NOTEBOOKS / "08_from_a_neuron_to_an_mlp.ipynb"
INPUTS = [1.0, 2.0]


@pytest.fixture(scope="module")
def names():
    """The names that the solved lesson defines."""
    return lessons.names_of(PATH)


def parameters():
    """The weights and the bias of the neuron by hand."""
    return Value(0.3, label="w1"), Value(-0.4, label="w2"), Value(0.1, label="b")


def test_the_neuron_by_hand(prose):
    w1, w2, b = parameters()
    out = (b + w1 * 1.0 + w2 * 2.0).tanh()
    assert math.tanh(0.1 + 0.3 * 1 - 0.4 * 2) == pytest.approx(out.data, abs=1e-15)
    assert f"{out.data:.6f}" == "-0.379949" and f"{out._prev[0].data:.4f}" == "-0.4000"
    slopes = forward_gradient(lambda w1, w2, b: (b + w1 * 1.0 + w2 * 2.0).tanh(), [0.3, -0.4, 0.1])
    assert [f"{slope:.4f}" for slope in slopes] == ["0.8556", "1.7113", "0.8556"]
    assert f"{1 - 0.3799**2:.3f}" == "0.856" and f"{1 - out.data**2:.4f}" == "0.8556"
    assert check.predict(out, w1=0.8556, w2=1.7113, b=0.8556)
    assert not check.predict(out, w1=0.3, w2=1.7113, b=0.8556)
    order = topological_order(out)
    leaves = [node for node in order if not node._prev]
    assert (len(order), len(leaves)) == (10, 5) and sum(bool(leaf.label) for leaf in leaves) == 3
    assert all(said in prose for said in ("-0.3799489622552249", "0.8556 × 2 = 1.7113", "Ten boxes"))


def test_the_weighted_sum_as_one_node(prose, names):
    w1, w2, b = parameters()
    z = autograd.weighted_sum([w1, w2], INPUTS, b)
    out = z.tanh()
    assert z._local == (1, 2, 0.3, -0.4, 1) and len(topological_order(out)) == 7
    single = (b + w1 * 1.0 + w2 * 2.0).tanh()
    assert single.data == out.data
    out.backward()
    assert [f"{x.grad:.4f}" for x in z._prev] == ["0.8556", "1.7113", "0.2567", "-0.3423", "0.8556"]
    assert [x.grad for x in z._prev[2:4]] == forward_gradient(lambda x1, x2: (0.1 + 0.3 * x1 - 0.4 * x2).tanh(), INPUTS)
    assert names["nodes"](out) == 7
    assert "0.2567 and -0.3423" in prose and "Seven boxes in place of ten" in prose


def test_the_step_lab_asks_for_all_gradients_and_names_its_inputs():
    w1, w2, b = parameters()
    z = autograd.weighted_sum([w1, w2], INPUTS, b)
    out = z.tanh()
    recording = figures.step_backward(out, predict=True, explain=explain).recording
    asked = [frame.ask["answer"] for frame in recording.frames if frame.ask]
    assert [f"{answer:.4f}" for answer in asked] == ["0.8556", "0.8556", "1.7113", "0.2567", "-0.3423", "0.8556"]
    drawn = figures.draw_graph(out)
    assert "v2" in drawn.html() and "v3" in drawn.html()


def test_784_inputs(prose):
    counts = [len(topological_order(Neuron(784, every_op=each)([1.0] * 784))) for each in (True, False)]
    assert counts == [4 * 784 + 2, 2 * 784 + 3] == [3138, 1571] and 28 * 28 == 784
    assert counts[1] - (784 + 784 + 1) == 2
    assert "[3138, 1571]" in prose and "3,138 and 1,571" in prose


def test_the_layer(prose):
    layer = Layer(2, 4, rng=random.Random(8))
    found = [out.data for out in layer(INPUTS)]
    for neuron, out in zip(layer.neurons, found):
        assert out == pytest.approx(
            math.tanh(sum(w.data * x for w, x in zip(neuron.weights, INPUTS)) + neuron.bias.data)
        )
        assert f"Value(data={out:.4f}, grad=0.0000)" in prose
    alone = MLP(2, [4], output="tanh", rng=random.Random(8))
    assert [out.data for out in alone(INPUTS)] == found and len(alone.parameters()) == 12 == (2 + 1) * 4


def test_17_and_37(prose):
    counts = [len(layer.parameters()) for layer in MLP(2, [4, 4, 1]).layers]
    assert counts == [12, 20, 5] and sum(counts) == 37
    assert [len(layer.parameters()) for layer in MLP(2, [4, 1]).layers] == [12, 5]
    assert len(MLP(2, [2, 1]).parameters()) == 9  # a 2-2-1 network
    assert 2 * 4 + 4 * 4 + 4 * 1 == 28 and 28 + 9 == 37
    assert "12 + 20 + 5 = <b>37</b>" in prose and "8 + 16 + 4 = 28" in prose


def test_the_shape_lab(prose):
    lab = shape.shape(2, [4, 4, 1])
    assert (lab.network.parameters, lab.network.nodes, lab.network.ops) == (37, 56, 103)
    bias, terms = shape_picture.opened_sum(lab.network, 2, 3)
    assert f"{terms[0][0]:.4f}" == "0.7977" and f"{terms[-1][0]:.4f}" == "-0.7986"
    assert f"{terms[-1][3]:.4f}" == f"{lab.network.values[2][2]:.4f}" == "0.0093"
    assert {product > 0 for *_, product, _ in terms} == {True, False} and bias < 0
    assert all(abs(value) > 0.2 for j, value in enumerate(lab.network.values[2]) if j != 2)
    settings = lab.values | {"hidden2": 0}
    widths = {n: shape.Network(settings | {"hidden1": n}).parameters for n in range(1, 17)}
    assert [n for n, count in widths.items() if count == 37] == [9] and 3 * 9 + 10 * 1 == 37
    assert "0.7977" in prose and "56 nodes in place of 103" in prose


def test_equal_weights_get_equal_gradients_for_ever(prose, names):
    equal = MLP(2, [4, 1], init=lambda rng, fan_in, fan_out: 0.5)
    for step in range(20):
        rows = {tuple((p.data, p.grad) for p in neuron.parameters()) for neuron in equal.layers[0].neurons}
        assert len(rows) == 1
        equal.zero_grad()
        out = equal(INPUTS)
        autograd.half_squares([out], [1.0]).backward()
        if step == 0:
            assert out.data > 1
            found = [[round(p.grad, 4) for p in neuron.parameters()] for neuron in equal.layers[0].neurons]
            assert found == [[0.0732, 0.1464, 0.0732]] * 4
            y = math.tanh(0.5 + 1.0)
            upstream = (4 * 0.5 * y - 1) * 0.5 * (1 - y * y)
            assert found[0] == [round(upstream * x, 4) for x in (1, 2, 1)]
        autograd.SGD(equal.parameters(), lr=0.1).step()
    assert "[0.0732, 0.1464, 0.0732]" in prose


def test_the_histogram(prose, names):
    means = {name: statistics.mean(map(abs, found)) for name, found in names["gradients"].items()}
    assert [f"{mean:.2f}" for mean in means.values()] == ["0.10", "0.12", "0.36"]
    assert [len(found) for found in names["gradients"].values()] == [1200, 2000, 500]
    assert "0.36, against 0.12 and 0.10" in prose
    net = MLP(2, [4, 4, 1], output="tanh", rng=random.Random(3))
    assert all(-1 <= p.data <= 1 for p in net.parameters()) and any(
        neuron.bias.data for neuron in net.layers[0].neurons
    )


def test_one_neuron_four_times(prose):
    neuron = Neuron(2, rng=random.Random(8))
    layer = Layer(2, 4)
    layer.neurons = [neuron] * 4
    outputs = layer(INPUTS)
    assert len({out.data for out in outputs}) == 1
    assert (len(layer.parameters()), len(set(layer.parameters()))) == (12, 3)
    sum(outputs).backward()
    before, grad = neuron.bias.data, neuron.bias.grad
    autograd.SGD(layer.parameters(), lr=0.1).step()
    moved = before - neuron.bias.data
    alone = Neuron(2, rng=random.Random(8))
    alone(INPUTS).backward()
    assert f"{alone.bias.grad:.4f}" == "0.7455" and f"{0.1 * alone.bias.grad:.4f}" == "0.0746"
    assert grad == pytest.approx(4 * alone.bias.grad) and moved == pytest.approx(16 * 0.1 * alone.bias.grad)
    assert len({out.data for out in layer(INPUTS)}) == 1
    assert f"({grad}, {moved})" in prose


def test_a_weight_that_zip_leaves_out(prose):
    weights = [Value(number) for number in (0.3, -0.4, 0.5)]
    sum((w * x for w, x in zip(weights, INPUTS)), Value(0.1)).tanh().backward()
    assert [f"{w.grad:.4f}" for w in weights] == ["0.8556", "1.7113", "0.0000"]
    with pytest.raises(ValueError):
        Neuron(3)(INPUTS)
    with pytest.raises(ValueError):
        list(zip(weights, INPUTS, strict=True))
    assert "Value(data=0.5000, grad=0.0000, label='w3')" in prose


@pytest.mark.parametrize(
    "use", [lambda w: w.data, float, lambda w: Value(w.data)], ids=["data", "float", "a new Value"]
)
def test_the_other_ways_to_lose_a_parameter(use):
    w = Value(0.3)
    out = (use(w) * 2.0 + Value(0.1)).tanh()
    out.backward()
    assert w.grad == 0 and w not in topological_order(out)


@pytest.mark.parametrize("reset", ["intermediates", "all", "nothing"])
def test_no_reset_reaches_what_is_outside_the_graph(reset):
    lost, used = Value(0.3), Value(0.4)
    lost.grad = 2.5
    (used * 2.0).backward(reset=reset)
    assert lost.grad == 2.5


def test_a_grad_of_0_may_be_right():
    w, v = Value(0.3), Value(0.4)
    (w * 0.0 + (v - 1.0).relu()).backward()
    assert (w.grad, v.grad) == (0, 0)


def test_a_network_on_the_learners_engine_gets_the_packages_gradients(prose, names):
    random.seed(8)
    own = parts.course_engine().MLP(2, [4, 4, 1])
    ours = MLP(2, [4, 4, 1], output="tanh", rng=random.Random(8))
    for net in (own, ours):
        ((net(INPUTS) - 1) ** 2).backward()
    assert [p.data for p in own.parameters()] == [p.data for p in ours.parameters()]
    assert [p.grad for p in own.parameters()] == pytest.approx([p.grad for p in ours.parameters()], rel=1e-9)
    assert all(p.grad for p in own.parameters())
    own_net = names["own_net"]
    assert (len(own_net.parameters()), sum(p.grad != 0 for p in own_net.parameters())) == (37, 37)
    assert "(37, 37)" in prose and "The two numbers should be 37 and 37" in prose


def test_the_network_in_pytorch_is_the_same(prose):
    torch = pytest.importorskip("torch", reason="PyTorch is optional; without it the lesson shows the record")
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
            assert linear.weight.grad[j].tolist() == pytest.approx([w.grad for w in neuron.weights], abs=1e-14)
            assert linear.bias.grad[j].item() == pytest.approx(neuron.bias.grad, abs=1e-14)
    assert theirs["net"][0].weight.shape == torch.Size([4, 2]) and "`[4, 2]`" in prose
    assert torch.nn.Linear(2, 4).weight.dtype == torch.float32  # so that .double() is needed


def test_the_record_of_pytorch_is_what_it_gives_here():
    pytest.importorskip("torch", reason="PyTorch is optional; without it there is nothing to compare")
    assert pytorch.ran_in_pytorch("a network")[0] == pytorch.recorded("a network")[0]


def test_both_columns_say_the_same():
    ours, (theirs, _) = pytorch.ran_here("a network"), pytorch.recorded("a network")
    text = "\n".join(ours)
    assert ours[5] == theirs[5] == "37" and "0.1056" in text and "tensor([0.1056]" in "\n".join(theirs)
    assert all(number in text and any(number in line for line in theirs) for number in ("-0.1454", "-0.2908"))


def test_expected_wrong_answers_of_the_teachers_note():
    assert "the biases left out" in check.count_parameters(lambda s: sum(n * m for n, m in zip(s, s[1:]))).text()  # noqa: RUF007
    pairs = "[Layer(n, m) for n, m in zip(reads, sizes)]"
    text = library.solution("mlp").code.replace(pairs, "[Layer(n_inputs, size) for size in sizes]")
    (wide,) = check.mlp.answers(text)
    assert math.isfinite(wide(2, [4, 4, 1])(INPUTS).data)  # it runs
    assert "every layer reads the inputs' number" in check.mlp(wide).text()


def answer_to(name):
    """The number that a question of the quiz asks for."""
    return next(q["number"]["answer"] for q in quiz_data.load("08")["questions"] if q["id"] == name)


def test_the_quizs_numbers():
    assert quiz_data.faults(quiz_data.load("08")) == []
    weights = [Value(2.0), Value(-1.0)]
    z = autograd.weighted_sum(weights, [3.0, 5.0], Value(0.0))
    (z * 4.0).backward()
    assert weights[1].grad == answer_to("08-sum-as-one-node")
    assert len(MLP(3, [5, 2]).parameters()) == answer_to("08-count-3-5-2")
    more = len(MLP(2, [5, 1]).parameters()) - len(MLP(2, [4, 1]).parameters())
    assert more == answer_to("08-one-neuron-more")
    layer = Layer(3, 5)
    layer.neurons = [Neuron(3)] * 5
    assert (len(layer.parameters()), len(set(layer.parameters()))) == (20, 4)
    assert len(autograd.weighted_sum([Value(1.0)] * 10, [1.0] * 10, Value(0.0))._prev) == 21
