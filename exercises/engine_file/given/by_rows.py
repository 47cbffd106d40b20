def array_transpose(self):  # self.T
    out = Tensor(self.data.T, (self,), "T")

    def _backward():
        self.grad += out.grad.T

    out._backward = _backward
    return out


def array_softmax(self):  # self.softmax(): each row as shares of 1
    p = softmax(self.data)
    out = Tensor(p, (self,), "softmax")

    def _backward():
        self.grad += softmax_vjp(p, out.grad)

    out._backward = _backward
    return out


def array_normalise(self):  # each row less its mean, divided by its spread
    x = self.data.copy()
    spread = np.sqrt(x.var(axis=1, keepdims=True) + 1e-5)
    out = Tensor((x - x.mean(axis=1, keepdims=True)) / spread, (self,), "normalise")

    def _backward():
        self.grad += normalise_vjp(x, out.grad)

    out._backward = _backward
    return out
