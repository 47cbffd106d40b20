"""For `unreached`: what is in a parameter's grad if an earlier pass left something there and this one never reaches it?
Start with a clean slate. For `left_out`: `autograd.topological_order(loss)` lists every node of the graph.

`unreached`: set all grads to 0, run one backward pass, collect the labels where 0 is left. `left_out`: a leaf has an
empty `_prev`. Of the leaves with a label, keep those that are not in `parameters`.
"""


def unreached(parameters, loss):
    """The labels of parameters whose grad is 0 after one fresh backward pass."""
    for p in parameters:
        p.grad = 0.0
    loss.backward()
    return [p.label for p in parameters if p.grad == 0]


def left_out(parameters, loss):
    """The labels of labelled leaves of the graph that are none of the parameters."""
    leaves = [node for node in autograd.topological_order(loss) if not node._prev and node.label]
    return [leaf.label for leaf in leaves if leaf not in parameters]
