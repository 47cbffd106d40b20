# Value.__init__
def __init__(self, data, _prev=(), _op="", label="", _local=(), _constants=()):  #: Two more than in your engine, at the
    #: end: the local derivatives, and an operation's plain numbers.
    if type(data) is not float or (not _local and _prev):  # of another kind, or made by hand  #: A leaf may be
        #: anything you type, and somebody may have put a NumPy number in; a float needs no check.
        data, _local = operations.checked(data, _prev, _op, _local, _constants)  #: The number as a float, and the
        #: local derivatives that go with it; or an error that says what to do.
    self.data = data  #: The number, as in your engine.
    self.grad = 0.0  # ∂root/∂self, once backward() has run from a root  #: The gradient, as in your engine.
    self.label = label  #: A name, for drawings and for errors.
    self._prev = _prev  # the inputs, in order: a + a keeps two  #: The inputs, as in your engine.
    self._op = _op  # what made this number: "+", "tanh", …; "" for a leaf  #: As in your engine.
    self._local = _local  # ∂self/∂input, one for each input  #: The new part. A closure is a function; these are
    #: numbers.
    self._constants = _constants  # an op's plain numbers: an exponent, a slope  #: The 2 of x**2. With it the package
    #: can run an operation again.


# Value.__mul__
def __mul__(self, other):  #: Python calls this for self * other.
    other = other if isinstance(other, Value) else Value(other)  #: A plain number becomes a leaf, as in your engine.
    return Value(self.data * other.data, (self, other), "*", "", (other.data, self.data))  #: The product, its inputs,
    #: its sign, no label; and the two local derivatives: each is the other factor, swapped.


# Value.tanh
def tanh(self):  #: One input, so one local derivative.
    t = math.tanh(self.data)  #: The output, kept because it is needed twice.
    return Value(t, (self,), "tanh", "", (1.0 - t * t,))  #: 1 minus the square of the output.


# Value._backward
def _backward(self):  #: A method, the same for every operation. Yours is a new function for each node.
    upstream = self.grad  #: What has arrived from all consumers.
    for input, local in zip(self._prev, self._local):  #: Each edge, with its local derivative.
        input.grad += local * upstream  #: The chain rule, in its one place: contribution = local × upstream, added.


# Value.backward
def backward(self, reset="intermediates"):  #: What to do with old gradients is the subject of lesson 05.
    order = topological_order(self)  #: Inputs before consumers, as in lesson 04.
    with cleared(order, reset):  #: Old gradients are put aside; the leaves' are added at the end (lesson 05).
        self.grad = 1.0  # ∂root/∂root  #: The root changes as fast as itself.
        for node in reversed(order):  #: Consumers before inputs.
            if node._prev:  # a leaf has nothing to pass on to  #: A leaf only receives: calling it would cost time.
                node._backward()  #: Each node has its turn, once.
