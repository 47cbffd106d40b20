"""In a + a the two names `self` and `other` mean one node. What should its `grad` hold after the first line of the
rule, and what after the second?

Add each contribution to what is there already: `+=`, in all four lines. For + both local derivatives are 1; for * each
is the other factor.
"""


class Collecting(Value):
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
