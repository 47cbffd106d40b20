"""The upstream gradient is `out.grad`. Raise one input of a sum by 0.01: by how much does the sum rise? That is its
local derivative.

Both local derivatives are 1, so each input receives `1.0 * out.grad`. Put it into `self.grad`, and into `other.grad`.
"""


def add_with_rule(self, other):
    other = as_value(other)
    out = Value(self.data + other.data, (self, other), "+")

    def _backward():
        self.grad += 1.0 * out.grad
        other.grad += 1.0 * out.grad

    out._backward = _backward
    return out
