def one_input(x, y, op, n=None):  #: All operations with one input are made here.
    """The node of an operation with one input x and the output y."""
    out = Value(y, (x,), op if n is None else f"**{n}")  #: Forward: the output, which remembers its one input.
    local = local_derivative(op, x.data, y, n)  #: Worked out in the forward pass, while x and y are at hand.

    def _backward():  #: The node's rule, written now and run later. It can still see the inputs and out: a closure.
        x.grad += local * out.grad  #: local × upstream, added.

    out._backward = _backward  #: The rule is kept on the node that was made.
    return out  #: The new node, which further operations can use.


Value.__pow__ = lambda self, n: one_input(self, self.data**n, "**", n)  #: Powers have a rule from now on.
Value.exp = lambda self: one_input(self, math.exp(self.data), "exp")  #: What is worked out here is y, the output.
Value.log = lambda self: one_input(self, math.log(self.data), "log")  #: The same for the logarithm …
Value.tanh = lambda self: one_input(self, math.tanh(self.data), "tanh")  #: … for tanh …
Value.sigmoid = lambda self: one_input(self, 1 / (1 + math.exp(-self.data)), "sigmoid")  #: … for the sigmoid …
Value.relu = lambda self: one_input(self, max(0.0, self.data), "relu")  #: … and for relu.
