"""Neurons, layers and MLPs: what is drawn, in which order, what is computed, and what is refused."""

import math
import random

import numpy as np
import pytest

from autograd import MLP, Layer, Module, Neuron, Value, sum_of_squares, topological_order

INITS = ["uniform", "uniform_zero_bias", "fan_in", "normal", "xavier", "he"]


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


def labels(module):
    return [parameter.label for parameter in module.parameters()]


# Initialisation


@pytest.mark.parametrize(
    ("init", "distribution"),
    [
        ("uniform", ("uniform", -1, 1)),
        ("uniform_zero_bias", ("uniform", -1, 1)),
        ("fan_in", ("uniform", -math.sqrt(2 / 3), math.sqrt(2 / 3))),
        ("normal", ("gauss", 0, 1)),
        ("xavier", ("uniform", -math.sqrt(6 / 8), math.sqrt(6 / 8))),
        ("he", ("gauss", 0, math.sqrt(2 / 3))),
    ],
)
def test_distribution_of_a_layer_with_3_inputs_and_5_neurons(init, distribution):
    rng = Recorder()
    layer = Layer(3, 5, init=init, rng=rng)
    biases = [neuron.bias.data for neuron in layer.neurons]
    if init == "uniform":
        assert rng.calls == [distribution] * 20
        assert biases == [4.0, 8.0, 12.0, 16.0, 20.0]
    else:
        assert rng.calls == [distribution] * 15
        assert biases == [0.0] * 5


@pytest.mark.parametrize("init", INITS)
def test_fan_in_and_fan_out_are_those_of_each_layer(init):
    """An MLP draws layer by layer, with the same distributions as its layers made one by one."""
    rng = random.Random(5)
    layers = [Layer(3, 4, init=init, rng=rng), Layer(4, 2, init=init, rng=rng)]
    assert numbers(MLP(3, [4, 2], init=init, rng=random.Random(5))) == numbers(layers[0]) + numbers(layers[1])


def test_draw_order_is_neuron_by_neuron_weights_then_bias():
    rng = random.Random(3)
    expected = [rng.uniform(-1, 1) for _ in range(2 * 3 + 1 * 3)]
    assert numbers(MLP(2, [2, 1], rng=random.Random(3))) == expected


def test_the_random_module_is_the_default():
    random.seed(11)
    net = MLP(2, [2, 1])
    assert numbers(net) == numbers(MLP(2, [2, 1], rng=random.Random(11)))


def test_gain_multiplies_each_weight_and_no_bias():
    plain, scaled = MLP(2, [2], rng=Recorder()), MLP(2, [2], rng=Recorder(), gain=10)
    assert numbers(plain) == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    assert numbers(scaled) == [10.0, 20.0, 3.0, 40.0, 50.0, 6.0]


def test_init_may_be_a_function():
    """It gets the generator and both fans; biases are then 0."""
    rng = Recorder()
    net = MLP(2, [3, 1], init=lambda r, fan_in, fan_out: 100 * (r is rng) + 10 * fan_in + fan_out, rng=rng)
    assert numbers(net) == [123.0, 123.0, 0.0] * 3 + [131.0] * 3 + [0.0]


# Shape


@pytest.mark.parametrize(
    ("n_inputs", "layers", "count"), [(2, [4, 1], 17), (2, [4, 4, 1], 37), (2, [16, 16, 1], 337), (3, [1], 4)]
)
def test_parameter_counts(n_inputs, layers, count):
    """Each neuron has a weight for each input and a bias."""
    net = MLP(n_inputs, layers)
    assert len(net.parameters()) == len(set(net.parameters())) == count
    assert repr(net) == f"MLP({n_inputs}, [{', '.join(map(str, layers))}]): {count} parameters"


def test_labels_say_layer_neuron_and_input():
    assert labels(Neuron(2)) == ["w1", "w2", "b"]
    assert labels(Layer(2, 2)) == ["w1.1", "w1.2", "b1", "w2.1", "w2.2", "b2"]
    assert labels(MLP(1, [2, 1])) == ["w1.1.1", "b1.1", "w1.2.1", "b1.2", "w2.1.1", "w2.1.2", "b2.1"]


def test_representations():
    assert repr(Neuron(2, "relu")) == "Neuron(2, activation='relu')"
    assert repr(Layer(2, 1, "tanh")) == "Layer(Neuron(2, activation='tanh'))"


def test_one_output_is_a_value_and_more_are_a_list():
    assert type(Neuron(2)([1, 2])) is Value
    assert type(MLP(2, [3, 1])([1, 2])) is Value
    for many in (Layer(2, 1)([1, 2]), Layer(2, 3)([1, 2]), MLP(2, [1, 3])([1, 2])):
        assert type(many) is list
        assert all(type(output) is Value for output in many)


def test_sizes_may_be_a_tuple_or_numpy_integers():
    assert len(MLP(np.int64(2), (np.int64(4), 1)).parameters()) == 17


def test_modules_have_parameters_and_zero_grad():
    assert Module().parameters() == []
    for module in (Neuron(2), Layer(2, 3), MLP(2, [3, 1])):
        assert isinstance(module, Module)
        for parameter in module.parameters():
            parameter.grad = 1.0
        module.zero_grad()
        assert [parameter.grad for parameter in module.parameters()] == [0.0] * len(module.parameters())


# What is computed


@pytest.mark.parametrize("activation", ["linear", "tanh", "sigmoid", "relu", "leaky_relu", "exp", "sin", "cos"])
def test_a_neuron_is_its_activation_of_its_weighted_sum(activation):
    neuron = Neuron(2, activation, rng=random.Random(0))
    (w1, w2), b = neuron.weights, neuron.bias
    total = b.data + w1.data * 0.5 + w2.data * -2
    expected = total if activation == "linear" else getattr(Value(total), activation)().data
    assert neuron([0.5, -2]).data == expected


def test_an_mlp_uses_activation_inside_and_output_at_the_end():
    net = MLP(2, [3, 2, 1], activation="relu", output="sigmoid")
    assert [{n.activation for n in layer.neurons} for layer in net.layers] == [{"relu"}, {"relu"}, {"sigmoid"}]
    assert net([1, 2])._op == "sigmoid"


def test_defaults_are_tanh_and_linear():
    net = MLP(2, [2, 1])
    assert [layer.neurons[0].activation for layer in net.layers] == ["tanh", "linear"]


def test_a_neuron_is_one_node_and_its_activation():
    """And with every_op each multiplication and addition is a node: the inputs are six leaves in both."""
    ops = [node._op for node in topological_order(Neuron(2)([1, 2]))]
    assert [op for op in ops if op] == ["weighted_sum", "tanh"]
    ops = [node._op for node in topological_order(Neuron(2, every_op=True)([1, 2]))]
    assert [op for op in ops if op] == ["*", "+", "*", "+", "tanh"]


@pytest.mark.parametrize("activation", ["tanh", "sigmoid", "relu"])
def test_every_op_and_weighted_sum_agree(activation):
    """The same numbers are added in the same order: outputs are equal to the bit, gradients to rounding."""
    nets = [MLP(3, [5, 4, 2], activation, rng=random.Random(1), every_op=every_op) for every_op in (False, True)]
    outputs = [[net(x) for x in ([0.1, -2, 3], [1, 1, -1])] for net in nets]
    assert [y.data for row in outputs[0] for y in row] == [y.data for row in outputs[1] for y in row]
    for rows in outputs:
        sum_of_squares(rows, [[1, 0], [0, 1]]).backward()
    for p, q in zip(*(net.parameters() for net in nets), strict=True):
        assert p.grad == pytest.approx(q.grad, rel=1e-12, abs=1e-15)


def test_inputs_may_be_values_numbers_tuples_or_arrays():
    net = MLP(2, [3, 1], rng=random.Random(1))
    expected = net([0.5, -1.0]).data
    assert net((0.5, Value(-1))).data == net(np.array([0.5, -1.0])).data == net(iter([0.5, -1])).data == expected


def test_inputs_get_gradients_too():
    x = [Value(0.5), Value(-1)]
    MLP(2, [3, 1], rng=random.Random(1))(x).backward()
    assert all(value.grad for value in x)


# What is refused


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: MLP(0, [4]), "an MLP's number of inputs is a whole number of at least 1, got 0."),
        (lambda: MLP(2.0, [4]), "an MLP's number of inputs is a whole number of at least 1, got 2.0."),
        (lambda: MLP(2, [4, 0]), "a layer's number of neurons is a whole number of at least 1, got 0."),
        (lambda: MLP(2, [4, True]), "a layer's number of neurons is a whole number of at least 1, got True."),
        (lambda: MLP(2, []), "an MLP's layers are a list of sizes, as in [4, 4, 1], got []."),
        (lambda: MLP(2, 4), "an MLP's layers are a list of sizes, as in [4, 4, 1], got 4."),
        (lambda: Layer(2, "3"), "a layer's number of neurons is a whole number of at least 1, got '3'."),
        (lambda: Neuron(-1), "a neuron's number of inputs is a whole number of at least 1, got -1."),
    ],
)
def test_wrong_sizes(make, sentence):
    with pytest.raises(ValueError) as caught:
        make()
    assert str(caught.value) == sentence


@pytest.mark.parametrize("where", [{"activation": "swish"}, {"output": "swish"}])
@pytest.mark.parametrize("sizes", [[1], [2, 1]])
def test_wrong_activation(where, sizes):
    """Refused even where no layer would use it."""
    with pytest.raises(ValueError, match=r"^an activation is one of linear, tanh, .*; got 'swish'\.$"):
        MLP(2, sizes, **where)


@pytest.mark.parametrize("init", ["magic", None, 3, ["he"]])
def test_wrong_init(init):
    with pytest.raises(
        ValueError, match=r"^init is one of uniform, uniform_zero_bias, fan_in, normal, xavier, he, or a"
    ):
        MLP(2, [1], init=init)


@pytest.mark.parametrize("rng", [42, np.random.default_rng(0), "random"])
def test_wrong_rng(rng):
    with pytest.raises(TypeError, match=r"^rng is a random.Random, got .* For a seed: rng=random\.Random\(42\)\.$"):
        MLP(2, [1], rng=rng)


def test_wrong_gain():
    with pytest.raises(TypeError, match=r"^gain needs a real number, got the str '2'"):
        MLP(2, [1], gain="2")


@pytest.mark.parametrize(
    ("module", "who"), [(Neuron(2), "This neuron"), (Layer(2, 3), "This layer"), (MLP(2, [3, 1]), "This MLP")]
)
def test_wrong_inputs(module, who):
    for inputs, error, sentence in [
        ([1], ValueError, f"{who} takes 2 inputs, got 1."),
        ([1, 2, 3], ValueError, f"{who} takes 2 inputs, got 3."),
        (3, TypeError, f"{who} takes a list of numbers or Values, got an int."),
        (None, TypeError, f"{who} takes a list of numbers or Values, got None."),
        ("ab", TypeError, f"{who} takes a list of numbers or Values, got the str 'ab'."),
        (Value(1), TypeError, f"{who} takes a list of numbers or Values, got a Value."),
    ]:
        with pytest.raises(error) as caught:
            module(inputs)
        assert str(caught.value) == sentence


def test_an_input_that_is_not_a_number_is_named():
    with pytest.raises(TypeError, match=r"^a Value needs a real number, got a list of 2"):
        MLP(2, [1])([[0, 1], [1, 1]])
