"""Multilayer perceptrons on Tensors, and losses of their outputs."""

import numpy as np

from autograd.arrays import validation as shapes
from autograd.errors import messages
from autograd.errors.validation import flag
from autograd.tensor import Tensor, as_tensor
from autograd.training.nn import MLP, Module, activation_name


class TensorMLP(Module):
    """A multilayer perceptron on arrays. It takes the arguments of `MLP`, and draws the same numbers from `rng`.

    weights: a Tensor of shape (inputs, outputs) for each layer, in which column j holds neuron j's weights.
    biases: a Tensor of shape (outputs,) for each layer.

    One step's numbers and gradients equal the scalar MLP's to 1e-12. They are not the same to the last bit, because
    a matrix product adds in another order. Training amplifies rounding: if it does not diverge, the two agree to
    1e-9 after 20 steps, but after hundreds they may differ in the first digit, and now and then in where they end up.
    """

    def __init__(self, n_inputs, layers, activation="tanh", output="linear", init="uniform", rng=None, *, gain=1.0):
        self._read([MLP(n_inputs, layers, activation, output, init, rng, gain=gain)])

    @classmethod
    def from_mlp(cls, mlp):
        """Return a TensorMLP with the weights, biases and gradients of a scalar MLP."""
        if not isinstance(mlp, MLP):
            raise TypeError(f"from_mlp takes an MLP, got {messages.described(mlp)}.")
        network = TensorMLP.__new__(TensorMLP)
        network._read([mlp])
        return network

    def to_mlp(self):
        """Return a scalar MLP with these weights, biases and gradients."""
        return self._write(())

    def __call__(self, inputs):
        """Return outputs, a Tensor of shape (n, outputs), for an array or Tensor of n samples, shape (n, inputs)."""
        outputs = inputs if isinstance(inputs, Tensor) else Tensor(inputs)
        if len(outputs.shape) != 2 or outputs.shape[1] != self.sizes[0]:
            raise ValueError(
                f"this network takes a batch of shape (n, {self.sizes[0]}), one sample per row, got shape "
                f"{outputs.shape}."
            )
        for weights, biases, activation in zip(self.weights, self.biases, self.activations):
            outputs = outputs @ weights + biases
            if activation != "linear":
                outputs = getattr(outputs, activation)()
        return outputs

    def parameters(self):
        """Return the parameters, as a list of Tensors: the weights and the biases of each layer in turn."""
        return [parameter for layer in zip(self.weights, self.biases) for parameter in layer]

    def _read(self, mlps):
        """Copy one scalar MLP, or the members of a population."""
        first = mlps[0]
        self.sizes = [len(first.layers[0].neurons[0].weights), *(len(layer.neurons) for layer in first.layers)]
        self.activations = [activation_of(layer) for layer in first.layers]
        data, grads = [self._stacked(mlps, name) for name in ("data", "grad")]
        parameters = [Tensor(array) for array in data]
        for i, (parameter, grad) in enumerate(zip(parameters, grads)):
            parameter.label, parameter.grad = f"{'Wb'[i % 2]}{i // 2 + 1}", grad
        self.weights, self.biases = parameters[::2], parameters[1::2]

    def _stacked(self, mlps, name):
        return arrays(mlps[0], name)

    def _write(self, place):
        """Return a scalar MLP made from the part of each array at index `place`."""
        mlp = MLP(self.sizes[0], self.sizes[1:], init=lambda rng, fan_in, fan_out: 0.0)
        for layer, activation, weights, biases in zip(mlp.layers, self.activations, self.weights, self.biases):
            for name in ("data", "grad"):
                columns = np.broadcast_to(getattr(weights, name), weights.shape)[place].T.tolist()
                constants = np.broadcast_to(getattr(biases, name), biases.shape)[place].ravel().tolist()
                for neuron, column, constant in zip(layer.neurons, columns, constants):
                    neuron.activation = activation
                    for value, number in zip(neuron.parameters(), [*column, constant]):
                        setattr(value, name, number)
        return mlp

    def __repr__(self):
        count = sum(parameter.data.size for parameter in self.parameters())
        return f"{type(self).__name__}({self.sizes[0]}, {self.sizes[1:]}): {count} parameters"


def arrays(mlp, name):
    """Return weights, shape (inputs, outputs), and biases, shape (outputs,), of each layer of a scalar MLP in turn.

    `name` says which of their numbers: "data" or "grad".
    """
    found = []
    for layer in mlp.layers:
        columns = [[getattr(weight, name) for weight in neuron.weights] for neuron in layer.neurons]
        found.append(np.array(columns).T.copy())  # row by row, as what is computed with it lies in memory
        found.append(np.array([getattr(neuron.bias, name) for neuron in layer.neurons]))
    return found


def activation_of(layer):
    """Return the activation of a scalar layer; raise ValueError if its neurons differ."""
    names = {neuron.activation for neuron in layer.neurons}
    if len(names) > 1:
        raise ValueError(f"the neurons of a layer need one activation, got {', '.join(sorted(names))}.")
    return activation_name(names.pop())


# Losses, as in losses.py. Outputs: a Tensor of shape (…, n, k); targets: shape (n, k). The result has a number for
# each network: shape (seeds,) for a population, else ().


def sum_of_squares(outputs, targets):
    """Return Σ (output - target)²."""
    return squares(outputs, targets, "sum_of_squares").sum(axis=(-2, -1))


def mean_squares(outputs, targets):
    """Return the mean of (output - target)² over all outputs."""
    return squares(outputs, targets, "mean_squares").mean(axis=(-2, -1))


def half_squares(outputs, targets):
    """Return ½ Σ (output - target)²."""
    return 0.5 * squares(outputs, targets, "half_squares").sum(axis=(-2, -1))


def binary_cross_entropy(outputs, targets, from_logits=False):
    """Return the mean of -t log p - (1 - t) log(1 - p), in nats. Targets t are 0 or 1.

    Outputs are probabilities p strictly between 0 and 1, or any numbers if `from_logits`, whose sigmoid p is.
    """
    outputs, from_logits = as_tensor(outputs), flag(from_logits, "from_logits")
    t = shapes.targets("binary_cross_entropy", targets, outputs.shape[-2:], allowed=(0, 1))
    if from_logits:
        terms = outputs.binary_cross_entropy(t)
    else:
        shapes.probabilities("binary_cross_entropy", outputs)
        terms = -(t * outputs + (1.0 - t) * (1.0 - outputs)).log()  # the probability of the class that is right
    return terms.mean(axis=(-2, -1))


def squares(outputs, targets, loss):
    """Return (output - target)², with a target for each output."""
    outputs = as_tensor(outputs)
    return (outputs - shapes.targets(loss, targets, outputs.shape[-2:])) ** 2


LOSSES = {
    function.__name__: function
    for function in (sum_of_squares, mean_squares, half_squares, Tensor.hinge, binary_cross_entropy)
}


def loss_function(loss):
    """Return the function with this name, or `loss` itself if it is a function."""
    if callable(loss):
        return loss
    if loss not in LOSSES:
        raise ValueError(f"a loss is one of {', '.join(LOSSES)}, or a function of outputs and targets; got {loss!r}.")
    return LOSSES[loss]
