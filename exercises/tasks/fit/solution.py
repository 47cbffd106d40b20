"""Two loops: over epochs, and in each over the batches of a new order. `range(0, n, batch)` gives their first rows, and
`order[start : start + batch]` is one of them; the last may be shorter.

The inner loop has the four steps of lesson 05: the loss, zeros, backward, and a step. A parameter's grad is an
array, so zeros are `np.zeros(p.data.shape)`.
"""


def fit(parameters, loss_of, n, batch, lr, epochs, rng):
    """Train on rows 0 to n - 1, each once per epoch; return each step's loss, a float.

    loss_of(rows): the mean loss of some rows, a Tensor. rng.permutation(n): an order.
    """
    losses = []
    for _ in range(epochs):
        order = rng.permutation(n)
        for start in range(0, n, batch):
            loss = loss_of(order[start : start + batch])
            for p in parameters:
                p.grad = np.zeros(p.data.shape)
            loss.backward()
            for p in parameters:
                p.data -= lr * p.grad
            losses.append(float(loss.data))
    return losses
