def multiply_with_rule(self, other):
    out = multiply(self, as_value(other))
    self, other = out._prev

    def _backward():
        self.grad += other.data * out.grad
        other.grad += self.data * out.grad

    out._backward = _backward
    return out
