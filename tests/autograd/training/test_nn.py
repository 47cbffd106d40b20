"""Networks, losses and optimizers: what they draw and compute, by hand and against PyTorch; what they refuse."""

import math
import random
from functools import partial

import numpy as np
import pytest

from autograd import (
    MLP,
    SGD,
    Adam,
    Layer,
    Module,
    Neuron,
    Value,
    binary_cross_entropy,
    clip_grad_norm,
    clip_grad_value,
    half_squares,
    hinge,
    mean_squares,
    softmax_cross_entropy,
    sum_of_squares,
    topological_order,
)
from autograd.tensor import Tensor
from autograd.training.nn import FUNCTIONS
from tests.approved_calls import check_approved_calls
from tests.ops_table import is_same_float, nan

INITS = {  # the distribution of a layer with 3 inputs and 5 neurons
    "uniform": ("uniform", -1, 1),
    "uniform_zero_bias": ("uniform", -1, 1),
    "fan_in": ("uniform", -math.sqrt(2 / 3), math.sqrt(2 / 3)),
    "normal": ("gauss", 0, 1),
    "xavier": ("uniform", -math.sqrt(6 / 8), math.sqrt(6 / 8)),
    "he": ("gauss", 0, math.sqrt(2 / 3)),
}


class Recorder:
    """A generator that writes down its calls, and answers 1, 2, 3 and so on."""

    def __init__(self):
        self.calls = []

    def uniform(self, low, high):
        self.calls.append(("uniform", low, high))
        return float(len(self.calls))

    def gauss(self, mean, deviation):
        self.calls.append(("gauss", mean, deviation))
        return float(len(self.calls))


def numbers(module):
    return [parameter.data for parameter in module.parameters()]


def ops(root):
    return [node._op for node in topological_order(root) if node._op]


# Initialisation


@pytest.mark.parametrize("init", INITS)
def test_each_initialisation_draws_from_its_distribution(init):
    rng = Recorder()
    biases = [neuron.bias.data for neuron in Layer(3, 5, init=init, rng=rng).neurons]
    assert rng.calls == [INITS[init]] * (20 if init == "uniform" else 15)
    assert biases == ([4.0, 8.0, 12.0, 16.0, 20.0] if init == "uniform" else [0.0] * 5)
    rng = random.Random(5)
    layers = [Layer(3, 4, init=init, rng=rng), Layer(4, 2, init=init, rng=rng)]
    assert numbers(MLP(3, [4, 2], init=init, rng=random.Random(5))) == numbers(layers[0]) + numbers(layers[1])


def test_draw_order_is_neuron_by_neuron_with_bias_last():
    rng = random.Random(3)
    expected = [rng.uniform(-1, 1) for _ in range(2 * 3 + 1 * 3)]
    random.seed(3)
    assert numbers(MLP(2, [2, 1])) == numbers(MLP(2, [2, 1], rng=random.Random(3))) == expected
    assert numbers(MLP(2, [2], rng=Recorder(), gain=10)) == [10.0, 20.0, 3.0, 40.0, 50.0, 6.0]


def test_init_may_be_a_function():
    """It gets the generator and both fans; biases are then 0."""
    rng = Recorder()
    net = MLP(2, [3, 1], init=lambda r, fan_in, fan_out: 100 * (r is rng) + 10 * fan_in + fan_out, rng=rng)
    assert numbers(net) == [123.0, 123.0, 0.0] * 3 + [131.0] * 3 + [0.0]


# Shape


def test_neuron_has_labelled_weight_per_input_and_a_bias():
    assert Module().parameters() == []
    for module, labels in (
        (Neuron(2), "w1 w2 b"),
        (Layer(2, 2), "w1.1 w1.2 b1 w2.1 w2.2 b2"),
        (MLP(1, [2, 1]), "w1.1.1 b1.1 w1.2.1 b1.2 w2.1.1 w2.1.2 b2.1"),
    ):
        assert isinstance(module, Module)
        assert [parameter.label for parameter in module.parameters()] == labels.split()
        for parameter in module.parameters():
            parameter.grad = 1.0
        module.zero_grad()
        assert {parameter.grad for parameter in module.parameters()} == {0.0}


# Computation


@pytest.mark.parametrize("activation", ["linear", *(name for name in FUNCTIONS if name not in ("log", "sqrt"))])
def test_neuron_applies_activation_to_weighted_sum(activation):
    neuron = Neuron(2, activation, rng=random.Random(0))
    (w1, w2), b = neuron.weights, neuron.bias
    total = b.data + w1.data * 0.5 + w2.data * -2
    expected = total if activation == "linear" else getattr(Value(total), activation)().data
    assert neuron([0.5, -2]).data == expected


def test_mlp_uses_activation_inside_and_output_at_the_end():
    net = MLP(2, [3, 2, 1], activation="relu", output="sigmoid")
    assert [{n.activation for n in layer.neurons} for layer in net.layers] == [{"relu"}, {"relu"}, {"sigmoid"}]
    assert net([1, 2])._op == "sigmoid"
    for many in (Layer(2, 1)([1, 2]), Layer(2, 3)([1, 2]), MLP(2, [1, 3])([1, 2])):
        assert type(many) is list and {type(output) for output in many} == {Value}
    assert [layer.neurons[0].activation for layer in MLP(2, [2, 1]).layers] == ["tanh", "linear"]


@pytest.mark.parametrize("activation", ["tanh", "sigmoid", "relu"])
def test_every_op_and_weighted_sum_neurons_agree(activation):
    """The same numbers are added in the same order: outputs are equal to the bit, gradients to rounding."""
    assert ops(Neuron(2, activation)([1, 2])) == ["weighted_sum", activation]
    assert ops(Neuron(2, activation, every_op=True)([1, 2])) == ["*", "+", "*", "+", activation]
    nets = [MLP(3, [5, 4, 2], activation, rng=random.Random(1), every_op=every_op) for every_op in (False, True)]
    outputs = [[net(x) for x in ([0.1, -2, 3], [1, 1, -1])] for net in nets]
    assert [y.data for row in outputs[0] for y in row] == [y.data for row in outputs[1] for y in row]
    for rows in outputs:
        sum_of_squares(rows, [[1, 0], [0, 1]]).backward()
    for p, q in zip(*(net.parameters() for net in nets), strict=True):
        assert p.grad == pytest.approx(q.grad, rel=1e-12, abs=1e-15)


def test_mlp_accepts_values_numbers_tuples_and_arrays():
    net, x = MLP(2, [3, 1], rng=random.Random(1)), [Value(0.5), Value(-1)]
    output = net(x)
    output.backward()
    assert [value for value in x if not value.grad] == []
    for inputs in ([0.5, -1.0], (0.5, Value(-1)), np.array([0.5, -1.0]), iter([0.5, -1])):
        assert net(inputs).data == output.data


@pytest.mark.parametrize("name", ["nn", "losses", "optim"])
def test_nn_messages(name):
    check_approved_calls(f"{name}_sentences")


OUTPUTS, BITS = [0.3, 0.8, 0.55, 0.01], [1, 0, 1, 0]
LOGITS, LOGIT_BITS = [-3.0, 0.0, 2.5, 800.0, -800.0, 30.0, -30.0], [1, 0, 1, 0, 1, 1, 0]
ROWS, CLASSES = [[0.5, -1.0, 3.0], [1000.0, 999.0, -1000.0], [0.0, 0.0, 0.0]], [2, 1, 0]
THREE = [[1.0, 2.0, 3.0]] * 3


def of_logits(logits, targets):
    return binary_cross_entropy(logits, targets, from_logits=True)


def ours(loss, outputs, targets):
    values = [[Value(x) for x in row] if isinstance(row, list) else Value(row) for row in outputs]
    result = loss(values, targets)
    result.backward()
    rows = [row if isinstance(row, list) else [row] for row in values]
    return result.data, [value.grad for row in rows for value in row]


@pytest.mark.parametrize(
    ("loss", "torch_loss", "outputs", "targets"),
    [
        (sum_of_squares, lambda t: t.nn.MSELoss(reduction="sum"), OUTPUTS, BITS),
        (mean_squares, lambda t: t.nn.MSELoss(), OUTPUTS, BITS),
        (half_squares, lambda t: lambda p, q: 0.5 * ((p - q) ** 2).sum(), OUTPUTS, BITS),
        (sum_of_squares, lambda t: t.nn.MSELoss(reduction="sum"), ROWS, THREE),
        (mean_squares, lambda t: t.nn.MSELoss(), ROWS, THREE),
        (hinge, lambda t: lambda p, q: t.relu(1 - q * p).mean(), [0.3, 2.0, -0.5, 1.0], [1, -1, -1, 1]),
        (binary_cross_entropy, lambda t: t.nn.BCELoss(), OUTPUTS, BITS),
        (of_logits, lambda t: t.nn.BCEWithLogitsLoss(), LOGITS, LOGIT_BITS),
        (softmax_cross_entropy, lambda t: t.nn.CrossEntropyLoss(), ROWS, CLASSES),
    ],
)
def test_loss_equals_pytorch(loss, torch_loss, outputs, targets, torch):
    tensor = torch.tensor(outputs, dtype=torch.float64, requires_grad=True)
    expected = torch_loss(torch)(tensor, torch.tensor(targets, dtype=None if targets is CLASSES else torch.float64))
    expected.backward()
    number, grads = ours(loss, outputs, targets)
    assert is_same_float(number, expected.item())
    for grad, other in zip(grads, tensor.grad.flatten().tolist(), strict=True):
        assert is_same_float(grad, other, rel=1e-12, abs_tol=1e-16)


@pytest.mark.parametrize(
    ("loss", "outputs", "targets", "number", "grads"),
    [
        (sum_of_squares, [1, 4], [0, 2], 5.0, [2.0, 4.0]),
        (sum_of_squares, [[1, 2], [3, 4]], np.zeros((2, 2)), 30.0, [2.0, 4.0, 6.0, 8.0]),
        (sum_of_squares, [[1, 2], [3, 4]], ((0, 0), [Value(0)] * 2), 30.0, [2.0, 4.0, 6.0, 8.0]),
        (mean_squares, [1, 4], [0, 2], 2.5, [1.0, 2.0]),
        (mean_squares, [[1, 2], [3, 4]], np.zeros((2, 2)), 7.5, [0.5, 1.0, 1.5, 2.0]),
        (half_squares, [1, 4], [0, 2], 2.5, [1.0, 2.0]),
        (hinge, [0.5, 3, 1], [1, 1, -1], (0.5 + 0 + 2) / 3, [-1 / 3, 0.0, 1 / 3]),
        (binary_cross_entropy, [0.25, 0.25], [1, 0], -(math.log(0.25) + math.log(0.75)) / 2, [-2.0, 2 / 3]),
        (of_logits, [1e4, -1e4], [0, 0], 5e3, [0.5, 0.0]),
        (softmax_cross_entropy, [[7, 7]], [0], math.log(2), [-0.5, 0.5]),
        (softmax_cross_entropy, [[1e4, -1e4]], [1], 2e4, [1.0, -1.0]),
    ],
)
def test_losses_match_hand_calculation(loss, outputs, targets, number, grads):
    assert ours(loss, outputs, targets) == (pytest.approx(number), pytest.approx(grads))


def test_losses_accept_single_values_tuples_and_arrays():
    for loss in (sum_of_squares, mean_squares, half_squares):
        assert loss(Value(3), 1).data == loss([Value(3)], [1]).data
    for row in ([1.0, 2.0], (Value(1), Value(2)), np.array([1.0, 2.0])):
        assert softmax_cross_entropy([row], [0]).data == pytest.approx(math.log(1 + math.e))
    assert sum_of_squares([Value(3)], [1])._op == "**2"


START = [1.5, -0.7, 0.02]


def loss_of(a, b, c):
    """Return a loss with a gradient that changes from step to step, on Values or tensors."""
    return (a * b + c) ** 2 + (b - a).tanh() * c + a**4


def with_grads(*grads):
    parameters = [Value(1.0) for _ in grads]
    for parameter, grad in zip(parameters, grads):
        parameter.grad = grad
    return parameters


@pytest.mark.parametrize(
    ("make", "options"),
    [
        (SGD, {"lr": 0.05}),
        (SGD, {"lr": 0.02, "momentum": 0.9}),
        (Adam, {"lr": 0.1}),
        (Adam, {"lr": 0.01, "betas": (0.5, 0.9), "eps": 1e-3}),
        (Adam, {}),
    ],
)
def test_thirty_optimizer_steps_match_pytorch(make, options, torch):
    parameters = [Value(x) for x in START]
    tensors = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in START]
    optimizer, other = make(parameters, **options), getattr(torch.optim, make.__name__)(tensors, **options)
    for _ in range(30):
        optimizer.zero_grad()
        other.zero_grad()
        loss_of(*parameters).backward()
        loss_of(*tensors).backward()
        optimizer.step()
        other.step()
        for parameter, tensor in zip(parameters, tensors, strict=True):
            assert is_same_float(parameter.data, tensor.item(), rel=1e-10)


def test_momentum_matches_hand_calculation():
    """With velocity = .5 · velocity + grad it is 4, then 6, then 7."""
    (p,) = with_grads(4.0)
    optimizer = SGD([p], lr=1.0, momentum=0.5)
    path = []
    for _ in range(3):
        optimizer.step()
        path.append(p.data)
    assert path == [-3.0, -9.0, -16.0]


@pytest.mark.parametrize("grad", [1e-6, 3.0, -1e8, 1e100, 1e200])
def test_first_adam_step_is_lr_for_any_gradient_size(grad):
    """If its square is inf, there is no step, as in IEEE and in PyTorch, and no OverflowError ends the training."""
    (p,) = with_grads(grad)
    Adam([p], lr=0.125).step()
    assert p.data == (1.0 if grad == 1e200 else pytest.approx(1 - math.copysign(0.125, grad), rel=1e-2))


@pytest.mark.parametrize("make", [SGD, Adam])
def test_zero_grad_and_step_touch_only_their_parameters(make):
    a, b = with_grads(2.0, 3.0)
    optimizer = make(iter([a]), lr=0.1)
    optimizer.step()
    assert a.data != 1.0
    assert (a.grad, b.data, b.grad) == (2.0, 1.0, 3.0)
    optimizer.zero_grad()
    assert (a.grad, b.grad) == (0.0, 3.0)


# Clipping


@pytest.mark.parametrize(
    ("clip", "bound", "grads", "found", "after"),
    [
        (clip_grad_norm, 1.0, [3.0, -4.0], 5.0, [0.6, -0.8]),
        (clip_grad_norm, 5.0, [3.0, -4.0], 5.0, [3.0, -4.0]),
        (clip_grad_norm, 1.0, [3e200, -4e200], 5e200, [0.6, -0.8]),
        (clip_grad_norm, 3.5, [1.0, -4.0, 8.0, 0.0], 9.0, [3.5 / 9, -14 / 9, 28 / 9, 0.0]),
        (clip_grad_value, 1.0, [0.5, -3.0, 1.0, math.inf], 2, [0.5, -1.0, 1.0, 1.0]),
    ],
)
def test_clipping_matches_hand_calculation(clip, bound, grads, found, after):
    """The norm before, or how many were changed; squares that overflow; small gradients stay."""
    parameters = with_grads(*grads)
    assert clip(iter(parameters), bound) == pytest.approx(found, rel=1e-15)
    assert [p.grad for p in parameters] == pytest.approx(after, rel=1e-15)


GRADS = [0.3, -2.0, 0.0, 1e-9, 5.0, -0.25, 4.0]


@np.errstate(all="ignore")
@pytest.mark.parametrize("grads", [GRADS, [*GRADS, math.inf, -math.inf, nan]], ids=len)
@pytest.mark.parametrize(
    "run",
    [
        lambda parameters: [SGD(parameters, 0.02, 0.9).step] * 5,
        lambda parameters: [SGD(parameters, 0.05).step] * 5,
        lambda parameters: [Adam(parameters, 0.02, (0.5, 0.99)).step] * 5,
        *(lambda parameters, bound=bound: [partial(clip_grad_norm, parameters, bound)] for bound in (0.1, 1.0, 100.0)),
        *(lambda parameters, bound=bound: [partial(clip_grad_value, parameters, bound)] for bound in (0.1, 1.0, 100.0)),
    ],
)
def test_tensor_optimizer_steps_match_values_elementwise(run, grads):
    """To the last bit. All Tensors together have one norm."""
    values, start = with_grads(*grads), np.ones(len(grads))
    tensors = [Tensor(start[:6].reshape(2, 3)), Tensor(start[6:])]
    tensors[0].grad, tensors[1].grad = np.reshape(grads[:6], (2, 3)), grads[6:]
    for step, on_values in zip(run(tensors), run(values)):
        found, expected = step(), on_values()
        assert found is expected is None or is_same_float(found, expected)
    for name in ("data", "grad"):
        numbers = np.concatenate([getattr(tensor, name).ravel() for tensor in tensors])
        assert [
            (number, value)
            for number, value in zip(numbers, values, strict=True)
            if not is_same_float(number, getattr(value, name))
        ] == []
    optimizer = SGD(tensors)
    optimizer.zero_grad()
    assert [tensor for tensor in tensors if not ((tensor.grad == 0).all() and tensor.grad.shape == tensor.shape)] == []
