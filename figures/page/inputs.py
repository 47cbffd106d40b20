"""The inputs of a lab, each declared once: its control above the stage, and the check of its value."""

import functools
import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from autograd.errors import messages, validation
from autograd.errors.validation import positive
from figures.page.player import Control

NAMED = 12  # the most options that a sentence names


@dataclass(frozen=True)
class Input:
    """An input of a lab.

    check: returns a value as the lab uses it, or raises ValueError or TypeError with a sentence. widens: whether its
    slider widens to hold the value that it begins at.
    """

    control: Control
    check: Callable
    widens: bool = False

    @property
    def name(self):
        """The input's name in the lab's function, its docstring and the page."""
        return self.control.name

    def control_at(self, value):
        """Return the Control that begins at this value."""
        value, control = self.check(value), self.control
        if not self.widens:
            return replace(control, value=value)
        reach = max(control.max, math.ceil(abs(value)))
        return replace(control, value=value, min=-reach, max=reach)


def choice(name, options, label=None, *, says=""):
    """Return an Input for one of some names. says: the sentence for anything else, without what it got."""
    options = tuple(options)
    named = options if len(options) <= NAMED else (*options[:NAMED], f"{len(options) - NAMED} more")
    says = says or f"{name} is one of {', '.join(named)}"

    def check(value):
        if value not in options:
            raise ValueError(f"{says}; got {value!r}.")
        return value

    return Input(Control("choice", name, label or name, options=options), check)


def finite(name, label=None, *, reach=5, step=0.1, what=None):
    """Return an Input for any finite number; its slider goes from -reach to reach, or as far as its first value."""

    def check(value):
        value = validation.real(value, what or name)
        if not math.isfinite(value):
            raise ValueError(f"{what or name} is a number on a slider, from -1.8e308 to 1.8e308; got {value}.")
        return value

    return Input(Control("range", name, label or name, min=-reach, max=reach, step=step), check, widens=True)


def bounded(name, low, high, step, label=None, *, why=""):
    """Return an Input for a number from low to high. why: the reason of the bounds, as the end of a sentence."""

    def check(value):
        value = validation.real(value, name)
        if not low <= value <= high:
            raise ValueError(f"{name} goes from {low} to {high}{why}; got {value}.")
        return value

    return Input(Control("range", name, label or name, min=low, max=high, step=step), check)


def above_zero(name, powers, label=None, *, step=0.1, what=None):
    """Return an Input for a finite number above 0; its slider covers powers of ten between these two."""

    def check(value):
        value = positive(value, what or name)
        if math.isinf(value):
            raise ValueError(f"{what or name} is a finite number above 0, got {value}.")
        return value

    return Input(Control("range", name, label or name, min=powers[0], max=powers[1], step=step, log=True), check)


def whole(name, low, high, label=None, *, what=None, bound=True):
    """Return an Input for a whole number from low to high; without `bound`, `high` is only the end of the slider."""
    words = f"from {low} to {high}" if bound else f"of at least {low}"

    def check(value):
        if isinstance(value, bool) or not hasattr(value, "__index__") or value < low or (bound and value > high):
            raise ValueError(f"{what or name} is a whole number {words}, got {value!r}.")
        return int(value)

    return Input(Control("range", name, label or name, min=low, max=high, step=1, whole=True), check)


def switch(name, label=None):
    """Return an Input for True or False."""

    def check(value):
        if not isinstance(value, bool):
            raise TypeError(f"{name} is True or False, got {messages.described(value)}.")
        return value

    return Input(Control("toggle", name, label or name), check)


class Inputs(tuple):
    """The inputs of a lab, in their order above its stage."""

    def __new__(cls, *inputs):
        return super().__new__(cls, inputs)

    def controls(self, **values):
        """Return the Controls that begin at these values, each checked."""
        return [each.control_at(values[each.name]) for each in self]

    def checked(self, values):
        """Return all inputs' values, {name: value}, as the lab uses them; raise ValueError or TypeError if invalid."""
        return {each.name: each.check(values[each.name]) for each in self}

    def check(self, function):
        """Wrap `function`, which takes these inputs by name among other arguments, to check them first."""
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
