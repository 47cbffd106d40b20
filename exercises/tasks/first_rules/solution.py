"""What arrived at the result is in `out.grad`. Through a sum it passes unchanged, to both inputs.

Through a product each input receives the other factor, `.data`, times `out.grad`.
"""


class Rules(Value):  #: + and *, each with a rule for the way back.
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
