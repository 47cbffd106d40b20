"""The order of a computation graph: inputs before the nodes that use them."""

from autograd import messages


def topological_order(root):
    """Every node that `root` depends on, and `root` last: each stands after all of its inputs.

    Depth first, inputs from left to right, with a stack of our own, so that a graph may be a million nodes deep.
    The order depends on the graph alone: it is the same in every process.
    """
    if not hasattr(root, "_prev"):
        raise messages.no_node(root)
    order, visited, waiting = [], {root}, []
    node, inputs = root, iter(root._prev)
    while True:
        for input in inputs:
            if input not in visited:
                visited.add(input)
                if input._prev:  # its own inputs come first, and this node waits
                    waiting.append((node, inputs))
                    node, inputs = input, iter(input._prev)
                    break
                order.append(input)
        else:  # all inputs of the node are in the order
            order.append(node)
            if not waiting:
                return order
            node, inputs = waiting.pop()
