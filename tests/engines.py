"""Right engines of learners as texts, in several styles, and classes made from them with some of the text replaced."""

import math
from pathlib import Path

from exercises.engine_file import cells, parts
from tests import one_class

CLOSURES = Path(one_class.__file__).read_text(encoding="utf-8")
STORED = '''
import math


class Value:
    """A number that keeps its local derivatives, and passes gradients on in one place; it composes - and /."""

    def __init__(self, data, prev=(), local=(), op=""):
        self.data, self.grad, self._prev, self.local = data, 0.0, prev, local
        self._op = op

    def lifted(self, other):
        return other if isinstance(other, Value) else type(self)(other)

    def __add__(self, other):
        other = self.lifted(other)
        return type(self)(self.data + other.data, (self, other), (1.0, 1.0), "+")

    def __mul__(self, other):
        other = self.lifted(other)
        return type(self)(self.data * other.data, (self, other), (other.data, self.data), "*")

    def __pow__(self, n):
        return type(self)(self.data**n, (self,), (n * self.data ** (n - 1),), f"**{n}")

    def relu(self):
        return type(self)(max(0.0, self.data), (self,), (float(self.data > 0),), "relu")

    def tanh(self):
        y = math.tanh(self.data)
        return type(self)(y, (self,), (1 - y * y,), "tanh")

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + -other

    def __rsub__(self, other):
        return -self + other

    def __truediv__(self, other):
        return self * self.lifted(other) ** -1

    def __rtruediv__(self, other):
        return self**-1 * other

    def order(self):
        found, seen = [], set()

        def visit(node):
            if id(node) not in seen:
                seen.add(id(node))
                for each in node._prev:
                    visit(each)
                found.append(node)

        visit(self)
        return found[::-1]

    def backward(self):
        self.grad = 1.0
        for node in self.order():
            for each, local in zip(node._prev, node.local):
                each.grad += local * node.grad
'''


def swapped(text, *swaps):
    for old, new in swaps:
        assert old in text, old
        text = text.replace(old, new)
    return text


SLOTS = swapped(
    CLOSURES,
    (
        "    def __init__(self, data,",
        '    __slots__ = ("data", "grad", "label", "_prev", "_op", "_backward")\n\n    def __init__(self, data,',
    ),
)


def names_in(text):
    """Return what a text defines, run as a cell of a notebook is."""
    names = {"math": math, "__name__": "my_engine"}
    exec(compile(text, cells.register_text(text, "a test"), "exec"), names)
    return names


def engine(text, *swaps):
    return names_in(swapped(text, *swaps))["Value"]


KEPT, ADDED = "self._prev = _prev", "            self.grad += out.grad\n            other.grad += out.grad"
ONE_RULE = swapped(  # its nodes and its leaves share one `_backward`
    CLOSURES,
    ("self._backward = lambda: None", "self.rule = lambda: None"),
    ("out._backward = _backward", "out.rule = _backward"),
    ("    def backward(self)", "    def _backward(self):\n        self.rule()\n\n    def backward(self)"),
)
LAMBDAS = swapped(  # a list of inputs, the second of which gets its share first
    CLOSURES,
    (KEPT, "self._prev = list(_prev)"),
    (ADDED, "            other.grad = out.grad + other.grad\n            self.grad = out.grad + self.grad"),
    (
        "        def _backward():\n            self.grad += local * out.grad\n\n        out._backward = _backward",
        '        out._backward = lambda: setattr(self, "grad", self.grad + out.grad * local)',
    ),
)
STYLES = {  # (a text, how its neuron adds up)
    "closures, the bias first": (CLOSURES, "b + w1 * x1 + w2 * x2"),
    "lambdas, the weights first": (LAMBDAS, "w1 * x1 + w2 * x2 + b"),
    "a set, from right to left": (swapped(CLOSURES, (KEPT, "self._prev = set(_prev)")), "x1 * w1 + (x2 * w2 + b)"),
    "slots, the bias between": (SLOTS, "w1 * x1 + b + w2 * x2"),
    "one rule for all, sum()": (ONE_RULE, "sum([w1 * x1, w2 * x2], b)"),
    "local derivatives, from 0": (STORED, "0 + w2 * x2 + w1 * x1 + b"),
}

TEMPLATE = (parts.PROVIDED / "my_engine.py").read_text(encoding="utf-8")
MULTIPLIED = ADDED.replace("+= out.grad\n", "+= other.data * out.grad\n").replace("+= out", "+= self.data * out")
TANH = TEMPLATE[TEMPLATE.index("        out = Value(math.tanh") : TEMPLATE.index("    def sigmoid")]
ADDED_UP = TEMPLATE[TEMPLATE.index("        total = self.bias") : TEMPLATE.index("        return total.tanh()")]
RIGHT = {  # ways to write the engine of the lessons that are right, too: what is replaced in the course's text
    "the second input first": [(rule, "\n".join(rule.splitlines()[::-1])) for rule in (ADDED, MULTIPLIED)],
    "the bias last": [(ADDED_UP, ADDED_UP.replace("self.bias", "0.0") + "        total = total + self.bias\n")],
    "sum()": [(ADDED_UP, "        total = sum((w * x for w, x in zip(self.weights, inputs)), self.bias)\n")],
    "reflections that swap": [("as_value(other) + self", "self + other"), ("as_value(other) * self", "self * other")],
    "tanh from exp": [(TANH, "        y = (self * 2).exp()\n        return (y - 1) / (y + 1)\n\n")],
    "from right to left": [("zip(self.weights, inputs)", "reversed([*zip(self.weights, inputs)])")],
}
