"""Begin with shapes that all differ: x (2, 3), w (3, 4), so upstream is (2, 4). Which product of two has x's shape?

You did dW[k, j] by hand: the column k of x times the column j of upstream, summed over the rows. Written as rows times
columns, which of the two is transposed, and on which side does it stand? For dX it is the other way round.
"""


def matmul_vjps(x, w, upstream):
    """The gradients (by x, by w) of the matrix product x @ w, from upstream, the gradient by the product."""
    return upstream @ w.T, x.T @ upstream
