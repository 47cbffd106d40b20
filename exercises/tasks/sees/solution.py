"""Two things must hold: the letters are in the same name, and the one that is seen does not come later. How do you ask
that of all pairs at once?

`name[:, None]` is a column, `name` a row. Compared, they give a square with an answer for each pair. The positions do
the same; & joins the two squares.
"""


def sees(position, name):
    """Which letters (columns) each letter (row) sees: True or 1, shape (n, n).

    position, name: arrays of n whole numbers.
    """
    return (name[:, None] == name) & (position[:, None] >= position)
