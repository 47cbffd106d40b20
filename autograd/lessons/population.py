"""Training on arrays in one call: of one network, or of many with different seeds at once."""

import random

import numpy as np

from autograd.errors.validation import size
from autograd.tensor import quiet
from autograd.training.nn import MLP
from autograd.training.tensor_nn import TensorMLP, arrays, loss_function


@quiet
def step(network, inputs, targets, lr=0.1, loss="sum_of_squares"):
    """Take one step of gradient descent, and return the loss before it.

    inputs: shape (n, inputs). targets: shape (n, outputs). loss: a name in LOSSES, or a function of the outputs
    and the targets that returns a Tensor. The gradients stay, to be looked at.
    """
    losses = loss_function(loss)(network(inputs), targets)
    network.zero_grad()
    losses.sum().backward()  # the sum over a population: each network's parameters are in one term only
    for parameter in network.parameters():
        parameter.data -= lr * parameter.grad
    return losses.data


def train(network, inputs, targets, steps, lr=0.1, loss="sum_of_squares"):
    """Take some steps, and return an array of the loss before each. Call it again to go on."""
    return np.array([step(network, inputs, targets, lr, loss) for _ in range(size(steps, "steps"))])


class Population(TensorMLP):
    """Networks of one shape, one for each seed, as one batch of arrays that is trained at once.

    Network i has the numbers that `MLP(…, rng=random.Random(seeds[i]))` draws, and stays as close to its scalar twin as
    `TensorMLP` does. weights: shape (seeds, inputs, outputs); biases: shape (seeds, 1, outputs). A call gives outputs
    of shape (seeds, n, outputs); `step` returns one loss per seed, shape (seeds,); `train`, shape (steps, seeds).
    """

    def __init__(self, seeds, n_inputs, layers, activation="tanh", output="linear", init="uniform", *, gain=1.0):
        self.seeds = list(seeds)
        if not self.seeds:
            raise ValueError("a Population needs at least one seed, got none. Pass range(100).")
        self._read(
            [MLP(n_inputs, layers, activation, output, init, random.Random(seed), gain=gain) for seed in self.seeds]
        )

    step, train = step, train

    def losses(self, inputs, targets, loss="sum_of_squares"):
        """Return the current loss of each network, an array of shape (seeds,)."""
        return loss_function(loss)(self(inputs), targets).data

    def to_mlp(self, i):
        """Return the scalar MLP of network i, whose seed is `seeds[i]`."""
        return self._write(i)

    def _stacked(self, mlps, name):
        """Stack each array of all networks along a new first axis; biases also get an axis for the samples."""
        stacked = [np.stack(together) for together in zip(*(arrays(mlp, name) for mlp in mlps))]
        return [array if i % 2 == 0 else array[:, None, :] for i, array in enumerate(stacked)]
