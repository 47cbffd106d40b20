def as_value(thing):
    """`thing` if it is a Value, else a new leaf with that number."""
    raise NotImplementedError


def reflected_add(self, other):  # other + self
    raise NotImplementedError


def reflected_multiply(self, other):  # other * self
    raise NotImplementedError
