"""Neurons, layers and multilayer perceptrons, made of Values."""

import itertools
import math
import random

from autograd import operations
from autograd.errors import messages
from autograd.errors.validation import real, size
from autograd.value import Value, as_value

ACTIVATIONS = ("linear", "tanh", "sigmoid", "relu", "leaky_relu")
FUNCTIONS = tuple(dict.fromkeys((*ACTIVATIONS[1:], *operations.FUNCTIONS)))  # a neuron takes each of them


class Initialisation:
    """The distribution that a weight is drawn from: U(-s, s), or N(0, s²) if it is `normal`.

    The scale s is a function of the number of inputs to the neuron (fan_in) and of neurons in its layer (fan_out).
    """

    def __init__(self, scale, normal=False):
        self.scale, self.normal = scale, normal

    def __call__(self, rng, fan_in, fan_out):
        """Draw one weight with a random.Random."""
        scale = self.scale(fan_in, fan_out)
        return rng.gauss(0, scale) if self.normal else rng.uniform(-scale, scale)


INITIALISATIONS = {
    "uniform": Initialisation(lambda fan_in, fan_out: 1.0),  # biases are drawn too; with the others they are 0
    "uniform_zero_bias": Initialisation(lambda fan_in, fan_out: 1.0),
    "fan_in": Initialisation(lambda fan_in, fan_out: math.sqrt(2 / fan_in)),
    "normal": Initialisation(lambda fan_in, fan_out: 1.0, normal=True),
    "xavier": Initialisation(lambda fan_in, fan_out: math.sqrt(6 / (fan_in + fan_out))),  # Glorot, Bengio 2010
    "he": Initialisation(lambda fan_in, fan_out: math.sqrt(2 / fan_in), normal=True),  # He et al. 2015
}


class Module:
    """Something with parameters: the Values that training changes."""

    def parameters(self):
        """Return the parameters, as a list of Values, always in the same order."""
        return []

    def zero_grad(self):
        """Set the grad of every parameter to 0."""
        for parameter in self.parameters():
            parameter.grad = 0.0


class Neuron(Module):
    """activation(b + w₁x₁ + … + wₙxₙ).

    Weights are drawn first, in order, then the bias: from U(-1, 1) with init "uniform", else 0. `gain` multiplies
    each weight drawn. `every_op=True` builds the sum from single multiplications and additions, one node each.
    """

    def __init__(
        self, n_inputs, activation="tanh", init="uniform", rng=None, *, gain=1.0, fan_out=1, every_op=False, name=""
    ):
        n_inputs, gain = size(n_inputs, "a neuron's number of inputs"), real(gain, "gain")
        draw, rng = initialisation(init), generator(rng)
        self.activation, self.every_op = activation_name(activation), every_op
        self.weights = [Value(gain * draw(rng, n_inputs, fan_out), label=f"w{name}{i}") for i in range(1, n_inputs + 1)]
        self.bias = Value(rng.uniform(-1, 1) if init == "uniform" else 0.0, label=f"b{name}".rstrip("."))

    def __call__(self, inputs):
        """Return the neuron's output, a Value, for a list of numbers or Values."""
        return self.respond(as_inputs(inputs, len(self.weights), "This neuron"))

    def respond(self, inputs):
        """Return the output for a list of Values that has been checked."""
        if self.every_op:
            total = self.bias
            for w, x in zip(self.weights, inputs):
                total = total + w * x
        else:
            total = Value._weighted(self.weights, inputs, self.bias)
        return total if self.activation == "linear" else getattr(total, self.activation)()

    def parameters(self):
        return [*self.weights, self.bias]

    def __repr__(self):
        return f"Neuron({len(self.weights)}, activation={self.activation!r})"


class Layer(Module):
    """Neurons that read the same inputs. Calling it gives a list of Values, one for each neuron."""

    def __init__(self, n_inputs, n_outputs, activation="tanh", init="uniform", rng=None, *, name="", **options):
        n_outputs = size(n_outputs, "a layer's number of neurons")
        self.neurons = [
            Neuron(n_inputs, activation, init, rng, fan_out=n_outputs, name=f"{name}{j}.", **options)
            for j in range(1, n_outputs + 1)
        ]

    def __call__(self, inputs):
        """Return the outputs, a list of Values, for a list of numbers or Values."""
        return self.respond(as_inputs(inputs, len(self.neurons[0].weights), "This layer"))

    def respond(self, inputs):
        """Return the outputs for a list of Values that has been checked."""
        return [neuron.respond(inputs) for neuron in self.neurons]

    def parameters(self):
        return [parameter for neuron in self.neurons for parameter in neuron.parameters()]

    def __repr__(self):
        return f"Layer({', '.join(map(repr, self.neurons))})"


class MLP(Module):
    """A multilayer perceptron: layers, each of which reads the outputs of the one before.

    MLP(2, [4, 4, 1]) has 2 inputs and layers of 4, 4 and 1 neurons: 12 + 20 + 5 = 37 parameters.
    activation: that of every layer but the last, which has `output`; each is one of ACTIVATIONS or FUNCTIONS.
    init: one of INITIALISATIONS, or a function (rng, fan_in, fan_out) -> float for the weights (biases are then 0).
    rng: a random.Random; the `random` module if None. `gain` multiplies each weight drawn.
    """

    def __init__(
        self,
        n_inputs,
        layers,
        activation="tanh",
        output="linear",
        init="uniform",
        rng=None,
        *,
        gain=1.0,
        every_op=False,
    ):
        sizes = [size(n_inputs, "an MLP's number of inputs"), *layer_sizes(layers)]
        size(sum((a + 1) * b for a, b in itertools.pairwise(sizes)), "an MLP's number of parameters")
        activations = [activation] * (len(sizes) - 2) + [output]
        activation_name(activation)  # refused even where no layer would use it
        self.layers = [
            Layer(n_in, n_out, name, init, rng, gain=gain, every_op=every_op, name=f"{i}.")
            for i, (n_in, n_out, name) in enumerate(zip(sizes, sizes[1:], activations), start=1)
        ]

    def __call__(self, inputs):
        """Return the output for a list of numbers or Values: a Value if the last layer has one neuron, else a list."""
        outputs = as_inputs(inputs, len(self.layers[0].neurons[0].weights), "This MLP")
        for layer in self.layers:
            outputs = layer.respond(outputs)
        return outputs[0] if len(outputs) == 1 else outputs

    def parameters(self):
        return [parameter for layer in self.layers for parameter in layer.parameters()]

    def __repr__(self):
        sizes = ", ".join(str(len(layer.neurons)) for layer in self.layers)
        return f"MLP({len(self.layers[0].neurons[0].weights)}, [{sizes}]): {len(self.parameters())} parameters"


def as_inputs(inputs, expected, who):
    """Return `inputs` as a list of `expected` Values; raise ValueError if there are more or fewer."""
    if getattr(inputs, "ndim", 1) > 1:  # a matrix, or pandas' DataFrame, whose items are the names of its columns
        got = messages.described(inputs)
        raise TypeError(f"{who} takes one sample, a list of {expected} numbers; got {got}. Call it for each row.")
    try:
        inputs = [as_value(x) for x in inputs]
    except TypeError:
        if hasattr(inputs, "__iter__") and not isinstance(inputs, (str, bytes)):
            raise  # one of them is not a number, and the message says which kind
        raise TypeError(f"{who} takes a list of numbers or Values, got {messages.described(inputs)}.") from None
    if len(inputs) != expected:
        raise ValueError(f"{who} takes {expected} input{'s' * (expected != 1)}, got {len(inputs)}.")
    return inputs


def layer_sizes(layers):
    """Return the sizes of an MLP's layers, checked."""
    if not isinstance(layers, (list, tuple)) or not layers:
        raise ValueError(f"an MLP's layers are a list of sizes, as in [4, 4, 1], got {layers!r}.")
    return [size(n, "a layer's number of neurons") for n in layers]


def activation_name(name):
    """Return `name` if it is an activation; else raise ValueError."""
    if not isinstance(name, str) or name not in ("linear", *FUNCTIONS):
        raise ValueError(f"an activation is one of linear, {', '.join(FUNCTIONS)}; got {name!r}.")
    return name


def initialisation(init):
    """Return the function that draws a weight."""
    if callable(init):
        return init
    if not isinstance(init, str) or init not in INITIALISATIONS:
        raise ValueError(
            f"init is one of {', '.join(INITIALISATIONS)}, or a function (rng, fan_in, fan_out) -> float; got {init!r}."
        )
    return INITIALISATIONS[init]


def generator(rng):
    """Return `rng`, or the `random` module if it is None."""
    if rng is not None and not (hasattr(rng, "uniform") and hasattr(rng, "gauss")):
        raise TypeError(f"rng is a random.Random, got {messages.described(rng)}. For a seed: rng=random.Random(42).")
    return random if rng is None else rng
