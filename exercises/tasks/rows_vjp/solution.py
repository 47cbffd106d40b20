"""A row that was not taken has gradient 0. A row that was taken twice was used twice: what happens to contributions?

Start with zeros of x's shape. `gradient[rows] += upstream` reads all rows before it writes any, so of two contributions
to one row only the last remains. `np.add.at` adds them one after the other, and so does a loop over the rows.
"""


def rows_vjp(x, rows, upstream):
    """The gradient of x, in x's shape; upstream is that of x[rows]."""
    gradient = np.zeros(x.shape)
    np.add.at(gradient, rows, upstream)
    return gradient
