"""The engine's messages: numbers, things and errors in words."""

import math
import numbers

ADVICE = {
    "bool": "Write 1.0 or 0.0 if you mean a number.",
    "str": "Convert it first, as in float('3').",
    "bytes": "Convert it first, as in float('3').",
    "NoneType": "A function without a return statement returns None. Is a return missing?",
    "complex": "This engine works with real numbers: pass the real part, or the absolute value.",
    "list": "Make one Value for each number: [Value(x) for x in numbers].",
    "tuple": "Make one Value for each number: [Value(x) for x in numbers].",
    "ndarray": "Make one Value for each number: [Value(x) for x in array].",
    "Tensor": "Make one Value for each number: [Value(x) for x in tensor.data.tolist()].",
    "Value": "It is a Value already: use it directly, or Value(v.data) for a new leaf with the same number.",
}


def unlisted(thing, what):
    """Return advice for a `thing` that should have been a list of `what`."""
    if callable(thing) and hasattr(thing, "__name__"):
        return f"Call it, with parentheses: {thing.__name__}()."
    if hasattr(thing, "parameters"):
        return (
            "Pass its parameters()."
            if what.endswith("parameters")
            else "Call it with inputs, and pass what it returns."
        )
    if isinstance(thing, numbers.Number) or hasattr(thing, "data"):
        return "Put a single one in a list: [x]."
    return ADVICE["NoneType"] if thing is None else ""


def no_node(thing):
    """Return a TypeError for something that is not a node of a graph."""
    advice = f" {ADVICE['NoneType']}" if thing is None else ""
    return TypeError(f"the root of a graph is a Value, the last one computed; got {described(thing)}.{advice}")


def described(thing):
    """Describe `thing` in a few words: 'the str 'hello'', 'a list of 3', 'an ndarray of shape (2,)'."""
    kind = type(thing).__name__
    article = "an" if kind[0].lower() in "aeiou" or kind in ("ndarray", "MLP") else "a"
    if thing is None:
        return "None"
    if getattr(thing, "shape", ()):
        return f"{article} {kind} of shape {tuple(thing.shape)}"
    if isinstance(thing, (list, tuple, set, dict)):
        return f"{article} {kind} of {len(thing)}"
    if isinstance(thing, (bool, str, bytes, complex)):
        text = repr(thing)
        return f"the {kind} {text if len(text) <= 40 else text[:37] + '...'}"
    return f"{article} {kind}"


def advice(thing):
    """Return what to do instead of passing `thing`."""
    if type(thing).__name__ == "Value" and type(thing).__module__ != "autograd.value":
        return "It is a Value of another engine: pass its number, value.data."
    kinds = (kind.__name__ for kind in type(thing).__mro__)
    return next((ADVICE[kind] for kind in kinds if kind in ADVICE), "Pass an int or a float.")


def named(value):
    """Return a Value for a message: its label, if it has one, and its number."""
    return f"{value.label} = {value.data!r}" if value.label else repr(value.data)


def outside(op, value, needs):
    """Return a ValueError for a number outside an op's domain."""
    return ValueError(f"{op} of {named(value)}: {op} needs {needs}.")


def zero_division(dividend, divisor):
    """Return a ZeroDivisionError for `dividend / divisor` with divisor 0."""
    return ZeroDivisionError(f"({named(dividend)}) / ({named(divisor)}): division by 0 has no value.")


def zero_power(base, exponent):
    """Return a ZeroDivisionError for 0 to a negative power."""
    return ZeroDivisionError(f"({named(base)}) ** {exponent!r}: 0 to a negative power is a division by 0.")


def fractional_power(base, exponent):
    """Return a ValueError for a negative number to a power that is not whole."""
    return ValueError(f"({named(base)}) ** {exponent!r}: a negative number needs a whole exponent.")


def too_large(integer, user):
    """Return the message for an int that no float can hold."""
    return (
        f"{user} holds a float, and an int of {len(str(abs(integer)))} digits is too large for one "
        "(the largest is about 1.8e308)."
    )


def show(x):
    """Return a number as the course prints it: four decimals, or 1.234e-08 if four decimals would hide it."""
    if x == 0 or not math.isfinite(x):
        return f"{x + 0.0:.4f}"  # + 0.0 turns -0.0 into 0.0
    return f"{x:.4f}" if 5e-5 <= abs(x) < 1e6 else f"{x:.3e}"
