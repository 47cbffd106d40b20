def pick(scores, temperature, u):
    """The number of the character whose part of softmax(scores / temperature) holds u.

    scores: an array of n numbers. u: from 0 up to 1.
    """
    raise NotImplementedError
