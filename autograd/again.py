"""`run_again`: a node's operation on other inputs, by its name and its constants, on any class of numbers or arrays."""

import operator

from autograd.errors import messages
from autograd.operations import ROWS, RUN

SIGNS = {row.name: RUN[row.name] for row in ROWS if row.sign}
SIGNS |= {"@": operator.matmul, "[]": operator.getitem, "T": operator.attrgetter("T")}


def operation(op):
    """The name of the operation that `_op` shows: "**" of "**2". The 2 is in the node's `_constants`, unrounded."""
    return "**" if op.startswith("**") else op


def run_again(node, inputs):
    """What a node's operation gives for these inputs: Values, Tensors, or numbers of any class with its operators.

    The plain numbers, such as an exponent, are the node's `_constants`: `_op` may show them rounded. ValueError where
    the inputs know no such operation.
    """
    name = operation(node._op)
    if name == "weighted_sum":
        return sum_again(inputs)
    run = SIGNS.get(name) or getattr(type(inputs[0]), name, None)
    if run is None:
        kind = type(inputs[0]).__name__
        raise ValueError(f"{messages.named(node)} cannot be run again: {kind} has no operation {node._op!r}.")
    return run(*inputs, *node._constants)


def sum_again(inputs):
    """A weighted sum: of Values as one node, of other numbers step by step."""
    n = len(inputs) // 2
    weights, xs, total = inputs[:n], inputs[n : 2 * n], inputs[-1]
    if hasattr(total, "_weighted"):
        return total._weighted(weights, xs, total)
    for weight, x in zip(weights, xs):
        total = total + weight * x
    return total
