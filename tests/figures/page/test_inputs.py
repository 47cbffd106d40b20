"""Inputs: one declaration gives the control, the check with its sentence, and the name that a docstring explains."""

import inspect
import math
import re

import pytest

import figures
from figures.page.inputs import Inputs, above_zero, bounded, choice, finite, switch, whole
from figures.page.player import Control

INPUTS = Inputs(
    choice("way", ("up", "down"), "which way"),
    finite("b", reach=10, step=0.5),
    bounded("x", -2, 2, 0.1, why=" here"),
    above_zero("lr", (-3, 0), "learning rate", what="the learning rate"),
    whole("k", 0, 6),
    whole("seed", 0, 30, what="the seed", bound=False),
    switch("on", "shown"),
)
GOOD = {"way": "up", "b": 1, "x": 0.5, "lr": 1, "k": 2, "seed": 99, "on": True}


def test_inputs_become_controls_with_checked_defaults():
    assert INPUTS.controls(**GOOD) == [
        Control("choice", "way", "which way", "up", options=("up", "down")),
        Control("range", "b", "b", 1.0, min=-10, max=10, step=0.5),
        Control("range", "x", "x", 0.5, min=-2, max=2, step=0.1),
        Control("range", "lr", "learning rate", 1.0, min=-3, max=0, step=0.1, log=True),
        Control("range", "k", "k", 2, min=0, max=6, step=1, whole=True),
        Control("range", "seed", "seed", 99, min=0, max=30, step=1, whole=True),
        Control("toggle", "on", "shown", True),
    ]
    wide = finite("b", reach=10).control_at(-12.5)
    assert (wide.min, wide.max, wide.value) == (-13, 13, -12.5)
    checked = INPUTS.checked(GOOD)
    assert checked == GOOD and [type(checked[name]) for name in ("b", "lr", "k")] == [float, float, int]


@pytest.mark.parametrize(
    ("name", "value", "fault", "sentence"),
    [
        ("way", "left", ValueError, "way is one of up, down; got 'left'."),
        ("way", ["up"], ValueError, "way is one of up, down; got ['up']."),
        ("b", math.nan, ValueError, "b is a number on a slider, from -1.8e308 to 1.8e308; got nan."),
        ("b", "1", TypeError, "b needs a real number, got the str '1'."),
        ("x", 3, ValueError, "x goes from -2 to 2 here; got 3.0."),
        ("x", math.nan, ValueError, "x goes from -2 to 2 here; got nan."),
        ("lr", 0, ValueError, "the learning rate is a number above 0, got 0.0."),
        ("lr", math.inf, ValueError, "the learning rate is a finite number above 0, got inf."),
        *(("k", k, ValueError, f"k is a whole number from 0 to 6, got {k}.") for k in (7, 1.5, True)),
        ("seed", -1, ValueError, "the seed is a whole number of at least 0, got -1."),
        ("on", 1, TypeError, "on is True or False, got an int"),
    ],
)
def test_invalid_value_gets_the_same_message_everywhere(name, value, fault, sentence):
    @INPUTS.check
    def record(way, b, x, lr, k, seed, on=True, **more):
        raise AssertionError("not reached")

    for ask in (INPUTS.checked, lambda values: INPUTS.controls(**values), lambda values: record(**values)):
        with pytest.raises(fault, match=f"^{re.escape(sentence)}"):
            ask(GOOD | {name: value})


def test_decorated_function_gets_checked_values():
    @Inputs(whole("k", 0, 6), finite("b")).check
    def record(k, title="t", **numbers):
        return k, title, numbers

    assert record(3, b=1) == (3, "t", {"b": 1.0})
    assert record(k=3, b=1, title="u", c="c") == (3, "u", {"b": 1.0, "c": "c"})


def test_lab_docstrings_name_their_inputs():
    known = {name: getattr(vars(figures.labs).get(name), "INPUTS", None) for name in vars(figures)}
    inputs = {name: found for name, found in known.items() if isinstance(found, Inputs)}
    assert len(inputs) > 10
    for name, found in inputs.items():
        lab = getattr(figures, name)
        arguments = {each.name for each in found} & set(inspect.signature(lab).parameters)
        assert arguments and arguments <= set(re.findall(r"\w+", lab.__doc__)), name


def test_long_option_lists_are_abbreviated_to_twelve():
    names = [f"n{i}" for i in range(14)]
    for shown, end in ((12, "n10, n11"), (13, "n10, n11, 1 more"), (14, "n10, n11, 2 more")):
        with pytest.raises(ValueError, match=f"^way is one of n0, n1, .*{end}; got 'no'.$"):
            choice("way", names[:shown]).check("no")
