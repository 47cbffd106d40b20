"""Polynomials and the slopes of their secants, for several checks."""

import functools
import random
from dataclasses import dataclass

from exercises.judging.vocabulary import AnswerError, called, failed_test, make_result


@dataclass(frozen=True)
class Polynomial:
    """A polynomial by its coefficients, that of x**0 first: a function of a number, whose slopes are known exactly."""

    coefficients: tuple

    def __call__(self, x):
        return sum(c * x**k for k, c in enumerate(self.coefficients))

    def derivative(self, x):
        return sum(k * c * x ** (k - 1) for k, c in enumerate(self.coefficients) if k)

    def between(self, x, y):
        """Return the slope of the line through the points at x and at y, without subtracting two values.

        (yᵏ - xᵏ) / (y - x) = yᵏ⁻¹ + yᵏ⁻²x + … + xᵏ⁻¹.
        """
        return sum(c * sum(y ** (k - 1 - i) * x**i for i in range(k)) for k, c in enumerate(self.coefficients))

    def to_source(self):
        """Return the polynomial as Python: "2*x**3 - x + 1"."""
        text = ""
        for k, c in reversed([*enumerate(self.coefficients)]):
            power = ("", "x")[k] if k < 2 else f"x**{k}"
            size = f"{abs(c):g}*{power}" if power and abs(c) != 1 else power or f"{abs(c):g}"
            text += f" {'-' if c < 0 else '+'} {size}" if c else ""
        return text[3:] if text.startswith(" + ") else f"-{text[3:]}"


@functools.cache
def secants(seed=1, count=24):
    """Return (f, x, h) for random polynomials f of degree 2 or 3 at whole and other numbers; a simple one comes first.

    At the end x is 0, and then x + h, so that an answer that divides by one of them first meets other numbers. The last
    two differ only in f.
    """
    rng = random.Random(seed)
    made = [(Polynomial((0, 0, 1)), 3, 0.5)]
    while len(made) < count:
        coefficients = (*(rng.randint(-3, 3) for _ in range(2)), rng.choice((-2, -1, 1, 2)), rng.randint(-1, 1))
        x = rng.choice((rng.randint(-3, 3), rng.randint(-12, 12) / 4, round(rng.uniform(-3, 3), 4)))
        h = rng.choice((2, 0.5, 0.25, 0.1, 0.01, -0.5))
        if x and x + h:
            h = h if isinstance(seed, int) else round(h * rng.uniform(0.5, 1.0), 6)
            made.append((Polynomial(coefficients), x, h))
    f = Polynomial((rng.randint(1, 3), rng.randint(-3, -1), 2, 1))
    return (*made, (f, 0, 0.5), (f, 0.0, -2), (f, 0.5, -0.5), (made[1][0], 0.5, -0.5))


def slopes(name, function, tests, right, says, rounds=False):
    """Yield the tests of the slopes that a learner's function gives, up to one in which it raises something.

    rounds: whether rounding is a known mistake here. Another is a tiny nudge instead of the one given.
    """
    found, ended = [], []
    try:
        for f, x, h in tests:
            found.append(called(function, f, x, h, what=f"{name}(f, {x}, {h}) with f(x) = {f.to_source()}"))
    except AnswerError as error:
        ended = [failed_test(error)]
    because = ()
    if not ended and rounds and any(all(rounded(*pair, digits) for pair in zip(found, right)) for digits in range(7)):
        because = "rounded"
    elif not ended and all(abs(got - f.derivative(x)) <= 0.05 for got, (f, x, _) in zip(found, tests)):
        because = "the slope at x itself"
    for (f, x, h), expected, got in zip(tests, right, found):
        case = f"f = lambda x: {f.to_source()}\n{name}(f, {x}, {h})"
        yield make_result(says, ("slope", expected, got), case=case, because=because)
    yield from ended


def rounded(found, right, digits):
    """Return whether a number is the right one, rounded to so many decimals."""
    return found == round(found, digits) and abs(found - right) <= 0.51 * 10**-digits
