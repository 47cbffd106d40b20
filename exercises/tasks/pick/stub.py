def pick(scores, temperature, u):
    """The number of the character into whose part of softmax(scores / temperature) u falls.

    scores: an array of n numbers. u: from 0 up to 1.
    """
    raise NotImplementedError
