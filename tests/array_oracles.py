"""Oracles for functions of Tensors: nudging, and PyTorch."""

from functools import partial

import numpy as np

from autograd.tensor import Tensor


def numbers(shape, low=-2.0, high=2.0, seed=0):
    return np.random.RandomState(seed).uniform(low, high, shape)


def gradients(f, inputs):
    """Return the value of f(*Tensors), a random gradient at the output, and with it the gradient by each input."""
    leaves = [Tensor(x) for x in inputs]
    root = f(*leaves)
    upstream = numbers(root.shape, seed=9)
    root.backward(gradient=upstream)
    return root.data, upstream, [leaf.grad for leaf in leaves]


def nudged(f, other, inputs, upstream, epsilon=1e-6):
    """Return value and gradients by central differences."""
    found = []
    for k, x in enumerate(inputs):
        gradient = np.zeros(x.shape)
        for place in np.ndindex(x.shape):
            sides = []
            for step in (epsilon, -epsilon):
                moved = [y.copy() for y in inputs]
                moved[k][place] += step
                sides.append((f(*map(Tensor, moved)).data * upstream).sum())
            gradient[place] = (sides[0] - sides[1]) / (2 * epsilon)
        found.append(gradient)
    return f(*map(Tensor, inputs)).data, found


def by_pytorch(torch, f, other, inputs, upstream):
    """Return value and gradients by PyTorch, in float64. `other` is the function there, if it differs."""
    leaves = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in inputs]
    root = partial(other, torch)(*leaves) if other else f(*leaves)
    root.backward(torch.tensor(upstream))
    return root.detach().numpy(), [leaf.grad.numpy() for leaf in leaves]


def compare(oracle, rel, f, *inputs, other=None):
    """Assert that f's value and gradients are an oracle's, to `rel` of the largest number, in their inputs' shapes."""
    inputs = [np.asarray(x, float) for x in inputs]
    value, upstream, found = gradients(f, inputs)
    expected, slopes = oracle(f, other, inputs, upstream)
    for got, right in zip([value, *found], [expected, *slopes], strict=True):
        assert got.shape == right.shape
        np.testing.assert_allclose(got, right, rtol=rel, atol=rel * max(1.0, np.abs(right).max(initial=0)))
