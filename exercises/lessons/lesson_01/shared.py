"""What the checks of lesson 01 share."""

import functools
import random
from dataclasses import dataclass

from exercises.judging.answers import called
from exercises.judging.grading import of_trouble
from exercises.sandbox.guard import Trouble

# Exercise 1: the slope of a secant


@dataclass(frozen=True)
class Polynomial:
    """A polynomial by its coefficients, that of x**0 first: a function of a number, whose slopes are known exactly."""

    coefficients: tuple

    def __call__(self, x):
        return sum(c * x**k for k, c in enumerate(self.coefficients))

    def derivative(self, x):
        """The slope at x."""
        return sum(k * c * x ** (k - 1) for k, c in enumerate(self.coefficients) if k)

    def between(self, x, y):
        """The slope of the line through the points at x and at y, without the difference of two values.

        (yᵏ - xᵏ) / (y - x) = yᵏ⁻¹ + yᵏ⁻²x + … + xᵏ⁻¹.
        """
        return sum(c * sum(y ** (k - 1 - i) * x**i for i in range(k)) for k, c in enumerate(self.coefficients))

    def text(self):
        """The polynomial as Python: "2*x**3 - x + 1"."""
        powers = [(c, {0: "", 1: "x"}.get(k, f"x**{k}")) for k, c in enumerate(self.coefficients) if c]
        text = ""
        for c, power in reversed(powers):
            size = "*".join(part for part in ("" if abs(c) == 1 and power else f"{abs(c):g}", power) if part)
            sign = (" - " if c < 0 else " + ") if text else ("-" if c < 0 else "")
            text += sign + size
        return text


@functools.cache
def secants(seed=1, count=24):
    """(f, x, h) for random polynomials f of degree 2 or 3 at whole and other numbers; a simple one comes first.

    At the end x is 0, and then x + h: whoever divides by one of these has been told more by the numbers before.
    """
    rng = random.Random(seed)
    made = [(Polynomial((0, 0, 1)), 3, 0.5)]
    while len(made) < count:
        coefficients = (*(rng.randint(-3, 3) for _ in range(2)), rng.choice((-2, -1, 1, 2)), rng.randint(-1, 1))
        x = rng.choice((rng.randint(-3, 3), rng.randint(-12, 12) / 4, round(rng.uniform(-3, 3), 4)))
        h = rng.choice((2, 0.5, 0.25, 0.1, 0.01, -0.5))
        if x and x + h:
            made.append(
                (Polynomial(coefficients), x, h if isinstance(seed, int) else round(h * rng.uniform(0.5, 1.0), 6))
            )
    f = Polynomial((rng.randint(1, 3), rng.randint(-3, -1), 2, 1))
    return (*made, (f, 0, 0.5), (f, 0.0, -2), (f, 0.5, -0.5))


def at_x_itself(found, tests):
    """Whether all slopes are about those at x, as a tiny nudge that is not the one given makes them."""
    return all(abs(one - f.derivative(x)) <= 0.05 for one, (f, x, _) in zip(found, tests))


def until_raised(function, name, tests):
    """(what a learner's function gave for each of these tests, up to one that raised; the Seen of that, in a list)."""
    found = []
    try:
        for test in tests:
            found.append(called(function, *test, what=asked(name, *test)))
    except Trouble as trouble:
        return found, [of_trouble(trouble)]
    return found, []


def asked(name, f, x, h):
    """What is tested, in one line."""
    return f"{name}(f, {x}, {h}) with f(x) = {f.text()}"


def as_code(name, f, x, h):
    """What is tested, as Python."""
    return f"f = lambda x: {f.text()}\n{name}(f, {x}, {h})"
