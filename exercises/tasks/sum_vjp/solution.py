"""Each number went into one sum, with a local derivative of 1. So its gradient is that of the sum that it went into.

`upstream` has a number for each sum. If the axis is gone from it, put it back, with size 1: `np.expand_dims` does that.
Then repeat along it: multiplying by an array of ones of x's shape is enough.
"""


def sum_vjp(x, upstream, axis=None, keepdims=False):
    """The gradient of x; upstream is that of x.sum(axis, keepdims)."""
    if axis is not None and not keepdims:
        upstream = np.expand_dims(upstream, axis)
    return upstream * np.ones(x.shape)
