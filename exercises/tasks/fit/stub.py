def fit(parameters, loss_of, n, batch, lr, epochs, rng):
    """Train on rows 0 to n - 1, each once per epoch; return each step's loss, a float.

    loss_of(rows): the mean loss of some rows, a Tensor. rng.permutation(n): an order.
    """
    raise NotImplementedError
