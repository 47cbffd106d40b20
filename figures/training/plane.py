"""Gradient descent in the plane of two parameters: losses, the engine's loop, the ground's curvature."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from autograd import Value
from autograd.errors import messages

DOTS = (0.0, 1.0), (1.0, 2.0), (2.0, 3.0)  # (x, y): all on the line y = 1·x + 1
NUDGE = 1e-4  # of a parameter of size 1, for a difference of gradients


@dataclass(frozen=True, eq=False)
class Loss:
    """A loss of two parameters: its formula, a function from two Values to a Value, and where it is lowest."""

    formula: str
    function: Callable
    lowest: str = ""

    def root(self, u, v):
        """Return the loss of two Values, as a Value; raise TypeError if the function returns something else."""
        found = self.function(u, v)
        if not isinstance(found, Value):
            raise TypeError(f"a loss of u and v returns an autograd.Value, got {messages.described(found)}.")
        return found

    def value_at(self, u, v):
        return self.root(Value(u), Value(v)).data

    def gradient(self, u, v):
        u, v = Value(u), Value(v)
        self.root(u, v).backward()
        return u.grad, v.grad

    def curvature(self, u, v):
        """Return how fast the gradient changes in the direction in which it changes fastest; nan if it is not finite.

        It is the largest eigenvalue of the 2 × 2 second derivatives, which are central differences of the engine's
        gradients: two nudges of u, and two of v.
        """
        h, k = NUDGE * max(1.0, abs(u)), NUDGE * max(1.0, abs(v))
        try:
            uu, uv = differences(self.gradient(u + h, v), self.gradient(u - h, v), 2 * h)
            vu, vv = differences(self.gradient(u, v + k), self.gradient(u, v - k), 2 * k)
        except (ValueError, ArithmeticError):
            return math.nan
        found = (uu + vv) / 2 + math.hypot((uu - vv) / 2, (uv + vu) / 2)
        return found if math.isfinite(found) else math.nan


def differences(above, below, distance):
    return [(a - b) / distance for a, b in zip(above, below)]


def line(u, v):
    return sum((u * x + v - y) ** 2 for x, y in DOTS) / len(DOTS)


LOSSES = {
    "bowl": Loss("4u² + v²", lambda u, v: 4 * u**2 + v**2, "lowest at (0, 0)"),
    "valley": Loss("(u·v − 1)²", lambda u, v: (u * v - 1) ** 2, "lowest at u·v = 1"),
    "line": Loss("y = u·x + v through 3 dots", line, "lowest at (1, 1)"),
}


@dataclass(frozen=True)
class Place:
    """A descent's state before a step: u, v and the loss; the gradient here, the grads held in u and v; the curvature.

    Past the largest float there are no numbers: inf or nan.
    """

    u: float
    v: float
    loss: float
    gradient: tuple
    grads: tuple
    curvature: float

    @property
    def finite(self):
        """True if the descent can go on from here."""
        return all(map(math.isfinite, (self.u, self.v, self.loss, *self.gradient, *self.grads)))


def walk(loss, start, lr, zero, steps):
    """Return the Places of the loop zero, forward, backward, step: one before each step and one after the last.

    zero: whether each round sets the gradients to 0. The walk ends early if its numbers are no longer finite.
    """
    u, v, places = Value(start[0]), Value(start[1]), []
    while len(places) <= steps and (not places or places[-1].finite):
        if places:
            for parameter in (u, v):
                parameter.data -= lr * parameter.grad
        if zero:
            u.grad = v.grad = 0.0
        places.append(arrive(loss, u, v))
    return places


def arrive(loss, u, v):
    """Return the Place of two parameters, after a forward and a backward pass."""
    try:
        begun, root = (u.grad, v.grad), loss.root(u, v)
        root.backward()
        gradient, number = loss.gradient(u.data, v.data) if any(begun) else (u.grad, v.grad), root.data
    except (ValueError, ArithmeticError):  # such as the logarithm of a negative number
        gradient, number = (math.nan, math.nan), math.nan
    return Place(u.data, v.data, number, gradient, (u.grad, v.grad), loss.curvature(u.data, v.data))
