"""My engine: numbers that remember how they were made, and a backward pass through them.

Each part is an exercise of the course Backpropagation from scratch. It begins as the course's, and becomes
yours when you pass the exercise. It imports nothing of the course: "python my_engine.py" learns XOR.
The course's parts are those of its version 0.2.0.
"""


# ── start · lesson 02 · the course's · a7bce095 ─────────────────────────────────────────────────────────────

import math
import random


# ── make_value · lesson 02 · yours since 2026-01-31 · ae49f93d ──────────────────────────────────────────────

class Number:
    """A number of our own."""

    def __init__(self, data):
        self.data = data

    def __repr__(self):
        return f"Value(data={self.data:.4f})"


# ── value · lesson 02 · the course's · 236f34c3 ─────────────────────────────────────────────────────────────

class Value(Number):
    """A number that remembers how it was made, and can pass a gradient back to its inputs."""

    def __init__(self, data, _prev=(), _op="", label=""):
        super().__init__(data)
        self.grad = 0.0  # ∂root/∂self
        self.label = label
        self._prev = _prev  # the inputs, in order
        self._op = _op  # what made this number; "" for a leaf
        self._backward = lambda: None  # a leaf has nothing to pass on

    __eq__, __hash__ = object.__eq__, object.__hash__  # equal numbers are not one node


# ── add · lesson 02 · yours since 2026-01-31 · 851b7675 ─────────────────────────────────────────────────────

def add(self, other):
    return Value(self.data + other.data, (self, other), "+")

# Put to work: d41b40e7
Value.__add__ = add


# ── multiply · lesson 02 · yours since 2026-01-31 · 5b9443af ────────────────────────────────────────────────

def multiply(self, other):
    return Value(self.data * other.data, (self, other), "*")

# Put to work: 93c2a594
Value.__mul__ = multiply


# ── constants · lesson 02 · yours since 2026-01-31 · 4dfca94d ───────────────────────────────────────────────

def as_value(thing):
    """`thing` if it is a Value, else a new leaf with that number."""
    return thing if isinstance(thing, Value) else Value(thing)


def reflected_add(self, other):  # other + self
    return as_value(other) + self


def reflected_multiply(self, other):  # other * self
    return as_value(other) * self

# Put to work: 49b8517f
Value.__add__ = lambda self, other: add(self, as_value(other))
Value.__mul__ = lambda self, other: multiply(self, as_value(other))
Value.__radd__, Value.__rmul__ = reflected_add, reflected_multiply


# ── power · lesson 02 · the course's · fc1724cc ─────────────────────────────────────────────────────────────

def power(self, n):  # self ** n
    return Value(self.data**n, (self,), f"**{n}")


Value.__pow__ = power
Value.__neg__ = lambda self: self * -1  # -self


# ── subtract · lesson 02 · the course's · f145dfb2 ──────────────────────────────────────────────────────────

def subtract(self, other):  # self - other
    return self + as_value(other) * -1


def reflected_subtract(self, other):  # other - self
    return as_value(other) - self

# Put to work: 4416c6d1
Value.__sub__, Value.__rsub__ = subtract, reflected_subtract


# ── divide · lesson 02 · yours since 2026-01-31 · 4acad798 ──────────────────────────────────────────────────

def divide(self, other):  # self / other
    return self * as_value(other) ** -1


def reflected_divide(self, other):  # other / self
    return as_value(other) / self

# Put to work: 34f51c38
Value.__truediv__, Value.__rtruediv__ = divide, reflected_divide


# ── collect · lesson 04 · yours since 2026-01-31 · 8ed77556 ─────────────────────────────────────────────────

def collecting_add(self, other):
    other = as_value(other)
    out = Value(self.data + other.data, (self, other), "+")

    def _backward():
        self.grad += out.grad
        other.grad += out.grad

    out._backward = _backward
    return out


def collecting_multiply(self, other):
    other = as_value(other)
    out = Value(self.data * other.data, (self, other), "*")

    def _backward():
        self.grad += other.data * out.grad
        other.grad += self.data * out.grad

    out._backward = _backward
    return out

# Put to work: 9c280937
Value.__add__, Value.__mul__ = collecting_add, collecting_multiply


# ── local_derivatives · lesson 03 · yours since 2026-01-31 · 0b54e168 ───────────────────────────────────────

def local_derivative(op, x, y, n=None):
    """∂y/∂x of one operation, from its input x and its output y; n is the exponent of **."""
    if op == "**":
        return n * x ** (n - 1)
    if op == "exp":
        return y
    if op == "log":
        return 1 / x
    if op == "tanh":
        return 1 - y * y
    if op == "sigmoid":
        return y * (1 - y)
    if op == "relu":
        return 1.0 if x > 0 else 0.0


# ── functions · lesson 03 · the course's · d5526c3d ─────────────────────────────────────────────────────────

def one_input(x, y, op, n=None):
    """The node of an operation with one input x and the output y."""
    out = Value(y, (x,), op if n is None else f"**{n}")
    local = local_derivative(op, x.data, y, n)

    def _backward():
        x.grad += local * out.grad

    out._backward = _backward
    return out


Value.__pow__ = lambda self, n: one_input(self, self.data**n, "**", n)
Value.exp = lambda self: one_input(self, math.exp(self.data), "exp")
Value.log = lambda self: one_input(self, math.log(self.data), "log")
Value.tanh = lambda self: one_input(self, math.tanh(self.data), "tanh")
Value.sigmoid = lambda self: one_input(self, 1 / (1 + math.exp(-self.data)), "sigmoid")
Value.relu = lambda self: one_input(self, max(0.0, self.data), "relu")


# ── deep_order · lesson 05 · yours since 2026-01-31 · e90e1dd5 ──────────────────────────────────────────────

def deep_order(root):
    """Every node that `root` depends on, each once, inputs before consumers; at any depth."""
    order, visited, waiting = [], {root}, [(root, iter(root._prev))]
    while waiting:
        node, inputs = waiting[-1]
        for input in inputs:
            if input not in visited:
                visited.add(input)
                waiting.append((input, iter(input._prev)))
                break
        else:
            order.append(node)
            waiting.pop()
    return order

# Put to work: 39865683
inputs_first = deep_order
topological_order = lambda root: list(deep_order(root))


# ── zeroing · lesson 07 · the course's · b3a1c079 ───────────────────────────────────────────────────────────

def zero_grad(parameters):
    """Set the grad of each of these leaves to 0."""
    for p in parameters:
        p.grad = 0.0


# ── accumulate · lesson 07 · yours since 2026-01-31 · 4109e507 ──────────────────────────────────────────────

def backward(self):
    """One pass from this root: leaves add to the grad they have; every other node begins anew."""
    order = topological_order(self)
    for node in order:
        if node._prev:
            node.grad = 0.0
    self.grad += 1.0
    for node in reversed(order):
        node._backward()


def zero_grad(parameters):
    """Set the grad of each of these leaves to 0."""
    for p in parameters:
        p.grad = 0.0

# Put to work: af6a356d
Value.backward = backward


# ── check_gradients · lesson 06 · yours since 2026-01-31 · 1b0a2533 ─────────────────────────────────────────

def check_gradients(engine, f, xs, epsilon=1e-5):
    """The largest difference between backward() and nudging, over all inputs of f."""

    def output(xs):
        return f(*[engine(x) for x in xs]).data

    leaves = [engine(x) for x in xs]
    f(*leaves).backward()
    largest = 0.0
    for i, leaf in enumerate(leaves):
        above = output([*xs[:i], xs[i] + epsilon, *xs[i + 1 :]])
        below = output([*xs[:i], xs[i] - epsilon, *xs[i + 1 :]])
        largest = max(largest, abs(leaf.grad - (above - below) / (2 * epsilon)))
    return largest


# ── dual · lesson 06 · yours since 2026-01-31 · 42677388 ────────────────────────────────────────────────────

class Dual:
    """A number, and how fast it changes with the one input that was given the derivative 1."""

    def __init__(self, value, derivative=0.0):
        self.value, self.derivative = value, derivative

    def __add__(self, other):
        other = as_dual(other)
        return Dual(self.value + other.value, self.derivative + other.derivative)

    def __mul__(self, other):
        other = as_dual(other)
        return Dual(self.value * other.value, self.derivative * other.value + self.value * other.derivative)

    def exp(self):
        y = math.exp(self.value)
        return Dual(y, y * self.derivative)

    def tanh(self):
        y = math.tanh(self.value)
        return Dual(y, (1 - y * y) * self.derivative)


def as_dual(thing):
    """`thing` if it is a Dual, else a constant: its derivative is 0."""
    return thing if isinstance(thing, Dual) else Dual(thing)


# ── neuron · lesson 08 · yours since 2026-01-31 · 45c88cbe ──────────────────────────────────────────────────

class Neuron:
    """tanh(b + w1·x1 + … + wn·xn), with weights and bias drawn from -1 to 1."""

    def __init__(self, n_inputs):
        self.weights = [Value(random.uniform(-1, 1)) for _ in range(n_inputs)]
        self.bias = Value(random.uniform(-1, 1))

    def __call__(self, inputs):
        total = self.bias
        for w, x in zip(self.weights, inputs):
            total = total + w * x
        return total.tanh()

    def parameters(self):
        return [*self.weights, self.bias]


# ── layer · lesson 08 · yours since 2026-01-31 · 64d656de ───────────────────────────────────────────────────

class Layer:
    """Neurons that all read the same inputs."""

    def __init__(self, n_inputs, n_outputs):
        self.neurons = [Neuron(n_inputs) for _ in range(n_outputs)]

    def __call__(self, inputs):
        return [neuron(inputs) for neuron in self.neurons]

    def parameters(self):
        return [p for neuron in self.neurons for p in neuron.parameters()]


# ── mlp · lesson 08 · the course's · 569abf4a ───────────────────────────────────────────────────────────────

class MLP:
    """Layers, each of which reads the outputs of the one before."""

    def __init__(self, n_inputs, sizes):
        reads = [n_inputs, *sizes]
        self.layers = [Layer(n, m) for n, m in zip(reads, sizes)]

    def __call__(self, inputs):
        for layer in self.layers:
            inputs = layer(inputs)
        return inputs[0] if len(inputs) == 1 else inputs

    def parameters(self):
        return [p for layer in self.layers for p in layer.parameters()]


# ── cross_entropy · lesson 09 · yours since 2026-01-31 · c63d744d ───────────────────────────────────────────

def cross_entropy(outputs, targets):
    """The mean of -log of the probability given to the right answer, as a Value."""
    loss = 0.0
    for p, t in zip(outputs, targets):
        right = p if t == 1 else 1 - p
        loss = loss - right.log()
    return loss / len(targets)


# ── train · lesson 09 · yours since 2026-01-31 · 5a2222ac ───────────────────────────────────────────────────

def train(net, rows, targets, lr, epochs):
    """Train net on the rows; the loss of each epoch, taken before its step."""
    losses = []
    for _ in range(epochs):
        loss = sum((net(row) - target) ** 2 for row, target in zip(rows, targets))
        for p in net.parameters():
            p.grad = 0.0
        loss.backward()
        for p in net.parameters():
            p.data -= lr * p.grad
        losses.append(loss.data)
    return losses


# ── clip · lesson 10 · yours since 2026-01-31 · b9cb1e6d ────────────────────────────────────────────────────

def clip(parameters, limit):
    """Scale all their grads so that the length of the gradient is at most `limit`; return the length before."""
    length = math.sqrt(sum(p.grad**2 for p in parameters))
    if length > limit:
        for p in parameters:
            p.grad *= limit / length
    return length


# ── arrays · lesson 11 · the course's · fb1c9c90 ────────────────────────────────────────────────────────────

try:
    import numpy as np
except ImportError:  # without NumPy there are no Tensors; all else works
    np = None


# ── unbroadcast · lesson 11 · yours since 2026-01-31 · 18d86518 ─────────────────────────────────────────────

def unbroadcast(gradient, shape):
    """`gradient` summed over the axes along which an array of this shape was repeated."""
    while gradient.ndim > len(shape):
        gradient = gradient.sum(axis=0)
    for axis, size in enumerate(shape):
        if size == 1:
            gradient = gradient.sum(axis=axis, keepdims=True)
    return gradient


# ── matmul_vjps · lesson 11 · yours since 2026-01-31 · 8241245d ─────────────────────────────────────────────

def matmul_vjps(x, w, upstream):
    """The gradients (by x, by w) of the matrix product x @ w, from upstream, the gradient by the product."""
    return upstream @ w.T, x.T @ upstream


# ── sum_vjp · lesson 11 · yours since 2026-01-31 · 6f1342d7 ─────────────────────────────────────────────────

def sum_vjp(x, upstream, axis=None, keepdims=False):
    """The gradient by x of x.sum(axis, keepdims), from upstream, the gradient by the sum; it has x's shape."""
    if axis is not None and not keepdims:
        upstream = np.expand_dims(upstream, axis)
    return upstream * np.ones(x.shape)


# ── rows_vjp · lesson 11 · yours since 2026-01-31 · a47a8788 ────────────────────────────────────────────────

def rows_vjp(x, rows, upstream):
    """The gradient by x of x[rows], from upstream, the gradient by the rows that were taken; it has x's shape."""
    gradient = np.zeros(x.shape)
    np.add.at(gradient, rows, upstream)
    return gradient


# ── tensor · lesson 11 · the course's · cb4be932 ────────────────────────────────────────────────────────────

class Tensor:
    """An array of numbers that remembers how it was made, and can pass a gradient back to its inputs."""

    __array_ufunc__ = None  # numpy.ones(3) * tensor asks the Tensor, and makes no array of objects

    def __init__(self, data, _prev=(), _op="", label=""):
        self.data = np.array(data, dtype=float)
        self.grad = np.zeros(self.shape)  # ∂root/∂self: one number for each number
        self.label = label
        self._prev = _prev  # the inputs, in order
        self._op = _op  # what made this array; "" for a leaf
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
        other = as_tensor(other)
        out = Tensor(self.data - other.data, (self, other), "-")

        def _backward():
            self.grad += unbroadcast(out.grad, self.shape)
            other.grad += unbroadcast(-out.grad, other.shape)

        out._backward = _backward
        return out

    def each(self, result, local, op):
        """The node of an operation on each number, from its result and its local derivatives."""
        out = Tensor(result, (self,), op)

        def _backward():
            self.grad += local * out.grad

        out._backward = _backward
        return out

    def tanh(self):
        t = np.tanh(self.data)
        return self.each(t, 1 - t**2, "tanh")

    def relu(self):
        return self.each(np.maximum(self.data, 0.0), self.data > 0, "relu")

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
    """The thing itself, or a leaf with its numbers."""
    return thing if isinstance(thing, Tensor) else Tensor(thing)


Tensor.__radd__ = lambda self, other: as_tensor(other) + self
Tensor.__rsub__ = lambda self, other: as_tensor(other) - self
Tensor.__rmul__ = lambda self, other: as_tensor(other) * self
Tensor.__rmatmul__ = lambda self, other: as_tensor(other) @ self


# ── assemble · lesson 11 · yours since 2026-01-31 · 9aaea366 ────────────────────────────────────────────────

def array_multiply(self, other):  # self * other
    other = as_tensor(other)
    out = Tensor(self.data * other.data, (self, other), "*")

    def _backward():
        self.grad += unbroadcast(other.data * out.grad, self.shape)
        other.grad += unbroadcast(self.data * out.grad, other.shape)

    out._backward = _backward
    return out


def array_matmul(self, other):  # self @ other
    other = as_tensor(other)
    out = Tensor(self.data @ other.data, (self, other), "@")

    def _backward():
        by_self, by_other = matmul_vjps(self.data, other.data, out.grad)
        self.grad += by_self
        other.grad += by_other

    out._backward = _backward
    return out


def array_sum(self, axis=None, keepdims=False):
    out = Tensor(self.data.sum(axis=axis, keepdims=keepdims), (self,), "sum")

    def _backward():
        self.grad += sum_vjp(self.data, out.grad, axis, keepdims)

    out._backward = _backward
    return out


def array_rows(self, rows):  # self[rows]
    out = Tensor(self.data[rows], (self,), "[]")

    def _backward():
        self.grad += rows_vjp(self.data, rows, out.grad)

    out._backward = _backward
    return out

# Put to work: 5ed1f6ee
Tensor.__mul__, Tensor.__matmul__ = array_multiply, array_matmul
Tensor.sum, Tensor.__getitem__ = array_sum, array_rows


# ── softmax · lesson 12 · yours since 2026-01-31 · ae409f0f ─────────────────────────────────────────────────

def softmax(z):
    """The probabilities of each row of scores, an array of the same shape."""
    powers = np.exp(z - z.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


# ── cross_entropy_gradient · lesson 12 · yours since 2026-01-31 · aec3dbb1 ──────────────────────────────────

def cross_entropy_gradient(z, targets):
    """The gradient of the batch's mean cross-entropy by its scores z, shape (n, k); targets: n ints below k."""
    n = len(targets)
    powers = np.exp(z - z.max(axis=1, keepdims=True))
    p = powers / powers.sum(axis=1, keepdims=True)
    p[np.arange(n), targets] -= 1
    return p / n


# ── softmax_cross_entropy · lesson 12 · the course's · 42feff55 ─────────────────────────────────────────────

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


# ── fit · lesson 12 · yours since 2026-01-31 · c6387e87 ─────────────────────────────────────────────────────

def fit(parameters, loss_of, n, batch, lr, epochs, rng):
    """Train on rows 0 to n - 1, each once an epoch, in a new random order; return the loss of each step, a list.

    loss_of(rows): the mean loss of an array of row numbers, a Tensor. rng.permutation(n): an order.
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


# ── momentum_step · lesson 12 · yours since 2026-01-31 · 4d5af08b ───────────────────────────────────────────

def momentum_step(parameters, velocities, lr, keep=0.9):
    """Each velocity becomes keep · velocity + grad; then its parameter goes down by lr · velocity. Changes both."""
    for i, p in enumerate(parameters):
        velocities[i] = keep * velocities[i] + p.grad
        p.data -= lr * velocities[i]


# ── end · lesson 10 · the course's · d1e9f7be ───────────────────────────────────────────────────────────────

def main():
    """Learn XOR."""
    rows, targets = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    random.seed(0)
    net = MLP(2, [4, 4, 1])
    losses = train(net, rows, targets, lr=0.1, epochs=500)
    print(f"XOR: loss {losses[0]:.4f} at first, {losses[-1]:.4f} after {len(losses)} epochs")
    for row, target in zip(rows, targets):
        print(row, target, round(net(row).data, 4))


if __name__ == "__main__":  # python my_engine.py
    main()


# ── below this line all is yours; the course leaves it as it is ─────────────────────────────────────────────
