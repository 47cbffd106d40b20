"""My engine: numbers that remember how they were made, and pass gradients back.

`python my_engine.py` learns XOR."""

import math
import random


class Value:
    """A number that remembers how it was made, and passes a gradient back to its inputs."""

    def __init__(self, data, _prev=(), _op="", label=""):
        self.data = data
        self.grad, self._backward = 0.0, lambda: None  # ∂root/∂self, and what passes it on: nothing for a leaf
        self._prev, self._op, self.label = _prev, _op, label  # its inputs, what made it, its name

    def __repr__(self):
        return f"Value(data={self.data:.4f})"

    def __add__(self, other):
        other = as_value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = as_value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def __pow__(self, n):  # self ** n
        out = Value(self.data**n, (self,), f"**{n}")

        def _backward():
            self.grad += n * self.data ** (n - 1) * out.grad

        out._backward = _backward
        return out

    def __neg__(self):
        return self * -1

    def __sub__(self, other):  # self - other
        return self + as_value(other) * -1

    def __truediv__(self, other):  # self / other
        return self * as_value(other) ** -1

    def __radd__(self, other):  # other + self
        return as_value(other) + self

    def __rmul__(self, other):  # other * self
        return as_value(other) * self

    def __rsub__(self, other):  # other - self
        return as_value(other) - self

    def __rtruediv__(self, other):  # other / self
        return as_value(other) / self

    def relu(self):
        out = Value(max(0.0, self.data), (self,), "relu")

        def _backward():
            self.grad += (1.0 if self.data > 0 else 0.0) * out.grad

        out._backward = _backward
        return out

    def exp(self):
        out = Value(math.exp(self.data), (self,), "exp")

        def _backward():
            self.grad += out.data * out.grad

        out._backward = _backward
        return out

    def log(self):
        out = Value(math.log(self.data), (self,), "log")

        def _backward():
            self.grad += 1 / self.data * out.grad

        out._backward = _backward
        return out

    def tanh(self):
        out = Value(math.tanh(self.data), (self,), "tanh")

        def _backward():
            self.grad += (1 - out.data**2) * out.grad

        out._backward = _backward
        return out

    def sigmoid(self):
        return 1 / (1 + (-self).exp())

    def backward(self):
        """One pass from this root: leaves add to their grad, other nodes begin anew."""
        order = topological_order(self)
        for node in order:
            if node._prev:
                node.grad = 0.0
        self.grad += 1.0
        for node in reversed(order):
            node._backward()


def as_value(thing):
    """`thing` if it is a Value, else a new leaf with that number."""
    return thing if isinstance(thing, Value) else Value(thing)


def topological_order(root):
    """Every node that `root` depends on, then `root`; inputs first, at any depth."""
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


def zero_grad(parameters):
    """Set the grad of each of these leaves to 0."""
    for p in parameters:
        p.grad = 0.0


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


class Layer:
    """Neurons that all read the same inputs."""

    def __init__(self, n_inputs, n_outputs):
        self.neurons = [Neuron(n_inputs) for _ in range(n_outputs)]

    def __call__(self, inputs):
        return [neuron(inputs) for neuron in self.neurons]

    def parameters(self):
        return [p for neuron in self.neurons for p in neuron.parameters()]


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


def cross_entropy(outputs, targets):
    """The mean of -log of the probability given to the right answer, as a Value."""
    loss = 0.0
    for p, t in zip(outputs, targets):
        right = p if t == 1 else 1 - p
        loss = loss - right.log()
    return loss / len(targets)


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


def clip(parameters, limit):
    """Scale all grads down to a length of at most `limit`; return the length before."""
    length = math.sqrt(sum(p.grad**2 for p in parameters))
    if length > limit:
        for p in parameters:
            p.grad *= limit / length
    return length


if __name__ == "__main__":
    rows, targets = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    random.seed(0)
    net = MLP(2, [4, 4, 1])
    losses = train(net, rows, targets, lr=0.1, epochs=500)
    print(f"XOR: loss {losses[0]:.4f} at first, {losses[-1]:.4f} after {len(losses)} epochs")
    for row, target in zip(rows, targets):
        print(row, target, round(net(row).data, 4))
