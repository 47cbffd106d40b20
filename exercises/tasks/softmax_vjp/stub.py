def softmax_vjp(p, upstream):
    """The gradient with respect to the scores whose softmax, row by row, is p.

    upstream: the gradient with respect to p. Both, and the result, have p's shape.
    """
    raise NotImplementedError
