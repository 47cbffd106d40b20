"""`isinstance(thing, Value)` is True for a Value. Hand that one back as it is, and wrap anything else.

In the reflected functions `self` is the Value on the right and `other` the number on the left. With a Value made of
`other` first, plain + and * do the rest.
"""


def as_value(thing):
    """`thing` if it is a Value, else a new leaf with that number."""
    return thing if isinstance(thing, Value) else Value(thing)


def reflected_add(self, other):  # other + self
    return as_value(other) + self


def reflected_multiply(self, other):  # other * self
    return as_value(other) * self
