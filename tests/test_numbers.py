"""The course's reference numbers, each from the engine: worked examples, training runs, counts over seeds.

Tolerance: all printed digits, unless a test says otherwise.
"""

import math
import random
import subprocess
import sys

import numpy as np
import pytest

from autograd import (
    MLP,
    SGD,
    Layer,
    Neuron,
    Value,
    backward_steps,
    clip_grad_value,
    gradcheck,
    half_squares,
    hinge,
    mean_squares,
    numerical_gradient,
    sum_of_squares,
    weighted_sum,
)
from autograd.lessons.moons import make_moons

XOR = [[0, 0], [0, 1], [1, 0], [1, 1]]
XOR_TARGETS = [0, 1, 1, 0]


def grads(*values):
    return [value.grad for value in values]


def gradients_of(function, *numbers):
    """A function's number and its gradients, on new Values."""
    leaves = [Value(x) for x in numbers]
    root = function(*leaves)
    root.backward()
    return root.data, grads(*leaves)


def outputs(net):
    return [net(row).data for row in XOR]


def right(predictions, targets=XOR_TARGETS):
    """How many predictions are on the right side of one half."""
    return sum((p > 0.5) == (t > 0.5) for p, t in zip(predictions, targets, strict=True))


def train_on_xor(net, lr, epochs, loss=sum_of_squares, forward=None, zero_grad=True, enough=0.0):
    """Full-batch gradient descent on the four rows. The losses before each epoch's update; ends at a loss `enough`."""
    optimizer, losses = SGD(net.parameters(), lr), []
    for _ in range(epochs):
        value = loss([(forward or type(net).__call__)(net, row) for row in XOR], XOR_TARGETS)
        losses.append(value.data)
        if value.data <= enough:
            break
        if zero_grad:
            optimizer.zero_grad()
        value.backward()
        optimizer.step()
    return losses


def rounded(numbers, digits):
    return [round(x, digits) for x in numbers]


# Source A: the guide to an autograd engine


def test_guides_first_numbers():
    assert repr(Value(2)) == "Value(data=2.0000, grad=0.0000)"
    assert (2 + Value(3)).data == (Value(3) + 2).data == 5.0
    assert (2 * Value(3)).data == (Value(3) * 2).data == 6.0
    assert gradients_of(Value.sigmoid, 0) == (0.5, [0.25])
    assert gradients_of(Value.sigmoid, 1000) == (1.0, [0.0])
    assert gradients_of(Value.sigmoid, -1000) == (0.0, [0.0])


def guides_net(hidden):
    """Weights from U(-s, s) with s = sqrt(2 / fan_in), biases 0, from the `random` module."""
    return MLP(2, [hidden, 1], "sigmoid", "sigmoid", init="fan_in")


def test_guides_xor_run():
    random.seed(42)
    net = guides_net(4)
    assert len(net.parameters()) == 17
    losses = train_on_xor(net, lr=1.0, epochs=1000)
    assert rounded(losses[::100], 6) == [
        *(1.067385, 0.805927, 0.190474, 0.035562, 0.015281),
        *(0.009271, 0.006544, 0.005017, 0.00405, 0.003385),
    ]
    assert rounded(outputs(net), 4) == [0.0251, 0.9677, 0.9796, 0.0286]


def test_guides_circle_run():
    """80 points, one update a sample, 2000 epochs: losses, accuracy before and after the updates, five probes."""
    random.seed(7)
    points = [(random.uniform(-1.5, 1.5), random.uniform(-1.5, 1.5)) for _ in range(80)]
    data = [((x, y), float(x * x + y * y < 1)) for x, y in points]
    net = guides_net(8)
    optimizer = SGD(net.parameters(), lr=0.5)

    def accuracy():
        return right([net(point).data for point, _ in data], [target for _, target in data]) / 80

    losses, before, after = {}, {}, {}
    for epoch in range(2000):
        random.shuffle(data)
        total = correct = 0
        for point, target in data:
            output = net(point)
            loss = (output - target) ** 2
            total += loss.data
            correct += right([output.data], [target])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if epoch in (0, 200, 1800):
            losses[epoch], before[epoch], after[epoch] = round(total, 4), correct / 80, accuracy()
    assert losses == {0: 17.1256, 200: 0.3585, 1800: 0.0132}
    assert after == {0: 0.70, 200: 1.0, 1800: 1.0}
    assert before[0] == 0.6875
    assert all(net(point).data > 0.5 for point in ((0, 0), (0.5, 0.5), (-0.3, 0.3)))
    assert all(net(point).data < 0.5 for point in ((1.2, 1.2), (0, 1.2)))


def test_weights_of_a_picture_sized_layer():
    """768 inputs, 3072 neurons: 2,359,296 weights, and as many forward passes by nudging. Counted on a part of it."""
    part = Layer(768, 12)
    weights = [w for neuron in part.neurons for w in neuron.weights]
    assert len(weights) * (3072 // 12) == 2_359_296


@pytest.mark.parametrize(("n", "printed"), [(3, "0.0156"), (5, "0.000977"), (10, "9.54e-07")])
def test_powers_of_a_quarter(n, printed):
    """n sigmoids in a row, each at 0 where it is steepest: the gradient is .25ⁿ."""
    x = y = Value(0.0)
    for _ in range(n):
        y = y.sigmoid() - 0.5
    y.backward()
    assert x.grad == 0.25**n
    assert f"{x.grad:.3g}" == printed


RECURSIVE = """
from autograd import Value

def topological_order(root):
    order, visited = [], set()
    def visit(node):
        if node not in visited:
            visited.add(node)
            for input in node._prev:
                visit(input)
            order.append(node)
    visit(root)
    return order

for n in (990, 1000):
    root = Value(1.0)
    for _ in range(n):
        root = -root
    try:
        print(len(topological_order(root)))
    except RecursionError:
        print("RecursionError")
"""


def test_a_recursive_order_fails_at_about_a_thousand_ops():
    """990 pass, 1000 raise RecursionError, at Python's own limit. (A million here: test_value.py.)"""
    run = subprocess.run([sys.executable, "-c", RECURSIVE], capture_output=True, encoding="utf-8", check=True)
    assert run.stdout.split() == ["991", "RecursionError"]


# Source B: the textbook section


def test_eight_step_neuron():
    x1, x2, w1, w2, b = map(Value, (2, 3, 0.5, -0.5, 0.1))
    p1, p2 = w1 * x1, w2 * x2
    z = p1 + p2 + b
    s = z.sigmoid()
    loss = half_squares(s, 1)
    loss.backward()
    assert rounded([p1.data, p2.data, z.data], 3) == [1.0, -1.5, -0.4]
    assert rounded([s.data, loss.data], 6) == [0.401312, 0.179213]
    assert rounded([s.grad, s._local[0], z.grad], 6) == [-0.598688, 0.240261, -0.143841]
    assert rounded(grads(w1, w2, b, x1, x2), 6) == [-0.287682, -0.431523, -0.143841, -0.071921, 0.071921]


def test_tanh_neuron_of_the_demo():
    def neuron(x1, w1, x2, w2, b):
        return x1 * w1 + x2 * w2 + b

    assert round(gradients_of(neuron, 2, -3, 0, 1, 6.8814)[0], 4) == 0.8814
    assert round(gradients_of(lambda *v: neuron(*v).tanh(), 2, -3, 0, 1, 6.8814)[0], 4) == 0.7071
    o, gradients = gradients_of(lambda *v: neuron(*v).tanh(), 2, -3, 0, 1, 6.8813735870195432)
    assert round(o, 4) == 0.7071
    assert gradients == pytest.approx([-1.5, 1.0, 0.5, 0.0, 0.5], abs=1e-12)


def test_textbooks_small_numbers():
    assert gradients_of(lambda a, b: a * b, 3, 4) == (12.0, [4.0, 3.0])
    assert gradients_of(lambda x: x + x, 5)[1] == [2.0]
    neuron = weighted_sum([0.3, -0.4], [1, 2], 0.1)
    assert (round(neuron.data, 15), round(neuron.tanh().data, 6)) == (-0.4, -0.379949)
    assert [len(layer.parameters()) for layer in MLP(2, [4, 4, 1]).layers] == [12, 20, 5]
    assert len(MLP(2, [4, 4, 1]).parameters()) == 37


def textbooks_net(seed):
    """tanh everywhere, weights and biases from U(-1, 1)."""
    return MLP(2, [4, 4, 1], "tanh", "tanh", rng=random.Random(seed))


def bias_last(net, x):
    """The same network, but each neuron adds its products first and its bias last."""
    for layer in net.layers:
        rows = [[w * v for w, v in zip(neuron.weights, x)] for neuron in layer.neurons]
        x = [(sum(row[1:], start=row[0]) + neuron.bias).tanh() for row, neuron in zip(rows, layer.neurons)]
    return x[0]


def test_textbooks_xor_from_seed_0():
    """The first seven losses to all digits; then rounding is amplified, and the curve is not even monotone."""
    losses = train_on_xor(textbooks_net(0), lr=0.1, epochs=100)[::10]
    assert rounded(losses[:7], 4) == [1.8024, 0.8392, 0.7143, 0.5697, 0.3493, 0.1589, 0.0767]
    assert losses[7:] == pytest.approx([0.9702, 0.4023, 0.2207], abs=0.002)
    assert losses[7] > losses[6]


def test_textbooks_xor_over_30_seeds():
    """25 are right after 100 epochs, all 30 after 500; with each neuron's bias added last, it is 26 after 100."""
    nets = [textbooks_net(seed) for seed in range(30)]
    for epochs, expected in ((100, 25), (400, 30)):
        for net in nets:
            train_on_xor(net, lr=0.1, epochs=epochs)
        assert sum(right(outputs(net)) == 4 for net in nets) == expected
    nets = [textbooks_net(seed) for seed in range(30)]
    for net in nets:
        train_on_xor(net, lr=0.1, epochs=100, forward=bias_last)
    assert sum(right([bias_last(net, row).data for row in XOR]) == 4 for net in nets) == 26


def test_symmetric_start_never_learns_xor():
    """All weights .5, biases 0: both hidden neurons get the same gradient, so they stay one neuron for ever."""
    net = MLP(2, [2, 1], "sigmoid", "sigmoid", init=lambda *_: 0.5)
    assert rounded(outputs(net), 2) == [0.62, 0.65, 0.65, 0.68]
    assert round(outputs(net)[0], 3) == 0.622
    assert [h.data for h in net.layers[0]([0, 0])] == [0.5, 0.5]
    losses = train_on_xor(net, lr=1.0, epochs=20_000)
    h1, h2 = net.layers[0].neurons
    assert [p.data for p in h1.parameters()] == [p.data for p in h2.parameters()]
    assert rounded(outputs(net), 3) == [0.008, 0.667, 0.667, 0.667]
    assert f"{losses[-1]:.4f}" == "0.6670"


# Source C: the class grown in four checked steps


def test_two_lines_of_a_plus_a():
    """b = a + a: a.grad is g after the first line and 2g after the second; with = in place of += it ends at g."""
    a, g = Value(3), 7.0
    first, second = [step for step in backward_steps((a + a) * g) if step.op == "+"]
    assert (first.after, second.after) == (g, 2 * g)
    assert second.contribution == g


def test_polynomial_in_two_variables():
    assert gradients_of(lambda x, y: x**2 + 3 * x * y + 1, 3, 1) == (19.0, [9.0, 9.0])


# Source D: the tutorial for programmers


def test_tutorials_small_numbers():
    assert gradients_of(lambda x: x**2, 3) == (9.0, [6.0])
    assert gradients_of(lambda x: (x + 2) * x, 3) == (15.0, [8.0])


def test_xor_with_relu_on_the_output_too():
    """MLP(2, [4, 4, 1]), relu on every layer, weights from U(-1, 1), biases 0, mean of squares, lr .1, 1000 steps.

    Over random.seed(0..39): 21 nets are dead from the start (every output is exactly 0, the loss .5), 22 at the end,
    and 14 solve it, to the last digit. So no net ends at .0123 .9876 …: it is dead, or exact, or stuck elsewhere.
    """
    dead_at_start = dead_at_end = solved = 0
    for seed in range(40):
        random.seed(seed)
        net = MLP(2, [4, 4, 1], "relu", "relu", init="uniform_zero_bias")
        dead_at_start += not any(outputs(net))
        if not any(outputs(net)):  # no gradient: it would stay as it is
            assert train_on_xor(net, lr=0.1, epochs=3, loss=mean_squares) == [0.5] * 3
        else:
            train_on_xor(net, lr=0.1, epochs=1000, loss=mean_squares)
        dead_at_end += not any(outputs(net))
        if right(outputs(net)) == 4:
            solved += 1
            assert outputs(net) == pytest.approx(XOR_TARGETS, abs=1e-12)
    assert (dead_at_start, dead_at_end, solved) == (21, 22, 14)


# Source E: the notebook with gradient histograms


def test_neuron_of_the_histogram_notebook():
    x, w, b = Value(2), Value(0.5), Value(0.3)
    z = w * x + b
    out = z.relu()
    loss = (out - 5) ** 2
    loss.backward()
    assert [f"{v.data:.3f}" for v in (z, out, loss)] == ["1.300", "1.300", "13.690"]
    assert grads(w, b) == pytest.approx([-14.8, -7.4], rel=1e-15)


@pytest.fixture(scope="module")
def histogram_stream():
    """The notebook's random stream, in order: the weights of 100 nets, then 32 pre-activations."""
    np.random.seed(42)
    nets = [(np.random.randn(5) * 0.5, np.random.randn(5) * 0.5) for _ in range(100)]
    np.random.randn(32)
    return nets, np.random.randn(32) * 0.5


def test_hundred_two_layer_nets(histogram_stream):
    """One input, 5 relu neurons, linear output, biases 0, squared error: mean |grad| of each layer's weights.

    The second layer's mean is larger on average, but in 53 of 100 nets only, and by less than its standard error:
    the histogram does not show what it is said to show.
    """
    means = []
    for w1, w2 in histogram_stream[0]:
        first, second = [Value(w) for w in w1], [Value(w) for w in w2]
        hidden = [weighted_sum([w], [1.5], 0).relu() for w in first]
        ((weighted_sum(second, hidden, 0) - 1) ** 2).backward()
        means.append([np.mean(np.abs(grads(*layer))) for layer in (first, second)])
    layer1, layer2 = np.array(means).T
    assert rounded([layer2.mean(), layer1.mean()], 4) == [0.6291, 0.5963]
    difference = layer2 - layer1
    assert (difference > 0).sum() == 53
    assert rounded([difference.mean(), difference.std(ddof=1) / 10], 3) == [0.033, 0.044]


def test_twelve_sigmoids(histogram_stream):
    """32 chains of 12 sigmoids without weights, the same pre-activations at every layer: mean |grad| layer by layer."""
    layers = [[] for _ in range(13)]
    for pre_activation in histogram_stream[1]:
        z = Value(pre_activation)
        chain = [z]
        for _ in range(12):
            s = chain[-1].sigmoid()
            chain.append(s + (z.data - s.data))  # the number is z again, and the slope 1
        chain[-1].backward()
        for layer, node in zip(layers, reversed(chain), strict=True):
            layer.append(abs(node.grad))
    printed = [1, 0.2342, 0.0552, 0.01308, 3.113e-3, 7.435e-4, 1.781e-4, 4.280e-5, 1.031e-5, 2.487e-6, 6.014e-7]
    assert [float(f"{np.mean(layer):.3e}") for layer in layers] == [*printed, 1.457e-7, 3.534e-8]


# More numbers the lessons use


@pytest.mark.parametrize(
    ("function", "point", "number", "gradients"),
    [
        (lambda x, y, z: (x + y) * z, (-2, 5, -4), -12, [-4, -4, 3]),
        (lambda a, b, c, f: (a * b + c) * f, (2, -3, 10, -2), -8, [6, -4, -2, 4]),
        (lambda a, b: (a * b) * (a + b), (-2, 3), -6, [-3, -8]),
        (lambda a, b, c: (a * b + c) * (a - c), (2, 3, 4), -20, [4, -4, -12]),
        (lambda a, b, c: a * b + (b + c), (2, 3, 4), 13, [3, 3, 1]),
    ],
    ids=["(x+y)z", "(ab+c)f", "(ab)(a+b)", "(ab+c)(a-c)", "ab+(b+c)"],
)
def test_small_graphs(function, point, number, gradients):
    assert gradients_of(function, *point) == (number, gradients)


def test_sigmoid_neuron():
    number, gradients = gradients_of(lambda w0, w1, w2, x0, x1: (w0 * x0 + w1 * x1 + w2).sigmoid(), 2, -3, -3, -1, -2)
    assert round(number, 6) == 0.731059
    assert rounded(gradients, 6) == [-0.196612, -0.393224, 0.196612, 0.393224, -0.589836]


def test_relu_expression_of_the_best_known_engine():
    def expression(x):
        z = 2 * x + 2 + x
        q = z.relu() + z * x
        h = (z * z).relu()
        return h + q + q * x

    assert gradients_of(expression, -4) == (-20.0, [46.0])


def test_readme_example_of_the_best_known_engine():
    def expression(a, b):
        c = a + b
        d = a * b + b**3
        c += c + 1
        c += 1 + c + (-a)
        d += d * 2 + (b + a).relu()
        d += 3 * d + (b - a).relu()
        e = c - d
        f = e**2
        return f / 2.0 + 10.0 / f

    number, gradients = gradients_of(expression, -4.0, 2.0)
    assert rounded([number, *gradients], 4) == [24.7041, 138.8338, 645.5773]


def test_two_layer_worked_example():
    """One update of the weights; the biases, each shared by a layer, stay."""
    weights = [Value(w) for w in (0.15, 0.20, 0.25, 0.30, 0.40, 0.45, 0.50, 0.55)]
    b1, b2, x = Value(0.35), Value(0.60), [0.05, 0.10]
    hidden = [weighted_sum(weights[i : i + 2], x, b1).sigmoid() for i in (0, 2)]
    output = [weighted_sum(weights[i : i + 2], hidden, b2).sigmoid() for i in (4, 6)]
    error = half_squares(output, [0.01, 0.99])
    error.backward()
    SGD(weights, lr=0.5).step()
    assert round(error.data, 9) == 0.298371109
    assert rounded([w.data for w in weights], 9) == [
        *(0.149780716, 0.199561432, 0.249751144, 0.299502287),
        *(0.35891648, 0.408666186, 0.51130127, 0.561370121),
    ]


# Order matters: four ways to walk a graph, three of them wrong


def right_order(root):
    root.backward()


def naive(node):
    """Recursion with no memory of where it has been."""
    node._backward()
    for input in node._prev:
        naive(input)


def pre_order(node, visited=None):
    """Depth first, each node when it is first met."""
    visited = set() if visited is None else visited
    if node not in visited:
        visited.add(node)
        node._backward()
        for input in node._prev:
            pre_order(input, visited)


def breadth_first(root):
    """Level by level, each node when it is first met."""
    visited, queue = {root}, [root]
    for node in queue:
        node._backward()
        for input in node._prev:
            if input not in visited:
                visited.add(input)
                queue.append(input)


def skip_connection(a):
    b = 2 * a
    return b * (b + 1)


def two_paths(a, b):
    c, d = a + b, a * b
    return (c + d) + (c * d)


def tells_nothing_apart(a):
    b = a + a
    return b + b


@pytest.mark.parametrize(
    ("function", "point", "walk", "gradients"),
    [
        (skip_connection, [1.5], right_order, [14]),
        (skip_connection, [1.5], naive, [22]),
        (skip_connection, [1.5], breadth_first, [8]),
        (skip_connection, [1.5], pre_order, [8]),
        (two_paths, [2, 3], right_order, [25, 19]),
        (two_paths, [2, 3], naive, [29, 22]),
        (two_paths, [2, 3], pre_order, [4, 3]),
        (tells_nothing_apart, [3], right_order, [4]),
        (tells_nothing_apart, [3], breadth_first, [4]),
        (tells_nothing_apart, [3], pre_order, [4]),
    ],
)
def test_order_matters(function, point, walk, gradients):
    leaves = [Value(x) for x in point]
    root = function(*leaves)
    root.grad = 1.0
    walk(root)
    assert grads(*leaves) == gradients


def test_two_paths_is_41():
    assert two_paths(Value(2), Value(3)).data == 41.0


# The second backward


@pytest.mark.parametrize(
    ("reset", "twice"), [("nothing", [3, 3, 10]), ("all", [1, 1, 5]), ("intermediates", [2, 2, 10])]
)
def test_second_backward(reset, twice):
    """e = (a + b)d at a 3, b 2, d 1: the grads of a, b, d after one pass and after two."""
    a, b, d = Value(3), Value(2), Value(1)
    e = (a + b) * d
    e.backward(reset)
    assert grads(a, b, d) == [1, 1, 5]
    e.backward(reset)
    assert grads(a, b, d) == twice


@pytest.mark.parametrize(("reset", "expected"), [("nothing", 8), ("all", 5), ("intermediates", 8)])
def test_two_mini_batches(reset, expected):
    """3w, then 5w."""
    w = Value(1)
    (3 * w).backward(reset)
    (5 * w).backward(reset)
    assert w.grad == expected


# Difference quotients


def test_difference_quotients_of_tanh_squared():
    """At x = .775. Errors of nudging are rounding noise, and differ a little from machine to machine: a factor of 2."""
    x = 0.775
    exact = gradients_of(lambda v: v.tanh() ** 2, x)[1][0]

    def f(x):
        return math.tanh(x) ** 2

    for h, error in ((1e-2, 4.9e-5), (1e-5, 4.8e-11), (1e-12, 3.1e-5)):
        (central,) = numerical_gradient(f, [x], epsilon=h)
        assert error / 2 < abs(central / exact - 1) < error * 2
    forward = {k: abs((f(x + 10**-k) - f(x)) / 10**-k / exact - 1) for k in range(1, 16)}
    assert min(forward, key=forward.get) == 8
    assert 1e-9 < forward[8] < 3e-8


# XOR by architecture, moons, loops that do not zero


@pytest.mark.parametrize(
    ("hidden", "activation", "output", "lr", "epochs", "solved"),
    [
        (2, "tanh", "tanh", 0.1, 500, 77),
        (4, "tanh", "tanh", 0.1, 500, 100),
        (2, "relu", "linear", 0.05, 300, 22),
        (4, "relu", "linear", 0.05, 300, 65),
        (8, "relu", "linear", 0.05, 300, 90),
    ],
)
def test_xor_by_architecture(hidden, activation, output, lr, epochs, solved):
    """How many of random.Random(0..99) solve it: weights and biases from U(-1, 1), sum of squares. Within 3.

    A run ends early once its loss is at most .02, when all four outputs have been on the right side for long.
    """
    count = 0
    for seed in range(100):
        net = MLP(2, [hidden, 1], activation, output, rng=random.Random(seed))
        train_on_xor(net, lr, epochs, enough=0.02)
        count += right(outputs(net)) == 4
    assert abs(count - solved) <= 3


def test_moons_run():
    """100 points, noise .1; relu 2-16-16-1, linear output; max-margin loss + 1e-4 Σp²; lr 1 - .9k/100, 100 steps."""
    rows, labels = make_moons(n_samples=100, noise=0.1, random_state=1337)
    rows, labels = rows.tolist(), (2 * labels - 1).tolist()
    net = MLP(2, [16, 16, 1], "relu", "linear", init="uniform_zero_bias", rng=random.Random(1337))
    parameters = net.parameters()
    assert len(parameters) == 337
    for k in range(100):
        scores = [net(row) for row in rows]
        loss = hinge(scores, labels) + 1e-4 * weighted_sum(parameters, parameters, 0)
        net.zero_grad()
        loss.backward()
        for p in parameters:
            p.data -= (1.0 - 0.9 * k / 100) * p.grad
    assert all((score.data > 0) == (label > 0) for score, label in zip(scores, labels, strict=True))
    assert loss.data == pytest.approx(0.01097837, abs=1e-8)


def test_without_zeroing_the_tanh_net_saturates():
    """The textbook's loop without zero_grad, 100 epochs: 7 of 30 solve XOR; losses stick, gradients do not grow."""
    solved = stuck = 0
    for seed in range(30):
        net = textbooks_net(seed)
        losses = train_on_xor(net, lr=0.1, epochs=100, zero_grad=False)
        solved += right(outputs(net)) == 4
        stuck += abs(losses[-1] - losses[-10]) < 1e-6 and losses[-1] > 0.9
        assert max(abs(p.grad) for p in net.parameters()) < 10
    assert solved == 7
    assert stuck >= 15


def test_the_same_loop_in_pytorch_is_not_the_same(torch):
    """Mean of squares and PyTorch's own initialisation: 1 of 30 seeds solves XOR in 100 epochs."""
    rows, targets = torch.tensor(XOR, dtype=torch.float32), torch.tensor(XOR_TARGETS, dtype=torch.float32)[:, None]
    solved = 0
    for seed in range(30):
        torch.manual_seed(seed)
        layers = [m for n, k in ((2, 4), (4, 4), (4, 1)) for m in (torch.nn.Linear(n, k), torch.nn.Tanh())]
        net = torch.nn.Sequential(*layers)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(100):
            optimizer.zero_grad()
            torch.nn.functional.mse_loss(net(rows), targets).backward()
            optimizer.step()
        solved += right(net(rows).flatten().tolist()) == 4
    assert solved == 1


# Where the sources are wrong


def test_clipping_a_deep_sigmoid_net_clips_nothing():
    """The exercise bounds gradients to ±1 where none is larger: they vanish, they do not explode."""
    for seed in range(10):
        net = MLP(2, [4] * 10 + [1], "sigmoid", "sigmoid", init="fan_in", rng=random.Random(seed))
        sum_of_squares([net(row) for row in XOR], XOR_TARGETS).backward()
        assert any(p.grad for p in net.parameters())
        assert clip_grad_value(net.parameters(), 1.0) == 0


def test_a_gradient_check_cannot_see_a_wrong_forward():
    """1 - v coded as v - 1 passes it: the gradient fits the function that is computed, which is the wrong one."""
    assert gradcheck(lambda v: v - 1, [0.3])
    assert (Value(0.3) - 1).data == -(1 - Value(0.3)).data


def test_the_guides_xor_network_is_2_4_1():
    """Its text says 2-2-1, which has 9 parameters; its program's has 17."""
    assert len(guides_net(2).parameters()) == 9
    assert len(guides_net(4).parameters()) == 17


def test_a_neuron_of_the_textbook_has_its_bias_first():
    """weighted_sum and every_op add in the same order, so that their XOR runs are the same to the bit."""
    for every_op in (False, True):
        neuron = Neuron(2, "tanh", rng=random.Random(0), every_op=every_op)
        w1, w2, b = (p.data for p in neuron.parameters())
        assert neuron([0.1, 0.7]).data == math.tanh(b + w1 * 0.1 + w2 * 0.7)
