def add(self, other):
    other = as_value(other)
    out = Value(self.data + other.data, (self, other), "+")

    def _backward():
        raise NotImplementedError  # in its place: two lines that add to self.grad and to other.grad

    out._backward = _backward
    return out


Value.__add__ = add
