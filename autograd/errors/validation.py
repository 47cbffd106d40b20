"""Validate numbers, lists and inputs of the engine: each function returns its argument, or raises an error."""

import numbers

from autograd.errors import messages

MOST = 1_000_000  # of what is made one by one: a layer's units
RESETS = ("intermediates", "all", "nothing")  # what a backward pass may clear first


def real(thing, user="a Value"):
    """Return `thing` as a float. Raise TypeError if it is not one real number; the message names `user`."""
    if type(thing) is float:
        return thing
    if type(thing) is not int:  # the usual two are let through at once
        thing = single(thing)
    if type(thing) in (float, int) or (isinstance(thing, numbers.Real) and not isinstance(thing, bool)):
        try:
            return float(thing)
        except OverflowError:
            raise ValueError(messages.too_large(thing, user)) from None
    raise TypeError(f"{user} needs a real number, got {messages.described(thing)}. {messages.advice(thing)}")


def single(thing):
    """Return the only element of a NumPy array or scalar of one element; anything else unchanged."""
    item = getattr(thing, "item", None)
    if not callable(item) or isinstance(thing, numbers.Number):
        return thing
    try:
        return item()
    except (ValueError, RuntimeError, TypeError):  # more than one element
        return thing


def require_list(things, what):
    """Return `things` as a list. Raise TypeError if they are something else, such as a method that was not called."""
    if isinstance(things, (str, bytes, dict)) or not hasattr(things, "__iter__"):
        advice = messages.unlisted(things, what)
        raise TypeError(f"{what} come as a list, got {messages.described(things)}. {advice}".rstrip())
    return list(things)


def nodes(things, what):
    """Return `things` as a list of Values or Tensors. Raise TypeError if one is something else."""
    things = require_list(things, what)
    for each in things:
        if not (hasattr(each, "data") and hasattr(each, "grad")):
            raise TypeError(f"{what} are Values or Tensors, got {messages.described(each)}. Pass mlp.parameters().")
    return things


def flag(thing, name):
    """Return `thing` if it is True or False; else raise TypeError."""
    if thing is not True and thing is not False:
        raise TypeError(f"{name} is True or False, got {messages.described(thing)}.")
    return thing


def function(f, user):
    """Return `f` if it can be called; else raise TypeError."""
    if not callable(f):
        raise TypeError(f"{user} takes a function, such as lambda x: x * x; got {messages.described(f)}.")
    return f


def policy(reset, hint=""):
    """Return `reset` if it is one of RESETS; else raise ValueError, with a hint at its end."""
    if not isinstance(reset, str) or reset not in RESETS:
        raise ValueError(f'reset is "intermediates", "all" or "nothing", got {reset!r}.{hint}')
    return reset


def seed(number):
    """Return `number` if it is a seed that NumPy takes, 0 to 2³² - 1; else raise ValueError."""
    if isinstance(number, bool) or not isinstance(number, numbers.Integral) or not 0 <= number < 2**32:
        raise ValueError(f"a seed is a whole number from 0 to 4294967295, got {messages.described(number)}.")
    return number


def positive(x, name):
    """Return `x` as a float; raise ValueError unless it is above 0."""
    x = real(x, name)
    if not x > 0:
        raise ValueError(f"{name} is a number above 0, got {x!r}.")
    return x


def fraction(x, name):
    """Return `x` as a float; raise ValueError unless 0 ≤ x < 1."""
    x = real(x, name)
    if not 0 <= x < 1:
        raise ValueError(f"{name} is at least 0 and below 1, got {x!r}.")
    return x


def size(n, what):
    """Return `n` if it is a whole number from 1 to MOST; else raise ValueError."""
    if isinstance(n, bool) or not isinstance(n, numbers.Integral) or n < 1:
        raise ValueError(f"{what} is a whole number of at least 1, got {n!r}.")
    if n > MOST:
        raise ValueError(f"{what} is at most {MOST:,}, got a number of {len(str(n))} digits.")
    return n.__index__()
