class Value(Number):  #: A Number that has more: each Value is one node of a graph.
    """A number that remembers how it was made, and can pass a gradient back to its inputs."""

    def __init__(self, data, _prev=(), _op="", label=""):  #: A leaf needs its number only; an operation gives more.
        super().__init__(data)  #: First what a Number does: it keeps data.
        self.grad = 0.0  # ∂root/∂self  #: The gradient. It begins at 0, so that contributions can be added to it.
        self.label = label  #: A name for drawings. No calculation uses it.
        self._prev = _prev  # the inputs, in order  #: The inputs, a tuple. a + a has a in it twice: two edges.
        self._op = _op  # what made this number; "" for a leaf  #: The sign or name of the operation, for drawings too.
        self._backward = lambda: None  # a leaf has nothing to pass on  #: Does nothing; an operation puts its rule
        #: here.

    __eq__, __hash__ = object.__eq__, object.__hash__  # equal numbers are not one node  #: So a set of visited nodes
    #: tells apart two nodes that hold the same number.
