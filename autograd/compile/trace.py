"""`Watch`: what Python asks of the numbers in Values while a function runs, so that it can be asked of others."""

import sys
import threading

from autograd.value import Value

OPERATIONS = ("value", "arithmetic", "errors.messages", "errors.validation")
SILENT = {f"autograd.{name}" for name in OPERATIONS}  # an op's own reading
ONE_AT_A_TIME = threading.RLock()


class Watched(float):
    """A node's number, or one computed from such numbers, that notes each comparison as a guard.

    `expression`: how it was computed, a tuple of nodes and text. What Python computes from it with + - * / // % **,
    abs and a comparison is followed. What leaves floats, as int() or round() do, is guarded to come out the same; where
    it is read as text or as a ratio, the number itself is.
    """

    __slots__ = ("expression", "watch")

    def __new__(cls, number, expression, watch):
        self = super().__new__(cls, number)
        self.expression, self.watch = expression, watch
        return self

    __hash__ = float.__hash__


def written(thing):
    """A number as a part of an expression: a tuple of nodes and text."""
    if isinstance(thing, Watched):
        return thing.expression if len(thing.expression) == 1 else ("(", *thing.expression, ")")
    number = float(thing)
    return (f"({number!r})" if number < 0 else f"{number!r}",)


def arithmetic(name, sign, turned):
    """A method of Watched that follows an operator; turned: for `number ∘ watched`."""
    plain = getattr(float, name)

    def method(self, other):
        found = plain(self, other)
        if type(found) is not float:  # NotImplemented; or a complex number, which no Value holds
            return found
        left, right = (other, self) if turned else (self, other)
        return Watched(found, (*written(left), sign, *written(right)), self.watch)

    return method


def comparison(name, sign):
    """A method of Watched that notes how a comparison came out."""
    plain = getattr(float, name)

    def method(self, other):
        found = plain(self, other)
        if found is not NotImplemented:
            self.watch.note((*written(self), sign, *written(other)), found)
        return found

    return method


def conversion(plain, function):
    """A method that notes what a conversion gave: the same has to come out again."""

    def method(self, *digits):
        found = plain(self, *digits)
        rest = "".join(f", {each!r}" for each in digits)
        self.watch.note((f"{function}(", *self.expression, f"{rest}) == {found!r}"), True)
        return found

    return method


def read_whole(name):
    """A method of Watched that gives what only this number gives: it has to be the same again."""
    plain = getattr(float, name)

    def method(self, *rest):
        number = float.__pos__(self)
        self.watch.note((*written(self), f" == {number!r}"), number == number)
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
    setattr(Watched, f"__{name}__", arithmetic(f"__{name}__", f" {sign} ", turned=False))
    setattr(Watched, f"__r{name}__", arithmetic(f"__r{name}__", f" {sign} ", turned=True))
for name, sign in {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}.items():
    setattr(Watched, f"__{name}__", comparison(f"__{name}__", f" {sign} "))
for name, function in {"int": "int", "trunc": "int", "float": "float", "round": "round"}.items():
    setattr(Watched, f"__{name}__", conversion(getattr(float, f"__{name}__"), function))
for name in ("__repr__", "__str__", "__format__", "as_integer_ratio", "hex"):  # Fraction asks for the ratio
    setattr(Watched, name, read_whole(name))
Watched.is_integer = lambda self: self % 1.0 == 0.0
Watched.__neg__ = lambda self: Watched(-float.__pos__(self), ("-", *written(self)), self.watch)
Watched.__pos__ = lambda self: self
Watched.__abs__ = lambda self: Watched(float.__abs__(self), ("abs(", *self.expression, ")"), self.watch)
Watched.__bool__ = lambda self: self != 0.0
Watched.__floor__ = lambda self: int(self // 1.0)
Watched.__ceil__ = lambda self: -int(-self // 1.0)


class Watch:
    """Around a function: `made`, the Values that it makes; `known`, those made from others' numbers; and `guards`.

    For that time, `data` of every Value in this thread is a Watched, except for the engine's own operations.
    RuntimeError where the function writes a Value's data, or is recorded in the course of a recording.
    """

    kind, silent, watched = Value, SILENT, Watched

    def __init__(self):
        self.made, self.known, self.guards = [], {}, {}  # of guards: {(expression, what it gave): True}

    def note(self, expression, found):
        """A comparison that came out so."""
        self.guards[expression, found] = True

    def plain(self, data):
        """A new node's data without what watches it."""
        return float.__pos__(data) if type(data) is Watched else data

    def __enter__(self):
        ONE_AT_A_TIME.acquire()
        kind, here, watch = self.kind, threading.get_ident(), self
        if type(kind.__dict__["data"]) is property:
            ONE_AT_A_TIME.release()
            raise RuntimeError("A recording is under way: a function that is recorded cannot record another.")
        self.slot, self.init = kind.__dict__["data"], kind.__init__
        read, write, init, silent, watched = self.slot.__get__, self.slot.__set__, self.init, self.silent, self.watched

        def data(node):
            caller = sys._getframe(1)
            number = read(node)
            if caller.f_globals.get("__name__") in silent:
                return number
            return number if threading.get_ident() != here else watched(number, (node,), watch)

        def set_data(node, number):
            if threading.get_ident() == here and sys._getframe(1).f_code is not init.__code__:
                name = kind.__name__
                raise RuntimeError(
                    f"A function that is recorded writes the data of a {name}. Make a new {name} instead."
                )
            write(node, number)

        def made(node, data, *rest, **named):
            init(node, watch.plain(data), *rest, **named)
            if threading.get_ident() == here:
                watch.made.append(node)
                if type(data) is watched:
                    watch.known[node] = data.expression

        kind.data, kind.__init__ = property(data, set_data), made
        return self

    def __exit__(self, *failure):
        self.kind.data, self.kind.__init__ = self.slot, self.init
        ONE_AT_A_TIME.release()
