"""`Value`: a number that remembers how it was made, so that it can say what it depends on."""

import math

from autograd import arithmetic, operations
from autograd.errors import messages, validation
from autograd.protocols import copying
from autograd.protocols.conversion import Convertible
from autograd.topo import cleared, topological_order


class Value(Convertible):
    """One real number in a computation graph.

    An operation on Values makes a new Value. It keeps its inputs and, for each of them, the local derivative:
    how fast the new number changes when that input does. `backward()` multiplies and adds these up.
    """

    __slots__ = ("data", "grad", "label", "_prev", "_op", "_local", "_constants")

    def __init__(self, data, _prev=(), _op="", label="", _local=(), _constants=()):
        if type(data) is not float or (not _local and _prev):  # of another kind, or made by hand
            data, _local = operations.checked(data, _prev, _op, _local, _constants)
        self.data = data
        self.grad = 0.0  # ∂root/∂self, once backward() has run from a root
        self.label = label
        self._prev = _prev  # the inputs, in order: a + a keeps two
        self._op = _op  # what made this number: "+", "tanh", …; "" for a leaf
        self._local = _local  # ∂self/∂input, one for each input
        self._constants = _constants  # an op's plain numbers: an exponent, a slope

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self, other), "*", "", (other.data, self.data))

    def _backward(self):
        """Apply the chain rule at this node: each input gets its local derivative times this node's gradient."""
        upstream = self.grad
        for input, local in zip(self._prev, self._local):
            input.grad += local * upstream

    def backward(self, reset="intermediates"):
        """Set `grad` of every node that this one depends on to ∂self/∂node.

        `reset` says which old grads are cleared first. "intermediates": all but the leaves', which add up over
        passes, as in PyTorch. "all": the leaves' too. "nothing": none (old grads flow on, and the sums go wrong).
        """
        order = topological_order(self)
        with cleared(order, reset):
            self.grad = 1.0  # ∂root/∂root
            for node in reversed(order):
                if node._prev:  # a leaf has nothing to pass on to
                    node._backward()

    # The other operators. Each line has an op's value, its inputs, its name, no label, and its local derivatives.

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, other), "+", "", (1.0, 1.0))

    def __sub__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data - other.data, (self, other), "-", "", (1.0, -1.0))

    def __neg__(self):
        return Value(-self.data, (self,), "neg", "", (-1.0,))

    def __truediv__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        if other.data == 0:
            raise messages.zero_division(self, other)
        quotient = self.data / other.data
        return Value(quotient, (self, other), "/", "", (1.0 / other.data, -quotient / other.data))

    def __pow__(self, other):
        if isinstance(other, Value):
            return self._to_the(other)
        x, n = self.data, validation.real(other, "an exponent")
        if x == 0 and n < 0:
            raise messages.zero_power(self, n)
        if x < 0 and n % 1 != 0:
            raise messages.fractional_power(self, n)
        slope = n * arithmetic.power(x, n - 1) if n else 0.0
        return Value(arithmetic.power(x, n), (self,), f"**{n:g}", "", (slope,), (n,))

    def _to_the(self, other):
        """Raise self to a Value, so that the exponent has a gradient too: x^y log x."""
        x, y = self.data, other.data
        if x < 0 or (x == 0 and y <= 0):
            raise messages.outside("** with a Value as exponent", self, "a positive base, or 0 to a positive power")
        z = arithmetic.power(x, y)
        by_base, by_exponent = y * arithmetic.power(x, y - 1) if y else 0.0, z * (math.log(x) if x else 0.0)
        return Value(z, (self, other), "**", "", (by_base, by_exponent))

    def __radd__(self, other):  # other + self
        return as_value(other) + self

    def __rsub__(self, other):  # other - self
        return as_value(other) - self

    def __rmul__(self, other):  # other * self
        return as_value(other) * self

    def __rtruediv__(self, other):  # other / self
        return as_value(other) / self

    def __rpow__(self, other):  # other ** self
        return as_value(other) ** self

    # Functions of one input.

    def exp(self):
        y = arithmetic.exp(self.data)
        return Value(y, (self,), "exp", "", (y,))

    def log(self):
        if self.data <= 0:
            raise messages.outside("log", self, "a positive number")
        return Value(math.log(self.data), (self,), "log", "", (1.0 / self.data,))

    def sqrt(self):
        if self.data < 0:
            raise messages.outside("sqrt", self, "a number that is not negative")
        y = math.sqrt(self.data)
        return Value(y, (self,), "sqrt", "", (0.5 / y if y else math.copysign(math.inf, y),))

    def sin(self):
        if math.isinf(self.data):
            raise messages.outside("sin", self, "a finite number")
        return Value(math.sin(self.data), (self,), "sin", "", (math.cos(self.data),))

    def cos(self):
        if math.isinf(self.data):
            raise messages.outside("cos", self, "a finite number")
        return Value(math.cos(self.data), (self,), "cos", "", (-math.sin(self.data),))

    def tanh(self):
        t = math.tanh(self.data)
        return Value(t, (self,), "tanh", "", (1.0 - t * t,))

    def sigmoid(self):
        s = arithmetic.sigmoid(self.data)
        return Value(s, (self,), "sigmoid", "", (s * (1.0 - s),))

    def relu(self):
        x = self.data
        return Value(0.0, (self,), "relu", "", (0.0,)) if x <= 0 else Value(x, (self,), "relu", "", (1.0,))

    def leaky_relu(self, slope=0.01):
        x, slope = self.data, validation.real(slope, "leaky_relu's slope")
        local = 1.0 if x > 0 else slope
        return Value(local * x, (self,), "leaky_relu", "", (local,), (slope,))

    def softplus(self):  # log(1 + e^x), written so that e is never raised to a large positive power
        y = math.log1p(math.exp(-abs(self.data))) + (self.data if self.data > 0 else 0.0)
        return Value(y, (self,), "softplus", "", (arithmetic.sigmoid(self.data),))

    @staticmethod
    def _weighted(weights, inputs, bias):
        """Return the `weighted_sum` of what are known to be Values, one weight for each input."""
        ws, xs, total = [], [], bias.data
        for weight, input in zip(weights, inputs):
            w, x = weight.data, input.data
            ws.append(w)
            xs.append(x)
            total += w * x
        return Value(total, (*weights, *inputs, bias), "weighted_sum", "", (*xs, *ws, 1.0))

    def __repr__(self):
        name = f", label={self.label!r}" if self.label else ""
        return f"Value(data={messages.show(self.data)}, grad={messages.show(self.grad)}{name})"

    def __deepcopy__(self, memo):
        return copying.copied(self, memo)

    def __reduce_ex__(self, protocol):
        return copying.flat(self) if self._prev else super().__reduce_ex__(protocol)


def as_value(thing):
    """Return `thing` if it is a Value, else a new leaf with that number."""
    return thing if isinstance(thing, Value) else Value(thing)


def weighted_sum(weights, inputs, bias):
    """Return bias + w₁x₁ + … + wₙxₙ, added from left to right, as one node: 2n + 1 inputs, weights, inputs, bias."""
    weights, inputs = validation.require_list(weights, "weights"), validation.require_list(inputs, "inputs")
    if len(weights) != len(inputs):
        raise ValueError(f"weighted_sum needs as many weights as inputs, got {len(weights)} and {len(inputs)}.")
    return Value._weighted([as_value(w) for w in weights], [as_value(x) for x in inputs], as_value(bias))
