"""Checks of lesson 01: the slope of a secant, a nudge of a good size, and how often nudging runs a function."""

import functools
import math
import random
from dataclasses import dataclass

from autograd.dual import forward_gradient
from exercises.judging.grading import called, exercise, has, kind, of_trouble
from exercises.sandbox.guard import TimeUp, Trouble, guarded, trying
from exercises.verdicts.seen import seen

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


@exercise
def slope(slope, *, seed):
    """`slope(f, x, h)` is the slope of the line through f at x and at x + h."""
    tests = secants(f"slope {seed}" if seed else 1)
    right = [f.between(x, x + h) for f, x, h in tests]
    found, ended = until_raised(slope, "slope", tests)
    because = "the slope at x itself" if not ended and at_x_itself(found, tests) else ()
    if not ended and any(all(rounded(*pair, digits) for pair in zip(found, right)) for digits in range(7)):
        because = "rounded"
    for test, expected, got in zip(tests, right, found):
        yield seen("This slope is not right.", ("slope", expected, got), case=as_code("slope", *test), because=because)
    yield from ended
    return f"Right for {len(tests)} functions, rising and falling, and for a negative h too."


def rounded(found, right, digits):
    """Whether a number is the right one, rounded to so many decimals."""
    return found == round(found, digits) and abs(found - right) <= 0.51 * 10**-digits


def asked(name, f, x, h):
    """What is tested, in one line."""
    return f"{name}(f, {x}, {h}) with f(x) = {f.text()}"


def as_code(name, f, x, h):
    """What is tested, as Python."""
    return f"f = lambda x: {f.text()}\n{name}(f, {x}, {h})"


# Exercise 2: a nudge of a good size

RELATIVE = 1e-9  # the error that choose_h asks for, as a share of the slope
TURN = 5e-6  # about where a central difference is best: above it bending makes most of the error, below it rounding

CURVES = {  # as Python: the function of a float, the same on dual numbers, and from where to where x may be
    "math.tanh(x)**2": (lambda x: math.tanh(x) ** 2, lambda x: x.tanh() ** 2, (0.4, 1.2)),
    "math.sin(x)": (math.sin, lambda x: x.sin(), (-1.0, 1.0)),
    "math.exp(x)": (math.exp, lambda x: x.exp(), (-2.0, 2.0)),
    "x**3": (lambda x: x**3, lambda x: x**3, (0.7, 2.0)),
    "1 / x": (lambda x: 1 / x, lambda x: 1 / x, (0.7, 2.0)),
    "math.tanh(x)": (math.tanh, lambda x: x.tanh(), (-1.0, 1.0)),
    "1 / (1 + math.exp(-x))": (lambda x: 1 / (1 + math.exp(-x)), lambda x: x.sigmoid(), (-1.5, 1.5)),
    "x**2 - x**4": (lambda x: x**2 - x**4, lambda x: x**2 - x**4, (0.8, 1.5)),
}


@exercise
def choose_h(central, chosen_h, *, seed):
    """`central(f, x, h)` is the slope of the line through f at x - h and x + h; `chosen_h` makes it exact to 1e-9."""
    tests = secants(f"choose_h {seed}" if seed else 2, 16)
    found, ended = until_raised(central, "central", tests)
    because = "the slope at x itself" if not ended and at_x_itself(found, tests) else ()
    slopes = [
        seen(
            "First `central`: this slope is not right.",
            ("slope", f.between(x - h, x + h), got),
            case=as_code("central", f, x, h),
            because=because,
        )
        for (f, x, h), got in zip(tests, found)
    ]
    yield from (*slopes, *ended)
    if ended or not all(test.is_right for test in slopes):
        return ""
    h, errors = nudge(chosen_h), []
    if h == 0:
        yield seen("`central` is right. Without a nudge nothing changes.", ("chosen_h", "not 0", h), because="h = 0")
        return ""
    for text, f, x, truth in points():
        says, case = f"`central` is right. With h = {h:g} it misses this slope by too much.", f"central(f, {x}, {h})"
        got = called(central, f, x, h, what=f"{case} with f(x) = {text}")
        errors.append(abs(got - truth) / abs(truth))
        yield seen(
            says,
            ("slope", truth, got, is_near(got, truth)),
            ("relative error", "at most 1e-9", f"{errors[-1]:.1e}", is_near(got, truth)),
            case=f"f = lambda x: {text}\n{case}",
            because=() if is_near((f(x + h) - f(x - h)) / (2 * h), truth) else size_of(h),
        )
    return f"The largest of {len(errors)} relative errors was {max(errors):.0e}, with {len(CURVES)} functions."


def is_near(got, truth):
    """Whether a slope is as exact as choose_h asks."""
    return abs(got - truth) / abs(truth) <= RELATIVE


def nudge(h):
    """A learner's nudge, if it is a finite number."""
    if isinstance(h, bool | str) or not has(type(h), "__float__"):
        raise Trouble(f"`central` is right. The nudge should be a number, such as 0.1; it is {kind(h)}.")
    with trying("chosen_h"):
        h = float(h)
    if not math.isfinite(h):
        raise Trouble(f"`central` is right. The nudge should be a finite number, such as 0.1; it is {h}.")
    return h


def size_of(h):
    """The name of what is wrong with an h that misses."""
    if abs(h) > TURN:
        return "h is too large"
    if abs(h) < 3e-16:
        return "no nudge is left"
    return "the h for a nudge one way" if 3e-9 < abs(h) < 3e-8 else "h is too small"


@functools.cache
def points(seed=1, each=3):
    """(text, f, x, slope) for each of CURVES at random points; the slope is that of dual numbers."""
    rng, made = random.Random(seed), []
    for _ in range(each):
        for text, (f, on_duals, limits) in CURVES.items():
            x = round(rng.uniform(*limits), 3)
            if abs(x) > 0.1:
                made.append((text, f, x, forward_gradient(on_duals, [x])[0]))
    return tuple(made)


# Exercise 3: how often nudging runs a function

MANY = 2_359_296  # weights of a layer with 768 inputs and 3,072 outputs


@exercise
def forward_passes(forward_passes, *, seed):
    """`forward_passes(n)` is how often nudging up runs a function of n weights to find all slopes."""
    for n in (3, 1, 2, 17, 337, *random.Random(seed or 1).sample(range(4, 400), 5)):
        got = called(forward_passes, n, what=f"forward_passes({n})")
        row = ("runs", f"{counted(n):,}", f"{got:,.10g}")
        yield seen("Counted by nudging, with a counter in the function:", row, case=f"forward_passes({n})")
    got = of_many(forward_passes)
    yield seen("Right for few weights.", ("runs", f"{MANY + 1:,}", f"{got:,.10g}"), case=f"forward_passes({MANY})")
    return f"For a layer of {MANY:,} weights that is {MANY + 1:,} runs. One backward pass gives the same slopes."


def of_many(forward_passes):
    """What it gives for very many weights; the right number where it would need long for that, or much memory."""
    try:
        return guarded(lambda: called(forward_passes, MANY, what=f"forward_passes({MANY})"), 0.3)
    except (Trouble, TimeUp):
        return MANY + 1


@functools.cache
def counted(n):
    """How often a function of n weights is run while all its slopes are found by nudging up."""
    runs = 0

    def f(weights):
        nonlocal runs
        runs += 1
        return sum(w * w for w in weights)

    weights = [i / n for i in range(n)]
    base = f(weights)
    for i in range(n):
        (f([*weights[:i], weights[i] + 1e-6, *weights[i + 1 :]]) - base) / 1e-6
    return runs
