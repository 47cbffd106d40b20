def matmul_vjps(x, w, upstream):
    """The gradients (by x, by w) of the matrix product x @ w, from upstream, the gradient by the product."""
    raise NotImplementedError
