"""`isinstance(thing, Value)` is True for a Value. Hand that one back as it is, and wrap anything else.

In the reflected functions `self` is the Value on the right and `other` the number on the left. With a Value made of
`other` first, plain + and * do the rest.
"""


def as_value(thing):  #: Lets 2 * a and a * 2 work.
    """`thing` if it is a Value, else a new leaf with that number."""
    return thing if isinstance(thing, Value) else Value(thing)  #: A Value stays. A number becomes a new leaf.


def reflected_add(self, other):  # other + self  #: For a plain number on the left: 2 + a.
    return as_value(other) + self  #: The number becomes a leaf, and + does the rest.


def reflected_multiply(self, other):  # other * self  #: The same for *.
    return as_value(other) * self  #: The number becomes a leaf, and * does the rest.
