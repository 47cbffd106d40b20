"""A node goes into the list after its inputs have gone into it. What you do for the root, do for each of its inputs
first, with a function that calls itself.

Keep a list `order` and a set `visited`. An inner function `visit(node)` returns at once if the node was visited; else
it marks the node, visits each node of `node._prev`, and appends the node itself at the end.
"""


def inputs_first(root):
    """Every node that `root` depends on, then `root`; each once, after its inputs."""
    order, visited = [], set()

    def visit(node):
        if node not in visited:
            visited.add(node)
            for input in node._prev:
                visit(input)
            order.append(node)

    visit(root)
    return order
