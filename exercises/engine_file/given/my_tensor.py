"""My tensors: arrays that remember how they were made, and pass gradients back.

`python my_tensor.py` learns to read the handwritten digits in digits.npz."""

from pathlib import Path

import numpy as np
from my_engine import topological_order


class Tensor:
    """An array of numbers that remembers how it was made, and passes a gradient back to its inputs."""

    __array_ufunc__ = None  # numpy.ones(3) * tensor asks the Tensor, and makes no array of objects

    def __init__(self, data, _prev=(), _op="", label=""):
        self.data = np.array(data, dtype=float)
        self.grad = np.zeros(self.shape)  # ∂root/∂self: one number for each number
        self._prev, self._op, self.label = _prev, _op, label  # its inputs, what made it, its name
        self._backward = lambda: None  # a leaf has nothing to pass on

    def __repr__(self):
        return f"Tensor(shape={self.shape}{f', label={self.label!r}' if self.label else ''})"

    @property
    def shape(self):
        return self.data.shape

    def __add__(self, other):
        other = as_tensor(other)
        out = Tensor(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += unbroadcast(out.grad, self.shape)
            other.grad += unbroadcast(out.grad, other.shape)

        out._backward = _backward
        return out

    def __sub__(self, other):
        return self + as_tensor(other) * -1

    def __mul__(self, other):  # self * other
        other = as_tensor(other)
        out = Tensor(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += unbroadcast(other.data * out.grad, self.shape)
            other.grad += unbroadcast(self.data * out.grad, other.shape)

        out._backward = _backward
        return out

    def __matmul__(self, other):  # self @ other
        other = as_tensor(other)
        out = Tensor(self.data @ other.data, (self, other), "@")

        def _backward():
            by_self, by_other = matmul_vjps(self.data, other.data, out.grad)
            self.grad += by_self
            other.grad += by_other

        out._backward = _backward
        return out

    def __radd__(self, other):
        return as_tensor(other) + self

    def __rsub__(self, other):
        return as_tensor(other) - self

    def __rmul__(self, other):
        return as_tensor(other) * self

    def __rmatmul__(self, other):
        return as_tensor(other) @ self

    def __getitem__(self, rows):  # self[rows]
        return self.one_input(self.data[rows], lambda upstream: rows_vjp(self.data, rows, upstream), "[]")

    def sum(self, axis=None, keepdims=False):
        total = self.data.sum(axis=axis, keepdims=keepdims)
        return self.one_input(total, lambda upstream: sum_vjp(self.data, upstream, axis, keepdims), "sum")

    def tanh(self):
        t = np.tanh(self.data)
        return self.one_input(t, lambda upstream: (1 - t**2) * upstream, "tanh")

    def relu(self):
        return self.one_input(np.maximum(self.data, 0.0), lambda upstream: (self.data > 0) * upstream, "relu")

    @property
    def T(self):
        return self.one_input(self.data.T, lambda upstream: upstream.T, "T")

    def softmax(self):  # each row as shares of 1
        p = softmax(self.data)
        return self.one_input(p, lambda upstream: softmax_vjp(p, upstream), "softmax")

    def normalise(self):  # each row less its mean, divided by its spread
        x = self.data.copy()
        spread = np.sqrt(x.var(axis=1, keepdims=True) + 1e-5)
        y = (x - x.mean(axis=1, keepdims=True)) / spread
        return self.one_input(y, lambda upstream: normalise_vjp(x, upstream), "normalise")

    def one_input(self, result, vjp, op):
        """The node of an operation on this array alone, from its result and its vector-Jacobian product."""
        out = Tensor(result, (self,), op)

        def _backward():
            self.grad += vjp(out.grad)

        out._backward = _backward
        return out

    def backward(self):
        """One pass from this root, one number: leaves add to the grad they have; every other node begins anew."""
        if self.data.size != 1:
            raise ValueError(f"backward() starts from one number, and this has shape {self.shape}: take its sum().")
        order = topological_order(self)
        for node in order:
            if node._prev:
                node.grad = np.zeros(node.shape)
        self.grad = np.ones(self.shape)
        for node in reversed(order):
            node._backward()


def as_tensor(thing):
    """`thing` if it is a Tensor, else a new leaf with its numbers."""
    return thing if isinstance(thing, Tensor) else Tensor(thing)


def unbroadcast(gradient, shape):
    """`gradient`, summed over all axes along which `shape` was repeated."""
    while gradient.ndim > len(shape):
        gradient = gradient.sum(axis=0)
    for axis, size in enumerate(shape):
        if size == 1:
            gradient = gradient.sum(axis=axis, keepdims=True)
    return gradient


def matmul_vjps(x, w, upstream):
    """A pair: the gradients of x and of w; upstream is that of x @ w."""
    return upstream @ w.T, x.T @ upstream


def sum_vjp(x, upstream, axis=None, keepdims=False):
    """The gradient of x; upstream is that of x.sum(axis, keepdims)."""
    if axis is not None and not keepdims:
        upstream = np.expand_dims(upstream, axis)
    return upstream * np.ones(x.shape)


def rows_vjp(x, rows, upstream):
    """The gradient of x, in x's shape; upstream is that of x[rows]."""
    gradient = np.zeros(x.shape)
    np.add.at(gradient, rows, upstream)
    return gradient


def softmax(z):
    """The probabilities of each row of scores, a new array of the same shape."""
    powers = np.exp(z - z.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def softmax_vjp(p, upstream):
    """The gradient with respect to the scores whose softmax, row by row, is p.

    upstream: the gradient with respect to p. Both, and the result, have p's shape.
    """
    return p * (upstream - (p * upstream).sum(axis=1, keepdims=True))


def normalise_vjp(x, upstream):
    """The gradient with respect to x of y = (x - mean) / spread, row by row.

    spread: the root of variance + 0.00001. upstream: the gradient with respect to y.
    All have x's shape.
    """
    spread = np.sqrt(x.var(axis=1, keepdims=True) + 1e-5)
    y = (x - x.mean(axis=1, keepdims=True)) / spread
    along = (upstream * y).mean(axis=1, keepdims=True)
    return (upstream - upstream.mean(axis=1, keepdims=True) - y * along) / spread


def cross_entropy_gradient(z, targets):
    """The gradient of the batch's mean cross-entropy with respect to its scores.

    z: scores, of shape (n, k). targets: n whole numbers below k.
    """
    n = len(targets)
    powers = np.exp(z - z.max(axis=1, keepdims=True))
    p = powers / powers.sum(axis=1, keepdims=True)
    p[np.arange(n), targets] -= 1
    return p / n


def softmax_cross_entropy(z, targets):
    """The mean of -log softmax(row)[target] over the rows of z, a Tensor of shape (n, k); targets: n ints below k."""
    shifted = z.data - z.data.max(axis=1, keepdims=True)
    loss = (np.log(np.exp(shifted).sum(axis=1)) - shifted[np.arange(len(targets)), targets]).mean()
    return z.one_input(
        loss, lambda upstream: cross_entropy_gradient(z.data, targets) * upstream, "softmax_cross_entropy"
    )


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


if __name__ == "__main__":
    with np.load(Path(__file__).with_name("digits.npz")) as arrays:
        pixels, labels = arrays["pixels"] / 16, arrays["labels"].astype(int)
    rng = np.random.RandomState(0)
    learned, new = np.split(rng.permutation(len(labels)), [1400])
    w1, w2 = Tensor(rng.standard_normal((64, 32)) / 32**0.5), Tensor(rng.standard_normal((32, 10)) / 4)
    b1, b2 = Tensor(np.zeros(32)), Tensor(np.zeros(10))

    def scores(rows):
        return (Tensor(pixels[rows]) @ w1 + b1).relu() @ w2 + b2

    def loss(batch):
        return softmax_cross_entropy(scores(learned[batch]), labels[learned[batch]])

    fit([w1, b1, w2, b2], loss, n=1400, batch=50, lr=0.5, epochs=20, rng=rng)
    right = scores(new).data.argmax(axis=1) == labels[new]
    print(f"Digits: {right.sum()} of {len(right)} new ones read right")
