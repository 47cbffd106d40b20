def clip(parameters, limit):
    """Scale all their grads so that the length of the gradient is at most `limit`; return the length before."""
    raise NotImplementedError
