def power_with_rule(self, n):  # self ** n  #: The power of lesson 02, with a rule.
    out = Value(self.data**n, (self,), f"**{n}")  #: Forward: the power, which remembers its one input.

    def _backward():  #: The node's rule, written now and run later. It can still see the input and out: a closure.
        self.grad += n * self.data ** (n - 1) * out.grad  #: local × upstream, with the local derivative n·xⁿ⁻¹.

    out._backward = _backward  #: The rule is kept on the node that was made.
    return out  #: The new node, which further operations can use.


Value.__pow__ = power_with_rule  #: It takes the place of the power without a rule.
