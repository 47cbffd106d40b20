"""A learner's engine written as one class, in the closure style: what tests try labs on, and change."""

import math


class Value:
    """A number that remembers how it was made, and can say what it depends on."""

    def __init__(self, data, _prev=(), _op="", label=""):
        self.data = data
        self.grad = 0.0  # ∂root/∂self
        self.label = label
        self._prev = _prev  # the inputs, in order
        self._op = _op  # what made this number; "" for a leaf
        self._backward = lambda: None  # a leaf has nothing to pass on

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

    def one_input(self, y, op, local):
        out = Value(y, (self,), op)

        def _backward():
            self.grad += local * out.grad

        out._backward = _backward
        return out

    def __pow__(self, n):
        return self.one_input(self.data**n, f"**{n}", n * self.data ** (n - 1))

    def tanh(self):
        y = math.tanh(self.data)
        return self.one_input(y, "tanh", 1 - y * y)

    def sigmoid(self):
        y = 1 / (1 + math.exp(-self.data))
        return self.one_input(y, "sigmoid", y * (1 - y))

    def relu(self):
        return self.one_input(max(0.0, self.data), "relu", float(self.data > 0))

    def backward(self):
        self.grad = 1.0
        for node in reversed(topological_order(self)):
            node._backward()

    def __radd__(self, other):  # other + self
        return as_value(other) + self

    def __sub__(self, other):  # self - other
        return self + as_value(other) * -1


def as_value(thing):
    return thing if isinstance(thing, Value) else Value(thing)


def topological_order(root):
    order, visited, stack = [], {root}, [(root, iter(root._prev))]
    while stack:
        node, inputs = stack[-1]
        for input in inputs:
            if input not in visited:
                visited.add(input)
                stack.append((input, iter(input._prev)))
                break
        else:
            order.append(node)
            stack.pop()
    return order
