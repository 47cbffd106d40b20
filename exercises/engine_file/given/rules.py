class Arithmetic(Value):  #: The sum and the product of lesson 02, each with a rule for the way back.
    def __add__(self, other):  #: The sum.
        out = Sum.__add__(self, as_value(other))  #: Forward: the sum, which remembers its two inputs.
        self, other = out._prev  #: Both inputs as Values, also where one was a plain number.

        def _backward():  #: The node's rule, written now and run later. It can still see the inputs and out: a closure.
            self.grad += out.grad  #: local × upstream, with the local derivative 1. +=, as self may be used elsewhere
            #: too.
            other.grad += out.grad  #: The same for the second input.

        out._backward = _backward  #: The rule is kept on the node that was made.
        return out  #: The new node, which further operations can use.

    def __mul__(self, other):  #: The product.
        out = Product.__mul__(self, as_value(other))  #: Forward: the product, which remembers its two inputs.
        self, other = out._prev  #: Both inputs as Values.

        def _backward():  #: Its rule.
            self.grad += other.data * out.grad  #: The local derivative along one factor is the other factor.
            other.grad += self.data * out.grad  #: And the other way round.

        out._backward = _backward  #: The rule is kept on the node that was made.
        return out  #: The new node.
