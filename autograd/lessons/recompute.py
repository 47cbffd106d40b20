"""Recomputing what a backward pass needs, instead of keeping it: arithmetic for memory (gradient checkpointing)."""

import numpy as np

from autograd.errors.validation import size
from autograd.tensor import Tensor
from autograd.topo import topological_order


def backward(layers, inputs, loss, every=None):
    """Set the gradients of a loss; keep only the input of each segment of `every` layers, and run it again when needed.

    layers: functions from a Tensor to a Tensor. inputs: the array that goes into the first. loss: a function from the
    last one's output to a Tensor of one number. every: how many layers make a segment; None: all of them, so that
    nothing is computed twice. Gradients add up in the leaves that the layers use, to the last bit as without segments.
    Returns the loss, a float, and its gradient by `inputs`, an array.
    """
    segments = cut(layers, every)
    entering = [np.asarray(inputs)]
    for segment in segments[:-1]:
        entering.append(output(entering[-1], segment))
    last = segments.pop()
    number, upstream = passed(entering.pop(), last, loss)
    while segments:
        _, upstream = passed(entering.pop(), segments.pop(), gradient=upstream)
    return number, upstream


def cut(layers, every=None):
    """Split a list of layers into lists of `every` layers; the last holds the rest."""
    layers = list(layers)
    if not layers:
        raise ValueError("a network has at least one layer, got none.")
    every = size(len(layers) if every is None else every, "every")
    return [layers[start : start + every] for start in range(0, len(layers), every)]


def output(array, segment):
    """Return the array that comes out of a segment. Each layer starts from a new leaf: its graph is freed at once."""
    for layer in segment:
        array = layer(Tensor(array)).data
    return array


def passed(array, segment, loss=None, gradient=None):
    """Run a segment forward and back; return its output, as a float if it is the loss, and the gradient by `array`."""
    start = end = Tensor(array)
    for layer in segment:
        end = layer(end)
    end = end if loss is None else loss(end)
    end.backward(gradient=gradient)
    return float(end) if loss is not None else None, start.grad


def dense(weights, biases):
    """Return a layer: tanh of a matrix product and biases."""
    return lambda h: (h @ weights + biases).tanh()


def deep_network(layers=64, width=64, batch=512, seed=0):
    """Return `layers` dense layers of `width` units, their parameters, and a batch of inputs, all from `seed`."""
    rng = np.random.RandomState(seed)
    pairs = [(Tensor(rng.standard_normal((width, width)) / width**0.5), Tensor(np.zeros(width))) for _ in range(layers)]
    return [dense(*pair) for pair in pairs], [p for pair in pairs for p in pair], rng.standard_normal((batch, width))


def held(root, leaves=False):
    """Return the bytes of the arrays that a graph holds, each counted once: numbers, gradients, what a VJP keeps.

    leaves: whether to count those of the leaves too, which exist without the graph.
    """
    found = {}
    for node in topological_order(root):
        if node._prev or leaves:
            found |= {id(array): array.nbytes for array in kept_by(node)}
    return sum(found.values())


def kept_by(node):
    """Yield the arrays that a node holds; for a view, the array that it shows."""
    things = [node.data, node._grad, *node._vjps]
    while things:
        thing = things.pop()
        if isinstance(thing, np.ndarray):
            yield thing if thing.base is None else thing.base
        else:
            things += [cell.cell_contents for cell in getattr(thing, "__closure__", None) or ()]
