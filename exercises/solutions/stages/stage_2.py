class Value:
    """A number that remembers how it was made."""

    def __init__(self, data, _prev=(), _op="", label=""):
        self.data = data
        self.label = label
        self._prev = _prev  # the inputs, in order
        self._op = _op  # what made this number; "" for a leaf

    def __repr__(self):
        return f"Value(data={self.data:.4f})"

    def __add__(self, other):
        other = as_value(other)
        return Value(self.data + other.data, (self, other), "+")

    def __mul__(self, other):
        other = as_value(other)
        return Value(self.data * other.data, (self, other), "*")

    def __pow__(self, n):
        return Value(self.data**n, (self,), f"**{n}")

    def __radd__(self, other):  # other + self
        return as_value(other) + self

    def __rmul__(self, other):  # other * self
        return as_value(other) * self

    def __sub__(self, other):  # self - other
        return self + as_value(other) * -1

    def __rsub__(self, other):  # other - self
        return as_value(other) - self

    def __neg__(self):  # -self
        return self * -1

    def __truediv__(self, other):  # self / other
        return self * as_value(other) ** -1

    def __rtruediv__(self, other):  # other / self
        return as_value(other) / self


def as_value(thing):
    """`thing` if it is a Value, else a new leaf with that number."""
    return thing if isinstance(thing, Value) else Value(thing)
