"""Copying and pickling a computation graph node by node, without recursion: it may be deeper than Python's stack."""

from autograd.topo import topological_order


def copied(root, memo):
    """Copy `root` and all that it depends on, for `copy.deepcopy`; `memo` holds what was copied before."""
    for node in topological_order(root):
        if id(node) not in memo:
            twin = memo[id(node)] = object.__new__(type(node))
            restore(twin, *state(node), tuple(memo[id(input)] for input in node._prev))
    return memo[id(root)]


def flat(root):
    """Return what `pickle` needs to make `root` again, as `__reduce_ex__` does: a function and its arguments.

    The graph becomes a list: its leaves unchanged, so that they stay the same objects in what else is pickled with
    them; for every other node its class, its slots, and the places of its inputs in the list. An inner node that is
    pickled twice, in a graph and by itself, becomes two.
    """
    order = topological_order(root)
    place = {id(node): i for i, node in enumerate(order)}
    nodes = [(type(n), *state(n), [place[id(i)] for i in n._prev]) if n._prev else n for n in order]
    return rebuilt, (nodes,)


def rebuilt(nodes):
    """Return the root of a graph that `flat` has written."""
    made = []
    for node in nodes:
        if type(node) is tuple:
            kind, attributes, slots, places = node
            node = object.__new__(kind)
            restore(node, attributes, slots, tuple(made[i] for i in places))
        made.append(node)
    return made[-1]


def state(node):
    """Return (attributes, slots) of a node without its inputs, arrays copied; a subclass may have attributes."""
    attributes, slots = object.__reduce_ex__(node, 2)[2]
    del slots["_prev"]
    slots = {name: held.copy() if hasattr(held, "copy") else held for name, held in slots.items()}
    return attributes and dict(attributes), slots


def restore(node, attributes, slots, inputs):
    """Give a new node what `state` returned for another, and these inputs."""
    for name, held in slots.items():
        setattr(node, name, held)
    for name, held in (attributes or {}).items():
        setattr(node, name, held)
    node._prev = inputs
