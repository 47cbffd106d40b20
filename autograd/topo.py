"""The order of a computation graph: inputs before the nodes that use them."""


def topological_order(root):
    """Every node that `root` depends on, and `root` last: each stands after all of its inputs.

    Depth first, inputs from left to right, with a stack of our own, so that a graph may be a million nodes deep.
    The order depends on the graph alone and is the same in every process. Works on any object with `_prev`.
    """
    order, visited, stack = [], set(), [root]
    while stack:
        node = stack.pop()
        if node is None:  # a mark: all inputs of the node below it are in the list
            order.append(stack.pop())
        elif id(node) not in visited:
            visited.add(id(node))
            stack += (node, None)
            stack += reversed(tuple(node._prev))  # reversed, so that the first input is popped first
    return order
