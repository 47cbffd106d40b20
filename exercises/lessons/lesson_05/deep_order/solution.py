"""A call that waits remembers two things: its node, and which of the node's inputs are still to come. Keep such pairs
in a list of your own. `iter(node._prev)` remembers which inputs are still to come.

While the list is not empty, look at its last pair. If its node has an input that was not visited, mark that input and
put its pair on the list. If it has none left, append the node to the order and take its pair off. A `for` over an
iterator goes on where it stopped; its `else` runs when nothing is left.
"""


def deep_order(root):
    """Every node that `root` depends on, each once, inputs before consumers; at any depth."""
    order, visited, waiting = [], {root}, [(root, iter(root._prev))]
    while waiting:
        node, inputs = waiting[-1]
        for input in inputs:
            if input not in visited:
                visited.add(input)
                waiting.append((input, iter(input._prev)))
                break
        else:
            order.append(node)
            waiting.pop()
    return order
