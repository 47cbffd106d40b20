"""Three blanks. How fast does a number change with itself? That is the root's gradient.

`topological_order(self)` lists inputs first, and `reversed(…)` reads a list backwards. In the loop, call the rule of
the node whose turn it is: `node._backward()`.
"""


def backward(self):  #: The whole backward pass, from this node as the root.
    """Set `grad` of every node that this one depends on to ∂self/∂node."""
    self.grad = 1.0  #: The root changes exactly as fast as itself.
    for node in reversed(topological_order(self)):  #: Each node after all of its consumers.
        node._backward()  #: It passes on local × grad to its inputs, once.
