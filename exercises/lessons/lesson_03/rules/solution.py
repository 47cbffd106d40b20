"""Each method has four parts: make `other` a Value, make `out` as in lesson 02, write `_backward`, keep it on `out` and
return that. For the rule of a sum: if one input rises by 0.01, by how much does the sum rise?

Both local derivatives of a sum are 1, so each input receives `out.grad`. Multiplication swaps: along `self` the local
derivative is `other.data`, and along `other` it is `self.data`. Multiply it by `out.grad`.
"""


class Arithmetic(Value):  #: The sum and the product of lesson 02, each with a rule for the backward pass.
    def __add__(self, other):  #: The sum.
        other = as_value(other)  #: A plain number becomes a leaf.
        out = Value(self.data + other.data, (self, other), "+")  #: Forward: the sum, with its two inputs.

        def _backward():  #: Its rule, a closure: run later, it still sees the inputs and out.
            self.grad += out.grad  #: local × upstream. += because self may be used elsewhere, too.
            other.grad += out.grad  #: The same for the second input.

        out._backward = _backward  #: The rule is kept on the node that was made.
        return out  #: The new node, which further operations can use.

    def __mul__(self, other):  #: The product.
        other = as_value(other)  #: Both inputs as Values again.
        out = Value(self.data * other.data, (self, other), "*")  #: Forward: the product, with its two inputs.

        def _backward():  #: Its rule.
            self.grad += other.data * out.grad  #: The local derivative along one factor is the other factor.
            other.grad += self.data * out.grad  #: And the other way round.

        out._backward = _backward  #: The rule is kept on the node that was made.
        return out  #: The new node.
