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
