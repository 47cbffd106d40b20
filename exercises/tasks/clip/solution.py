"""The gradient of all parameters is one list of numbers. Its length is the root of the sum of their squares. Is it
above the limit?

If it is, multiply every `p.grad` by one factor, limit / length; if not, nothing changes. Which length is returned?
"""


def clip(parameters, limit):
    """Scale all grads down to a length of at most `limit`; return the length before."""
    length = math.sqrt(sum(p.grad**2 for p in parameters))
    if length > limit:
        for p in parameters:
            p.grad *= limit / length
    return length
