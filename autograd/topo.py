"""The order of a computation graph, inputs before the nodes that use them, and its grads around a backward pass."""

from autograd.errors import messages, validation


def topological_order(root):
    """Return every node that `root` depends on, each after all of its inputs; `root` comes last.

    Depth first, inputs from left to right, with its own stack, so that a graph may be a million nodes deep.
    The order depends on the graph alone: it is the same in every process. Raise TypeError if `root` is not a node.
    """
    if not hasattr(root, "_prev") or isinstance(root, type):
        raise messages.no_node(root)
    order, visited = [], {root}
    waiting = []  # nodes, each followed by how many of its inputs are done: a number, which gc does not track
    node, inputs, done = root, root._prev, 0
    while True:
        if done < len(inputs):
            try:
                input = inputs[done]
            except (TypeError, KeyError):  # a set, which has no index: some engines keep inputs so
                inputs = tuple(inputs)
                input = inputs[done]
            done += 1
            if input not in visited:
                visited.add(input)
                if input._prev:  # its own inputs come first, and this node waits
                    waiting.append(node)
                    waiting.append(done)
                    node, inputs, done = input, input._prev, 0
                else:
                    order.append(input)
        else:  # all inputs of the node are in the order
            order.append(node)
            if not waiting:
                return order
            done, node = waiting.pop(), waiting.pop()
            inputs = node._prev


class cleared:
    """Set the grads of a graph to 0 for a backward pass, as `reset` says; if the pass fails, restore them all.

    A leaf's old grad is added after the pass, to a sum that began at 0, so that two passes double it to the last digit.
    """

    def __init__(self, order, reset):
        self.order, self.reset = order, validation.policy(reset)

    def __enter__(self):
        self.before = [node.grad for node in self.order]
        if self.reset != "nothing":
            for node in self.order:
                node.grad = 0.0

    def __exit__(self, failure, *details):
        if failure:
            for node, grad in zip(self.order, self.before):
                node.grad = grad
        elif self.reset == "intermediates" and any(self.before):  # none is left after zero_grad()
            for node, grad in zip(self.order, self.before):
                if grad and not node._prev:
                    node.grad += grad
