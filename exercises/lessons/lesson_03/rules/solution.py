"""Each method has four parts: make `other` a Value, make `out` as in lesson 02, write `_backward`, keep it on `out` and
return that. For the rule of a sum: if one input rises by 0.01, by how much does the sum rise?

Both local derivatives of a sum are 1, so each input receives `out.grad`. Multiplication swaps: along `self` the local
derivative is `other.data`, and along `other` it is `self.data`. Multiply it by `out.grad`.
"""


class Arithmetic(Value):
    def __add__(self, other):
        other = as_value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = as_value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out
