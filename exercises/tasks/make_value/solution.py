"""Each of the four comes in as a parameter and is stored on the object: `self._prev = _prev`, and so on. `grad` starts
as 0.0, and `_backward` as a function that does nothing: `lambda: None`.

`__repr__` returns a string. An f-string with `{self.data:.4f}` writes a number with four decimals.
"""


class Number:  #: A node of a graph.
    """A number that remembers how it was made."""

    def __init__(self, data, _prev=(), _op="", label=""):  #: A leaf needs its number only; an operation gives more.
        self.data = data  #: The number itself.
        self._prev = _prev  #: The inputs, a tuple. a + a has a in it twice: two edges.
        self._op = _op  #: The symbol of the operation that made it; "" for a leaf.
        self.label = label  #: A name for drawings. No calculation uses it.
        self.grad = 0.0  #: The gradient. It begins at 0, so that contributions can be added to it.
        self._backward = lambda: None  #: Does nothing; an operation puts its rule here.

    def __repr__(self):  #: What a notebook shows for it.
        return f"Value(data={self.data:.4f})"  #: The number, with four decimals.
