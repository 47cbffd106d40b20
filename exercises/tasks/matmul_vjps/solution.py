"""Start with sizes that all differ: x (2, 3), w (3, 4), so upstream is (2, 4). Which product of two has x's shape?

In the lab you made dW[k, j]: column k of x times column j of upstream, summed over the rows. To write that as rows
times columns, which of the two must be transposed, and on which side does it go? For dX it is the other way round.
"""


def matmul_vjps(x, w, upstream):
    """A pair: the gradients of x and of w; upstream is that of x @ w."""
    return upstream @ w.T, x.T @ upstream
