"""The check of `sigmoid_survives`: first / last of sigmoid networks with a learner's settings of deep_pass."""

import contextlib
import math
from collections.abc import Mapping

import numpy as np

from autograd.lessons.depth import deep_pass
from autograd.tensor import quiet
from exercises.judging.vocabulary import (
    AnswerError,
    NotAttempted,
    all_right,
    exercise,
    kind,
    make_result,
    short,
    trying,
)
from figures.training.deep import LEAST, MOST, SEEDS, left, mean_gain, verdict

SETTINGS = ("init", "gain", "residual", "residual_scale")
NOT_OPEN = {"activation": "a different activation", "seed": "one seed"}
NOT_OPEN |= dict.fromkeys(("depth", "width", "batch"), "a different size")
SIGMOID_DEPTHS = (12, 20)
GIVEN = {"depth": SIGMOID_DEPTHS, "width": (32,), "activation": ("sigmoid",)}
STILL = 1e-6  # a layer whose outputs differ by less, from sample to sample, does nothing


@exercise(compares=False, determinism="own")
def sigmoid_survives(sigmoid_survives):
    """Check that settings of deep_pass keep first / last of 12 and 20 sigmoid layers within 0.1 and 10."""
    settings = settings_of(sigmoid_survives)
    if not (yield from all_right([setting(*each) for each in settings.items()])):
        return None
    found = [(depth, passes := networks(settings, depth), first_over_last(passes)) for depth in SIGMOID_DEPTHS]
    for depth, passes, ratio in found:
        only_12 = arrives(found[0][2]) and not passes[0].residual
        yield make_result(
            outcome(passes, depth, ratio),
            (
                f"first / last, geometric mean of {len(SEEDS)} seeds",
                f"{LEAST} to {MOST:g}",
                format_number(ratio),
                is_arrived(ratio),
            ),
            case=f'{written_out(settings)}\ndeep_pass("sigmoid", **settings, depth={depth}).ratio',
            because="enough for 12 layers only" if only_12 else reason(passes, ratio),
        )
    yield make_result(
        "The gradient arrives, but no layer does anything: each returns the same, whatever comes in.",
        ("what a layer returns", "depends on what comes in", "the same for every sample", moving(passes)),
        case=written_out(settings),
        because="layers that do nothing",
    )
    weights, slopes = gains(passes)
    how = (
        "the way around each layer"
        if passes[0].residual
        else f"{format_number(weights)} against {format_number(slopes)} a step"
    )
    return f"First / last is {format_number(ratio)} at {depth} layers, a mean over {len(passes)} networks: {how}."


def is_arrived(ratio):
    """Make a function that returns whether a ratio, and the text written of it, have arrived."""
    return lambda text: arrives(ratio) and arrives(float(text))


def moving(passes):
    """Make a function that returns whether layers do something, whatever text it gets."""
    moved = moves(passes)
    return lambda _: moved


def arrives(ratio):
    """Return whether a gradient has arrived, by the microscope's judgement."""
    return verdict(ratio) == "arrives"


def settings_of(given):
    """Return a learner's settings as a dict. Raise AnswerError or NotAttempted unless all of them are chosen."""
    if not isinstance(given, Mapping):
        raise AnswerError("Tested: your settings.", f"A dict of settings was expected; this is {kind(given)}.")
    if any(value is ... for value in given.values()):
        raise NotAttempted("Put a setting instead of each `...`, then run both cells again.")
    for name in (name for name, value in given.items() if value is None):
        said = f"{short(name)} is None, which is not a setting. Choose one, or leave it out."
        raise AnswerError("Tested: your settings.", said)
    return dict(given)


def setting(name, value):
    """Return the TestResult of one setting: whether it is open and of the right kind.

    deep_pass finds what else is wrong.
    """
    if name not in SETTINGS:
        why = () if any(value is one or value == one for one in GIVEN.get(name, ())) else NOT_OPEN.get(name, ())
        row = ("settings that are open", ", ".join(SETTINGS), short(name))
        return make_result(f"{short(name)} is not one of the settings that are open.", row, because=why)
    is_switch = isinstance(value, bool | np.bool_) or (isinstance(value, int) and value in (0, 1))
    fine, wanted = is_switch if name == "residual" else name == "init", "a finite number"
    if name == "residual":
        wanted = "True or False"
    elif not fine:
        with contextlib.suppress(TypeError, ValueError, OverflowError):
            fine = math.isfinite(value)
    because = "in quotes" if isinstance(value, str) else ()
    return make_result(f"{name!r} is {wanted}.", (name, wanted, short(value), fine), because=because)


def networks(settings, depth):
    """Return the DeepPasses of these settings with so many layers, for the seeds of the microscope."""
    with trying("your settings"):
        try:
            return [deep_pass("sigmoid", **settings, depth=depth, seed=seed) for seed in SEEDS]
        except (TypeError, ValueError) as fault:
            if callable(settings.get("init")):
                raise
            raise AnswerError(f"deep_pass does not take these settings: {fault}") from None


def written_out(settings):
    given = ", ".join(f"{name}={getattr(value, '__name__', repr(value))}" for name, value in settings.items())
    return f"settings = dict({given})"


@quiet
def moves(passes):
    """Return whether any layer's output depends on the sample that comes in."""
    scales = [one.residual_scale if one.residual else 1.0 for one in passes]
    return any((scale * one.activations).std(axis=1).max() > STILL for scale, one in zip(scales, passes))


def outcome(passes, depth, ratio):
    """Say what became of the gradient, and which gains it is the product of."""
    silent = sum(left(one) == 0 for one in passes)
    if silent:
        return f"With {depth} layers no gradient arrives at all in {silent} of {len(passes)} networks."
    says = f"With {depth} layers the gradient {verdict(ratio)}."
    if passes[0].residual or not math.isfinite(ratio):
        return says
    weights, slopes = gains(passes)
    each = f"{format_number(weights)}, the weights' gain, and {format_number(slopes)}, the sigmoid's"
    return f"{says} Each backward step multiplies by {each}."


def reason(passes, ratio):
    """Name the mistake behind a ratio that is out of range."""
    one, (weights, slopes) = passes[0], gains(passes)
    if one.residual:
        return "residual scale 0" if one.residual_scale == 0 else "the way around is outdone"
    if not any(one.pre_activations.any() for one in passes):
        return "all weights 0"
    if ratio > MOST:
        return "too much of it"
    if not weights >= 0.8:
        return "smaller weights" if slopes > 0.2 else "saturated"
    if weights < 1.6:
        return "nothing against the ¼"
    if 3.3 < weights < 4.5:
        return "4 against ¼"
    return "saturated" if slopes < 0.06 or weights > 15 else "not enough yet"


def first_over_last(passes):
    """Return first / last of these DeepPasses: their geometric mean, as the microscope computes it."""
    return mean_gain([left(one) for one in passes])


def gains(passes):
    """Return (the weights' gain, the activation's gain) of a step back, the mean over networks and steps."""
    return mean_gain([one.weights_gain[1:] for one in passes]), mean_gain([one.activation_gain[:-1] for one in passes])


def format_number(number):
    return f"{number:.3g}"
