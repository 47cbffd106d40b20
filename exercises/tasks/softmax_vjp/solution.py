"""A share rises at the others' cost. So what matters is how far this share's upstream is above the row's average. Which
average is that?

The mean upstream of a row has the shares as weights: the sum over the row of p times upstream. Keep it as a column.
Subtract it from upstream, and multiply by the shares.
"""


def softmax_vjp(p, upstream):
    """The gradient with respect to the scores whose softmax, row by row, is p.

    upstream: the gradient with respect to p. Both, and the result, have p's shape.
    """
    return p * (upstream - (p * upstream).sum(axis=1, keepdims=True))
