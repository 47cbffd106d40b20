"""`isinstance(thing, Value)` is True for a Value. Hand that one back as it is, and wrap anything else.

In the reflected methods `self` is the Value on the right and `other` the number on the left. With a Value made of
`other` first, plain + and * do the rest.
"""


def as_value(thing):
    """`thing` if it is a Value, else a new leaf with that number."""
    return thing if isinstance(thing, Value) else Value(thing)


def add(self, other):  # self + other
    other = as_value(other)
    return Value(self.data + other.data, (self, other), "+")


def multiply(self, other):  # self * other
    other = as_value(other)
    return Value(self.data * other.data, (self, other), "*")


def reflected_add(self, other):  # other + self
    return as_value(other) + self


def reflected_multiply(self, other):  # other * self
    return as_value(other) * self


Value.__add__, Value.__radd__ = add, reflected_add
Value.__mul__, Value.__rmul__ = multiply, reflected_multiply
