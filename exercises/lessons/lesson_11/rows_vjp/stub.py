def rows_vjp(x, rows, upstream):
    """The gradient by x of x[rows], from upstream, the gradient by the rows that were taken; it has x's shape."""
    raise NotImplementedError
