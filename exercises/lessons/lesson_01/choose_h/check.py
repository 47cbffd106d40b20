"""The check of `choose_h`."""

import functools
import math
import random

from autograd.dual import forward_gradient
from exercises.judging.answers import called, has, kind
from exercises.judging.grading import exercise
from exercises.lessons.lesson_01.shared import as_code, at_x_itself, secants, until_raised
from exercises.sandbox.guard import Trouble, trying
from exercises.verdicts.seen import seen

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
