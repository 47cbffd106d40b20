def fit(parameters, loss_of, n, batch, lr, epochs, rng):
    """Train on rows 0 to n - 1, each once an epoch, in a new random order; return the loss of each step, a list.

    loss_of(rows): the mean loss of an array of row numbers, a Tensor. rng.permutation(n): an order.
    """
    raise NotImplementedError
