"""An entry that was repeated four times has four contributions. Which axes of `gradient` run over the copies of one
entry?

There are two kinds. Axes that `shape` does not have are on the left: as long as `gradient.ndim` is too large, sum the
first one. Axes of size 1 in `shape` were stretched: sum these as well, and keep them with `keepdims=True`.
"""


def unbroadcast(gradient, shape):
    """`gradient`, summed over all axes along which `shape` was repeated."""
    while gradient.ndim > len(shape):
        gradient = gradient.sum(axis=0)
    for axis, size in enumerate(shape):
        if size == 1:
            gradient = gradient.sum(axis=axis, keepdims=True)
    return gradient
