"""The gradient of all parameters is one list of numbers. Its length is the root of the sum of their squares. Is it
above the limit?

Then one factor, limit / length, goes onto every `p.grad`. Else nothing changes. What was the length before?
"""


def clip(parameters, limit):
    """Scale all their grads so that the length of the gradient is at most `limit`; return the length before."""
    length = math.sqrt(sum(p.grad**2 for p in parameters))
    if length > limit:
        for p in parameters:
            p.grad *= limit / length
    return length
