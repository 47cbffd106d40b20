"""Checks of lesson 01: the slope of a secant, a nudge of a good size, and how often nudging runs a function."""

import functools
import math
import random
from dataclasses import dataclass

from autograd.dual import forward_gradient
from exercises.cases import same
from exercises.grading import called, exercise, kind, wrong
from exercises.verdict import Mistake

CHANGE = "Change one number, watch another"
SECANT = "Secant and tangent"
BOTH = "Nudge both ways"
SMALL = "Too small is wrong too"
COST = "What nudging costs"
BREAK = "Break it: nudge and not put back"

RELATIVE = 1e-9  # the error that choose_h asks for, as a share of the slope
TURN = 5e-6  # about where a central difference is best: above it bending makes most of the error, below it rounding


def about(name, sentence, section):
    """A Mistake that lesson 01 treats."""
    return Mistake(name, sentence, "01", section)


def named(slips, answers, arguments, failing):
    """The Mistakes that give all these answers; if none does, those that give the failing one. At most two."""
    everywhere = [
        mistake
        for mistake, slip in slips
        if all(gives(slip, given, found) for given, found in zip(arguments, answers, strict=True))
    ]
    here = [mistake for mistake, slip in slips if gives(slip, arguments[failing], answers[failing])]
    return (everywhere or here)[:2]


def gives(slip, arguments, answer):
    """Whether a mistake's function gives this answer."""
    try:
        return same(answer, slip(*arguments))
    except ArithmeticError:
        return False


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
    """(f, x, h) for random polynomials f of degree 2 or 3 at whole and other numbers; a simple one comes first."""
    rng = random.Random(seed)
    made = [(Polynomial((0, 0, 1)), 3, 0.5)]
    while len(made) < count:
        coefficients = (*(rng.randint(-3, 3) for _ in range(2)), rng.choice((-2, -1, 1, 2)), rng.randint(-1, 1))
        x = rng.choice((rng.randint(-3, 3), rng.randint(-12, 12) / 4, round(rng.uniform(-3, 3), 4)))
        h = rng.choice((2, 0.5, 0.25, 0.1, 0.01, -0.5))
        if x and x + h:  # so that who divides by one of these gets a wrong number, and not an exception
            made.append((Polynomial(coefficients), x, h))
    return tuple(made)


SLOPE_SLIPS = (
    (
        about(
            "not divided by h", "That is how much f changed. A slope is change for each unit of x: divide by h.", CHANGE
        ),
        lambda f, x, h: f(x + h) - f(x),
    ),
    (
        about("multiplied by h", "The change of f is divided by the nudge, not multiplied by it.", CHANGE),
        lambda f, x, h: (f(x + h) - f(x)) * h,
    ),
    (
        about("brackets missing", "Python divides before it subtracts, so only f(x) was divided by h.", CHANGE),
        lambda f, x, h: f(x + h) - f(x) / h,
    ),
    (
        about("the wrong way round", "f rises if f(x + h) is the larger one. Take the old value from the new.", CHANGE),
        lambda f, x, h: (f(x) - f(x + h)) / h,
    ),
    (
        about("nothing subtracted", "That is the whole of f(x + h) over h. Only its change since f(x) counts.", CHANGE),
        lambda f, x, h: f(x + h) / h,
    ),
    (
        about("divided by x", "The change of f belongs to a change of x by h, so h is what it is divided by.", CHANGE),
        lambda f, x, h: (f(x + h) - f(x)) / x,
    ),
    (
        about("divided by x + h", "x moved by h, not by x + h. Divide by how far it moved.", CHANGE),
        lambda f, x, h: (f(x + h) - f(x)) / (x + h),
    ),
    (
        about("the output nudged", "f(x) + h moves the answer itself. The nudge goes into f: f(x + h).", CHANGE),
        lambda f, x, h: (f(x) + h - f(x)) / h,
    ),
    (
        about("nudged down", "That is the line to the left, through x - h and x. It is asked for x and x + h.", SECANT),
        lambda f, x, h: (f(x) - f(x - h)) / h,
    ),
    (
        about("nudged both ways", "That is a fine slope, through x - h and x + h. It is asked for x and x + h.", BOTH),
        lambda f, x, h: (f(x + h) - f(x - h)) / (2 * h),
    ),
    (
        about("nudged both ways, divided by h", "From x - h to x + h is 2h. And it is asked for x and x + h.", BOTH),
        lambda f, x, h: (f(x + h) - f(x - h)) / h,
    ),
    (
        about("divided with //", "// rounds down to a whole number. A slope needs /.", CHANGE),
        lambda f, x, h: (f(x + h) - f(x)) // h,
    ),
)
OWN_H = about(
    "an h of its own", "That is the slope at x itself, as a tiny nudge gives it. Use the h that is given.", SECANT
)
ROUNDED = about(
    "rounded", "Return the number as it is. A picture may round; a number that is used again may not.", CHANGE
)


@exercise
def slope(slope):
    """`slope(f, x, h)` is the slope of the line through f at x and at x + h."""
    tests = secants()
    right = [f.between(x, x + h) for f, x, h in tests]
    found = [called(slope, *test, what=asked("slope", *test)) for test in tests]
    failing = next((i for i, (one, other) in enumerate(zip(found, right)) if not same(one, other)), None)
    if failing is None:
        return f"Right for {len(tests)} functions, rising and falling, and for a negative h too."
    f, x, h = tests[failing]
    known = named(SLOPE_SLIPS, found, tests, failing)
    if all(abs(one - f.derivative(x)) <= 0.05 for one, (f, x, h) in zip(found, tests)):
        known = [OWN_H]
    elif any(all(rounded(one, other, digits) for one, other in zip(found, right)) for digits in range(7)):
        known = [ROUNDED]
    return wrong(
        f"This slope is not right (test {failing + 1} of {len(tests)}).",
        case=as_code("slope", f, x, h),
        rows=[("slope", right[failing], found[failing])],
        mistakes=known,
    )


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

CENTRAL_SLIPS = (
    (
        about("nudged up only", "That is the line through x and x + h. Nudge down as well: x - h and x + h.", BOTH),
        lambda f, x, h: (f(x + h) - f(x)) / h,
    ),
    (
        about("nudged down only", "That is the line through x - h and x. Nudge up as well: x - h and x + h.", BOTH),
        lambda f, x, h: (f(x) - f(x - h)) / h,
    ),
    (
        about("divided by h", "From x - h to x + h is 2h, so that is twice the slope.", BOTH),
        lambda f, x, h: (f(x + h) - f(x - h)) / h,
    ),
    (
        about(
            "/ 2 * h", "Python works from left to right: that divides by 2 and multiplies by h. Write / (2 * h).", BOTH
        ),
        lambda f, x, h: (f(x + h) - f(x - h)) / 2 * h,
    ),
    (
        about("brackets missing", "Python divides before it subtracts, so only f(x - h) was divided.", BOTH),
        lambda f, x, h: f(x + h) - f(x - h) / (2 * h),
    ),
    (
        about("the wrong way round", "Take the value on the left, f(x - h), from that on the right, f(x + h).", BOTH),
        lambda f, x, h: (f(x - h) - f(x + h)) / (2 * h),
    ),
    (
        about(
            "not divided", "That is how much f changed on the way from x - h to x + h. Divide by that way, 2h.", BOTH
        ),
        lambda f, x, h: f(x + h) - f(x - h),
    ),
    (
        about("added", "That adds the two values. A slope comes from their difference.", BOTH),
        lambda f, x, h: (f(x + h) + f(x - h)) / (2 * h),
    ),
)
OWN_TINY_H = about(
    "an h of its own", "That is the slope at x itself. Use the h that is given: you choose it below.", BOTH
)

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

TOO_LARGE = about(
    "h is too large",
    "f bends between x - h and x + h. An h ten times smaller makes this error a hundred times smaller.",
    BOTH,
)
TOO_SMALL = about(
    "h is too small",
    "f(x + h) and f(x - h) agree in most of their 16 digits, so few are left in the difference.",
    SMALL,
)
ONE_SIDED = about(
    "the h for a nudge one way",
    "About 1e-8 is best if you nudge up only. Bending harms a central difference less, so its h may be larger.",
    SMALL,
)
NOTHING_LEFT = about(
    "no nudge is left", "This h is so small that x + h is x itself in floating point, or nearly so.", SMALL
)
ZERO = about("h = 0", "Without a nudge nothing changes, and 0 / 0 is no slope.", SMALL)


@exercise
def choose_h(central, h):
    """`central(f, x, h)` is the slope of the line through f at x - h and x + h, and `h` makes it exact to 1e-9."""
    fault = wrong_central(central)
    if fault is not None:
        return fault
    if isinstance(h, bool) or not isinstance(h, int | float):
        return wrong(f"`central` is right. The nudge should be a number, such as 0.1; it is {kind(h)}.")
    h = float(h)
    if not math.isfinite(h):
        return wrong(f"`central` is right. The nudge should be a finite number, such as 0.1; it is {h}.")
    if h == 0:
        return wrong("`central` is right.", case="central(f, x, 0)", mistakes=[ZERO])
    tests = points()
    found = [called(central, f, x, h, what=f"central(f, {x}, {h}) with f(x) = {text}") for text, f, x, _ in tests]
    errors = [abs(one - truth) / abs(truth) for one, (*_, truth) in zip(found, tests)]
    missed = [i for i, error in enumerate(errors) if not error <= RELATIVE]
    if not missed:
        return f"The largest of {len(tests)} relative errors was {max(errors):.0e}, with {len(CURVES)} functions."
    text, _, x, truth = tests[missed[0]]
    return wrong(
        f"`central` is right. With h = {h:g} it misses {len(missed)} of {len(tests)} slopes by too much. The first:",
        case=f"f = lambda x: {text}\ncentral(f, {x}, {h})",
        rows=[("slope", truth, found[missed[0]]), ("relative error", "at most 1e-9", f"{errors[missed[0]]:.1e}")],
        mistakes=[size_of(h)],
    )


def size_of(h):
    """What is wrong with an h that misses."""
    if abs(h) > TURN:
        return TOO_LARGE
    if abs(h) < 3e-16:
        return NOTHING_LEFT
    return ONE_SIDED if 3e-9 < abs(h) < 3e-8 else TOO_SMALL


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


def wrong_central(central):
    """What is wrong with a central difference, on polynomials and with nudges that are not tiny; None if nothing is."""
    tests = secants(2, 16)
    right = [f.between(x - h, x + h) for f, x, h in tests]
    found = [called(central, *test, what=asked("central", *test)) for test in tests]
    failing = next((i for i, (one, other) in enumerate(zip(found, right)) if not same(one, other)), None)
    if failing is None:
        return None
    f, x, h = tests[failing]
    known = named(CENTRAL_SLIPS, found, tests, failing)
    if all(abs(one - f.derivative(x)) <= 0.05 for one, (f, x, h) in zip(found, tests)):
        known = [OWN_TINY_H]
    return wrong(
        f"First `central`: this slope is not right (test {failing + 1} of {len(tests)}).",
        case=as_code("central", f, x, h),
        rows=[("slope", right[failing], found[failing])],
        mistakes=known,
    )


# Exercise 3: how often nudging runs a function

MANY = 2_359_296  # weights of a layer with 768 inputs and 3,072 outputs

COUNT_SLIPS = (
    (
        about(
            "the first run left out", "Each slope compares with the run before any nudge. That run counts too.", COST
        ),
        lambda n: n,
    ),
    (
        about("two runs a weight", "The run without a nudge is the same for all weights, so it is needed once.", COST),
        lambda n: 2 * n,
    ),
    (
        about(
            "two nudges a weight",
            "That nudges each weight up and down, and runs once without. Up alone is asked.",
            COST,
        ),
        lambda n: 2 * n + 1,
    ),
    (
        about("all at once", "Two runs give one number for all weights together, not a slope for each.", BREAK),
        lambda n: 2,
    ),
    (
        about(
            "a backward pass",
            "One pass for all is what a backward pass does. Nudging needs a run for each weight.",
            COST,
        ),
        lambda n: 1,
    ),
    (
        about("every pair", "Each weight is nudged alone. No two have to be nudged together.", COST),
        lambda n: n * n,
    ),
    (
        about("every combination", "Each weight is nudged alone, the others standing still: no combinations.", COST),
        lambda n: 2.0**n,
    ),
    (
        about("one too few", "Count for n = 1: one run without a nudge, one with it.", COST),
        lambda n: n - 1,
    ),
)


@exercise
def forward_passes(forward_passes):
    """`forward_passes(n)` is how often nudging up runs a function of n weights to find all slopes."""
    tests = [3, 1, 2, 17, 337, *random.Random(1).sample(range(4, 400), 5)]
    right = [counted(n) for n in tests]
    found = [called(forward_passes, n, what=f"forward_passes({n})") for n in tests]
    failing = next((i for i, (one, other) in enumerate(zip(found, right)) if one != other), None)
    if failing is None:
        many = called(forward_passes, MANY, what=f"forward_passes({MANY})")
        if many == MANY + 1:
            return (
                f"For a layer of {MANY:,} weights that is {MANY + 1:,} runs. One backward pass gives the same slopes."
            )
        return wrong(
            "Right for few weights.", case=f"forward_passes({MANY})", rows=[("runs", f"{MANY + 1:,}", f"{many:,.10g}")]
        )
    n = tests[failing]
    return wrong(
        "Counted by nudging, with a counter in the function:",
        case=f"forward_passes({n})",
        rows=[("runs", f"{right[failing]:,}", f"{found[failing]:,.10g}")],
        mistakes=named(COUNT_SLIPS, found, [(n,) for n in tests], failing),
    )


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
