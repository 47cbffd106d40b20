"""Every method returns a new `Dual(value, derivative)`. Both inputs of an operation may move, so both contribute to its
derivative. And a function of one input multiplies the derivative that comes in by its own slope.

The product rule is (u·v)′ = u′·v + u·v′. exp and tanh have local derivatives that can be worked out from their outputs.
A plain number is a `Dual` whose derivative is 0: turn it into one before anything else.
"""


class Dual:
    """A number, and how fast it changes with the input given the derivative 1."""

    def __init__(self, value, derivative=0.0):
        self.value, self.derivative = value, derivative

    def __add__(self, other):
        other = as_dual(other)
        return Dual(self.value + other.value, self.derivative + other.derivative)

    def __mul__(self, other):
        other = as_dual(other)
        return Dual(self.value * other.value, self.derivative * other.value + self.value * other.derivative)

    def exp(self):
        y = math.exp(self.value)
        return Dual(y, y * self.derivative)

    def tanh(self):
        y = math.tanh(self.value)
        return Dual(y, (1 - y * y) * self.derivative)


def as_dual(thing):
    """`thing` if it is a Dual, else a constant: its derivative is 0."""
    return thing if isinstance(thing, Dual) else Dual(thing)
