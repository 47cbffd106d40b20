"""The messages of `Tensor`: an array in words, and an op's error with the first number that is wrong."""

import numpy as np

from autograd.errors import messages
from autograd.value import Value


def outside(op, tensor, bad, needs):
    """Return a ValueError for numbers outside an op's domain, naming the first for which `bad` is True."""
    x = np.broadcast_to(tensor.data, bad.shape)
    return messages.outside(op, entry(x, first(bad), tensor.label), needs)


def zero_division(dividend, divisor):
    """Return a ZeroDivisionError for `dividend / divisor` with a 0 in the divisor."""
    x, y = np.broadcast_arrays(dividend.data, divisor.data)
    place = first(y == 0)
    return messages.zero_division(entry(x, place, dividend.label), entry(y, place, divisor.label))


def zero_power(base, exponent):
    """Return a ZeroDivisionError for 0 to a negative power."""
    return messages.zero_power(entry(base.data, first(base.data == 0), base.label), exponent)


def fractional_power(base, exponent):
    """Return a ValueError for a negative number to a power that is not whole."""
    return messages.fractional_power(entry(base.data, first(base.data < 0), base.label), exponent)


def first(bad):
    """Return the index of the first True."""
    return np.unravel_index(np.argmax(bad), np.shape(bad))


def entry(array, place, label=""):
    """Return one number of an array as a Value, whose label shows its place: 'x[0, 2]', 'entry [0, 2]'."""
    if not place:
        return Value(array[place], label=label)
    return Value(array[place], label=f"{label or 'entry '}[{', '.join(map(str, place))}]")


def array_text(array):
    """Return an array as the course prints it: four decimals, one row per line, … in the middle of a long one."""
    return np.array2string(np.asarray(array), separator=", ", threshold=20, formatter={"float_kind": messages.show})
