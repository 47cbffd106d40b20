"""You ran this pass by hand: the root's gradient first, then one `_backward()` for each node, each after its consumers.

`topological_order(self)` lists inputs first, so read it with `reversed(…)`. Before the loop the root's gradient has to
be there: how fast does a number change with itself?
"""


def backward(self):
    """Set `grad` of every node that this one depends on to ∂self/∂node."""
    self.grad = 1.0
    for node in reversed(topological_order(self)):
        node._backward()
