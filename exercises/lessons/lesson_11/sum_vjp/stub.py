def sum_vjp(x, upstream, axis=None, keepdims=False):
    """The gradient by x of x.sum(axis, keepdims), from upstream, the gradient by the sum; it has x's shape."""
    raise NotImplementedError
