"""A row that was not taken has gradient 0. A row that was taken twice was used twice: what happens to contributions?

Begin with zeros of x's shape. `gradient[rows] += upstream` reads all rows before it writes any, so of two contributions
to one row the last remains. `np.add.at` adds them one after the other, and so does a loop over the rows.
"""


def rows_vjp(x, rows, upstream):
    """The gradient by x of x[rows], from upstream, the gradient by the rows that were taken; it has x's shape."""
    gradient = np.zeros(x.shape)
    np.add.at(gradient, rows, upstream)
    return gradient
