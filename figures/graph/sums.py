"""Sums over the paths of a graph, made edge by edge from the root."""


def count_paths(nodes):
    """For each node the number of paths to the root, added up edge by edge: nothing is enumerated."""
    return passed_back(nodes, 1, lambda node: [1] * len(node.inputs))


def gradients_of(nodes):
    """The derivatives of the root along every node: what one backward pass finds."""
    return passed_back(nodes, 1.0, lambda node: node.locals or ())


def passed_back(nodes, start, factors):
    """What each node gets from the root on, which has `start`: along each edge what there is times a factor."""
    found = [0 * start] * (len(nodes) - 1) + [start]
    for i in reversed(range(len(nodes))):
        for input, factor in zip(nodes[i].inputs, factors(nodes[i])):
            found[input] += factor * found[i]
    return found
