"""Multiplication swaps: which number is the local derivative along `self`?

It is `other.data`. Multiply it by the upstream gradient, `out.grad`: that is what `self.grad` receives. The other
factor gets the same with the names exchanged.
"""


def multiply_with_rule(self, other):
    other = as_value(other)
    out = Value(self.data * other.data, (self, other), "*")

    def _backward():
        self.grad += other.data * out.grad
        other.grad += self.data * out.grad

    out._backward = _backward
    return out
