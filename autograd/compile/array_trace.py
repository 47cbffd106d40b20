"""`ArrayTracer`: what a function of Tensors makes of plain arrays, and what Python asks of them, while it runs."""

import builtins
import operator
import sys

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from autograd import tensor
from autograd.arrays import backward, messages, validation
from autograd.compile.array_ops import by_truths
from autograd.compile.trace import Tracer, conversion
from autograd.tensor import Tensor

FIXED = {"shape", "ndim", "size", "dtype", "strides", "itemsize", "nbytes"}  # as long as the arguments' shapes stay
WRITES = {"fill", "itemset", "partition", "put", "resize", "setfield", "setflags", "sort"}
TAKE_ARRAYS = ("__getitem__", "softmax_cross_entropy", "hinge", "binary_cross_entropy")  # methods, plain ones
LITERALS = (bool, int, float, str, type(None), type(...))


class Followed:
    """A plain array that is given, or computed; `expression` is a tuple of text and of what it is computed from.

    A constant, an array or a function that a recorded program uses unchanged, is one too. label: a name for it.
    """

    def __init__(self, data, expression=(), label=""):
        self.data, self.expression, self.label = data, expression, label or getattr(data, "__name__", "")


class TracedArray(NDArrayOperatorsMixin):
    """A plain array, an input or a Tensor's data, that is followed through NumPy's functions and its own methods.

    It is not an array itself, so that NumPy cannot lose track of it: if something makes an array, a number or text of
    it, a guard notes that the result must be the same. Writing into it raises a RuntimeError. expression: what it
    stands for, alone.
    """

    __slots__ = ("array", "expression", "tracer")
    __hash__ = None

    def __init__(self, array, expression, tracer):
        self.array, self.expression, self.tracer = array, expression, tracer

    def __array_ufunc__(self, ufunc, method, *inputs, **named):
        if any(isinstance(each, Tensor) for each in inputs):
            return NotImplemented  # the Tensor's own operation follows this array
        if by_engine():  # an operation that is called by another name than its own
            return getattr(ufunc, method)(*map(np.asarray, inputs), **named)
        if method == "at" or named.get("out"):
            raise written_to()
        expression = (Followed(ufunc), "" if method == "__call__" else f".{method}")
        return self.tracer.call(getattr(ufunc, method), expression, inputs, named, True)

    def __array_function__(self, function, types, inputs, named):
        return self.tracer.call(function, (Followed(function),), inputs, named)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)  # no interface by which NumPy could read it unseen
        found, expression = getattr(self.array, name), (*self.expression, f".{name}")
        if name in WRITES:
            raise written_to()
        if callable(found):
            return lambda *inputs, **named: self.tracer.call(found, expression, inputs, named)
        return found if name in FIXED else self.tracer.gave(found, expression)

    def __getitem__(self, index):
        expression = (*self.expression, "[", *subscript(index), "]")
        return self.tracer.gave(self.array[untraced(index)], expression, not by_truths(index))

    def __setitem__(self, index, numbers):
        raise written_to()

    def __array__(self, dtype=None, copy=None):
        same = Followed(self.array, label="same")  # all of its numbers
        self.tracer.note((Followed(np.array_equal), "(", *self.expression, ", ", same, ")"), True)
        return np.array(self.array, dtype)


for name in ("bool", "int", "float", "len", "repr", "str"):
    read = getattr(builtins, name)
    setattr(TracedArray, f"__{name}__", conversion(lambda self, read=read: read(self.array), name))
TracedArray.__index__ = conversion(lambda self: operator.index(self.array), "int")


def by_engine():
    """Return whether the caller is an operation of Tensor."""
    frames = sys._getframe(2), sys._getframe(3), sys._getframe(4)
    return any(frame.f_globals.get("__name__") == tensor.__name__ for frame in frames)


def written_to():
    """Return the RuntimeError for a function that changes an array in place."""
    return RuntimeError(
        "A function that is recorded writes into an array: an input, a Tensor's data, or what was computed from them. "
        "Make a new array instead: a = a + 1 instead of a += 1."
    )


def untraced(thing):
    """Return a thing, or a tuple, list or dictionary of things, without what traces them."""
    if type(thing) is dict:
        return {name: untraced(each) for name, each in thing.items()}
    if type(thing) in (tuple, list):
        return type(thing)(map(untraced, thing))
    return thing.array if type(thing) is TracedArray else thing


def to_expression(thing):
    """Return a thing as an expression: a tuple of text and of what a program has a name for."""
    if type(thing) in LITERALS:
        return (f"({thing!r})" if type(thing) in (int, float) and str(thing)[0] == "-" else repr(thing),)
    if type(thing) is list:
        return ("[", *separated(map(to_expression, thing)), "]")
    if type(thing) is tuple:
        return ("(", *separated(map(to_expression, thing)), ",)" if len(thing) == 1 else ")")
    if type(thing) is slice:
        return ("slice", *to_expression((thing.start, thing.stop, thing.step)))
    return thing.expression if type(thing) is TracedArray else (Followed(thing),)


def subscript(index):
    """Return an index as written between brackets: `:, 2`."""
    if type(index) is tuple and len(index) > 1:
        return separated(map(subscript, index))
    return (":",) if type(index) is slice and index == slice(None) else to_expression(index)


def separated(expressions):
    """Join expressions into one, with commas between."""
    return tuple(part for expression in expressions for part in (", ", *expression))[1:]


class ArrayTracer(Tracer):
    """A Tracer of Tensors. `made` also has each Followed; `given`: an op's index or targets as expressions."""

    kind, traced, untraced_data = Tensor, TracedArray, staticmethod(untraced)
    silent = tuple(module.__name__ for module in (tensor, backward, messages))

    def call(self, function, expression, inputs, named, fixed=False):
        """Return the result of a function call, to be followed."""
        parts = [to_expression(each) for each in inputs]
        parts += [(f"{name}=", *to_expression(each)) for name, each in named.items()]
        return self.gave(
            function(*untraced(inputs), **untraced(named)), (*expression, "(", *separated(parts), ")"), fixed
        )

    def gave(self, found, expression, fixed=False):
        """Return what was computed, to be followed; a non-array must come out the same. fixed: its shape stays."""
        if isinstance(found, (np.ndarray, np.generic)):
            self.made.append(step := Followed(found, expression))
            if not fixed and found.shape:
                self.note((step, f".shape == {found.shape}"), True)
            return TracedArray(found, (step,), self)
        if type(found) in (tuple, list) and any(isinstance(each, np.ndarray) for each in found):
            return type(found)(self.gave(each, (*expression, f"[{i}]")) for i, each in enumerate(found))
        self.note((*expression, " == ", *to_expression(found)), True)
        return found

    def __enter__(self):
        super().__enter__()
        self.given = {}  # {node: (as it stands between brackets, as it stands alone)}
        self.methods = {name: vars(Tensor)[name] for name in (*TAKE_ARRAYS, "__pow__")}
        self.numbers = validation.numbers

        def noting(method):
            def noted(tensor, *given, **named):
                node, (given,) = method(tensor, *untraced(given), **untraced(named)), (*given, *named.values())
                self.given[node] = subscript(given), to_expression(given)
                return node

            return noted

        def power(tensor, other):
            is_array = type(other) is TracedArray and isinstance(other.array, np.ndarray)
            return self.methods["__pow__"](tensor, Tensor(other) if is_array else other)

        def numbers(data, *user):
            if type(data) is not TracedArray or by_engine():
                return self.numbers(np.asarray(data) if type(data) is TracedArray else data, *user)
            expression = (Followed(np.array), "(", *data.expression, ", float)")
            return self.gave(self.numbers(data.array, *user), expression, True)

        for name in TAKE_ARRAYS:
            setattr(Tensor, name, noting(self.methods[name]))
        Tensor.__pow__, validation.numbers = power, numbers
        return self

    def __exit__(self, *failure):
        for name, method in self.methods.items():
            setattr(Tensor, name, method)
        validation.numbers = self.numbers
        super().__exit__(*failure)
