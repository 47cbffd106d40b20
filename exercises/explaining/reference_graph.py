"""Read a graph's edges: local derivatives, the right gradients, and the order of the nodes."""

import contextlib

import autograd
from autograd.operations import ROWS, RUN
from figures.graph.reader import alike, made_again, things_of


def fill_trace(found, both, seed):
    """Put the learner's graph and its right gradients into a Trace; raise ValueError if the graph has a cycle."""
    nodes = things_of(both.own)
    place = {id(node): i for i, node in enumerate(nodes)}
    inputs_of = [[place[id(input)] for input in node._prev] for node in nodes]
    if any(input >= i for i, inputs in enumerate(inputs_of) for input in inputs):
        raise ValueError("This graph goes in a circle: a node depends on itself, so nothing can be its gradient.")
    found.nodes, found.inputs = nodes, inputs_of
    found.names = [str(getattr(node, "label", "") or f"v{i}") for i, node in enumerate(found.nodes)]
    found.data = [float(node.data) for node in found.nodes]
    values, slopes = [], requested_slopes(both)
    for node, inputs in zip(found.nodes, found.inputs):
        made = made_again(node, [values[i] for i in inputs]) if inputs else None
        values.append(made or autograd.Value(float(node.data)))
    for node, value, inputs in zip(found.nodes, values, found.inputs):
        known = list(value._local) if len(value._prev) == len(inputs) else None
        known = known or slopes.get((id(node), *(id(found.nodes[i]) for i in inputs)))
        found.locals.append(known or local_slopes(node, [found.nodes[i] for i in inputs]))
    found.truth = right_gradients(found.inputs, found.locals, seed)


def requested_slopes(both):
    """Return {(id of a node, ids of its inputs): local derivatives} of the operations that f ran on a Both."""
    known, owns = {}, both.watch.owns
    for right in autograd.topological_order(both.right):
        own = owns.get(id(right))
        if own is None or not right._prev:
            continue
        left = list(zip(right._prev, right._local))
        found = []
        for input in own._prev:
            fits = [each for each in left if owns.get(id(each[0])) is input]
            fits = fits or [each for each in left if id(each[0]) not in owns and each[0].data == input.data]
            if fits:
                left.remove(fits[0])
                found.append(fits[0][1])
        if len(found) == len(right._prev) == len(own._prev):
            known[id(own), *map(id, own._prev)] = found
    return known


def local_slopes(node, inputs):
    """Return the local derivatives of a node without an `_op` if just one operation gives its number; Nones else."""
    found = []
    if not getattr(node, "_op", "") and all(as_number(input.data) is not None for input in inputs):
        for row in (row for row in ROWS if len(row.slopes) == len(inputs) and not row.constants):
            with contextlib.suppress(Exception):
                made = RUN[row.name](*(autograd.Value(float(input.data)) for input in inputs))
                is_new = not any(all(map(alike, made._local, known)) for known in found)
                if is_new and alike(made.data, float(node.data)):
                    found.append(list(made._local))
    return found[0] if len(found) == 1 else [None] * len(inputs)


def right_gradients(inputs, locals, seed):
    """Return each node's right gradient, from the last one's; None if an edge on the way is not known."""
    found = [0.0] * (len(inputs) - 1) + [seed]
    for i in reversed(range(len(inputs))):
        for input, local in zip(inputs[i], locals[i]):
            known = None not in (local, found[i], found[input])
            found[input] = found[input] + local * found[i] if known else None
    return found


def as_number(x):
    """Return a gradient as a float, or None if it is not a number."""
    return float(x) if isinstance(x, int | float) or (hasattr(x, "__float__") and not hasattr(x, "data")) else None
