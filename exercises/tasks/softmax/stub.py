def softmax(z):
    """The probabilities of each row of scores, a new array of the same shape."""
    raise NotImplementedError
