"""`Convertible`: what Python and NumPy ask of a node besides arithmetic: comparisons, text, conversions."""

import itertools
import linecache
import math
import re
import sys

OPERATORS = {  # NumPy's name of each operator, and Python's
    "add": "add",
    "subtract": "sub",
    "multiply": "mul",
    "divide": "truediv",
    "power": "pow",
    "matmul": "matmul",
}
FUNCTIONS = {"negative": "__neg__", "absolute": "__abs__"}
READS = {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "isnan", "isinf", "isfinite"}
CONSTANTS_AND_TESTS = {"e", "pi", "tau", "inf", "nan", "isclose", "floor", "ceil", "trunc", *READS}
LOSES_GRAPH = {name for name in dir(math) if name[0] != "_"} - CONSTANTS_AND_TESTS


class Convertible:
    """A node whose numbers can be compared, rounded and formatted: each of these gives plain numbers, without a graph.

    `==` stays identity, as a node is a key of dictionaries and sets. abs() is an operation, with a gradient.
    """

    __slots__ = ("__weakref__",)

    def __lt__(self, other):
        return self.data < numbers_of(other)

    def __le__(self, other):
        return self.data <= numbers_of(other)

    def __gt__(self, other):
        return self.data > numbers_of(other)

    def __ge__(self, other):
        return self.data >= numbers_of(other)

    def __abs__(self):
        return self.relu() + (-self).relu()

    def __float__(self):
        caller = sys._getframe(1)
        code = caller.f_code
        may_lose = not LOSES_GRAPH.isdisjoint(code.co_names + code.co_varnames + code.co_freevars)
        if may_lose and (name := called_from(caller)) in LOSES_GRAPH:
            raise TypeError(lost("math", name, self))
        return single(self)

    def __int__(self):
        return int(single(self))

    def __round__(self, digits=None):
        return round(single(self), digits)

    def __format__(self, spec):
        return format(single(self), spec) if spec else str(self)

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        name, kind = ufunc.__name__, type(self)
        if method == "__call__" and not options:
            if name in READS:
                return ufunc(*map(numbers_of, inputs))
            if name in OPERATORS:  # as numpy.float64(2) * Value(3)
                left, right = inputs
                turned = not isinstance(left, kind)
                return getattr(self, f"__{'r' * turned}{OPERATORS[name]}__")(left if turned else right)
            if len(inputs) == 1 and hasattr(kind, FUNCTIONS.get(name, name)):
                return getattr(self, FUNCTIONS.get(name, name))()
        raise TypeError(lost("numpy", name, self))

    def __array_function__(self, function, types, inputs, options):
        raise TypeError(lost("numpy", function.__name__, self))

    __pandas_priority__ = 5000  # above a DataFrame's: a Series leaves `series * tensor` to the Tensor


def numbers_of(thing):
    """Return the plain numbers of a node; anything else unchanged."""
    return thing.data if isinstance(thing, Convertible) else thing


def single(node):
    """Return the number of a node as a float. Raise TypeError if it holds several."""
    data = node.data
    if getattr(data, "size", 1) != 1:
        raise TypeError(f"a Tensor of shape {data.shape} is not one number: take .sum(), .mean() or one element first.")
    return float(data.item() if hasattr(data, "item") else data)


def lost(module, name, node):
    """Return the message for a function of another module that would lose the graph of a node."""
    kind = type(node).__name__
    own = {"maximum": "relu"}.get(name, name)
    how = f"Write x.{own}()" if hasattr(type(node), own) else f"Build it from the operations that a {kind} has"
    return f"{module}.{name} would lose the graph of a {kind}. {how}; x.data is the plain number."


def called_from(frame):
    """Return the name of the math function whose call in `frame` asks for a float; "" for float() and the like.

    The text of the call shows it, if it can be read: math.tanh(w) and float(w) ask in the same way.
    """
    place = next(itertools.islice(frame.f_code.co_positions(), frame.f_lasti // 2, None), (None,) * 4)
    if None in place:
        return ""
    first, last, begin, end = place
    text = linecache.getline(frame.f_code.co_filename, first).encode()[begin : end if first == last else None]
    found = re.match(r"(?:\w+\.)?(\w+)\s*\(", text.decode(errors="replace"))
    return found[1] if found else ""
