"""Each method has four parts: make `other` a Value, make `out` as in lesson 01, write `_backward`, store it on `out`
and return `out`. For the rule of a sum: if one input rises by 0.01, by how much does the sum rise?

Both local derivatives of a sum are 1, so each input receives `out.grad`. Multiplication swaps: along `self` the local
derivative is `other.data`, and along `other` it is `self.data`. Multiply it by `out.grad`.
"""


class Arithmetic(Value):  #: + and *, each with a rule for the way back.
    def __add__(self, other):  #: self + other.
        other = as_value(other)  #: A plain number becomes a leaf.
        out = Value(self.data + other.data, (self, other), "+")  #: Forward: the sum, which remembers its two inputs.

        def _backward():  #: Its rule. It runs later, in the backward pass.
            self.grad += out.grad  #: The slope of a sum along each input is 1: what arrived passes on.
            other.grad += out.grad  #: Added, because more may arrive here from elsewhere.

        out._backward = _backward  #: The rule is kept on the node that was made.
        return out  #: The new node.

    def __mul__(self, other):  #: self * other.
        other = as_value(other)  #: A plain number becomes a leaf.
        out = Value(self.data * other.data, (self, other), "*")  #: Forward: the product.

        def _backward():  #: Its rule.
            self.grad += other.data * out.grad  #: The slope along one factor is the other factor,
            other.grad += self.data * out.grad  #: and the other way round.

        out._backward = _backward  #: The rule is kept on the node that was made.
        return out  #: The new node.
