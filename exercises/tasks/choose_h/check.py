"""The check of `choose_h`: a central difference for random polynomials, and its error on curves with that nudge."""

import functools
import math
import random
from types import SimpleNamespace

from autograd.dual import Dual, forward_gradient
from exercises.judging.vocabulary import AnswerError, all_right, called, exercise, has, kind, make_result, trying
from exercises.tasks.shared.slopes import secants, slopes

RELATIVE = 1e-9  # the error that choose_h asks for, as a share of the slope
TURN = 5e-6  # about where a central difference is best: above it bending makes most of the error, below it rounding
CURVES = {  # {a function as Python: the range of x}
    **{"math.tanh(x)**2": (0.4, 1.2), "math.sin(x)": (-1.0, 1.0), "math.exp(x)": (-2.0, 2.0), "x**3": (0.7, 2.0)},
    **{"1 / x": (0.7, 2.0), "math.tanh(x)": (-1.0, 1.0), "1 / (1 + math.exp(-x))": (-1.5, 1.5)},
    "x**2 - x**4": (0.8, 1.5),
}


@exercise
def choose_h(central, chosen_h, *, seed):
    """`central(f, x, h)` is the slope of the line through f at x - h and x + h; `chosen_h` makes it exact to 1e-9."""
    tests = secants(f"choose_h {seed}" if seed else 2, 16)
    right, says = [f.between(x - h, x + h) for f, x, h in tests], "First `central`: this slope is wrong."
    if not (yield from all_right(slopes("central", central, tests, right, says))):
        return ""
    h, errors = nudge(chosen_h), []
    if h == 0:
        yield make_result(
            "`central` is right. Without a nudge nothing changes.", ("chosen_h", "not 0", h), because="h = 0"
        )
        return ""
    for text, f, x, truth in points():
        says, case = f"`central` is right. With h = {h:g} this slope is too inaccurate.", f"central(f, {x}, {h})"
        got = called(central, f, x, h, what=f"{case} with f(x) = {text}")
        errors.append(abs(got - truth) / abs(truth))
        yield make_result(
            says,
            ("slope", truth, got, functools.partial(is_near, truth=truth)),
            ("relative error", "at most 1e-9", f"{errors[-1]:.1e}", lambda error: float(error) <= RELATIVE),
            case=f"f = lambda x: {text}\n{case}",
            because=() if is_near((f(x + h) - f(x - h)) / (2 * h), truth) else size_of(h),
        )
    return f"The largest of {len(errors)} relative errors was {max(errors):.0e}, with {len(CURVES)} functions."


def is_near(got, truth):
    """Return whether a slope is as exact as choose_h asks."""
    return abs(got - truth) / abs(truth) <= RELATIVE


def nudge(h):
    """Return a learner's nudge as a float. Raise AnswerError unless it is a finite number."""
    if isinstance(h, bool | str) or not has(type(h), "__float__"):
        raise AnswerError(f"`central` is right. The nudge should be a number, such as 0.1; it is {kind(h)}.")
    with trying("chosen_h"):
        h = float(h)
    if not math.isfinite(h):
        raise AnswerError(f"`central` is right. The nudge should be a finite number, such as 0.1; it is {h}.")
    return h


def size_of(h):
    """Name what is wrong with an h that misses."""
    if abs(h) > TURN:
        return "h is too large"
    if abs(h) < 3e-16:
        return "no nudge is left"
    return "the h for a nudge one way" if 3e-9 < abs(h) < 3e-8 else "h is too small"


@functools.cache
def points(seed=1, each=3):
    """Return (text, f, x, slope) for each of CURVES at random points; the slope is that of dual numbers."""
    rng, made = random.Random(seed), []
    on_duals = SimpleNamespace(tanh=Dual.tanh, sin=Dual.sin, exp=Dual.exp)
    for text, limits in [*CURVES.items()] * each:
        f, f_of_duals = (eval(f"lambda x: {text}", {"math": functions}) for functions in (math, on_duals))
        if abs(x := round(rng.uniform(*limits), 3)) > 0.1:
            made.append((text, f, x, forward_gradient(f_of_duals, [x])[0]))
    return tuple(made)
