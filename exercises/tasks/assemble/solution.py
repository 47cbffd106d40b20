"""Each of the four is `+` with three changes: the numbers, the symbol, and what `_backward` adds to each input.

You have written the rules: call `unbroadcast`, `matmul_vjps`, `sum_vjp` and `rows_vjp` inside `_backward`, with
`out.grad` as upstream. The local derivative of a product is the other factor, as on numbers; both inputs may have been
broadcast.
"""


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
