"""From school: the derivative of eˣ is eˣ, and that of log x is 1/x. `math.exp`, `math.log` and `math.tanh` give the
numbers.

The rules of exp and tanh are easiest to write with the output: eˣ is `out.data` itself, and tanh's local derivative is
1 minus the square of the output. log's needs the input, `self.data`.
"""


class Functions(Value):  #: Three more operations with one input.
    def exp(self):  #: e to the power of self …
        out = Value(math.exp(self.data), (self,), "exp")  #: Forward.

        def _backward():  #: Its rule.
            self.grad += out.data * out.grad  #: … is its own derivative: the output itself.

        out._backward = _backward  #: The rule is kept on the node that was made.
        return out  #: The new node.

    def log(self):  #: The natural logarithm …
        out = Value(math.log(self.data), (self,), "log")  #: Forward.

        def _backward():  #: Its rule.
            self.grad += 1 / self.data * out.grad  #: … has the derivative 1/x.

        out._backward = _backward  #: The rule is kept on the node that was made.
        return out  #: The new node.

    def tanh(self):  #: Bends any number into -1 … 1.
        out = Value(math.tanh(self.data), (self,), "tanh")  #: Forward.

        def _backward():  #: Its rule.
            self.grad += (1 - out.data**2) * out.grad  #: 1 minus the square of the output.

        out._backward = _backward  #: The rule is kept on the node that was made.
        return out  #: The new node.
