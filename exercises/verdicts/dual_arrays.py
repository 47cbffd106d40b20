"""Forward mode on arrays of `Dual`s: the reference for engines on arrays."""

import operator

import numpy as np

from autograd.dual import Dual, as_dual
from exercises.verdicts.cases import TOLERANCE


class Duals:
    """An array of dual numbers with a Tensor's operators: the calculus of each number is Dual's own.

    Every operation here is one on single numbers or a sum of these, so no rule for arrays is used.
    """

    __array_ufunc__ = None  # so that numpy.ones(3) * duals calls Duals
    _prev = ()

    def __init__(self, array, *rest, label=""):
        numbers = np.array(array.array if isinstance(array, Duals) else array, dtype=object)
        self.array = np.empty(numbers.shape, dtype=object)
        self.array[...] = each(as_dual, numbers)

    @property
    def shape(self):
        return self.array.shape

    def __len__(self):
        return len(self.array)

    def __pow__(self, n):
        return Duals(self.array**n)

    def __neg__(self):
        return Duals(-self.array)

    def __matmul__(self, other):
        x, w = self.array, duals(other)
        if x.ndim != 2 or w.ndim != 2:
            raise ValueError(f"@ takes two matrices here, got shapes {x.shape} and {w.shape}")
        return Duals(x @ w)

    def __rmatmul__(self, other):
        return Duals(other) @ self

    def softmax(self):
        """Return e to the power of each number, each row of it divided by its sum."""
        largest = each(lambda number: number.value, self.array).max(axis=-1, keepdims=True)
        powers = (self - largest).exp()
        return powers / powers.sum(axis=-1, keepdims=True)

    def normalise(self):
        """Return each number minus its row's mean, divided by the root of the row's variance plus 0.00001."""
        less = self - self.mean(axis=-1, keepdims=True)
        return less / ((less * less).mean(axis=-1, keepdims=True) + 1e-5).sqrt()

    @property
    def T(self):
        return Duals(self.array.T)

    def sum(self, axis=None, keepdims=False):
        return Duals(self.array.sum(axis=axis, keepdims=keepdims))

    def mean(self, axis=None, keepdims=False):
        total = self.sum(axis, keepdims)
        return total * (total.array.size / self.array.size)

    def __getitem__(self, rows):
        return Duals(self.array[rows])

    @property
    def values(self):
        """The values, an array of floats."""
        return each(lambda number: number.value, self.array).astype(float)

    @property
    def derivatives(self):
        """The derivatives, an array of floats."""
        return each(lambda number: number.derivative, self.array).astype(float)


def binary(name):
    """Return two methods of Duals for an operator: with Duals on its left, and on its right."""
    operate = getattr(operator, name)
    return (
        lambda self, other: Duals(operate(self.array, duals(other))),
        lambda self, other: Duals(operate(duals(other), self.array)),
    )


def elementwise(name):
    """Return a method of Duals for a function of each number."""
    return lambda self: Duals(each(getattr(Dual, name), self.array))


for name in ("add", "sub", "mul", "truediv"):
    for place, method in zip((f"__{name}__", f"__r{name}__"), binary(name)):
        setattr(Duals, place, method)
for name in ("exp", "log", "sqrt", "tanh", "relu"):
    setattr(Duals, name, elementwise(name))


def each(function, array):
    """Return an array of a function's results for each entry of an array."""
    found = np.empty(array.shape, dtype=object)
    for place in np.ndindex(array.shape):
        found[place] = function(array[place])
    return found


def duals(thing):
    """Return the array of dual numbers of anything that has numbers."""
    return (thing if isinstance(thing, Duals) else Duals(thing)).array


def forward_gradients(f, arrays):
    """Return (f's value, the gradient of each array) for f of arrays to one number: one run per entry of each array."""
    value, gradients = duals_of(f(*map(Duals, arrays))).values, []
    for k, array in enumerate(arrays):
        gradient = np.zeros(array.shape)
        for place in np.ndindex(array.shape):
            nudged = [Duals(other) for other in arrays]
            nudged[k].array[place] = Dual(float(array[place]), 1.0)
            gradient[place] = duals_of(f(*nudged)).derivatives.sum()
        gradients.append(gradient)
    return value, gradients


def duals_of(found):
    """Return f's result, Duals of one number, unchanged; raise ValueError if it has more."""
    if found.array.size != 1:
        raise ValueError(f"one number was expected, got shape {found.shape}: take its sum()")
    return found


def same_array(got, expected):
    """Return whether two arrays agree in shape and, up to float noise, in numbers; single numbers in any shape."""
    got, expected = np.asarray(got), np.asarray(expected)
    if got.shape != expected.shape and not got.size == expected.size == 1:
        return False
    slack = TOLERANCE * np.maximum(1.0, np.abs(expected))
    return bool((np.abs(got.reshape(expected.shape) - expected) <= slack).all())
