def add_with_rule(self, other):
    out = add(self, as_value(other))
    self, other = out._prev

    def _backward():
        self.grad += out.grad
        other.grad += out.grad

    out._backward = _backward
    return out
