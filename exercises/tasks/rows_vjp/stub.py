def rows_vjp(x, rows, upstream):
    """The gradient of x, in x's shape; upstream is that of x[rows]."""
    raise NotImplementedError
