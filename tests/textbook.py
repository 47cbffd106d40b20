"""An engine that is written out, one rule for each operation: the bug hunt shows its lines. And changes of them."""

import math
import re
import textwrap

RULES = {  # what each method computes, and the lines of its rule
    "__add__": ("self.data + other.data", "self.grad += out.grad\nother.grad += out.grad"),
    "__sub__": ("self.data - other.data", "self.grad += out.grad\nother.grad += -out.grad"),
    "__mul__": (
        "self.data * other.data",
        "self.grad += other.data * out.grad\nother.grad += self.data * out.grad",
    ),
    "__truediv__": (
        "self.data / other.data",
        "self.grad += 1 / other.data * out.grad\nother.grad += -self.data / other.data**2 * out.grad",
    ),
    "power": ("self.data**n", "self.grad += n * self.data ** (n - 1) * out.grad"),
    "exp": ("math.exp(self.data)", "self.grad += out.data * out.grad"),
    "log": ("math.log(self.data)", "self.grad += 1 / self.data * out.grad"),
    "tanh": ("math.tanh(self.data)", "self.grad += (1 - out.data**2) * out.grad"),
    "sigmoid": ("1 / (1 + math.exp(-self.data))", "self.grad += out.data * (1 - out.data) * out.grad"),
    "relu": ("max(0.0, self.data)", "self.grad += (self.data > 0) * out.grad"),
    "__neg__": ("-self.data", "self.grad += -1.0 * out.grad"),
}
HEAD = """
class Value:
    def __init__(self, data, _prev=()):
        self.data, self.grad, self._prev, self._backward = data, 0.0, _prev, lambda: None

    __radd__ = lambda self, other: Value(other) + self
    __rsub__ = lambda self, other: Value(other) - self
    __rmul__ = lambda self, other: Value(other) * self
    __rtruediv__ = lambda self, other: Value(other) / self
    __pow__ = lambda self, n: (n * self.log()).exp() if isinstance(n, Value) else self.power(n)

    def backward(self):
        order, visited = [], set()

        def visit(node):
            if node not in visited:
                visited.add(node)
                for input in node._prev:
                    visit(input)
                order.append(node)

        visit(self)  # each node after all of its inputs
        self.grad = 1.0
        for node in reversed(order):
            node._backward()
"""


def method(name, value, rule):
    second = "other" if "other" in value else "n" if "n" in re.findall(r"\w+", value) else ""
    lines = [f"def {name}(self{second and f', {second}'}):"]
    if second == "other":
        lines.append("    is_plain = not isinstance(other, Value)\n    other = Value(other) if is_plain else other")
    inputs = "(self, other)" if second == "other" else "(self,)"
    lines += [f"    out = Value({value}, {inputs})", "    def _backward():", textwrap.indent(rule, "        ")]
    return textwrap.indent("\n".join([*lines, "    out._backward = _backward", "    return out"]), "    ")


TEXT = HEAD + "\n".join(method(name, *rule) for name, rule in RULES.items())


def with_lines(*pairs):
    """Return the class Value of the text with lines, (right, wrong), replaced everywhere; … is the rest of a line."""
    text = TEXT
    for right, wrong in pairs:
        lines = (re.escape(line).replace("…", "(.*)") for line in right.split("\n"))
        pattern = re.compile(r"^( *)" + r"\n\1".join(lines) + "$", re.MULTILINE)
        assert pattern.search(text), right
        text = pattern.sub(
            lambda match, wrong=wrong: "\n".join(
                f"{match[1]}{line.replace('…', match[2] if match.re.groups > 1 else '')}" for line in wrong.split("\n")
            ),
            text,
        )
    names = {"math": math}
    exec(text, names)
    return names["Value"]
