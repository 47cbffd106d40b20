"""`isinstance(thing, Value)` is True if thing is already a Value: return it unchanged, and `Value(thing)` otherwise.

`__mul__` differs from the `__add__` above in two characters. In `__rmul__` make `other` a Value first; then one `*`
between two Values is enough.
"""


def as_value(thing):  #: So that everything that goes in is a node.
    """`thing` if it is a Value, else a new leaf with that number."""
    return thing if isinstance(thing, Value) else Value(thing)  #: A new leaf, for a plain number alone.


class Product(Value):  #: The same as for +.
    def __mul__(self, other):  # self * other  #: Python calls it for a * b.
        other = as_value(other)  #: A plain number becomes a leaf.
        return Value(self.data * other.data, (self, other), "*")  #: The product, which remembers its two inputs.

    def __rmul__(self, other):  # other * self, with a plain number on the left  #: Python calls it for 2 * a.
        return as_value(other) * self  #: Now both are Values, and Python calls __mul__.
