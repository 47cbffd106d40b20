"""Some node must be read before one of its consumers. So it has two consumers: the root, which reaches it at once, and
another that breadth-first order comes to later. A leaf cannot be that node, because it has nothing to pass on.

Call the node b. The root takes b, and something made from b, in this order from left to right. A number that you write
into an expression is a box too, so use functions of one input, such as `tanh`, or multiply a node by itself.
"""


def f(x):
    b = x * x
    return b * (b * b)


xs = (2.0,)
