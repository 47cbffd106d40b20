"""What the engine accepts as a number, a list or an input: each function returns it, or raises a sentence."""

import numbers

from autograd import messages


def checked(data, prev):
    """A new Value's number and inputs, where it was not an op that made it. Only an op's node has inputs."""
    if prev:
        raise ValueError(
            "a Value with inputs needs the local derivative for each of them: _local=(…). "
            f"Got {messages.described(prev)} alone. For a name write label=…"
        )
    return real(data), ()


def real(thing, user="a Value"):
    """`thing` as a float. TypeError if it is not one real number; `user` says who wanted one."""
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
    """The only element of a NumPy array or scalar of one element; anything else as it is."""
    item = getattr(thing, "item", None)
    if not callable(item) or isinstance(thing, numbers.Number):
        return thing
    try:
        return item()
    except (ValueError, RuntimeError, TypeError):  # more than one element
        return thing


def listed(things, what):
    """`things` as a list. TypeError where they are something else, such as a method that was not called."""
    if isinstance(things, (str, bytes, dict)) or not hasattr(things, "__iter__"):
        advice = messages.unlisted(things, what)
        raise TypeError(f"{what} come as a list, got {messages.described(things)}. {advice}".rstrip())
    return list(things)


def positive(x, name):
    """`x` as a float; ValueError unless it is above 0."""
    x = real(x, name)
    if not x > 0:
        raise ValueError(f"{name} is a number above 0, got {x!r}.")
    return x


def fraction(x, name):
    """`x` as a float; ValueError unless 0 ≤ x < 1."""
    x = real(x, name)
    if not 0 <= x < 1:
        raise ValueError(f"{name} is at least 0 and below 1, got {x!r}.")
    return x


def size(n, what):
    """`n` if it is a whole number of at least 1."""
    if isinstance(n, bool) or not hasattr(n, "__index__") or n < 1:
        raise ValueError(f"{what} is a whole number of at least 1, got {n!r}.")
    return n.__index__()
