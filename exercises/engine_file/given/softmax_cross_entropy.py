def softmax_cross_entropy(z, targets):
    """The mean of -log softmax(row)[target] over the rows of z, a Tensor of shape (n, k); targets: n ints below k."""
    n = np.arange(len(targets))
    shifted = z.data - z.data.max(axis=1, keepdims=True)
    losses = np.log(np.exp(shifted).sum(axis=1)) - shifted[n, targets]
    out = Tensor(losses.mean(), (z,), "softmax_cross_entropy")

    def _backward():
        z.grad += cross_entropy_gradient(z.data, targets) * out.grad

    out._backward = _backward
    return out
