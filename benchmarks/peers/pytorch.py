"""PyTorch on one thread, float64: a tensor of no dimensions for each number, or arrays."""

import torch

from benchmarks.peers import engine

torch.set_num_threads(1)


class PyTorch:
    """The part that both share."""

    tanh, relu = staticmethod(torch.tanh), staticmethod(torch.relu)

    @staticmethod
    def constant(data):
        return torch.tensor(data, dtype=torch.float64)

    @staticmethod
    def leaf(data):
        return torch.tensor(data, dtype=torch.float64, requires_grad=True)

    def record(self, f, leaves):
        """Return f(leaves) as a float, and a function that returns its gradient by each leaf."""
        root = f(leaves)
        return root.item(), lambda: torch.autograd.grad(root, leaves)

    def descend(self, parameters, gradients, rate):
        with torch.no_grad():
            for parameter, gradient in zip(parameters, gradients):
                parameter.sub_(gradient, alpha=rate)


class ZeroD(PyTorch, engine.Numbers):
    """A 0-d tensor for each number."""


class Arrays(PyTorch, engine.Arrays):
    """Matrices, with h W + b as one op."""

    whole, cross_entropy = staticmethod(torch.tensor), staticmethod(torch.nn.functional.cross_entropy)

    def affine(self, h, weights, biases):
        return torch.addmm(biases, h, weights)
