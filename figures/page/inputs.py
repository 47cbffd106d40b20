"""The inputs of a lab, each declared once: its control above the stage, the check of a value, and what it may be."""

import functools
import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from autograd.errors import messages, validation
from autograd.errors.validation import positive
from figures.page.player import Control

NAMED = 12  # options that a sentence names


@dataclass(frozen=True)
class Input:
    """An input of a lab.

    check: gives a value back as the lab uses it; ValueError or TypeError with a sentence. widens: whether its slider is
    made wide enough for the value that it begins at.
    """

    control: Control
    check: Callable
    widens: bool = False

    @property
    def name(self):
        """The name that the lab's function, its docstring and the page know it by."""
        return self.control.name

    def at(self, value):
        """The Control that begins at this value."""
        value, control = self.check(value), self.control
        if not self.widens:
            return replace(control, value=value)
        reach = max(control.max, math.ceil(abs(value)))
        return replace(control, value=value, min=-reach, max=reach)


def choice(name, options, label=None, *, says=""):
    """One of some names. says: the sentence for anything else, up to what it was."""
    options = tuple(options)
    named = options if len(options) <= NAMED else (*options[:NAMED], f"{len(options) - NAMED} more")
    says = says or f"{name} is one of {', '.join(named)}"

    def check(value):
        if value not in options:
            raise ValueError(f"{says}; got {value!r}.")
        return value

    return Input(Control("choice", name, label or name, options=options), check)


def finite(name, label=None, *, reach=5, step=0.1, what=None):
    """Any finite number; its slider goes from -reach to reach, and further where it begins further."""

    def check(value):
        value = validation.real(value, what or name)
        if not math.isfinite(value):
            raise ValueError(f"{what or name} is a number on a slider, from -1.8e308 to 1.8e308; got {value}.")
        return value

    return Input(Control("range", name, label or name, min=-reach, max=reach, step=step), check, widens=True)


def bounded(name, low, high, step, label=None, *, why=""):
    """A number from low to high. why: the reason of the bounds, as the end of a sentence."""

    def check(value):
        value = validation.real(value, name)
        if not low <= value <= high:
            raise ValueError(f"{name} goes from {low} to {high}{why}; got {value}.")
        return value

    return Input(Control("range", name, label or name, min=low, max=high, step=step), check)


def above_zero(name, powers, label=None, *, step=0.1, what=None):
    """A finite number above 0; its slider goes over powers of ten, between these two."""

    def check(value):
        value = positive(value, what or name)
        if math.isinf(value):
            raise ValueError(f"{what or name} is a finite number above 0, got {value}.")
        return value

    return Input(Control("range", name, label or name, min=powers[0], max=powers[1], step=step, log=True), check)


def whole(name, low, high, label=None, *, what=None, bound=True):
    """A whole number from low to high; where `high` is no bound but the slider's end, of at least `low`."""
    words = f"from {low} to {high}" if bound else f"of at least {low}"

    def check(value):
        if isinstance(value, bool) or not hasattr(value, "__index__") or value < low or (bound and value > high):
            raise ValueError(f"{what or name} is a whole number {words}, got {value!r}.")
        return int(value)

    return Input(Control("range", name, label or name, min=low, max=high, step=1, whole=True), check)


def switch(name, label=None):
    """True or False."""

    def check(value):
        if not isinstance(value, bool):
            raise TypeError(f"{name} is True or False, got {messages.described(value)}.")
        return value

    return Input(Control("toggle", name, label or name), check)


class Inputs(tuple):
    """The inputs of a lab, in the order in which they stand above its stage."""

    def __new__(cls, *inputs):
        return super().__new__(cls, inputs)

    def controls(self, **values):
        """The Controls that begin at these values, each checked."""
        return [each.at(values[each.name]) for each in self]

    def checked(self, values):
        """The values of all inputs, {name: value}, as the lab uses them. ValueError or TypeError with a sentence."""
        return {each.name: each.check(values[each.name]) for each in self}

    def check(self, function):
        """`function`, which takes inputs by their names among others, with these checked first."""
        names = inspect.signature(function)
        more = next((each.name for each in names.parameters.values() if each.kind is each.VAR_KEYWORD), None)

        @functools.wraps(function)
        def check_first(*args, **kwargs):
            bound = names.bind(*args, **kwargs)
            bound.apply_defaults()
            given = dict(bound.arguments)
            given |= given.pop(more, {})
            return function(**given | self.checked(given))

        return check_first
