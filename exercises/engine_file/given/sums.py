def recorded_add(self, other):  # self + other, before it has a rule  #: Python calls it for a + b.
    other = as_value(other)  #: A plain number becomes a leaf.
    return Value(self.data + other.data, (self, other), "+")  #: The sum, which remembers its two inputs.


def reflected_add(self, other):  # other + self, with a plain number on the left  #: Python calls it for 2 + a.
    return as_value(other) + self  #: Now both are Values, and Python calls __add__.


Value.__add__, Value.__radd__ = recorded_add, reflected_add  #: Python calls them for +.
