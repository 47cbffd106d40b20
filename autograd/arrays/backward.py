"""The parts of a backward pass through Tensors: kept arrays, cleared grads, and VJPs that operations share."""

import numpy as np

from autograd.arrays import validation

FLOAT = np.dtype(float)


class cleared:
    """A context for a backward pass: clear grads, add the leaves' old ones at the end; restore all if it fails."""

    def __init__(self, order, reset):
        self.before, self.reset = [(node, node._grad) for node in order], reset

    def __enter__(self):
        for node, _ in self.before if self.reset != "nothing" else ():
            node._grad = None

    def __exit__(self, failure, *details):
        for node, grad in self.before:
            if failure:
                node._grad = grad
            elif grad is not None and self.reset == "intermediates" and not node._prev:
                node._grad = node._grad + grad  # last, so that two passes double a sum to the last digit


def unchanged(upstream):
    """Return upstream: the VJP of an input whose local derivative is 1."""
    return upstream


def times(local):
    """Return the VJP of an op on each number: the local derivatives times upstream, as in the scalar engine."""
    return lambda upstream: local * upstream


def unbroadcast(gradient, shape):
    """Sum `gradient` over the axes along which an input of `shape` was repeated: the adjoint of broadcasting.

    A number that was used k times gets the sum of k gradients, as a Value that is used k times does.
    """
    if gradient.shape == shape:
        return gradient
    extra = gradient.ndim - len(shape)  # axes that the input does not have
    stretched = [extra + axis for axis, size in enumerate(shape) if size == 1]
    return gradient.sum(axis=(*range(extra), *stretched)).reshape(shape)


def made(data, prev):
    """Return the array that an operation made, now read-only: other nodes' VJPs may keep it.

    An input's data that somebody has set to a list or to whole numbers becomes an array of float64.
    """
    for input in prev:
        if not input._prev and (type(input.data) is not np.ndarray or input.data.dtype is not FLOAT):
            input.data = validation.numbers(input.data)
    array = np.asarray(data).view()
    array.flags.writeable = False
    return array


def kept_index(index):
    """Return an index whose arrays and lists nobody else can change."""
    if type(index) in (tuple, list):
        return type(index)(map(kept_index, index))
    return index.copy() if isinstance(index, np.ndarray) else index
