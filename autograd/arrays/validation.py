"""Validate the numbers, shapes and targets given to a Tensor: each function returns them, or raises an error."""

import numpy as np

from autograd.arrays.messages import entry, first
from autograd.errors import messages, validation
from autograd.value import Value


def checked(data, prev):
    """Return a new leaf's numbers. Raise ValueError if it has inputs: only an op's node has them."""
    if prev:
        raise ValueError(
            "a Tensor with inputs needs a vector-Jacobian product for each of them: _vjps=(…). "
            f"Got {messages.described(prev)} alone. For a name write label=…"
        )
    return numbers(data)


def numbers(data, user="a Tensor"):
    """Return `data` (a number, nested lists, an array) as a new float64 array; error messages name `user`."""
    if hasattr(data, "_vjps"):
        raise TypeError(f"{user} needs numbers, got a Tensor: use it directly, or tensor.data for its array.")
    try:
        array = np.array(data)
    except ValueError as error:
        raise ValueError(f"{user} needs rows of one length, got {messages.described(data)}: {error}") from None
    if array.dtype.kind in "fiu":
        return array.astype(float, copy=False)
    objects = np.array(data, dtype=object)  # something else: the first thing that is not a number is named
    return np.array([one_number(thing, user) for thing in objects.flat], dtype=float).reshape(objects.shape)


def filled(grad, shape):
    """Return `grad` as an array of `shape`; one number fills it. Raise ValueError for any other shape."""
    array = numbers(grad, "grad")
    if array.shape != shape and array.size != 1:
        raise ValueError(f"grad of shape {array.shape} for a Tensor of shape {shape}.")
    return array if array.shape == shape else np.full(shape, array.item())


def one_number(thing, user):
    """Return `thing` as a float. Raise TypeError if it is not one real number."""
    if isinstance(thing, Value):
        raise TypeError(f"{user} needs numbers, got a Value: pass value.data, in a list [v.data for v in values].")
    return validation.real(thing, user)


def no_array(tensor, *args, **options):
    """Refuse NumPy's request for a plain array."""
    raise TypeError(
        "NumPy's functions would lose a Tensor's graph. Write tensor.exp(), not np.exp(tensor); "
        "tensor.data is the plain array."
    )


def no_pickle():
    """Refuse to pickle what an operation made: its VJPs are functions made again each time."""
    raise TypeError(
        "A Tensor that an operation made cannot be pickled, because it holds functions. Pickle the leaves, such as a "
        "network's parameters(), and compute it again; copy.deepcopy copies a whole graph."
    )


def seed(root, gradient, reset):
    """Return the gradient that a backward pass from `root` starts with."""
    validation.policy(reset, "" if isinstance(reset, str) else " A gradient is passed by name: gradient=…")
    if gradient is None:
        if root.data.size == 1:
            return np.ones(root.shape)  # ∂root/∂root = 1
        raise ValueError(
            f"backward starts from a single number, got a Tensor of shape {root.shape}. Take .sum() or .mean() first, "
            "or pass gradient=…, an array of that shape."
        )
    gradient = numbers(gradient, "gradient")
    if gradient.shape != root.shape:
        raise ValueError(f"backward: gradient of shape {gradient.shape} for a Tensor of shape {root.shape}.")
    return gradient


def fit(op, left, right):
    """Raise ValueError unless arrays of these two shapes can be the operands of `op`."""
    if op == "@":
        if not left or not right:
            why = "a single number is multiplied with *."
        elif left[-1] != right[-2:][0]:
            why = f"a row of the left has {left[-1]} numbers, a column of the right {right[-2:][0]}."
        elif not broadcast(left[:-2], right[:-2]):
            why = f"the axes before the last two, {left[:-2]} and {right[:-2]}, do not match."
        else:
            return
    elif left == right or broadcast(left, right):
        return
    else:
        why = "compared from the right, each two sizes must be equal, or one of them 1."
    raise ValueError(f"{op} of shapes {left} and {right}: {why}")


def broadcast(left, right):
    return all(m == n or m == 1 or n == 1 for m, n in zip(left[::-1], right[::-1]))


def reshaped(array, shape):
    """Return `array` in another shape, given as sizes or as one tuple of them."""
    shape = shape[0] if len(shape) == 1 else shape
    try:
        return array.reshape(shape)
    except TypeError:
        raise TypeError(f"reshape takes whole numbers, as in x.reshape(2, -1), got {shape!r}.") from None
    except ValueError:
        raise ValueError(
            f"reshape of shape {array.shape} to {shape}: there are {array.size} numbers to place."
        ) from None


def axes(axis, ndim):
    """Return `axis` if it is None, an axis of an array with `ndim` of them, or a tuple of such axes."""
    for each in axis if isinstance(axis, tuple) else () if axis is None else (axis,):
        if isinstance(each, bool) or not isinstance(each, (int, np.integer)):
            raise TypeError(f"axis is a whole number or a tuple of them, got {messages.described(axis)}.")
        if not -ndim <= each < ndim:
            raise ValueError(f"axis is from {-ndim} to {ndim - 1} for an array of {ndim} axes, got {each}.")
    return axis


def rows(op, array):
    """Return `array` if it has rows of at least one number: those along its last axis."""
    if not array.ndim or not array.shape[-1]:
        raise ValueError(f"{op} of shape {array.shape}: it needs rows of at least one number, along the last axis.")
    return array


def above_zero(user, number):
    """Return `number` as a float; raise ValueError unless it is finite and above 0."""
    real = validation.real(number, user)
    if not 0 < real < np.inf:
        raise ValueError(f"{user} is a number above 0, such as 1e-5, got {real!r}.")
    return real


def targets(loss, given, shape, allowed=()):
    """Return a loss's targets as an array of `shape`, one for each output; each one of `allowed`, if that is given."""
    array = numbers(given, loss)
    if array.shape != shape or not array.size:
        hint = f" Write targets.reshape{shape}." if array.size == np.prod(shape) > 0 else ""
        raise ValueError(f"{loss} of shapes {shape} and {array.shape}: it needs a target for each output.{hint}")
    if allowed:
        bad = (array != allowed[0]) & (array != allowed[1])
        if bad.any():
            raise ValueError(f"{loss} takes targets {allowed[0]} and {allowed[1]}, got {float(array[first(bad)])!r}.")
    return array


def probabilities(loss, outputs):
    """Raise ValueError unless all outputs lie between 0 and 1."""
    bad = ~((outputs.data > 0) & (outputs.data < 1))
    if bad.any():
        raise ValueError(
            f"{loss} takes probabilities between 0 and 1, got {messages.named(entry(outputs.data, first(bad)))}. "
            "Pass sigmoid outputs, or the numbers before the sigmoid with from_logits=True."
        )


def classes(targets, shape):
    """Return softmax_cross_entropy's targets as an array of n ints below k, for logits of shape (n, k)."""
    array = np.array(targets)
    if len(shape) != 2 or array.shape != shape[:1] or not array.size:
        raise ValueError(
            f"softmax_cross_entropy of shapes {shape} and {array.shape}: "
            "it needs logits of shape (n, k) and n targets, numbers of classes."
        )
    if array.dtype.kind not in "iu":
        raise ValueError(f"a target is the number of a class, 0 to {shape[1] - 1}, got {array[0]!s}.")
    bad = (array < 0) | (array >= shape[1])
    if bad.any():
        raise ValueError(f"a target is the number of a class, 0 to {shape[1] - 1}, got {array[first(bad)]}.")
    return array
