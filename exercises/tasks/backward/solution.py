"""You have followed such a pass step by step: first the root's gradient, then one `_backward()` for each node. A node's
turn comes after those of all nodes that use it.

`topological_order(self)` lists inputs first, so read it with `reversed(…)`. Set the root's gradient before the loop:
how fast does a number change with itself?
"""


def backward(self):  #: The whole backward pass, from this node as the root.
    """Set `grad` of every node that this one depends on to ∂self/∂node."""
    self.grad = 1.0  #: The root changes exactly as fast as itself.
    for node in reversed(topological_order(self)):  #: Each node after all of its consumers, so its grad is complete.
        node._backward()  #: It passes on local × grad to its inputs, once.
