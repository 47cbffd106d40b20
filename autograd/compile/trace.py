"""`Tracer`: what Python asks of the numbers in Values while a function runs, so that others can be asked the same."""

import sys
import threading

from autograd import arithmetic, operations, value
from autograd.errors import messages, validation
from autograd.value import Value

SILENT = {module.__name__ for module in (value, operations, arithmetic, messages, validation)}  # an op's own reading
ONE_AT_A_TIME = threading.RLock()


class TracedNumber(float):
    """A node's number, or one computed from such numbers, that notes each comparison as a guard.

    `expression`: how it was computed, a tuple of nodes and text. What Python computes from it with + - * / // % **, abs
    and a comparison is followed. If int() or round() makes something else of it, a guard notes that the result must be
    the same; if it is read as text or as a ratio, that the number must.
    """

    __slots__ = ("expression", "tracer")

    def __new__(cls, number, expression, tracer):
        self = super().__new__(cls, number)
        self.expression, self.tracer = expression, tracer
        return self

    __hash__ = float.__hash__


def to_expression(thing):
    """Return a number as a part of an expression: a tuple of nodes and text."""
    if isinstance(thing, TracedNumber):
        return thing.expression if len(thing.expression) == 1 else ("(", *thing.expression, ")")
    number = float(thing)
    return (f"({number!r})" if number < 0 else f"{number!r}",)


def operator_method(name, sign, turned):
    """Return a method of TracedNumber that follows an operator; turned: for `number ∘ traced`."""
    plain = getattr(float, name)

    def method(self, other):
        found = plain(self, other)
        if type(found) is not float:  # NotImplemented; or a complex number, which no Value holds
            return found
        left, right = (other, self) if turned else (self, other)
        return TracedNumber(found, (*to_expression(left), sign, *to_expression(right)), self.tracer)

    return method


def comparison(name, sign):
    """Return a method of TracedNumber that notes how a comparison came out."""
    plain = getattr(float, name)

    def method(self, other):
        found = plain(self, other)
        if found is not NotImplemented:
            self.tracer.note((*to_expression(self), sign, *to_expression(other)), found)
        return found

    return method


def conversion(plain, function):
    """Return a method that notes what a conversion gave: it must give the same again."""

    def method(self, *digits):
        found = plain(self, *digits)
        rest = "".join(f", {each!r}" for each in digits)
        self.tracer.note((f"{function}(", *self.expression, f"{rest}) == {found!r}"), True)
        return found

    return method


def read_whole(name):
    """Return a method of TracedNumber whose result only this number gives: the number must be the same again."""
    plain = getattr(float, name)

    def method(self, *rest):
        number = float.__pos__(self)
        self.tracer.note((*to_expression(self), f" == {number!r}"), number == number)
        return plain(number, *rest)

    return method


for name, sign in {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
}.items():
    setattr(TracedNumber, f"__{name}__", operator_method(f"__{name}__", f" {sign} ", turned=False))
    setattr(TracedNumber, f"__r{name}__", operator_method(f"__r{name}__", f" {sign} ", turned=True))
for name, sign in {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}.items():
    setattr(TracedNumber, f"__{name}__", comparison(f"__{name}__", f" {sign} "))
for name, function in {"int": "int", "trunc": "int", "float": "float", "round": "round"}.items():
    setattr(TracedNumber, f"__{name}__", conversion(getattr(float, f"__{name}__"), function))
for name in ("__repr__", "__str__", "__format__", "as_integer_ratio", "hex"):  # Fraction asks for the ratio
    setattr(TracedNumber, name, read_whole(name))
TracedNumber.is_integer = lambda self: self % 1.0 == 0.0
TracedNumber.__neg__ = lambda self: TracedNumber(-float.__pos__(self), ("-", *to_expression(self)), self.tracer)
TracedNumber.__pos__ = lambda self: self
TracedNumber.__abs__ = lambda self: TracedNumber(float.__abs__(self), ("abs(", *self.expression, ")"), self.tracer)
TracedNumber.__bool__ = lambda self: self != 0.0
TracedNumber.__floor__ = lambda self: int(self // 1.0)
TracedNumber.__ceil__ = lambda self: -int(-self // 1.0)


class Tracer:
    """Around a function: `made`, the Values that it makes; `known`, those made from others' numbers; and `guards`.

    For that time, `data` of every Value in this thread is a TracedNumber, except for the engine's own operations.
    Raise RuntimeError if the function writes a Value's data, or is recorded during a recording.
    """

    kind, silent, traced = Value, SILENT, TracedNumber

    def __init__(self):
        self.made, self.known, self.guards = [], {}, {}  # of guards: {(expression, what it gave): True}

    def note(self, expression, found):
        """Note a guard: what a comparison gave."""
        self.guards[expression, found] = True

    def untraced_data(self, data):
        """Return a new node's data without what traces it."""
        return float.__pos__(data) if type(data) is TracedNumber else data

    def __enter__(self):
        ONE_AT_A_TIME.acquire()
        kind, here, tracer = self.kind, threading.get_ident(), self
        if type(kind.__dict__["data"]) is property:
            ONE_AT_A_TIME.release()
            raise RuntimeError("A recording is under way: a function that is recorded cannot record another.")
        self.slot, self.init = kind.__dict__["data"], kind.__init__
        read, write, init, silent, traced = self.slot.__get__, self.slot.__set__, self.init, self.silent, self.traced

        def data(node):
            caller = sys._getframe(1)
            number = read(node)
            if caller.f_globals.get("__name__") in silent:
                return number
            return number if threading.get_ident() != here else traced(number, (node,), tracer)

        def set_data(node, number):
            if threading.get_ident() == here and sys._getframe(1).f_code is not init.__code__:
                name = kind.__name__
                raise RuntimeError(
                    f"A function that is recorded writes the data of a {name}. Make a new {name} instead."
                )
            write(node, number)

        def made(node, data, *rest, **named):
            init(node, tracer.untraced_data(data), *rest, **named)
            if threading.get_ident() == here:
                tracer.made.append(node)
                if type(data) is traced:
                    tracer.known[node] = data.expression

        kind.data, kind.__init__ = property(data, set_data), made
        return self

    def __exit__(self, *failure):
        self.kind.data, self.kind.__init__ = self.slot, self.init
        ONE_AT_A_TIME.release()
