class Value(Number):
    """A number that remembers how it was made, and can pass a gradient back to its inputs."""

    def __init__(self, data, _prev=(), _op="", label=""):
        super().__init__(data)
        self.grad = 0.0  # ∂root/∂self
        self.label = label
        self._prev = _prev  # the inputs, in order
        self._op = _op  # what made this number; "" for a leaf
        self._backward = lambda: None  # a leaf has nothing to pass on

    __eq__, __hash__ = object.__eq__, object.__hash__  # equal numbers are not one node
