def as_value(thing):
    """`thing` if it is a Value, else a new leaf with that number."""
    raise NotImplementedError


def add(self, other):  # self + other
    other = as_value(other)
    return Value(self.data + other.data, (self, other), "+")


def multiply(self, other):  # self * other
    return Value(self.data * other.data, (self, other), "*")


def reflected_add(self, other):  # other + self
    raise NotImplementedError


def reflected_multiply(self, other):  # other * self
    raise NotImplementedError


Value.__add__, Value.__radd__ = add, reflected_add
Value.__mul__, Value.__rmul__ = multiply, reflected_multiply
