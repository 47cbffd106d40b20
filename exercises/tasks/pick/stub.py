def pick(scores, temperature, u):
    """The number of the sign in whose part of softmax(scores / temperature) u lies.

    scores: an array of n numbers. u: from 0 up to 1.
    """
    raise NotImplementedError
