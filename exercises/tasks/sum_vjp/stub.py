def sum_vjp(x, upstream, axis=None, keepdims=False):
    """The gradient of x; upstream is that of x.sum(axis, keepdims)."""
    raise NotImplementedError
