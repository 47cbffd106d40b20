"""Forward mode: dual numbers, which carry a derivative along with the value.

Nothing here is shared with `Value`, so that the two can check each other.
"""

import math

from autograd import validation


class Dual:
    """value + derivative · ε with ε² = 0: a number, and how fast it changes with the one input that was seeded with 1.

    Every operation follows from f(a + bε) = f(a) + f'(a) b ε (Clifford 1873; Wengert 1964 for programs).
    """

    __slots__ = ("value", "derivative")
    __array_ufunc__ = None  # numpy.float64(2) * Dual(3) asks Dual

    def __init__(self, value, derivative=0.0):
        self.value = validation.real(value, "a Dual")
        self.derivative = validation.real(derivative, "a Dual's derivative")

    def __repr__(self):
        return f"Dual(value={self.value:.4f}, derivative={self.derivative:.4f})"

    def __add__(self, other):
        other = as_dual(other)
        return Dual(self.value + other.value, self.derivative + other.derivative)

    def __sub__(self, other):
        other = as_dual(other)
        return Dual(self.value - other.value, self.derivative - other.derivative)

    def __mul__(self, other):
        other = as_dual(other)
        return Dual(self.value * other.value, self.derivative * other.value + self.value * other.derivative)

    def __truediv__(self, other):
        other = as_dual(other)
        quotient = self.value / other.value
        return Dual(quotient, (self.derivative - quotient * other.derivative) / other.value)

    def __pow__(self, other):
        if isinstance(other, Dual):
            return (other * self.log()).exp()
        n = validation.real(other, "an exponent")
        if self.value < 0 and n % 1 != 0:
            raise ValueError(f"{self.value!r} ** {n!r}: a negative number needs a whole exponent.")
        slope = n * self.value ** (n - 1) if n else 0.0
        return Dual(self.value**n, slope * self.derivative)

    def __neg__(self):
        return Dual(-self.value, -self.derivative)

    def __radd__(self, other):
        return as_dual(other) + self

    def __rsub__(self, other):
        return as_dual(other) - self

    def __rmul__(self, other):
        return as_dual(other) * self

    def __rtruediv__(self, other):
        return as_dual(other) / self

    def __rpow__(self, other):
        return as_dual(other) ** self

    def exp(self):
        y = math.exp(self.value)
        return Dual(y, y * self.derivative)

    def log(self):
        return Dual(math.log(self.value), self.derivative / self.value)

    def sqrt(self):
        y = math.sqrt(self.value)
        return Dual(y, self.derivative / (2 * y))

    def sin(self):
        return Dual(math.sin(self.value), math.cos(self.value) * self.derivative)

    def cos(self):
        return Dual(math.cos(self.value), -math.sin(self.value) * self.derivative)

    def tanh(self):
        shrunk = math.exp(-2 * abs(self.value))  # tanh' = 1/cosh², written so that cosh cannot overflow
        return Dual(math.tanh(self.value), 4 * shrunk / (1 + shrunk) ** 2 * self.derivative)

    def sigmoid(self):
        half = math.tanh(self.value / 2)  # sigmoid(x) = (1 + tanh(x/2)) / 2
        return Dual((1 + half) / 2, (1 - half * half) / 4 * self.derivative)

    def relu(self):
        return Dual(0.0) if self.value <= 0 else self

    def leaky_relu(self, slope=0.01):
        return self if self.value > 0 else self * slope

    def softplus(self):
        y = max(self.value, 0.0) + math.log1p(math.exp(-abs(self.value)))
        return Dual(y, (1 + math.tanh(self.value / 2)) / 2 * self.derivative)

    def __float__(self):
        return self.value


def as_dual(thing):
    """`thing` if it is a Dual, else a constant: its derivative is 0."""
    return thing if isinstance(thing, Dual) else Dual(thing)


def forward_gradient(f, xs):
    """[∂f/∂x for x in xs] by forward mode: one run of `f` for each input, with that input's derivative set to 1."""
    return [
        as_dual(f(*(Dual(x, 1.0 if i == seeded else 0.0) for i, x in enumerate(xs)))).derivative
        for seeded in range(len(xs))
    ]
