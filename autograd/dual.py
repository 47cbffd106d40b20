"""Forward mode: dual numbers, which carry a derivative along with the value.

Nothing here is shared with `Value`, so that the two can check each other.
"""

import math

from autograd.errors import validation

OVERFLOW = math.log(1.7976931348623157e308)  # e to more than this is no float


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
        if other.value == 0:
            raise ZeroDivisionError(f"{self.value!r} / {other.value!r}: division by 0 has no value.")
        quotient = self.value / other.value
        return Dual(quotient, (self.derivative - quotient * other.derivative) / other.value)

    def __pow__(self, other):
        if isinstance(other, Dual):
            return (other * self.log()).exp()
        n = validation.real(other, "an exponent")
        if self.value < 0 and n % 1 != 0:
            raise ValueError(f"{self.value!r} ** {n!r}: a negative number needs a whole exponent.")
        if self.value == 0 and n < 0:
            raise ZeroDivisionError(f"{self.value!r} ** {n!r}: 0 to a negative power is a division by 0.")
        slope = n * power(self.value, n - 1) if n else 0.0
        return Dual(power(self.value, n), times(slope, self.derivative))

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
        y = math.exp(self.value) if self.value < OVERFLOW else math.inf
        return Dual(y, times(y, self.derivative))

    def log(self):
        self._needs(not self.value <= 0, "log", "a positive number")
        return Dual(math.log(self.value), self.derivative / self.value)

    def sqrt(self):
        self._needs(not self.value < 0, "sqrt", "a number that is not negative")
        y = math.sqrt(self.value)
        return Dual(y, times(0.5 / y if y else math.copysign(math.inf, y), self.derivative))

    def sin(self):
        self._needs(not math.isinf(self.value), "sin", "a finite number")
        return Dual(math.sin(self.value), math.cos(self.value) * self.derivative)

    def cos(self):
        self._needs(not math.isinf(self.value), "cos", "a finite number")
        return Dual(math.cos(self.value), -math.sin(self.value) * self.derivative)

    def _needs(self, is_met, op, what):
        """Raise ValueError, naming the number, unless it lies in the domain of an operation."""
        if not is_met:
            raise ValueError(f"{op} of {self.value!r}: {op} needs {what}.")

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


def times(slope, derivative):
    """Return slope · derivative; 0 if the derivative is 0, even if the slope is infinite."""
    return slope * derivative if derivative else 0.0


def power(x, n):
    """Return x to the n; ±inf if that is too large for a float, or if x is 0 and n negative."""
    try:
        return x**n
    except OverflowError:
        return -math.inf if x < 0 and n % 2 == 1 else math.inf
    except ZeroDivisionError:
        return math.inf


def as_dual(thing):
    """Return `thing` if it is a Dual, else a constant: its derivative is 0."""
    return thing if isinstance(thing, Dual) else Dual(thing)


def forward_gradient(f, xs):
    """Return [∂f/∂x for x in xs] by forward mode: run `f` once for each input, its derivative set to 1."""
    f, xs = validation.function(f, "forward_gradient"), validation.require_list(xs, "the inputs")
    return [
        as_dual(f(*(Dual(x, 1.0 if i == seeded else 0.0) for i, x in enumerate(xs)))).derivative
        for seeded in range(len(xs))
    ]
