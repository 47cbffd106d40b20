"""Neurons, layers and MLPs: what is drawn, in which order, what is computed, and what is refused."""

import math
import random

import numpy as np
import pytest

from autograd import MLP, Layer, Module, Neuron, Value, sum_of_squares, topological_order
from autograd.nn import FUNCTIONS
from tests.said import said_by

INITS = {  # the distribution of a layer with 3 inputs and 5 neurons
    "uniform": ("uniform", -1, 1),
    "uniform_zero_bias": ("uniform", -1, 1),
    "fan_in": ("uniform", -math.sqrt(2 / 3), math.sqrt(2 / 3)),
    "normal": ("gauss", 0, 1),
    "xavier": ("uniform", -math.sqrt(6 / 8), math.sqrt(6 / 8)),
    "he": ("gauss", 0, math.sqrt(2 / 3)),
}


class Recorder:
    """A generator that writes down what it is asked for, and answers 1, 2, 3, …"""

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
    """An MLP draws layer by layer, with the same distributions as its layers made one by one."""
    rng = Recorder()
    biases = [neuron.bias.data for neuron in Layer(3, 5, init=init, rng=rng).neurons]
    assert rng.calls == [INITS[init]] * (20 if init == "uniform" else 15)
    assert biases == ([4.0, 8.0, 12.0, 16.0, 20.0] if init == "uniform" else [0.0] * 5)
    rng = random.Random(5)
    layers = [Layer(3, 4, init=init, rng=rng), Layer(4, 2, init=init, rng=rng)]
    assert numbers(MLP(3, [4, 2], init=init, rng=random.Random(5))) == numbers(layers[0]) + numbers(layers[1])


def test_draw_order_is_neuron_by_neuron_weights_then_bias():
    """The random module is the default. A gain multiplies each weight and no bias."""
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


def test_each_neuron_has_a_weight_for_each_input_and_a_bias():
    """Their labels say layer, neuron and input; zero_grad sets the grads of all."""
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


# What is computed


@pytest.mark.parametrize("activation", ["linear", *(name for name in FUNCTIONS if name not in ("log", "sqrt"))])
def test_a_neuron_is_its_activation_of_its_weighted_sum(activation):
    neuron = Neuron(2, activation, rng=random.Random(0))
    (w1, w2), b = neuron.weights, neuron.bias
    total = b.data + w1.data * 0.5 + w2.data * -2
    expected = total if activation == "linear" else getattr(Value(total), activation)().data
    assert neuron([0.5, -2]).data == expected


def test_activations_stand_inside_and_another_at_the_end():
    """As they are said, or tanh and linear. One output is a Value, more are a list."""
    net = MLP(2, [3, 2, 1], activation="relu", output="sigmoid")
    assert [{n.activation for n in layer.neurons} for layer in net.layers] == [{"relu"}, {"relu"}, {"sigmoid"}]
    assert net([1, 2])._op == "sigmoid"
    for many in (Layer(2, 1)([1, 2]), Layer(2, 3)([1, 2]), MLP(2, [1, 3])([1, 2])):
        assert type(many) is list and {type(output) for output in many} == {Value}
    assert [layer.neurons[0].activation for layer in MLP(2, [2, 1]).layers] == ["tanh", "linear"]


@pytest.mark.parametrize("activation", ["tanh", "sigmoid", "relu"])
def test_every_op_and_weighted_sum_agree(activation):
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


def test_inputs_may_be_values_numbers_tuples_or_arrays():
    """Values get gradients too."""
    net, x = MLP(2, [3, 1], rng=random.Random(1)), [Value(0.5), Value(-1)]
    output = net(x)
    output.backward()
    assert all(value.grad for value in x)
    for inputs in ([0.5, -1.0], (0.5, Value(-1)), np.array([0.5, -1.0]), iter([0.5, -1])):
        assert net(inputs).data == output.data


def test_sentences():
    said_by("nn_sentences")
