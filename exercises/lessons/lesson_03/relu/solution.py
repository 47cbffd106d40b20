"""Forward, relu is the larger of 0 and `self.data`. It has one input, so `_prev` is a tuple of one: `(self,)`.

Its local derivative is 1 where `self.data` is above 0, and 0 elsewhere. The rule multiplies that by `out.grad` and adds
it to `self.grad`.
"""


class Relu(Value):  #: An operation with one input.
    def relu(self):  #: x where it is positive, else 0.
        out = Value(max(0.0, self.data), (self,), "relu")  #: Forward: the output, which remembers its one input.

        def _backward():  #: Its rule.
            self.grad += (1.0 if self.data > 0 else 0.0) * out.grad  #: The slope is 1 where relu is open, else 0.

        out._backward = _backward  #: The rule is kept on the node that was made.
        return out  #: The new node.
