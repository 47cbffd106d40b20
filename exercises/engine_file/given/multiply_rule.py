def multiply_with_rule(self, other):  #: The product of lesson 02, with its rule.
    out = multiply(self, as_value(other))  #: Forward: the product, which remembers its two inputs.
    self, other = out._prev  #: Both inputs as Values, also where one was a plain number.

    def _backward():  #: The node's rule, written now and run later. It can still see the inputs and out: a closure.
        self.grad += other.data * out.grad  #: The local derivative along one factor is the other factor.
        other.grad += self.data * out.grad  #: And the other way round.

    out._backward = _backward  #: The rule is kept on the node that was made.
    return out  #: The new node, which further operations can use.
