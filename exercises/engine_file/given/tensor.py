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
