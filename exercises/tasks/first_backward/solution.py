"""Three blanks. How fast does a number change with itself? That is the root's gradient.

`topological_order(self)` lists inputs first, and `reversed(…)` reads a list from its end. In the loop, call the rule of
the node whose turn it is: `node._backward()`.
"""


def backward(self):
    """Set `grad` of every node that this one depends on to ∂self/∂node."""
    self.grad = 1.0
    for node in reversed(topological_order(self)):
        node._backward()
