def add_with_rule(self, other):  #: The sum of lesson 02, with a rule for the way back.
    out = add(self, as_value(other))  #: Forward: the sum, which remembers its two inputs.
    self, other = out._prev  #: Both inputs as Values, also where one was a plain number.

    def _backward():  #: The node's rule, written now and run later. It can still see the inputs and out: a closure.
        self.grad += out.grad  #: local × upstream, with the local derivative 1. +=, as self may be used elsewhere too.
        other.grad += out.grad  #: The same for the second input.

    out._backward = _backward  #: The rule is kept on the node that was made.
    return out  #: The new node, which further operations can use.
