class Value:
    def __add__(self, other):
        out = add(self, as_value(other))
        self, other = out._prev

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        out = multiply(self, as_value(other))
        self, other = out._prev

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def __pow__(self, n):
        return one_input(self, self.data**n, "**", n)

    def relu(self):
        return one_input(self, max(0.0, self.data), "relu")

    def exp(self):
        return one_input(self, math.exp(self.data), "exp")

    def log(self):
        return one_input(self, math.log(self.data), "log")

    def tanh(self):
        return one_input(self, math.tanh(self.data), "tanh")

    def sigmoid(self):
        return one_input(self, 1 / (1 + math.exp(-self.data)), "sigmoid")


def one_input(x, y, op, n=None):
    """The node of an operation with one input x and the output y."""
    out = Value(y, (x,), op if n is None else f"**{n}")
    local = local_derivative(op, x.data, y, n)

    def _backward():
        x.grad += local * out.grad

    out._backward = _backward
    return out
