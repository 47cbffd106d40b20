"""Sums over the paths of a graph, made edge by edge from the root."""


def count_paths(nodes):
    """Return for each node the number of paths to the root, added up edge by edge without enumerating them."""
    return passed_back(nodes, 1, lambda node: [1] * len(node.inputs))


def gradients_of(nodes):
    """Return the derivatives of the root along every node, which one backward pass finds."""
    return passed_back(nodes, 1.0, lambda node: node.locals or ())


def passed_back(nodes, start, factors):
    """Pass `start` back from the root, times a factor along each edge; return what each node gets."""
    found = [0 * start] * (len(nodes) - 1) + [start]
    for i in reversed(range(len(nodes))):
        for input, factor in zip(nodes[i].inputs, factors(nodes[i])):
            found[input] += factor * found[i]
    return found
