"""Which nodes must start a pass at 0, and how do you tell them from the leaves? `zero_grad` clears the others: it
receives the leaves that should start from 0 again.

A node with inputs has something in `_prev`. Make a list of `topological_order(self)`. First go through it and set the
grad of each node with inputs to 0; then give the root its 1, and call the rules in reversed order, as before.
"""


def backward(self):
    """One pass from this root: leaves add to their grad, other nodes begin anew."""
    order = topological_order(self)
    for node in order:
        if node._prev:
            node.grad = 0.0
    self.grad += 1.0
    for node in reversed(order):
        node._backward()


def zero_grad(parameters):
    """Set the grad of each of these leaves to 0."""
    for p in parameters:
        p.grad = 0.0
