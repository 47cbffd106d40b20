"""The right engine on numbers, as a learner has it in my_engine.py, and changes of its text: the wrong engines.

`wrong_engines.md` has the twenty that tests and checks must tell apart, `held_out.md` the twelve that only the exam
has, `hunt.md` those that the bug hunt shows as well: H1 to H12 were the exam's before.
"""

import functools
import linecache
from dataclasses import dataclass, field
from pathlib import Path

from exercises.content.library import changed, mistakes_in
from exercises.engine_file.parts import BY_NAME, COURSE_CODE, MODULES

PARTS = "make_value", "value", "sums", "multiply", "subtract", "divide", "first_rules", "power_rule"
PARTS += "relu", "functions", "deep_order", "backward"
# A subclass makes nodes of the same class; - and / make nodes; and there are all operations of Value.
CHANGES = """
`self.data = data` → `self.data = float(data)`,
`out = Value(` → `out = type(self)(`,
`else Value(thing)` → `else type(self)(thing)`,
`as_value(` → `as_value(self, `,
`return self + as_value(self, other) * -1` → `other = as_value(self, other)
    return two_inputs(self, other, self.data - other.data, "-", 1.0, -1.0)`,
`return self * as_value(self, other) ** -1` → `other = as_value(self, other)
    quotient = self.data / other.data
    return two_inputs(self, other, quotient, "/", 1 / other.data, -quotient / other.data)`,
`+= n * self.data ** (n - 1) *` → `+= (n * self.data ** (n - 1) if n else 0.0) *`,
`f"**{n}"` → `f"**{n:g}"`
"""
OPERATIONS = '''

def one_input(x, y, op, local):
    """The node of an operation with the input x and the output y."""
    out = type(x)(y, (x,), op)

    def _backward():
        x.grad += local * out.grad

    out._backward = _backward
    return out


def two_inputs(self, other, y, op, local, local_of_other):
    """The node of an operation with the inputs self and other and the output y."""
    out = type(self)(y, (self, other), op)

    def _backward():
        self.grad += local * out.grad
        other.grad += local_of_other * out.grad

    out._backward = _backward
    return out


def raised(self, n):  # self ** n
    return (n * self.log()).exp() if isinstance(n, Value) else power(self, n)


def leaky_relu(self, slope=0.01):
    local = 1.0 if self.data > 0 else slope
    return one_input(self, local * self.data, "leaky_relu", local)


def sigmoid(self):
    y = 0.5 + 0.5 * math.tanh(0.5 * self.data)
    return one_input(self, y, "sigmoid", y * (1 - y))


power, Value.__pow__, Value.leaky_relu, Value.sigmoid = Value.__pow__, raised, leaky_relu, sigmoid
Value.__rpow__ = lambda self, other: as_value(self, other) ** self
Value.__neg__ = lambda self: one_input(self, -self.data, "neg", -1.0)
Value.sqrt = lambda self: one_input(self, math.sqrt(self.data), "sqrt", 0.5 / math.sqrt(self.data))
Value.sin = lambda self: one_input(self, math.sin(self.data), "sin", math.cos(self.data))
Value.cos = lambda self: one_input(self, math.cos(self.data), "cos", -math.sin(self.data))
'''


def text_of(parts, changes, more):
    """Return an engine's text: the course's parts of these names, after the changes, followed by `more`."""
    text = "\n\n".join(f"{BY_NAME[name].source}\n{BY_NAME[name].wires}" for name in parts)
    return changed(text, "→", changes) + more


RIGHT = text_of(PARTS, CHANGES, OPERATIONS)


def names_in(text, title):
    """Return the names that the text of an engine defines; tracebacks show its lines under this title."""
    file, names = f"{COURSE_CODE}{title}>", {"__name__": "engine"} | MODULES
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    exec(compile(text, file, "exec"), names)
    return names


@dataclass(frozen=True)
class WrongEngine:
    """A wrong engine: the name and the sentence of its mistake, the lesson and section that treat it, and its text."""

    id: str
    name: str
    sentence: str
    lesson: str
    section: str
    text: str = field(repr=False)
    shown: tuple = field(repr=False, default=())  # (right lines, wrong lines), for readers

    @functools.cached_property
    def names(self):
        """The names that its text defines."""
        return names_in(self.text, f"engine {self.id}")

    @property
    def engine(self):
        """Its class, Value or Tensor."""
        return self.names["Tensor" if "Tensor" in self.names else "Value"]


def wrong_engines(file, right):
    """Yield the WrongEngines of a file next to this one: known mistakes, each with one change of the right text."""
    for known in mistakes_in(Path(__file__).with_name(file)):
        (id, _, name), (text,) = known.mistake.name.partition(" "), known.codes(right)
        said = known.mistake
        yield WrongEngine(id, name, said.sentence, said.lesson, said.section, text, known.shown)


def engine_with(changes, title):
    """Return the right engine's class of numbers with these changes of its text, `old` → `new`."""
    return names_in(changed(RIGHT, "→", changes), title)["Value"]


Engine = names_in(RIGHT, "engine")["Value"]
WRONG_ENGINES = tuple(wrong_engines("wrong_engines.md", RIGHT))
HELD_OUT = tuple(wrong_engines("held_out.md", RIGHT))
HUNT = tuple(wrong_engines("hunt.md", RIGHT))
