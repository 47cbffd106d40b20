"""x enters y in three ways: by itself, through the row's mean, and through its spread. What does each path subtract?

The path through the mean subtracts upstream's mean, the path through the spread y times the mean of upstream · y. Both
means are plain ones, a number for each row. Then divide by the spread.
"""


def normalise_vjp(x, upstream):
    """The gradient with respect to x of y = (x - mean) / spread, row by row.

    spread: the root of variance + 0.00001. upstream: the gradient with respect to y.
    All have x's shape.
    """
    spread = np.sqrt(x.var(axis=1, keepdims=True) + 1e-5)
    y = (x - x.mean(axis=1, keepdims=True)) / spread
    along = (upstream * y).mean(axis=1, keepdims=True)
    return (upstream - upstream.mean(axis=1, keepdims=True) - y * along) / spread
