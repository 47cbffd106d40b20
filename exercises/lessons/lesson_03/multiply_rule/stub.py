def multiply_with_rule(self, other):
    other = as_value(other)
    out = Value(self.data * other.data, (self, other), "*")

    def _backward():
        raise NotImplementedError  # write local × upstream, for each factor

    out._backward = _backward
    return out
